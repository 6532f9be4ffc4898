/** Kinds of identifier columns, the strongest first; keys of `input.columns.identifiers`. */
export const identifierKeys = [
  'lei',
  'cik',
  'registration_id',
  'ein',
  'bic',
  'ticker',
  'website',
  'email',
] as const
export type IdentifierKey = (typeof identifierKeys)[number]

/** Columns with the register of a company number, and the exchange of a ticker. */
export const identifierPlaceKeys = ['registration_country', 'exchange'] as const
export type IdentifierPlaceKey = (typeof identifierPlaceKeys)[number]

/** Input columns by kind of identifier. */
export type IdentifierColumns = {
  readonly [Key in IdentifierKey | IdentifierPlaceKey]?: string | undefined
}

export const identifierNames: Readonly<Record<IdentifierKey, string>> = {
  lei: 'LEI',
  cik: 'CIK',
  registration_id: 'company number',
  ein: 'EIN',
  bic: 'BIC',
  ticker: 'ticker',
  website: 'website',
  email: 'e-mail',
}

/** Lists the identifier columns, without their places, the strongest first. */
export const listIdentifierColumns = (columns: IdentifierColumns): { key: IdentifierKey; column: string }[] =>
  identifierKeys.flatMap((key) => {
    const column = columns[key]
    return column === undefined ? [] : [{ key, column }]
  })

/** Lists the columns read in addition to name, location and context. */
export const listIdentifierCells = (columns: IdentifierColumns): string[] =>
  [...identifierKeys, ...identifierPlaceKeys].flatMap((key) => columns[key] ?? [])

/** What an identifier column may hold, the strongest first; keys of `input.columns.identifiers`. */
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

/** Columns that say of which register a company number is, and of which exchange a ticker. */
export const identifierPlaceKeys = ['registration_country', 'exchange'] as const
export type IdentifierPlaceKey = (typeof identifierPlaceKeys)[number]

/** Input columns by what they identify a company by. */
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

/** Those of identifiers, not of their places, in the order of their strength. */
export const identifiersIn = (columns: IdentifierColumns): { key: IdentifierKey; column: string }[] =>
  identifierKeys.flatMap((key) => {
    const column = columns[key]
    return column === undefined ? [] : [{ key, column }]
  })

/** What is read of each row, beside its name, location and context. */
export const identifierCells = (columns: IdentifierColumns): string[] =>
  [...identifierKeys, ...identifierPlaceKeys].flatMap((key) => columns[key] ?? [])

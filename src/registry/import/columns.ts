import { UserError } from '../../core/errors.js'

/** Every field a row of a registry can have, in the order shown to people. */
const importFields = [
  'id',
  'name',
  'other_names',
  'former_names',
  'type',
  'subtype',
  'status',
  'legal_form',
  'street_address',
  'formatted_address',
  'city',
  'region',
  'postal_code',
  'country',
  'jurisdiction',
  'registration_id',
  'registration_authority',
  'lei',
  'cik',
  'ein',
  'duns',
  'bic',
  'ticker',
  'sic',
  'naics',
  'website',
  'parent_id',
  'source_url',
] as const
export type ImportField = (typeof importFields)[number]

/** The column, by index, that holds each field. */
export type ColumnMap = ReadonlyMap<ImportField, number>

/**
 * Where the fields stand in a file. A map names columns; without one, columns that bear a field's name are
 * taken. With one, only what it names is. Errors: REGISTRY_IMPORT_INVALID.
 */
export function resolveColumns(
  header: readonly string[],
  map: Readonly<Record<string, string>> | undefined,
): ColumnMap {
  const names = header.map((name) => name.trim())
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw invalid(`the file has two columns named "${twice}"`, 'rename one of them')
  }
  const columns = new Map<ImportField, number>()
  for (const field of importFields) {
    const index = map ? mappedIndex(field, map, names) : names.indexOf(field)
    if (index >= 0) columns.set(field, index)
  }
  const unknown = Object.keys(map ?? {}).find((field) => !importFields.includes(field as ImportField))
  if (unknown !== undefined) throw invalid(`"${unknown}" is no field`, `fields: ${importFields.join(', ')}`)
  if (!columns.has('name')) {
    throw invalid(
      'no column holds the names',
      `pass --map name=COLUMN; this file has: ${shownColumns(names)}`,
    )
  }
  return columns
}

function mappedIndex(
  field: ImportField,
  map: Readonly<Record<string, string>>,
  names: readonly string[],
): number {
  const column = Object.hasOwn(map, field) ? map[field] : undefined
  if (column === undefined) return -1
  const index = names.indexOf(column)
  if (index < 0)
    throw invalid(`there is no column "${column}" for ${field}`, `this file has: ${shownColumns(names)}`)
  return index
}

const columnsShownMax = 40

export function shownColumns(names: readonly string[]): string {
  const listed = names.slice(0, columnsShownMax).join(', ')
  return names.length > columnsShownMax ? `${listed}, …` : listed
}

function invalid(message: string, hint: string): UserError {
  return new UserError('REGISTRY_IMPORT_INVALID', message, { hint })
}

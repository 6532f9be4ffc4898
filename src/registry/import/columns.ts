import { UserError } from '../../core/errors.js'
import { entityType } from '../../contract/enums.js'

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

/** A coded value as it is written in words: "Incorporated Entity" is `incorporated_entity`. */
export function codeOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
}

/**
 * Whether the column mapped to `type` holds types: other files' kinds ("FUND", "operating") would make companies
 * of no known type, which no answer may name. Here and there a value that is none is dropped with its line; where
 * at least half of the different values are none, the column is another.
 */
export function createTypeCheck(): {
  look(cells: readonly string[], column: number | undefined): void
  check(name: string): void
} {
  const sound = new Set<string>()
  const other = new Set<string>()
  return {
    look(cells, column) {
      if (column === undefined || other.size >= othersMax) return
      const text = (cells[column] ?? '').trim()
      if (text === '') return
      const type = entityType.safeParse(codeOf(text))
      if (type.success) sound.add(type.data)
      else other.add(text)
    },
    check(name) {
      if (other.size === 0 || other.size < sound.size) return
      const shown = [...other].slice(0, shownMax).map((text) => `"${text.slice(0, 30)}"`)
      throw new UserError(
        'REGISTRY_IMPORT_INVALID',
        `column ${name} is mapped to type and holds ${shown.join(', ')}${other.size > shownMax ? ', …' : ''}`,
        {
          hint: `type takes ${entityType.options.join(', ')}; leave it out of --map, and rows are companies`,
        },
      )
    },
  }
}

const othersMax = 100
const shownMax = 5

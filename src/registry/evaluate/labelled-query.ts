import { identifierType, type IdentifierType } from '../../contract/enums.js'
import { UserError } from '../../core/errors.js'
import { identify } from '../../core/lookup-identity.js'
import { toCanonicalIdentifier } from '../../core/identifiers.js'
import type { Encoding } from '../../core/file-formats.js'
import { openDelimited, openOneFile } from '../../tables/text-tables.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { StoredEntity, StoreReader } from '../store/reader.js'
import { toNumberKey } from '../store/registration-columns.js'

/** A query and its expected result: any of the identifiers, or nothing for a company that is in no file. */
export interface LabelledQuery {
  readonly id: string
  readonly name: string
  readonly location: string | null
  readonly context: string | null
  /** If empty, every accepted answer is wrong. */
  readonly expected: readonly ExpectedId[]
  readonly stratum: string
}

interface ExpectedId {
  /** `entity`: an id of this registry (`siq_…`); `null`: any type. */
  readonly type: IdentifierType | 'entity' | null
  readonly value: string
  /** Country of the register, if the scheme states it: `gb`. */
  readonly jurisdiction: string | null
}

/** Accepted column names per field; the first one found is used. */
const columnAliases = {
  id: ['query_id', 'id'],
  name: ['query_name', 'name', 'company_name', 'company'],
  city: ['city', 'town'],
  region: ['region', 'state', 'province'],
  postcode: ['postcode', 'postal_code', 'zip'],
  country: ['country', 'country_code'],
  location: ['location', 'address'],
  context: ['context'],
  expected: ['expected_any', 'expected', 'expected_id', 'expected_ids'],
  alsoRight: ['also_right'],
  scheme: ['expected_scheme', 'id_type', 'scheme'],
  stratum: ['stratum', 'group', 'kind'],
} as const
type QueryField = keyof typeof columnAliases

export interface LabelledFileSettings {
  /** Field to column, for other column names. */
  readonly map?: Readonly<Record<string, string>>
  /** Type of the expected ids, for a file without a column for it. */
  readonly idType?: string
  /** Detected if absent. */
  readonly encoding?: Encoding
  /** Receives notices about reading the file, such as a detected encoding or skipped lines. */
  readonly onNotice?: (text: string) => void
  /** Receives the delimiter of the file; null for one column. */
  readonly onDelimiter?: (delimiter: string | null) => void
}

/**
 * Reads a CSV file of labelled queries. Errors: EVALUATION_INVALID, INPUT_NOT_FOUND, INPUT_UNREADABLE, INPUT_EMPTY,
 * INPUT_ENCODING_WRONG, _MIXED and _UNSURE, INPUT_NUL_BYTE, INPUT_COMPRESSION_CORRUPT.
 */
export async function readLabelledQueries(
  path: string,
  settings: LabelledFileSettings = {},
): Promise<LabelledQuery[]> {
  const queries: LabelledQuery[] = []
  let columns: ReadonlyMap<QueryField, number> = new Map()
  const file = await openDelimited(await openOneFile(path, null), { encoding: settings.encoding })
  for (const notice of file.notices) settings.onNotice?.(notice)
  settings.onDelimiter?.(file.delimiter)
  const choose = (header: readonly string[]) => {
    columns = findColumns(header, settings.map ?? {})
    return null
  }
  for await (const records of file.scan(choose, { keepsRagged: true })) {
    for (const { cells, line, reason } of records) {
      if (reason !== null)
        throw createInvalidError(`line ${line} of ${path} cannot be read: ${reason}`, 'fix the line')
      queries.push(buildQuery(createCellReader(cells, columns), line, settings.idType ?? null))
    }
  }
  if (queries.length === 0)
    throw createInvalidError(`${path} has no queries`, 'it needs a header and one row per query')
  return queries
}

type CellReader = (field: QueryField) => string

function createCellReader(cells: readonly string[], columns: ReadonlyMap<QueryField, number>): CellReader {
  return (field) => {
    const at = columns.get(field)
    return at === undefined ? '' : (cells[at] ?? '').trim()
  }
}

function findColumns(
  header: readonly string[],
  map: Readonly<Record<string, string>>,
): ReadonlyMap<QueryField, number> {
  const names = header.map((name) => name.trim())
  const columns = new Map<QueryField, number>()
  for (const [field, aliases] of Object.entries(columnAliases) as [QueryField, readonly string[]][]) {
    const mapped = Object.hasOwn(map, field) ? map[field] : undefined
    const known = mapped === undefined ? aliases : [mapped]
    const name = known.find((alias) => names.includes(alias))
    if (name !== undefined) columns.set(field, names.indexOf(name))
    else if (mapped !== undefined)
      throw createInvalidError(
        `there is no column "${mapped}" for ${field}`,
        `this file has: ${names.join(', ')}`,
      )
  }
  const unknown = Object.keys(map).find((field) => !Object.hasOwn(columnAliases, field))
  if (unknown !== undefined)
    throw createInvalidError(
      `"${unknown}" is not a field`,
      `fields: ${Object.keys(columnAliases).join(', ')}`,
    )
  for (const field of ['name', 'expected'] as const) {
    if (columns.has(field)) continue
    const hint = `pass --map ${field}=COLUMN; this file has: ${names.join(', ')}`
    throw createInvalidError(`no column has the ${field === 'name' ? 'names' : 'expected ids'}`, hint)
  }
  return columns
}

/** Builds location and context as a run does, so that the figures apply to runs. */
function buildQuery(cell: CellReader, line: number, idType: string | null): LabelledQuery {
  const places = [cell('location'), cell('city'), cell('region'), cell('postcode'), cell('country')]
  const identified = identify(cell('name'), places, [cell('context')])
  const { name, location, context } =
    identified.kind === 'lookup' ? identified.lookup : { name: cell('name'), location: null, context: null }
  const scheme = cell('scheme')
  const list = (field: QueryField) =>
    cell(field)
      .split('|')
      .map((text) => text.trim())
      .filter((text) => text !== '')
  return {
    id: cell('id') || `line ${line}`,
    name,
    location,
    context,
    expected: [
      ...list('expected').map((text) => parseExpectedId(text, scheme === '' ? idType : scheme)),
      ...list('alsoRight').map(parsePrefixedId),
    ],
    stratum: cell('stratum') || 'all',
  }
}

/** Parses an id with its type as prefix: `lei:5493…`, `gb:01234567`, `entity:siq_…`. */
function parsePrefixedId(text: string): ExpectedId {
  const at = text.indexOf(':')
  const kind = text.slice(0, Math.max(0, at))
  return parseExpectedId(
    text.slice(at + 1),
    /^[a-z]{2}$/.test(kind) ? `${kind}_registration_id` : kind || null,
  )
}

/** `gb_company_number` is a registration id in GB; `any` or `null` is any type. */
function parseExpectedId(text: string, scheme: string | null): ExpectedId {
  if (scheme === null || scheme === 'any') return { type: null, value: text, jurisdiction: null }
  if (scheme === 'entity' || scheme === 'entity_id')
    return { type: 'entity', value: text, jurisdiction: null }
  const [, country] = /^([a-z]{2})_(?:company_number|registration_id)$/.exec(scheme) ?? []
  const type = identifierType.safeParse(country === undefined ? scheme : 'registration_id')
  if (!type.success) {
    const known = [...identifierType.options, 'gb_company_number', 'entity', 'any'].join(', ')
    throw createInvalidError(`"${scheme}" is not a type of id`, `types: ${known}`)
  }
  const canonical = toCanonicalIdentifier(type.data, text)
  if ('reason' in canonical)
    throw createInvalidError(`an expected id is not valid: ${canonical.reason}`, 'fix the id in the file')
  return { type: type.data, value: canonical.value, jurisdiction: country ?? null }
}

function createInvalidError(message: string, hint: string): UserError {
  return new UserError('EVALUATION_INVALID', message, { hint })
}

/** Returns the numbers of the companies that are right for a query; empty if the registry has none of them. */
export type ExpectedCompanies = (query: Pick<LabelledQuery, 'expected'>) => ReadonlySet<number>

/** Longest number that is padded: files lose leading zeros. */
const paddedLengthMax = 12

export function createExpectedCompanies(database: Sqlite, reader: StoreReader): ExpectedCompanies {
  const byIdentifier = database
    .prepare<[{ type: string; text: string }], number>(
      `SELECT DISTINCT l.entity_number FROM identifiers i JOIN legal_entities l ON l.number = i.legal_entity_number
       WHERE i.search_key IN (@text, ${toNumberKey('@text')}) AND i.type = @type`,
    )
    .pluck()
  /** A merged id gives the company it was merged into. */
  const findById = (id: string): number[] => {
    const found = reader.entityNumber(reader.findMergeTarget(id) ?? id)
    return found === null || reader.outlineByNumber(found) === null ? [] : [found]
  }
  const findByIdentifier = (type: IdentifierType, value: string): number[] =>
    listPaddings(value).flatMap((text) => byIdentifier.all({ type, text }))
  return ({ expected }) => {
    const named = expected.flatMap(({ type, value }) =>
      type === 'entity' || type === null ? findById(value) : [],
    )
    const bearers = expected.flatMap(({ type, value }) => {
      if (type === 'entity') return []
      return (type === null ? identifierType.options : [type]).flatMap((one) => findByIdentifier(one, value))
    })
    const found = [...new Set(bearers)].filter((entityNumber) => {
      const entity = reader.entityByNumber(entityNumber)
      return entity !== null && isExpected(entity, expected)
    })
    return new Set([...named, ...found])
  }
}

/** Returns the value as given and with each number of leading zeros that may have been lost. */
function listPaddings(value: string): string[] {
  const short = stripLeadingZeros(value)
  const lengths = Array.from({ length: paddedLengthMax + 1 }, (_, length) => length)
  return [...new Set([value, ...lengths.map((length) => short.padStart(length, '0'))])]
}

export function isExpected(entity: StoredEntity, expected: readonly ExpectedId[]): boolean {
  return expected.some(({ type, value, jurisdiction }) => {
    if (type === 'entity') return entity.id === value
    if (type === null && entity.id === value) return true
    return entity.legalEntities.some(({ identifiers }) =>
      identifiers.some(
        (held) =>
          (type === null || held.type === type) &&
          stripLeadingZeros(held.value) === stripLeadingZeros(value) &&
          (jurisdiction === null || (held.jurisdiction ?? '').startsWith(jurisdiction)),
      ),
    )
  })
}

/** Files lose leading zeros. */
function stripLeadingZeros(value: string): string {
  return value.toUpperCase().replace(/^0+/, '')
}

import { entityType, toCode } from '../../contract/enums.js'
import { toNationalNumber } from '../../core/numbers/national-numbers.js'
import type { ImportItem, StatedRow } from '../model/registry-rows.js'
import type { RegisterSource, SourceTable, Text } from '../sources/source.js'
import { buildAddedRow } from './additions.js'
import { usualSubtype } from './csv-row.js'
import { UserError } from '../../core/errors.js'
import { parseDate, type DateOrder } from '../../core/file-formats.js'
import { checkDraft, readDay } from './draft.js'

/** A record of a file: returns all texts of a column, which are several only in JSON and XML. */
type MappedRecord = (column: string) => readonly string[]

/** Makes an item of a record. Accepts any text. */
export type RowReader = (record: MappedRecord, line: number) => ImportItem

/** Reads a text of a record, trimmed; `null` if it is empty. */
type TextReader = (record: MappedRecord) => string | null

/** Flags of all patterns in a source. */
export const patternFlags = 'iu'

/** Lists the columns that a table reads, each once. */
export function listColumns(table: SourceTable): string[] {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string') found.add(value)
    else if (Array.isArray(value)) for (const one of value) visit(one)
    else if (typeof value === 'object' && value !== null) {
      const { column, first, join } = value as Exclude<Text, string>
      if (column !== undefined) found.add(column)
      visit(first)
      visit(join)
    }
  }
  const { columns, keep = [], drop = [], formerName } = table
  for (const field of Object.values(columns ?? {}) as unknown[]) {
    if (isFieldList(field)) visit(field.codes)
    else if (Array.isArray(field))
      for (const one of field as Text[]) visit(isDated(one) ? [one.name, one.ended] : one)
    else visit(field)
  }
  for (const { text } of [...keep, ...drop, ...(formerName === undefined ? [] : [formerName])]) visit(text)
  return [...found]
}

const isFieldList = (field: unknown): field is { codes: readonly Text[] } =>
  typeof field === 'object' && field !== null && 'codes' in field

const isDated = (field: unknown): field is { name: Text; ended: Text } =>
  typeof field === 'object' && field !== null && 'ended' in field

/** Prepares a text, so that patterns are compiled once. */
function compileText(text: Text, empty: ReadonlySet<string>): TextReader {
  if (typeof text === 'string') return (record) => dropEmpty(record(text)[0], empty)
  const { column, first, join, fixed, match, pad, cases, before } = text
  const parts = (first ?? join ?? []).map((part) => compileText(part, empty))
  const between = text.with ?? ', '
  const read: TextReader = (record) => {
    if (column !== undefined) return dropEmpty(record(column)[0], empty)
    if (fixed !== undefined) return fixed
    const texts = parts.map((part) => part(record)).filter((part) => part !== null)
    return texts.length === 0 ? null : first === undefined ? texts.join(between) : (texts[0] ?? null)
  }
  const found = match === undefined ? null : new RegExp(match, patternFlags)
  const choices = cases?.map(([one, meaning]) => [new RegExp(one, patternFlags), meaning] as const) ?? []
  return (record) => {
    let result = read(record)
    if (result === null) return null
    if (found !== null) {
      const groups = found.exec(result)
      result = groups === null ? null : (groups[1] ?? groups[0]).trim() || null
      if (result === null) return null
    }
    if (pad !== undefined) result = padDigits(result, pad)
    const matched = result
    const choice = choices.find(([one]) => one.test(matched))
    if (choice !== undefined) result = choice[1]
    return result === null || before === undefined ? result : before + result
  }
}

function dropEmpty(text: string | undefined, empty: ReadonlySet<string>): string | null {
  return text === undefined || text === '' || empty.has(text.toLowerCase()) ? null : text
}

/** Pads the digits at the end: `SC95237` to `SC095237`. */
function padDigits(text: string, length: number): string {
  const closed = text.toUpperCase().replace(/\s+/g, '')
  const [, prefix = '', digits = ''] = /^([A-Z]*)(\d+)$/.exec(closed) ?? []
  return digits === '' ? text : prefix + digits.padStart(length - prefix.length, '0')
}

const textFields = [
  'number',
  'name',
  'type',
  'form',
  'status',
  'formedOn',
  'endedOn',
  'street',
  'city',
  'region',
  'postalCode',
  'country',
  'address',
  'website',
  'lei',
  'jurisdiction',
  'authority',
] as const

const compileFormerNames = ({ columns }: SourceTable, compile: (text: Text) => TextReader) =>
  (columns?.formerNames ?? []).map((one) =>
    isDated(one)
      ? { name: compile(one.name), ended: compile(one.ended) }
      : { name: compile(one), ended: () => null },
  )

const compileEmpty = ({ empty = [] }: SourceTable): ReadonlySet<string> =>
  new Set(empty.map((text) => text.toLowerCase()))

export const mappedDates = ['formedOn', 'endedOn', 'formerNames'] as const
type MappedDate = (typeof mappedDates)[number]

interface DateLook {
  look(cells: Iterable<readonly [column: string, text: string | null]>): void
}

/** Prepares a look at the dates of rows; `null` for a table without dates. Its items have nothing. */
export function createDateScout(table: SourceTable, finder: DateLook): RowReader | null {
  const empty = compileEmpty(table)
  const { formedOn, endedOn } = table.columns ?? {}
  const single = Object.entries({ formedOn, endedOn }).flatMap(([field, text]) =>
    text === undefined ? [] : [[field, compileText(text, empty)] as const],
  )
  const former = (table.columns?.formerNames ?? []).filter(isDated)
  const ended = former.map((one) => ['formerNames', compileText(one.ended, empty)] as const)
  const dates = [...single, ...ended]
  if (dates.length === 0) return null
  return (record, line) => {
    finder.look(dates.map(([field, read]) => [field, read(record)]))
    return { kind: 'skipped', line, why: 'excluded' }
  }
}

/** Prepares the reading of the rows of a table as its columns say. `dates`: order of day and month by field. */
export function createRowReader(
  source: RegisterSource,
  table: SourceTable,
  dates: Readonly<Partial<Record<MappedDate, DateOrder>>> = {},
): RowReader {
  const { columns } = table
  if (columns === undefined) throw new Error(`a table of ${source.id} has no columns`)
  const empty = compileEmpty(table)
  const compile = (text: Text | undefined): TextReader =>
    text === undefined ? () => null : compileText(text, empty)
  const compileList = (texts: readonly Text[] = []) => {
    const readers = texts.map((text) => {
      const reader = compile(text)
      // A column of JSON may have several values.
      return typeof text === 'string'
        ? (record: MappedRecord) => record(text).filter((one) => dropEmpty(one, empty) !== null)
        : (record: MappedRecord) => [reader(record)].filter((one) => one !== null)
    })
    return (record: MappedRecord) => readers.flatMap((reader) => reader(record))
  }
  const compileFilter = ({ text, match }: { text: Text; match: string }) => {
    const reader = compile(text)
    const found = new RegExp(match, patternFlags)
    return (record: MappedRecord) => found.test(reader(record) ?? '')
  }
  const keep = (table.keep ?? []).map(compileFilter)
  const drop = (table.drop ?? []).map(compileFilter)
  const isFormer = table.formerName === undefined ? () => false : compileFilter(table.formerName)
  const former = compileFormerNames(table, compile)
  const fields = Object.fromEntries(textFields.map((key) => [key, compile(columns[key])])) as Readonly<
    Record<(typeof textFields)[number], TextReader>
  >
  const readOthers = compileList(columns.otherNames)
  const readNumbers = compileList(columns.otherNumbers)
  const readCodes = compileList(columns.industry?.codes)
  const numberForm = table.numberForm === undefined ? null : new RegExp(table.numberForm, patternFlags)
  const home = source.country === '*' ? null : source.country
  const place = source.jurisdiction ?? home?.toLowerCase() ?? null

  return (record, line) => {
    if (drop.some((matches) => matches(record)) || !keep.every((matches) => matches(record)))
      return { kind: 'skipped', line, why: 'excluded' }
    const stated = fields.number(record)
    if (stated === null) return { kind: 'rejected', line, reason: 'it has no number' }
    if (numberForm !== null && !numberForm.test(stated)) {
      return {
        kind: 'rejected',
        line,
        reason: `its company number "${stated.slice(0, 40)}" does not have the form of one`,
      }
    }
    const jurisdiction = fields.jurisdiction(record) ?? place
    const toOfficial = (number: string) =>
      (jurisdiction === null ? null : toNationalNumber(jurisdiction, number)) ?? number
    const number = toOfficial(stated)
    const name = fields.name(record)
    if (name !== null && isFormer(record)) {
      const key = `registration_id:${jurisdiction ?? ''}:${number.toUpperCase()}`
      const added = buildAddedRow(line, key, { names: [{ kind: 'former', name }] })
      return { kind: 'addition', line, rows: [added], dropped: [] }
    }
    const typeText = fields.type(record)
    const type = typeText === null ? null : entityType.catch('business').parse(typeText)
    const codes = readCodes(record)
    const dropped: string[] = []
    const ends = { what: 'end date', order: dates.endedOn, place: jurisdiction }
    const ended = readDay(fields.endedOn(record), ends, dropped)
    const lei = fields.lei(record)
    const read = checkDraft(
      {
        idType: 'registration_id',
        id: number,
        name: table.adds ? (name ?? number) : name,
        otherNames: readOthers(record),
        formerNames: former.map((one) => ({
          name: one.name(record) ?? '',
          endedOn: parseDate(one.ended(record), dates.formerNames),
        })),
        type,
        subtype: usualSubtype[type ?? 'business'],
        status: fields.status(record) ?? (ended === null ? null : 'inactive'),
        legalForm: fields.form(record),
        country: fields.country(record) ?? home,
        jurisdiction,
        registrationAuthority:
          columns.authority === undefined ? (source.authority ?? null) : fields.authority(record),
        identifiers: [
          ...readNumbers(record).map((text) => ({
            type: 'registration_id' as const,
            text: toOfficial(text),
          })),
          ...(lei === null ? [] : [{ type: 'lei' as const, text: lei }]),
        ],
        address: {
          street: fields.street(record),
          city: fields.city(record),
          region: fields.region(record),
          postalCode: fields.postalCode(record),
          formatted: fields.address(record),
        },
        website: fields.website(record),
        industryCodes: codes.length === 0 ? null : `${columns.industry?.scheme ?? ''}:${codes.join(' ')}`,
        formedOn: fields.formedOn(record),
        formedOrder: dates.formedOn,
        sourceUrl: source.record?.replace('{number}', encodeURIComponent(number)) ?? null,
      },
      line,
      dropped,
    )
    if (!table.adds || read.row === null) return { kind: 'registration', line, read, statedOn: null }
    return { kind: 'addition', line, rows: [toAddition(read.row, name)], dropped: read.dropped }
  }
}

/** A row of a table that adds to another one names no registration. */
function toAddition(row: StatedRow, name: string | null): StatedRow {
  return {
    ...row,
    legalName: null,
    names: row.names
      .filter(({ kind }) => kind !== 'legal')
      .concat(name === null ? [] : [{ kind: 'other', name }]),
  }
}

/** Returns the texts at a path such as `names[type=1,endDate!=].name`. Lists are read element by element. */
export function readPath(value: unknown, path: string): string[] {
  let found: unknown[] = [value]
  for (const [, key = '', conditions] of path.matchAll(/([^.[\]]+)(?:\[([^\]]*)\])?/g)) {
    found = found
      .map((one) =>
        typeof one === 'object' && one !== null ? (one as Record<string, unknown>)[key] : undefined,
      )
      .flat()
      .filter((one) => one !== undefined && one !== null)
    if (conditions !== undefined) found = found.filter((one) => meets(one, conditions))
  }
  return found.flatMap((one) => {
    const text = typeof one === 'string' || typeof one === 'number' ? String(one).trim() : ''
    return text === '' ? [] : [text]
  })
}

function meets(value: unknown, conditions: string): boolean {
  return conditions.split(',').every((condition) => {
    const [, key = '', operator, wanted = ''] = /^([^!=]*)(!?=)(.*)$/.exec(condition) ?? []
    return ((readPath(value, key)[0] ?? '') === wanted) === (operator === '=')
  })
}

/**
 * Checks that the column mapped to `type` has entity types: kinds of other files ("FUND", "operating") would make
 * companies of unknown type, which no answer may name. Single wrong values are dropped; if at least half of the
 * cells are wrong, the check throws.
 */
export function createTypeCheck(): {
  look(cells: readonly string[], column: number | undefined): void
  check(name: string): void
} {
  let soundCount = 0
  let otherCount = 0
  const other = new Set<string>()
  return {
    look(cells, column) {
      if (column === undefined) return
      const text = (cells[column] ?? '').trim()
      if (text === '') return
      const type = entityType.safeParse(toCode(text))
      if (type.success) soundCount++
      else otherCount++
      if (!type.success && other.size < othersMax) other.add(text)
    },
    check(name) {
      if (otherCount === 0 || otherCount < soundCount) return
      const shown = [...other].slice(0, shownMax).map((text) => `"${text.slice(0, 30)}"`)
      throw new UserError(
        'REGISTRY_IMPORT_INVALID',
        `column ${name} is mapped to type and holds ${shown.join(', ')}${other.size > shownMax ? ', …' : ''}`,
        {
          hint: `type takes ${entityType.options.join(', ')}; leave it out of --map to import the rows as companies`,
        },
      )
    },
  }
}

const othersMax = 100
const shownMax = 5

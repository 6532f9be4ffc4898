import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { listJsonMembers, unquote } from '../../src/core/json.js'
import { openDuckDb } from '../../src/parquet/duckdb.js'
import { quoteSqlName, quoteSqlText } from '../../src/core/text.js'
import { loadDriver } from '../../src/platform/sqlite.js'
import { openInput } from '../../src/pipeline/input/input.js'

/** Rows by `id`, with the text of each cell by column. Read by other programs than ours, but for Excel. */
export type Rows = ReadonlyMap<number, ReadonlyMap<string, string | null>>

const byId = (header: readonly string[], rows: Iterable<readonly (string | null)[]>): Rows => {
  const found = new Map<number, Map<string, string | null>>()
  for (const row of rows) {
    const cells = new Map(header.map((name, index) => [name, row[index] ?? null]))
    found.set(Number(cells.get('id')), cells)
  }
  return found
}

export function readCsv(path: string): Rows {
  const [header = [], ...rows] = parse(readFileSync(path, 'utf8'), { relax_column_count: true })
  return byId(header, rows)
}

export function readNdjson(path: string): Rows {
  const rows = new Map<number, Map<string, string | null>>()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue
    JSON.parse(line)
    const cells = new Map<string, string | null>()
    for (const { key, raw } of listJsonMembers(line))
      cells.set(key, raw === 'null' ? null : raw.startsWith('"') ? unquote(raw) : raw)
    rows.set(Number(cells.get('id')), cells)
  }
  return rows
}

export async function readXlsx(path: string, folder: string): Promise<Rows> {
  const input = await openInput({ paths: [path], spoolFolder: folder })
  try {
    const rows: (readonly (string | null)[])[] = []
    for await (const batch of input.rows.texts()) rows.push(...batch)
    return byId(input.columns, rows)
  } finally {
    await input.close()
  }
}

/** `relation` in SQL; `attach`: a file of DuckDB. */
export async function readDuckDb(relation: string, attach: string | null = null): Promise<Rows> {
  const duckDb = await openDuckDb(null)
  try {
    if (attach !== null) await duckDb.run(`ATTACH ${quoteSqlText(attach)} AS f (READ_ONLY); USE f`)
    const described = await duckDb.all(
      `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${relation})`,
    )
    const cells = described.map(([name, type]) => {
      const cell = quoteSqlName(String(name))
      if (type === 'BLOB') return `'\\x' || lower(hex(${cell}))`
      return /^(STRUCT|MAP)\(|\]$/.test(String(type)) ? `to_json(${cell})::VARCHAR` : `${cell}::VARCHAR`
    })
    const rows = await duckDb.all(
      `SELECT to_json([${cells.join(', ')}]::VARCHAR[])::VARCHAR FROM ${relation}`,
    )
    return byId(
      described.map(([name]) => String(name)),
      rows.map(([text]) => JSON.parse(String(text)) as (string | null)[]),
    )
  } finally {
    duckDb.close()
  }
}

export function readSqlite(path: string, table: string): Rows {
  const Database = loadDriver()
  const database = new Database(path, { readonly: true })
  try {
    const statement = database.prepare(`SELECT * FROM ${table}`).safeIntegers(true).raw(true)
    const toText = (value: unknown) => {
      if (value === null || typeof value === 'string') return value
      if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
      return Object.is(value, -0) ? '-0' : `${value as bigint | number}`
    }
    return byId(
      statement.columns().map(({ name }) => name),
      (statement.all() as unknown[][]).map((row) => row.map(toText)),
    )
  } finally {
    database.close()
  }
}

/** Rows that psql prints at once. */
const pageRows = 250

export function readPostgres(sql: (text: string) => string, table: string): Rows {
  const columns = JSON.parse(
    sql(
      `SELECT json_agg(json_build_array(attname, format_type(atttypid, atttypmod)) ORDER BY attnum) FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped`,
    ),
  ) as [string, string][]
  const cells = columns.map(([name, type]) => {
    const cell = quoteSqlName(name)
    // A cast to text removes the spaces at the end.
    if (type.startsWith('character(')) return `CASE WHEN ${cell} IS NOT NULL THEN format('%s', ${cell}) END`
    return type.endsWith('[]') ? `to_json(${cell})::text` : `${cell}::text`
  })
  const rows: (string | null)[][] = []
  for (let page: typeof rows = [[]], first = 0; page.length > 0; first += pageRows) {
    page = JSON.parse(
      sql(
        `SET timezone = 'UTC'; SELECT coalesce(json_agg(to_json(ARRAY[${cells.join(', ')}])), '[]') FROM ${table} WHERE id::text::integer BETWEEN ${first} AND ${first + pageRows - 1}`,
      ).replace(/^SET\n/, ''),
    ) as typeof rows
    rows.push(...page)
  }
  return byId(
    columns.map(([name]) => name),
    rows,
  )
}

/** Returns whether two texts stand for the same value, in the notations of databases and files. */
export function isSameValue(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return isEmpty(one) && isEmpty(other)
  const forms = listForms(other)
  return listForms(one).some((form) => forms.includes(form))
}

/** NULL, empty texts and bytes, and JSON's null: not all files distinguish them. */
const isEmpty = (text: string | null): boolean => text === null || /^(\\x|null)?$/.test(text)

function listForms(text: string): string[] {
  const forms = [text]
  const lower = text.toLowerCase()
  if (/^(t|true)$/.test(lower)) forms.push('true', '1')
  if (/^(f|false)$/.test(lower)) forms.push('false', '0')
  if (/^[+-]?(inf|infinity)$/.test(lower)) forms.push(lower.startsWith('-') ? '-inf' : 'inf')
  if (lower === 'nan') forms.push('nan')
  const number = toExactNumber(text)
  if (number !== null)
    forms.push(`number ${number}`, `double ${Number(text)}`, `float ${Math.fround(Number(text))}`)
  const day = toDay(text)
  if (day !== null) forms.push(day)
  if (text.includes('\\x')) forms.push(...listByteForms(text))
  if (/^[[{"]/.test(text)) {
    try {
      const value: unknown = normalizeJson(JSON.parse(text.replace(jsonToken, quoteNumber)))
      forms.push(typeof value === 'string' ? value : JSON.stringify(value))
    } catch {
      // Not JSON.
    }
  }
  return forms
}

/** Strings, and numbers, also those that JSON does not have. */
const jsonToken = /"(?:[^"\\]|\\.)*"|-?(?:Infinity|NaN|\d[\d.eE+-]*)/g

const quoteNumber = (token: string): string => (token.startsWith('"') ? token : `"${token}"`)

/** The texts of bytes in the notations of PostgreSQL and DuckDB. */
function listByteForms(text: string): string[] {
  const escapes = text.replace(/\\x([0-9A-Fa-f]{2})/g, (_all, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
  const isHex = /^\\x([0-9a-f]{2})*$/.test(text)
  const readings = isHex ? [Buffer.from(text.slice(2), 'hex')] : []
  if (/^[\0-\xff]*$/.test(escapes)) readings.push(Buffer.from(escapes, 'latin1'))
  return readings.map((bytes) => {
    const decoded = bytes.toString('utf8')
    return Buffer.from(decoded).equals(bytes) ? decoded : `bytes ${bytes.toString('hex')}`
  })
}

function toExactNumber(text: string): string | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  if (sign === undefined) return null
  const digits = (whole + fraction).replace(/^0+/, '')
  const trimmed = digits.replace(/0+$/, '')
  const scale = Number(exponent) - fraction.length + digits.length - trimmed.length
  return trimmed === '' ? `${sign}0` : `${sign}${trimmed}e${scale}`
}

/** Dates and times without their notation. */
function toDay(text: string): string | null {
  const match =
    /^(-?\d{4,6}-\d\d-\d\d)?( ?\(BC\))?[T ]?(\d\d:\d\d:\d\d)?(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?( BC)?$/.exec(
      text,
    )
  if (match === null || (match[1] === undefined && match[3] === undefined)) return null
  const [, day = '', before, time = '00:00:00', fraction = '', zone = '', after] = match
  const offset = /^(Z|[+-]00(:?00)?)$/.test(zone) ? '' : zone.replace(':', '')
  const isBefore = before !== undefined || after !== undefined
  return `day ${day} ${time} ${fraction.replace(/0+$/, '')} ${offset} ${isBefore ? 'BC' : ''}`
}

function normalizeJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeJson)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .sort()
        .map(([key, own]) => [key, normalizeJson(own)]),
    )
  if (value === null) return null
  const text = `${value as string | number | boolean}`
  const forms = listForms(text)
  return (
    forms.find((form) => /^(number|day|nan$|-?inf$)/.test(form)) ??
    (text.includes('\\x') ? listByteForms(text)[0] : undefined) ??
    text
  )
}

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDuckDb } from '../../src/parquet/duckdb.js'
import { quoteSqlName, quoteSqlText } from '../../src/core/text.js'
import { loadDriver } from '../../src/platform/sqlite.js'
import { childrenVariable } from '../support/child-process.js'
import { CommandHost } from '../support/command-host.js'
import { writeXlsx } from '../support/xlsx-file.js'
import {
  isSameValue,
  readCsv,
  readDuckDb,
  readNdjson,
  readPostgres,
  readSqlite,
  readXlsx,
  type Rows,
} from './cells.js'
import {
  csvColumns,
  duckDbColumns,
  duckDbOnlyColumns,
  ndjsonColumns,
  postgresColumns,
  postgresSetup,
  sqliteColumns,
  type TypedColumn,
} from './sources.js'

const mainPath = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** `null` for a part of the matrix without PostgreSQL. */
export interface Server {
  readonly url: () => string
  readonly sql: (text: string) => string
}

export const kinds = ['csv', 'ndjson', 'xlsx', 'parquet', 'postgres', 'sqlite', 'duckdb'] as const
export type Kind = (typeof kinds)[number]

/** How the special values are spread over the rows. */
export const patterns = ['cycle', 'late', 'runs'] as const
type Pattern = (typeof patterns)[number]

export const rowCounts = [1, 2, 100, 300, 2047, 2048, 2049, 4097, 5000] as const

type Outcome = 'kept' | 'notice' | 'refused' | 'CHANGED' | `DIED by ${string}`

export interface Trial {
  readonly source: Kind
  readonly target: Kind
  readonly rowCount: number
  readonly pattern: Pattern
}

export interface ColumnOutcome extends Trial {
  readonly column: string
  readonly type: string
  readonly outcome: Outcome
  readonly detail: string
}

const columnsOf: Readonly<Record<Kind, readonly TypedColumn[]>> = {
  csv: csvColumns,
  ndjson: ndjsonColumns,
  xlsx: csvColumns,
  parquet: duckDbColumns,
  postgres: postgresColumns,
  sqlite: sqliteColumns,
  duckdb: [...duckDbColumns, ...duckDbOnlyColumns],
}

/** Index of the special values of a row; null for a row without values. */
function chooseValue(row: number, valueCount: number, { rowCount, pattern }: Trial): number | null {
  const toIndex = (index: number) =>
    index % (valueCount + 1) === valueCount ? null : index % (valueCount + 1)
  if (pattern === 'cycle') return toIndex(row)
  if (pattern === 'late') return row < rowCount - valueCount ? null : toIndex(row - (rowCount - valueCount))
  return toIndex(Math.floor(row / Math.ceil(rowCount / (valueCount + 1))))
}

/** Runs the real command; columns are halved until one alone is refused, or ends the process. */
export async function tryTypes(trial: Trial, server: Server | null): Promise<readonly ColumnOutcome[]> {
  const isExpected = ({ refusedBy = [] }: TypedColumn) => !refusedBy.includes(trial.target)
  const all = columnsOf[trial.source]
  const folder = mkdtempSync(join(tmpdir(), 'types-'))
  try {
    const outcomes = await tryColumns(trial, all.filter(isExpected), server, folder)
    for (const column of all.filter((one) => !isExpected(one)))
      outcomes.push(...(await tryColumns(trial, [column], server, folder)))
    return outcomes
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

let placeCount = 0

async function tryColumns(
  trial: Trial,
  columns: readonly TypedColumn[],
  server: Server | null,
  parent: string,
): Promise<ColumnOutcome[]> {
  const number = placeCount++
  const place: Place = { folder: join(parent, String(number)), table: `t${process.pid}_${number}`, server }
  mkdirSync(place.folder)
  const valueCount = Math.max(...columns.map(({ values }) => values.length))
  const indexes = Array.from({ length: trial.rowCount }, (_, row) => chooseValue(row, valueCount, trial))
  const { address, rows } = await createSource(trial.source, columns, indexes, place)
  const output = getTarget(trial.target, place)
  const ended = await runCommand([address, '-o', output, '--columns', 'status'], place.folder)
  const describe = (outcome: Outcome, detail: string) =>
    columns.map(({ name, type }) => ({ ...trial, column: name, type, outcome, detail }))
  if (ended.signal !== null || ended.code !== 0) {
    const half = Math.ceil(columns.length / 2)
    if (columns.length > 1)
      return [
        ...(await tryColumns(trial, columns.slice(0, half), server, parent)),
        ...(await tryColumns(trial, columns.slice(half), server, parent)),
      ]
    if (ended.signal !== null) return describe(`DIED by ${ended.signal}`, ended.stderr)
    // Before the first submission.
    return describe(ended.code === 2 ? 'refused' : 'CHANGED', ended.stderr)
  }
  const written = await readTarget(trial.target, output, place)
  return columns.map((column) => {
    const changed = findChange(column.name, rows, written, trial.rowCount)
    const isTold = ended.stderr
      .split('\n')
      .some((line) => /lost|instead|as text|numbers/.test(line) && line.includes(column.name))
    const outcome = changed === null ? 'kept' : isTold ? 'notice' : 'CHANGED'
    return { ...trial, column: column.name, type: column.type, outcome, detail: changed ?? '' }
  })
}

function findChange(name: string, rows: Rows, written: Rows, rowCount: number): string | null {
  if (written.size !== rowCount || rows.size !== rowCount) return `${rows.size} rows became ${written.size}`
  for (const [id, cells] of rows) {
    const [before, after] = [cells.get(name) ?? null, written.get(id)?.get(name) ?? null]
    if (!isSameValue(before, after))
      return `row ${id}: ${JSON.stringify(before)} became ${JSON.stringify(after)}`
  }
  return null
}

interface Place {
  readonly folder: string
  readonly table: string
  readonly server: Server | null
}

function requireServer({ server }: Place): Server {
  if (server === null) throw new Error('this trial needs PostgreSQL')
  return server
}

/** Creates the input: `id`, `company_name` and the columns, with the values of `indexes`. Returns its own cells. */
async function createSource(
  kind: Kind,
  columns: readonly TypedColumn[],
  indexes: readonly (number | null)[],
  place: Place,
): Promise<{ readonly address: string; readonly rows: Rows }> {
  const { folder, table } = place
  const path = join(folder, `in.${kind === 'duckdb' || kind === 'sqlite' ? 'db' : kind}`)
  const valueCount = Math.max(...columns.map(({ values }) => values.length))
  const getValue = ({ values }: TypedColumn, index: number | null) =>
    index === null || values.length === 0 ? null : (values[index % values.length] ?? null)
  const baseRows = [...Array.from({ length: valueCount }, (_, index) => index), null]
  const header = ['id', 'company_name', ...columns.map(({ name }) => name)]
  const definitions = columns.map(({ name, type }) => `${quoteSqlName(name)} ${type}`)
  const statements = [
    `CREATE TABLE base (k integer, ${definitions.join(', ')})`,
    ...baseRows.map(
      (index) =>
        `INSERT INTO base VALUES (${[String(index ?? -1), ...columns.map((one) => getValue(one, index) ?? 'NULL')].join(', ')})`,
    ),
    'CREATE TABLE numbers (id integer, k integer)',
    `INSERT INTO numbers VALUES ${indexes.map((index, id) => `(${id}, ${index ?? -1})`).join(', ')}`,
    `CREATE TABLE ${table} (id integer, company_name varchar(20), ${definitions.join(', ')})`,
    `INSERT INTO ${table} SELECT numbers.id, 'Apple', ${columns.map(({ name }) => `base.${quoteSqlName(name)}`).join(', ')} FROM numbers JOIN base ON base.k = numbers.k ORDER BY numbers.id`,
    'DROP TABLE numbers',
    'DROP TABLE base',
  ]
  switch (kind) {
    case 'csv': {
      const toCell = (text: string | null) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)
      const lines = indexes.map((index, id) =>
        [String(id), 'Apple', ...columns.map((one) => toCell(getValue(one, index)))].join(','),
      )
      writeFileSync(path, `${[header.join(','), ...lines].join('\n')}\n`)
      return { address: path, rows: readCsv(path) }
    }
    case 'ndjson': {
      const lines = indexes.map((index, id) => {
        const members = columns.map((one) => `${JSON.stringify(one.name)}:${getValue(one, index) ?? 'null'}`)
        return `{"id":${id},"company_name":"Apple",${members.join(',')}}`
      })
      writeFileSync(path, `${lines.join('\n')}\n`)
      return { address: path, rows: readNdjson(path) }
    }
    case 'xlsx': {
      const escape = (text: string) =>
        text
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('\t', '&#9;')
          .replaceAll('\n', '&#10;')
      const toRow = (cells: readonly (string | null)[]) =>
        `<row>${cells.map((text) => (text === null ? '<c/>' : `<c t="inlineStr"><is><t xml:space="preserve">${escape(text)}</t></is></c>`)).join('')}</row>`
      const lines = indexes.map((index, id) =>
        toRow([String(id), 'Apple', ...columns.map((one) => getValue(one, index))]),
      )
      writeXlsx(folder, 'in.xlsx', { sheets: [{ name: 'rows', rows: [toRow(header), ...lines].join('') }] })
      const rows = indexes.map(
        (index, id) =>
          [
            id,
            new Map([
              ['id', String(id)] as const,
              ...columns.map((one) => [one.name, getValue(one, index)] as const),
            ]),
          ] as const,
      )
      return { address: path, rows: new Map(rows) }
    }
    case 'parquet':
    case 'duckdb': {
      const duckDb = await openDuckDb(null)
      try {
        if (kind === 'duckdb') await duckDb.run(`ATTACH ${quoteSqlText(path)} AS f; USE f`)
        for (const statement of statements) await duckDb.run(statement)
        if (kind === 'parquet') await duckDb.run(`COPY ${table} TO ${quoteSqlText(path)} (FORMAT parquet)`)
      } finally {
        duckDb.close()
      }
      return kind === 'duckdb'
        ? { address: `duckdb:${path}#${table}`, rows: await readDuckDb(table, path) }
        : { address: path, rows: await readDuckDb(quoteSqlText(path)) }
    }
    case 'sqlite': {
      const Database = loadDriver()
      const database = new Database(path)
      for (const statement of statements) database.exec(statement)
      database.close()
      return { address: `sqlite:${path}#${table}`, rows: readSqlite(path, table) }
    }
    case 'postgres': {
      const server = requireServer(place)
      // Its own schema, since several trials run at the same time.
      const schema = `of_${table}`
      server.sql(
        [`CREATE SCHEMA ${schema}`, `SET search_path = ${schema}`, postgresSetup, ...statements, ''].join(
          ';\n',
        ),
      )
      const name = `${schema}.${table}`
      return { address: `${server.url()}#${name}`, rows: readPostgres((text) => server.sql(text), name) }
    }
  }
}

function getTarget(kind: Kind, place: Place): string {
  const path = join(place.folder, `out.${kind}`)
  if (kind === 'postgres') return `${requireServer(place).url()}#${place.table}`
  return kind === 'sqlite' || kind === 'duckdb' ? `${kind}:${path}#out` : path
}

async function readTarget(kind: Kind, output: string, place: Place): Promise<Rows> {
  const path = join(place.folder, `out.${kind}`)
  switch (kind) {
    case 'csv':
      return readCsv(output)
    case 'ndjson':
      return readNdjson(output)
    case 'xlsx':
      return readXlsx(output, place.folder)
    case 'parquet':
      return readDuckDb(quoteSqlText(output))
    case 'postgres':
      return readPostgres((text) => requireServer(place).sql(text), place.table)
    case 'sqlite':
      return readSqlite(path, 'out')
    case 'duckdb':
      return readDuckDb('out', path)
  }
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

const host = new CommandHost(fileURLToPath(new URL('../../dist/cli/program.js', import.meta.url)))

/**
 * The checkpoint is in the folder, so nothing is left elsewhere. In the tests, one at a time runs in their process for
 * commands; what ends that one is run again in a process of its own, which tells the signal.
 */
async function runCommand(args: readonly string[], folder: string): Promise<Ended> {
  const { PATH = '', XDG_CACHE_HOME = folder, NODE_COMPILE_CACHE = folder } = process.env
  if (process.env[childrenVariable] !== undefined) {
    const environment = { PATH, XDG_CACHE_HOME, XDG_STATE_HOME: folder, TMPDIR: folder }
    const hosted = await host.run({ folder, environment, args, stdin: '' }).catch(() => null)
    if (hosted !== null) return { ...hosted, signal: null }
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [mainPath, ...args], {
      cwd: folder,
      env: { PATH, XDG_CACHE_HOME, NODE_COMPILE_CACHE, XDG_STATE_HOME: folder, TMPDIR: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      resolve({ code, signal, stderr })
    })
  })
}

import { UserError, type ErrorCode } from '../../core/errors.js'
import { formatPostgresUrl } from '../../core/server-addresses.js'
import { quoteSqlName } from '../../core/text.js'
import type { StatementError } from '../../platform/postgres/postgres.js'
import { describeRefusal } from '../../platform/postgres/refusals.js'
import type { PostgresSession } from '../../platform/postgres/session.js'
import type { TableName, Target, TargetOptions } from '../connector.js'
import { buildMarkStatements, createMarks } from './file-database.js'
import {
  buildFileRelation,
  describeColumns,
  formatList,
  readFileColumns,
  withDuckDb,
} from './local-parquet.js'
import { commit, listPostgresPlaces, parseDatabase, withSession } from './postgres-access.js'
import {
  assertNamesFit,
  assertNotOurs,
  assertWritable,
  buildActions,
  planPostgresTable,
  resolveTypes,
  assertNameFits,
  findTable,
  listColumns,
  listDependents,
  textSettings,
  type PostgresPlan,
  type FoundTable,
} from './postgres-plan.js'
import { assertNoNul, sendRows } from './postgres-rows.js'
import {
  formatTable,
  parseTargetAddress,
  quoteTable,
  announceRemoval,
  buildDefinition,
  hasColumnChanges,
  type WantedColumn,
} from './table-names.js'

/** A temporary table, which ends with its transaction. */
const stage = 'pg_temp.enrich_stage'

/** Longest wait for a lock on the table. During that of a trial, readers wait behind it. */
const [lockTimeoutMs, trialLockTimeoutMs] = [60_000, 500]

/**
 * Opens a table of PostgreSQL to write rows into. Everything is one transaction: a killed run leaves nothing behind. A
 * table is replaced in place, by DELETE and COPY: its indexes, grants, comments, views, policies and triggers stay,
 * and readers are only blocked if columns change. TRUNCATE would block readers, and older snapshots would see an empty
 * table. VACUUM frees the space of deleted rows. Throws ADDRESS_INVALID, ADDRESS_HAS_SECRET and USAGE_INVALID.
 */
export function openPostgresTarget(address: string, options: TargetOptions): Target {
  // Before the table, since the rest of a password with # would be taken for its name.
  const parsed = parseDatabase(address.split('#', 1)[0] ?? '', 'output')
  const { table } = parseTargetAddress(address, options)
  assertNameFits(table)
  const label = `${formatPostgresUrl(parsed)}#${formatTable(table)}`
  const { markTable = null } = options
  const markName = markTable === null ? null : quoteTable({ schema: table.schema, name: markTable })
  let exists = false
  const withTransaction = <Result>(work: (session: PostgresSession) => Promise<Result>): Promise<Result> =>
    withSession(
      { address: parsed, use: 'output', options },
      async (session) => {
        await session.query(`BEGIN; ${textSettings}; SET LOCAL lock_timeout = ${lockTimeoutMs}`)
        return work(session)
      },
      (error) => explainRefusal(error, label, exists),
    )
  const withFile = async (
    path: string,
    work: (writer: TableWriter, session: PostgresSession, found: FoundTable | null) => Promise<unknown>,
  ): Promise<void> => {
    const columns = await withDuckDb(`${path}.duckdb`, options, (duckDb) =>
      readFileColumns(duckDb, path, 'postgres', options),
    )
    assertNamesFit(columns)
    await withTransaction(async (session) => {
      const found = await findTable(session, table)
      exists = found !== null
      const wanted = await resolveTypes(session, columns)
      await work(new TableWriter(session, options, { path, columns: wanted }, label), session, found)
    })
  }
  const writeMark = async (session: PostgresSession, mark: string | undefined): Promise<boolean> => {
    if (markName === null || mark === undefined) return true
    const [row] = await session.query(
      `SELECT has_schema_privilege(coalesce($1, current_schema()::text), 'CREATE') AS allowed`,
      [table.schema],
    )
    if (row?.allowed !== 't') return false
    for (const statement of buildMarkStatements(markName, mark)) await session.query(statement)
    return true
  }
  return {
    listPlaces: () =>
      withTransaction(async (session) => {
        const found = await findTable(session, table)
        return listPostgresPlaces(session, parsed, { found, table })
      }),
    tryWriting: async (samplePath, inputPaths = []) => {
      await withFile(samplePath, async (writer, session, found) => {
        writer.reportUnknownTypes()
        // The rows of a killed run may be in the table.
        const isMarked = markName !== null && (await readMark(session, markName, quoteTable(table))) !== null
        if (found === null) await writer.create(table)
        else await writer.try(found, isMarked)
        if (!(await writeMark(session, ''))) {
          options.notice(
            `The role may not create tables next to ${label}: if a run is killed just after it appended its rows, the next one appends them again. GRANT CREATE ON SCHEMA prevents that`,
          )
        }
        await session.query('ROLLBACK')
      })
      await withDuckDb(`${samplePath}.duckdb`, options, async (duckDb) => {
        for (const path of inputPaths) {
          const relation = buildFileRelation(path)
          await assertNoNul(duckDb, relation, await describeColumns(duckDb, relation))
        }
      })
    },
    publish: (path, mark) =>
      withFile(path, async (writer, session, found) => {
        await (found === null ? writer.create(table) : writer.write(found))
        await writeMark(session, mark)
        await commit(session)
      }),
    marks:
      markName === null
        ? undefined
        : createMarks(
            markName,
            () => withTransaction((session) => readMark(session, markName, quoteTable(table))),
            (sql) =>
              withTransaction(async (session) => {
                await session.query(`${sql}; COMMIT`)
              }),
          ),
    close: () => Promise.resolve(),
  }
}

/** Without its table, a mark has no meaning. */
async function readMark(session: PostgresSession, mark: string, table: string): Promise<string | null> {
  const [found] = await session.query(
    'SELECT (pg_catalog.to_regclass($1) IS NULL OR pg_catalog.to_regclass($2) IS NULL) AS missing',
    [mark, table],
  )
  const [row] = found?.missing === 't' ? [] : await session.query(`SELECT mark FROM ${mark}`)
  return row?.mark ?? null
}

interface FileToWrite {
  readonly path: string
  readonly columns: readonly WantedColumn[]
}

/** Writes a file in an open transaction. */
class TableWriter {
  constructor(
    private readonly session: PostgresSession,
    private readonly options: TargetOptions,
    private readonly file: FileToWrite,
    private readonly label: string,
  ) {}

  reportUnknownTypes(): void {
    const unknown = this.file.columns.filter(
      ({ originalType, wantedType }) => ![null, wantedType].includes(originalType),
    )
    if (unknown.length === 0) return
    const names = formatList(unknown.map(({ name, originalType }) => `${name} (${originalType ?? ''})`))
    this.options.notice(
      `The server of the output has no such type, so the type of new columns changes: ${names}`,
    )
  }

  async create({ schema: wanted, name }: TableName): Promise<void> {
    const { session, file } = this
    const schema = await this.#findSchema(wanted)
    await assertNotOurs(session, schema)
    const table = quoteTable({ schema, name })
    await session.query(`CREATE TABLE ${table} (${file.columns.map(buildDefinition).join(', ')})`)
    await this.#send(table, file.columns, true)
  }

  async #findSchema(wanted: string | null): Promise<string> {
    const [row] = await this.session.query(
      'SELECT coalesce((SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname = $1), CASE WHEN $1::text IS NULL THEN current_schema() END) AS name',
      [wanted],
    )
    if (row?.name) return row.name
    throw new UserError(
      'OUTPUT_UNWRITABLE',
      `${this.label}: there is no schema ${wanted ?? 'in the search path'}`,
      { hint: `run CREATE SCHEMA ${quoteSqlName(wanted ?? 'public')}, or name another one` },
    )
  }

  async #plan(table: FoundTable, isTrial: boolean): Promise<PostgresPlan> {
    const { session, options, label } = this
    const plan = planPostgresTable(options, this.file.columns, await listColumns(session, table))
    await assertNotOurs(session, table.schema)
    await assertWritable(session, table, plan, options.mode)
    const listLost = () => listDependents(session, table, plan.removed)
    await announceRemoval(label, plan.removed, options, isTrial, listLost)
    return plan
  }

  /**
   * Writes the rows as far as the table keeps its own, to find what its triggers, constraints and partitions refuse. The
   * caller rolls back.
   */
  async try(found: FoundTable, isMarked: boolean): Promise<void> {
    const { session, options } = this
    const { mode } = options
    const table = quoteTable(found)
    const plan = await this.#plan(found, true)
    await this.#fillStage(found, plan)
    if (hasColumnChanges(plan) && !(await this.#tryChanging(table, plan))) return
    if (mode === 'upsert') await this.#upsert(table, plan)
    else {
      // Fails if the server publishes deletions of rows that it cannot identify.
      if (mode === 'replace') await session.query(`DELETE FROM ${table} WHERE false`)
      const onConflict = mode === 'replace' || isMarked ? ' ON CONFLICT DO NOTHING' : ''
      await session.query(buildInsert(table, plan) + onConflict)
    }
    await session.query('SET CONSTRAINTS ALL IMMEDIATE')
  }

  /** Changes the columns without converting rows. Returns false if another session uses the table. */
  async #tryChanging(table: string, { removed, retyped, ...plan }: PostgresPlan): Promise<boolean> {
    const { session } = this
    const actions = buildActions({
      ...plan,
      removed: [...removed, ...retyped.map(({ old }) => old)],
      added: [...plan.added, ...retyped.map(({ column }) => column)],
      retyped: [],
    })
    await session.query(`SAVEPOINT enrich_trial; SET LOCAL lock_timeout = ${trialLockTimeoutMs}`)
    try {
      await session.query(`ALTER TABLE ${table} ${actions.join(', ')}`)
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== '55P03') throw error
      await session.query('ROLLBACK TO SAVEPOINT enrich_trial')
      return false
    }
  }

  async write(found: FoundTable): Promise<void> {
    const { session } = this
    const { mode } = this.options
    const table = quoteTable(found)
    const lock = mode === 'replace' ? 'EXCLUSIVE' : 'SHARE ROW EXCLUSIVE'
    // Before the columns are read. Both kinds of locks let others read.
    if (mode !== 'append') await session.query(`LOCK TABLE ${table} IN ${lock} MODE`)
    const plan = await this.#plan(found, false)
    const deleteRows = `DELETE FROM ${found.kind === 'r' ? 'ONLY ' : ''}${table}`
    if (mode === 'upsert') {
      await this.#fillStage(found, plan)
      await this.#upsert(table, plan)
    } else if (mode === 'append' || !hasColumnChanges(plan)) {
      if (mode === 'replace') await session.query(deleteRows)
      await this.#send(table, plan.written, false)
    } else {
      // ALTER TABLE blocks readers, so the rows are on the server by then.
      await this.#fillStage(found, plan)
      await session.query(deleteRows)
      await session.query(`ALTER TABLE ${table} ${buildActions(plan).join(', ')}`)
      await session.query(buildInsert(table, plan))
    }
  }

  /** Copies the rows into a temporary table with the columns and constraints of the table. */
  async #fillStage(table: FoundTable, plan: PostgresPlan): Promise<void> {
    const including = ['DEFAULTS', 'CONSTRAINTS', 'GENERATED', 'IDENTITY'].map((kind) => `INCLUDING ${kind}`)
    await this.session.query(
      `CREATE TEMPORARY TABLE enrich_stage (LIKE ${quoteTable(table)} ${including.join(' ')}) ON COMMIT DROP`,
    )
    if (hasColumnChanges(plan))
      await this.session.query(`ALTER TABLE ${stage} ${buildActions(plan).join(', ')}`)
    await this.#send(stage, plan.written, true)
  }

  #send(table: string, columns: readonly WantedColumn[], isNew: boolean): Promise<void> {
    return sendRows(this.session, { path: this.file.path, columns, table, isNew }, this.options)
  }

  async #upsert(table: string, { written, fixedNames }: PostgresPlan): Promise<void> {
    const { session, options } = this
    const { keyColumn } = options
    const key = quoteSqlName(keyColumn ?? '')
    await session.query(`ANALYZE ${stage}`)
    const updated = written.filter(({ name }) => name !== keyColumn && !fixedNames.includes(name))
    const values = updated.map(({ name }) => `${quoteSqlName(name)} = s.${quoteSqlName(name)}`)
    if (values.length > 0)
      await session.query(
        `UPDATE ${table} AS t SET ${values.join(', ')} FROM ${stage} AS s WHERE t.${key} = s.${key}`,
      )
    await session.query(
      `${buildInsert(table, { written })} WHERE NOT EXISTS (SELECT FROM ${table} AS t WHERE t.${key} = s.${key})`,
    )
  }
}

function explainRefusal({ cause, sqlState }: StatementError, label: string, exists: boolean): UserError {
  const { what, remedy } = describeRefusal(cause)
  const create = (code: ErrorCode, text: string, hint: string) =>
    new UserError(code, `${label}: ${text}`, { hint, cause })
  if (!/^(2[23]|44|P0)/.test(sqlState))
    return create('OUTPUT_UNWRITABLE', what, remedy ?? 'correct the table, or name another one')
  const column = /, column (.+?)(?:: |$)/.exec(cause.where ?? '')?.[1]
  const text = column === undefined ? what : `a value of the column ${column} does not fit: ${what}`
  const code = exists && /^2[23]/.test(sqlState) ? 'OUTPUT_TABLE_UNFIT' : 'OUTPUT_UNWRITABLE'
  return create(code, text, 'correct the rows, change the column or the constraint, or name another table')
}

function buildInsert(table: string, { written }: Pick<PostgresPlan, 'written'>): string {
  const names = written.map(({ name }) => quoteSqlName(name))
  const values = names.map((name) => `s.${name}`)
  return `INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE SELECT ${values.join(', ')} FROM ${stage} AS s`
}

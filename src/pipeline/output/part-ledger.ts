import type { Clock } from '../../platform/clock.js'
import {
  ConnectionLostError,
  type Postgres,
  type PostgresStatements,
} from '../../platform/postgres/postgres.js'
import { calculateBackoffMs } from '../../core/pacing.js'
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { getBasisPath } from './output-format.js'
import { readPartPath } from '../../core/partition.js'

/** Size and digest of a published file. */
export interface FileFacts {
  readonly byteCount: number
  /** In hexadecimal. */
  readonly sha256: string
}

export interface WrittenPart extends FileFacts {
  /** From 1. */
  readonly part: number
  /** Attempt of the process that wrote it. */
  readonly attempt: string
  /** Absolute path. */
  readonly path: string
  readonly rowCount: number
  /** The basis file, or `null`. */
  readonly basis: FileFacts | null
}

export interface PublishedPart extends WrittenPart {
  /** ISO instant by the server's clock. */
  readonly publishedAt: string
}

interface OutputRow {
  readonly part: number
  readonly attempt: string
  readonly path: string
  readonly row_count: number
  readonly byte_count: number
  readonly sha256: string
  readonly basis_byte_count: number | null
  readonly basis_sha256: string | null
  readonly published_at: Date
}

/** The database of a shared checkpoint. */
export interface PartDatabase {
  readonly postgres: Postgres
  /** Explains an error of the server to users. Returns other errors unchanged. */
  readonly explain: (error: unknown) => unknown
}

/** Retries after a part is written, so that a restart of the server does not cost an hour of work. */
const waiting = { delayMsBase: 200, delayMsMax: 10_000, attemptsMax: 60 } as const

/** Records which attempt published each part of a job. A part's row makes its file the output. */
export class PartLedger {
  readonly #database: PartDatabase
  readonly #clock: Pick<Clock, 'sleep' | 'nowMs'>
  readonly jobId: number

  constructor(database: PartDatabase, jobId: number, clock: Pick<Clock, 'sleep' | 'nowMs'>) {
    this.#database = database
    this.#clock = clock
    this.jobId = jobId
  }

  async readAll(): Promise<PublishedPart[]> {
    return (await this.#read(null)).map(toPart)
  }

  async readPart(part: number): Promise<PublishedPart | null> {
    const [row] = await this.#read(part)
    return row === undefined ? null : toPart(row)
  }

  /**
   * Publishes a part, unless another attempt has done so, and returns the published one. `replaced`: the attempt with
   * missing or damaged files that may be replaced. The last part ends the job. Repeats after a lost connection. Throws
   * CHECKPOINT_UNREACHABLE if the server stays unreachable: the same command then publishes it, and nothing is
   * submitted twice.
   */
  async publish(written: WrittenPart, replaced: string | null): Promise<PublishedPart> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#database.postgres.transaction((statements) =>
          this.#insert(statements, written, replaced),
        )
      } catch (error) {
        const isLost = error instanceof ConnectionLostError
        if (!isLost || attempt === waiting.attemptsMax) throw this.#database.explain(error)
        await this.#clock.sleep(calculateBackoffMs(waiting, attempt, 1))
      }
    }
  }

  async #insert(
    statements: PostgresStatements,
    { part, attempt, path, rowCount, byteCount, sha256, basis }: WrittenPart,
    replaced: string | null,
  ): Promise<PublishedPart> {
    // Parts are published one after another, so that the last one ends the job.
    await statements.query('SELECT 1 FROM enrich.jobs WHERE job_id = $1 FOR NO KEY UPDATE', [this.jobId])
    const values = [
      attempt,
      path,
      rowCount,
      byteCount,
      sha256,
      basis?.byteCount ?? null,
      basis?.sha256 ?? null,
    ]
    await statements.query(
      `INSERT INTO enrich.outputs
         (job_id, part, attempt, path, row_count, byte_count, sha256, basis_byte_count, basis_sha256)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (job_id, part) DO NOTHING`,
      [this.jobId, part, ...values],
    )
    if (replaced !== null) {
      await statements.query(
        `UPDATE enrich.outputs SET attempt = $3, path = $4, row_count = $5, byte_count = $6, sha256 = $7,
           basis_byte_count = $8, basis_sha256 = $9, published_at = clock_timestamp()
         WHERE job_id = $1 AND part = $2 AND attempt = $10`,
        [this.jobId, part, ...values, replaced],
      )
    }
    await statements.query(
      `UPDATE enrich.jobs SET ended_at_ms = $2 WHERE job_id = $1 AND ended_at_ms IS NULL
         AND partition_count = (SELECT count(*) FROM enrich.outputs WHERE job_id = $1)`,
      [this.jobId, this.#clock.nowMs()],
    )
    const [row] = await this.#queryRows(statements, part)
    if (row === undefined) throw new Error('the published part is missing')
    return toPart(row)
  }

  #read(part: number | null): Promise<OutputRow[]> {
    return this.#queryRows(this.#database.postgres, part).catch((error: unknown) => {
      throw this.#database.explain(error)
    })
  }

  #queryRows({ query }: PostgresStatements, part: number | null): Promise<OutputRow[]> {
    return query<OutputRow>(
      `SELECT part, attempt, path, row_count, byte_count, sha256, basis_byte_count, basis_sha256, published_at
       FROM enrich.outputs WHERE job_id = $1 AND ($2::integer IS NULL OR part = $2) ORDER BY part`,
      [this.jobId, part],
    )
  }
}

function toPart(row: OutputRow): PublishedPart {
  const { part, attempt, path, sha256, basis_byte_count, basis_sha256 } = row
  const basis =
    basis_byte_count === null || basis_sha256 === null
      ? null
      : { byteCount: basis_byte_count, sha256: basis_sha256 }
  return {
    part,
    attempt,
    path,
    sha256,
    basis,
    rowCount: row.row_count,
    byteCount: row.byte_count,
    publishedAt: row.published_at.toISOString(),
  }
}

const readBytes = 1024 * 1024

/** Reads size and digest of an existing file. */
export async function readFileFacts(path: string): Promise<FileFacts> {
  const hash = createHash('sha256')
  let byteCount = 0
  for await (const chunk of createReadStream(path, { highWaterMark: readBytes })) {
    hash.update(chunk as Buffer)
    byteCount += (chunk as Buffer).length
  }
  return { byteCount, sha256: hash.digest('hex') }
}

/** Returns the first file of a part that is missing or changed, with the reason; `null` if all are intact. */
export async function findFault(part: PublishedPart): Promise<{ path: string; fault: string } | null> {
  const files = [{ path: part.path, facts: part as FileFacts }]
  if (part.basis !== null) files.push({ path: getBasisPath(part.path), facts: part.basis })
  for (const { path, facts } of files) {
    const fault = await findFileFault(path, facts)
    if (fault !== null) return { path, fault }
  }
  return null
}

async function findFileFault(path: string, { byteCount, sha256 }: FileFacts): Promise<string | null> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() !== true) return 'is missing'
  if (stat.size !== byteCount) return `has ${stat.size} bytes instead of ${byteCount}`
  return (await readFileFacts(path)).sha256 === sha256
    ? null
    : 'has a different SHA-256 than when it was published'
}

export const listPartFiles = ({ path, basis }: Pick<PublishedPart, 'path' | 'basis'>): readonly string[] =>
  basis === null ? [path] : listAttemptFiles(path)

/** Returns all paths that an attempt may have published. */
export const listAttemptFiles = (path: string): readonly string[] => [path, getBasisPath(path)]

/**
 * Removes the files of attempts that did not publish a part, and temporary files of killed ones, but no file of `kept`
 * or of another job. Returns their names. Call it when all parts are published, so that no other attempt can win.
 */
export function removeLeftovers(kept: readonly PublishedPart[]): readonly string[] {
  const keptNames = new Set(kept.flatMap(({ path }) => listAttemptFiles(path).map((one) => basename(one))))
  const [first] = kept
  const own = first === undefined ? null : readPartPath(first.path)
  if (first === undefined || own === null) return []
  const folder = dirname(first.path)
  return readdirSync(folder).filter((name) => {
    // Temporary files are named `.NAME.PROCESS.tmp`, temporary folders `.NAME.PROCESS.tmp.parts`.
    const written = /^\.(.+)\.\d+-[0-9a-f]{8}\.tmp(?:\.\w+)?$/s.exec(name)?.[1] ?? name
    const left = readPartPath(join(folder, written.replace(/\.basis\.csv(\.gz)?$/, '$1')))
    const isOfJob =
      left !== null &&
      left.jobMark === own.jobMark &&
      basename(left.outputPath) === basename(own.outputPath) &&
      left.partition.count === own.partition.count
    if (!isOfJob || keptNames.has(name)) return false
    rmSync(join(folder, name), { recursive: true, force: true })
    return true
  })
}

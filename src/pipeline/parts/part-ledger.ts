import type { Clock } from '../../platform/clock.js'
import {
  ConnectionLostError,
  type Postgres,
  type PostgresStatements,
} from '../../platform/postgres/postgres.js'
import { backoffMs } from '../pace/backoff.js'
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { basisPathOf } from '../output/output-path.js'
import { readPartPath } from '../lookups/partition.js'

/** A file as it was published. */
export interface FileFacts {
  readonly byteCount: number
  /** In hexadecimal. */
  readonly sha256: string
}

/** What an attempt wrote of a part. */
export interface WrittenPart extends FileFacts {
  /** From 1. */
  readonly part: number
  /** Of the process that wrote it. */
  readonly attempt: string
  /** Absolute. */
  readonly path: string
  readonly rowCount: number
  /** Of the basis file beside it; null where there is none. */
  readonly basis: FileFacts | null
}

export interface PublishedPart extends WrittenPart {
  /** By the clock of the server, as an ISO instant. */
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
  /** Says in a user's words what the server refused; what is none of that is given back as it is. */
  readonly explain: (error: unknown) => unknown
}

/** How long the server is waited for once a part is written: an hour of work should not be lost to a restart. */
const waiting = { delayMsBase: 200, delayMsMax: 10_000, attemptsMax: 60 } as const

/** Which attempt published each part of a job: the row of a part is what makes its file the output. */
export class PartLedger {
  readonly #database: PartDatabase
  readonly #clock: Pick<Clock, 'sleep' | 'nowMs'>
  readonly jobId: number

  constructor(database: PartDatabase, jobId: number, clock: Pick<Clock, 'sleep' | 'nowMs'>) {
    this.#database = database
    this.#clock = clock
    this.jobId = jobId
  }

  /** In order. */
  async all(): Promise<PublishedPart[]> {
    return (await this.#read(null)).map(partOfRow)
  }

  async published(part: number): Promise<PublishedPart | null> {
    const [row] = await this.#read(part)
    return row === undefined ? null : partOfRow(row)
  }

  /**
   * Makes what was written the part, unless another attempt did; gives what is the part now. `replaced`: an attempt
   * whose file is gone or damaged, in whose place this one may stand. With the last part the job has ended. Where the
   * connection breaks it is tried again: whether it took effect shows in what is there. Throws CHECKPOINT_UNREACHABLE
   * when the server does not come back: the same command publishes it then, and nothing is asked twice.
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
        await this.#clock.sleep(backoffMs(waiting, attempt, 1))
      }
    }
  }

  async #insert(
    statements: PostgresStatements,
    { part, attempt, path, rowCount, byteCount, sha256, basis }: WrittenPart,
    replaced: string | null,
  ): Promise<PublishedPart> {
    // Parts are published one after the other, so that the last one sees that it is.
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
    const [row] = await this.#rows(statements, part)
    if (row === undefined) throw new Error('a part that was published is gone')
    return partOfRow(row)
  }

  #read(part: number | null): Promise<OutputRow[]> {
    return this.#rows(this.#database.postgres, part).catch((error: unknown) => {
      throw this.#database.explain(error)
    })
  }

  #rows({ query }: PostgresStatements, part: number | null): Promise<OutputRow[]> {
    return query<OutputRow>(
      `SELECT part, attempt, path, row_count, byte_count, sha256, basis_byte_count, basis_sha256, published_at
       FROM enrich.outputs WHERE job_id = $1 AND ($2::integer IS NULL OR part = $2) ORDER BY part`,
      [this.jobId, part],
    )
  }
}

function partOfRow(row: OutputRow): PublishedPart {
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

/** Of a file that is there. */
export async function factsOf(path: string): Promise<FileFacts> {
  const hash = createHash('sha256')
  let byteCount = 0
  for await (const chunk of createReadStream(path, { highWaterMark: readBytes })) {
    hash.update(chunk as Buffer)
    byteCount += (chunk as Buffer).length
  }
  return { byteCount, sha256: hash.digest('hex') }
}

/** What is wrong with the files of a part, in words; null where they are as they were published. */
export async function faultOf(part: PublishedPart): Promise<{ path: string; fault: string } | null> {
  const files = [{ path: part.path, facts: part as FileFacts }]
  if (part.basis !== null) files.push({ path: basisPathOf(part.path), facts: part.basis })
  for (const { path, facts } of files) {
    const fault = await faultOfFile(path, facts)
    if (fault !== null) return { path, fault }
  }
  return null
}

async function faultOfFile(path: string, { byteCount, sha256 }: FileFacts): Promise<string | null> {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile() !== true) return 'is not there'
  if (stat.size !== byteCount) return `has ${stat.size} bytes in place of ${byteCount}`
  return (await factsOf(path)).sha256 === sha256 ? null : 'has another SHA-256 than it was published with'
}

/** The files of a part. */
export const filesOf = ({ path, basis }: Pick<PublishedPart, 'path' | 'basis'>): readonly string[] =>
  basis === null ? [path] : filesOfAttempt(path)

/** Every file that an attempt may have put in place. */
export const filesOfAttempt = (path: string): readonly string[] => [path, basisPathOf(path)]

/** What a job is known by in the names of its files. */
export const jobMarkOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 6)

/**
 * Removes what attempts of a job left that were not to publish a part, also what killed ones were writing; never a file
 * of `kept`, and of no other job. Gives the names. To be called once all parts are published: no attempt can win by then.
 */
export function removeLeftovers(kept: readonly PublishedPart[]): readonly string[] {
  const keptNames = new Set(kept.flatMap(({ path }) => filesOfAttempt(path).map((one) => basename(one))))
  const [first] = kept
  const own = first === undefined ? null : readPartPath(first.path)
  if (first === undefined || own === null) return []
  const folder = dirname(first.path)
  return readdirSync(folder).filter((name) => {
    // What is being written is called `.NAME.PROCESS.tmp`, and `.NAME.PROCESS.tmp.parts` where it is a folder.
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

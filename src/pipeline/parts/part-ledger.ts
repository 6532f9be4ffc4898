import type { Clock } from '../../platform/clock.js'
import {
  ConnectionLostError,
  type Postgres,
  type PostgresStatements,
} from '../../platform/postgres/postgres.js'
import { backoffMs } from '../rules/backoff.js'

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

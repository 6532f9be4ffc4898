import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../../platform/clock.js'
import { basisPathOf } from '../output/output-path.js'
import type { PublishReport } from '../output/publish.js'
import type { Partition } from '../rules/partition.js'
import { assertWithoutParts, joinJob, type JoinedJob } from './job-of-parts.js'
import { factsOf, faultOf, filesOf, filesOfAttempt } from './part-files.js'
import { PartLedger, type PartDatabase, type PublishedPart } from './part-ledger.js'

/** The part of a job that a process has. */
export interface OpenPart {
  readonly partition: Partition
  /** Of this process. */
  readonly attempt: string
  readonly ledger: PartLedger
  /** Published before; null: not yet, or not as it was. */
  readonly published: PublishedPart | null
  /** An attempt whose file is gone or damaged, in whose place this one may stand. */
  readonly replaced: string | null
  /** What to tell the user of that. */
  readonly notice: string | null
}

export interface OpenPartDeps extends JoinedJob {
  readonly database: PartDatabase
  readonly attempt: string
  readonly clock: Pick<Clock, 'sleep' | 'nowMs'>
}

/** Joins the job, and looks what became of the part so far. Throws what `joinJob` throws. */
export async function openPart(deps: OpenPartDeps): Promise<OpenPart> {
  const { partition, attempt, database, clock } = deps
  const jobId = await joinJob(database.postgres, deps).catch((error: unknown) => {
    throw database.explain(error)
  })
  const ledger = new PartLedger(database, jobId, clock)
  const published = await ledger.published(partition.index)
  const found = published === null ? null : await faultOf(published)
  const shared = { partition, attempt, ledger }
  if (published === null || found === null) return { ...shared, published, replaced: null, notice: null }
  const notice = `${labelOf(partition)} was published, but ${found.path} ${found.fault}: it is written anew.`
  return { ...shared, published: null, replaced: published.attempt, notice }
}

/** Throws JOB_NAME_TAKEN where a job of that name has parts. */
export async function assertJobOfAll(
  { postgres, explain }: PartDatabase,
  name: string,
  scope: string,
): Promise<void> {
  await assertWithoutParts(postgres, name, scope).catch((error: unknown) => {
    throw explain(error)
  })
}

const labelOf = ({ index, count }: Partition): string => `Part ${index} of ${count}`

/** What is told of a part that another attempt published. */
export const publishedText = (partition: Partition, { path, publishedAt }: PublishedPart): string =>
  `${labelOf(partition)} was already published by another attempt (${publishedAt.slice(0, 16).replace('T', ' ')}): ${path}.`

/**
 * Makes what was put in place the part of its job, or removes it where another attempt was first: then the report is of
 * what that one published, and `notice` says so.
 */
export async function publishPart(
  { partition, attempt, ledger, replaced }: OpenPart,
  outputPath: string,
  report: PublishReport,
): Promise<{ report: PublishReport; notice: string | null }> {
  const path = resolve(outputPath)
  const basisPath = report.paths.length > 1 ? basisPathOf(path) : null
  const published = await ledger.publish(
    {
      part: partition.index,
      attempt,
      path,
      rowCount: report.rowCount,
      ...(await factsOf(path)),
      basis: basisPath === null ? null : await factsOf(basisPath),
    },
    replaced,
  )
  if (published.attempt === attempt) return { report, notice: null }
  for (const file of filesOfAttempt(path)) rmSync(file, { force: true })
  return {
    report: { ...report, paths: filesOf(published), rowCount: published.rowCount },
    notice: publishedText(partition, published),
  }
}

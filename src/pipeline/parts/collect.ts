import { basename, dirname, relative, resolve } from 'node:path'
import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { outputFormOf, type AskedFormat, type OutputForm } from '../output/output-format.js'
import { assertOutputUsable, basisPathOf, writeFailure } from '../output/output-path.js'
import { publishText, StagedFile } from '../output/staged-file.js'
import { readPartPath } from '../lookups/partition.js'
import { findJob } from './job-of-parts.js'
import { assertAlike, joinBasis, joinRows } from './join-parts.js'
import {
  factsOf,
  faultOf,
  filesOfAttempt,
  removeLeftovers,
  PartLedger,
  type FileFacts,
  type PartDatabase,
  type PublishedPart,
} from './part-ledger.js'

export interface CollectOptions {
  readonly database: PartDatabase
  readonly clock: Pick<Clock, 'sleep' | 'nowMs'>
  readonly job: string
  /** Which service's job, where several have one of that name; null: the embedded one's, or the only one. */
  readonly baseUrl: string | null
  /** Where all rows are written as one file; null: nowhere. */
  readonly output: { readonly path: string; readonly format?: AskedFormat | undefined } | null
  readonly signal?: AbortSignal | undefined
}

export interface Collected {
  readonly job: string
  readonly partCount: number
  readonly rowCount: number
  readonly manifestPath: string
  /** The one file, and its basis; empty where none was asked for. */
  readonly outputPaths: readonly string[]
  /** Names of what other attempts had left, which is gone now. */
  readonly removed: readonly string[]
}

/**
 * Checks that every part of a job is published once, that its files are there as they were published, and that all have
 * the same columns; then writes the one file that was asked for, and the manifest, each whole. Last, what other attempts
 * left is removed. Throws JOB_NOT_FOUND, PARTS_MISSING, PART_DAMAGED, PARTS_UNLIKE, and what writing an output throws.
 */
export async function collectParts(options: CollectOptions): Promise<Collected> {
  const { database, clock, job, signal } = options
  const { jobId, partCount } = await findJob(database.postgres, job, options.baseUrl).catch(
    (error: unknown) => {
      throw database.explain(error)
    },
  )
  const parts = await new PartLedger(database, jobId, clock).all()
  assertAll(parts, partCount, job)
  const outputPath = outputPathOf(parts)
  await assertIntact(parts, job, partCount, signal)
  const form = outputFormOf(outputPath)
  await assertAlike(parts, form)
  const written = options.output === null ? [] : await writeOne(parts, form, options.output, signal)
  const manifestPath = `${outputPath}.manifest.json`
  const rowCount = rowsIn(parts)
  await writeManifest(manifestPath, { job, partCount, rowCount, parts, written })
  const removed = removeLeftovers(parts)
  return { job, partCount, rowCount, manifestPath, outputPaths: written.map(({ path }) => path), removed }
}

const rowsIn = (parts: readonly PublishedPart[]): number =>
  parts.reduce((sum, { rowCount }) => sum + rowCount, 0)

const shownMax = 20

function assertAll(parts: readonly PublishedPart[], partCount: number, job: string): void {
  const there = new Set(parts.map(({ part }) => part))
  const missing = Array.from({ length: partCount }, (_, at) => at + 1).filter((part) => !there.has(part))
  if (missing.length === 0) return
  const shown = missing.slice(0, shownMax).join(', ') + (missing.length > shownMax ? ', …' : '')
  throw new UserError(
    'PARTS_MISSING',
    `${missing.length} of ${partCount} parts of the job "${job}" are not published: ${shown}`,
    { hint: `${again(job, missing[0] ?? 1, partCount)}; then collect again` },
  )
}

const again = (job: string, part: number, partCount: number): string =>
  `run them: enrich … --job ${JSON.stringify(job)} --partition ${part}/${partCount}`

/** What all parts were written for. */
function outputPathOf(parts: readonly PublishedPart[]): string {
  const [first, ...others] = parts.map((part) => {
    const read = readPartPath(part.path)
    if (read === null) throw new Error(`${part.path} is not called as a part is`)
    return { part: part.part, outputPath: read.outputPath }
  })
  if (first === undefined) throw new Error('a job without parts')
  const other = others.find(({ outputPath }) => outputPath !== first.outputPath)
  if (other === undefined) return first.outputPath
  throw new UserError(
    'PARTS_UNLIKE',
    `part ${first.part} was written for ${first.outputPath}, and part ${other.part} for ${other.outputPath}`,
    { hint: 'run all parts with the same -o, under another --job: answers are kept' },
  )
}

async function assertIntact(
  parts: readonly PublishedPart[],
  job: string,
  partCount: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const part of parts) {
    signal?.throwIfAborted()
    const found = await faultOf(part)
    if (found === null) continue
    throw new UserError('PART_DAMAGED', `part ${part.part} of ${partCount}: ${found.path} ${found.fault}`, {
      hint: `${again(job, part.part, partCount)}; it is written anew, and nothing is billed twice`,
    })
  }
}

interface WrittenFile extends FileFacts {
  readonly path: string
}

async function writeOne(
  parts: readonly PublishedPart[],
  form: OutputForm,
  output: NonNullable<CollectOptions['output']>,
  signal: AbortSignal | undefined,
): Promise<WrittenFile[]> {
  const { path } = output
  const asked = outputFormOf(path, output.format)
  if (asked.format !== form.format || form.format === 'xlsx') {
    throw new UserError(
      'OUTPUT_FORMAT_UNKNOWN',
      form.format === 'xlsx'
        ? 'workbooks are not put together as one'
        : `the parts are ${form.format}, and ${path} would be ${asked.format}`,
      {
        hint: 'parts of CSV, NDJSON or Parquet are put together as they are: name an output of their format',
      },
    )
  }
  assertApart(path, parts)
  const isLarger = parts.some((part) => part.path.endsWith('.gz')) && !asked.isPacked
  const bytes = parts.reduce((sum, { byteCount, basis }) => sum + byteCount + (basis?.byteCount ?? 0), 0)
  assertOutputUsable([], path, asked.format, 0, isLarger ? 4 * bytes : bytes / 2)
  const hasBasis = parts.every(({ basis }) => basis !== null)
  const staged: StagedFile[] = []
  try {
    const main = new StagedFile(path)
    staged.push(main)
    const basis = hasBasis ? new StagedFile(basisPathOf(path)) : null
    if (basis !== null) staged.push(basis)
    await joinRows(parts, asked, main, signal)
    if (basis !== null) await joinBasis(parts, asked.isPacked, basis, signal)
    signal?.throwIfAborted()
    basis?.publish()
    main.publish()
    const written: WrittenFile[] = []
    for (const file of staged) written.push({ path: file.path, ...(await factsOf(file.path)) })
    return written
  } catch (error) {
    signal?.throwIfAborted()
    throw writeFailure(path, error)
  } finally {
    for (const file of staged) await file.discard()
  }
}

function assertApart(path: string, parts: readonly PublishedPart[]): void {
  const files = new Set(parts.flatMap((part) => filesOfAttempt(part.path)))
  const wrong = [path, basisPathOf(path)].find((one) => files.has(resolve(one)))
  if (wrong === undefined && path !== '-') return
  throw new UserError(
    'OUTPUT_UNWRITABLE',
    path === '-' ? 'parts are not put together on standard output' : `${path} is a part of the job`,
    { hint: 'name a file of its own for -o' },
  )
}

interface Manifest {
  readonly job: string
  readonly partCount: number
  readonly rowCount: number
  readonly parts: readonly PublishedPart[]
  readonly written: readonly WrittenFile[]
}

/** Paths in it are as they are seen from its folder. */
async function writeManifest(
  path: string,
  { job, partCount, rowCount, parts, written }: Manifest,
): Promise<void> {
  const folder = dirname(resolve(path))
  const named = (to: string) =>
    dirname(resolve(to)) === folder ? basename(to) : relative(folder, resolve(to))
  const factsIn = ({ byteCount, sha256 }: FileFacts) => ({ byte_count: byteCount, sha256 })
  const manifest = {
    version: 1,
    job,
    part_count: partCount,
    row_count: rowCount,
    outputs: written.map((file) => ({ path: named(file.path), ...factsIn(file) })),
    parts: parts.map(({ basis, ...part }) => ({
      part: part.part,
      path: named(part.path),
      row_count: part.rowCount,
      ...factsIn(part),
      ...(basis === null ? {} : { basis: { path: named(basisPathOf(part.path)), ...factsIn(basis) } }),
      attempt: part.attempt,
      published_at: part.publishedAt,
    })),
  }
  await publishText(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

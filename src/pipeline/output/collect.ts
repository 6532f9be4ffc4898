import { basename, dirname, relative, resolve } from 'node:path'
import { UserError } from '../../core/errors.js'
import type { Clock } from '../../platform/clock.js'
import { isSameFile } from '../../platform/files.js'
import { resolveOutputForm, type RequestedFormat, type OutputForm, getBasisPath } from './output-format.js'
import { assertOutputUsable, toWriteError } from './output-path.js'
import { StagedFile } from './staged-file.js'
import { publishText } from './plain-table.js'
import { readPartPath } from '../../core/partition.js'
import { findJob } from './partitioned-job.js'
import { assertAlike, joinBasis, joinRows } from './join-parts.js'
import {
  readFileFacts,
  findFault,
  listAttemptFiles,
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
  /** The service of the job, if several have a job of that name; `null` for the embedded or the only one. */
  readonly baseUrl: string | null
  /** Path of the single output file; `null` to write none. */
  readonly output: { readonly path: string; readonly format?: RequestedFormat | undefined } | null
  readonly signal?: AbortSignal | undefined
}

export interface Collected {
  readonly job: string
  readonly partCount: number
  readonly rowCount: number
  readonly manifestPath: string
  /** The single file and its basis file; empty if not requested. */
  readonly outputPaths: readonly string[]
  /** Names of the removed files of other attempts. */
  readonly removed: readonly string[]
}

/**
 * Checks that all parts of a job are published, unchanged and have the same columns; then writes the single file, if
 * requested, and the manifest, each as a whole. Finally removes the files of other attempts. Throws JOB_NOT_FOUND,
 * PARTS_MISSING, PART_DAMAGED, PARTS_UNLIKE and the errors of writing an output.
 */
export async function collectParts(options: CollectOptions): Promise<Collected> {
  const { database, clock, job, signal } = options
  const { jobId, partCount } = await findJob(database.postgres, job, options.baseUrl).catch(
    (error: unknown) => {
      throw database.explain(error)
    },
  )
  const parts = await new PartLedger(database, jobId, clock).readAll()
  assertAll(parts, partCount, job)
  const outputPath = getOutputPath(parts)
  await assertIntact(parts, job, partCount, signal)
  const form = resolveOutputForm(outputPath)
  await assertAlike(parts, form)
  const written = options.output === null ? [] : await writeOne(parts, form, options.output, signal)
  const manifestPath = `${outputPath}.manifest.json`
  const rowCount = countRows(parts)
  await writeManifest(manifestPath, { job, partCount, rowCount, parts, written })
  const removed = removeLeftovers(parts)
  return { job, partCount, rowCount, manifestPath, outputPaths: written.map(({ path }) => path), removed }
}

const countRows = (parts: readonly PublishedPart[]): number =>
  parts.reduce((sum, { rowCount }) => sum + rowCount, 0)

const shownMax = 20

function assertAll(parts: readonly PublishedPart[], partCount: number, job: string): void {
  const there = new Set(parts.map(({ part }) => part))
  const missing = Array.from({ length: partCount }, (_, at) => at + 1).filter((part) => !there.has(part))
  if (missing.length === 0) return
  const shown = missing.slice(0, shownMax).join(', ') + (missing.length > shownMax ? ', …' : '')
  throw new UserError(
    'PARTS_MISSING',
    `${missing.length} of ${partCount} partitions of the job "${job}" are not published: ${shown}`,
    { hint: `${formatRunCommand(job, missing[0] ?? 1, partCount)}; then collect again` },
  )
}

const formatRunCommand = (job: string, part: number, partCount: number): string =>
  `run them: enrich … --job ${JSON.stringify(job)} --partition ${part}/${partCount}`

/** Returns the output path for which all parts were written. */
function getOutputPath(parts: readonly PublishedPart[]): string {
  const [first, ...others] = parts.map((part) => {
    const read = readPartPath(part.path)
    if (read === null) throw new Error(`${part.path} is not the name of a part`)
    return { part: part.part, outputPath: read.outputPath }
  })
  if (first === undefined) throw new Error('a job without parts')
  const other = others.find(({ outputPath }) => outputPath !== first.outputPath)
  if (other === undefined) return first.outputPath
  throw new UserError(
    'PARTS_UNLIKE',
    `partition ${first.part} was written for ${first.outputPath}, and partition ${other.part} for ${other.outputPath}`,
    { hint: 'run all partitions with the same -o, under another --job: existing answers are reused' },
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
    const found = await findFault(part)
    if (found === null) continue
    throw new UserError(
      'PART_DAMAGED',
      `partition ${part.part} of ${partCount}: ${found.path} ${found.fault}`,
      {
        hint: `${formatRunCommand(job, part.part, partCount)}; it is written again, and nothing is billed twice`,
      },
    )
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
  const asked = resolveOutputForm(path, output.format)
  if (asked.format !== form.format || form.format === 'xlsx') {
    throw new UserError(
      'OUTPUT_FORMAT_UNKNOWN',
      form.format === 'xlsx'
        ? 'workbooks cannot be joined'
        : `the partitions are ${form.format}, and ${path} would be ${asked.format}`,
      {
        hint: 'partitions of CSV, NDJSON or Parquet are joined without conversion: name an output of the same format',
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
    const basis = hasBasis ? new StagedFile(getBasisPath(path)) : null
    if (basis !== null) staged.push(basis)
    await joinRows(parts, asked, main, signal)
    if (basis !== null) await joinBasis(parts, asked.isPacked, basis, signal)
    signal?.throwIfAborted()
    await basis?.publish()
    await main.publish()
    const written: WrittenFile[] = []
    for (const file of staged) written.push({ path: file.path, ...(await readFileFacts(file.path)) })
    return written
  } catch (error) {
    signal?.throwIfAborted()
    throw toWriteError(path, error)
  } finally {
    for (const file of staged) await file.discard()
  }
}

function assertApart(path: string, parts: readonly PublishedPart[]): void {
  const files = parts.flatMap((part) => listAttemptFiles(part.path))
  const wrong = [path, getBasisPath(path)].find((one) => files.some((file) => isSameFile(one, file)))
  if (wrong === undefined && path !== '-') return
  throw new UserError(
    'OUTPUT_UNWRITABLE',
    path === '-' ? 'partitions cannot be written to standard output' : `${path} is a partition of the job`,
    { hint: 'name another file for -o' },
  )
}

interface Manifest {
  readonly job: string
  readonly partCount: number
  readonly rowCount: number
  readonly parts: readonly PublishedPart[]
  readonly written: readonly WrittenFile[]
}

/** Paths are relative to the manifest's folder. */
async function writeManifest(
  path: string,
  { job, partCount, rowCount, parts, written }: Manifest,
): Promise<void> {
  const folder = dirname(resolve(path))
  const toRelativePath = (to: string) =>
    dirname(resolve(to)) === folder ? basename(to) : relative(folder, resolve(to))
  const toJsonFacts = ({ byteCount, sha256 }: FileFacts) => ({ byte_count: byteCount, sha256 })
  const manifest = {
    version: 1,
    job,
    part_count: partCount,
    row_count: rowCount,
    outputs: written.map((file) => ({ path: toRelativePath(file.path), ...toJsonFacts(file) })),
    parts: parts.map(({ basis, ...part }) => ({
      part: part.part,
      path: toRelativePath(part.path),
      row_count: part.rowCount,
      ...toJsonFacts(part),
      ...(basis === null
        ? {}
        : { basis: { path: toRelativePath(getBasisPath(part.path)), ...toJsonFacts(basis) } }),
      attempt: part.attempt,
      published_at: part.publishedAt,
    })),
  }
  await publishText(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

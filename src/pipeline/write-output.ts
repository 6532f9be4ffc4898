import { statSync } from 'node:fs'
import { parquetLimits } from '../parquet/limits.js'
import { fileBytesMax, fileTooLarge } from '../platform/system-limits.js'
import { bringCandidates } from './gather-candidates.js'
import { openCheckpointReader } from './checkpoint/sqlite/reader.js'
import { tryChanges } from './history/changes-file.js'
import type { RecordedOutput } from './history/output-recorder.js'
import type { Input } from './input/input.js'
import type { Ingested } from './ingest.js'
import type { OpenRun } from './deps.js'
import { answerLinesOf, type AnswerLines, type RowCounts } from './output/answer-lines.js'
import { openReviewOfRows } from './decided-lookups.js'
import { assertCellsFit } from './output/xlsx.js'
import { assertOutputUsable, type ResolvedOutput } from './output/output-path.js'
import { publish, tryPublishing, type PublishReport } from './output/publish.js'
import { publishPart } from './parts/job-of-parts.js'
import { assertNamesFitParquet, assertNoClash } from './answers/columns.js'
import { doubtThresholdByDefault } from './lookups/lookup-state.js'
import { labelColumn } from './lookups/detect-columns.js'
import type { ReviewCounts } from './figures/run-summary.js'

/** Everything about the output that can be known before a submission is billed. */
export function checkOutput(input: Input, output: ResolvedOutput, rowCount: number): void {
  assertOutputUsable(input.files, output.path, output.format, rowCount, input.bytes)
  assertNoClash(input.columns, output.columns)
  if (output.format !== 'parquet') return
  assertNamesFitParquet(input.columns)
  // Throws where a type does not fit.
  input.parquetSource()
}

/** What is to be paid for has to find its way out: tried on the first rows, before the first submission. */
export async function tryOutput(run: OpenRun, rowCount: number): Promise<void> {
  const { input, output, rule, deps, changes } = run
  if (changes !== null) await tryChanges(changes)
  await tryPublishing({
    input,
    output,
    columns: output.columns,
    basis: output.basis,
    nameColumn: labelColumn(rule.columns),
    rowCount,
    memoryBytes: output.memoryBytes,
    metadata: deps.target.metadata,
  })
  if (output.format === 'xlsx') await assertCellsFit(input, deps.interrupt)
}

/** The rows of a run with their answers, as far as there are any. */
interface KnownRows {
  readonly rowCounts: RowCounts
  readonly review: ReviewCounts
  /** Written to the history; null where nothing is remembered of the run. */
  readonly recorded: RecordedOutput | null
}

export interface WrittenOutput extends KnownRows {
  readonly report: PublishReport
}

/** The second pass over the input: each row with the answer to its lookup. */
export function writeOutput(
  run: OpenRun,
  asked: Pick<Ingested, 'index' | 'rowKeys'>,
): Promise<WrittenOutput> {
  const { deps, input, output } = run
  input.assertUnchanged()
  deps.observe({ type: 'publishing', path: output.path })
  return readAnswers(run, asked, async (answers) => {
    const report = await publish({
      input,
      output,
      columns: output.columns,
      basis: output.basis,
      nameColumn: labelColumn(run.rule.columns),
      answers,
      memoryBytes: output.memoryBytes,
      rowFiles: run.rowSpool?.files,
      rowCount: asked.index.rowCount,
      metadata: { ...deps.target.metadata, ...(await inputMetadata(run)) },
      stdout: deps.target.stdout,
    })
    return { report: await asPart(run, report) }
  })
}

/** What is known of the rows of a run that writes no output: its report shows it. */
export function readKnownRows(run: OpenRun, asked: Pick<Ingested, 'index' | 'rowKeys'>): Promise<KnownRows> {
  return readAnswers(run, asked, (answers) => {
    // Each line is recorded, and counted, as it is read.
    const lines = answers.distinct().lines()[Symbol.iterator]()
    while (lines.next().done !== true);
    return Promise.resolve({})
  })
}

/** Opens the answers for `use`, which reads each of them, and records them for the history. */
async function readAnswers<Used>(
  run: OpenRun,
  { index, rowKeys }: Pick<Ingested, 'index' | 'rowKeys'>,
  use: (answers: AnswerLines) => Promise<Used>,
): Promise<Used & KnownRows> {
  const { deps, backend, output, history } = run
  const { scope } = run.connection
  await run.checkpoint.copyForReading()
  const reader = openCheckpointReader(backend.path, scope)
  const { doubtThreshold = doubtThresholdByDefault } = deps.requests
  if (backend.review !== null) {
    await bringCandidates({
      review: backend.review,
      scope,
      index,
      reader,
      doubtThreshold,
      decided: run.decided.lookups,
      columns: output.columns,
    })
  }
  const review = openReviewOfRows({
    checkpointPath: backend.path,
    scope,
    decided: run.decided,
    reader,
    doubtThreshold,
    columns: output.columns,
  })
  try {
    // Rows move between the parts of a job from one to the next: those of a part are compared with none.
    const recorder =
      run.part !== null
        ? null
        : await history.recorder(index, {
            identitiesOf: (ids) => reader?.identities(ids) ?? [],
            rowKeys,
          })
    const answers = answerLinesOf({ index, reader, stages: output.stages, review }, recorder)
    const used = await use(answers)
    const recorded = await history.finish(recorder)
    return { ...used, rowCounts: answers.rowCounts, review: answers.review(), recorded }
  } finally {
    review.close()
    reader?.close()
  }
}

/** A part reads its own rows alone, and says the same of the input as the others. */
async function inputMetadata({ input, part }: OpenRun): Promise<Readonly<Record<string, string>>> {
  return part === null
    ? { 'enrich.input_sha256': await input.fingerprint() }
    : { 'enrich.input_list_sha256': input.listFingerprint() }
}

/** What was put in place becomes the part of its job, or is gone. */
async function asPart({ part, output, deps }: OpenRun, report: PublishReport): Promise<PublishReport> {
  if (part === null) return report
  const published = await publishPart(part, output.path, report)
  if (published.notice !== null) deps.observe({ type: 'notice', text: published.notice })
  return published.report
}

/** What an answer takes in the checkpoint, with what SQLite has of it beside the database. */
const checkpointBytesPerLookup = 16 * 1024

/**
 * Where a file of this process may not grow for ever (`ulimit -f`), what is certain to be too large for it is found
 * before anything is paid for: the checkpoint with all answers, and an output of text, which holds its whole input.
 * Throws FILE_TOO_LARGE.
 */
export function assertFilesMayGrow(
  checkpointPath: string,
  submitCount: number,
  input: Input,
  output: ResolvedOutput,
): void {
  const bytesMax = fileBytesMax()
  if (bytesMax === null) return
  const checkpointBytes = statSync(checkpointPath, { throwIfNoEntry: false })?.size ?? 0
  assertBelow(
    bytesMax,
    checkpointBytes + submitCount * checkpointBytesPerLookup,
    `the checkpoint ${checkpointPath}`,
  )
  // These are packed: how much text is in them is not known.
  if (input.format === 'parquet' || input.format === 'xlsx') return
  const plain = input.files.filter(({ path }) => !/\.(gz|zst)$/i.test(path))
  const textBytes = plain.reduce((sum, { bytes }) => sum + bytes, 0)
  if (output.format === 'parquet')
    assertBelow(bytesMax, Math.min(textBytes, parquetLimits.fileBytesMax), `a part of ${output.path}`)
  else if (output.format === input.format && !output.isPacked && output.path !== '-')
    assertBelow(bytesMax, textBytes, `the output ${output.path}`)
}

function assertBelow(bytesMax: number, bytes: number, what: string): void {
  if (bytes > bytesMax) throw fileTooLarge(undefined, `; ${what} needs about ${Math.ceil(bytes / 1024)}`)
}

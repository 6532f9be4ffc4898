import { statSync } from 'node:fs'
import { parquetLimits } from '../parquet/parquet-writer.js'
import { createNulError, getDatabaseName } from '../connectors/connectors.js'
import { getFileBytesMax, createFileTooLargeError } from '../platform/system-limits.js'
import { copyCandidates } from './gather-candidates.js'
import { openCheckpointReader } from './checkpoint/sqlite/reader.js'
import { tryChanges } from './history/changes-file.js'
import type { RecordedOutput } from './history/output-recorder.js'
import type { Input } from './input/input.js'
import { calculateSaved, type FirstFigures } from './figures/first-figures.js'
import type { Ingested } from './ingest.js'
import type { RowIndex } from './input/row-index.js'
import type { OpenRun } from './deps.js'
import { createAnswerLines, type AnswerLines, type RowCounts } from './output/answer-lines.js'
import { openReviewOfRows } from './decided-lookups.js'
import { assertCellsFit } from './output/xlsx.js'
import { assertOutputUsable, type ResolvedOutput } from './output/output-path.js'
import { publish, tryPublishing, type PublishReport } from './output/publish.js'
import { publishPart } from './parts/partitioned-job.js'
import { assertNamesFitParquet, assertNoClash } from './answers/columns.js'
import { doubtThresholdByDefault } from './lookups/lookup-state.js'
import { getLabelColumn } from './lookups/detect-columns.js'
import type { ReviewCounts } from './figures/run-summary.js'

/** Checks everything about the output that can be known before a submission is billed. */
export function checkOutput(input: Input, output: ResolvedOutput, rowCount: number): void {
  assertOutputUsable(input.files, output.path, output.format, rowCount, input.bytes)
  assertNoClash(input.columns, output.columns)
  if (output.format !== 'parquet') return
  assertNamesFitParquet(input.columns, getDatabaseName(output.path))
  // Throws if a type is not supported.
  input.parquetSource()
}

/** Tests the output with the first rows, before the first submission. */
export async function tryOutput(run: OpenRun, rowCount: number): Promise<void> {
  const { input, output, rule, deps, changes } = run
  if (changes !== null) await tryChanges(changes)
  await tryPublishing({
    input,
    output,
    columns: output.columns,
    basis: output.basis,
    nameColumn: getLabelColumn(rule.columns),
    rowCount,
    memoryBytes: output.memoryBytes,
    metadata: deps.target.metadata,
  })
  if (output.format === 'xlsx') await assertCellsFit(input, deps.interrupt)
  if (input.format !== 'parquet' && getDatabaseName(output.path) === 'PostgreSQL')
    await assertNoNul(input, deps.interrupt)
}

/** Throws OUTPUT_UNWRITABLE for a text with a NUL: PostgreSQL would refuse it after the lookups were billed. */
async function assertNoNul(input: Input, signal: AbortSignal): Promise<void> {
  for await (const rows of input.textRows()) {
    signal.throwIfAborted()
    for (const row of rows) {
      const index = row.findIndex((cell) => cell?.includes('\0') === true || nulEscape.test(cell ?? ''))
      if (index >= 0) throw createNulError(input.columns[index] ?? '')
    }
  }
}

/** A NUL in the JSON text of a nested value. */
const nulEscape = /^[[{].*(?:^|[^\\])(?:\\\\)*\\u0000/s

/** The rows of a run with their answers, if any. */
interface KnownRows {
  readonly rowCounts: RowCounts
  readonly review: ReviewCounts
  /** Written to the history; null if the run is not in the history. */
  readonly recorded: RecordedOutput | null
  /** Null without an own registry that answers first. */
  readonly first: FirstFigures | null
}

export interface WrittenOutput extends KnownRows {
  readonly report: PublishReport
}

/** Reads the input for the second time: each row with the answer to its lookup. */
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
      nameColumn: getLabelColumn(run.rule.columns),
      answers,
      memoryBytes: output.memoryBytes,
      rowFiles: run.rowSpool?.files,
      rowCount: asked.index.rowCount,
      metadata: { ...deps.target.metadata, ...(await getInputMetadata(run)) },
      stdout: deps.target.stdout,
    })
    return { report: await publishAsPart(run, report) }
  })
}

/** Reads the known rows of a run without an output, for its report. */
export function readKnownRows(run: OpenRun, asked: Pick<Ingested, 'index' | 'rowKeys'>): Promise<KnownRows> {
  return readAnswers(run, asked, (answers) => {
    // Reading a line records and counts it.
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
  const first = describeFirst(run, index)
  const reader = openCheckpointReader(backend.path, scope)
  const { doubtThreshold = doubtThresholdByDefault } = deps.requests
  if (backend.review !== null) {
    await copyCandidates({
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
    // Rows may move from one part to the next, so those of a part are not compared.
    const recorder =
      run.part !== null
        ? null
        : await history.recorder(index, {
            identitiesOf: (ids) => {
              const identities = reader?.readIdentities(ids) ?? []
              return run.first?.toServiceIdentities(ids, identities) ?? identities
            },
            rowKeys,
          })
    const answers = createAnswerLines(
      { index, reader, stages: output.stages, review, first: run.first },
      recorder,
    )
    const used = await use(answers)
    const recorded = await history.finish(recorder)
    return { ...used, first, rowCounts: answers.rowCounts, review: answers.review(), recorded }
  } finally {
    review.close()
    reader?.close()
  }
}

/** Counts the rows that the own registry answers, and compares the answers of the sample. */
function describeFirst({ first, deps }: OpenRun, index: RowIndex): FirstFigures | null {
  if (first === null) return null
  const sample = first.checkSample()
  const { ids, rowCounts } = index.getDistinct()
  const { settledCount: lookupCount } = first.counts
  const rowCount = ids.reduce((sum, id, at) => sum + (first.isSettled(id) ? (rowCounts[at] ?? 0) : 0), 0)
  const saved = calculateSaved(lookupCount - (sample?.lookupCount ?? 0), deps.requests.prices ?? null)
  return { registry: first.name, accept: first.accept, lookupCount, rowCount, saved, sample }
}

/** A part reads only its own rows, so it uses the hash of the list of files. */
async function getInputMetadata({ input, part }: OpenRun): Promise<Readonly<Record<string, string>>> {
  return part === null
    ? { 'enrich.input_sha256': await input.calculateFingerprint() }
    : { 'enrich.input_list_sha256': input.calculateListFingerprint() }
}

/** Publishes the written file as the part of its job; it may be discarded. */
async function publishAsPart({ part, output, deps }: OpenRun, report: PublishReport): Promise<PublishReport> {
  if (part === null) return report
  const published = await publishPart(part, output.path, report)
  if (published.notice !== null) deps.observe({ type: 'notice', text: published.notice })
  return published.report
}

/** Size of an answer in the checkpoint, including SQLite's other files. */
const checkpointBytesPerLookup = 16 * 1024

/**
 * Throws FILE_TOO_LARGE if the process has a file size limit (`ulimit -f`) and a file will exceed it, before anything
 * is billed: the checkpoint with all answers, or a text output, which contains its whole input.
 */
export function assertFilesMayGrow(
  checkpointPath: string,
  submitCount: number,
  input: Input,
  output: ResolvedOutput,
): void {
  const bytesMax = getFileBytesMax()
  if (bytesMax === null) return
  const checkpointBytes = statSync(checkpointPath, { throwIfNoEntry: false })?.size ?? 0
  assertBelow(
    bytesMax,
    checkpointBytes + submitCount * checkpointBytesPerLookup,
    `the checkpoint ${checkpointPath}`,
  )
  // Compressed: the size of their text is unknown.
  if (input.format === 'parquet' || input.format === 'xlsx') return
  const plain = input.files.filter(({ path }) => !/\.(gz|zst)$/i.test(path))
  const textBytes = plain.reduce((sum, { bytes }) => sum + bytes, 0)
  if (output.format === 'parquet')
    assertBelow(bytesMax, Math.min(textBytes, parquetLimits.fileBytesMax), `a part of ${output.path}`)
  else if (output.format === input.format && !output.isPacked && output.path !== '-')
    assertBelow(bytesMax, textBytes, `the output ${output.path}`)
}

function assertBelow(bytesMax: number, bytes: number, what: string): void {
  if (bytes > bytesMax)
    throw createFileTooLargeError(undefined, `; ${what} needs about ${Math.ceil(bytes / 1024)}`)
}

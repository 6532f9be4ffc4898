import { openReader } from './checkpoint/open.js'
import type { RunHistory, RecordedOutput } from './history/run-history.js'
import { calculateSaved, type FirstFigures } from './answers/first-rule.js'
import type { Prices } from '../core/money.js'
import { findEndReason } from './scheduler/scheduling.js'
import type { FirstAnswers } from './answers/first-answers.js'
import { type Ingested, type RowIndex, getLabelColumn } from './input/ingest.js'
import type { ReviewCounts } from '../core/decisions.js'
import { doubtThresholdByDefault } from '../core/lookup-state.js'
import type { RunOutputs, RunTable } from './open-files.js'
import type { RunLookups, RunPart } from './open-lookups.js'
import { withAnswers } from './export-rows.js'
import type { AnsweredRows, openRowSpool } from './output/output.js'
import type { RunContext } from './order.js'

/** The rows of an output, and the sources of their answers. */
interface RowsToWrite {
  readonly table: RunTable
  readonly outputs: RunOutputs
  /** Rows stored until their answers are known; null if the input is read again. */
  readonly rowSpool: ReturnType<typeof openRowSpool>
  readonly lookups: RunLookups
  readonly read: Pick<Ingested, 'index' | 'rowKeys'>
  readonly history: RunHistory
  /** Null if the job has no parts. */
  readonly part: RunPart | null
}

interface KnownRows {
  readonly rowCounts: AnsweredRows['rowCounts']
  readonly review: ReviewCounts
  /** Written to the history; null if the run is not in the history. */
  readonly recorded: RecordedOutput | null
  /** Null without an own registry that answers first. */
  readonly first: FirstFigures | null
}

interface WrittenOutput extends KnownRows {
  readonly report: Awaited<ReturnType<AnsweredRows['publish']>>
}

/** The rows of an output, or only those of a report: `known` is null without either. */
export interface RunRows {
  /** Null if no output was written. */
  readonly written: WrittenOutput | null
  readonly known: KnownRows | null
}

/**
 * Writes the output, unless the run stopped early and a partial output is not wanted. Without an output, reads the known
 * rows for the report if there is one.
 */
export async function writeRows(
  context: RunContext,
  run: RowsToWrite,
  ended: Parameters<typeof findEndReason>[0],
): Promise<RunRows> {
  if (findEndReason(ended) === null || context.order.target.output.partial === true) {
    const written = await writeOutput(context, run)
    return { written, known: written }
  }
  const hasReport = (context.order.reporting.reportPath ?? null) !== null
  return { written: null, known: hasReport ? await readKnownRows(context, run) : null }
}

/** Reads the input for the second time: each row with the answer to its lookup. */
function writeOutput(context: RunContext, run: RowsToWrite): Promise<WrittenOutput> {
  const { order, services } = context
  const { table, outputs, rowSpool, lookups, read, part } = run
  const { input } = table
  const { output } = outputs
  input.identity.assertUnchanged()
  services.observe({ type: 'publishing', path: output.path })
  return readAnswers(context, run, async (answers) => {
    const report = await answers.publish({
      input,
      output,
      nameColumn: getLabelColumn(lookups.rule.columns),
      rowFiles: rowSpool?.files,
      rowCount: read.index.rowCount,
      metadata: { ...order.target.metadata, ...(await getInputMetadata(table, part)) },
      stdout: services.streams?.stdout,
    })
    return { report: await publishAsPart(context, run, report) }
  })
}

/** Reads the known rows of a run without an output, for its report. */
function readKnownRows(context: RunContext, run: RowsToWrite): Promise<KnownRows> {
  return readAnswers(context, run, (answers) => {
    answers.readAll()
    return Promise.resolve({})
  })
}

/** Opens the answers for `use`, which reads each of them, and records them for the history. */
async function readAnswers<Used>(
  { order, backend }: RunContext,
  { outputs, lookups, read, history, part }: RowsToWrite,
  use: (answers: AnsweredRows) => Promise<Used>,
): Promise<Used & KnownRows> {
  const { output } = outputs
  const { connection, checkpoint, decided, first } = lookups
  const { scope } = connection
  const { index, rowKeys } = read
  await checkpoint.store.others?.copyForReading()
  const figures = describeFirst(first, index, order.requests.prices ?? null)
  const reader = await openReader(backend.path, scope)
  const { doubtThreshold = doubtThresholdByDefault } = order.requests
  const store = { path: backend.path, review: backend.review }
  try {
    // Rows may move from one part to the next, so those of a part are not compared.
    const recorder =
      part !== null
        ? null
        : await history.recorder(index, {
            identitiesOf: (ids) => {
              const identities = reader?.readLookups(ids) ?? []
              return first?.toServiceIdentities(ids, identities) ?? identities
            },
            rowKeys,
          })
    const rows = { index, reader, scope, decided, first, store, output, doubtThreshold }
    return await withAnswers(rows, recorder, async (answers) => {
      const used = await use(answers)
      const recorded = await history.finish(recorder)
      return { ...used, first: figures, rowCounts: answers.rowCounts, review: answers.review(), recorded }
    })
  } finally {
    reader?.close()
  }
}

/** Counts the rows that the own registry answers, and compares the answers of the sample. */
function describeFirst(
  first: FirstAnswers | null,
  index: RowIndex,
  prices: Prices | null,
): FirstFigures | null {
  if (first === null) return null
  const { figures: sample } = first.checkSample()
  const { ids, rowCounts } = index.getDistinct()
  const { name: registry, accept, settledCount: lookupCount } = first.facts
  const rowCount = ids.reduce((sum, id, at) => sum + (first.isSettled(id) ? (rowCounts[at] ?? 0) : 0), 0)
  const saved = calculateSaved(lookupCount - (sample?.lookupCount ?? 0), prices)
  return { registry, accept, lookupCount, rowCount, saved, sample }
}

/** A part reads only its own rows, so it uses the hash of the list of files. */
async function getInputMetadata(
  { input }: RunTable,
  part: RunPart | null,
): Promise<Readonly<Record<string, string>>> {
  return part === null
    ? { 'enrich.input_sha256': await input.identity.hashContent() }
    : { 'enrich.input_list_sha256': input.identity.hashList() }
}

/** Publishes the written file as the part of its job; it may be discarded. */
async function publishAsPart(
  { services }: RunContext,
  { part, outputs }: RowsToWrite,
  report: WrittenOutput['report'],
): Promise<WrittenOutput['report']> {
  if (part === null) return report
  const published = await part.publish(outputs.output.path, report)
  if (published.notice !== null) services.observe({ type: 'notice', text: published.notice })
  return published.report
}

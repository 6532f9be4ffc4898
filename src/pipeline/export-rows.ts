import type { StageKind } from '../core/lookup-state.js'
import { buildStageLookup, type CheckpointReader } from './checkpoint/lookup.js'
import { openReviewOfRows, type DecidedLookups } from './decisions/decided-lookups.js'
import { copyCandidates } from './decisions/gather-candidates.js'
import type { ReviewStore } from './decisions/review-store.js'
import { getLabelColumn, type RowIndex } from './input/ingest.js'
import type { Input } from './input/input.js'
import type { RowInspection } from './inspect-rows.js'
import {
  answerRows,
  assertOutputApart,
  assertOutputFits,
  resolveOutput,
  type AnsweredRows,
  type OutputRequest,
  type ResolvedOutput,
} from './output/output.js'
import { tryTable } from './output/plain-table.js'
import type { LineObserver } from './answers/joined-line.js'
import { assertNotOurs, type OwnFile } from './own-files.js'
import type { FirstAnswers } from './answers/first-answers.js'

export { collectJob } from './output/output.js'

/** The rows of an output, and the sources of their answers. */
interface RowsToAnswer {
  readonly index: RowIndex
  readonly reader: CheckpointReader | null
  readonly scope: string
  readonly decided: DecidedLookups
  /** The lookups that an own registry answers; null without one. */
  readonly first: FirstAnswers | null
  /** The checkpoint, and the decisions on its server; `review` is null for a file. */
  readonly store: { readonly path: string; readonly review: ReviewStore | null }
  readonly output: Pick<ResolvedOutput, 'columns'> & { readonly stages: readonly StageKind[] }
  /** Answers below this confidence (0 to 100) are doubtful. */
  readonly doubtThreshold: number
}

/** Opens the answer line of each row for `use`. Throws CHECKPOINT_* and REVIEW_STORE_INVALID. */
export async function withAnswers<Result>(
  rows: RowsToAnswer,
  observer: LineObserver | null,
  use: (answers: AnsweredRows) => Promise<Result>,
): Promise<Result> {
  const { index, reader, scope, decided, first, store, output, doubtThreshold } = rows
  const { columns, stages } = output
  if (store.review !== null) {
    const wanted = { index, reader, decided: decided.lookups, columns, doubtThreshold }
    await copyCandidates({ ...wanted, candidates: store.review.candidates, scope })
  }
  const { path: checkpointPath } = store
  const review = openReviewOfRows({ checkpointPath, scope, decided, reader, columns, doubtThreshold })
  try {
    return await use(answerRows({ index, reader, stages, review, first }, observer))
  } finally {
    review.close()
  }
}

/** An output that will be written. */
interface ExportOutput {
  readonly output: ResolvedOutput
  /** Compares it with the input. Throws OUTPUT_*. */
  readonly assertUsable: (input: Input, rowCount: number) => Promise<void>
}

interface ExportTarget {
  readonly request: OutputRequest
  /** Stages with columns, and whether a column names the side that answered. */
  readonly asked: Parameters<typeof resolveOutput>[1]
  readonly access: NonNullable<Parameters<typeof resolveOutput>[2]>
  /** Files that the output may not overwrite. */
  readonly ownFiles: readonly OwnFile[]
  /** File with the changes of the same run; undefined without one. */
  readonly changesPath: string | undefined
}

/** Resolves an output before the input is read. Throws OUTPUT_*. */
export function prepareExport({ request, asked, access, ownFiles, changesPath }: ExportTarget): ExportOutput {
  const output = resolveOutput(request, asked, access)
  assertNotOurs(output.paths, ownFiles)
  return {
    output,
    assertUsable: async (input, rowCount) => {
      await assertOutputApart(input, output, { changesPath, connectors: access.connectors })
      assertOutputFits(input, output, rowCount)
    },
  }
}

/** Writes an empty table under a temporary name to the place of an output, and removes it. Throws OUTPUT_*, DISK_FULL. */
export async function tryOutputAccess({
  request,
  asked,
  access,
}: Pick<ExportTarget, 'request' | 'asked' | 'access'>): Promise<string> {
  // Whether an existing table has the columns for another mode shows only with the output itself.
  const output = resolveOutput({ ...request, mode: 'replace' }, asked, access)
  const { path, format, isPacked, remote, memoryBytes } = output
  const columns = [{ name: 'company', kind: 'text', of: () => null }] as const
  // The table of the test has one column.
  const trial = remote === null ? null : ({ ...remote, removedColumns: 'ignore' } as const)
  await tryTable(
    { name: 'output', columns },
    { path, format, isPacked, remote: trial, memoryBytes, bom: false },
  )
  return path
}

interface ExportOptions {
  readonly output: ResolvedOutput
  readonly doubtThreshold: number
  /** Stored in the metadata of a Parquet output. */
  readonly metadata: Readonly<Record<string, string>>
  readonly stdout: NodeJS.WritableStream
  readonly signal: AbortSignal
}

type ExportReport = Awaited<ReturnType<AnsweredRows['publish']>> & Pick<AnsweredRows, 'rowCounts'>

/** Counts the accepted companies of rows whose records were not requested: their rows have only the id and the name. */
export function countUnreadCompanies({ decided, reader }: Pick<RowInspection, 'decided' | 'reader'>): number {
  const ids = reader?.find(decided.companies.map((company) => buildStageLookup('entity', company))) ?? []
  return reader?.readAnswers(ids).filter((answer) => answer?.state !== 'answered').length ?? 0
}

/**
 * Writes the inspected rows with the answers that are known, and publishes the output as a whole. Nothing is submitted.
 * Throws INPUT_CHANGED, OUTPUT_*, DISK_FULL and the signal's reason.
 *
 * @example
 * const { output, assertUsable } = prepareExport(target)
 * await inspectRows(rows, services, async (found) => {
 *   await assertUsable(found.input, 0)
 *   await exportRows(found, { output, doubtThreshold: 90, metadata: {}, stdout, signal })
 * })
 */
export function exportRows(
  found: RowInspection,
  { output, doubtThreshold, metadata, stdout, signal }: ExportOptions,
): Promise<ExportReport> {
  const { input, index, columns, first } = found
  first?.checkSample()
  return withAnswers({ ...found, output, doubtThreshold }, null, async (answers) => {
    const report = await answers.publish({
      input,
      output,
      nameColumn: getLabelColumn(columns),
      rowCount: index.rowCount,
      metadata: { ...metadata, 'enrich.input_sha256': await input.identity.hashContent() },
      stdout,
      signal,
    })
    return { ...report, rowCounts: answers.rowCounts }
  })
}

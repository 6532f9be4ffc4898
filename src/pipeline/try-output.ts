import { statSync } from 'node:fs'
import { createNulError, getDatabaseName } from '../connectors/connectors.js'
import { parquetLimits } from '../parquet/parquet-writer.js'
import { createFileTooLargeError, getFileBytesMax } from '../platform/system-limits.js'
import { tryChanges } from './history/changes-file.js'
import type { Input } from './input/input.js'
import { getLabelColumn, type LookupRule } from './input/columns.js'
import type { RunOutputs, RunTable } from './open-files.js'
import type { ResolvedOutput } from './output/output-path.js'
import { tryPublishing } from './output/publish.js'
import { assertCellsFit } from './output/xlsx.js'
import type { RunContext } from './services.js'

interface TriedOutput {
  readonly table: RunTable
  readonly outputs: RunOutputs
  readonly rule: LookupRule
}

/** Tests the output with the first rows, before the first submission. */
export async function tryOutput(
  { order, services }: RunContext,
  { table, outputs, rule }: TriedOutput,
  rowCount: number,
): Promise<void> {
  const { input } = table
  const { output, changes } = outputs
  const { interrupt } = services
  if (changes !== null) await tryChanges(changes)
  await tryPublishing({
    input,
    output,
    nameColumn: getLabelColumn(rule.columns),
    rowCount,
    metadata: order.target.metadata,
  })
  if (output.format === 'xlsx') await assertCellsFit(input, interrupt)
  if (input.format !== 'parquet' && getDatabaseName(output.path) === 'PostgreSQL')
    await assertNoNul(input, interrupt)
}

/** Throws OUTPUT_UNWRITABLE for a text with a NUL: PostgreSQL would refuse it after the lookups were billed. */
async function assertNoNul(input: Input, signal: AbortSignal): Promise<void> {
  for await (const rows of input.rows.texts()) {
    signal.throwIfAborted()
    for (const row of rows) {
      const index = row.findIndex((cell) => cell?.includes('\0') === true || nulEscape.test(cell ?? ''))
      if (index >= 0) throw createNulError(input.columns[index] ?? '')
    }
  }
}

/** A NUL in the JSON text of a nested value. */
const nulEscape = /^[[{].*(?:^|[^\\])(?:\\\\)*\\u0000/s

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

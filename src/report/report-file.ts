import { UserError } from '../core/errors.js'
import { isSameFile } from '../platform/same-file.js'
import type { SourceFile } from '../pipeline/input/input.js'
import { assertOutputUsable } from '../pipeline/output/output-path.js'

/**
 * Throws what would make writing the report of a run fail, before anything is submitted: OUTPUT_IS_INPUT,
 * OUTPUT_UNWRITABLE, DISK_FULL; USAGE_INVALID where it is to be written over another file of the run.
 */
export function assertReportApart(
  path: string,
  inputFiles: readonly SourceFile[],
  others: readonly string[],
): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--report writes a file, and not to standard output', {
      hint: 'name a file; enrich report -o - writes the report of a run to standard output',
    })
  }
  const other = others.find((one) => one !== '-' && isSameFile(one, path))
  if (other !== undefined) {
    throw new UserError('USAGE_INVALID', `--report ${path} is the output ${other}`, {
      hint: 'name another file for the report',
    })
  }
  // Any format of text: what it asks of the disk is the same.
  assertOutputUsable(inputFiles, path, 'ndjson')
}

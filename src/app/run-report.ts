import { UserError } from '../core/errors.js'
import type { ListenAddress } from '../core/server-addresses.js'
import type { RunEvent } from '../pipeline/history/progress.js'
import type { WatchDeps } from '../report/live/watch-run.js'
import type { ReportWriter } from '../pipeline/services.js'
import { publishText } from '../pipeline/output/plain-table.js'
import { isSameFile } from '../platform/files.js'
import type { SourceFile } from '../pipeline/input/input.js'
import { assertOutputUsable } from '../pipeline/output/output-path.js'

/** Runs `work`, and serves its live page until the work ends if one is configured. Throws LISTEN_FAILED. */
export async function runWithLivePage<Result>(
  // `address` is null without a live page.
  { address, ...deps }: Omit<WatchDeps, 'address'> & { readonly address: Readonly<ListenAddress> | null },
  work: (observe: (event: RunEvent) => void) => Promise<Result>,
): Promise<Result> {
  if (address === null) return work(deps.observe)
  const { watchRun } = await import('../report/live/watch-run.js')
  return watchRun({ ...deps, address }, work)
}

/**
 * Checks before the first submission that the report can be written. Throws OUTPUT_IS_INPUT, OUTPUT_UNWRITABLE, DISK_FULL,
 * and USAGE_INVALID if it would overwrite another file of the run.
 */
function assertReportApart(path: string, inputFiles: readonly SourceFile[], others: readonly string[]): void {
  if (path === '-') {
    throw new UserError('USAGE_INVALID', '--report cannot write to standard output', {
      hint: 'name a file; enrich report -o - writes the report of a run to standard output',
    })
  }
  const other = others.find((one) => one !== '-' && isSameFile(one, path))
  if (other !== undefined) {
    throw new UserError('USAGE_INVALID', `--report ${path} is the output ${other}`, {
      hint: 'name another file for the report',
    })
  }
  // Any text format has the same disk requirements.
  assertOutputUsable(inputFiles, path, 'ndjson')
}

/** Writes the report of a run at its end. */
export const reportWriter: ReportWriter = {
  assertApart: assertReportApart,
  write: async (path, reader, number, end) => {
    const { buildReport } = await import('../report/report.js')
    const { html } = await buildReport({ reader, number, nowMs: end.endedAtMs, end })
    await publishText(path, html)
  },
}

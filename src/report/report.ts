import type { RememberedRun } from '../pipeline/history/remembered-runs.js'
import { gatherReport, type GatherOptions } from './gather-data.js'
import { renderReportPage } from './page.js'

export { listReportOutputs } from './gather-data.js'

/**
 * Builds the report of a run from the history: a self-contained HTML page without scripts. Throws RUN_NOT_FOUND.
 *
 *     const { run, html } = buildReport({ reader, number: null, nowMs: Date.now() })
 *     writeFileSync(`run-${run.number}.html`, html)
 */
export function buildReport(options: GatherOptions): { readonly run: RememberedRun; readonly html: string } {
  const data = gatherReport(options)
  return { run: data.run, html: renderReportPage(data) }
}

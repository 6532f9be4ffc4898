import type { RunReport } from '../pipeline/deps.js'
import { publishText } from '../pipeline/output/staged-file.js'
import { isListedIn } from '../report/outcome-groups.js'
import { assertReportApart } from '../report/report-file.js'

/** Writes the report of a run at its end. */
export function reportOfRun(path: string): RunReport {
  return {
    path,
    isListed: isListedIn,
    assertApart: (inputFiles, others) => {
      assertReportApart(path, inputFiles, others)
    },
    write: async (reader, number, end) => {
      const { gatherReport } = await import('../report/gather-data.js')
      const { reportPage } = await import('../report/page.js')
      await publishText(path, reportPage(gatherReport({ reader, number, nowMs: end.endedAtMs, end })))
    },
  }
}

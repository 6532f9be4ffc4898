import type { RunReport } from '../pipeline/deps.js'
import { openHistory } from '../pipeline/history/reader.js'
import { assertReportApart, publishReport } from '../report/report-file.js'

/** Writes the report of a run at its end. */
export function reportOfRun(path: string, checkpointPath: string): RunReport {
  return {
    path,
    assertApart: (inputFiles, others) => {
      assertReportApart(path, inputFiles, others)
    },
    write: async (number, end) => {
      const { gatherReport } = await import('../report/gather-data.js')
      const { reportPage } = await import('../report/page.js')
      const reader = openHistory(checkpointPath)
      if (reader === null) throw new Error('the checkpoint is gone before its run has ended')
      try {
        await publishReport(path, reportPage(gatherReport({ reader, number, nowMs: end.endedAtMs, end })))
      } finally {
        reader.close()
      }
    },
  }
}

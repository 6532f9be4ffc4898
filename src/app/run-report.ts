import type { ListenAddress } from '../core/server-addresses.js'
import type { RunEvent } from '../pipeline/history/run-figures.js'
import type { WatchDeps } from '../report/live/watch-run.js'
import type { Environment, FileConfig } from '../config/file-config.js'
import { findNotification } from '../config/settings.js'
import { reportFailedStart, type ReportRenderer } from '../pipeline/run.js'

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

export const renderRunReport: ReportRenderer = async (reader, number, end) => {
  const { buildReport } = await import('../report/report.js')
  return (await buildReport({ reader, number, nowMs: end.endedAtMs, end })).html
}

/** Sends the notification of the config, if it has a valid one, about an error before the run began. Never throws. */
export async function notifyOfFailedStart(
  config: FileConfig,
  {
    environment,
    ...services
  }: { readonly environment: Environment } & Parameters<typeof reportFailedStart>[1],
  error: unknown,
): Promise<void> {
  const ending = { conditions: [], metricsPath: null, notify: findNotification(config, environment) }
  const order = {
    source: { input: { paths: config.input?.paths ?? [] } },
    reporting: { history: { job: config.job?.name ?? null }, ending },
  }
  await reportFailedStart(order, services, error)
}

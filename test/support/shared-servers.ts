import { findBrowser, startSharedBrowser } from './browser.js'
import { findPostgres, startSharedPostgres } from './postgres-server.js'

/** One PostgreSQL and one browser for the whole of a run of the full tier; none where the machine has none. */
export async function setup(): Promise<() => Promise<void>> {
  const programs = findPostgres()
  const browser = findBrowser()
  const stops = await Promise.all([
    programs === null ? null : startSharedPostgres(programs),
    browser === null ? null : startSharedBrowser(browser),
  ])
  return async () => {
    for (const stop of stops) await stop?.()
  }
}

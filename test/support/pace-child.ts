import { openSharedTurns } from '../../src/pipeline/checkpoint/postgres/shared-turns.js'
import { openShared } from '../../src/pipeline/checkpoint/postgres/open-database.js'
import { createSharedPace } from '../../src/pipeline/scheduler/kind-paces.js'
import { systemClock, systemRandom } from '../../src/platform/clock.js'

/** Takes turns until it is killed, and says of each when it was used: milliseconds of this machine's monotonic clock. */
export async function main(url: string, perWindow: string, windowMs: string): Promise<void> {
  const { prompt } = await openShared(url, { clock: systemClock, random: systemRandom })
  const deps = { prompt, clock: systemClock, random: systemRandom, windowMs: Number(windowMs) }
  const turns = openSharedTurns({ ...deps, keyHash: 'a key', route: 'a route' })
  const pace = createSharedPace(systemClock, turns, Number(perWindow), Number(windowMs))
  for (;;) {
    await pace.waitForTurn(new AbortController().signal)
    process.stdout.write(`${Number(process.hrtime.bigint()) / 1e6}\n`)
  }
}

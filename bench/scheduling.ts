import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServiceClient } from '../src/client/client.js'
import { openCheckpoint } from '../src/pipeline/checkpoint/sqlite-checkpoint.js'
import { runUntilAnswered } from '../src/pipeline/scheduler/scheduler.js'
import { createTally } from '../src/pipeline/scheduler/tally.js'
import { systemClock } from '../src/platform/clock.js'
import { resolveSettings } from '../src/settings.js'
import { Chance } from '../test/simulation/chance.js'
import { fairWeather, SimulatedService, type Weather } from '../test/simulation/simulated-service.js'
import { VirtualTime } from '../test/simulation/virtual-time.js'

export interface SchedulingFigures {
  rows: number
  window: Weather['window']
  /** The time that the limit on polls alone would take, one poll a result. */
  boundMinutes: number
  /** The same, and that nothing can be polled with success before the first run has ended. */
  reachableBoundMinutes: number
  achievedMinutes: number
  pollsPerResult: number
  limitedShare: number
  /** From the end of the last run at the service to its answer here. */
  lastAnswerLagSeconds: number
}

/** The real scheduler with the settings of a hosted service, in virtual time. */
export async function measureScheduling(
  rows: number,
  weather: Partial<Weather> = {},
  seed = 1,
): Promise<SchedulingFigures> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'enrich-bench-'))
  const time = new VirtualTime(Date.UTC(2026, 0, 1))
  try {
    const chance = new Chance(seed)
    const service = new SimulatedService(chance)
    service.weather = { ...fairWeather, runFails: 0, merged: 0, requestMs: { min: 20, max: 50 }, ...weather }
    const checkpoint = openCheckpoint({
      path: join(folder, 'checkpoint.sqlite'),
      scope: 'https://service.test',
      job: 'bench',
      nowMs: Date.now(),
      random: chance,
    })
    const names = Array.from({ length: rows }, (_, index) => `Company ${index}`)
    const { limits, polling } = resolveSettings({ service: { baseUrl: 'https://service.test' } }, {})
    const tally = createTally()
    const run = async () => {
      await checkpoint.want(
        names.map((name) => ({ key: keyOf(name), lookup: { name, location: null, context: null } })),
      )
      const plan = await checkpoint.plan({ nowMs: Date.now(), maxAgeMs: null, onLost: 'hold' })
      const startedAtMs = performance.now()
      await runUntilAnswered({
        checkpoint,
        client: createServiceClient(
          { apiKey: 'key', baseUrl: 'https://service.test', userAgent: 'bench', connectionsMax: 1 },
          service.connect(() => false),
        ),
        clock: systemClock,
        random: chance,
        limits,
        polling,
        serverErrorMeans: 'unknown',
        lookupsMax: null,
        durationMsMax: null,
        interrupt: new AbortController().signal,
        toSubmitCount: plan.submit,

        tally,
      })
      return performance.now() - startedAtMs
    }
    const running = run()
    await time.runUntil(running, () => false, 30 * 86_400_000)
    const achievedMs = await running
    const endedAtMs = performance.now()
    checkpoint.close()
    const boundMinutes = rows / (service.weather.pollsPerMinute || 1)
    return {
      rows,
      window: service.weather.window,
      boundMinutes,
      reachableBoundMinutes: boundMinutes + service.weather.runMsMin / 60_000,
      achievedMinutes: achievedMs / 60_000,
      pollsPerResult: tally.polls / Math.max(1, tally.answered),
      limitedShare: service.limitedCount / (tally.polls + tally.submissions),
      lastAnswerLagSeconds: (endedAtMs - Math.max(...service.ledger.map(({ doneAtMs }) => doneAtMs))) / 1000,
    }
  } finally {
    time.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

const keyOf = (name: string) => createHash('sha256').update(name).digest().subarray(0, 16)

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createServiceClient } from '../../src/client/client.js'
import type { Transport } from '../../src/client/transport.js'
import { openCheckpoint } from '../../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { Backlog } from '../../src/pipeline/scheduler/work.js'
import { runUntilAnswered } from '../../src/pipeline/scheduler/scheduler.js'
import { createTally } from '../../src/pipeline/history/tally.js'
import { systemClock } from '../../src/platform/clock.js'
import { Chance } from './chance.js'
import { mostInAMinute } from './rate-window.js'
import { Life, mortalCheckpoint, mortalTransport } from './mortal.js'
import { copyCheckpoint, putBackCheckpoint } from './world.js'
import { fairWeather, FailingService, type Weather } from './failing-service.js'
import { VirtualTime } from './virtual-time.js'

const minuteMs = 60_000
const limits = {
  submissionsPerWindow: 600,
  pollsPerWindow: 100,
  windowMs: minuteMs,
  inFlightRunsMax: 2_000,
  submitConcurrency: 16,
}
const lookups = Array.from({ length: 1_000 }, (_, index) => ({
  kind: 'resolution' as const,
  key: createHash('sha256').update(`${index}`).digest().subarray(0, 16),
  lookup: { name: `Company ${index}`, location: null, context: null },
}))

/** A job whose processes are killed after these times, one after another, each followed at once by the next. */
async function killedAfter(livesMs: readonly number[], window: Weather['window']) {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'enrich-restart-'))
  const time = new VirtualTime(Date.UTC(2026, 0, 1))
  try {
    const chance = new Chance(1)
    const service = new FailingService(chance)
    service.weather = { ...fairWeather, requestMs: { min: 20, max: 50 }, window }
    // Reads of entities have a limit of their own.
    const arrivedMs: Record<'GET' | 'POST' | 'entity', number[]> = { GET: [], POST: [], entity: [] }
    const [path, remains] = [join(folder, 'checkpoint.sqlite'), join(folder, 'remains.sqlite')]
    for (const lifeMs of livesMs) {
      const life = new Life(Infinity, () => undefined)
      const checkpoint = openCheckpoint({
        path,
        scope: 'https://service.test',
        job: 'companies.csv',
        nowMs: Date.now(),
        random: chance,
      })
      const counted: Transport = {
        exchange: (request) => {
          const isEntity = request.path.startsWith('/v3/entities/')
          arrivedMs[isEntity ? 'entity' : request.method].push(performance.now())
          return service.connect(() => life.isDead).exchange(request)
        },
        close: () => Promise.resolve(),
      }
      const killedAtMs = performance.now() + lifeMs
      const timer = setTimeout(() => undefined, lifeMs)
      const work = async () => {
        await checkpoint.store.register(lookups)
        await checkpoint.plan({ nowMs: Date.now(), maxAgeMs: null, onLost: 'hold' })
        await runUntilAnswered({
          checkpoint: mortalCheckpoint(checkpoint, life),
          service: {
            client: createServiceClient(
              { apiKey: 'key', baseUrl: 'https://service.test', userAgent: 'restart', connectionsMax: 1 },
              mortalTransport(counted, life),
            ),
          },
          clock: systemClock,
          random: chance,
          scheduling: {
            limits,
            polling: { firstAfterMs: minuteMs, intervalMs: 10_000, deadlineMs: 60 * minuteMs },
            serverErrorMeans: 'unknown',
            lookupsMax: null,
            durationMsMax: null,
          },
          resolutions: { backlog: new Backlog(lookups.length), counter: createTally().counter },
          interrupt: new AbortController().signal,
        })
      }
      await time.runUntil(work(), () => performance.now() >= killedAtMs, 60 * minuteMs)
      clearTimeout(timer)
      life.isDead = true
      copyCheckpoint(path, remains)
      checkpoint.close()
      // The next process finds the files as this one left them: the same files, not copies of them.
      putBackCheckpoint(remains, path)
    }
    return { limitedCount: service.limitedCount, arrivedMs }
  } finally {
    time.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

const each = (count: number, lifeMs: number) => Array.from({ length: count }, () => lifeMs)

describe.each(['fixed', 'rolling'] as const)(
  'a job that is killed and started again, under a %s window',
  (window) => {
    test.each([
      ['while it submits, once', [30_000, 45_000]],
      ['while it submits, again and again', [50_000, ...each(25, 130), 60_000]],
      ['while it polls, again and again', [270_000, ...each(12, 700), 90_000]],
    ])('never sends more than a minute allows: %s', async (_, livesMs) => {
      const { limitedCount, arrivedMs } = await killedAfter(livesMs, window)
      expect(limitedCount).toBe(0)
      expect(mostInAMinute(arrivedMs.POST)).toBeLessThanOrEqual(600)
      expect(mostInAMinute(arrivedMs.GET)).toBeLessThanOrEqual(100)
      expect(mostInAMinute(arrivedMs.entity)).toBeLessThanOrEqual(100)
      // A job that sent next to nothing would prove nothing.
      expect(mostInAMinute(livesMs[0] === 270_000 ? arrivedMs.GET : arrivedMs.POST)).toBeGreaterThan(
        livesMs[0] === 270_000 ? 90 : 550,
      )
    })
  },
)

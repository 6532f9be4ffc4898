import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServiceClient } from '../src/client/client.js'
import { openCheckpoint } from '../src/pipeline/checkpoint/sqlite/sqlite-checkpoint.js'
import { Backlog } from '../src/pipeline/scheduler/work.js'
import { runUntilAnswered } from '../src/pipeline/scheduler/scheduler.js'
import { openFileInbox } from '../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import { createTally } from '../src/pipeline/history/tally.js'
import { systemClock, WakeSignal } from '../src/platform/clock.js'
import { resolveSettings } from '../src/config/settings.js'
import { Chance } from '../test/simulation/chance.js'
import { SimulatedPost, type PostWeather } from '../test/simulation/simulated-post.js'
import { fairWeather, FailingService, type Weather } from '../test/simulation/failing-service.js'
import { VirtualTime } from '../test/simulation/virtual-time.js'
import { ratio, type Say } from './support.js'

interface SchedulingFigures {
  rows: number
  window: Weather['window']
  /** The time that the limit on polls alone would take, one poll a result. */
  boundMinutes: number
  /** One poll a result at that limit, no poll before its run has ended: who knew every duration would end then. */
  foresightMinutes: number
  achievedMinutes: number
  pollsPerResult: number
  limitedShare: number
  /** From the end of the last run at the service to its answer here. */
  lastAnswerLagSeconds: number
}

/** The scheduler against its bounds: by polls, by webhooks, and where there are few rows. */
export async function reportScheduling(say: Say): Promise<void> {
  say('  by polls')
  for (const window of ['fixed', 'rolling'] as const) {
    const figures = await measureScheduling(10_000, { window })
    const { achievedMinutes, boundMinutes, foresightMinutes } = figures
    say(
      `  ${window.padEnd(8)} ${achievedMinutes.toFixed(2)} min; bound of one poll a result ${boundMinutes} min: ${ratio(boundMinutes / achievedMinutes)}; ` +
        `no poll before its run has ended ${foresightMinutes.toFixed(2)} min: ${ratio(foresightMinutes / achievedMinutes)}; ` +
        askedInVain(figures),
    )
  }
  say('  by webhooks')
  const sent = await measureScheduling(10_000, {}, 1, 'webhooks')
  say(
    `  ${sent.achievedMinutes.toFixed(2)} min; bound of the submissions and the last run ${sent.boundMinutes.toFixed(2)} min: ` +
      `${ratio(sent.boundMinutes / sent.achievedMinutes)}; ${askedInVain(sent)}`,
  )
  say('  7 % merged into other companies, by polls')
  const merged = await measureScheduling(10_000, { merged: 0.07 })
  say(
    `  ${merged.achievedMinutes.toFixed(2)} min; bound of one poll a result ${merged.boundMinutes} min: ` +
      `${ratio(merged.boundMinutes / merged.achievedMinutes)}; ${askedInVain(merged)}`,
  )
  say('  50 rows, ten seeds')
  const small: SchedulingFigures[] = []
  for (let seed = 1; seed <= 10; seed++) small.push(await measureScheduling(50, {}, seed))
  const pollsPerResult = mean(small.map((figures) => figures.pollsPerResult))
  const lags = small.map(({ lastAnswerLagSeconds }) => lastAnswerLagSeconds)
  say(
    `  ${pollsPerResult.toFixed(2)} polls a result, of which the bound of one is ${ratio(1 / pollsPerResult)}; ` +
      `ends ${mean(lags).toFixed(0)} s after its last run, ${Math.max(...lags).toFixed(0)} s at most`,
  )
}

function askedInVain({ pollsPerResult, limitedShare }: SchedulingFigures): string {
  return `${pollsPerResult.toFixed(3)} polls a result, ${(limitedShare * 100).toFixed(2)} % 429s`
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** The real scheduler with the settings of a hosted service, in virtual time. */
export async function measureScheduling(
  rows: number,
  weather: Partial<Weather> = {},
  seed = 1,
  by: 'polls' | 'webhooks' = 'polls',
): Promise<SchedulingFigures> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'enrich-bench-'))
  const time = new VirtualTime(Date.UTC(2026, 0, 1))
  try {
    const chance = new Chance(seed)
    const checkpointPath = join(folder, 'checkpoint.sqlite')
    const received = new WakeSignal(systemClock)
    const inbox =
      by === 'polls' ? null : openFileInbox(checkpointPath, Date.now(), { onReceived: received.ring })
    const post = inbox === null ? undefined : new SimulatedPost(new Chance(seed), inbox, promptPost)
    const service = new FailingService(chance, post)
    service.weather = { ...fairWeather, runFails: 0, merged: 0, requestMs: { min: 20, max: 50 }, ...weather }
    const checkpoint = openCheckpoint({
      path: checkpointPath,
      scope: 'https://service.test',
      job: 'bench',
      nowMs: Date.now(),
      random: chance,
    })
    const names = Array.from({ length: rows }, (_, index) => `Company ${index}`)
    const { limits, polling } = resolveSettings({ service: { baseUrl: 'https://service.test' } }, {})
    const { tally, counter } = createTally()
    let startedAtMs = 0
    const run = async () => {
      await checkpoint.store.register(
        names.map((name) => ({
          kind: 'resolution' as const,
          key: keyOf(name),
          lookup: { name, location: null, context: null },
        })),
      )
      const plan = await checkpoint.plan({ nowMs: Date.now(), maxAgeMs: null, onLost: 'hold' })
      startedAtMs = performance.now()
      await runUntilAnswered({
        checkpoint,
        service: {
          client: createServiceClient(
            { apiKey: 'key', baseUrl: 'https://service.test', userAgent: 'bench', connectionsMax: 1 },
            service.connect(() => false),
          ),
        },
        clock: systemClock,
        random: chance,
        scheduling: { limits, polling, serverErrorMeans: 'unknown', lookupsMax: null, durationMsMax: null },
        interrupt: new AbortController().signal,
        resolutions: { backlog: new Backlog(plan.submit), counter },
        ...(inbox === null ? {} : { webhooks: { url: 'https://hooks.test/', inbox, received } }),
      })
      return performance.now() - startedAtMs
    }
    const running = run()
    await time.runUntil(running, () => false, 30 * 86_400_000)
    const achievedMs = await running
    const endedAtMs = performance.now()
    checkpoint.close()
    await inbox?.close()
    const lastEndMinutes = Math.max(...service.ledger.map(({ doneAtMs }) => doneAtMs)) / 60_000
    const { submissionsPerMinute, pollsPerMinute, window } = service.weather
    // By webhooks: the submissions, and the last run that was submitted until it ended.
    const boundMinutes =
      by === 'polls' ? rows / pollsPerMinute : earliestEndMinutes(service, submissionsPerMinute)
    return {
      rows,
      window,
      boundMinutes,
      foresightMinutes:
        by === 'polls' ? onePollEachMinutes(service, pollsPerMinute, startedAtMs) : boundMinutes,
      achievedMinutes: achievedMs / 60_000,
      pollsPerResult: tally.polls / Math.max(1, tally.answered),
      limitedShare: service.limitedCount / (tally.polls + tally.submissions),
      lastAnswerLagSeconds: endedAtMs / 1000 - lastEndMinutes * 60,
    }
  } finally {
    time.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each run is polled once, in the order in which they end, at the limit's pace. */
function onePollEachMinutes(service: FailingService, pollsPerMinute: number, startedAtMs: number): number {
  const ends = service.ledger.map(({ doneAtMs }) => (doneAtMs - startedAtMs) / 60_000).sort((a, b) => a - b)
  return ends.reduce((lastPoll, end) => Math.max(lastPoll + 1 / pollsPerMinute, end), 0)
}

/** If the n-th run had been submitted at exactly the limit's pace, and took as long as it did. */
function earliestEndMinutes(service: FailingService, submissionsPerMinute: number): number {
  const ends = service.ledger.map(
    ({ doneAtMs, startedAtMs }, index) => index / submissionsPerMinute + (doneAtMs - startedAtMs) / 60_000,
  )
  return Math.max(...ends)
}

/** Every event arrives at once, once, and whole. */
export const promptPost: PostWeather = { lost: 0, twice: 0, truncated: 0, withoutBasis: 0, lateMsMax: 0 }

const keyOf = (name: string) => createHash('sha256').update(name).digest().subarray(0, 16)

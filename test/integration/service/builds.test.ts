import { afterEach, describe, expect, test } from 'vitest'
import type { Sqlite } from '../../../src/platform/sqlite.js'
import { limits } from '../../../src/service/limits.js'
import {
  BuildFailure,
  type Compiler,
  createWaiterEndings,
} from '../../../src/service/records/builds/build.js'
import { createBuildStore } from '../../../src/service/records/builds/build-store.js'
import { createBuilds, type Builds, type BuildsDeps } from '../../../src/service/records/builds/builds.js'
import { openDatabase } from '../../../src/service/storage/database.js'
import { manualClock, type ManualClock } from '../../support/manual-clock.js'

interface Opened {
  readonly builds: Builds
  readonly database: Sqlite
  readonly clock: ManualClock
  readonly logged: string[]
}

const opened: Opened[] = []
afterEach(async () => {
  for (const { builds, database } of opened.splice(0)) {
    await builds.stop()
    database.close()
  }
})

const echo: Compiler = (subject) => JSON.stringify({ subject })

const exactly = (ms: number) => ({ choose: () => ms, max: ms })

interface Options extends Partial<Omit<BuildsDeps, 'outbox'>> {
  readonly compile?: Compiler
  readonly clock?: ManualClock
  readonly database?: Sqlite
  readonly outbox?: { add: () => void; wake: () => void }
}

function open(options: Options = {}): Opened {
  const { compile = echo, clock = manualClock(), database = openDatabase(null) } = options
  const { outbox = { add: () => undefined, wake: () => undefined } } = options
  const logged: string[] = []
  const endingOf = createWaiterEndings({ entity: () => ({}), domain: () => ({}) })
  const store = createBuildStore(database, { outbox, endingOf, clock })
  const builds = createBuilds({
    store,
    clock,
    buildMs: exactly(0),
    compilers: { entity: compile, domain: compile, hierarchy: compile },
    edition: () => null,
    held: null,
    log: (line) => logged.push(line),
    isBusy: () => false,
    ...options,
    outbox,
    // Of SQLite: it answers at once.
  }) as Builds
  const all = { builds, database, clock, logged }
  opened.push(all)
  return all
}

const stateOf = (builds: Builds, subject: string) => builds.read('hierarchy', subject)?.state ?? 'none'
const until = (builds: Builds, subject: string, state: string) =>
  expect.poll(() => stateOf(builds, subject), { interval: 5 }).toBe(state)

/** Compiles nothing by itself: what is in flight ends when the test ends it. */
function slowCompiler() {
  const landings = new Map<string, { give: (result: string) => void; fail: (error: Error) => void }>()
  let aloftMax = 0
  const compile: Compiler = (subject, signal) =>
    new Promise<string>((give, fail) => {
      landings.set(subject, { give, fail })
      aloftMax = Math.max(aloftMax, landings.size)
      signal.addEventListener('abort', () => {
        fail(new Error('aborted'))
      })
    }).finally(() => landings.delete(subject))
  return { compile, landings, aloftMax: () => aloftMax }
}

describe('a build', () => {
  test('reading starts nothing; a start is building, then complete with its result', async () => {
    const { builds } = open()
    expect(builds.read('hierarchy', 'one')).toBeNull()
    expect(builds.start('hierarchy', 'one')).toMatchObject({ state: 'building', result: null })
    await until(builds, 'one', 'complete')
    expect(builds.read('hierarchy', 'one')).toMatchObject({ result: '{"subject":"one"}', failure: null })
    expect(builds.read('entity', 'one')).toBeNull()
  })

  test('what begins in the millisecond of the last look is built, also when the clock has gone on', async () => {
    const clock = manualClock()
    let isLater = false
    const choose = () => {
      isLater = true
      return 0
    }
    const nowMs = () => clock.nowMs() + (isLater ? 1 : 0)
    const { builds } = open({ clock: { ...clock, nowMs }, buildMs: { choose, max: 0 } })
    // The loop has looked, and does not know yet how long it may sleep.
    await new Promise((resolve) => setImmediate(resolve))
    builds.start('hierarchy', 'one')
    await until(builds, 'one', 'complete')
  }, 10_000)

  test('E1-05 H-12 a start while it goes on is the same build', async () => {
    const { compile, landings } = slowCompiler()
    const { builds } = open({ compile })
    const first = builds.start('hierarchy', 'one')
    await expect.poll(() => landings.size).toBe(1)
    expect(builds.start('hierarchy', 'one')).toEqual(first)
    landings.get('one')?.give('"done"')
    await until(builds, 'one', 'complete')
  })

  test('E1-03 H-13 a start of what is complete keeps the result until the new one is there', async () => {
    const { compile, landings } = slowCompiler()
    const { builds } = open({ compile })
    builds.start('hierarchy', 'one')
    await expect.poll(() => landings.size).toBe(1)
    landings.get('one')?.give('"old"')
    await until(builds, 'one', 'complete')
    expect(builds.start('hierarchy', 'one')).toMatchObject({ state: 'refreshing', result: '"old"' })
    await expect.poll(() => landings.size).toBe(1)
    landings.get('one')?.give('"new"')
    await expect.poll(() => builds.read('hierarchy', 'one')?.result).toBe('"new"')
  })

  test('a refresh that fails leaves what was there, as complete, and is not tried at every read', async () => {
    let isBroken = false
    const compile: Compiler = (subject) => {
      if (isBroken) throw new BuildFailure('the source is closed')
      return `"${subject}"`
    }
    const { builds, clock } = open({ compile })
    builds.start('hierarchy', 'one')
    await until(builds, 'one', 'complete')
    const madeAtMs = clock.nowMs()
    isBroken = true
    clock.advance(limits.recordMsMax)
    expect(builds.demand('hierarchy', 'one').state).toBe('refreshing')
    await until(builds, 'one', 'complete')
    const after = builds.demand('hierarchy', 'one')
    expect(after).toMatchObject({ state: 'complete', failure: 'the source is closed', result: '"one"' })
    expect(after).toMatchObject({ updatedAtMs: madeAtMs, finishedAtMs: clock.nowMs() })
  })

  test('a failure is reported in its own words only if they are meant for others', async () => {
    const compile: Compiler = (subject) => {
      throw subject === 'safe' ? new BuildFailure('the source is closed') : new Error('no such file: /secret')
    }
    const { builds, logged } = open({ compile })
    for (const subject of ['safe', 'secret']) builds.start('hierarchy', subject)
    await until(builds, 'safe', 'failed')
    await until(builds, 'secret', 'failed')
    expect(builds.read('hierarchy', 'safe')?.failure).toBe('the source is closed')
    expect(builds.read('hierarchy', 'secret')?.failure).toBe('internal error')
    expect(logged).toContain('the build of hierarchy secret failed: no such file: /secret')
  })

  test('a start repeats a failed build at once, a demand after a minute', async () => {
    let isBroken = true
    const compile: Compiler = (subject) => {
      if (isBroken) throw new Error('broken')
      return subject
    }
    const { builds, clock } = open({ compile })
    for (const subject of ['one', 'two']) builds.start('hierarchy', subject)
    await until(builds, 'two', 'failed')
    isBroken = false
    expect(builds.start('hierarchy', 'one').state).toBe('building')
    expect(builds.demand('hierarchy', 'two').state).toBe('failed')
    clock.advance(limits.buildRetryMs)
    expect(builds.demand('hierarchy', 'two').state).toBe('building')
    await until(builds, 'two', 'complete')
  })
})

describe('many builds', () => {
  test('what asks the network goes side by side, so many at a time and no more', async () => {
    const { compile, landings, aloftMax } = slowCompiler()
    const { builds } = open({ compile })
    const subjects = Array.from({ length: limits.buildsInFlightMax * 3 }, (_, index) => `s${index}`)
    for (const subject of subjects) builds.start('hierarchy', subject)
    for (let landedCount = 0; landedCount < subjects.length; landedCount++) {
      await expect.poll(() => landings.size, { interval: 1 }).toBeGreaterThan(0)
      const [subject, { give } = { give: () => undefined }] = [...landings][0] ?? []
      give(`"${subject ?? ''}"`)
      await until(builds, subject ?? '', 'complete')
    }
    expect(aloftMax()).toBe(limits.buildsInFlightMax)
    expect(subjects.map((subject) => stateOf(builds, subject))).toEqual(subjects.map(() => 'complete'))
  })

  test('one that hangs holds up none that only thinks', async () => {
    const { compile: hang } = slowCompiler()
    const { builds } = open({
      compile: (subject, signal) => (subject === 'slow' ? hang(subject, signal) : echo(subject, signal)),
    })
    builds.start('hierarchy', 'slow')
    for (let index = 0; index < 200; index++) builds.start('hierarchy', `quick${index}`)
    for (let index = 0; index < 200; index++) await until(builds, `quick${index}`, 'complete')
    expect(stateOf(builds, 'slow')).toBe('building')
  })

  test('each is due at its own time, whatever is in flight', async () => {
    const { compile: hang } = slowCompiler()
    const clock = manualClock()
    let takesMs = 0
    const { builds } = open({
      clock,
      compile: (subject, signal) => (subject === 'slow' ? hang(subject, signal) : echo(subject, signal)),
      buildMs: { choose: () => takesMs, max: 100_000 },
    })
    builds.start('hierarchy', 'slow')
    takesMs = 30_000
    builds.start('hierarchy', 'later')
    takesMs = 10_000
    builds.start('hierarchy', 'sooner')
    await new Promise((resolve) => setTimeout(resolve, 20))
    clock.advance(10_000)
    await until(builds, 'sooner', 'complete')
    expect(stateOf(builds, 'later')).toBe('building')
    clock.advance(20_000)
    await until(builds, 'later', 'complete')
  })
})

describe('ends and starts', () => {
  test('DUR-01 a stop aborts what is in flight; the next start builds it, however long it would have taken', async () => {
    const { compile, landings } = slowCompiler()
    const database = openDatabase(null)
    const before = open({ compile, database, buildMs: exactly(0) })
    before.builds.start('hierarchy', 'one')
    await expect.poll(() => landings.size).toBe(1)
    await before.builds.stop()
    expect(landings.size).toBe(0)
    opened.pop()

    const clock = manualClock()
    const late = open({ database, clock, buildMs: exactly(1e9) })
    late.builds.start('hierarchy', 'two')
    await late.builds.stop()
    opened.pop()

    const after = open({ database, clock })
    await until(after.builds, 'one', 'complete')
    await until(after.builds, 'two', 'complete')
  })

  test('DUR-02 an end that cannot be stored is tried again, and nothing is lost', async () => {
    const { builds, database, clock, logged } = open()
    database.exec(`CREATE TRIGGER full BEFORE UPDATE ON builds BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
    builds.start('hierarchy', 'one')
    await expect.poll(() => logged).toContain('builds pause: disk full')
    expect(stateOf(builds, 'one')).toBe('building')
    database.exec('DROP TRIGGER full')
    clock.advance(limits.researchRetryMs)
    await until(builds, 'one', 'complete')
  })

  test('DUR-02 so is one from the network', async () => {
    const { builds, database, clock, logged } = open({ compile: (subject) => Promise.resolve(subject) })
    database.exec(`CREATE TRIGGER full BEFORE UPDATE ON builds BEGIN SELECT RAISE(ABORT, 'disk full'); END`)
    builds.start('hierarchy', 'one')
    await expect.poll(() => logged).toContain('builds pause: disk full')
    database.exec('DROP TRIGGER full')
    await expect
      .poll(() => {
        clock.advance(limits.researchRetryMs)
        return stateOf(builds, 'one')
      })
      .toBe('complete')
  })

  test('WH-08 an event that cannot be written ends nothing: both are stored, or none', async () => {
    let isFull = true
    let addedCount = 0
    const { builds, clock, database } = open({
      outbox: {
        add: () => {
          if (isFull) throw new Error('disk full')
          addedCount++
        },
        wake: () => undefined,
      },
    })
    database.exec("INSERT INTO accounts (account_number, name, v3_enabled) VALUES (1, 'alice', 1)")
    const waiter = { accountNumber: 1, runId: 'run_1', callId: 'req_1', webhookUrl: 'https://a.example' }
    builds.demand('entity', 'siq_1', { waiter: waiter as never })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(builds.read('entity', 'siq_1')?.state).toBe('building')
    isFull = false
    clock.advance(limits.researchRetryMs)
    await expect.poll(() => builds.read('entity', 'siq_1')?.state).toBe('complete')
    expect(addedCount).toBe(1)
  })
})

import { copyFileSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { peekAtCheckpoint } from '../../src/pipeline/checkpoint/sqlite/reader.js'
import { openSqlite } from '../../src/platform/sqlite.js'
import { at, createPlace, quickConfig, writeConfig, type CliPlace, type RunningCli } from '../support/cli.js'
import { readBilled, readCells, writeOwnWorld } from '../support/own-register.js'
import { serve, type Served } from '../support/served.js'

const nameCount = 100
const command = ['companies.csv', '-o', 'out.csv', '--first', 'own.sqlite', '--check-sample', '30%']
const checkpoint = '.enrich/checkpoint.sqlite'

/** Answers of the registry, and submissions and answers of the service, so far. */
interface Progress {
  readonly registry: number
  readonly submitted: number
  readonly answered: number
}

/** Moments at which a process is killed, one after another. */
const moments: readonly ((so: Progress) => boolean)[] = [
  ({ registry }) => registry > 0,
  ({ registry }) => registry === nameCount,
  ({ submitted }) => submitted > 0,
  ({ submitted }) => submitted >= 25,
  ({ answered }) => answered >= 30,
]

function readProgress(place: CliPlace): Progress {
  const reader = peekAtCheckpoint(place.path(checkpoint), null)
  const counts = reader?.read('counts') ?? []
  reader?.close()
  const own = counts.find(({ scope }) => scope.startsWith('embedded:'))?.states
  const hosted = counts.find(({ scope }) => scope.startsWith('http'))?.states
  const answered = hosted?.answered ?? 0
  return { registry: own?.answered ?? 0, submitted: answered + (hosted?.running ?? 0), answered }
}

/** The run of each answer of the registry. */
function readOwnAnswers(place: CliPlace): Map<string, string> {
  const database = openSqlite(place.path(checkpoint), { synchronous: 'NORMAL' })
  try {
    const rows = database
      .prepare<[], [string, string]>(
        `SELECT name, run_id FROM lookups JOIN scopes USING (scope_id) WHERE scope LIKE 'embedded:%' AND state = 'answered'`,
      )
      .raw()
      .all()
    return new Map(rows)
  } finally {
    database.close()
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

async function startUntil(
  place: CliPlace,
  service: Served,
  args: readonly string[],
  isReached: (so: Progress) => boolean,
): Promise<RunningCli> {
  const running = place.start(args, at(service))
  while (!isReached(readProgress(place)) && running.child.exitCode === null) await pause()
  expect(running.child.exitCode).toBeNull()
  return running
}

async function killAt(place: CliPlace, service: Served, isReached: (so: Progress) => boolean): Promise<void> {
  const running = await startUntil(place, service, command, isReached)
  running.child.kill('SIGKILL')
  await running.ended
}

test('killed at any moment of both sides: nothing is billed twice, and nothing that the registry answered is asked', async () => {
  const place = createPlace()
  const { known, unknown } = await writeOwnWorld(place, nameCount)
  const limits = { ...quickConfig.limits, submitPerMinute: 3_000, submitConcurrency: 4 }
  writeConfig(place, { ...quickConfig, limits })
  const service = await serve(place, 0.2)

  const answers = new Map<string, string>()
  for (const isReached of moments) {
    await killAt(place, service, isReached)
    for (const [name, runId] of readOwnAnswers(place)) {
      // What the registry has answered, it is not asked again.
      expect(answers.get(name) ?? runId).toBe(runId)
      answers.set(name, runId)
    }
  }
  expect(answers.size).toBe(nameCount)

  // A kill leaves submissions uncertain: the charges of the service tell which of them it got.
  const charges = await service.read((database) =>
    database
      .prepare<[], string>(`SELECT custom_id || ',' || run_id FROM ledger JOIN runs USING (run_number)`)
      .pluck()
      .all(),
  )
  place.write('charges.csv', `custom_id,run_id\n${charges.join('\n')}\n`)
  const reconciled = await place.run(['reconcile', 'charges.csv', '--complete'], at(service))
  expect([reconciled.code, reconciled.stderr + reconciled.stdout]).toEqual([0, expect.anything()])
  const last = await place.run(command, at(service))
  expect([last.code, last.stderr]).toEqual([0, expect.stringContaining('Done')])

  const billed = await readBilled(service)
  expect(new Set(billed).size).toBe(billed.length)
  const checked = billed.filter((name) => known.includes(name))
  expect(billed.filter((name) => !known.includes(name))).toEqual(unknown)
  expect(checked.length).toBeGreaterThan(known.length / 5)
  expect(checked.length).toBeLessThan(known.length / 2)
  expect(readOwnAnswers(place)).toEqual(answers)

  // A run of its own that nobody kills asks the same, and writes the same.
  const other = createPlace()
  for (const name of ['companies.csv', 'own.sqlite', 'pipeline.config.json'])
    copyFileSync(place.path(name), other.path(name))
  const whole = await other.run(command, at(service))
  expect([whole.code, whole.stderr]).toEqual([0, expect.stringContaining('Done')])
  expect(await readBilled(service)).toEqual([...billed, ...billed].toSorted())
  expect(readCells(place)).toEqual(readCells(other))

  const again = await place.run([...command, '--json', '--quiet'], at(service))
  expect(again.stdout).toContain('"billedCount":0')
  expect(readCells(place)).toEqual(readCells(other))
}, 240_000)

const load = (place: CliPlace, path: string) =>
  place.run(['registry', 'import', 'csv', 'all.csv', '--registry', path])

test.each<[string, (so: Progress) => boolean, (place: CliPlace) => Promise<void> | void]>([
  [
    'replaced while it answers',
    ({ registry }) => registry > 0,
    (place) => {
      renameSync(place.path('other.sqlite'), place.path('own.sqlite'))
    },
  ],
  [
    'loaded while the service answers',
    ({ submitted }) => submitted > 10,
    async (place) => {
      expect((await load(place, 'own.sqlite')).code).toBe(0)
    },
  ],
])(
  'a registry that is %s: the run keeps its edition, the next run takes the new one, and nothing is billed twice',
  async (_, isReached, change) => {
    const place = createPlace()
    const { names, known, unknown } = await writeOwnWorld(place, nameCount)
    // The new edition knows every name.
    place.write('all.csv', `id,name,country\n${names.map((name, at) => `${at},${name},DE\n`).join('')}`)
    expect((await load(place, 'other.sqlite')).code).toBe(0)
    writeConfig(place, { ...quickConfig, limits: { ...quickConfig.limits, submitPerMinute: 3_000 } })
    const service = await serve(place, 0.2)
    const args = ['companies.csv', '-o', 'out.csv', '--first', 'own.sqlite']
    const readSides = () => {
      const cells = readCells(place)
      const ofRegistry = cells.filter((row) => row['enrich_answered_by']?.startsWith('registry:') === true)
      const editions = [...new Set(ofRegistry.map((row) => row['enrich_answered_by']))]
      return { names: ofRegistry.map((row) => row['company_name'] ?? '').toSorted(), editions }
    }

    const running = await startUntil(place, service, args, isReached)
    // On a slow machine, it would end before the change.
    running.child.kill('SIGSTOP')
    try {
      await change(place)
    } finally {
      running.child.kill('SIGCONT')
    }
    expect(running.child.exitCode).toBeNull()
    const ended = await running.ended
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('Done')])
    const before = readSides()
    expect([before.editions.length, before.names]).toEqual([1, known])
    expect(await readBilled(service)).toEqual(unknown)

    const next = await place.run([...args, '--prefer', 'registry'], at(service))
    expect([next.code, next.stderr]).toEqual([0, expect.stringContaining('Done')])
    const after = readSides()
    expect([after.editions.length, after.names]).toEqual([1, names.toSorted()])
    expect(after.editions).not.toEqual(before.editions)
    expect(await readBilled(service)).toEqual(unknown)
  },
  120_000,
)

test('a registry that is loaded while it answers: all its answers are those of one edition', async () => {
  const place = createPlace()
  const { names, known, unknown } = await writeOwnWorld(place, nameCount)
  place.write('all.csv', `id,name,country\n${names.map((name, at) => `${at},${name},DE\n`).join('')}`)
  writeConfig(place, quickConfig)
  const service = await serve(place, 0.2)
  const args = ['companies.csv', '-o', 'out.csv', '--first', 'own.sqlite']
  const running = await startUntil(place, service, args, ({ registry }) => registry > 0)
  expect((await load(place, 'own.sqlite')).code).toBe(0)
  const ended = await running.ended
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('Done')])
  const info = await place.run(['registry', 'info', '--registry', 'own.sqlite', '--json'])
  const { edition } = JSON.parse(info.stdout) as { edition: string }
  const ofRegistry = readCells(place).filter((row) => row['enrich_answered_by']?.startsWith('registry:'))
  const editions = [...new Set(ofRegistry.map((row) => row['enrich_answered_by']))]
  // On a slow machine, the registry has answered before the load ends.
  const isNew = editions[0] === `registry:${edition}`
  expect(editions).toHaveLength(1)
  expect(ofRegistry.map((row) => row['company_name']).toSorted()).toEqual(isNew ? names.toSorted() : known)
  expect(await readBilled(service)).toEqual(isNew ? [] : unknown)
}, 120_000)

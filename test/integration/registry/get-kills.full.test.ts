import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mainPath, surroundings } from '../../support/cli.js'
import { createGetPlace } from '../../support/get-registers.js'
import { leiOf } from '../../support/made-identifiers.js'
import { publishSample, servePublishers, sourceOf, type PublisherServer } from '../../support/publishers.js'
import { levelOne, levelOneCsv } from '../../support/register-files.js'
import { Chance } from '../../simulation/chance.js'

let publishers: PublisherServer
beforeAll(async () => {
  publishers = await servePublishers()
})
afterAll(() => publishers.close())

/** Of each command; `KILLS=100` for more. */
const kills = Number(process.env['KILLS'] ?? 3)
const rowCount = 400
const gleif = sourceOf('gleif')
const header = sourceOf('norway').sample[0]?.lines?.[0] ?? ''
const address = 'data.brreg.no/enhetsregisteret/api/enheter/lastned/csv'

type GetPlace = ReturnType<typeof createGetPlace>

/** Names that all end with the number of their edition. */
const listNames = (edition: number): string[] =>
  Array.from({ length: rowCount }, (_, at) => `NORDLICHT ${at} ${edition} AS`)

function writeLevelOne(edition: number, before = 0): string {
  const rows = listNames(edition).map((name, at) => ({
    ...levelOne.ball,
    LEI: leiOf(before + at + 1),
    'Entity.LegalName': name,
    'Entity.RegistrationAuthority.RegistrationAuthorityEntityID': String(before + at + 1),
  }))
  return levelOneCsv(rows)
}

/** Publishes the edition of a minute: whole, or as its changes. */
function publishGleif(edition: number, places = gleif.files): void {
  const [, relations] = gleif.sample
  const lines = writeLevelOne(edition).trimEnd().split('\n')
  const modified = new Date(Date.now() - 3_600_000 + edition * 1_000).toUTCString()
  const sample = [{ file: 'lei2.csv', lines }, relations!]
  for (const key of publishSample(publishers, gleif, { sample, places, etag: `"${edition}"`, modified }))
    publishers.files.set(key, { ...publishers.files.get(key)!, slowMs: 2 })
}

interface Command {
  /** Makes the next edition available. */
  readonly publish: (edition: number, place: GetPlace) => void
  /** Loads the first edition. */
  readonly begin: (place: GetPlace) => Promise<unknown>
  readonly args: (place: GetPlace) => readonly string[]
}

const register = (place: GetPlace): string => join(place.folder, 'register.csv')

const commands: Readonly<Record<string, Command>> = {
  get: {
    publish(edition) {
      const rows = listNames(edition).map(
        (name, at) =>
          `"${900_000_000 + at}","${name}","AS","62.010","","Storgata 1","OSLO","0155","OSLO","NO","2015-01-01","false","false"`,
      )
      const content = [header, ...rows, ''].join('\n')
      publishers.files.set(address, { content, headers: { etag: `"${edition}"` }, slowMs: 2 })
    },
    begin: (place) => run(['get', 'norway'], place, null),
    args: () => ['get', 'norway'],
  },
  refresh: {
    publish(edition) {
      if (edition === 0) publishGleif(edition)
      else for (const { files } of gleif.deltas ?? []) publishGleif(edition, files)
    },
    begin: (place) => run(['get', 'gleif'], place, null),
    args: () => ['refresh'],
  },
  load: {
    publish(edition, place) {
      writeFileSync(register(place), writeLevelOne(edition))
    },
    begin: (place) => run(['load', register(place)], place, null),
    args: (place) => ['load', register(place)],
  },
}

/** Runs a command to its end, or kills it. */
async function run(
  args: readonly string[],
  { registryPath }: GetPlace,
  killAfterMs: number | null,
): Promise<number | null> {
  const child = spawn(process.execPath, [mainPath, 'registry', ...args, '--registry', registryPath], {
    env: { ...surroundings, ENRICH_REGISTER_MIRROR: publishers.address },
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  const timer = killAfterMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  const [code] = (await ended) as [number | null]
  clearTimeout(timer)
  return code
}

async function measure(action: () => Promise<unknown>): Promise<number> {
  const fromMs = performance.now()
  await action()
  return performance.now() - fromMs
}

test.each(Object.entries(commands))(
  'a kill at any moment of registry %s leaves the old edition or the new one, and nothing else',
  async (name, { publish, begin, args }) => {
    const place = createGetPlace(publishers)
    const chance = new Chance(name.length)
    const listSorted = (edition: number) => listNames(edition).sort()
    publish(0, place)
    await begin(place)
    expect(place.names()).toEqual(listSorted(0))
    publish(1, place)
    const durationMs = await measure(() => run(args(place), place, null))
    let known = 1
    let newCount = 0
    let killedCount = 0
    for (let kill = 2; kill < kills + 2; kill++) {
      publish(kill, place)
      // Every other kill comes near the commit.
      const fromMs = kill % 2 === 0 ? 100 : Math.round(durationMs * 0.7)
      const code = await run(args(place), place, chance.whole(fromMs, Math.round(durationMs * 1.2)))
      if (code === null) killedCount++
      const names = place.names()
      const isNew = names[0] === listSorted(kill)[0]
      if (isNew) newCount++
      known = isNew ? kill : known
      expect(names).toEqual(listSorted(known))
    }
    const last = kills + 2
    publish(last, place)
    expect(await run(args(place), place, null)).toBe(0)
    expect(place.names()).toEqual(listSorted(last))
    expect(place.leftovers().filter((file) => file !== 'register.csv')).toEqual([])
    expect(killedCount).toBeGreaterThan(0)
    if (process.env['KILLS'] !== undefined)
      process.stderr.write(
        `registry ${name}: ${kills} runs, ${killedCount} killed, ${newCount} new editions\n`,
      )
  },
  600_000,
)

test('a load of several files that was killed goes on with the files that are missing', async () => {
  const place = createGetPlace(publishers)
  const chance = new Chance(7)
  const folder = join(place.folder, 'files')
  mkdirSync(folder)
  const count = 5
  for (let part = 1; part <= count; part++)
    writeFileSync(join(folder, `leis-part-${part}.csv`), writeLevelOne(part, part * rowCount))
  const loaded = [0]
  for (let kill = 1; kill <= kills; kill++) {
    await run(['load', folder], place, chance.whole(300, 1_500))
    loaded.push(place.names().length)
  }
  expect(await run(['load', folder], place, null)).toBe(0)
  loaded.push(place.names().length)
  // Only whole files, and none is lost again.
  expect(loaded.map((length) => length % rowCount)).toEqual(loaded.map(() => 0))
  expect(loaded).toEqual([...loaded].sort((one, other) => one - other))
  expect(loaded.at(-1)).toBe(count * rowCount)
  expect(place.leftovers().filter((file) => !file.startsWith('files'))).toEqual([])
}, 600_000)

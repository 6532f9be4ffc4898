import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mainPath } from '../../support/cli.js'
import { createGetPlace } from '../../support/get-registers.js'
import { servePublishers, sourceOf, type PublisherServer } from '../../support/publishers.js'
import { Chance } from '../../simulation/chance.js'

let publishers: PublisherServer
beforeAll(async () => {
  publishers = await servePublishers()
})
afterAll(() => publishers.close())

const kills = 20
const rowCount = 400
const header = sourceOf('norway').sample[0]?.lines?.[0] ?? ''
const address = 'data.brreg.no/enhetsregisteret/api/enheter/lastned/csv'

/** Publishes an edition whose names all end with its number. */
function publish(edition: number): string[] {
  const names = Array.from({ length: rowCount }, (_, at) => `NORDLICHT ${at} ${edition} AS`)
  const rows = names.map(
    (name, at) =>
      `"${900_000_000 + at}","${name}","AS","62.010","","Storgata 1","OSLO","0155","OSLO","NO","2015-01-01","false","false"`,
  )
  const content = [header, ...rows, ''].join('\n')
  publishers.files.set(address, { content, headers: { etag: `"${edition}"` }, slowMs: 2 })
  return names.sort()
}

test('a kill at any moment leaves the old edition or the new one, and nothing else', async () => {
  const place = createGetPlace(publishers)
  const chance = new Chance(11)
  let known = publish(0)
  await place.get(['norway'])
  let newCount = 0
  for (let kill = 1; kill <= kills; kill++) {
    const next = publish(kill)
    const child = spawn(
      process.execPath,
      [mainPath, 'registry', 'get', 'norway', '--registry', place.registryPath],
      {
        env: { PATH: process.env['PATH'], ENRICH_REGISTER_MIRROR: publishers.address },
        stdio: 'ignore',
      },
    )
    const ended = once(child, 'exit')
    const timer = setTimeout(() => child.kill('SIGKILL'), chance.whole(150, 1_500))
    await ended
    clearTimeout(timer)
    const names = place.names()
    const isNew = names[0] === next[0]
    if (isNew) newCount++
    expect(names).toEqual(isNew ? next : known)
    known = isNew ? next : known
  }
  const last = publish(kills + 1)
  await place.get(['norway'])
  expect(place.names()).toEqual(last)
  expect(place.leftovers()).toEqual([])
  expect(newCount).toBeLessThan(kills)
})

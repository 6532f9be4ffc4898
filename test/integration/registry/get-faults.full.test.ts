import { createServer } from 'node:https'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { importRegister } from '../../../src/registry/load.js'
import { canMount, mountSmallDisk } from '../../crash/small-disk.js'
import { createGetPlace } from '../../support/get-registers.js'
import { closeAtOnce, listenOnLoopback } from '../../support/loopback-server.js'
import { servePublishers, sourceOf, type PublisherServer } from '../../support/publishers.js'
import { selfSigned } from '../client/self-signed.js'

let publishers: PublisherServer
beforeAll(async () => {
  publishers = await servePublishers()
})
afterAll(() => publishers.close())

const address = 'data.brreg.no/enhetsregisteret/api/enheter/lastned/csv'
const header = sourceOf('norway').sample[0]?.lines?.[0] ?? ''

/** Publishes an edition whose names all end with its number. */
function publish(edition: number, rowCount: number): void {
  const rows = Array.from(
    { length: rowCount },
    (_, at) =>
      `"${900_000_000 + at}","NORDLICHT ${at} ${edition} AS","AS","62.010","","Storgata 1","OSLO","0155","OSLO","NO","2015-01-01","false","false"`,
  )
  publishers.files.set(address, {
    content: [header, ...rows, ''].join('\n'),
    headers: { etag: `"${edition}"`, 'last-modified': new Date(Date.UTC(2026, 9, edition)).toUTCString() },
  })
}

const editionsOf = (names: readonly string[]): string[] => [
  ...new Set(names.map((name) => name.split(' ')[2] ?? '')),
]
const kibibyte = 1_024
const full = { code: 'DISK_FULL', hint: expect.stringContaining('same command again') as string }

// Mounting takes a superuser.
describe.skipIf(!canMount())('a disk that is full', () => {
  test.each([8, 64, 700, 1_500, 3_000])(
    'with %i KiB free, one edition answers, and the same command succeeds after there is space',
    async (freeKibibytes) => {
      const place = createGetPlace(publishers)
      const disk = mountSmallDisk(join(place.folder, 'disk'), '40m')
      onTestFinished(() => disk?.unmount())
      const registryPath = join(place.folder, 'disk', 'registry.sqlite')
      const names = () => editionsOf(createGetPlace(publishers, join(place.folder, 'disk')).names())
      publish(1, 300)
      await place.get(['norway'], { order: { registryPath } })
      publish(2, 4_000)
      disk?.fillBut(freeKibibytes * kibibyte)
      await expect(place.get(['norway'], { order: { registryPath, isRefresh: true } })).rejects.toMatchObject(
        full,
      )
      const [answering, ...mixed] = names()
      // The disk can also be full just after the commit.
      expect([answering, mixed]).toEqual([expect.stringMatching(/^[12]$/), []])
      disk?.empty()
      await place.get(['norway'], { order: { registryPath, isRefresh: true } })
      expect(names()).toEqual(['2'])
      expect(createGetPlace(publishers, join(place.folder, 'disk')).leftovers()).toEqual([])
    },
  )

  test('while a first file is imported, no registry and no temporary file stays', async () => {
    const place = createGetPlace(publishers)
    const disk = mountSmallDisk(join(place.folder, 'disk'), '2m')
    onTestFinished(() => disk?.unmount())
    const path = join(place.folder, 'rows.csv')
    const rows = Array.from({ length: 20_000 }, (_, at) => `${at},Company ${at} of Many`)
    writeFileSync(path, ['id,name', ...rows, ''].join('\n'))
    const registryPath = join(place.folder, 'disk', 'registry.sqlite')
    await expect(importRegister(registryPath, { format: 'csv', path, idType: 'id' })).rejects.toMatchObject(
      full,
    )
    expect(createGetPlace(publishers, join(place.folder, 'disk')).leftovers()).toEqual([])
  })
})

test('a certificate that nobody signed stops the download, and the loaded edition answers', async () => {
  const place = createGetPlace(publishers)
  publish(1, 10)
  await place.get(['norway'])
  const server = createServer(selfSigned('localhost'), (_, response) => response.end('id'))
  onTestFinished(() => closeAtOnce(server))
  const mirror = `https://localhost:${await listenOnLoopback(server)}`
  await expect(place.get(['norway'], { services: { mirror } })).rejects.toMatchObject({
    code: 'REGISTER_UNREACHABLE',
    message: expect.stringMatching(/certificate/i) as string,
    hint: expect.stringMatching(/NODE_EXTRA_CA_CERTS/) as string,
  })
  expect(editionsOf(place.names())).toEqual(['1'])
  expect(place.leftovers()).toEqual([])
})

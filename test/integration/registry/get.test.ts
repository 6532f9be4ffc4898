import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listLoaded } from '../../../src/registry/load.js'
import type { RegisterSource } from '../../../src/registry/sources/source.js'
import { createGetPlace } from '../../support/get-registers.js'
import { hurriedClock } from '../../support/hurried-clock.js'
import {
  publishSample,
  servePublishers,
  sourceOf,
  textOf,
  type PublisherServer,
} from '../../support/publishers.js'
import { errorWith } from '../../support/error-with.js'

let publishers: PublisherServer
beforeAll(async () => {
  publishers = await servePublishers()
})
afterAll(() => publishers.close())
beforeEach(() => {
  publishers.files.clear()
  publishers.requests.length = 0
  publishers.agents.length = 0
})

const norway = sourceOf('norway')
const header = norway.sample[0]?.lines?.[0] ?? ''
const addressOfNorway = 'data.brreg.no/enhetsregisteret/api/enheter/lastned/csv'

function rowOf(number: string, name: string, street = 'Storgata 1'): string {
  return `"${number}","${name}","AS","62.010","","${street}","OSLO","0155","OSLO","NO","2015-01-01","false","false"`
}

/** Publishes an edition of Norway; the file is not packed, so that its bytes can be counted. */
function publishNorway(rows: readonly string[], etag = '"1"'): void {
  const content = [header, ...rows, ''].join('\n')
  publishers.files.set(addressOfNorway, {
    content,
    headers: { etag, 'last-modified': 'Wed, 25 Nov 2026 06:00:00 GMT' },
  })
}

const manyRows = (count: number) =>
  Array.from({ length: count }, (_, index) => rowOf(String(900_000_000 + index), `NORDLICHT ${index} AS`))

describe('a download', () => {
  test('goes on behind the last byte after a cut', async () => {
    publishNorway(manyRows(200))
    const file = publishers.files.get(addressOfNorway)!
    publishers.files.set(addressOfNorway, { ...file, cuts: [5_000, 3_000] })
    const place = createGetPlace(publishers)
    const [outcome] = await place.get(['norway'])
    expect(outcome?.result?.importedCount).toBe(200)
    const ranges = publishers.requests
      .filter((request) => request.startsWith('GET'))
      .map((text) => text.split(' ')[2])
    expect(ranges).toEqual([undefined, 'bytes=5000-', 'bytes=8000-'])
    expect(place.leftovers()).toEqual([])
  })

  test('that was left in the middle goes on in the next command; a new version of the file begins again', async () => {
    publishNorway(manyRows(200))
    const file = publishers.files.get(addressOfNorway)!
    publishers.files.set(addressOfNorway, { ...file, cuts: [5_000, 0, 0, 0, 0, 0] })
    const place = createGetPlace(publishers)
    await expect(place.get(['norway'])).rejects.toMatchObject({ code: 'REGISTER_UNREACHABLE' })
    expect(place.names()).toEqual([])
    publishers.requests.length = 0
    publishers.files.set(addressOfNorway, file)
    await place.get(['norway'])
    expect(publishers.requests).toContain(`GET ${addressOfNorway} bytes=5000-`)
    expect(place.names()).toHaveLength(200)

    publishNorway(manyRows(150), '"2"')
    publishers.files.set(addressOfNorway, {
      ...publishers.files.get(addressOfNorway)!,
      cuts: [4_000, 0, 0, 0, 0, 0],
    })
    await expect(place.get(['norway'])).rejects.toMatchObject({ code: 'REGISTER_UNREACHABLE' })
    expect(place.names()).toHaveLength(200)
    publishNorway(manyRows(120), '"3"')
    publishers.requests.length = 0
    await place.get(['norway'])
    expect(publishers.requests.filter((request) => request.startsWith('GET'))).toEqual([
      `GET ${addressOfNorway}`,
    ])
    expect(place.names()).toHaveLength(120)
  }, 40_000)

  test('costs nothing if nothing changed, and is repeated if the registry is gone', async () => {
    publishNorway(manyRows(3))
    const place = createGetPlace(publishers)
    await place.get(['norway'])
    publishers.requests.length = 0
    const [again] = await place.get(['norway'])
    expect(again?.result).toBeNull()
    expect(publishers.requests).toEqual([`HEAD ${addressOfNorway}`])
    const other = { order: { registryPath: `${place.registryPath}.other` } }
    const [first] = await place.get(['norway'], other)
    expect(first?.result?.importedCount).toBe(3)
  })

  test('above 500 MB needs consent', async () => {
    publishNorway(manyRows(3))
    const huge: RegisterSource = { ...norway, id: 'huge', downloadMegabytes: 1_000_000, rows: 1 }
    const place = createGetPlace(publishers)
    const path = join(place.folder, 'huge.source.json')
    writeFileSync(path, JSON.stringify(huge))
    const asked: number[] = []
    const accepts = (bytes: number) => Promise.resolve(asked.push(bytes) < 0)
    await place.get([path], { services: { accepts } })
    expect(asked).toEqual([])
    expect(place.names()).toHaveLength(3)
    publishers.files.set(addressOfNorway, { ...publishers.files.get(addressOfNorway)!, refusesHead: true })
    expect(await place.get([path], { services: { accepts } })).toEqual([])
    expect(asked).toEqual([1_000_000_000_000])
  })

  test('sends the contact to publishers that want it, and stops without one', async () => {
    publishSample(publishers, sourceOf('sec-listed'))
    const place = createGetPlace(publishers)
    await expect(place.get(['sec-listed'], { services: { contact: null } })).rejects.toMatchObject(
      errorWith('USAGE_INVALID', { hint: '--contact' }),
    )
    await place.get(['sec-listed'])
    expect(new Set(publishers.agents)).toEqual(new Set(['Test test@example.com']))
    expect(place.names()).toEqual(['Apple Inc.', 'FORD MOTOR CO'])
  })

  test('may be a file on this machine, which stays', async () => {
    const place = createGetPlace(publishers)
    await expect(place.get(['japan'])).rejects.toMatchObject({ code: 'USAGE_INVALID' })
    const path = join(place.folder, 'japan.csv')
    writeFileSync(path, textOf(sourceOf('japan').sample[0]!))
    const [outcome] = await place.get(['japan'], { order: { from: [path] } })
    expect(outcome?.result?.importedCount).toBe(2)
    expect(place.leftovers()).toEqual(['japan.csv'])
  })
})

describe('what a publisher does wrong leaves the loaded edition', () => {
  const wrong: [string, () => void, string, RegExp][] = [
    [
      'a missing column',
      () => {
        publishers.files.set(addressOfNorway, { content: `nummer,navn\n1,A\n`, headers: { etag: '"x"' } })
      },
      'REGISTER_CHANGED',
      /it has no column organisasjonsnummer/,
    ],
    [
      'a page of HTML',
      () => {
        publishers.files.set(addressOfNorway, {
          content: '<!DOCTYPE html><p>Maintenance',
          headers: { etag: '"x"' },
        })
      },
      'REGISTER_CHANGED',
      /page of HTML/,
    ],
    [
      'a damaged gzip',
      () => {
        publishers.files.set(addressOfNorway, {
          content: Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
          headers: { etag: '"x"' },
        })
      },
      'REGISTER_CHANGED',
      /cannot be read|decompress/,
    ],
    [
      'no rows',
      () => {
        publishers.files.set(addressOfNorway, { content: `${header}\n`, headers: { etag: '"x"' } })
      },
      'REGISTER_CHANGED',
      /has no rows/,
    ],
    ['no file', () => publishers.files.delete(addressOfNorway), 'REGISTER_MOVED', /has no file at/],
    [
      'another host',
      () => {
        publishers.files.set(addressOfNorway, { content: '', location: 'https://elsewhere.example.com/x' })
      },
      'REGISTER_MOVED',
      /leads to another host: https:\/\/elsewhere\.example\.com/,
    ],
    [
      'a refusal',
      () => {
        publishers.files.set(addressOfNorway, { content: '', status: 401 })
      },
      'REGISTER_UNREACHABLE',
      /refused the request \(status 401\)/,
    ],
  ]
  test.each(wrong)('%s', async (_, publish, code, message) => {
    publishNorway(manyRows(2))
    const place = createGetPlace(publishers)
    await place.get(['norway'])
    publish()
    await expect(place.get(['norway'])).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
      hint: expect.stringContaining(norway.page) as string,
    })
    expect(place.names()).toEqual(['NORDLICHT 0 AS', 'NORDLICHT 1 AS'])
  })

  test('an address with a password, which would be stored; a key in its query is not', async () => {
    const place = createGetPlace(publishers)
    const from = (url: string) => place.get(['norway'], { order: { from: [url] } })
    await expect(from('https://user:hidden@data.brreg.no/a.csv')).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.not.stringContaining('hidden') as string,
    })
    publishNorway(manyRows(2))
    const file = publishers.files.get(addressOfNorway)!
    publishers.files.set('data.brreg.no/a.csv?key=hidden', file)
    await from('https://data.brreg.no/a.csv?key=hidden')
    expect(place.names()).toHaveLength(2)
    const stored = readFileSync(join(`${place.registryPath}-registers`, 'editions.json'), 'utf8')
    expect(stored).toContain('https://data.brreg.no/a.csv')
    expect(stored).not.toContain('hidden')
  })

  test('a server that does not answer', async () => {
    const place = createGetPlace(publishers)
    const closed = await servePublishers()
    await closed.close()
    await expect(place.get(['norway'], { services: { mirror: closed.address } })).rejects.toMatchObject(
      errorWith('REGISTER_UNREACHABLE', { message: 'refused the connection' }),
    )
  }, 30_000)

  test('a redirect within the publisher is followed', async () => {
    publishNorway(manyRows(1))
    publishers.files.set('files.brreg.no/enheter.csv', publishers.files.get(addressOfNorway)!)
    publishers.files.set(addressOfNorway, { content: '', location: 'https://files.brreg.no/enheter.csv' })
    const place = createGetPlace(publishers)
    await place.get(['norway'])
    expect(place.names()).toEqual(['NORDLICHT 0 AS'])
  })

  test('one source fails, and the others are loaded', async () => {
    publishNorway(manyRows(1))
    const place = createGetPlace(publishers)
    await expect(place.get(['finland', 'norway'])).rejects.toMatchObject({ code: 'REGISTER_MOVED' })
    expect(place.names()).toEqual(['NORDLICHT 0 AS'])
  })
})

describe('a refresh', () => {
  test('says what is new, changed and gone', async () => {
    publishNorway([
      rowOf('900000001', 'STAYS AS'),
      rowOf('900000002', 'MOVES AS'),
      rowOf('900000003', 'GOES AS'),
    ])
    const place = createGetPlace(publishers)
    await place.get(['norway'])
    publishNorway(
      [
        rowOf('900000001', 'STAYS AS'),
        rowOf('900000002', 'MOVES AS', 'Lillegata 2'),
        rowOf('900000004', 'COMES AS'),
      ],
      '"2"',
    )
    const [outcome] = await place.get(['norway'], { order: { isRefresh: true } })
    expect(outcome?.result).toMatchObject({ importedCount: 1, changedCount: 1, vanishedCount: 1 })
    expect(place.names()).toEqual(['COMES AS', 'MOVES AS', 'STAYS AS'])
  })

  describe('of GLEIF', () => {
    const gleif = sourceOf('gleif')
    const [companies, relations] = gleif.sample
    const [columns = '', ford = '', tesco = ''] = companies?.lines ?? []
    const deltas = gleif.deltas ?? []

    /** Publishes changes of one company for every length of time, with a time of change. */
    function publishChanges(lines: readonly string[], modified = 'Wed, 25 Nov 2026 18:00:00 GMT'): void {
      for (const { files } of deltas) {
        const sample = [{ file: 'lei2.csv', lines: [...lines] }, relations!]
        publishSample(publishers, gleif, { places: files, sample, etag: '"d"', modified })
      }
    }

    /** The night after the edition of the samples. */
    const night = { ...hurriedClock(100), nowMs: () => Date.UTC(2026, 10, 26, 3) }
    const refresh = { order: { isRefresh: true }, services: { clock: night } }

    async function getOld(): Promise<ReturnType<typeof createGetPlace>> {
      publishSample(publishers, gleif)
      const place = createGetPlace(publishers)
      await place.get(['gleif'], { services: { clock: night } })
      return place
    }

    test('takes the file of the last day, and leaves all other companies', async () => {
      const place = await getOld()
      publishChanges([columns, ford.replace('One American Road', 'Two American Road')])
      const [outcome] = await place.get(['gleif'], refresh)
      expect(outcome).toMatchObject({
        isDelta: true,
        wholeBecause: null,
        result: { rowCount: 1, changedCount: 1, vanishedCount: 0 },
      })
      expect(place.names()).toEqual(['Ford Motor Company', 'TESCO PLC'])
      const [again] = await place.get(['gleif'], refresh)
      expect(again).toMatchObject({ isDelta: true, result: null })
    })

    const publishing =
      (...changes: Parameters<typeof publishChanges>) =>
      () => {
        publishChanges(...changes)
      }
    const spoilAll = (content: Buffer | string | null) => () => {
      for (const key of [...publishers.files.keys()].filter((one) => one.includes('?delta='))) {
        if (content === null) publishers.files.delete(key)
        else publishers.files.set(key, { content, headers: { etag: '"d"' } })
      }
    }
    test.each<[string, () => void, RegExp]>([
      ['are missing', spoilAll(null), /GLEIF has no file at .* \(status 404\)/],
      ['are a page of HTML', spoilAll('<!DOCTYPE html><p>Moved'), /page of HTML/],
      ['are damaged', spoilAll(Buffer.from('PK\x03\x04 and no more')), /cannot be read|damaged|zip/i],
      ['lack a column', publishing([columns.replace('LEI,', 'Code,'), ford]), /LEI/],
      [
        'end before the loaded edition',
        publishing([columns, ford], 'Tue, 24 Nov 2026 06:00:00 GMT'),
        /do not follow on the loaded edition of 2026-11-25/,
      ],
    ])('takes the whole file if the changes %s, and says why', async (_, spoil, reason) => {
      const place = await getOld()
      publishSample(publishers, gleif, {
        sample: [{ file: 'lei2.csv', lines: [columns, ford] }, relations!],
        etag: '"2"',
      })
      publishChanges([columns, tesco])
      spoil()
      const [outcome] = await place.get(['gleif'], refresh)
      expect(outcome).toMatchObject({
        isDelta: false,
        wholeBecause: expect.stringMatching(reason) as string,
        result: { rowCount: 1, vanishedCount: 1 },
      })
      expect(place.names()).toEqual(['Ford Motor Company'])
      expect(place.leftovers()).toEqual([])
    })

    test('takes the whole file if the changes do not reach back to the loaded edition', async () => {
      const place = await getOld()
      publishChanges([columns, tesco])
      const later = { ...night, nowMs: () => Date.UTC(2027, 5, 1) }
      const [outcome] = await place.get(['gleif'], { ...refresh, services: { clock: later } })
      expect(outcome).toMatchObject({
        isDelta: false,
        wholeBecause: 'the changes begin after the loaded edition of 2026-11-25',
        result: null,
      })
    })
  })

  test('keeps the countries of the first load', async () => {
    publishSample(publishers, sourceOf('gleif'))
    const place = createGetPlace(publishers)
    await place.get(['gleif'], { order: { countries: ['GB'] } })
    expect(place.names()).toEqual(['TESCO PLC'])
    expect(listLoaded(place.registryPath)).toMatchObject([{ name: 'gleif', countries: ['GB'] }])
  })
})

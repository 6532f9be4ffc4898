import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, type TestContext } from 'vitest'
import { createS3Connector } from '../../../src/connectors/objects/s3.js'
import type { StoreLimits } from '../../../src/connectors/objects/http-client.js'
import { startChild } from '../../support/child-process.js'
import { createObjectPlace, refused, testPlatform } from '../../support/object-place.js'
import {
  answer,
  answerText,
  changeReply,
  cutRequest,
  loseReply,
  stall,
  type Fault,
} from '../../support/fault-proxy.js'
import { startS3Store } from '../../support/s3-store.js'

const store = await startS3Store()
afterAll(() => store.close())
beforeEach(store.reset)

/** Five parts. */
const content = randomBytes(300_000)
const address = 's3://bucket/out/result.parquet'
const key = 'out/result.parquet'
const isPut = /^PUT \/bucket\/out\/result\.parquet$/
const isThirdPart = /^PUT .*partNumber=3/
const isStart = /^POST .*\?uploads=/
const isComplete = /^POST .*\?uploadId=/

const open = (context: TestContext, limits: Partial<StoreLimits> = {}) =>
  createObjectPlace(context, createS3Connector(testPlatform(limits)), store.environment)

const count = (pattern: RegExp) => store.requests.filter((line) => pattern.test(line)).length

function expectPublished(): void {
  expect(store.read(key).equals(content)).toBe(true)
  expect([store.keys(), store.uploads()]).toEqual([[key], []])
}

describe('an upload in parts succeeds after', () => {
  const faults: readonly (readonly [string, RegExp, Fault])[] = [
    ['a cut of a part', isThirdPart, cutRequest],
    ['a lost reply to a part', isThirdPart, loseReply],
    ['500 for a part', isThirdPart, answer(500, 'InternalError')],
    ['503 with Retry-After for a part', isThirdPart, answer(503, 'SlowDown', { 'retry-after': '2' })],
    ['429 for a part', isThirdPart, answer(429, 'TooManyRequests')],
    ['409 for a part', isThirdPart, answer(409, 'OperationAborted')],
    ['a time-out of the store for a part', isThirdPart, answer(400, 'RequestTimeout')],
    ['500 at the start', isStart, answer(500, 'InternalError')],
    ['a cut at the end', isComplete, cutRequest],
    ['500 at the end', isComplete, answer(500, 'InternalError')],
    ['200 with an error at the end', isComplete, answer(200, 'InternalError')],
    ['a body that is cut at the end', isComplete, answerText('<?xml')],
  ]
  test.for(faults)('%s, and only that request is repeated', async ([, pattern, fault], context) => {
    store.fail(pattern, fault)
    await open(context).publish(address, content)
    expectPublished()
    expect(count(pattern)).toBe(2)
    expect(count(/partNumber=[1245]/)).toBe(4)
  })

  test('silence for a part', async (context) => {
    store.fail(isThirdPart, stall)
    await open(context, { silenceMsMax: 30_000, joiningMsMax: 30_000 }).publish(address, content)
    expectPublished()
  })

  test('a cut in the middle of the body of a part', async (context) => {
    const large = randomBytes(12_000_000)
    store.fail(/partNumber=2/, ({ incoming }) => {
      incoming.once('data', () => incoming.socket.destroy())
    })
    await open(context, { partBytesMin: 5_000_000 }).publish(address, large)
    expect(store.read(key).equals(large)).toBe(true)
    expect([count(/partNumber=2/), count(/partNumber=[13]/), store.uploads()]).toEqual([2, 2, []])
  })

  test('a cut of every part, one after the other', async (context) => {
    for (const part of [1, 2, 3, 4, 5]) store.fail(new RegExp(`partNumber=${part}&`), cutRequest)
    await open(context).publish(address, content)
    expectPublished()
  })

  test('another run has removed it: it starts again', async (context) => {
    store.fail(isThirdPart, async ({ outgoing, forward }) => {
      rmSync(join(store.folder, 'bucket/._S3rver_uploads'), { recursive: true })
      const { status, headers, body } = await forward()
      outgoing.writeHead(status, headers).end(body)
    })
    await open(context).publish(address, content)
    expectPublished()
    expect(count(isStart)).toBe(2)
  })

  test('a lost reply at the end: the object is compared, and not sent again', async (context) => {
    const digests: Buffer[] = []
    for (let at = 0; at < content.length; at += 65_536) {
      digests.push(
        createHash('md5')
          .update(content.subarray(at, at + 65_536))
          .digest(),
      )
    }
    const etag = `"${createHash('md5').update(Buffer.concat(digests)).digest('hex')}-5"`
    store.fail(isComplete, loseReply)
    // The ETag that S3 gives to objects that were uploaded in parts; this server gives another.
    store.fail(
      /^HEAD/,
      changeReply((reply) => ({ ...reply, headers: { ...reply.headers, etag } })),
    )
    await open(context).publish(address, content)
    expectPublished()
    expect([count(isStart), count(/partNumber=/)]).toEqual([1, 5])
  })

  test('a lost reply at the end, and another object there: it is sent again', async (context) => {
    store.fail(isComplete, loseReply)
    await open(context).publish(address, content)
    expectPublished()
    expect(count(isStart)).toBe(2)
  })
})

describe('a failed upload leaves the old object and no parts:', () => {
  const faults: readonly (readonly [string, RegExp, Fault, string])[] = [
    ['403 for a part', isThirdPart, answer(403, 'AccessDenied'), 'ACCESS_DENIED'],
    ['403 at the start', isStart, answer(403, 'AccessDenied'), 'ACCESS_DENIED'],
    ['412 at the end', isComplete, answer(412, 'PreconditionFailed'), 'STORE_REFUSED'],
    ['409 at the end', isComplete, answer(409, 'InvalidState'), 'STORE_REFUSED'],
    ['200 with an error at the end', isComplete, answer(200, 'EntityTooSmall'), 'STORE_REFUSED'],
    ['a store that keeps failing', isThirdPart, answer(503, 'SlowDown'), 'STORE_UNREACHABLE'],
    ['a wrong checksum', isThirdPart, answer(400, 'BadDigest'), 'STORE_REFUSED'],
  ]
  test.for(faults)('%s', async ([, pattern, fault, expected], context) => {
    const place = open(context, { patienceMs: 20_000 })
    await place.publish(address, 'old')
    store.fail(pattern, fault, Infinity)
    const { code, text } = await refused(place.publish(address, content))
    expect(code).toBe(expected)
    expect(text).toContain('s3://bucket')
    expect([store.read(key).toString(), store.uploads()]).toEqual(['old', []])
  })

  test('an abort by the signal', async (context) => {
    const place = open(context)
    await place.publish(address, 'old')
    const reason = new Error('stopped by the test')
    store.fail(isThirdPart, (fault) => {
      void stall(fault)
      place.signal.abort(reason)
    })
    await expect(place.publish(address, content)).rejects.toBe(reason)
    expect([store.read(key).toString(), store.uploads()]).toEqual(['old', []])
  })

  test('the parts cannot be removed: the next call removes them', async (context) => {
    const place = open(context)
    await place.publish(address, 'old')
    store.fail(isThirdPart, answer(403, 'AccessDenied'))
    store.fail(/^DELETE .*uploadId/, answer(403, 'AccessDenied'), 2)
    expect((await refused(place.publish(address, content))).code).toBe('ACCESS_DENIED')
    expect(store.uploads().length).toBe(1)
    expect(place.notices[0]).toContain('could not be removed; the next run tries again')
    await place.target(address).tryWriting(place.write('sample', 'a'))
    expect([store.read(key).toString(), store.keys(), store.uploads()]).toEqual(['old', [key], []])
  })
})

test('after kill -9 in the middle of an upload the old object is there, and the next call removes the parts', async (context) => {
  const place = open(context)
  await place.publish(address, 'old')
  const reached = new Promise<void>((resolve) => {
    store.fail(isThirdPart, (fault) => {
      void stall(fault)
      resolve()
    })
  })
  const child = startChild(
    new URL('../../support/object-upload-child.ts', import.meta.url).href,
    JSON.stringify(store.environment),
    place.write('large', content),
    address,
  )
  await reached
  await child.kill()
  expect([store.read(key).toString(), store.uploads().length]).toEqual(['old', 1])
  await place.publish(address, content)
  expectPublished()
})

test('two runs that write to one address at once both succeed, and one of the two objects is whole', async (context) => {
  const contents = [randomBytes(300_000), randomBytes(250_000)]
  const place = open(context)
  await Promise.all(
    contents.map((bytes, index) => place.target(address).publish(place.write(`large-${index}`, bytes))),
  )
  expect(contents.some((bytes) => bytes.equals(store.read(key)))).toBe(true)
  expect(store.uploads()).toEqual([])
})

describe('trying', () => {
  test('writes next to the object, removes it again, and does not touch the object', async (context) => {
    const place = open(context)
    await place.publish(address, 'old')
    await place.target(address).tryWriting(place.write('sample', 'a'))
    expect(count(/^PUT \/bucket\/out\/\.enrich-try-result\.parquet$/)).toBe(1)
    expect([store.keys(), store.uploads(), store.read(key).toString()]).toEqual([[key], [], 'old'])
    expect(place.notices).toEqual([])
  })

  test('succeeds where deleting is refused, with a notice that names the object', async (context) => {
    const place = open(context)
    store.fail(/^DELETE .*try-result/, answer(403, 'AccessDenied'), 2)
    await place.target(address).tryWriting(place.write('sample', 'a'))
    expect(place.notices[0]).toContain('s3://bucket/out/.enrich-try-result.parquet is left from the trial')
    await place.target(address).tryWriting(place.write('sample', 'a'))
    expect(store.keys()).toEqual([])
  })

  test('names a missing bucket and a missing right', async (context) => {
    const place = open(context)
    const sample = place.write('sample', 'a')
    const missing = await refused(place.target('s3://missing-bucket/out.csv').tryWriting(sample))
    expect([missing.code, missing.text]).toEqual([
      'OUTPUT_UNWRITABLE',
      expect.stringContaining('s3://missing-bucket does not exist'),
    ])
    store.fail(/^PUT/, answer(403, 'AccessDenied'))
    const denied = await refused(place.target(address).tryWriting(sample))
    expect([denied.code, denied.text]).toEqual([
      'ACCESS_DENIED',
      expect.stringContaining('s3://bucket refused to write'),
    ])
  })

  test('succeeds where uploads cannot be listed', async (context) => {
    const place = open(context)
    store.fail(/^GET .*uploads=/, answer(501, 'NotImplemented'))
    store.fail(/^GET .*uploads=/, answer(403, 'AccessDenied'))
    await place.target(address).tryWriting(place.write('sample', 'a'))
    expect(place.notices).toEqual([])
  })
})

test.for([
  ['403', answer(403, 'AccessDenied'), 'ACCESS_DENIED'],
  ['412', answer(412, 'PreconditionFailed'), 'STORE_REFUSED'],
  ['503', answer(503, 'SlowDown'), 'STORE_UNREACHABLE'],
] as const)('a single PUT that ends in %s keeps the old object', async ([, fault, expected], context) => {
  const place = open(context, { patienceMs: 20_000 })
  await place.publish(address, 'old')
  store.fail(isPut, fault, Infinity)
  expect((await refused(place.publish(address, 'new'))).code).toBe(expected)
  expect(store.read(key).toString()).toBe('old')
})

test.for(['append', 'upsert'] as const)('--mode %s is refused', (mode) => {
  const openTarget = () =>
    createS3Connector(testPlatform()).openTarget(address, {
      environment: store.environment,
      notice: () => undefined,
      mode,
      keyColumn: null,
    })
  expect(openTarget).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }))
})

test('the media type follows the extension', async (context) => {
  const place = open(context)
  for (const name of ['a.csv', 'a.csv.gz', 'a.unknown']) await place.publish(`s3://bucket/${name}`, 'x')
  const types = store.requests.flatMap((line, index) =>
    line.startsWith('PUT') ? [store.headers[index]?.['content-type']] : [],
  )
  expect(types).toEqual(['text/csv', 'application/gzip', 'application/octet-stream'])
})

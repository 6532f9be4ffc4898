import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test, type TestContext } from 'vitest'
import { createS3Connector } from '../../../src/connectors/objects/s3.js'
import type { StoreLimits } from '../../../src/connectors/objects/http-client.js'
import { createObjectPlace, refused, testPlatform } from '../../support/object-place.js'
import {
  answer,
  changeReply,
  cutReply,
  cutRequest,
  ignoreRange,
  type Fault,
} from '../../support/fault-proxy.js'
import { startS3Store } from '../../support/s3-store.js'

const store = await startS3Store()
afterAll(() => store.close())
beforeEach(store.reset)

const content = randomBytes(200_000)
const address = 's3://bucket/day/in.csv'
const isContent = /^GET \/bucket\/day\/in\.csv/
const gets = () => store.requests.filter((line) => isContent.test(line)).length

/** A place with the object at the address. */
async function prepare(context: TestContext, limits: Partial<StoreLimits> = {}, skewMs = 0) {
  const loader = createObjectPlace(context, createS3Connector(testPlatform()), store.environment)
  await loader.publish(address, content)
  store.requests.length = store.headers.length = 0
  return createObjectPlace(context, createS3Connector(testPlatform(limits, skewMs)), store.environment)
}

describe('a download', () => {
  test.for([0, 1, 70_000, 199_999])('continues after a cut at byte %i', async (byteCount, context) => {
    const place = await prepare(context)
    store.fail(isContent, cutReply(byteCount))
    const [file] = await place.fetch(address)
    expect(file?.content.equals(content)).toBe(true)
    expect(gets()).toBe(2)
    const { range, 'if-match': match } = store.headers.at(-1)!
    if (byteCount > 0 && range !== undefined) expect(match).toMatch(/^".+"$/)
  })

  test('continues after many cuts', async (context) => {
    const place = await prepare(context)
    store.fail(isContent, cutReply(20_000), 9)
    const [file] = await place.fetch(address)
    expect(file?.content.equals(content)).toBe(true)
  })

  test('starts again where the server has no ranges', async (context) => {
    const place = await prepare(context)
    store.fail(isContent, cutReply(50_000))
    store.fail(isContent, ignoreRange)
    const [file] = await place.fetch(address)
    expect(file?.content.equals(content)).toBe(true)
  })

  test('continues after a silence', async (context) => {
    const place = await prepare(context, { silenceMsMax: 30_000 })
    store.fail(isContent, cutReply(50_000, true))
    const [file] = await place.fetch(address)
    expect(file?.content.equals(content)).toBe(true)
  })

  test.for([
    ['a reset before the reply', cutRequest],
    ['429', answer(429, 'TooManyRequests')],
    ['500', answer(500, 'InternalError')],
    ['502', answer(502)],
    ['503 with Retry-After', answer(503, 'SlowDown', { 'retry-after': '7' })],
    ['504', answer(504)],
  ] as const)('is tried again after %s', async ([title, fault], context) => {
    const place = await prepare(context)
    store.fail(isContent, fault, 2)
    const [file] = await place.fetch(address)
    expect(file?.content.equals(content)).toBe(true)
    expect(gets()).toBe(3)
    const notice = 's3://bucket does not answer as expected (status 503, SlowDown); retrying'
    if (title.includes('Retry-After')) expect(place.notices).toEqual([notice])
  })

  test('ends when the store keeps failing', async (context) => {
    const place = await prepare(context, { patienceMs: 20_000 })
    store.fail(isContent, answer(503, 'SlowDown'), Infinity)
    expect(await refused(place.fetch(address))).toEqual({
      code: 'STORE_UNREACHABLE',
      text: expect.stringContaining('s3://bucket kept failing: status 503, SlowDown'),
    })
    expect(place.notices.length).toBe(1)
  })

  test('ends when every reply is shorter than announced', async (context) => {
    const place = await prepare(context, { patienceMs: 20_000 })
    const lengthen: Fault = async ({ outgoing, forward }) => {
      const { status, headers, body } = await forward()
      // Without it, the next request may be sent on the connection that ends.
      outgoing.writeHead(status, {
        ...headers,
        connection: 'close',
        'content-length': String(body.length + 10),
      })
      outgoing.write(body, () => outgoing.socket?.end())
    }
    store.fail(isContent, lengthen, Infinity)
    expect((await refused(place.fetch(address))).code).toBe('INPUT_INCOMPLETE')
  })

  test('an object that changes after a cut is refused, whether or not the store checks If-Match', async (context) => {
    for (const isChecked of [false, true]) {
      const place = await prepare(context)
      const changeThenCut: Fault = async ({ outgoing, forward }) => {
        const { status, headers, body } = await forward()
        await place.publish(address, randomBytes(200_000))
        if (isChecked) store.fail(isContent, answer(412, 'PreconditionFailed'))
        outgoing.writeHead(status, headers)
        outgoing.write(body.subarray(0, 90_000), () => outgoing.destroy())
      }
      store.fail(isContent, changeThenCut)
      const found = await refused(place.fetch(address))
      expect(found).toEqual({ code: 'INPUT_CHANGED', text: expect.stringContaining(address) })
    }
  })

  test('a body that is compressed on the way is refused', async (context) => {
    const place = await prepare(context)
    const compress = changeReply(({ status, headers, body }) => {
      const zipped = gzipSync(body)
      return {
        status,
        headers: { ...headers, 'content-encoding': 'gzip', 'content-length': String(zipped.length) },
        body: zipped,
      }
    })
    store.fail(isContent, compress)
    expect((await refused(place.fetch(address))).code).toBe('INPUT_UNREADABLE')
    await place.publish('s3://bucket/in.csv.gz', gzipSync('a\n1\n'))
    store.fail(
      /^GET .*csv\.gz/,
      changeReply((reply) => ({ ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' } })),
    )
    const [file] = await place.fetch('s3://bucket/in.csv.gz')
    expect([file?.name, file?.content]).toEqual(['1.csv.gz', gzipSync('a\n1\n')])
  })

  test('an abort ends it with its reason', async (context) => {
    const place = await prepare(context)
    const reason = new Error('stopped by the test')
    store.fail(isContent, (fault) => {
      void cutReply(10, true)(fault)
      place.signal.abort(reason)
    })
    await expect(place.fetch(address)).rejects.toBe(reason)
  })
})

describe('a refusal names what is wrong', () => {
  test('403, of the content and of the list', async (context) => {
    const place = await prepare(context)
    store.fail(/^(HEAD|GET) \/bucket\/day/, answer(403, 'AccessDenied'), 4)
    const found = await refused(place.fetch(address))
    expect(found).toEqual({
      code: 'ACCESS_DENIED',
      text: expect.stringContaining(`s3://bucket refused to read ${address} (status 403, AccessDenied)`),
    })
    store.fail(/list-type/, answer(403, 'AccessDenied'))
    const listed = await refused(place.fetch('s3://bucket/other/*.csv'))
    expect(listed.code).toBe('ACCESS_DENIED')
    expect(listed.text).toContain('refused to list')
  })

  test('a wrong secret, and a key that the store does not know', async (context) => {
    await prepare(context)
    const open = (environment: Record<string, string>) =>
      createObjectPlace(context, createS3Connector(testPlatform()), {
        ...store.environment,
        ...environment,
      }).fetch(address)
    const wrong = await refused(open({ AWS_SECRET_ACCESS_KEY: 'wrong' }))
    expect([wrong.code, wrong.text]).toEqual([
      'ACCESS_DENIED',
      expect.stringContaining('secret key does not belong'),
    ])
    const unknown = await refused(open({ AWS_ACCESS_KEY_ID: 'UNKNOWN' }))
    expect([unknown.code, unknown.text]).toEqual([
      'ACCESS_DENIED',
      expect.stringContaining('does not know this access key'),
    ])
  })

  test('a clock that is an hour ahead, with both times', async (context) => {
    const place = await prepare(context, {}, 3_600_000)
    const { code, text } = await refused(place.fetch(address))
    expect(code).toBe('CLOCK_WRONG')
    expect(text.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g)).toHaveLength(2)
  })

  test('a missing object, a missing bucket, a folder', async (context) => {
    const place = await prepare(context)
    const check = (text: string) => refused(place.fetch(text))
    expect((await check('s3://bucket/day/none.csv')).code).toBe('INPUT_NOT_FOUND')
    const bucket = await check('s3://missing-bucket/in.csv')
    expect([bucket.code, bucket.text]).toEqual([
      'INPUT_NOT_FOUND',
      expect.stringContaining('s3://missing-bucket does not exist'),
    ])
    for (const folder of ['s3://bucket/day', 's3://bucket/day/']) {
      const { code, text } = await check(folder)
      expect([code, text]).toEqual(['INPUT_IS_FOLDER', expect.stringContaining('s3://bucket/day/*.csv')])
    }
  })

  test('a store that does not exist, and a page instead of a store', async (context) => {
    await prepare(context)
    const open = (endpoint: string) =>
      createObjectPlace(context, createS3Connector(testPlatform({ firstPatienceMs: 20_000 })), {
        ...store.environment,
        AWS_ENDPOINT_URL_S3: endpoint,
      })
    const refusing = await refused(open('http://127.0.0.1:1').fetch(address))
    expect([refusing.code, refusing.text]).toEqual([
      'STORE_UNREACHABLE',
      expect.stringContaining('ECONNREFUSED'),
    ])
    store.fail(
      /list-type/,
      changeReply((reply) => ({ ...reply, body: Buffer.from('<html>Welcome</html>') })),
    )
    const page = await refused(open(store.endpoint).fetch('s3://bucket/*.csv'))
    expect([page.code, page.text]).toEqual([
      'INPUT_UNREADABLE',
      expect.stringContaining('something else than a store'),
    ])
  })
})

test('a region that the store names is used, once', async (context) => {
  const place = await prepare(context)
  const wrong = changeReply(() => ({
    status: 400,
    headers: {},
    body: Buffer.from(
      '<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-central-1</Region></Error>',
    ),
  }))
  store.fail(isContent, wrong)
  const [file] = await place.fetch(address)
  expect(file?.content.equals(content)).toBe(true)
  expect(store.headers.at(-1)?.authorization).toContain('/eu-central-1/s3/')
  store.fail(
    /^(HEAD|GET) \/bucket\/day/,
    answer(301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-west-1' }),
    9,
  )
  expect((await refused(place.fetch(address))).code).toBe('STORE_REFUSED')
})

describe('a pattern', () => {
  const keys = 'day/a.csv day/b.csv day/c.txt day/deep/d.csv day/deep/er/e.csv f.csv day/[x]?.csv'.split(' ')
  const load = async (context: TestContext, limits: Partial<StoreLimits> = {}) => {
    const place = createObjectPlace(context, createS3Connector(testPlatform(limits)), store.environment)
    for (const key of keys) await place.publish(`s3://bucket/${key}`, key)
    return place
  }

  test.for([
    ['day/*.csv', ['day/[x]?.csv', 'day/a.csv', 'day/b.csv']],
    ['day/**/*.csv', ['day/[x]?.csv', 'day/a.csv', 'day/b.csv', 'day/deep/d.csv', 'day/deep/er/e.csv']],
    ['**', [...keys].sort()],
    ['*.csv', ['f.csv']],
    ['d*/d*/*', ['day/deep/d.csv']],
    ['day/[x]?.csv', ['day/[x]?.csv']],
  ] as const)('%s matches the keys, in order, over several pages', async ([pattern, expected], context) => {
    const place = await load(context)
    store.pageSize = 2
    const files = await place.fetch(`s3://bucket/${pattern}`)
    expect(files.map(({ content: bytes }) => bytes.toString())).toEqual(expected)
    expect(files.map(({ label }) => label)).toEqual(expected.map((key) => `s3://bucket/${key}`))
  })

  test('does not match keys of another namespace in a reply', async (context) => {
    const place = await load(context)
    const foreign =
      '<e:Contents xmlns:e="urn:e"><e:Key>f.csv</e:Key></e:Contents><Contents xmlns="urn:e"><Key>f.csv</Key></Contents>'
    store.fail(
      /list-type/,
      changeReply((reply) => ({
        ...reply,
        headers: {},
        body: Buffer.from(
          reply.body.toString().replaceAll(/(<Contents>|<\/ListBucketResult>)/g, `${foreign}$1`),
        ),
      })),
    )
    const labels = (await place.fetch('s3://bucket/day/**')).map(({ label }) => label)
    expect(labels).toEqual(
      [...keys]
        .filter((key) => key.startsWith('day/'))
        .sort()
        .map((key) => `s3://bucket/${key}`),
    )
  })

  test('does not match an object that a run tries its output with', async (context) => {
    const place = await load(context)
    for (const key of ['.enrich-try-f.csv', 'day/.enrich-try-a.csv'])
      await place.publish(`s3://bucket/${key}`, 'x')
    const labels = (await place.fetch('s3://bucket/**')).map(({ label }) => label)
    expect(labels).toEqual([...keys].sort().map((key) => `s3://bucket/${key}`))
  })

  test('that is also the name of an object means that object', async (context) => {
    const place = await load(context)
    await place.publish('s3://bucket/day/*.csv', 'literal')
    const files = await place.fetch('s3://bucket/day/*.csv')
    expect(files.map(({ content: bytes }) => bytes.toString())).toEqual(['literal'])
  })

  test('without a match, or with too many, is refused', async (context) => {
    const place = await load(context, { objectsMax: 3 })
    expect((await refused(place.fetch('s3://bucket/day/*.parquet'))).code).toBe('INPUT_NOT_FOUND')
    const { code, text } = await refused(place.fetch('s3://bucket/**'))
    expect([code, text]).toEqual(['ADDRESS_INVALID', expect.stringContaining('more than 3 objects')])
  })
})

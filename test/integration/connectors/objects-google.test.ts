import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { afterAll, beforeEach, expect, test, type TestContext } from 'vitest'
import { createGoogleConnector } from '../../../src/connectors/objects/google.js'
import { closeAtOnce, listenOnLoopback } from '../../support/loopback-server.js'
import { createObjectPlace, refused, testPlatform } from '../../support/object-place.js'
import { plantedSecret, startS3Store } from '../../support/s3-store.js'

const store = await startS3Store()
afterAll(() => store.close())
beforeEach(store.reset)

const connector = createGoogleConnector(testPlatform())

test('with HMAC keys, against a server of S3 that stands for Google: objects come back, patterns list', async (context) => {
  const place = createObjectPlace(context, connector, {
    STORAGE_EMULATOR_HOST: store.endpoint,
    GOOGLE_HMAC_KEY_ID: 'PLANTEDKEYID',
    GOOGLE_HMAC_SECRET: plantedSecret,
  })
  const large = randomBytes(300_000)
  const target = place.target('gs://bucket/out/large.parquet')
  await target.tryWriting(place.write('sample', 'a'))
  await target.publish(place.write('large', large))
  await place.publish('gs://bucket/out/a b+c.csv', 'small')
  const files = await place.fetch('gs://bucket/out/*')
  expect(files.map(({ label }) => label)).toEqual([
    'gs://bucket/out/a b+c.csv',
    'gs://bucket/out/large.parquet',
  ])
  expect(files[1]?.content.equals(large)).toBe(true)
  expect([store.uploads(), store.headers[0]?.authorization]).toEqual([
    [],
    expect.stringContaining('/auto/s3/aws4_request'),
  ])
})

/** A server of one object that takes tokens, and of the metadata of a machine. */
async function startGoogle(context: TestContext) {
  const headers: IncomingMessage['headers'][] = []
  let tokenCount = 0
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/computeMetadata/v1/instance/service-accounts/default/token') {
      const isRight = incoming.headers['metadata-flavor'] === 'Google'
      const token = { access_token: `planted-token-${++tokenCount}`, expires_in: 3_599, token_type: 'Bearer' }
      outgoing.writeHead(isRight ? 200 : 403).end(JSON.stringify(token))
      return
    }
    headers.push(incoming.headers)
    const isOld = incoming.headers.authorization === 'Bearer planted-token-1'
    outgoing.writeHead(isOld && headers.length > 1 ? 401 : 200).end('a\n1\n')
  })
  const host = `127.0.0.1:${await listenOnLoopback(server)}`
  context.onTestFinished(() => closeAtOnce(server))
  return { host, headers }
}

test('with a token no signature of Amazon is sent', async (context) => {
  const google = await startGoogle(context)
  const place = createObjectPlace(context, connector, {
    STORAGE_EMULATOR_HOST: google.host,
    GOOGLE_OAUTH_ACCESS_TOKEN: 'planted-token',
  })
  expect((await place.fetch('gs://bucket/in.csv'))[0]?.content.toString()).toBe('a\n1\n')
  await place.publish('gs://bucket/out.csv', 'x')
  for (const headers of google.headers) {
    expect(headers.authorization).toBe('Bearer planted-token')
    expect(Object.keys(headers).filter((name) => name.startsWith('x-amz'))).toEqual([])
  }
})

test('the metadata server gives a token, and another one when the first is refused', async (context) => {
  const google = await startGoogle(context)
  const place = createObjectPlace(context, connector, {
    STORAGE_EMULATOR_HOST: google.host,
    GCE_METADATA_HOST: google.host,
  })
  expect((await place.fetch('gs://bucket/in.csv'))[0]?.content.toString()).toBe('a\n1\n')
  expect(google.headers.map(({ authorization }) => authorization)).toEqual([
    'Bearer planted-token-1',
    'Bearer planted-token-1',
    'Bearer planted-token-2',
  ])
})

test('without credentials the error lists the places', async (context) => {
  const place = createObjectPlace(context, connector, {
    STORAGE_EMULATOR_HOST: store.endpoint,
    GCE_METADATA_HOST: '127.0.0.1:1',
  })
  const { code, text } = await refused(place.fetch('gs://bucket/in.csv'))
  expect(code).toBe('CREDENTIALS_MISSING')
  for (const name of ['GOOGLE_HMAC_KEY_ID', 'GOOGLE_OAUTH_ACCESS_TOKEN', 'metadata server'])
    expect(text).toContain(name)
  expect(store.requests).toEqual([])
})

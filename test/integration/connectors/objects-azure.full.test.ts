import { createHmac, randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test, type TestContext } from 'vitest'
import type { Environment } from '../../../src/connectors/connector.js'
import { createAzureConnector, AzureService } from '../../../src/connectors/objects/azure.js'
import { HttpClient, type StoreLimits } from '../../../src/connectors/objects/http-client.js'
import { StoreClient } from '../../../src/connectors/objects/store-client.js'
import { startAzurite } from '../../support/azurite.js'
import {
  answer,
  cutReply,
  cutRequest,
  loseReply,
  startFaultProxy,
  type Fault,
} from '../../support/fault-proxy.js'
import { createObjectPlace, refused, testPlatform } from '../../support/object-place.js'

const account = 'nightaccount'
const key = Buffer.from('planted-key-never-to-be-seen-0123456789').toString('base64')
const azurite = await startAzurite(account, key)
const proxy = await startFaultProxy(azurite?.port ?? 1)
const environment = {
  AZURE_STORAGE_BLOB_ENDPOINT: `${proxy.endpoint}/${account}`,
  AZURE_STORAGE_KEY: key,
}
afterAll(async () => {
  await proxy.close()
  azurite?.close()
})

let container = ''
let count = 0
/** Sends one request of the service itself. */
async function call(method: 'PUT' | 'GET', url: string): Promise<string> {
  const options = { environment, notice: () => undefined }
  const platform = testPlatform()
  const http = new HttpClient(environment, platform)
  const client = new StoreClient(new AzureService(account, container, { http, options, platform }), {
    http,
    options,
    platform,
  })
  try {
    const { text } = await client.call({ method, url, headers: {} }, { expected: [200, 201] })
    return text
  } finally {
    await client.close()
  }
}

beforeEach(async () => {
  if (azurite === null) return
  container = `night-${++count}`
  await call('PUT', '/?restype=container')
  proxy.forget()
})

const open = (context: TestContext, limits: Partial<StoreLimits> = {}, others: Environment = {}) =>
  createObjectPlace(context, createAzureConnector(testPlatform(limits)), { ...environment, ...others })

const content = randomBytes(300_000)
const at = (name: string) => `az://${account}/${container}/${name}`

/** Returns a SAS token of the account with these rights. */
function buildSas(rights: string): string {
  const expiry = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+/, '')
  const fields = [account, rights, 'b', 'sco', '', expiry, '', '', '2019-12-12', '']
  const sig = createHmac('sha256', Buffer.from(key, 'base64')).update(fields.join('\n')).digest('base64')
  return new URLSearchParams({
    sv: '2019-12-12',
    ss: 'b',
    srt: 'sco',
    sp: rights,
    se: expiry,
    sig,
  }).toString()
}

describe.skipIf(azurite === null)('Azure Blob Storage', () => {
  test('objects come back unchanged, small and in blocks, with a shared key, a SAS token or a connection string', async (context) => {
    const own = { AZURE_STORAGE_KEY: '', AZURE_STORAGE_BLOB_ENDPOINT: '' }
    const endpoint = `BlobEndpoint=${proxy.endpoint}/${account}`
    for (const others of [
      {},
      { AZURE_STORAGE_KEY: '', AZURE_STORAGE_SAS_TOKEN: `?${buildSas('rwdlac')}` },
      { ...own, AZURE_STORAGE_CONNECTION_STRING: `AccountName=${account};AccountKey=${key};${endpoint};` },
      { ...own, AZURE_STORAGE_CONNECTION_STRING: `${endpoint};SharedAccessSignature=${buildSas('rwdlac')}` },
    ]) {
      const place = open(context, {}, others)
      const target = place.target(at('out/large.parquet'))
      await target.tryWriting(place.write('sample', 'a'))
      await target.publish(place.write('large', content))
      await place.publish(at('out/small.csv'), 'a\n1\n')
      await place.publish(at('out/empty.csv'), '')
      const files = await place.fetch(at('out/**'))
      expect(files.map(({ label }) => label)).toEqual([
        at('out/empty.csv'),
        at('out/large.parquet'),
        at('out/small.csv'),
      ])
      expect(files.map(({ content: bytes }) => bytes.length)).toEqual([0, 300_000, 4])
      expect(files[1]?.content.equals(content)).toBe(true)
      expect(place.notices).toEqual([])
    }
    expect(proxy.requests.filter((line) => line.includes('comp=block&')).length).toBe(20)
  })

  test.for(['a b/ü+plus&?.csv', "x'(1)*!.csv", '100%25 #1.csv', '东芝 "quoted".csv'])(
    'a key is taken literally: %s',
    async (name, context) => {
      const place = open(context)
      await place.publish(at(name), name)
      const files = await place.fetch(at(name))
      expect(files.map(({ content: bytes, label }) => [bytes.toString(), label])).toEqual([[name, at(name)]])
    },
  )

  const faults: readonly (readonly [string, RegExp, Fault])[] = [
    ['a cut of a block', /comp=block&/, cutRequest],
    ['a lost reply to a block', /comp=block&/, loseReply],
    ['503 with Retry-After for a block', /comp=block&/, answer(503, 'ServerBusy', { 'retry-after': '1' })],
    ['500 at the end', /comp=blocklist/, answer(500, 'OperationTimedOut')],
    ['a lost reply at the end', /comp=blocklist/, loseReply],
    ['blocks that another run has removed', /comp=blocklist/, answer(400, 'InvalidBlockList')],
  ]
  test.for(faults)('an upload succeeds after %s', async ([, pattern, fault], context) => {
    const place = open(context)
    proxy.fail(pattern, fault)
    await place.publish(at('out.parquet'), content)
    expect((await place.fetch(at('out.parquet')))[0]?.content.equals(content)).toBe(true)
  })

  test('a failed upload leaves the old object', async (context) => {
    const place = open(context)
    await place.publish(at('out.parquet'), 'old')
    proxy.fail(/comp=block&/, answer(403, 'AuthorizationPermissionMismatch'), 9)
    expect((await refused(place.publish(at('out.parquet'), content))).code).toBe('ACCESS_DENIED')
    expect((await place.fetch(at('out.parquet')))[0]?.content.toString()).toBe('old')
  })

  test('blocks of a killed upload are gone after the next one', async (context) => {
    const place = open(context)
    await place.publish(at('out.parquet'), 'old')
    proxy.fail(/comp=blocklist/, answer(400, 'InvalidInput'))
    expect((await refused(place.publish(at('out.parquet'), content))).code).toBe('STORE_REFUSED')
    const list = () => call('GET', '/out.parquet?comp=blocklist&blocklisttype=uncommitted')
    expect(await list()).toContain('<Size>65536</Size>')
    await place.publish(at('out.parquet'), content)
    expect(await list()).not.toContain('<Size>')
  })

  test('a download continues after a cut, and refuses an object that changes', async (context) => {
    const place = open(context)
    await place.publish(at('in.parquet'), content)
    proxy.fail(/^GET .*in\.parquet/, cutReply(100_000))
    expect((await place.fetch(at('in.parquet')))[0]?.content.equals(content)).toBe(true)
    proxy.fail(/^GET .*in\.parquet/, async ({ outgoing, forward }) => {
      const { status, headers, body } = await forward()
      await place.publish(at('in.parquet'), randomBytes(300_000))
      outgoing.writeHead(status, headers)
      outgoing.write(body.subarray(0, 100_000), () => outgoing.destroy())
    })
    expect((await refused(place.fetch(at('in.parquet')))).code).toBe('INPUT_CHANGED')
  })

  test('a missing object, container and folder, a wrong key, a wrong clock and a missing right are named', async (context) => {
    const place = open(context)
    await place.publish(at('day/in.csv'), 'a')
    const check = (address: string, limits: Environment = {}) =>
      refused(open(context, {}, limits).fetch(address))
    expect((await check(at('none.csv'))).code).toBe('INPUT_NOT_FOUND')
    expect((await check(at('day'))).code).toBe('INPUT_IS_FOLDER')
    expect((await check(at('day/*.txt'))).code).toBe('INPUT_NOT_FOUND')
    const missing = await check(`az://${account}/missing/in.csv`)
    expect([missing.code, missing.text]).toEqual([
      'INPUT_NOT_FOUND',
      expect.stringContaining('az://nightaccount/missing does not exist'),
    ])
    const wrong = await check(at('day/in.csv'), {
      AZURE_STORAGE_KEY: Buffer.from('wrong').toString('base64'),
    })
    expect([wrong.code, wrong.text]).toEqual([
      'ACCESS_DENIED',
      expect.stringContaining('AuthorizationFailure'),
    ])
    const readOnly = open(context, {}, { AZURE_STORAGE_KEY: '', AZURE_STORAGE_SAS_TOKEN: buildSas('rl') })
    expect((await refused(readOnly.target(at('out.csv')).tryWriting(readOnly.write('s', 'a')))).code).toBe(
      'ACCESS_DENIED',
    )
    const noDelete = open(context, {}, { AZURE_STORAGE_KEY: '', AZURE_STORAGE_SAS_TOKEN: buildSas('rwlac') })
    await noDelete.target(at('out.csv')).tryWriting(noDelete.write('s', 'a'))
    expect(noDelete.notices[0]).toContain('.enrich-try-out.csv is left from the trial')
    const early = createObjectPlace(context, createAzureConnector(testPlatform({}, -3_600_000)), environment)
    proxy.fail(/./, answer(403, 'AuthenticationFailed'), 2)
    expect((await refused(early.fetch(at('day/in.csv')))).code).toBe('CLOCK_WRONG')
    expect((await check(at('day/in.csv'), { AZURE_STORAGE_KEY: '' })).code).toBe('CREDENTIALS_MISSING')
  })
})

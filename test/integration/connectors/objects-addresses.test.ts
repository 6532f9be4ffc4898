import { describe, expect, test } from 'vitest'
import type { Connector } from '../../../src/connectors/connector.js'
import { createAzureConnector } from '../../../src/connectors/objects/azure.js'
import { createGoogleConnector } from '../../../src/connectors/objects/google.js'
import { createHttpsConnector } from '../../../src/connectors/objects/https.js'
import { readAwsAccess, createS3Connector, S3Service } from '../../../src/connectors/objects/s3.js'
import { HttpClient } from '../../../src/connectors/objects/http-client.js'
import { UserError } from '../../../src/core/errors.js'
import { testPlatform } from '../../support/object-place.js'

const connectors = {
  s3: createS3Connector(),
  gs: createGoogleConnector(),
  az: createAzureConnector(),
  https: createHttpsConnector(),
}
const secret = 'never-to-be-seen-0123456789'

/** Opens as source and as target; returns the errors. */
function open(address: string, environment: Record<string, string> = {}): (UserError | null)[] {
  const scheme = /^\w+/.exec(address)?.[0] as keyof typeof connectors
  const connector: Connector = connectors[scheme]
  const options = { environment: { HOME: '/nonexistent', ...environment }, notice: () => undefined }
  const attempts = [
    () => connector.openSource(address, { ...options, query: null }),
    () => connector.openTarget(address, { ...options, mode: 'replace', keyColumn: null }),
  ]
  return attempts.map((attempt) => {
    try {
      void attempt().close()
      return null
    } catch (error) {
      if (error instanceof UserError) return error
      throw error
    }
  })
}

describe('an address', () => {
  test.for([
    's3:bucket/key',
    's3://bucket',
    's3://bucket/',
    's3:///key',
    's3://b/key',
    's3://bu cket/key',
    's3://bucket/a/../b.csv',
    's3://bucket/./b.csv',
    `s3://bucket/${'x'.repeat(1_025)}`,
    's3://bucket/nul\0.csv',
    's3://bucket/\ud800.csv',
    'gs://bucket',
    'az://account/container',
    'az://account/container/',
    'az://account.evil.example/../container/key',
    'https://',
    'https://exa mple.com/x',
  ])('that is not valid is refused with an example: %s', (address) => {
    for (const error of open(address)) {
      expect(error?.code).toBe('ADDRESS_INVALID')
      expect(error?.hint).toMatch(/(?:s3|gs|az|https):\/\/[a-z]+\/[a-z./]+\.csv/)
    }
  })

  test.for([
    `s3://AKIA:${secret}@bucket/key.csv`,
    `s3://bucket/key.csv?X-Amz-Signature=${secret}&X-Amz-Expires=1`,
    `s3://bucket/key.csv?AWSAccessKeyId=AKIA&Signature=${secret}`,
    `gs://bucket/key.csv?X-Goog-Signature=${secret}`,
    `az://account/container/key.csv?sv=2021&sig=${secret}`,
    `https://user:${secret}@example.com/key.csv`,
    `https://${secret}@example.com/key.csv`,
    `https://example.com/key.csv?token=${secret}`,
    `https://example.com/key.csv?a=b&access_token=${secret}`,
    `https://example.com/key.csv?key=${secret}`,
    `https://example.com/key.csv?API-KEY=${secret}`,
    `https://example.com/key.csv#access_token=${secret}`,
  ])('with a secret is refused, and not repeated: %s', (address) => {
    const [source, target] = open(address)
    expect(source?.code).toBe('ADDRESS_HAS_SECRET')
    if (!address.startsWith('https')) expect(target?.code).toBe('ADDRESS_HAS_SECRET')
    for (const error of [source, target]) {
      expect(`${error?.message}${error?.hint}${String(error?.cause)}`).not.toContain('never-to-be-seen')
    }
  })

  test('of https is an input only; an output does not end with a slash', () => {
    expect(open('https://example.com/a.csv?format=csv').map((error) => error?.code)).toEqual([
      undefined,
      'ADDRESS_INVALID',
    ])
    expect(open('s3://bucket/day/').map((error) => error?.code)).toEqual([undefined, 'ADDRESS_INVALID'])
  })
})

describe('an endpoint', () => {
  const settings = [
    ['s3://bucket/key', 'AWS_ENDPOINT_URL'],
    ['s3://bucket/key', 'AWS_ENDPOINT_URL_S3'],
    ['gs://bucket/key', 'STORAGE_EMULATOR_HOST'],
    ['az://account/container/key', 'AZURE_STORAGE_ENDPOINT'],
    ['az://account/container/key', 'AZURE_STORAGE_BLOB_ENDPOINT'],
  ] as const

  test.for(settings)('of %s in %s is https, or http to this machine', ([address, name]) => {
    for (const value of [
      'https://store.example.com',
      'http://127.0.0.1:9000',
      'http://localhost:9000/path/',
    ]) {
      expect(open(address, { [name]: value })).toEqual([null, null])
    }
    for (const value of ['http://store.example.com', 'ftp://127.0.0.1', 'http://127.0.0.1.example.com']) {
      for (const error of open(address, { [name]: value })) {
        expect([error?.code, error?.message]).toEqual(['ADDRESS_INVALID', expect.stringContaining(name)])
      }
    }
    for (const value of [
      `https://user:${secret}@store.example.com`,
      `https://store.example.com?sig=${secret}`,
    ]) {
      for (const error of open(address, { [name]: value })) {
        expect(error?.code).toBe('ADDRESS_HAS_SECRET')
        expect(`${error?.message}${error?.hint}`).not.toContain(secret)
      }
    }
  })

  test('may be in a connection string of Azure', () => {
    const parts = (endpoint: string) => ({
      AZURE_STORAGE_CONNECTION_STRING: `AccountName=account;AccountKey=a2V5;BlobEndpoint=${endpoint};`,
    })
    expect(open('az://account/container/key', parts('http://127.0.0.1:10000/account'))).toEqual([null, null])
    const codes = open('az://account/container/key', parts('http://example.com')).map((error) => error?.code)
    expect(codes).toEqual(['ADDRESS_INVALID', 'ADDRESS_INVALID'])
  })
})

describe('a request to Amazon', () => {
  const sign = async (bucket: string, environment: Record<string, string>) => {
    const platform = testPlatform()
    const options = {
      environment: {
        HOME: '/nonexistent',
        AWS_ACCESS_KEY_ID: 'AKIA',
        AWS_SECRET_ACCESS_KEY: secret,
        ...environment,
      },
      notice: () => undefined,
    }
    const http = new HttpClient(options.environment, platform)
    const service = new S3Service(bucket, readAwsAccess({ http, options, platform }), platform)
    const signed = await Promise.all(
      ['/a/b.csv', '/?list-type=2'].map((url) => service.sign({ method: 'GET', url, headers: {} })),
    )
    await http.close()
    return signed.map(({ url }) => url)
  }

  test.for([
    ['bucket-1', 'eu-central-1', 'https://bucket-1.s3.eu-central-1.amazonaws.com/'],
    ['bucket-1', 'cn-north-1', 'https://bucket-1.s3.cn-north-1.amazonaws.com.cn/'],
  ] as const)('names bucket %s and region %s in its host', async ([bucket, region, start]) => {
    expect(await sign(bucket, { AWS_REGION: region })).toEqual([`${start}a/b.csv`, `${start}?list-type=2`])
  })

  test('names a bucket in its path whose name the certificate of Amazon does not cover', async () => {
    const start = 'https://s3.us-east-1.amazonaws.com/'
    expect(await sign('my.bucket', {})).toEqual([
      `${start}my.bucket/a/b.csv`,
      `${start}my.bucket?list-type=2`,
    ])
    expect(await sign('My_Bucket', {})).toEqual([
      `${start}My_Bucket/a/b.csv`,
      `${start}My_Bucket?list-type=2`,
    ])
  })

  test('with a region that is not a name is refused', async () => {
    await expect(sign('bucket', { AWS_REGION: 'eu.example.com/' })).rejects.toMatchObject({
      code: 'ADDRESS_INVALID',
    })
  })
})

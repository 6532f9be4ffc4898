import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Connector, Environment } from '../../../src/connectors/connector.js'
import { createAzureConnector } from '../../../src/connectors/objects/azure.js'
import { createGoogleConnector } from '../../../src/connectors/objects/google.js'
import { createHttpsConnector } from '../../../src/connectors/objects/https.js'
import { createS3Connector } from '../../../src/connectors/objects/s3.js'
import type { StorePlatform } from '../../../src/connectors/objects/http-client.js'
import {
  answer,
  answerText,
  cutReply,
  cutRequest,
  loseReply,
  startFaultProxy,
  type Fault,
} from '../../support/fault-proxy.js'
import { createObjectPlace, testPlatform } from '../../support/object-place.js'
import { plantedSecret, startS3Store } from '../../support/s3-store.js'

const canary = 'canary5c1d77'
const encoded = Buffer.from(canary).toString('base64')
const secrets = [canary, encoded, plantedSecret, encodeURIComponent(plantedSecret)]

const store = await startS3Store()
afterAll(() => store.close())
beforeEach(store.reset)

/** A store that sends everything back that it gets. */
const echo: Fault = ({ incoming, outgoing }) => {
  incoming.resume()
  const text = `${incoming.url} ${JSON.stringify(incoming.headers)}`
  outgoing
    .writeHead(400, { 'x-ms-error-code': text.replace(/[^\x20-\x7e]/g, ''), 'x-amz-bucket-region': canary })
    .end(`<Error><Code>${text.replaceAll('<', '')}</Code><Region>${plantedSecret}</Region></Error>`)
}

const faults: readonly Fault[] = [
  echo,
  answer(403, 'SignatureDoesNotMatch'),
  answer(403, 'AuthenticationFailed'),
  answer(401, 'Unauthorized'),
  answer(404, 'NoSuchBucket'),
  answer(400, 'ExpiredToken'),
  answer(302, '', { location: `https://127.0.0.1:1/?sig=${canary}` }),
  answer(503, 'SlowDown'),
  answerText('<html>Welcome</html>'),
  cutReply(10),
  cutRequest,
  loseReply,
]

const kinds = (
  endpoint: string,
): readonly (readonly [string, (platform: StorePlatform) => Connector, Environment])[] => [
  [
    's3://bucket/in.csv',
    createS3Connector,
    {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_ACCESS_KEY_ID: 'PLANTEDKEYID',
      AWS_SECRET_ACCESS_KEY: plantedSecret,
      AWS_SESSION_TOKEN: canary,
    },
  ],
  [
    'gs://bucket/in.csv',
    createGoogleConnector,
    { STORAGE_EMULATOR_HOST: endpoint, GOOGLE_OAUTH_ACCESS_TOKEN: canary },
  ],
  [
    'az://account/bucket/in.csv',
    createAzureConnector,
    { AZURE_STORAGE_BLOB_ENDPOINT: endpoint, AZURE_STORAGE_KEY: encoded },
  ],
  [
    'az://account/bucket/in.csv',
    createAzureConnector,
    { AZURE_STORAGE_BLOB_ENDPOINT: endpoint, AZURE_STORAGE_SAS_TOKEN: `sv=1&sig=${canary}` },
  ],
  [
    `${endpoint.replace('http:', 'https:')}/in.csv?id=${canary}`,
    createHttpsConnector,
    { ENRICH_HTTPS_AUTHORIZATION: `Bearer ${canary}` },
  ],
]

test('no message, hint, notice, cause, stack, label or file contains a secret, whatever the store answers', async (context) => {
  const proxy = await startFaultProxy(Number(new URL(store.endpoint).port))
  context.onTestFinished(() => proxy.close())
  const texts: string[] = []
  let errorCount = 0
  for (const [address, createConnector, environment] of kinds(proxy.endpoint)) {
    const connector: Connector = createConnector(testPlatform({ patienceMs: 2_000, firstPatienceMs: 2_000 }))
    for (const fault of faults) {
      const place = createObjectPlace(context, connector, { HOME: store.folder, ...environment })
      proxy.forget()
      proxy.fail(/./, fault, Infinity)
      const actions = [
        () => place.fetch(address),
        () => place.fetch(address),
        () => place.fetch(address.replace('in.csv', '*.csv')),
        () => place.target(address).tryWriting(place.write('sample', 'a')),
        () => place.publish(address, 'small'),
        () => place.publish(address, randomBytes(100_000)),
      ]
      for (const action of actions) {
        try {
          texts.push(inspect(await action(), { depth: 10 }))
        } catch (error) {
          errorCount++
          texts.push(
            inspect(error, { depth: 10, showHidden: true }),
            String((error as { hint?: string }).hint),
          )
        }
      }
      texts.push(...place.notices)
      for (const name of readdirSync(place.folder, { recursive: true, encoding: 'utf8' })) {
        texts.push(name)
        if (/\d\.csv$/.test(name)) texts.push(readFileSync(join(place.folder, name), 'latin1'))
      }
    }
  }
  expect(errorCount).toBeGreaterThan(200)
  expect(texts.length).toBeGreaterThan(400)
  for (const secret of secrets) expect(texts.filter((text) => text.includes(secret))).toEqual([])
})

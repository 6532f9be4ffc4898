import { createServer, type IncomingMessage } from 'node:http'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test, type TestContext } from 'vitest'
import type { Environment } from '../../../src/connectors/connector.js'
import { createS3Connector } from '../../../src/connectors/objects/s3.js'
import { closeAtOnce, listenOnLoopback } from '../../support/loopback-server.js'
import { createObjectPlace, refused, testPlatform } from '../../support/object-place.js'
import { answer } from '../../support/fault-proxy.js'
import { plantedSecret, startS3Store } from '../../support/s3-store.js'

const store = await startS3Store()
afterAll(() => store.close())
beforeEach(store.reset)

const address = 's3://bucket/in.csv'
const keys = { AccessKeyId: 'PLANTEDKEYID', SecretAccessKey: plantedSecret, Token: 'planted-session-token' }

interface Call {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A server on loopback that gives credentials; `respond` returns a status and a text. */
async function startGiver(context: TestContext, respond: (call: Call) => readonly [number, string]) {
  const calls: Call[] = []
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
    incoming.on('end', () => {
      const call = { line: `${incoming.method} ${incoming.url}`, headers: incoming.headers, body }
      calls.push(call)
      const [status, text] = respond(call)
      outgoing.writeHead(status).end(text)
    })
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  context.onTestFinished(() => closeAtOnce(server))
  return { url, calls }
}

/** Puts the object, then reads it with other credentials. The environment has none but these. */
async function prepare(context: TestContext, environment: Environment = {}) {
  const loader = createObjectPlace(context, createS3Connector(testPlatform()), store.environment)
  await loader.publish(address, 'a\n1\n')
  store.requests.length = store.headers.length = 0
  const home = join(loader.folder, 'home')
  mkdirSync(join(home, '.aws'), { recursive: true })
  const all = {
    HOME: home,
    AWS_ENDPOINT_URL_S3: store.endpoint,
    AWS_EC2_METADATA_DISABLED: 'true',
    ...environment,
  }
  const place = createObjectPlace(context, createS3Connector(testPlatform()), all)
  const writeFile = (name: string, lines: readonly string[]) => {
    const path = join(home, name)
    writeFileSync(path, lines.join('\n'))
    return path
  }
  return { ...place, writeFile, environment: all }
}

const expectRead = async (place: { fetch(text: string): Promise<{ content: Buffer }[]> }) => {
  expect((await place.fetch(address)).map(({ content }) => content.toString())).toEqual(['a\n1\n'])
}

describe('credentials of the shared files', () => {
  const keyLines = [`aws_access_key_id = PLANTEDKEYID`, `aws_secret_access_key=${plantedSecret}`]

  test('come from the default profile in ~/.aws/credentials', async (context) => {
    const place = await prepare(context)
    place.writeFile('.aws/credentials', ['# comment', '[other]', 'a = b', '', '[default]', ...keyLines])
    await expectRead(place)
  })

  test('come from AWS_PROFILE, with region and endpoint of the config file', async (context) => {
    const place = await prepare(context, { AWS_PROFILE: 'night', AWS_ENDPOINT_URL_S3: '' })
    place.writeFile('.aws/config', [
      '[profile night]',
      'region = eu-west-3',
      's3 =',
      '  max_queue_size = 3',
      `endpoint_url = ${store.endpoint}`,
      ...keyLines,
    ])
    await expectRead(place)
    expect(store.headers[0]?.authorization).toContain('/eu-west-3/s3/')
  })

  test('come from files at other paths', async (context) => {
    const place = await prepare(context)
    const path = place.writeFile('elsewhere', ['[default]', ...keyLines])
    const other = createObjectPlace(context, createS3Connector(testPlatform()), {
      ...place.environment,
      AWS_SHARED_CREDENTIALS_FILE: path,
    })
    await expectRead(other)
  })

  test.for([
    ['credential_process = /bin/true', 'credential_process'],
    ['sso_session = corp', 'sso_session'],
    ['role_arn = arn:aws:iam::1:role/x', 'source_profile'],
  ] as const)('of an unsupported kind are refused with a command: %s', async ([line, named], context) => {
    const place = await prepare(context, { AWS_PROFILE: 'night' })
    place.writeFile('.aws/config', ['[profile night]', line])
    const { code, text } = await refused(place.fetch(address))
    expect(code).toBe('CREDENTIALS_MISSING')
    expect(text).toContain(named)
    expect(text).toContain('aws configure export-credentials --profile night')
  })

  test('of a role are requested with the keys of its source profile', async (context) => {
    const giver = await startGiver(context, () => [200, roleReply('AssumeRole')])
    const place = await prepare(context, { AWS_PROFILE: 'night', AWS_ENDPOINT_URL_STS: giver.url })
    place.writeFile('.aws/config', [
      '[profile night]',
      'role_arn = arn:aws:iam::1:role/reader',
      'source_profile = base',
      'external_id = ext-1',
      '[profile base]',
      ...keyLines,
    ])
    await expectRead(place)
    expect(giver.calls.length).toBe(1)
    expect(giver.calls[0]?.headers.authorization).toMatch(/Credential=PLANTEDKEYID\/\d+\/us-east-1\/sts\//)
    expect(Object.fromEntries(new URLSearchParams(giver.calls[0]?.body))).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: 'arn:aws:iam::1:role/reader',
      ExternalId: 'ext-1',
    })
    expect(store.headers.at(-1)?.['x-amz-security-token']).toBe('planted-session-token')
  })

  test('of a profile that is missing are refused', async (context) => {
    const place = await prepare(context, { AWS_PROFILE: 'nihgt' })
    const { code, text } = await refused(place.fetch(address))
    expect([code, text]).toEqual(['CREDENTIALS_MISSING', expect.stringContaining('"nihgt"')])
  })
})

const roleReply = (action: string, expiresInMs = 3_600_000) =>
  `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>
  <AccessKeyId>PLANTEDKEYID</AccessKeyId><SecretAccessKey>${plantedSecret}</SecretAccessKey>
  <SessionToken>planted-session-token</SessionToken><Expiration>${new Date(Date.now() + expiresInMs).toISOString()}</Expiration>
  </Credentials></${action}Result></${action}Response>`

test('a token of Kubernetes is exchanged for the credentials of the role', async (context) => {
  const giver = await startGiver(context, () => [200, roleReply('AssumeRoleWithWebIdentity')])
  const place = await prepare(context)
  const token = place.writeFile('token', ['planted-web-token'])
  const other = createObjectPlace(context, createS3Connector(testPlatform()), {
    ...place.environment,
    AWS_ENDPOINT_URL_STS: giver.url,
    AWS_WEB_IDENTITY_TOKEN_FILE: token,
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/reader',
  })
  await expectRead(other)
  expect(giver.calls.map(({ line, headers }) => [line, headers.authorization])).toEqual([
    ['POST /', undefined],
  ])
  expect(Object.fromEntries(new URLSearchParams(giver.calls[0]?.body))).toEqual({
    Action: 'AssumeRoleWithWebIdentity',
    RoleArn: 'arn:aws:iam::1:role/reader',
    RoleSessionName: 'enrich',
    Version: '2011-06-15',
    WebIdentityToken: 'planted-web-token',
  })
})

test.for([
  ['refuses', 403, 'ACCESS_DENIED', 'refused to give credentials (status 403)'],
  ['keeps failing', 503, 'STORE_UNREACHABLE', 'answered with status 503'],
  ['answers with something else', 200, 'CREDENTIALS_MISSING', 'answered without credentials'],
] as const)('a token service that %s is named', async ([, status, expected, reason], context) => {
  const giver = await startGiver(context, () => [status, '<html></html>'])
  const place = await prepare(context)
  const token = place.writeFile('token', ['planted-web-token'])
  const other = createObjectPlace(context, createS3Connector(testPlatform({ firstPatienceMs: 2_000 })), {
    ...place.environment,
    AWS_ENDPOINT_URL_STS: giver.url,
    AWS_WEB_IDENTITY_TOKEN_FILE: token,
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/reader',
  })
  const { code, text } = await refused(other.fetch(address))
  expect([code, text]).toEqual([expected, expect.stringContaining(reason)])
  expect(text).not.toContain('planted')
})

test('a container gives credentials for the token of its file, which is read again each time', async (context) => {
  const reply = JSON.stringify({ ...keys, Expiration: new Date(Date.now() + 60_000).toISOString() })
  const giver = await startGiver(context, ({ headers }) =>
    headers.authorization?.startsWith('planted-container-token') === true ? [200, reply] : [401, ''],
  )
  const place = await prepare(context)
  const token = place.writeFile('token', ['planted-container-token'])
  const other = createObjectPlace(context, createS3Connector(testPlatform()), {
    ...place.environment,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${giver.url}/role`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: token,
  })
  const source = other.source(address)
  const fetch = () => source.fetch(mkdtempSync(join(other.folder, 'fetched-')))
  await fetch()
  writeFileSync(token, 'planted-container-token-2')
  // They expire within the time before which they are renewed.
  await fetch()
  expect(giver.calls.map(({ line, headers }) => [line, headers.authorization])).toEqual([
    ['GET /role', 'planted-container-token'],
    ['GET /role', 'planted-container-token'],
    ['GET /role', 'planted-container-token-2'],
    ['GET /role', 'planted-container-token-2'],
  ])
})

test('the address of the container service is on this machine or has TLS', async (context) => {
  const place = await prepare(context, { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://example.com/role' })
  expect((await refused(place.fetch(address))).code).toBe('ADDRESS_INVALID')
})

describe('an instance', () => {
  const respond = ({ line, headers }: Call): readonly [number, string] => {
    if (line === 'PUT /latest/api/token') {
      return headers['x-aws-ec2-metadata-token-ttl-seconds'] === '21600'
        ? [200, 'planted-imds-token']
        : [400, '']
    }
    if (headers['x-aws-ec2-metadata-token'] !== 'planted-imds-token') return [401, '']
    if (line === 'GET /latest/meta-data/iam/security-credentials/') return [200, 'night-role\n']
    if (line !== 'GET /latest/meta-data/iam/security-credentials/night-role') return [404, '']
    return [200, JSON.stringify({ ...keys, Expiration: new Date(Date.now() + 3_600_000).toISOString() })]
  }

  test('gives the credentials of its role, by version 2 of its service', async (context) => {
    const giver = await startGiver(context, respond)
    const place = await prepare(context, {
      AWS_EC2_METADATA_DISABLED: 'false',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: giver.url,
    })
    await expectRead(place)
    expect(giver.calls.map(({ line }) => line)).toEqual([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/night-role',
    ])
    expect(store.headers.at(-1)?.['x-amz-security-token']).toBe('planted-session-token')
  })

  test('gives new credentials when the store calls the old ones expired', async (context) => {
    const giver = await startGiver(context, respond)
    const place = await prepare(context, {
      AWS_EC2_METADATA_DISABLED: 'false',
      AWS_EC2_METADATA_SERVICE_ENDPOINT: giver.url,
    })
    store.fail(/^GET/, answer(400, 'ExpiredToken'))
    await expectRead(place)
    expect(giver.calls.filter(({ line }) => line.endsWith('night-role')).length).toBe(2)
  })
})

test('without credentials the error lists the places, and the store gets no request', async (context) => {
  const place = await prepare(context)
  const { code, text } = await refused(place.fetch(address))
  expect(code).toBe('CREDENTIALS_MISSING')
  for (const name of [
    'AWS_ACCESS_KEY_ID',
    'AWS_WEB_IDENTITY_TOKEN_FILE',
    'profile "default"',
    '.aws/credentials',
    '.aws/config',
    'container',
    'instance',
  ]) {
    expect(text).toContain(name)
  }
  expect(store.requests).toEqual([])
})

test('expired keys of the environment are refused with the reason', async (context) => {
  const place = createObjectPlace(context, createS3Connector(testPlatform()), store.environment)
  store.fail(/./, answer(400, 'ExpiredToken'), 9)
  const { code, text } = await refused(place.fetch(address))
  expect([code, text]).toEqual(['ACCESS_DENIED', expect.stringContaining('expired')])
})

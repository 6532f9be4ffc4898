import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { crc32 } from 'node:zlib'
import { describe, expect, test, type TestContext } from 'vitest'
import type { Connector, Environment } from '../../../src/connectors/connector.js'
import { createAzureConnector } from '../../../src/connectors/objects/azure.js'
import { createGoogleConnector } from '../../../src/connectors/objects/google.js'
import { createHttpsConnector } from '../../../src/connectors/objects/https.js'
import { createS3Connector } from '../../../src/connectors/objects/s3.js'
import { closeAtOnce, listenOnLoopback } from '../../support/loopback-server.js'
import { createObjectPlace, refused, testPlatform } from '../../support/object-place.js'
import { selfSigned } from '../client/self-signed.js'

const certificate = selfSigned('localhost')
const content = randomBytes(200_000)
const half = content.subarray(0, 100_000)
const double = Buffer.concat([content, content])
const changed = Buffer.from(content)
changed[150_000] = (changed[150_000] ?? 0) ^ 1

type Respond = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** Each kind of store, with a server on loopback that answers all its requests for objects. */
const stores: Readonly<
  Record<
    string,
    { connector: Connector; address: (port: number) => string; environment: (port: number) => Environment }
  >
> = {
  https: {
    connector: createHttpsConnector(testPlatform()),
    address: (port) => `https://localhost:${port}/in.csv`,
    environment: () => ({}),
  },
  s3: {
    connector: createS3Connector(testPlatform()),
    address: () => 's3://bucket/in.csv',
    environment: (port) => ({
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'KEY',
      AWS_SECRET_ACCESS_KEY: 'planted-secret-key',
    }),
  },
  gs: {
    connector: createGoogleConnector(testPlatform()),
    address: () => 'gs://bucket/in.csv',
    environment: (port) => ({
      STORAGE_EMULATOR_HOST: `127.0.0.1:${port}`,
      GOOGLE_OAUTH_ACCESS_TOKEN: 'planted-token',
    }),
  },
  az: {
    connector: createAzureConnector(testPlatform()),
    address: () => 'az://account/container/in.csv',
    environment: (port) => ({
      AZURE_STORAGE_BLOB_ENDPOINT: `http://127.0.0.1:${port}/account`,
      AZURE_STORAGE_KEY: Buffer.from('planted-secret-key').toString('base64'),
    }),
  },
}

async function open(context: TestContext, kind: string, respond: Respond, key = 'in.csv') {
  const { connector, address, environment } = stores[kind]!
  const requests: string[] = []
  const onRequest: Respond = (incoming, outgoing) => {
    requests.push(`${incoming.method} ${incoming.headers.range ?? ''}`.trim())
    outgoing.on('error', () => undefined)
    respond(incoming, outgoing)
  }
  const server = kind === 'https' ? createHttpsServer(certificate, onRequest) : createServer(onRequest)
  const port = await listenOnLoopback(server)
  context.onTestFinished(() => closeAtOnce(server))
  const folder = createObjectPlace(context, connector, {})
  const trusted = { SSL_CERT_FILE: folder.write('ca.pem', certificate.cert), HOME: folder.folder }
  const place = createObjectPlace(context, connector, { ...trusted, ...environment(port) })
  return { fetch: () => place.fetch(address(port).replace('in.csv', key)), requests }
}

interface Served {
  readonly head?: Buffer
  readonly body?: Buffer
  readonly headEtag?: string | null
  readonly etag?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly isChunked?: boolean
  readonly headHasLength?: boolean
}

/** HEAD speaks of one content, GET sends another one, with its own length. */
function serve({ head = content, body = content, ...rest }: Served): Respond {
  const { etag = '"v1"', headEtag = etag, headers = {}, isChunked = false, headHasLength = true } = rest
  return ({ method }, outgoing) => {
    const isHead = method === 'HEAD'
    const tag = isHead ? headEtag : etag
    const length = String(isHead ? head.length : body.length)
    outgoing.writeHead(200, {
      ...(tag === null ? {} : { etag: tag }),
      ...(isHead ? (headHasLength ? { 'content-length': length } : {}) : {}),
      ...(isHead || isChunked ? {} : { 'content-length': length }),
      ...headers,
    })
    outgoing.end(isHead ? undefined : body)
  }
}

const kinds = Object.keys(stores)
const faults: Readonly<Record<string, Served>> = {
  'sends half of what HEAD announced': { body: half },
  'sends half of what HEAD announced, without ETags': { body: half, etag: null },
  'sends half of what HEAD announced, in chunks': { body: half, isChunked: true },
  'sends nothing of what HEAD announced': { body: Buffer.alloc(0) },
  'sends one byte less than HEAD announced': { body: content.subarray(1) },
  'sends twice what HEAD announced': { body: double },
  'sends twice what HEAD announced, in chunks': { body: double, isChunked: true },
}

describe.for(kinds)('a download from %s', (kind) => {
  test('arrives whole if HEAD and GET agree', async (context) => {
    const whole = [
      {},
      { isChunked: true },
      { etag: null },
      { headHasLength: false },
      { headHasLength: false, isChunked: true },
      { headEtag: 'W/"v1"' },
    ]
    for (const served of whole) {
      const { fetch } = await open(context, kind, serve(served))
      expect((await fetch())[0]?.content.equals(content)).toBe(true)
    }
  })

  test.for(Object.entries(faults))('is refused if the server %s', async ([, served], context) => {
    const { fetch, requests } = await open(context, kind, serve(served))
    const { code, text } = await refused(fetch())
    expect([code, text]).toEqual([
      'INPUT_INCOMPLETE',
      expect.stringContaining(`announced ${content.length} bytes`),
    ])
    expect(requests.length).toBeLessThan(10)
  })

  test('takes the new version of an object that is replaced after HEAD', async (context) => {
    let headCount = 0
    const { fetch } = await open(context, kind, (incoming, outgoing) => {
      const isOld = incoming.method === 'HEAD' && headCount++ === 0
      serve(isOld ? { head: double, etag: '"v0"' } : {})(incoming, outgoing)
    })
    expect((await fetch())[0]?.content.equals(content)).toBe(true)
  })

  test('is refused as changed if HEAD and GET speak of different versions', async (context) => {
    const { fetch } = await open(context, kind, serve({ headEtag: '"v0"', body: half }))
    expect((await refused(fetch())).code).toBe('INPUT_CHANGED')
  })
})

describe.for(['s3', 'gs', 'az'])('a pattern of %s', (kind) => {
  /** A list of one object, with its size and tag. */
  const list = (size: number, etag: string): string =>
    kind === 'az'
      ? `<EnumerationResults><Blobs><Blob><Name>in.csv</Name><Properties><Content-Length>${size}</Content-Length>${etag && `<Etag>${etag}</Etag>`}</Properties></Blob></Blobs></EnumerationResults>`
      : `<ListBucketResult><Contents><Key>in.csv</Key><Size>${size}</Size>${etag && `<ETag>&quot;${etag}&quot;</ETag>`}</Contents></ListBucketResult>`
  const listing =
    (xml: string, served: Served): Respond =>
    (incoming, outgoing) => {
      if (/[?&]prefix=/.test(incoming.url ?? '')) outgoing.writeHead(200).end(`\ufeff${xml}`)
      else if (incoming.url?.includes('*') === true || incoming.url?.includes('%2A') === true)
        outgoing.writeHead(404).end()
      else serve(served)(incoming, outgoing)
    }
  const openPattern = async (context: TestContext, respond: Respond) => open(context, kind, respond, '*.csv')

  test('is read if the list, HEAD and GET agree, or the object was replaced after the list', async (context) => {
    for (const xml of [list(content.length, 'v1'), list(content.length, ''), list(half.length, 'v0')]) {
      const { fetch } = await openPattern(context, listing(xml, {}))
      expect((await fetch())[0]?.content.equals(content)).toBe(true)
    }
  })

  test.for(['v1', ''])(
    'is refused if the list has another size, with the ETag "%s"',
    async (etag, context) => {
      for (const served of [
        { body: half },
        { head: half, body: half },
        { head: half, body: half, isChunked: true },
      ]) {
        const { fetch } = await openPattern(context, listing(list(content.length, etag), served))
        expect((await refused(fetch())).code).toBe('INPUT_INCOMPLETE')
      }
    },
  )
})

describe('a web server', () => {
  test('that announces no bytes for HEAD, or another ETag each time, is read', async (context) => {
    const { fetch } = await open(context, 'https', serve({ head: Buffer.alloc(0) }))
    expect((await fetch())[0]?.content.equals(content)).toBe(true)
    let count = 0
    const varying: Respond = (incoming, outgoing) => {
      serve({ etag: `"${count++}"` })(incoming, outgoing)
    }
    const other = await open(context, 'https', varying)
    expect((await other.fetch())[0]?.content.equals(content)).toBe(true)
  })

  test('that would compress the reply to HEAD only is read', async (context) => {
    const { fetch } = await open(context, 'https', (incoming, outgoing) => {
      const isHead = incoming.method === 'HEAD'
      const headers: Record<string, string> = isHead ? { 'content-encoding': 'gzip' } : {}
      serve({ head: half, headers })(incoming, outgoing)
    })
    expect((await fetch())[0]?.content.equals(content)).toBe(true)
  })
})

const base64 = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('base64')
const crc32Text = (bytes: Buffer) => {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(crc32(bytes))
  return buffer.toString('base64')
}

/** CRC-32C and CRC-64/NVME bit by bit, as their definitions say. */
function crcText(bytes: Buffer, bits: 32 | 64, polynomial: bigint): string {
  const mask = (1n << BigInt(bits)) - 1n
  const table = Array.from({ length: 256 }, (_, index) => {
    let entry = BigInt(index)
    for (let bit = 0; bit < 8; bit++) entry = entry & 1n ? (entry >> 1n) ^ polynomial : entry >> 1n
    return entry
  })
  let value = mask
  for (const byte of bytes) value = table[Number((value ^ BigInt(byte)) & 0xffn)]! ^ (value >> 8n)
  return Buffer.from(((value ^ mask) & mask).toString(16).padStart(bits / 4, '0'), 'hex').toString('base64')
}

/** Headers with the checksum of the content. */
const checksums: readonly (readonly [string, string, Record<string, string>])[] = [
  ['s3', 'x-amz-checksum-crc32', { 'x-amz-checksum-crc32': crc32Text(content) }],
  ['s3', 'x-amz-checksum-crc32c', { 'x-amz-checksum-crc32c': crcText(content, 32, 0x82f63b78n) }],
  [
    's3',
    'x-amz-checksum-crc64nvme',
    {
      'x-amz-checksum-crc64nvme': crcText(content, 64, 0x9a6c9329ac4bc9b5n),
      'x-amz-checksum-type': 'FULL_OBJECT',
    },
  ],
  ['s3', 'x-amz-checksum-sha1', { 'x-amz-checksum-sha1': base64('sha1', content) }],
  ['s3', 'x-amz-checksum-sha256', { 'x-amz-checksum-sha256': base64('sha256', content) }],
  ['gs', 'x-goog-hash crc32c', { 'x-goog-hash': `crc32c=${crcText(content, 32, 0x82f63b78n)}` }],
  [
    'gs',
    'x-goog-hash md5',
    { 'x-goog-hash': `crc32c=${crcText(content, 32, 0x82f63b78n)}, md5=${base64('md5', content)}` },
  ],
  ['az', 'Content-MD5', { 'content-md5': base64('md5', content) }],
  ['https', 'Content-MD5', { 'content-md5': base64('md5', content) }],
  ['https', 'Repr-Digest', { 'repr-digest': `sha-256=:${base64('sha256', content)}:` }],
  ['https', 'Digest', { digest: `SHA-512=${base64('sha512', content)}` }],
]

describe.for(checksums)('of %s, the checksum %s', ([kind, , headers]) => {
  test('is verified', async (context) => {
    const right = await open(context, kind, serve({ headers }))
    expect((await right.fetch())[0]?.content.equals(content)).toBe(true)
    const wrong = await open(context, kind, serve({ body: changed, headers }))
    const { code, text } = await refused(wrong.fetch())
    expect([code, text]).toEqual(['INPUT_INCOMPLETE', expect.stringContaining('do not match its checksum')])
  })

  test('is verified of bytes that arrive after a cut', async (context) => {
    let getCount = 0
    const cutting =
      (bytes: Buffer): Respond =>
      (incoming, outgoing) => {
        const start = Number(/bytes=(\d+)-/.exec(incoming.headers.range ?? '')?.[1] ?? 0)
        if (incoming.method === 'HEAD') {
          serve({})(incoming, outgoing)
          return
        }
        const isCut = getCount++ % 2 === 0
        outgoing.writeHead(start === 0 ? 200 : 206, {
          etag: '"v1"',
          'content-length': String(bytes.length - start),
          ...(start === 0
            ? headers
            : { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
        })
        if (isCut) outgoing.write(bytes.subarray(start, start + 50_000), () => outgoing.destroy())
        else outgoing.end(bytes.subarray(start))
      }
    const right = await open(context, kind, cutting(content))
    expect((await right.fetch())[0]?.content.equals(content)).toBe(true)
    expect(right.requests.some((request) => request.startsWith('GET bytes='))).toBe(true)
    const wrong = await open(context, kind, cutting(changed))
    expect((await refused(wrong.fetch())).code).toBe('INPUT_INCOMPLETE')
  })
})

test('a checksum of checksums of parts, and values that are none, are not compared', async (context) => {
  for (const headers of [
    { 'x-amz-checksum-sha256': `${base64('sha256', half)}-2` },
    { 'x-amz-checksum-crc32': crc32Text(half), 'x-amz-checksum-type': 'COMPOSITE' },
    { 'content-md5': 'none' },
    { 'x-goog-hash': 'md5=, crc32c=x' },
    { digest: 'unixsum=30637' },
  ] as Record<string, string>[]) {
    const { fetch } = await open(context, 's3', serve({ headers }))
    expect((await fetch())[0]?.content.equals(content)).toBe(true)
  }
})

describe.for(kinds)('a range from %s', (kind) => {
  /** The first reply is cut after 50,000 bytes; `later` answers the request for the rest. */
  const resume =
    (later: (outgoing: ServerResponse, start: number) => ServerResponse): Respond =>
    (incoming, outgoing) => {
      const { method, headers } = incoming
      if (method === 'HEAD') {
        serve({})(incoming, outgoing)
        return
      }
      const start = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
      if (start > 0) {
        later(outgoing, start)
        return
      }
      outgoing.writeHead(200, { etag: '"v1"', 'content-length': String(content.length) })
      outgoing.write(content.subarray(0, 50_000), () => outgoing.destroy())
    }
  const send = (
    outgoing: ServerResponse,
    range: string,
    body: Buffer,
    headers: Record<string, string> = {},
  ) => outgoing.writeHead(206, { etag: '"v1"', 'content-range': range, ...headers }).end(body)
  const total = content.length

  test('that is shorter than requested is continued', async (context) => {
    const { fetch, requests } = await open(
      context,
      kind,
      resume((outgoing, start) => {
        const end = Math.min(start + 40_000, total)
        return send(outgoing, `bytes ${start}-${end - 1}/${total}`, content.subarray(start, end))
      }),
    )
    expect((await fetch())[0]?.content.equals(content)).toBe(true)
    expect(requests.length).toBeGreaterThan(4)
  })

  test('that is answered with the whole is taken as the whole', async (context) => {
    const { fetch } = await open(
      context,
      kind,
      resume((outgoing) => outgoing.writeHead(200, { etag: '"v1"', 'content-length': total }).end(content)),
    )
    expect((await fetch())[0]?.content.equals(content)).toBe(true)
  })

  test.for<[string, (outgoing: ServerResponse, start: number) => ServerResponse]>([
    ['starts elsewhere', (outgoing) => send(outgoing, `bytes 0-${total - 1}/${total}`, content)],
    [
      'has no position',
      (outgoing, start) => outgoing.writeHead(206, { etag: '"v1"' }).end(content.subarray(start)),
    ],
    [
      'ends before it starts',
      (outgoing, start) => send(outgoing, `bytes ${start}-${start - 1}/${total}`, Buffer.alloc(0)),
    ],
    [
      'has fewer bytes than it says',
      (outgoing, start) => send(outgoing, `bytes ${start}-${total - 1}/${total}`, Buffer.alloc(0)),
    ],
    [
      'has more bytes than it says',
      (outgoing, start) => send(outgoing, `bytes ${start}-${start + 9}/${total}`, content.subarray(start)),
    ],
    ['is not satisfiable', (outgoing) => outgoing.writeHead(416).end()],
  ])('that %s is refused', async ([, later], context) => {
    const { fetch, requests } = await open(context, kind, resume(later))
    expect((await refused(fetch())).code).toBe('INPUT_INCOMPLETE')
    expect(requests.length).toBeLessThan(12)
  })

  test('of an object with another size is refused as changed', async (context) => {
    const { fetch } = await open(
      context,
      kind,
      resume((outgoing, start) =>
        send(outgoing, `bytes ${start}-${total}/${total + 1}`, content.subarray(start)),
      ),
    )
    expect((await refused(fetch())).code).toBe('INPUT_CHANGED')
  })
})

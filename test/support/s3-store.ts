import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import account from '@20minutes/s3rver/lib/models/account.js'
import { closeAtOnce, listenOnLoopback } from './loopback-server.js'

export const plantedSecret = 'planted+secret/never-to-be-seen-0123456789'
account.DUMMY_ACCOUNT.createKeyPair('PLANTEDKEYID', plantedSecret)

interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

interface FaultContext {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Sends the request on to the store. */
  readonly forward: () => Promise<Reply>
}

/** What happens to a request instead of its way to the store. */
export type Fault = (context: FaultContext) => Promise<void> | void

export interface S3Store {
  readonly endpoint: string
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** Method and path with query of all requests so far. */
  readonly requests: string[]
  /** Their headers. */
  readonly headers: IncomingHttpHeaders[]
  /** Forgets requests and faults, and empties the bucket. */
  reset(): void
  /** Later requests whose method and path match meet the fault, `times` times. */
  fail(pattern: RegExp, fault: Fault, times?: number): void
  /** Keys of a bucket. */
  keys(): string[]
  read(key: string): Buffer
  /** Ids of unfinished uploads. */
  uploads(): string[]
  /** Longest list in one reply. */
  pageSize: number
  close(): Promise<void>
}

const objectEnd = '._S3rver_object'

/**
 * A real server of S3 that checks signatures, behind a proxy with faults. The server has no list of uploads, no abort and no
 * pages of lists: the proxy adds them, after the server has checked the signature.
 */
export async function startS3Store(): Promise<S3Store> {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-s3-'))
  mkdirSync(join(folder, 'bucket'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    vhostBuckets: false,
  })
  const { port } = await server.run()
  const uploadFolder = join(folder, 'bucket', '._S3rver_uploads')
  const faults: { pattern: RegExp; fault: Fault; rest: number }[] = []
  const store: S3Store = {
    endpoint: '',
    environment: {},
    folder,
    requests: [],
    headers: [],
    reset: () => {
      for (const list of [store.requests, store.headers, faults]) list.length = 0
      store.pageSize = 1_000
      rmSync(join(folder, 'bucket'), { recursive: true })
      mkdirSync(join(folder, 'bucket'))
    },
    pageSize: 1_000,
    fail: (pattern, fault, times = 1) => faults.push({ pattern, fault, rest: times }),
    keys: () => listFiles(join(folder, 'bucket')).sort(),
    read: (key) => readFileSync(join(folder, 'bucket', key + objectEnd)),
    uploads: () => (existsSync(uploadFolder) ? readdirSync(uploadFolder) : []),
    close: async () => {
      await Promise.all([closeAtOnce(proxy), closeAtOnce(server.httpServer)])
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const answerOwn = (method: string, url: URL): Reply | null => {
    const uploadId = url.searchParams.get('uploadId')
    if (uploadId !== null && method === 'DELETE') {
      rmSync(join(uploadFolder, uploadId), { recursive: true })
      return { status: 204, headers: {}, body: Buffer.alloc(0) }
    }
    if (method === 'GET' && url.searchParams.has('uploads')) {
      const all = store
        .uploads()
        .map((id) => ({ id, key: readFileSync(join(uploadFolder, id, 'key'), 'utf8') }))
      const found = all.filter(({ key }) => key.startsWith(url.searchParams.get('prefix') ?? ''))
      const items = found.map(
        ({ id, key }) => `<Upload><Key>${escape(key)}</Key><UploadId>${id}</UploadId></Upload>`,
      )
      return xml(200, `<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`)
    }
    if (method === 'GET' && url.searchParams.has('list-type') && url.pathname === '/bucket') {
      const after = url.searchParams.get('continuation-token') ?? ''
      const found = store
        .keys()
        .filter((key) => key.startsWith(url.searchParams.get('prefix') ?? '') && key > after)
      const count = Math.min(store.pageSize, Number(url.searchParams.get('max-keys')))
      const page = found.slice(0, count)
      const next =
        found.length > count ? `<NextContinuationToken>${escape(page.at(-1)!)}</NextContinuationToken>` : ''
      const items = page.map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key></Contents>`)
      return xml(
        200,
        `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${next !== ''}</IsTruncated>${next}${items.join('')}</ListBucketResult>`,
      )
    }
    return null
  }
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming
    store.requests.push(`${method} ${url}`)
    store.headers.push(incoming.headers)
    outgoing.on('error', () => undefined)
    const target = new URL(url, 'http://localhost')
    const forward = async () => {
      const uploadId = target.searchParams.get('uploadId')
      if (uploadId !== null && !existsSync(join(uploadFolder, uploadId))) {
        incoming.resume()
        return xml(404, '<Error><Code>NoSuchUpload</Code></Error>')
      }
      const reply = await sendOn(port, incoming)
      // A refusal of the signature comes first.
      return reply.status === 403 ? reply : (answerOwn(method, target) ?? reply)
    }
    const met = faults.find(({ pattern, rest }) => rest > 0 && pattern.test(`${method} ${url}`))
    if (met !== undefined) met.rest--
    const run = async () => {
      if (met !== undefined) await met.fault({ incoming, outgoing, forward })
      else sendReply(outgoing, await forward())
    }
    run().catch(() => outgoing.destroy())
  })
  const endpoint = `http://127.0.0.1:${await listenOnLoopback(proxy)}`
  const environment = {
    HOME: folder,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: 'PLANTEDKEYID',
    AWS_SECRET_ACCESS_KEY: plantedSecret,
  }
  return Object.assign(store, { endpoint, environment })
}

/** Answers without the store. */
export const answer =
  (status: number, code = '', headers: Record<string, string> = {}): Fault =>
  ({ incoming, outgoing }) => {
    incoming.resume()
    incoming.on('end', () => {
      sendReply(outgoing, {
        status,
        headers: { 'content-type': 'application/xml', ...headers },
        body: Buffer.from(incoming.method === 'HEAD' ? '' : `<Error><Code>${code}</Code></Error>`),
      })
    })
  }

/** Answers with status 200 and a text, without the store. */
export const answerText =
  (text: string): Fault =>
  ({ incoming, outgoing }) => {
    incoming.resume()
    incoming.on('end', () => outgoing.writeHead(200).end(text))
  }

/** Never answers. */
export const stall: Fault = ({ incoming }) => {
  incoming.resume()
}

/** Cuts the connection before anything is answered, and before the body of the request is read. */
export const cutRequest: Fault = ({ incoming }) => {
  incoming.socket.destroy()
}

/** The store handles the request, and its reply is lost. */
export const loseReply: Fault = async ({ incoming, forward }) => {
  await forward()
  incoming.socket.destroy()
}

/** Sends a part of the body, then cuts the connection; `stalls` leaves it open instead. */
export const cutReply =
  (byteCount: number, stalls = false): Fault =>
  async ({ outgoing, forward }) => {
    const reply = await forward()
    outgoing.writeHead(reply.status, { ...reply.headers, 'content-length': String(reply.body.length) })
    outgoing.write(reply.body.subarray(0, byteCount), () => {
      if (!stalls) outgoing.destroy()
    })
  }

/** Changes a reply of the store. */
export const changeReply =
  (change: (reply: Reply) => Reply): Fault =>
  async ({ outgoing, forward }) => {
    sendReply(outgoing, change(await forward()))
  }

function sendReply(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  outgoing.writeHead(status, headers)
  outgoing.end(body)
}

/** The server ignores ranges. */
export const ignoreRange: Fault = async ({ incoming, outgoing, forward }) => {
  delete incoming.headers.range
  sendReply(outgoing, await forward())
}

function sendOn(port: number, incoming: IncomingMessage): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method, url, headers } = incoming
    const upstream = request(
      { host: '127.0.0.1', port, method, path: url, headers, agent: false },
      (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('error', reject)
        reply.on('end', () => {
          const kept = { ...reply.headers }
          delete kept.connection
          delete kept['transfer-encoding']
          resolve({ status: reply.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) })
        })
      },
    )
    upstream.on('error', reject)
    incoming.on('error', reject)
    incoming.pipe(upstream)
  })
}

const xml = (status: number, text: string): Reply => ({
  status,
  headers: { 'content-type': 'application/xml' },
  body: Buffer.from(text),
})

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(objectEnd))
    .map((path) => path.slice(0, -objectEnd.length))
}

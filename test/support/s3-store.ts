import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import account from '@20minutes/s3rver/lib/models/account.js'
import { startFaultProxy, type FaultProxy, type Reply } from './fault-proxy.js'
import { closeAtOnce } from './loopback-server.js'

export const plantedSecret = 'planted+secret/never-to-be-seen-0123456789'
account.DUMMY_ACCOUNT.createKeyPair('PLANTEDKEYID', plantedSecret)

export interface S3Store extends Omit<FaultProxy, 'forget'> {
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** Forgets requests and faults, and empties the bucket. */
  readonly reset: () => void
  /** Keys of a bucket. */
  keys(): string[]
  read(key: string): Buffer
  /** Ids of unfinished uploads. */
  uploads(): string[]
  /** Longest list in one reply. */
  pageSize: number
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
  const keys = () => listFiles(join(folder, 'bucket')).sort()
  const uploads = () => (existsSync(uploadFolder) ? readdirSync(uploadFolder) : [])
  const pageSize = () => store.pageSize
  const before = (_: string, url: URL): Reply | null => {
    const uploadId = url.searchParams.get('uploadId')
    const isGone = uploadId !== null && !existsSync(join(uploadFolder, uploadId))
    return isGone ? xml(404, '<Error><Code>NoSuchUpload</Code></Error>') : null
  }
  const after = (method: string, url: URL): Reply | null => {
    const uploadId = url.searchParams.get('uploadId')
    if (uploadId !== null && method === 'DELETE') {
      rmSync(join(uploadFolder, uploadId), { recursive: true })
      return { status: 204, headers: {}, body: Buffer.alloc(0) }
    }
    if (method === 'GET' && url.searchParams.has('uploads')) {
      const all = uploads().map((id) => ({ id, key: readFileSync(join(uploadFolder, id, 'key'), 'utf8') }))
      const found = all.filter(({ key }) => key.startsWith(url.searchParams.get('prefix') ?? ''))
      const items = found.map(
        ({ id, key }) => `<Upload><Key>${escape(key)}</Key><UploadId>${id}</UploadId></Upload>`,
      )
      return xml(200, `<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`)
    }
    if (method === 'GET' && url.searchParams.has('list-type') && url.pathname === '/bucket') {
      const after = url.searchParams.get('continuation-token') ?? ''
      const found = keys().filter(
        (key) => key.startsWith(url.searchParams.get('prefix') ?? '') && key > after,
      )
      const count = Math.min(pageSize(), Number(url.searchParams.get('max-keys')))
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
  const proxy = await startFaultProxy(port, { before, after })
  const store: S3Store = {
    ...proxy,
    environment: {
      HOME: folder,
      AWS_ENDPOINT_URL_S3: proxy.endpoint,
      AWS_ACCESS_KEY_ID: 'PLANTEDKEYID',
      AWS_SECRET_ACCESS_KEY: plantedSecret,
    },
    folder,
    reset: () => {
      proxy.forget()
      store.pageSize = 1_000
      rmSync(join(folder, 'bucket'), { recursive: true })
      mkdirSync(join(folder, 'bucket'))
    },
    pageSize: 1_000,
    keys,
    read: (key) => readFileSync(join(folder, 'bucket', key + objectEnd)),
    uploads,
    close: async () => {
      await Promise.all([proxy.close(), closeAtOnce(server.httpServer)])
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return store
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

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { listSources, type RegisterSource, type SourcePlace } from '../../src/registry/sources/source.js'
import { closeAtOnce, listenOnLoopback } from './loopback-server.js'
import { zipOf } from './zip-file.js'

/** What a stand-in answers for one address. */
interface Published {
  readonly content: Buffer | string
  readonly headers?: Readonly<Record<string, string>>
  /** Cuts the connection after so many bytes of the next replies with a body. */
  cuts?: number[]
  /** Leads to another address. */
  readonly location?: string
  readonly status?: number
  readonly refusesHead?: true
  /** Waits between pieces of 1,000 bytes. */
  readonly slowMs?: number
}

export interface PublisherServer {
  /** For `ENRICH_REGISTER_MIRROR`. */
  readonly address: string
  /** By host and path: `data.brreg.no/enhetsregisteret/api/enheter/lastned/csv`. */
  readonly files: Map<string, Published>
  /** Requests, as `GET host/path bytes=10-`. */
  readonly requests: string[]
  readonly agents: (string | undefined)[]
  close(): Promise<void>
}

/** Plays the web servers of publishers, each below its host: with ranges, ETags, redirects and faults. */
export async function servePublishers(): Promise<PublisherServer> {
  const files = new Map<string, Published>()
  const requests: string[] = []
  const agents: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').slice(1))
    const { range } = request.headers
    requests.push(`${request.method ?? ''} ${path}${range === undefined ? '' : ` ${range}`}`)
    agents.push(request.headers['user-agent'])
    const file = files.get(path)
    if (file === undefined) response.writeHead(404).end()
    else answer(file, request, response)
  })
  const port = await listenOnLoopback(server)
  return { address: `http://127.0.0.1:${port}`, files, requests, agents, close: () => closeAtOnce(server) }
}

function answer(file: Published, request: IncomingMessage, response: ServerResponse): void {
  const whole = Buffer.from(file.content)
  if (file.location !== undefined || (file.status ?? 200) !== 200) {
    const headers = file.location === undefined ? {} : { location: file.location }
    response.writeHead(file.status ?? 302, headers).end()
    return
  }
  if (file.refusesHead === true && request.method === 'HEAD') {
    response.writeHead(405).end()
    return
  }
  const { range, 'if-range': validator } = request.headers
  const isSame = validator === undefined || validator === file.headers?.['etag']
  const start = range === undefined || !isSame ? 0 : Number(/\d+/.exec(range)?.[0])
  if (start > whole.length) {
    response.writeHead(416).end()
    return
  }
  const body = whole.subarray(start)
  const part = start === 0 ? {} : { 'content-range': `bytes ${start}-${whole.length - 1}/${whole.length}` }
  response.writeHead(start === 0 ? 200 : 206, { 'content-length': body.length, ...part, ...file.headers })
  if (request.method === 'HEAD') response.end()
  else if (file.slowMs !== undefined) void sendSlowly(body, file.slowMs, response)
  else {
    const cut = file.cuts?.shift()
    if (cut === undefined) response.end(body)
    else {
      response.write(body.subarray(0, cut))
      // Bytes that arrive together with the cut may be lost.
      setTimeout(() => response.destroy(), 300)
    }
  }
}

async function sendSlowly(body: Buffer, delayMs: number, response: ServerResponse): Promise<void> {
  for (let at = 0; at < body.length && !response.destroyed; at += 1_000) {
    response.write(body.subarray(at, at + 1_000))
    await new Promise((resolve) => setTimeout(resolve, delayMs))
  }
  response.end()
}

/** The text of a sample in the format of its publisher. */
export const textOf = ({ lines, json }: RegisterSource['sample'][number]): string =>
  lines === undefined ? JSON.stringify(json) : `${lines.join('\n')}\n`

/** Packs the files of a sample as the name says. */
function pack(name: string, files: RegisterSource['sample']): Buffer {
  if (/\.zip$/i.test(name)) return zipOf(files.map((file) => ({ name: file.file, content: textOf(file) })))
  const text = files.map(textOf).join('')
  return /\.gz$/i.test(name) ? gzipSync(text) : Buffer.from(text)
}

/** Publishes the sample of a source where the source looks for it. Returns the addresses of its files. */
export function publishSample(
  { files }: PublisherServer,
  source: RegisterSource,
  {
    sample = source.sample,
    places = source.files,
    etag = '"1"',
    modified = 'Wed, 25 Nov 2026 06:00:00 GMT',
  }: {
    sample?: RegisterSource['sample']
    places?: readonly SourcePlace[]
    etag?: string
    modified?: string
  } = {},
): string[] {
  const headers = { etag, 'last-modified': modified }
  const put = (url: string, content: Buffer | string) => {
    const key = decodeURIComponent(url.replace(/^https:\/\//, ''))
    files.set(key, { content, headers })
    return key
  }
  return places.map((place, index) => {
    // With one place, all files of the sample are in its zip.
    const own = places.length === 1 ? sample : sample.slice(index, index + 1)
    if ('url' in place) return put(place.url, pack(place.name ?? place.url, own))
    if ('page' in place) {
      put(
        place.page,
        `<a href="BasicCompanyDataAsOneFile-2026-10-01.zip"><a href="BasicCompanyDataAsOneFile-2026-11-01.zip">`,
      )
      return put(new URL('BasicCompanyDataAsOneFile-2026-11-01.zip', place.page).href, pack('x.zip', own))
    }
    if ('ckan' in place) {
      const isZip = /zip/.test(place.resource) && !/csv/.test(place.resource)
      const url = `${place.ckan}/files/${isZip ? 'data.zip' : (own[0]?.file ?? '')}`
      const reply = {
        success: true,
        result: {
          resources: [
            { name: 'help', url: `${place.ckan}/help.pdf` },
            { name: 'data', url },
          ],
        },
      }
      put(`${place.ckan}/api/3/action/package_show?id=${place.package}`, JSON.stringify(reply))
      return put(url, pack(url, own))
    }
    const address = `${place.socrata}/resource/${place.dataset}.json`
    put(`${address}?$select=count(*)`, '[{"count":"2"}]')
    return put(`${address}?$limit=50000&$order=:id&$offset=0`, pack('', own))
  })
}

export const sourceOf = (id: string): RegisterSource => {
  const found = listSources().find((source) => source.id === id)
  if (found === undefined) throw new Error(`no source ${id}`)
  return found
}

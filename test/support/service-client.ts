import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Agent, request } from 'undici'

export interface ServiceReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The body as JSON; throws where it is none. */
  readonly json: Record<string, unknown>
}

export interface ServiceClient {
  get(path: string, headers?: Record<string, string>): Promise<ServiceReply>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<ServiceReply>
  /** Any method and any body bytes; a key is sent only if it stands in the headers. */
  raw(path: string, options: RawOptions): Promise<ServiceReply>
  /** Polls until the run has ended; fails the test when it does not. */
  untilDone(path: string): Promise<ServiceReply>
}

interface RawOptions {
  readonly method: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
}

export const kickoffPath = '/v3/entity-resolution/async'

const pollsMax = 2_000
const agent = new Agent({ connections: 32 })

function decode(body: Buffer, encoding: string | string[] | undefined): string {
  const plain = encoding === 'gzip' ? gunzipSync(body) : encoding === 'br' ? brotliDecompressSync(body) : body
  return plain.toString()
}

/** A caller of a service over real HTTP, with one key; `null` sends none. */
export function connect(url: string, apiKey: string | null): ServiceClient {
  const key: Record<string, string> = apiKey === null ? {} : { apikey: apiKey }
  const raw: ServiceClient['raw'] = async (path, { method, headers = {}, body }) => {
    const reply = await request(url + path, {
      dispatcher: agent,
      method: method as 'GET',
      headers,
      ...(body === undefined ? {} : { body }),
    })
    const text = decode(Buffer.from(await reply.body.arrayBuffer()), reply.headers['content-encoding'])
    return {
      status: reply.statusCode,
      headers: reply.headers,
      text,
      get json() {
        return JSON.parse(text) as Record<string, unknown>
      },
    }
  }
  const get: ServiceClient['get'] = (path, headers = {}) =>
    raw(path, { method: 'GET', headers: { ...key, ...headers } })
  return {
    raw,
    get,
    post: (path, body, headers = {}) =>
      raw(path, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    untilDone: async (path) => {
      for (let poll = 0; poll < pollsMax; poll++) {
        const reply = await get(path)
        if (reply.status !== 202) return reply
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      throw new Error(`${path} is still pending after ${pollsMax} polls`)
    },
  }
}

import { request } from 'node:http'
import type { DecideReply, DecideRequest, QueuePage, UndoReply } from '../../src/review/page-data.js'

export interface PageAnswer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

export interface PageAsked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** One request with exactly these headers, and `Host` as the address has it unless it is given. */
export function askPage(
  url: string,
  { method = 'GET', headers = {}, body }: PageAsked = {},
): Promise<PageAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.on('error', reject)
      reply.on('end', () => {
        const { statusCode: status = 0, headers: replied } = reply
        resolve({ status, headers: replied, body: Buffer.concat(chunks).toString() })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A browser that opened the printed address, as far as the server can tell. */
export interface PageVisitor {
  readonly origin: string
  readonly cookie: string
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<PageAnswer>
  readonly post: (
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<PageAnswer>
  readonly queue: (query?: string) => Promise<QueuePage>
  readonly decide: (
    request: DecideRequest,
  ) => Promise<{ readonly status: number; readonly reply: DecideReply }>
  readonly undo: (sequences?: readonly number[]) => Promise<UndoReply>
}

export async function visitReview(printed: string): Promise<PageVisitor> {
  const entered = await askPage(printed)
  const cookie = (entered.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
  if (entered.status !== 303 || cookie === '') throw new Error(`${printed} answered ${entered.status}`)
  const { origin } = new URL(printed)
  const get = (path: string, headers = {}) => askPage(`${origin}${path}`, { headers: { cookie, ...headers } })
  const post = (path: string, body: unknown, headers = {}) =>
    askPage(`${origin}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        cookie,
        origin,
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
    })
  return {
    origin,
    cookie,
    get,
    post,
    queue: async (query = '') => JSON.parse((await get(`/api/queue?${query}`)).body) as QueuePage,
    decide: async (decision) => {
      const { status, body } = await post('/api/decisions', decision)
      return { status, reply: JSON.parse(body) as DecideReply }
    },
    undo: async (sequences = []) => JSON.parse((await post('/api/undo', { sequences })).body) as UndoReply,
  }
}

import type {
  DecideReply,
  DecideRequest,
  DecisionList,
  LookupDetail,
  PageError,
  QueueFilter,
  QueuePage,
  SearchReply,
  SessionView,
  UndoReply,
} from '../../page-data.js'

/** The server does not respond. */
export class ServerUnreachable extends Error {}
/** The server responds, but the session is no longer valid. */
export class SessionEnded extends Error {}
/** An error response with a message for the reviewer. */
export class RequestRefused extends Error {
  readonly hint: string | null

  constructor(message: string, hint: string | null) {
    super(message)
    this.hint = hint
  }
}

const answerMsMax = {
  /** For data of the review server. */
  own: 15_000,
  /** For data that the review server requests from the service. */
  asked: 60_000,
} as const

export interface QueueRequest extends QueueFilter {
  readonly from: number
  readonly count: number
  readonly find: readonly string[]
}

export const fetchSession = () => get<SessionView>('/api/session')

export function fetchQueue({ statuses, find, from, count, ...filters }: QueueRequest): Promise<QueuePage> {
  const query = new URLSearchParams({ from: String(from), count: String(count), ...filters })
  if (statuses.length > 0) query.set('status', statuses.join(','))
  if (find.length > 0) query.set('find', find.join(','))
  return get<QueuePage>(`/api/queue?${query.toString()}`)
}

export const fetchDetail = (lookup: string) => get<LookupDetail>(`/api/lookups/${lookup}`, answerMsMax.asked)

export const fetchDecisions = (count: number) => get<DecisionList>(`/api/decisions?count=${count}`)

export function searchCompanies(lookup: string, text: string, country: string): Promise<SearchReply> {
  const query = new URLSearchParams({ lookup, text })
  if (country !== '') query.set('country', country)
  return get<SearchReply>(`/api/search?${query.toString()}`, answerMsMax.asked)
}

/** A conflict (409) is a reply too. It has no `decisions`. */
export const sendDecision = (request: DecideRequest) => post<DecideReply>('/api/decisions', request)

export const sendUndo = (sequences: readonly number[]) => post<UndoReply>('/api/undo', { sequences })

const get = <Reply>(path: string, timeoutMs: number = answerMsMax.own) =>
  sendRequest<Reply>(path, {}, timeoutMs)

const post = <Reply>(path: string, body: object) =>
  sendRequest<Reply>(
    path,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    answerMsMax.own,
  )

async function sendRequest<Reply>(path: string, init: RequestInit, timeoutMs: number): Promise<Reply> {
  let reply: Response
  let body: unknown
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    reply = await fetch(path, { ...init, signal, cache: 'no-store', redirect: 'error' })
    body = reply.status === 403 ? null : await reply.json()
  } catch (cause) {
    if (isLate(cause) && timeoutMs === answerMsMax.asked)
      throw new RequestRefused('the response took too long', null)
    throw new ServerUnreachable('the server does not respond', { cause })
  }
  if (reply.status === 403) throw new SessionEnded('the session has ended')
  if (reply.ok || (reply.status === 409 && isConflict(body))) return body as Reply
  const { error } = body as Partial<PageError>
  throw new RequestRefused(
    error?.message ?? `the server responded with status ${reply.status}`,
    error?.hint ?? null,
  )
}

const isLate = (cause: unknown): boolean => cause instanceof DOMException && cause.name === 'TimeoutError'

const isConflict = (body: unknown): boolean => typeof body === 'object' && body !== null && 'others' in body

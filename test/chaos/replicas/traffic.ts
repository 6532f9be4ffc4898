import { kickoffPath } from '../../support/service-client.js'

export type Kind = 'run' | 'job' | 'v2'

/** Something that is asked for once, under a name of its own. */
export interface Asked {
  readonly kind: Kind
  readonly name: string
}

/** `refused`: certainly not stored. `unknown`: no answer came, or one that does not say. */
export interface Fate {
  readonly asked: Asked
  readonly fate: 'accepted' | 'refused' | 'unknown'
  /** As its answer names it: of a run its id, of a job and of v2 the id of the request. */
  readonly id: string | null
}

/** A call that was let through, for the judge of limits. */
export interface Call {
  readonly route: string
  readonly sentAtMs: number
  readonly answeredAtMs: number
}

interface Reply {
  readonly status: number
  readonly json: Record<string, unknown>
  readonly resetSeconds: number
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
/** Nobody listens there: certainly nothing was done. */
const refusedCodes = ['ECONNREFUSED']
const nothingCharged = /nothing was charged/

/** Callers behind a load balancer: each call goes to the next replica, and on to another where nobody listens. */
export class Traffic {
  readonly calls: Call[] = []
  readonly statuses: Record<string, number> = {}
  #turn = 0

  constructor(
    private readonly urls: () => readonly string[],
    private readonly apiKey: string,
    private readonly webhookUrl: string,
  ) {}

  /** Asks for it; `waits`: where a minute is full, until the next, and again where it certainly was not stored. */
  async ask(asked: Asked, waits: boolean): Promise<Fate> {
    for (;;) {
      const reply = await this.#send(asked.kind, requestOf(asked, this.webhookUrl))
      if (reply?.status === 429 && waits) {
        await pause(reply.resetSeconds * 1_000)
        continue
      }
      const isCertain = nothingCharged.test(JSON.stringify(reply?.json ?? ''))
      if (isCertain && waits) {
        await pause(100)
        continue
      }
      if (reply?.status === 202) return { asked, fate: 'accepted', id: idOf(reply.json) }
      const isRefused = reply?.status === 429 || isCertain
      return { asked, fate: isRefused ? 'refused' : 'unknown', id: null }
    }
  }

  /** What the poll of a run says; null where it was refused or lost. */
  async poll(runId: string): Promise<Record<string, unknown> | null> {
    const reply = await this.#send('poll', { method: 'GET', path: `/v3/runs/${runId}` })
    return reply?.status === 200 || reply?.status === 202 ? reply.json : null
  }

  async #send(route: string, { method, path, body }: Request): Promise<Reply | null> {
    for (;;) {
      const urls = this.urls()
      const url = urls[this.#turn++ % urls.length] ?? ''
      const sentAtMs = Date.now()
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            apikey: this.apiKey,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body }),
          signal: AbortSignal.timeout(30_000),
        })
        const json = (await response.json()) as Record<string, unknown>
        const { status } = response
        this.#count(`${route} ${status}`)
        if (status < 300) this.calls.push({ route, sentAtMs, answeredAtMs: Date.now() })
        return { status, json, resetSeconds: Number(response.headers.get('ratelimit-reset') ?? 1) }
      } catch (error) {
        const code = codeOf(error)
        if (!refusedCodes.includes(code)) {
          this.#count(`${route} lost`)
          return null
        }
        await pause(20)
      }
    }
  }

  #count(what: string): void {
    this.statuses[what] = (this.statuses[what] ?? 0) + 1
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

function requestOf({ kind, name }: Asked, webhookUrl: string): Request {
  const query = `name=${encodeURIComponent(name)}`
  if (kind === 'v2') return { method: 'GET', path: `/v2/entity-resolution/async?${query}` }
  if (kind === 'job') {
    return { method: 'GET', path: `${kickoffPath}?${query}&webhook_url=${encodeURIComponent(webhookUrl)}` }
  }
  const body = JSON.stringify({ name, custom_id: name, include: 'basis', webhook_url: webhookUrl })
  return { method: 'POST', path: kickoffPath, body }
}

const idOf = (json: Record<string, unknown>): string => String(json['run_id'] ?? json['request_id'])

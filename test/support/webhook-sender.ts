import { createHmac, randomBytes, randomUUID } from 'node:crypto'

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** One event, as its bytes are sent: again and again under the same id. */
export interface SentEvent {
  readonly id: string
  readonly body: Buffer
}

/** What an event carries: a run object, and what else the envelope says. */
export function eventOf(run: object, envelope: object = {}): SentEvent {
  const id = `evt_${randomUUID()}`
  const event = {
    id,
    object: 'event',
    type: 'entity_resolution.completed',
    api_version: 'v3',
    created: Math.floor(Date.now() / 1000),
    data: { object: run },
    ...envelope,
  }
  return { id, body: Buffer.from(JSON.stringify(event)) }
}

export interface SendOptions {
  /** Each signs; none is an unsigned delivery. */
  readonly secrets: readonly string[]
  readonly nowMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** The headers a service signs an event with, made without anything of src/. */
export function signedHeaders({ id, body }: SentEvent, options: SendOptions): Record<string, string> {
  const seconds = Math.floor((options.nowMs ?? Date.now()) / 1000)
  const signatures = options.secrets.map((secret) => {
    const hmac = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    return `v1,${hmac.update(`${id}.${seconds}.`).update(body).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'user-agent': 'service-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    ...(signatures.length === 0 ? {} : { 'webhook-signature': signatures.join(' ') }),
    'service-event-type': 'entity_resolution.completed',
    ...options.headers,
  }
}

/** Delivers an event once; resolves with the status, or with null when no answer came. */
export async function send(target: string, event: SentEvent, options: SendOptions): Promise<number | null> {
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: signedHeaders(event, options),
      body: new Uint8Array(event.body),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}

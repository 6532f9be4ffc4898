import { existsSync } from 'node:fs'
import type { ListenAddress } from '../../core/server-addresses.js'
import type { WebhookKeys } from '../../core/webhook-signature.js'
import { type Clock, WakeSignal } from '../../platform/clock.js'
import { inboxPath, openInbox, type Inbox } from './inbox.js'

/** How a run gets its answers sent, rather than asking for them. */
export interface WebhookOptions {
  /** What each submission bears. Null: none does, and only what waits already is taken. */
  url: string | null
  /** Null: a standing receiver fills the inbox. */
  receiver: { listen: ListenAddress; keys: WebhookKeys } | null
}

export interface OpenWebhooks {
  url: string | null
  inbox: Inbox
  /** Rung when this process has received something new. */
  received: WakeSignal
  close(): Promise<void>
}

/** Where the deliveries of a run wait. */
export interface InboxPlace {
  /** Whether anything was ever received. */
  exists(): boolean | Promise<boolean>
  /** `onReceived` is called after something new was received by this process. Throws CHECKPOINT_*. */
  open(onReceived: () => void): Inbox | Promise<Inbox>
}

/** Beside a checkpoint in a file. */
export const inboxBeside = (checkpointPath: string, clock: Pick<Clock, 'nowMs'>): InboxPlace => ({
  exists: () => existsSync(inboxPath(checkpointPath)),
  open: (onReceived) => openInbox(checkpointPath, clock.nowMs(), onReceived, true),
})

/** Loaded when it is needed: a run without webhooks, or with a standing receiver, starts without. */
const loadReceiver = () => import('./receiver.js')

/**
 * Opens the inbox of a checkpoint, and listens if this process is the receiver. Null where nothing is expected
 * and nothing waits. Throws LISTEN_FAILED, CHECKPOINT_*.
 */
export async function openWebhooks(
  { url, receiver }: WebhookOptions,
  place: InboxPlace,
  clock: Clock,
): Promise<OpenWebhooks | null> {
  if (url === null && !(await place.exists())) return null
  const received = new WakeSignal(clock)
  const inbox = await place.open(received.ring)
  try {
    const path = url === null ? null : new URL(url).pathname
    const running =
      receiver === null
        ? null
        : await (await loadReceiver()).startReceiver({ ...receiver, path, inbox, clock })
    return {
      url,
      inbox,
      received,
      close: async () => {
        await running?.close()
        await inbox.close()
      },
    }
  } catch (error) {
    await inbox.close()
    throw error
  }
}

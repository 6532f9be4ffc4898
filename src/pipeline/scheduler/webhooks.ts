import type { ListenAddress } from '../../core/server-addresses.js'
import type { WebhookKeys } from '../../core/webhook-signature.js'
import type { Inbox, InboxAccess } from './inbox.js'
import { WakeSignal, type Clock } from '../../platform/clock.js'

/** Options for receiving answers by webhook instead of polling. */
export interface WebhookOptions {
  /** Webhook URL of each submission; `null` sends none, and only processes waiting deliveries. */
  url: string | null
  /** `null` if a standing receiver fills the inbox. */
  receiver: { listen: ListenAddress; keys: WebhookKeys } | null
}

export interface OpenWebhooks {
  url: string | null
  inbox: Inbox
  /** Rings when this process has received a delivery. */
  received: WakeSignal
  close(): Promise<void>
}

/** Loaded on demand: a run without its own receiver starts faster. */
const loadReceiver = () => import('./receiver.js')

/**
 * Opens the inbox of a checkpoint, and starts the receiver if this process has one. Returns `null` if no deliveries are
 * expected or waiting. Throws LISTEN_FAILED, CHECKPOINT_*.
 */
export async function openWebhooks(
  { url, receiver }: WebhookOptions,
  place: InboxAccess,
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

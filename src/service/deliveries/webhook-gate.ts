import type { Clock } from '../../platform/clock.js'
import { bounds } from '../bounds.js'
import { badRequest } from '../refusal.js'
import type { AddressGuard } from '../outbound/address-guard.js'
import { within } from '../outbound/deadline.js'

/**
 * Judges the `webhook_url` of a request before anything is stored or charged; null where there is none.
 * Throws 400, which repeats nothing of it.
 */
export type WebhookGate = (webhookUrl: string | undefined) => Promise<string | null>

export function createWebhookGate(guard: AddressGuard, clock: Clock): WebhookGate {
  return async (webhookUrl) => {
    if (webhookUrl === undefined) return null
    const check = await within({ clock, msMax: bounds.resolveMsMax }, (signal) =>
      guard.judge(webhookUrl, signal),
    )
    if (check.kind === 'refused') throw badRequest(`webhook_url: ${check.reason}`)
    return webhookUrl
  }
}

import { UserError } from '../core/errors.js'
import { Secret } from '../core/secret.js'
import { judgeWebhookUrl } from '../core/public-url.js'
import { conditionHint, parseConditions, type AlarmCondition } from '../pipeline/figures/alarms.js'
import type { NotifyFormat, NotifyTime } from '../pipeline/figures/notify-message.js'
import type { FilledOf } from './option.js'
import type { alarms } from './reporting-review-options.js'
import { createPriceMissing } from './billing.js'

export interface AlarmSettings {
  readonly conditions: readonly AlarmCondition[]
  /** `null`: no notification. */
  readonly notify: NotifySettings | null
}

interface NotifySettings {
  readonly url: Secret
  readonly format: NotifyFormat
  readonly when: NotifyTime
}

/** Throws FAIL_ON_INVALID, BILLING_PRICE_MISSING and NOTIFY_URL_INVALID, never with a part of the URL. */
export function resolveAlarms(given: FilledOf<typeof alarms>, knowsCost: boolean): AlarmSettings {
  const conditions = given.failOn === undefined ? [] : readConditions(given.failOn)
  if (!knowsCost && conditions.some(({ name }) => name === 'cost'))
    throw createPriceMissing('a condition of --fail-on on cost')
  const { notify, notifyFormat: format, notifyWhen: when } = given
  return {
    conditions,
    notify: notify === undefined || notify === '' ? null : { url: notifyUrl(notify), format, when },
  }
}

function readConditions(text: string): readonly AlarmCondition[] {
  const parsed = parseConditions(text)
  if ('conditions' in parsed) return parsed.conditions
  throw new UserError('FAIL_ON_INVALID', `--fail-on: ${parsed.fault}`, { hint: conditionHint })
}

/** Rules that need no name server; the others are checked when the URL is used. */
const notifyUrlRules = { allowsLoopback: true, allowsAddresses: false, called: 'notify URL' } as const

function notifyUrl(text: string): Secret {
  const verdict = judgeWebhookUrl(text.trim(), notifyUrlRules)
  if (verdict.kind === 'allowed') return new Secret(text.trim())
  throw new UserError('NOTIFY_URL_INVALID', verdict.reason, {
    hint: 'https to a public name, or http to this machine, like https://hooks.example.com/services/…',
  })
}

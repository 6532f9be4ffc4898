import type { KickoffBody } from '../../contract/resolution.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Credit } from '../accounts/credit.js'
import { newRunIds } from '../ids.js'
import type { Journal } from '../journal.js'
import type { Call, Handlers } from '../mount.js'
import { badRequest } from '../refusal.js'
import type { Researcher } from '../researcher.js'
import type { NewRun } from '../run-store.js'

export interface KickoffParts {
  readonly journal: Journal
  readonly credit: Credit
  readonly researcher: Researcher
  readonly clock: Clock
  readonly random: Random
  readonly researchMs: { readonly min: number; readonly max: number }
}

/** The two kickoffs. A 202 leaves only after the run and its billed unit are durable. */
export function kickoffHandlers(parts: KickoffParts): Pick<Handlers, 'kickoffRun' | 'kickoffJob'> {
  return {
    kickoffRun: async (call) => {
      const { ids, customId } = await accept(call, 'run', call.body, parts)
      const custom = customId === null ? {} : { custom_id: customId }
      return { status: 202, body: { status: 'pending', run_id: ids.runId, ...custom } }
    },
    kickoffJob: async (call) => {
      const { ids } = await accept(call, 'job', call.query, parts)
      return {
        status: 202,
        body: { status: 'pending', job_id: ids.jobId, request_id: ids.requestId },
      }
    },
  }
}

async function accept(
  call: Pick<Call, 'caller' | 'callId'>,
  kind: 'run' | 'job',
  asked: KickoffBody,
  parts: KickoffParts,
): Promise<NewRun> {
  if (asked.webhook_url !== undefined) {
    throw badRequest('webhook_url: this service does not deliver webhooks yet; poll the run instead')
  }
  const { journal, credit, researcher, clock, random, researchMs } = parts
  const nowMs = clock.nowMs()
  const run: NewRun = {
    accountNumber: call.caller.accountNumber,
    ids: newRunIds(kind, call.callId, random, nowMs),
    customId: asked.custom_id ?? null,
    surface: 'v3',
    webhookUrl: null,
    query: {
      name: wellFormed(asked.name),
      location: asked.location === undefined ? null : wellFormed(asked.location),
      context: asked.context === undefined ? null : wellFormed(asked.context),
    },
    withBasis: asked.include === 'basis',
    createdAtMs: nowMs,
    dueAtMs: nowMs + Math.round(researchMs.min + random.fraction() * (researchMs.max - researchMs.min)),
  }
  credit.reserve(call.caller)
  try {
    await journal.append(run)
  } catch (error) {
    credit.giveBack(call.caller)
    throw error
  }
  researcher.expect(run.dueAtMs)
  return run
}

/** SQLite would store half a surrogate pair as bytes that are no UTF-8: it becomes U+FFFD, as in any encoder. */
function wellFormed(text: string): string {
  return /\p{Surrogate}/u.test(text) ? Buffer.from(text).toString() : text
}

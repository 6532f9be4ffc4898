import type { CustomId } from '../../contract/ids.js'
import type { Clock } from '../../platform/clock.js'
import type { Random } from '../../platform/random.js'
import type { Credit } from '../accounts/credit.js'
import { newRunIds, type RunKind } from '../ids.js'
import type { Journal } from './journal.js'
import type { Call } from '../http/mount.js'
import type { Researcher } from './researcher.js'
import type { NewRun } from './run-store.js'

export interface SubmissionDeps {
  readonly journal: Journal
  readonly credit: Credit
  readonly researcher: Researcher
  readonly clock: Clock
  readonly random: Random
  readonly researchMs: { readonly min: number; readonly max: number }
}

/** What is asked, by whatever route: its parameters are what the contract says. */
export interface Submission {
  readonly kind: RunKind
  readonly name: string
  readonly location: string | undefined
  readonly context: string | undefined
  readonly customId: CustomId | null
  readonly webhookUrl: string | null
  readonly withBasis: boolean
}

/**
 * Bills a unit and stores the run, both or neither; resolves when they are durable. Throws 402 when no credit
 * is left, 429 when none is for the month, and whatever the store throws: then nothing was billed.
 */
export async function submit(
  { caller, callId }: Pick<Call, 'caller' | 'callId'>,
  asked: Submission,
  { journal, credit, researcher, clock, random, researchMs }: SubmissionDeps,
): Promise<NewRun> {
  const nowMs = clock.nowMs()
  const run: NewRun = {
    accountNumber: caller.accountNumber,
    ids: newRunIds(asked.kind, callId, random, nowMs),
    customId: asked.customId,
    surface: asked.kind === 'run' || asked.kind === 'job' ? 'v3' : 'v2',
    webhookUrl: asked.webhookUrl,
    query: {
      name: wellFormed(asked.name),
      location: asked.location === undefined ? null : wellFormed(asked.location),
      context: asked.context === undefined ? null : wellFormed(asked.context),
    },
    withBasis: asked.withBasis,
    createdAtMs: nowMs,
    dueAtMs: nowMs + Math.round(researchMs.min + random.fraction() * (researchMs.max - researchMs.min)),
  }
  await credit.charge(caller, () => journal.append(run))
  researcher.expect(run.dueAtMs)
  return run
}

/** SQLite would store half a surrogate pair as bytes that are no UTF-8: it becomes U+FFFD, as in any encoder. */
function wellFormed(text: string): string {
  return /\p{Surrogate}/u.test(text) ? Buffer.from(text).toString() : text
}

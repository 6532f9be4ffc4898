import type { AttemptEnd, DueEvent } from '../../../../src/service/deliveries/event-store.js'
import type { BuildRequest } from '../../../../src/service/records/builds/build-store.js'
import { isWaitedFor, stepOnDemand } from '../../../../src/service/records/builds/build.js'
import { outcomeOf, type TestData } from '../../../support/service-data.js'

export const webhookUrl = 'https://hooks.example.com/a'
const nothing: ReadonlySet<number> = new Set()

/** Ends runs of alice whose events go there. */
export async function endRuns(data: TestData, count: number, url = webhookUrl): Promise<void> {
  const { stores } = data
  for (let at = 0; at < count; at++) await data.submit({ webhookUrl: url })
  const due = await stores.runs.due(Date.now() + 1_000, count)
  const ended = due.map(({ runNumber }) => ({ runNumber, outcome: outcomeOf('COMPLETED') }))
  await stores.runs.finish(ended, Date.now())
}

export const endOf = (event: DueEvent, what: 'delivered' | 'again' | 'exhausted'): AttemptEnd => ({
  eventNumber: event.eventNumber,
  attemptCount: event.attemptCount + 1,
  deliveredAtMs: what === 'delivered' ? Date.now() : null,
  nextAttemptAtMs: what === 'again' ? Date.now() + 60_000 : null,
  failure: what === 'delivered' ? null : 'HTTP 500',
})

export async function dueOf({ stores }: TestData, countMax = 10, inFlight = nothing, lane?: string) {
  const { events } = stores.outgoing
  const [first] = await events.lanes()
  const wanted = lane ?? first?.lane ?? ''
  return events.readDueEvents(wanted, { countMax, inFlight, nowMs: Date.now() + 1_000 })
}

export const askFor = (
  kind: BuildRequest['kind'],
  subject: string,
  more: Partial<BuildRequest> = {},
): BuildRequest => ({
  kind,
  subject,
  accountNumber: 0,
  chooseMs: () => 0,
  waiter: null,
  isWaitedFor,
  chargedAccountNumber: null,
  chooseStep: (build, nowMs) => stepOnDemand(build, 'first', nowMs),
  ...more,
})

import { plural } from '../core/text.js'
import { UserError } from '../core/errors.js'
import { withCleanup } from '../platform/close-stack.js'
import type { Checkpoint } from './checkpoint/checkpoint.js'
import type { CheckpointReader } from './checkpoint/lookup.js'
import { DecidedLookups } from './decisions/decided-lookups.js'
import { createTimeline, createTally } from './history/run-figures.js'
import { explainStop, createDefaultStages } from './scheduler/scheduling.js'
import { FirstAnswers, toRegistryRule } from './answers/first-answers.js'
import { ingest, type LookupRule } from './input/ingest.js'
import type { Input } from './input/input.js'
import { openServiceCheckpoint } from './open-backend.js'
import type { FirstRegistry, Connection, RunContext } from './order.js'
import { planRun, type AskedService } from './plan-run.js'
import { runLookups } from './run-lookups.js'

export interface FirstRun {
  readonly input: Input
  /** How rows become lookups of the service. */
  readonly rule: LookupRule
  /** Scope of the service. */
  readonly scope: string
  /** Reads the service's answers; `null` before the first one. */
  readonly service: () => CheckpointReader | null
  /** Reviewers' decisions about the lookups. */
  readonly decided: DecidedLookups
  /** Whether this checkpoint is temporary, for a plan; defaults to false. */
  readonly isTemporary?: boolean
}

/**
 * Lets the own registry answer the lookups of the input, in the same checkpoint and before anything is submitted to the
 * service. Returns `null` without such a registry. Throws REGISTRY_*, CHECKPOINT_*, and the signal's reason.
 */
export async function answerFirst(context: RunContext, run: FirstRun): Promise<FirstAnswers | null> {
  const { order, services, backend } = context
  const { first = null, onLost } = order.requests
  if (first === null) return null
  const { clock } = services
  const startedAtMs = clock.monotonicMs()
  const answerWithEdition = () =>
    withCleanup(async (closeLater) => {
      const connection = await services.connect('registry')
      closeLater(() => connection.close())
      const checkpoint = await openServiceCheckpoint(context, run.input, connection)
      closeLater(() => checkpoint.close())
      await answerLookups(toRegistryContext(context, first), run, connection, checkpoint)
      const { scope, readScope = () => scope } = connection
      return readScope() === scope ? scope : null
    })
  let registryScope = await answerWithEdition()
  // Answers of two editions are mixed if one was loaded into the file meanwhile.
  while (registryScope === null) registryScope = await answerWithEdition()
  return new FirstAnswers({
    rule: first,
    elapsedMs: clock.monotonicMs() - startedAtMs,
    registry: backend.peek(registryScope),
    service: run.service(),
    decided: run.decided,
    isTemporary: run.isTemporary ?? false,
    policy: { nowMs: clock.nowMs(), maxAgeMs: order.store.checkpoint.maxAgeMs, onLost },
    scopes: { registry: registryScope, service: run.scope },
  })
}

/** `context`: that of `toRegistryContext`. */
async function answerLookups(
  context: RunContext,
  { input, rule }: FirstRun,
  connection: Connection,
  checkpoint: Checkpoint,
): Promise<void> {
  const { order, services } = context
  const { index } = await ingest({
    input,
    rule: toRegistryRule(rule),
    dedupe: true,
    place: (lookups) => checkpoint.store.register(lookups),
    signal: services.interrupt,
    spool: null,
    earlier: null,
  })
  const service: AskedService = {
    // Doubtful lookups are submitted, so their candidates are those of the service.
    connection: { ...connection, candidates: { ...connection.candidates, isEager: false } },
    checkpoint,
    first: null,
    decided: new DecidedLookups(new Map()),
    webhooks: null,
  }
  const planned = await planRun(context, service)
  const { submit, poll } = planned.asked.plan
  if (submit + poll > 0) {
    const text = `The own registry answers first, free of charge: ${plural(submit + poll, 'lookup')}.`
    services.observe({ type: 'notice', text })
  }
  const counts = { ...createTally(), timeline: createTimeline() }
  const { stop } = await runLookups(context, service, { planned, index, counts })
  services.interrupt.throwIfAborted()
  if (order.requests.stages.asked.length > 0) await checkpoint.store.others?.copyForReading()
  // Otherwise, the service would be paid for what the registry could not look up yet.
  const explained = stop === null ? null : explainStop({ kind: 'resolution', stop })
  if (explained !== null)
    throw new UserError(explained.code, `the own registry did not answer: ${explained.message}`, {
      hint: 'nothing was submitted; run the same command again',
    })
}

/** The same run, with the settings of a service that costs nothing and has no limits. Only notices are reported. */
function toRegistryContext(
  { order, services, backend }: RunContext,
  { scheduling, stages }: FirstRegistry,
): RunContext {
  const { requests, store } = order
  return {
    order: {
      ...order,
      // An edition always gives the same answer.
      store: { ...store, checkpoint: { ...store.checkpoint, maxAgeMs: null } },
      requests: {
        ...requests,
        scheduling: { ...scheduling, durationMsMax: requests.scheduling.durationMsMax },
        stages: createDefaultStages(scheduling, stages ? requests.stages.asked : []),
        askAgain: [],
        prices: null,
      },
    },
    services: {
      ...services,
      observe: (event) => {
        if (event.type === 'notice') services.observe(event)
      },
    },
    backend,
  }
}

import { plural } from '../core/text.js'
import { UserError } from '../core/errors.js'
import { withCleanup } from '../platform/close-stack.js'
import type { Checkpoint, CheckpointReader } from './checkpoint/checkpoint.js'
import { DecidedLookups } from './decided-lookups.js'
import type { Connection, PipelineDeps } from './deps.js'
import type { RunBackend } from './backend.js'
import { createTimeline } from './figures/run-record.js'
import { explainStop } from './figures/stop.js'
import { ingest, noEarlierNames } from './ingest.js'
import type { Input } from './input/input.js'
import type { LookupRule } from './lookups/lookup-kind.js'
import { createDefaultStages } from './lookups/stage-options.js'
import { planRun, runLookups, type LookupRun } from './run-lookups.js'
import { Backlog } from './scheduler/backlog.js'
import { createTally } from './tally.js'
import { FirstAnswers, toRegistryRule } from './first/first-answers.js'

interface FirstRun {
  readonly deps: PipelineDeps
  readonly backend: RunBackend
  readonly input: Input
  /** How rows become lookups of the service. */
  readonly rule: LookupRule
  /** Scope of the service. */
  readonly scope: string
  /** Reads the service's answers; `null` before the first one. */
  readonly service: () => CheckpointReader | null
  readonly openCheckpoint: (connection: Connection) => Promise<Checkpoint>
  /** Reviewers' decisions about the lookups. */
  readonly decided: DecidedLookups
  /** Whether this checkpoint is temporary, for a plan; defaults to false. */
  readonly isTemporary?: boolean
}

/**
 * Lets the own registry answer the lookups of the input, in the same checkpoint and before anything is submitted to the
 * service. Returns `null` without such a registry. Throws REGISTRY_*, CHECKPOINT_*, and the signal's reason.
 */
export async function answerFirst(run: FirstRun): Promise<FirstAnswers | null> {
  const { deps, backend, scope } = run
  const { first = null, onLost } = deps.requests
  if (first === null) return null
  const startedAtMs = deps.clock.monotonicMs()
  const answerWithEdition = () =>
    withCleanup(async (closeLater) => {
      const connection = await first.connect()
      closeLater(() => connection.close())
      const checkpoint = await run.openCheckpoint(connection)
      closeLater(() => checkpoint.close())
      await answerLookups(run, connection, checkpoint)
      const { scope, readScope = () => scope } = connection
      return readScope() === scope ? scope : null
    })
  let registryScope = await answerWithEdition()
  // Answers of two editions are mixed if one was loaded into the file meanwhile.
  while (registryScope === null) registryScope = await answerWithEdition()
  return new FirstAnswers({
    rule: first,
    elapsedMs: deps.clock.monotonicMs() - startedAtMs,
    registry: backend.peek(registryScope),
    service: run.service(),
    decided: run.decided,
    isTemporary: run.isTemporary ?? false,
    policy: { nowMs: deps.clock.nowMs(), maxAgeMs: deps.store.checkpoint.maxAgeMs, onLost },
    scopes: { registry: registryScope, service: scope },
  })
}

async function answerLookups(run: FirstRun, connection: Connection, checkpoint: Checkpoint): Promise<void> {
  const { deps, input, rule } = run
  const { index } = await ingest({
    input,
    rule: toRegistryRule(rule),
    dedupe: true,
    place: (lookups) => checkpoint.registerLookups(lookups),
    signal: deps.interrupt,
    spool: null,
    earlier: noEarlierNames,
  })
  const asking = createLookupRun(run, connection, checkpoint)
  const planned = await planRun(asking)
  const { submit, poll } = planned.asked.plan
  if (submit + poll > 0) {
    const text = `The own registry answers first, free of charge: ${plural(submit + poll, 'lookup')}.`
    deps.observe({ type: 'notice', text })
  }
  const { stop } = await runLookups(asking, {
    ...planned,
    index,
    backlog: new Backlog(planned.plan.submit),
    ...createTally(),
  })
  deps.interrupt.throwIfAborted()
  if (asking.deps.requests.stages.asked.length > 0) await checkpoint.store.others?.copyForReading()
  // Otherwise, the service would be paid for what the registry could not look up yet.
  const explained = stop === null ? null : explainStop({ kind: 'resolution', stop })
  if (explained !== null)
    throw new UserError(explained.code, `the own registry did not answer: ${explained.message}`, {
      hint: 'nothing was submitted; run the same command again',
    })
}

/** The same run, with the settings of a service that costs nothing and has no limits. */
function createLookupRun(
  { deps, backend }: FirstRun,
  connection: Connection,
  checkpoint: Checkpoint,
): LookupRun {
  const { requests, store } = deps
  const { first = null } = requests
  if (first === null) throw new Error('no registry answers first')
  const { scheduling } = first
  return {
    deps: {
      ...deps,
      // An edition always gives the same answer.
      store: { ...store, checkpoint: { ...store.checkpoint, maxAgeMs: null } },
      requests: {
        ...requests,
        scheduling: { ...scheduling, durationMsMax: requests.scheduling.durationMsMax },
        stages: createDefaultStages(scheduling, first.stages ? requests.stages.asked : []),
        askAgain: [],
        prices: null,
      },
      observe: (event) => {
        if (event.type === 'notice') deps.observe(event)
      },
    },
    backend,
    // Doubtful lookups are submitted, so their candidates are those of the service.
    connection: { ...connection, candidates: { ...connection.candidates, isEager: false } },
    checkpoint,
    first: null,
    webhooks: null,
    decided: new DecidedLookups(new Map()),
    timeline: createTimeline(),
    part: null,
  }
}

import type { KickoffBody } from '../../contract/result.js'
import type { Deferrable } from '../../platform/sql-program.js'
import type { WebhookGate } from '../deliveries/webhooks.js'
import type { Call, Handlers, Answer } from '../http/mount.js'
import type { Builds } from '../records/builds/builds.js'
import { notFound } from '../refusal.js'
import { formatJobBody, buildPendingBody, formatRunBody, type HeldPolls } from '../runs/polls.js'
import type { NewRun, RunStore } from '../runs/run-store.js'
import { submit, type SubmissionDeps } from '../runs/researcher.js'
import { entityRecord, type EntityReply } from '../../contract/entity.js'
import { getErrorText } from '../../core/errors.js'
import type { Clock, Random } from '../../platform/clock.js'
import type { Credit } from '../accounts/charges.js'
import { createRunIds } from '../runs/run-store.js'
import type { Knowledge } from '../knowledge.js'
import type { BuildWaiter, StoredBuild } from '../records/builds/build.js'
import { toEnrichment, parseEntityRecord, stripEnrichment } from '../records/builds/entity-build.js'
import { parseDomain, buildDomainReply } from '../records/domains/domain-build.js'

interface KickoffDeps extends SubmissionDeps {
  readonly gate: WebhookGate
}

/** The two kickoffs. A 202 is sent only once the run and its billed unit are durable. */
export function createKickoffHandlers(deps: KickoffDeps): Pick<Handlers, 'kickoffRun' | 'kickoffJob'> {
  return {
    kickoffRun: async (call) => {
      const { ids, customId } = await submitKickoff(call, 'run', call.body, deps)
      const custom = customId === null ? {} : { custom_id: customId }
      return { status: 202, body: { status: 'pending', run_id: ids.runId, ...custom } }
    },
    kickoffJob: async (call) => {
      const { ids } = await submitKickoff(call, 'job', call.query, deps)
      return {
        status: 202,
        body: { status: 'pending', job_id: ids.jobId, request_id: ids.requestId },
      }
    },
  }
}

async function submitKickoff(
  call: Pick<Call, 'caller' | 'callId'>,
  kind: 'run' | 'job',
  asked: KickoffBody,
  deps: KickoffDeps,
): Promise<NewRun> {
  const submission = {
    kind,
    name: asked.name,
    location: asked.location,
    context: asked.context,
    customId: asked.custom_id ?? null,
    webhookUrl: await deps.gate(asked.webhook_url),
    withBasis: asked.include === 'basis',
  }
  return submit(call, submission, deps)
}

/**
 * Polls of runs and jobs, which never start or repeat work (interface: "States and transitions"). With `held`, the
 * poll of a run waits for its end.
 */
export function createPollHandlers(
  store: Deferrable<Pick<RunStore, 'byRunId' | 'byJobId'>>,
  builds: Pick<Deferrable<Builds>, 'runObject'>,
  held: Pick<HeldPolls, 'waitForEnd'> | null = null,
): Pick<Handlers, 'pollRun' | 'pollJob'> {
  return {
    // The interface shows no status for a pending run: 202, like a pending job.
    pollRun: async ({ caller, params, query }) => {
      let run = await store.byRunId(caller.accountNumber, params.run_id)
      if (held !== null && run?.status === 'PENDING') {
        await held.waitForEnd(params.run_id)
        run = await store.byRunId(caller.accountNumber, params.run_id)
      }
      if (run === undefined) {
        // It may be the run of a read whose record was still being built: its event names the run.
        const object = await builds.runObject(caller.accountNumber, params.run_id)
        if (object === undefined) throw notFound('run')
        return { status: object.isPending ? 202 : 200, body: object.text }
      }
      return {
        status: run.status === 'PENDING' ? 202 : 200,
        body: formatRunBody(run, query.include === 'basis'),
      }
    },
    pollJob: async ({ caller, callId, params, query }) => {
      const run = await store.byJobId(caller.accountNumber, params.job_id)
      const pending = run === undefined ? null : buildPendingBody(run)
      if (run === undefined || pending === null) throw notFound('job')
      const body = formatJobBody(run, callId, query.include === 'basis')
      return body === null ? { status: 202, body: pending } : { status: 200, body }
    },
  }
}

interface RecordDeps {
  readonly knowledge: Knowledge
  readonly builds: Deferrable<Pick<Builds, 'read' | 'demand'>>
  readonly gate: WebhookGate
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
}

/** Reads the record of an entity; the first read starts its build (interface: "v3 entity record"). */
export function createEntityHandlers(deps: RecordDeps): Pick<Handlers, 'readEntity'> {
  const { knowledge, builds, gate, log } = deps
  /** Returns `null` if the state of the build cannot be read; the waiter is then not added. */
  const requestBuild = async (
    id: string,
    accountNumber: number,
    waiter: BuildWaiter | null,
  ): Promise<StoredBuild | null> => {
    try {
      return await builds.demand('entity', id, { accountNumber, waiter })
    } catch (error) {
      log(`the build of entity ${id} cannot be read: ${getErrorText(error)}`)
      return null
    }
  }
  return {
    readEntity: async (call) => {
      const webhookUrl = await gate(call.query.webhook_url)
      const found = knowledge.entity(call.params.id)
      if (found === null) throw notFound('entity')
      const record = entityRecord.parse(found.record)
      const build = await requestBuild(
        record.id,
        call.caller.accountNumber,
        createWaiter(call, webhookUrl, deps),
      )
      const result = build?.result ?? null
      const body: EntityReply = {
        status: found.mergedInto === null ? 'matched' : 'merged',
        merged_into: found.mergedInto,
        entity: result === null ? stripEnrichment(record) : parseEntityRecord(result),
        ...(build === null ? {} : { enrichment: toEnrichment(build) }),
        request_id: call.callId,
      }
      return { status: 200, body }
    },
  }
}

/** Returns the waiter for an event at the end of a build. Its event has a new run id. */
function createWaiter(
  { caller, callId }: Pick<Call, 'caller' | 'callId'>,
  webhookUrl: string | null,
  { random, clock }: Pick<RecordDeps, 'random' | 'clock'>,
): BuildWaiter | null {
  if (webhookUrl === null) return null
  const { runId } = createRunIds('run', callId, random, clock.nowMs())
  return { accountNumber: caller.accountNumber, runId, callId, webhookUrl }
}

interface DomainDeps extends Pick<RecordDeps, 'builds' | 'gate' | 'clock' | 'random'> {
  readonly credit: Credit
}

interface DomainRequest {
  readonly domain: string
  readonly webhook_url?: string | undefined
}

/**
 * Reads a domain (interface: "v3 domain intelligence"). The first request ever for a domain is charged one unit;
 * later requests read its result, or wait for it, free of charge.
 */
export function createDomainHandlers(deps: DomainDeps): Pick<Handlers, 'readDomain' | 'requestDomain'> {
  const { builds, gate, credit } = deps
  const answer = async (call: Pick<Call, 'caller' | 'callId'>, asked: DomainRequest): Promise<Answer> => {
    const domain = parseDomain(asked.domain)
    const waiter = createWaiter(call, await gate(asked.webhook_url), deps)
    const requestBuild = (chargedAccountNumber?: number) =>
      builds.demand('domain', domain, {
        accountNumber: call.caller.accountNumber,
        waiter,
        ...(chargedAccountNumber === undefined ? {} : { chargedAccountNumber }),
      })
    const isFirst = (await builds.read('domain', domain)) === null
    const build = isFirst
      ? await credit.charge(call.caller, () => Promise.resolve(requestBuild(call.caller.accountNumber)))
      : await requestBuild()
    return { status: 200, body: buildDomainReply(build, call.callId) }
  }
  return {
    readDomain: (call) => answer(call, call.query),
    requestDomain: (call) => answer(call, call.body),
  }
}

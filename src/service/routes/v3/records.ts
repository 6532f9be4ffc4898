import { entityRecord, type EntityReply } from '../../../contract/entity.js'
import type { Deferrable } from '../../../core/awaitable.js'
import { errorText } from '../../../core/error-text.js'
import type { Clock } from '../../../platform/clock.js'
import type { Random } from '../../../platform/random.js'
import type { Credit } from '../../accounts/credit.js'
import type { WebhookGate } from '../../deliveries/webhooks.js'
import type { Call, Handlers, Answer } from '../../http/mount.js'
import { newRunIds } from '../../ids.js'
import type { Knowledge } from '../../knowledge.js'
import type { BuildWaiter, StoredBuild } from '../../records/builds/build.js'
import type { Builds } from '../../records/builds/builds.js'
import { enrichmentOf, entityRecordIn, unenriched } from '../../records/builds/entity-build.js'
import { askedDomain, domainReplyOf } from '../../records/domains/domain-build.js'
import { notFound } from '../../refusal.js'

interface RecordDeps {
  readonly knowledge: Knowledge
  readonly builds: Deferrable<Pick<Builds, 'read' | 'demand'>>
  readonly gate: WebhookGate
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
}

/** The record of an entity; the first read of one starts its build (interface: "v3 entity record"). */
export function entityHandlers(deps: RecordDeps): Pick<Handlers, 'readEntity'> {
  const { knowledge, builds, gate, log } = deps
  /** Null where the state of the build cannot be read: nobody waits for it then. */
  const demand = async (id: string, waiter: BuildWaiter | null): Promise<StoredBuild | null> => {
    try {
      return await builds.demand('entity', id, { waiter })
    } catch (error) {
      log(`the build of entity ${id} cannot be read: ${errorText(error)}`)
      return null
    }
  }
  return {
    readEntity: async (call) => {
      const webhookUrl = await gate(call.query.webhook_url)
      const found = knowledge.entity(call.params.id)
      if (found === null) throw notFound('entity')
      const record = entityRecord.parse(found.record)
      const build = await demand(record.id, waiterOf(call, webhookUrl, deps))
      const result = build?.result ?? null
      const body: EntityReply = {
        status: found.mergedInto === null ? 'matched' : 'merged',
        merged_into: found.mergedInto,
        entity: result === null ? unenriched(record) : entityRecordIn(result),
        ...(build === null ? {} : { enrichment: enrichmentOf(build) }),
        request_id: call.callId,
      }
      return { status: 200, body }
    },
  }
}

/** Who gets an event at the end of a build: the event has a run of its own, which no answer names before. */
function waiterOf(
  { caller, callId }: Pick<Call, 'caller' | 'callId'>,
  webhookUrl: string | null,
  { random, clock }: Pick<RecordDeps, 'random' | 'clock'>,
): BuildWaiter | null {
  if (webhookUrl === null) return null
  const { runId } = newRunIds('run', callId, random, clock.nowMs())
  return { accountNumber: caller.accountNumber, runId, callId, webhookUrl }
}

interface DomainDeps extends Pick<RecordDeps, 'builds' | 'gate' | 'clock' | 'random'> {
  readonly credit: Credit
}

interface Asked {
  readonly domain: string
  readonly webhook_url?: string | undefined
}

/**
 * What is known of a domain (interface: "v3 domain intelligence"). The request that is the first ever to ask
 * for a domain is charged a unit; later requests read what was built, or wait for it, for nothing.
 */
export function domainHandlers(deps: DomainDeps): Pick<Handlers, 'readDomain' | 'requestDomain'> {
  const { builds, gate, credit } = deps
  const answer = async (call: Pick<Call, 'caller' | 'callId'>, asked: Asked): Promise<Answer> => {
    const domain = askedDomain(asked.domain)
    const waiter = waiterOf(call, await gate(asked.webhook_url), deps)
    const demand = (chargedAccountNumber?: number) =>
      builds.demand('domain', domain, {
        waiter,
        ...(chargedAccountNumber === undefined ? {} : { chargedAccountNumber }),
      })
    const isFirst = (await builds.read('domain', domain)) === null
    const build = isFirst
      ? await credit.charge(call.caller, () => Promise.resolve(demand(call.caller.accountNumber)))
      : await demand()
    return { status: 200, body: domainReplyOf(build, call.callId) }
  }
  return {
    readDomain: (call) => answer(call, call.query),
    requestDomain: (call) => answer(call, call.body),
  }
}

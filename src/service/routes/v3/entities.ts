import { entityRecord, type EntityReply } from '../../../contract/entity.js'
import { errorText } from '../../../core/error-text.js'
import type { Clock } from '../../../platform/clock.js'
import type { Random } from '../../../platform/random.js'
import type { BuildWaiter, StoredBuild } from '../../records/builds/build.js'
import type { Builds } from '../../records/builds/builds.js'
import { enrichmentOf, entityRecordIn, unenriched } from '../../records/builds/entity-build.js'
import { newRunIds } from '../../ids.js'
import type { Knowledge } from '../../knowledge.js'
import type { Call, Handlers } from '../../http/mount.js'
import { notFound } from '../../refusal.js'
import type { WebhookGate } from '../../deliveries/webhook-gate.js'

export interface RecordDeps {
  readonly knowledge: Knowledge
  readonly builds: Builds
  readonly gate: WebhookGate
  readonly clock: Clock
  readonly random: Random
  readonly log: (line: string) => void
}

/** The record of an entity; the first read of one starts its build (interface: "v3 entity record"). */
export function entityHandlers(parts: RecordDeps): Pick<Handlers, 'readEntity'> {
  const { knowledge, builds, gate, log } = parts
  /** Null where it cannot be told what became of the build: nobody waits for it then. */
  const demand = (id: string, waiter: BuildWaiter | null): StoredBuild | null => {
    try {
      return builds.demand('entity', id, { waiter })
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
      const build = demand(record.id, waiterOf(call, webhookUrl, parts))
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

/** Who is told at the end of a build: its event has a run of its own, which no answer names before. */
export function waiterOf(
  { caller, callId }: Pick<Call, 'caller' | 'callId'>,
  webhookUrl: string | null,
  { random, clock }: Pick<RecordDeps, 'random' | 'clock'>,
): BuildWaiter | null {
  if (webhookUrl === null) return null
  const { runId } = newRunIds('run', callId, random, clock.nowMs())
  return { accountNumber: caller.accountNumber, runId, callId, webhookUrl }
}

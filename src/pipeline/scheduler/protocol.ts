import type { ServiceClient } from '../../client/client.js'
import { customId as customIdOf } from '../../contract/ids.js'
import type { KickoffBody, RunObjectLenient } from '../../contract/resolution.js'
import type { Exchange } from '../../core/http-exchange.js'
import type { LookupKind, StageKind } from '../lookups/lookup-kind.js'
import {
  judgeKickoff,
  judgePoll,
  readOutcome,
  readResolvedAtMs,
  type KickoffVerdict,
  type PollVerdict,
  type ServerErrorMeaning,
} from '../answers/outcome.js'
import {
  judgeEntityKickoff,
  judgeRecordKickoff,
  judgeRecordPoll,
  readRecordedAtMs,
  readRecordOutcome,
} from '../answers/record-verdicts.js'
import { renderAnswer } from '../answers/answer-line.js'
import { findSchemaDeviations } from '../answers/schema-deviations.js'
import { renderDomainLine, renderEntityLine, renderHierarchyLine } from '../answers/stage-lines.js'
import type { OpenRun, ToSubmit } from '../checkpoint/checkpoint.js'

/** The requests for one kind of lookups, and the meaning of the responses. */
export interface Protocol {
  readonly kind: LookupKind
  /**
   * Handling of a request whose response was lost. `hold`: it may have been billed; `ask_again`: it is a read
   * and is sent again; `poll`: a read shows whether it was received.
   */
  readonly onLost: 'hold' | 'ask_again' | 'poll'
  /** Whether the service can send its end by webhook. */
  readonly hasEvents: boolean
  /** Whether its requests and its polls share a rate limit. */
  readonly sharesLimit: boolean
  sendRequest(
    lookup: ToSubmit,
    customId: string,
    webhookUrl: string | null,
    signal: AbortSignal,
  ): Promise<Exchange>
  judgeKickoff(exchange: Exchange, lookup: ToSubmit, customId: string, nowMs: number): KickoffVerdict
  poll(run: OpenRun, signal: AbortSignal): Promise<Exchange>
  judgePoll(exchange: Exchange, run: OpenRun, nowMs: number): PollVerdict
  getOutcome(run: RunObjectLenient, failed: boolean): string
  /** Time at which the answer was created, by the service's clock; null if unknown. */
  getEndedAtMs(run: RunObjectLenient): number | null
  render(run: RunObjectLenient): string
  /** Deviations of an answer from the contract. */
  findDeviations(run: RunObjectLenient): readonly string[]
}

type ProtocolClient = Pick<
  ServiceClient,
  'kickoffRun' | 'pollRun' | 'readEntity' | 'requestHierarchy' | 'readHierarchy' | 'askDomain' | 'readDomain'
>

export function createProtocol(
  kind: LookupKind,
  client: ProtocolClient,
  serverErrorMeans: ServerErrorMeaning,
): Protocol {
  switch (kind) {
    case 'resolution':
      return createResolutionProtocol(client, serverErrorMeans)
    case 'entity':
      return createEntityProtocol(client)
    case 'hierarchy':
      return createHierarchyProtocol(client)
    case 'domain':
      return createDomainProtocol(client)
  }
}

function createResolutionProtocol(client: ProtocolClient, serverErrorMeans: ServerErrorMeaning): Protocol {
  return {
    kind: 'resolution',
    onLost: 'hold',
    hasEvents: true,
    sharesLimit: false,
    sendRequest: (lookup, customId, webhookUrl, signal) =>
      client.kickoffRun(buildKickoff(lookup, customId, webhookUrl), signal),
    judgeKickoff: (exchange, _, customId, nowMs) => judgeKickoff(exchange, nowMs, serverErrorMeans, customId),
    poll: (run, signal) => client.pollRun(run.runId, { include: 'basis' }, signal),
    judgePoll,
    getOutcome: (run, failed) => readOutcome(run, failed),
    getEndedAtMs: readResolvedAtMs,
    render: renderAnswer,
    findDeviations: findSchemaDeviations,
  }
}

/** Without `include`, the run would not record its basis. */
function buildKickoff(lookup: ToSubmit, customId: string, webhookUrl: string | null): KickoffBody {
  return {
    name: lookup.name,
    ...(lookup.location === null ? {} : { location: lookup.location }),
    ...(lookup.context === null ? {} : { context: lookup.context }),
    custom_id: customIdOf.parse(customId),
    include: 'basis',
    ...(webhookUrl === null ? {} : { webhook_url: webhookUrl }),
  }
}

const toWebhookMember = (url: string | null) => (url === null ? {} : { webhook_url: url })

/** Members shared by all kinds of records. */
const createRecordPart = (
  kind: StageKind,
): Pick<Protocol, 'kind' | 'judgePoll' | 'getOutcome' | 'getEndedAtMs' | 'findDeviations'> => ({
  kind,
  judgePoll: (exchange, run, nowMs) => judgeRecordPoll(kind, exchange, run.name, nowMs),
  getOutcome: (run, failed) => readRecordOutcome(kind, run, failed),
  getEndedAtMs: (run) => readRecordedAtMs(kind, run),
  findDeviations: () => [],
})

function createEntityProtocol(client: ProtocolClient): Protocol {
  return {
    ...createRecordPart('entity'),
    onLost: 'ask_again',
    hasEvents: true,
    sharesLimit: true,
    sendRequest: ({ name }, _, webhookUrl, signal) =>
      client.readEntity(name, toWebhookMember(webhookUrl), signal),
    judgeKickoff: (exchange, { name }, _, nowMs) => judgeEntityKickoff(exchange, name, nowMs),
    poll: ({ name }, signal) => client.readEntity(name, {}, signal),
    render: renderEntityLine,
  }
}

function createHierarchyProtocol(client: ProtocolClient): Protocol {
  return {
    ...createRecordPart('hierarchy'),
    onLost: 'poll',
    hasEvents: false,
    sharesLimit: false,
    sendRequest: ({ name }, _id, _url, signal) => client.requestHierarchy(name, signal),
    judgeKickoff: (exchange, { name }, _, nowMs) => judgeRecordKickoff('hierarchy', exchange, name, nowMs),
    poll: ({ name }, signal) => client.readHierarchy(name, signal),
    render: renderHierarchyLine,
  }
}

function createDomainProtocol(client: ProtocolClient): Protocol {
  return {
    ...createRecordPart('domain'),
    onLost: 'hold',
    hasEvents: true,
    sharesLimit: true,
    sendRequest: ({ name }, _, webhookUrl, signal) =>
      client.askDomain({ domain: name, ...toWebhookMember(webhookUrl) }, signal),
    judgeKickoff: (exchange, { name }, _, nowMs) => judgeRecordKickoff('domain', exchange, name, nowMs),
    poll: ({ name }, signal) => client.readDomain(name, signal),
    render: renderDomainLine,
  }
}

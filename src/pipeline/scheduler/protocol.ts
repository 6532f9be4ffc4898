import type { ServiceClient } from '../../client/client.js'
import { customId as customIdOf } from '../../contract/enums.js'
import {
  runObject,
  runObjectLenient,
  type KickoffBody,
  type RunObjectLenient,
} from '../../contract/result.js'
import type { Exchange } from '../../core/http-exchange.js'
import type { LookupKind, StageKind } from '../../core/lookup-state.js'
import {
  judgeKickoff,
  judgePoll,
  readOutcome,
  readResolvedAtMs,
  type KickoffVerdict,
  type PollVerdict,
} from './outcome.js'
import type { ServerErrorMeaning } from './scheduling.js'
import {
  judgeEntityKickoff,
  judgeRecordKickoff,
  judgeRecordPoll,
  readRecordedAtMs,
  readRecordOutcome,
} from './record-verdicts.js'
import { renderAnswer } from '../answers/answer-line.js'
import { renderDomainLine, renderEntityLine, renderHierarchyLine } from '../answers/stage-lines.js'
import type { ExpectedIdentity } from './misdirected.js'
import type { PendingRun, ToSubmit } from '../checkpoint/checkpoint.js'
import type { PreparedAnswer, PreparedAnswers } from '../answers/joined-line.js'

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
  poll(run: PendingRun, signal: AbortSignal): Promise<Exchange>
  judgePoll(exchange: Exchange, run: PendingRun, nowMs: number): PollVerdict | PreparedVerdict
  readonly answers: AnswerReading
}

/** The content of the answers of one kind. */
interface AnswerReading {
  getOutcome(run: RunObjectLenient, failed: boolean): string
  /** Time at which the answer was created, by the service's clock; null if unknown. */
  getEndedAtMs(run: RunObjectLenient): number | null
  render(run: RunObjectLenient): string
  /** Deviations of an answer from the contract. */
  findDeviations(run: RunObjectLenient): readonly string[]
}

/** The verdict of a prepared answer; `run` is parsed when it is read. */
export type PreparedVerdict = Extract<PollVerdict, { kind: 'finished' }> & {
  readonly prepared: PreparedAnswer
}

/** Judges a poll whose answer is prepared, without parsing it; null if the reply is another one, or not the asked one. */
function judgePrepared(
  exchange: Exchange,
  asked: ExpectedIdentity,
  prepared: PreparedAnswer | null,
): PreparedVerdict | null {
  if (exchange.kind !== 'reply' || exchange.status !== 200 || prepared === null) return null
  const { runId, customId, name, bodyChars } = prepared
  const isAsked = runId === asked.runId && customId === asked.customId && name === asked.name
  if (!isAsked || exchange.text?.length !== bodyChars) return null
  return {
    kind: 'finished',
    get run() {
      return runObjectLenient.parse(exchange.body)
    },
    failed: false,
    prepared,
  }
}

export interface FinalAnswer {
  /** May be parsed when it is read. */
  readonly run: RunObjectLenient
  readonly failed: boolean
  /** Absent if the answer must be rendered from `run`. */
  readonly prepared?: PreparedAnswer | undefined
}

type FinishedVerdict = Extract<PollVerdict, { kind: 'finished' }> | PreparedVerdict

export const toFinalAnswer = (verdict: FinishedVerdict): FinalAnswer => ({
  get run() {
    return verdict.run
  },
  failed: verdict.failed,
  prepared: 'prepared' in verdict ? verdict.prepared : undefined,
})

/** Returns the time at which an answer was created, by the service's clock; null if unknown. */
export const findEndedAtMs = (
  verdict: FinishedVerdict,
  { answers }: Pick<Protocol, 'answers'>,
): number | null =>
  'prepared' in verdict ? verdict.prepared.resolvedAtMs : answers.getEndedAtMs(verdict.run)

type ProtocolClient = Pick<
  ServiceClient,
  'kickoffRun' | 'pollRun' | 'readEntity' | 'requestHierarchy' | 'readHierarchy' | 'askDomain' | 'readDomain'
>

export function createProtocol(
  kind: LookupKind,
  client: ProtocolClient,
  serverErrorMeans: ServerErrorMeaning,
  prepared?: PreparedAnswers,
): Protocol {
  switch (kind) {
    case 'resolution':
      return createResolutionProtocol(client, serverErrorMeans, prepared)
    case 'entity':
      return createEntityProtocol(client)
    case 'hierarchy':
      return createHierarchyProtocol(client)
    case 'domain':
      return createDomainProtocol(client)
  }
}

function createResolutionProtocol(
  client: ProtocolClient,
  serverErrorMeans: ServerErrorMeaning,
  prepared: PreparedAnswers = { take: () => null },
): Protocol {
  return {
    kind: 'resolution',
    onLost: 'hold',
    hasEvents: true,
    sharesLimit: false,
    sendRequest: (lookup, customId, webhookUrl, signal) =>
      client.kickoffRun(buildKickoff(lookup, customId, webhookUrl), signal),
    judgeKickoff: (exchange, _, customId, nowMs) => judgeKickoff(exchange, nowMs, serverErrorMeans, customId),
    poll: (run, signal) => client.pollRun(run.runId, { include: 'basis' }, signal),
    judgePoll: (exchange, run, nowMs) =>
      judgePrepared(exchange, run, prepared.take(run.runId)) ?? judgePoll(exchange, run, nowMs),
    answers: {
      getOutcome: (run, failed) => readOutcome(run, failed),
      getEndedAtMs: readResolvedAtMs,
      render: renderAnswer,
      findDeviations: findSchemaDeviations,
    },
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
  render: AnswerReading['render'],
): Pick<Protocol, 'kind' | 'judgePoll' | 'answers'> => ({
  kind,
  judgePoll: (exchange, run, nowMs) => judgeRecordPoll(kind, exchange, run.name, nowMs),
  answers: {
    getOutcome: (run, failed) => readRecordOutcome(kind, run, failed),
    getEndedAtMs: (run) => readRecordedAtMs(kind, run),
    render,
    findDeviations: () => [],
  },
})

function createEntityProtocol(client: ProtocolClient): Protocol {
  return {
    ...createRecordPart('entity', renderEntityLine),
    onLost: 'ask_again',
    hasEvents: true,
    sharesLimit: true,
    sendRequest: ({ name }, _, webhookUrl, signal) =>
      client.readEntity(name, toWebhookMember(webhookUrl), signal),
    judgeKickoff: (exchange, { name }, _, nowMs) => judgeEntityKickoff(exchange, name, nowMs),
    poll: ({ name }, signal) => client.readEntity(name, {}, signal),
  }
}

function createHierarchyProtocol(client: ProtocolClient): Protocol {
  return {
    ...createRecordPart('hierarchy', renderHierarchyLine),
    onLost: 'poll',
    hasEvents: false,
    sharesLimit: false,
    sendRequest: ({ name }, _id, _url, signal) => client.requestHierarchy(name, signal),
    judgeKickoff: (exchange, { name }, _, nowMs) => judgeRecordKickoff('hierarchy', exchange, name, nowMs),
    poll: ({ name }, signal) => client.readHierarchy(name, signal),
  }
}

function createDomainProtocol(client: ProtocolClient): Protocol {
  return {
    ...createRecordPart('domain', renderDomainLine),
    onLost: 'hold',
    hasEvents: true,
    sharesLimit: true,
    sendRequest: ({ name }, _, webhookUrl, signal) =>
      client.askDomain({ domain: name, ...toWebhookMember(webhookUrl) }, signal),
    judgeKickoff: (exchange, { name }, _, nowMs) => judgeRecordKickoff('domain', exchange, name, nowMs),
    poll: ({ name }, signal) => client.readDomain(name, signal),
  }
}

export const deviationLimits = { countMax: 20, pathCharsMax: 120, itemsMax: 50 } as const

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

/**
 * Lists the deviations of a run object from the contract as short texts for counting: `unknown value at data.status`,
 * `unknown key data.entity.tier`, `wrong type at data.match_confidence`. List positions are written as `*`, so that
 * equal deviations have equal texts; only the first items of a list are checked. Never throws.
 */
export function findSchemaDeviations(run: RunObjectLenient): string[] {
  const schemaDeviations = new Set<string>()
  // The status is compared without case everywhere.
  const parsed = parse({ ...run, status: run.status.toUpperCase() })
  for (const issue of parsed) {
    for (const text of describe(issue)) {
      if (schemaDeviations.size >= deviationLimits.countMax) return [...schemaDeviations]
      schemaDeviations.add(text)
    }
  }
  return [...schemaDeviations]
}

function parse(run: unknown): readonly Issue[] {
  try {
    return runObject.safeParse(sampleLists(run)).error?.issues ?? []
  } catch {
    // Nested deeper than the stack.
    return [{ path: [], code: 'unreadable' }]
  }
}

/** Truncates lists, since very long ones would take too much time. */
function sampleLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, deviationLimits.itemsMax).map(sampleLists)
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, sampleLists(member)]))
}

function describe(issue: Issue): readonly string[] {
  const path = formatPath(issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return (issue.keys ?? [])
        .slice(0, deviationLimits.countMax)
        .map((key) => `unknown key ${formatPath([...issue.path, key])}`)
    case 'invalid_value':
      return [`unknown value at ${path}`]
    case 'invalid_type':
    case 'invalid_union':
      return [`wrong type at ${path}`]
    default:
      return [`out of bounds at ${path === '' ? 'the answer' : path}`]
  }
}

function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? '*' : String(part))).join('.')
  return text.length <= deviationLimits.pathCharsMax
    ? text
    : `${text.slice(0, deviationLimits.pathCharsMax - 1)}…`
}

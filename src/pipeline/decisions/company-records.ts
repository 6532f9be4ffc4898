import { at, toObject, toText, toList } from '../../core/json.js'
import {
  type Candidate,
  type Decision,
  judgeDecision,
  explainDoubt,
  type DecisionStanding,
  toAnswerCandidate,
} from '../../core/decisions.js'
import { getDomainResult, getAnsweredLine } from '../answers/stage-lines.js'
import { type CheckpointReader, type KnownAnswer, buildStageLookup } from '../checkpoint/lookup.js'

interface ReadRecord {
  readonly answeredAtMs: number | null
  /** The envelope (interface: "v3 entity record"); `null` if the record was not read. */
  readonly record: () => unknown
}

/** Records of accepted companies, as runs stored them in the checkpoint. */
export class CompanyRecords {
  readonly #reader: CheckpointReader
  /** Results by company, valid until its record is read again. */
  readonly #standings = new Map<string, { answeredAtMs: number | null; standing: DecisionStanding }>()

  constructor(reader: CheckpointReader) {
    this.#reader = reader
  }

  /** Fetches the records of accepted companies and of their successors, if the checkpoint is on a server. */
  async fetch(decisions: Iterable<Decision>): Promise<void> {
    const decided = [...decisions]
    const toRecord = (entityId: string) => buildStageLookup('entity', entityId)
    const records = [...new Set(decided.flatMap(({ entityId }) => entityId ?? []))].map(toRecord)
    if (records.length === 0) return
    await this.#reader.fetch(records)
    const successors = decided.flatMap((decision) => {
      if (decision.entityId === null) return []
      const standing = judgeDecision(decision, this.#read(decision.entityId).record())
      return standing.kind === 'merged' ? [toRecord(standing.into)] : []
    })
    await this.#reader.fetch(successors)
  }

  /** Returns the reason why a decided lookup is doubtful again, or `null`. */
  findDoubt(decision: Decision): string | null {
    if (decision.entityId === null) return null
    const { answeredAtMs, record } = this.#read(decision.entityId)
    const key = JSON.stringify([decision.entityId, decision.entityName])
    const known = this.#standings.get(key)
    if (known !== undefined && known.answeredAtMs === answeredAtMs)
      return explainDoubt(decision, known.standing)
    const standing = judgeDecision(decision, record())
    this.#standings.set(key, { answeredAtMs, standing })
    return explainDoubt(decision, standing)
  }

  /** Returns the company's name in its record; `null` if the record was not read. */
  findName(entityId: string): string | null {
    const entity = at(this.#read(entityId).record(), 'entity')
    return toText(at(entity, 'legal_name')) ?? toText(at(entity, 'display_name'))
  }

  /** Returns the successor of an accepted company, as a candidate to replace it; `null` without one. */
  findSuccessor(decision: Decision): Candidate | null {
    if (decision.entityId === null) return null
    const record = this.#read(decision.entityId).record()
    const standing = judgeDecision(decision, record)
    if (standing.kind === 'renamed') return toRecordCandidate(decision.entityId, at(record, 'entity'))
    if (standing.kind !== 'merged') return null
    const own = at(this.#read(standing.into).record(), 'entity')
    return toRecordCandidate(standing.into, own ?? at(record, 'entity'))
  }

  #read(entityId: string): ReadRecord {
    const [id = 0] = this.#reader.find([buildStageLookup('entity', entityId)])
    const [known] = this.#reader.readAnswers([id])
    if (known?.state !== 'answered') return { answeredAtMs: null, record: () => null }
    return { answeredAtMs: known.answeredAtMs, record: () => at(JSON.parse(known.body()), 'data') ?? null }
  }
}

function toRecordCandidate(entityId: string, entity: unknown): Candidate | null {
  if (toObject(entity) === null) return null
  const address = at(entity, 'headquarters', 'address')
  return {
    entityId,
    legalEntityId: toText(at(entity, 'primary_legal_entity', 'id')),
    name: toText(at(entity, 'display_name')),
    legalName: toText(at(entity, 'legal_name')),
    otherNames: [],
    status: toText(at(entity, 'status')),
    place: toText(at(address, 'formatted_address')),
    countryCode: toText(at(address, 'country_code')),
    jurisdiction: toText(at(entity, 'primary_legal_entity', 'jurisdiction')),
    identifiers: [],
    confidence: null,
    evidence: [{ label: 'decision', text: 'successor of the accepted company', weight: null }],
    url: null,
  }
}

interface AnswerFactor {
  readonly type: string | null
  readonly text: string
  readonly impact: string | null
}

/** The parts of an answer that a reviewer sees. */
export interface AnswerFacts {
  readonly factors: readonly AnswerFactor[]
  /** The company in the service's own answer; `null` if it has none. */
  readonly candidate: Candidate | null
  /** The lookup is by domain instead of name. */
  readonly isOfDomain: boolean
}

const nothing: AnswerFacts = { factors: [], candidate: null, isOfDomain: false }

/** Returns these parts of a stored answer; none before it is answered. */
export function toAnswerFacts(known: KnownAnswer | null): AnswerFacts {
  if (known?.state !== 'answered') return { ...nothing, isOfDomain: known?.kind === 'domain' }
  const line: unknown = JSON.parse(getAnsweredLine(known))
  const factors = toList(at(line, 'factors')).flatMap((factor) => {
    const text = toText(at(factor, 'description')) ?? toText(at(factor, 'code'))
    if (toObject(factor) === null || text === null) return []
    return [{ type: toText(at(factor, 'type')), text, impact: toText(at(factor, 'impact')) }]
  })
  const body: unknown = JSON.parse(known.body())
  const isOfDomain = known.kind === 'domain'
  return {
    factors,
    isOfDomain,
    candidate: toAnswerCandidate(isOfDomain ? { data: getDomainResult(body) } : body),
  }
}

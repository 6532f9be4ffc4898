import type { Lookup, LookupId } from '../../core/lookup-identity.js'
import type { StageKind } from '../../core/lookup-state.js'
import {
  buildDecidedQuestions,
  buildStageQuestions,
  type DecidedLookup,
  type StageQuestion,
} from './stage-questions.js'
import { type CheckpointReader, type KnownAnswer, buildStageLookup } from '../checkpoint/lookup.js'
import { at } from '../../core/json.js'

/** A company record in a checkpoint. */
interface KnownRecord {
  /** `null` if it was never part of a run. */
  readonly known: KnownAnswer | null
  /** As sent by the service (interface: "v3 entity record", its envelope); `null` if it never arrived. */
  readonly body: unknown
}

/** Returns the records of companies by id; a record that is being refreshed keeps its old content until then. */
export function readRecords(
  reader: Pick<CheckpointReader, 'readAnswers' | 'find'>,
  entityIds: readonly string[],
): ReadonlyMap<string, KnownRecord> {
  const names = [...new Set(entityIds)]
  const known = reader.readAnswers(reader.find(names.map((name) => buildStageLookup('entity', name))))
  return new Map(
    names.map((name, index) => {
      const found = known[index] ?? null
      const isHere = found !== null && found.line !== null
      return [name, { known: found, body: isHere ? (at(JSON.parse(found.body()), 'data') ?? null) : null }]
    }),
  )
}

/** Returns the reviewer's decision on a lookup, or `null`. */
export type FindDecision = (id: LookupId) => DecidedLookup | null

const findNoDecision: FindDecision = () => null

type RowReader = Pick<CheckpointReader, 'readLookups' | 'readAnswers' | 'find'>

/** Returns the follow-ups of row lookups with their answers, in the order of the ids. */
export function readStageAnswers(
  reader: RowReader,
  lookupIds: readonly LookupId[],
  kinds: readonly StageKind[],
  findDecision: FindDecision = findNoDecision,
): StageAnswers[] {
  const questions = listQuestions(reader, lookupIds, kinds, findDecision)
  const lookups = questions.flat().map(({ kind, name }) => buildStageLookup(kind, name))
  const known = reader.readAnswers(reader.find(lookups)).values()
  return questions.map((list, at) =>
    Object.fromEntries(
      list.flatMap((question) => {
        const answer = { name: question.name, known: known.next().value ?? null }
        const decided = findDecision(lookupIds[at] ?? 0)
        return isDecided(question, decided) && (answer.known?.line ?? null) === null
          ? []
          : [[question.kind, answer] as const]
      }),
    ),
  )
}

/** Fetches the follow-ups of row lookups that were fetched, so that `readStageAnswers` finds them. */
export async function fetchStageAnswers(
  reader: RowReader & Pick<CheckpointReader, 'fetch'>,
  lookupIds: readonly LookupId[],
  kinds: readonly StageKind[],
  findDecision: FindDecision = findNoDecision,
): Promise<void> {
  const questions = listQuestions(reader, lookupIds, kinds, findDecision).flat()
  await reader.fetch(questions.map(({ kind, name }) => buildStageLookup(kind, name)))
}

function listQuestions(
  reader: RowReader,
  lookupIds: readonly LookupId[],
  kinds: readonly StageKind[],
  findDecision: FindDecision,
): StageQuestion[][] {
  const asked = reader.readLookups(lookupIds)
  const decided = lookupIds.map(findDecision)
  const records = readRecords(
    reader,
    decided.flatMap((one) => one?.decision.entityId ?? []),
  )
  return reader.readAnswers(lookupIds).map((first, at) => {
    const verdict = decided[at] ?? null
    const all =
      verdict === null
        ? deriveQuestions(first, asked[at] ?? null)
        : buildDecidedQuestions(verdict, records.get(verdict.decision.entityId ?? '')?.body ?? null)
    return all.filter(({ kind }) => kinds.includes(kind))
  })
}

function deriveQuestions(first: KnownAnswer | null, asked: Lookup | null): StageQuestion[] {
  if (first === null || first.line === null || asked === null) return []
  return buildStageQuestions(first.kind, asked, JSON.parse(first.body()))
}

/** The question is the row's own lookup, which a decision replaces. */
const isDecided = ({ kind }: StageQuestion, decided: DecidedLookup | null): boolean =>
  decided !== null && decided.kind === kind

/** A follow-up lookup. */
export interface StageAnswer {
  /** A domain, or a company id. */
  name: string
  /** `null` if it was never part of a run. */
  known: KnownAnswer | null
}

export type StageAnswers = Readonly<Partial<Record<StageKind, StageAnswer>>>

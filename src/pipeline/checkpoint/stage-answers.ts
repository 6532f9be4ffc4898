import type { StageKind } from '../rules/lookup-kind.js'
import { decidedQuestions, stageQuestions, type DecidedLookup } from '../rules/stage-questions.js'
import type { CheckpointReader, LookupId, StageAnswers } from './checkpoint.js'
import { recordsOf } from './decided-records.js'
import { idsOf, stageLookup } from './lookup-key.js'

/** What a person decided of a lookup; null: nothing. */
export type DecidedOf = (id: LookupId) => DecidedLookup | null

const nobodyDecided: DecidedOf = () => null

/** What follows from the answers to first questions, and what is known of it; aligned with the ids. */
export function stageAnswersOf(
  reader: Pick<CheckpointReader, 'asked' | 'known' | 'find'>,
  lookupIds: readonly LookupId[],
  kinds: readonly StageKind[],
  decidedOf: DecidedOf = nobodyDecided,
): StageAnswers[] {
  const asked = reader.asked(lookupIds)
  const decided = lookupIds.map(decidedOf)
  const records = recordsOf(
    reader,
    decided.flatMap((one) => one?.decision.entityId ?? []),
  )
  const questions = reader.known(lookupIds).map((first, at) => {
    const lookup = asked[at] ?? null
    const verdict = decided[at] ?? null
    const all =
      verdict !== null
        ? decidedQuestions(verdict, records.get(verdict.decision.entityId ?? '')?.body ?? null)
        : first === null || first.line === null || lookup === null
          ? []
          : stageQuestions(first.kind, lookup, JSON.parse(first.body()))
    return all.filter(({ kind }) => kinds.includes(kind))
  })
  const lookups = questions.flat().map(({ kind, name }) => stageLookup(kind, name))
  const known = reader.known(idsOf(reader, lookups)).values()
  return questions.map((list) =>
    Object.fromEntries(
      list.map(({ kind, name }) => [kind, { name, known: known.next().value ?? null }] as const),
    ),
  )
}

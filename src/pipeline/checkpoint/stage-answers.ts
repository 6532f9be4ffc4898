import type { StageKind } from '../rules/lookup-kind.js'
import { stageQuestions } from '../rules/stage-questions.js'
import type { CheckpointReader, LookupId, StageAnswers } from './checkpoint.js'
import { idsOf, stageLookup } from './lookup-key.js'

/** What follows from the answers to first questions, and what is known of it; aligned with the ids. */
export function stageAnswersOf(
  reader: Pick<CheckpointReader, 'asked' | 'known' | 'find'>,
  lookupIds: readonly LookupId[],
  kinds: readonly StageKind[],
): StageAnswers[] {
  const asked = reader.asked(lookupIds)
  const questions = reader.known(lookupIds).map((first, at) => {
    const lookup = asked[at] ?? null
    if (first === null || first.line === null || lookup === null) return []
    return stageQuestions(first.kind, lookup, JSON.parse(first.body())).filter(({ kind }) =>
      kinds.includes(kind),
    )
  })
  const lookups = questions.flat().map(({ kind, name }) => stageLookup(kind, name))
  const known = reader.known(idsOf(reader, lookups)).values()
  return questions.map((list) =>
    Object.fromEntries(
      list.map(({ kind, name }) => [kind, { name, known: known.next().value ?? null }] as const),
    ),
  )
}

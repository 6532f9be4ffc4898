import type { CheckpointReader, LookupId, StageAnswer } from '../checkpoint/checkpoint.js'
import { stageAnswersOf, type DecidedOf } from '../checkpoint/stage-answers.js'
import { joinLines } from '../rules/joined-line.js'
import { stageKinds, type StageKind } from '../rules/lookup-kind.js'
import { renderUnansweredStage } from '../rules/stage-lines.js'
import { answeredLineOf, unansweredOf } from './known-line.js'

/**
 * The lines of first questions, each with what the stages came to that follow from its answer: aligned with the ids. A
 * company or a domain that several of them share is read once.
 */
export function joinStages(
  lines: readonly (readonly [id: LookupId, line: string])[],
  reader: CheckpointReader | null,
  asked: readonly StageKind[],
  decidedOf: DecidedOf,
): string[] {
  const kinds = stageKinds.filter((kind) => asked.includes(kind))
  const ids = lines.map(([id]) => id)
  const found = reader === null ? [] : stageAnswersOf(reader, ids, kinds, decidedOf)
  const shared = new Map<string, string>()
  const lineOf = (kind: StageKind, answer: StageAnswer | undefined): string => {
    if (answer === undefined) return nothingAsked[kind]
    const key = `${kind} ${answer.name}`
    const line = shared.get(key) ?? stageLineOf(kind, answer)
    shared.set(key, line)
    return line
  }
  return lines.map(([, line], at) =>
    joinLines(
      line,
      kinds.map((kind) => lineOf(kind, found[at]?.[kind])),
    ),
  )
}

/** Of a row whose company or domain is not known. */
const nothingAsked: Readonly<Record<StageKind, string>> = {
  entity: renderUnansweredStage('entity', null),
  hierarchy: renderUnansweredStage('hierarchy', null),
  domain: renderUnansweredStage('domain', null),
}

function stageLineOf(kind: StageKind, { known }: StageAnswer): string {
  const unanswered = unansweredOf(known)
  return known === null || unanswered !== null
    ? renderUnansweredStage(kind, unanswered)
    : answeredLineOf(known)
}

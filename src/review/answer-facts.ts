import { at, listOf, objectOf, textOf } from '../core/lenient.js'
import type { KnownAnswer } from '../pipeline/checkpoint/checkpoint.js'
import { answerCandidate } from '../pipeline/rules/answer-candidate.js'
import { domainResultOf } from '../pipeline/rules/stage-lines.js'
import type { Candidate } from '../pipeline/rules/candidate.js'
import { answeredLineOf } from '../pipeline/output/known-line.js'
import type { LookupDetail } from './page-data.js'

/** What an answer says that people look at. */
export interface AnswerFacts {
  readonly factors: LookupDetail['factors']
  /** The company that the service named itself, unsure as it was; null where it named none. */
  readonly candidate: Candidate | null
  /** A domain was asked, and no name. */
  readonly isOfDomain: boolean
}

const nothing: AnswerFacts = { factors: [], candidate: null, isOfDomain: false }

export function factsOfAnswer(known: KnownAnswer | null): AnswerFacts {
  if (known?.state !== 'answered') return { ...nothing, isOfDomain: known?.kind === 'domain' }
  const line: unknown = JSON.parse(answeredLineOf(known))
  const factors = listOf(at(line, 'factors')).flatMap((factor) => {
    const text = textOf(at(factor, 'description')) ?? textOf(at(factor, 'code'))
    if (objectOf(factor) === null || text === null) return []
    return [{ type: textOf(at(factor, 'type')), text, impact: textOf(at(factor, 'impact')) }]
  })
  const body: unknown = JSON.parse(known.body())
  const isOfDomain = known.kind === 'domain'
  return {
    factors,
    isOfDomain,
    candidate: answerCandidate(isOfDomain ? { data: domainResultOf(body) } : body),
  }
}

import { at, integerOf, listOf, objectOf, textOf } from '../core/lenient.js'
import type { KnownAnswer } from '../pipeline/checkpoint/checkpoint.js'
import type { Candidate } from '../pipeline/decisions/candidate.js'
import { answeredLineOf } from '../pipeline/output/known-line.js'
import type { LookupDetail } from './page-data.js'

/** What an answer says that people look at. */
export interface AnswerFacts {
  readonly factors: LookupDetail['factors']
  /** The company that the service named itself, unsure as it was; null where it named none. */
  readonly candidate: Candidate | null
}

const nothing: AnswerFacts = { factors: [], candidate: null }

export function factsOfAnswer(known: KnownAnswer | null): AnswerFacts {
  if (known?.state !== 'answered') return nothing
  const line: unknown = JSON.parse(answeredLineOf(known))
  const factors = listOf(at(line, 'factors')).flatMap((factor) => {
    const text = textOf(at(factor, 'description')) ?? textOf(at(factor, 'code'))
    if (objectOf(factor) === null || text === null) return []
    return [{ type: textOf(at(factor, 'type')), text, impact: textOf(at(factor, 'impact')) }]
  })
  return { factors, candidate: candidateOfLine(line) }
}

const identifierColumns = ['registration_id', 'lei', 'cik', 'ein', 'duns', 'bic', 'ticker'] as const

/** The entity of an answer, or else its candidate, which has no id. */
function candidateOfLine(line: unknown): Candidate | null {
  const text = (name: string) => textOf(at(line, name))
  const entityId = text('entity_id')
  const [name, legalName] =
    entityId === null
      ? [text('candidate_name'), text('candidate_legal_name')]
      : [text('display_name'), text('legal_name')]
  if (entityId === null && name === null && legalName === null) return null
  return {
    entityId,
    legalEntityId: text('legal_entity_id'),
    ...{ name, legalName, otherNames: [] },
    status: text('entity_status'),
    place: text('formatted_address') ?? text('candidate_address'),
    countryCode: text('country_code'),
    jurisdiction: text('jurisdiction') ?? text('candidate_jurisdiction'),
    identifiers: identifierColumns.flatMap((type) => {
      const value = text(type)
      return value === null ? [] : [{ type, value }]
    }),
    confidence: integerOf(at(line, 'confidence')),
    evidence: [],
    url: null,
  }
}

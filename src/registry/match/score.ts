import { align } from './align.js'
import type { CandidateName } from './candidate.js'
import { isGenericWord, isLightWord } from './generic-words.js'
import type { FormClass } from './legal-forms.js'
import type { ParsedName } from './parsed-name.js'
import { agreementOf, type LocationHint, type PlaceAgreement } from './place.js'
import type { Vocabulary } from './vocabulary.js'

/** How the query's name is this name: the same core, the beginning of it, its initials, or nearly it. */
export type MatchManner = 'exact' | 'completed' | 'acronym' | 'near'

export interface ScoredName {
  readonly candidate: CandidateName
  readonly manner: MatchManner
  /** Before caps: 0 to 100, half points allowed. */
  readonly points: number
  readonly place: PlaceAgreement
  readonly form: FormAgreement
  /** Words that carry meaning and stand on one side only. */
  readonly isSubset: boolean
  readonly loosePairs: number
  readonly numbersAgree: boolean
  /** No word of the name but generic ones ("First National Bank"). */
  readonly isGeneric: boolean
  /** Read from a part of the query, not from the whole. */
  readonly isPartialReading: boolean
}

export type FormAgreement = 'same' | 'unknown' | 'soft_conflict' | 'hard_conflict'

/** The query as the matcher sees it. */
export interface MatchQuery {
  readonly readings: readonly ParsedName[]
  readonly location: LocationHint | null
}

const mannerPoints = { exact: 93, completed: 88, acronym: 74 } as const
const placePoints: Readonly<Record<PlaceAgreement, number>> = {
  postal: 5,
  city: 4,
  region: 2,
  country: 1,
  none: 0,
  region_conflict: -3,
  country_conflict: -25,
}
const formPoints: Readonly<Record<FormAgreement, number>> = {
  same: 2,
  unknown: 0,
  soft_conflict: -4,
  hard_conflict: -14,
}
const kindPoints = { legal: 0, other: -1, former: -2 } as const

/** The best reading of the query against one name. */
export function scoreName(
  query: MatchQuery,
  candidate: CandidateName,
  vocabulary: Vocabulary,
): ScoredName | null {
  let best: ScoredName | null = null
  const place = agreementOf(query.location, candidate.place)
  for (const [index, reading] of query.readings.entries()) {
    const scored = scoreReading(reading, index > 0, candidate, place, vocabulary)
    if (scored && (best === null || scored.points > best.points)) best = scored
  }
  return best
}

function scoreReading(
  reading: ParsedName,
  isPartialReading: boolean,
  candidate: CandidateName,
  place: PlaceAgreement,
  vocabulary: Vocabulary,
): ScoredName | null {
  const form = formAgreement(reading.formClass, candidate.formClass)
  const alignment = align(reading.tokens, candidate.tokens, vocabulary)
  const manner = mannerOf(reading, candidate)
  const namePoints = manner === 'near' ? 93 - (1 - alignment.similarity) * 150 : mannerPoints[manner]
  if (namePoints < 30) return null
  const generic = candidate.tokens.every(isGenericWord) || reading.tokens.every(isGenericWord)
  return {
    candidate,
    manner,
    place,
    form,
    isPartialReading,
    points:
      namePoints +
      placePoints[place] +
      formPoints[form] +
      kindPoints[candidate.kind] -
      (candidate.active ? 0 : 3) -
      (isPartialReading ? 3 : 0) -
      (manner === 'near' && !alignment.firstAgrees ? 4 : 0),
    isSubset: manner === 'near' && isOneSided(alignment.queryExtra, alignment.candidateExtra),
    loosePairs: manner === 'exact' ? 0 : alignment.loosePairs,
    numbersAgree: manner === 'exact' || alignment.numbersAgree,
    isGeneric: generic,
  }
}

function mannerOf(reading: ParsedName, candidate: CandidateName): MatchManner {
  if (reading.coreKey === candidate.coreKey) return 'exact'
  if (isCompletion(reading, candidate)) return 'completed'
  const [only] = reading.tokens
  const isInitials =
    reading.tokens.length === 1 && only !== undefined && only.length <= 6 && only === candidate.acronym
  return isInitials ? 'acronym' : 'near'
}

/** The query stops inside the name: it is long enough to tell and ends within a word, or lacks one word. */
function isCompletion(reading: ParsedName, candidate: CandidateName): boolean {
  if (reading.formClass !== null || reading.coreKey.length < 14 || reading.tokens.length < 2) return false
  if (candidate.coreKey.length <= reading.coreKey.length) {
    // Cut inside the legal form: "Western New England Bancorp, In".
    return candidate.coreKey.length >= 8 && candidate.fullKey.startsWith(reading.fullKey)
  }
  return candidate.fullKey.startsWith(reading.fullKey)
}

function isOneSided(queryExtra: readonly string[], candidateExtra: readonly string[]): boolean {
  return [...queryExtra, ...candidateExtra].some((word) => !isLightWord(word))
}

function formAgreement(query: FormClass | null, candidate: FormClass | null): FormAgreement {
  if (query === candidate) return query === null ? 'unknown' : 'same'
  if (query === null || candidate === null || query === 'company' || candidate === 'company') return 'unknown'
  const corporate = (form: FormClass) => form === 'limited' || form === 'stock'
  return corporate(query) && corporate(candidate) ? 'soft_conflict' : 'hard_conflict'
}

import { align, sameNumbers, totalWeight, type Alignment } from './align.js'
import type { CandidateName } from './candidate.js'
import { isNumberWord } from '../normalize/normalize-name.js'
import { isGenericWord, isLightWord } from '../normalize/generic-words.js'
import type { FormClass } from '../normalize/legal-forms.js'
import type { NameVariant, VariantKind } from '../normalize/name-variants.js'
import { agreementOf, type LocationHint, type PlaceAgreement } from './place.js'
import type { Vocabulary } from './vocabulary.js'

/** How the query's name is this name: the same core, the beginning of it, its initials, or nearly it. */
type MatchType = 'exact' | 'completed' | 'acronym' | 'near'

export interface ScoredName {
  readonly candidate: CandidateName
  readonly matchType: MatchType
  /** Before caps: 0 to 100, half points allowed. */
  readonly points: number
  readonly place: PlaceAgreement
  readonly form: FormAgreement
  /** Weighted share of both names that is the same, 0 to 1; below 1 only where the matchType is `near`. */
  readonly similarity: number
  /** Both names begin alike. */
  readonly firstAgrees: boolean
  /** Words that carry meaning and stand on one side only. */
  readonly isSubset: boolean
  /** Every word that tells this company from others is spelled another way. */
  readonly isMisspelled: boolean
  readonly numbersAgree: boolean
  /** No word of the name but generic ones ("First National Bank"). */
  readonly isGeneric: boolean
  /** Words beyond the shared ones, if only light ones ("Holdings"), stand on one side. */
  readonly isLonger: boolean
  /** The query states its legal form, as a registered name does. */
  readonly isFormStated: boolean
  /** How much the name tells: the rarer its words, the more. */
  readonly tellingWeight: number
  /** So rare a name that it is not borne twice by chance. */
  readonly isDistinctive: boolean
  readonly variant: VariantKind
  /** The query ends where a column of a usual width does, and this name goes on from there. */
  readonly isTruncated: boolean
  /** How much of the name the query lacks at its end, 0 to 1; above 0 only where the matchType is `completed`. */
  readonly missingShare: number
  /** What the query lacks of a name that it begins starts with a number: one of a series. */
  readonly isOneOfSeries: boolean
  /** The query is the registered name with its legal form, to the letter. */
  readonly isFullLegalName: boolean
}

type FormAgreement = 'same' | 'unknown' | 'unstated_partnership' | 'soft_conflict' | 'hard_conflict'

/** The query as the matcher sees it. */
export interface MatchQuery {
  readonly variants: readonly NameVariant[]
  readonly location: LocationHint | null
}

const matchTypePoints = { exact: 93, completed: 88, acronym: 74 } as const
const variantPoints = { whole: 0, part: -3, cut: -2, aside: -4 } as const
const placePoints: Readonly<Record<PlaceAgreement, number>> = {
  postal: 5,
  city: 4,
  region: 2,
  country: 1,
  none: 0,
  town_abroad: -6,
  region_conflict: -3,
  country_conflict: -25,
}
const formPoints: Readonly<Record<FormAgreement, number>> = {
  same: 2,
  unknown: 0,
  unstated_partnership: -3,
  soft_conflict: -4,
  hard_conflict: -14,
}
const kindPoints = { legal: 0, other: -1, former: -2 } as const
const notFirstPoints = -4
const inactivePoints = -3
/** A name that tells this much (two rare words) is not borne twice by chance, wherever its bearer sits. */
const tellingWeightMin = 13
const tellingAbroadPoints = -12

/** The best variant of the query against one name. */
export function scoreName(
  query: MatchQuery,
  candidate: CandidateName,
  vocabulary: Vocabulary,
): ScoredName | null {
  let best: ScoredName | null = null
  const place = agreementOf(query.location, candidate.place)
  for (const variant of query.variants) {
    const scored = scoreVariant(variant, candidate, place, vocabulary)
    if (scored && (best === null || scored.points > best.points)) best = scored
  }
  return best
}

function scoreVariant(
  variant: NameVariant,
  candidate: CandidateName,
  place: PlaceAgreement,
  vocabulary: Vocabulary,
): ScoredName | null {
  const matchType = matchTypeOf(variant, candidate)
  // A piece of a name that is nearly another name says nothing.
  if (matchType === 'near' && variant.kind !== 'whole') return null
  const alignment = matchType === 'near' ? align(variant.tokens, candidate.tokens, vocabulary) : null
  const namePoints = alignment ? 93 - (1 - alignment.similarity) * 150 : matchTypePoints[matchType as 'exact']
  if (namePoints < 30) return null
  const form = formAgreement(variant.formClass, candidate.formClass)
  const tellingWeight = totalWeight(candidate.tokens, vocabulary)
  const isDistinctive = matchType === 'exact' && tellingWeight >= tellingWeightMin
  const series = matchType === 'completed' ? missingNumber(variant, candidate) : null
  return {
    candidate,
    matchType,
    place,
    form,
    variant: variant.kind,
    isFullLegalName: candidate.kind === 'legal' && form === 'same' && variant.fullKey === candidate.fullKey,
    points:
      namePoints +
      variantPoints[variant.kind] +
      (isDistinctive && place === 'country_conflict' ? tellingAbroadPoints : placePoints[place]) +
      formPoints[form] +
      kindPoints[candidate.kind] +
      (variant.fullKey === candidate.fullKey ? 1 : 0) +
      (candidate.active ? 0 : inactivePoints) +
      (alignment && !alignment.firstAgrees ? notFirstPoints : 0),
    similarity: alignment?.similarity ?? 1,
    firstAgrees: alignment?.firstAgrees ?? true,
    isSubset: variant.kind === 'aside' || (alignment !== null && isOneSided(alignment)),
    isLonger: alignment !== null && hasLightExtra(alignment),
    isMisspelled: alignment !== null && isMisspelled(candidate.tokens, alignment.looseWords),
    numbersAgree: series !== null || sameNumbers(variant.tokens, candidate.tokens),
    missingShare: matchType === 'completed' ? 1 - variant.fullKey.length / candidate.fullKey.length : 0,
    isOneOfSeries: series === true,
    isGeneric: candidate.tokens.every(isGenericWord) || variant.tokens.every(isGenericWord),
    isFormStated: variant.formClass !== null && variant.formClass !== 'company',
    isDistinctive,
    tellingWeight,
    isTruncated: matchType === 'completed' && isColumnCut(variant, candidate),
  }
}

function matchTypeOf(variant: NameVariant, candidate: CandidateName): MatchType {
  if (variant.coreKey === candidate.coreKey) return 'exact'
  if (isCompletion(variant, candidate)) return 'completed'
  return isInitials(variant, candidate) ? 'acronym' : 'near'
}

function isInitials({ kind, tokens }: NameVariant, candidate: CandidateName): boolean {
  const [only] = tokens
  return kind === 'whole' && tokens.length === 1 && only !== undefined && only === candidate.acronym
}

/** The query stops inside the name, late enough to tell it: "Western New England Bancorp, In". */
function isCompletion(variant: NameVariant, candidate: CandidateName): boolean {
  // A form ends a name, unless the column ended first: "First Trust Enhanced Equity Inc" goes on "Income Fund".
  if (variant.kind !== 'whole' || (variant.formClass !== null && variant.cut === 'nowhere')) return false
  if (variant.coreKey.length < 14 || variant.tokens.length < 2) return false
  if (candidate.coreKey.length < 8 || !candidate.fullKey.startsWith(variant.fullKey)) return false
  return endsInsideWord(variant, candidate) || isColumnCut(variant, candidate)
}

/** A name that ends with a whole word may have been cut there by a column; else it is a part of the longer one. */
function isColumnCut(variant: NameVariant, candidate: CandidateName): boolean {
  if (variant.cut === 'nowhere' || variant.kind !== 'whole') return false
  return variant.cut === 'anywhere' || !endsInsideWord(variant, candidate)
}

/** "II" is no beginning of "III": a number that was cut is another number. */
function endsInsideWord(variant: NameVariant, candidate: CandidateName): boolean {
  const at = variant.tokens.length - 1
  const last = variant.tokens[at] ?? ''
  return candidate.tokens[at] !== last && !isNumberWord(last)
}

/** Null where a number that the query holds is another one; else whether the missing end starts with a number. */
function missingNumber(variant: NameVariant, candidate: CandidateName): boolean | null {
  const last = variant.tokens.length - 1
  const told = candidate.tokens.slice(0, last)
  if (!sameNumbers(variant.tokens.slice(0, last), told)) return null
  const cutWord = variant.tokens[last] ?? ''
  const [same = '', ...rest] = candidate.tokens.slice(last)
  // "Khosla Ventures Acquisition Co. III": the form stands before the number.
  const next = rest.find((word) => !seriesForms.has(word)) ?? ''
  return isNumberWord(same) ? !same.startsWith(cutWord) : isNumberWord(next)
}

const seriesForms = new Set('co company companies corp corporation inc ltd limited llc lp plc'.split(' '))

function isOneSided({ queryExtra, candidateExtra }: Alignment): boolean {
  return [...queryExtra, ...candidateExtra].some((word) => !isLightWord(word))
}

function isMisspelled(tokens: readonly string[], looseWords: readonly string[]): boolean {
  const distinctive = tokens.filter((word) => !isLightWord(word) && !isGenericWord(word))
  return (distinctive.length > 0 ? distinctive : tokens).every((word) => looseWords.includes(word))
}

function hasLightExtra(alignment: Alignment): boolean {
  return !isOneSided(alignment) && alignment.queryExtra.length + alignment.candidateExtra.length > 0
}

function formAgreement(query: FormClass | null, candidate: FormClass | null): FormAgreement {
  if (query === candidate) return query === null ? 'unknown' : 'same'
  if (query === null && candidate === 'partnership') return 'unstated_partnership'
  if (query === null || candidate === null || query === 'company' || candidate === 'company') return 'unknown'
  const corporate = (form: FormClass) => form === 'limited' || form === 'stock'
  return corporate(query) && corporate(candidate) ? 'soft_conflict' : 'hard_conflict'
}

import type { Resolution } from '../../contract/result.js'
import { answerOf, emptyAnswer } from './answer.js'
import {
  byPoints,
  conclude,
  isElsewhere,
  isNamesakeThere,
  selectBest,
  type MatchDecision,
  type Weighed,
} from '../match/decide.js'
import { foldText } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { readingsOf } from '../normalize/name-variants.js'
import { parseLocation } from '../match/place.js'
import { scoreName, type MatchQuery, type ScoredName } from '../match/score.js'
import { sicLabel } from '../reference/sic-labels.js'
import type { Vocabulary } from '../match/vocabulary.js'
import type { CandidateFinder } from '../store/blocking.js'
import type { StoredEntity, StoreReader } from '../store/reader.js'

/** What a query needs of the store. */
export interface Lookup {
  readonly find: CandidateFinder['find']
  readonly vocabulary: () => Vocabulary
  readonly reader: StoreReader
}

interface NameQuery {
  readonly name: string
  readonly location: string | null
  readonly context: string | null
}

/** What the names say: the decision, and every company found, the one decided for first. */
export interface NameMatch {
  /** The name has letters or digits enough to be looked for. */
  readonly isReadable: boolean
  /** The best of what was found, however unlikely; null where nothing was. */
  readonly weighed: Weighed | null
  readonly decision: MatchDecision
  readonly ranked: readonly ScoredName[]
}

/** Name and place to an answer: readings, candidates, scores, decision. */
export function resolveName(query: NameQuery, lookup: Lookup): Resolution {
  return answerFor(matchName(query, lookup), lookup)
}

export function matchName(query: NameQuery, lookup: Lookup): NameMatch {
  const readings = readingsOf(query.name)
  if (readings.length === 0)
    return { isReadable: false, weighed: null, decision: { kind: 'none' }, ranked: [] }
  const asked = { readings, location: parseLocation(query.location) }
  const fit = (other: ScoredName) => contextFit(query.context, other, lookup.reader)
  let scored = bestOfEach('entityNumber', asked, lookup)
  let weighed = selectBest(scored, fit)
  if (weighed !== null && isElsewhere(weighed.best)) {
    scored = [...scored, ...namesakesThere(weighed.best, asked, scored, lookup)]
    weighed = selectBest(scored, fit)
  }
  const best = weighed === null ? [] : [weighed.best]
  const others = scored.filter((other) => other !== best[0]).sort(byPoints)
  return { isReadable: true, weighed, decision: conclude(weighed), ranked: [...best, ...others] }
}

/** The name is known, but elsewhere: companies that bear nearly the same name in the place asked for. */
function namesakesThere(
  best: ScoredName,
  asked: MatchQuery,
  known: readonly ScoredName[],
  lookup: Lookup,
): ScoredName[] {
  const numbers = new Set(known.map(({ candidate }) => candidate.entityNumber))
  return bestOfEach('entityNumber', asked, lookup, 'wide').filter(
    (other) => isNamesakeThere(best, other) && !numbers.has(other.candidate.entityNumber),
  )
}

/** Dresses a match in what the store knows of the company. */
export function answerFor({ isReadable, decision }: NameMatch, lookup: Lookup): Resolution {
  if (decision.kind === 'none') return emptyAnswer(isReadable ? 'no_match' : 'not_found')
  const stored = lookup.reader.entityByNumber(decision.best.candidate.entityNumber)
  const registration = stored?.legalEntities.find(
    ({ number }) => number === decision.best.candidate.legalEntityNumber,
  )
  if (!stored || !registration) throw new Error('a name in the index belongs to no registration')
  return answerOf(decision, stored, registration)
}

/** One score a company, or a registration: that of its best name. */
export function bestOfEach(
  kind: 'entityNumber' | 'legalEntityNumber',
  query: MatchQuery,
  lookup: Lookup,
  scope: 'narrow' | 'wide' = 'narrow',
): ScoredName[] {
  const vocabulary = lookup.vocabulary()
  const best = new Map<number, ScoredName>()
  for (const candidate of lookup.find(query.readings, vocabulary, scope)) {
    const scored = scoreName(query, candidate, vocabulary)
    if (scored === null) continue
    const known = best.get(candidate[kind])
    if (!known || scored.points > known.points) best.set(candidate[kind], scored)
  }
  return withoutRemovedDoubles([...best.values()])
}

/** What a company loses for not being active: a removed one that fits as well but for that is not meant. */
const inactivePoints = 3

/** A company that its register no longer names is found where none that it does name fits as well. */
function withoutRemovedDoubles(scored: readonly ScoredName[]): ScoredName[] {
  const livePoints = Math.max(
    ...scored.map(({ candidate, points }) => (candidate.removed ? -Infinity : points)),
  )
  return scored.filter(({ candidate, points }) => !candidate.removed || points + inactivePoints > livePoints)
}

/** How many telling words the caller's context shares with what is known of a company besides its name. */
function contextFit(context: string | null, scored: ScoredName, reader: StoreReader): number {
  if (context === null) return 0
  const stored = reader.entityByNumber(scored.candidate.entityNumber)
  if (!stored) return 0
  const told = new Set(foldText(context, matchLimits.contextCharsMax).split(' '))
  const name = new Set(scored.candidate.tokens)
  let shared = 0
  for (const word of aboutWords(stored)) if (word.length >= 3 && !name.has(word) && told.has(word)) shared++
  return shared
}

function aboutWords(stored: StoredEntity): Set<string> {
  const texts = stored.legalEntities.flatMap((registration) => [
    registration.website?.replace(/^\w+:\/\/(?:www\.)?/, '') ?? '',
    registration.sic === null ? '' : (sicLabel(registration.sic) ?? ''),
    registration.address.city ?? '',
    registration.address.region ?? '',
    registration.parentName ?? '',
    ...registration.names.map(({ name }) => name),
    ...registration.identifiers.map(({ value }) => value),
  ])
  return new Set(texts.flatMap((text) => foldText(text).split(' ')))
}

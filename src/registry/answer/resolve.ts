import type { Resolution } from '../../contract/result.js'
import { answerOf, emptyAnswer } from './answer.js'
import {
  byPoints,
  decide,
  isElsewhere,
  isNamesakeThere,
  selectBest,
  type MatchDecision,
  type Weighed,
} from '../match/decide.js'
import { foldText } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { variantsOf } from '../normalize/name-variants.js'
import { parseLocation } from '../match/place.js'
import { scoreName, type MatchQuery, type ScoredName } from '../match/score.js'
import { sicLabel } from '../reference/industry-codes.js'
import type { Vocabulary } from '../match/vocabulary.js'
import type { CandidateFinder } from '../store/blocking.js'
import type { StoredEntity, StoreReader } from '../store/reader.js'

/** What a query is answered from. */
export interface ResolveDeps {
  readonly find: CandidateFinder['find']
  readonly vocabulary: () => Vocabulary
  readonly reader: StoreReader
}

/** What is asked of the registry. */
export interface NameQuery {
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

/** Name and place to an answer: variants, candidates, scores, decision. */
export function resolveName(query: NameQuery, deps: ResolveDeps): Resolution {
  return answerFor(matchName(query, deps), deps)
}

export function matchName(query: NameQuery, deps: ResolveDeps): NameMatch {
  const variants = variantsOf(query.name)
  if (variants.length === 0)
    return { isReadable: false, weighed: null, decision: { kind: 'none' }, ranked: [] }
  const asked = { variants, location: parseLocation(query.location) }
  const fit = (other: ScoredName) => contextFit(query.context, other, deps.reader)
  let scored = bestOfEach('entityNumber', asked, deps)
  let weighed = selectBest(scored, fit)
  if (weighed !== null && isElsewhere(weighed.best)) {
    scored = [...scored, ...namesakesThere(weighed.best, asked, scored, deps)]
    weighed = selectBest(scored, fit)
  }
  const best = weighed === null ? [] : [weighed.best]
  const others = scored.filter((other) => other !== best[0]).sort(byPoints)
  return { isReadable: true, weighed, decision: decide(weighed), ranked: [...best, ...others] }
}

/** The name is known, but elsewhere: companies that bear nearly the same name in the place asked for. */
function namesakesThere(
  best: ScoredName,
  asked: MatchQuery,
  known: readonly ScoredName[],
  deps: ResolveDeps,
): ScoredName[] {
  const numbers = new Set(known.map(({ candidate }) => candidate.entityNumber))
  return bestOfEach('entityNumber', asked, deps, 'wide').filter(
    (other) => isNamesakeThere(best, other) && !numbers.has(other.candidate.entityNumber),
  )
}

/** Dresses a match in what the store knows of the company. */
export function answerFor({ isReadable, decision }: NameMatch, deps: ResolveDeps): Resolution {
  if (decision.kind === 'none') return emptyAnswer(isReadable ? 'no_match' : 'not_found')
  const stored = deps.reader.entityByNumber(decision.best.candidate.entityNumber)
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
  deps: ResolveDeps,
  scope: 'narrow' | 'wide' = 'narrow',
): ScoredName[] {
  const vocabulary = deps.vocabulary()
  const best = new Map<number, ScoredName>()
  for (const candidate of deps.find(query.variants, vocabulary, scope)) {
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

/** How many distinctive words the caller's context shares with what is known of a company besides its name. */
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

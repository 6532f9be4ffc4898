import type { CandidateName } from '../../src/registry/match/candidate.js'
import { prepareText } from '../../src/registry/match/align-name.js'
import { compareNames, type NameComparison } from '../../src/registry/match/compare-names.js'
import {
  decide,
  type MatchDecision,
  rankCompanies,
  type MatchQuery,
  type Ranking,
} from '../../src/registry/match/rank.js'
import type { Coefficients } from '../../src/registry/match/model.js'
import { readQuery } from '../../src/registry/answer/resolve.js'
import { Vocabulary } from '../../src/registry/match/vocabulary.js'
import type { NameKind } from '../../src/registry/model/registry-rows.js'
import { findTownIn } from '../../src/registry/match/other-writings.js'
import { parseNewName } from '../../src/registry/normalize/parsed-name.js'
import { toCityKey, toPostalKey, findRegionCode } from '../../src/registry/normalize/places.js'

/** One name that a registry of a test holds. */
export interface Held {
  readonly name: string
  readonly kind?: NameKind
  readonly city?: string
  readonly region?: string
  readonly postal?: string
  readonly country?: string
  /** That of its register, where it is another. */
  readonly jurisdictionCountry?: string
  readonly jurisdictionRegion?: string
  readonly active?: boolean
  readonly removed?: boolean
  readonly supported?: boolean
  readonly listed?: boolean
  readonly tickers?: string
  readonly lei?: boolean
  readonly industry?: boolean
  readonly source?: number
  /** Names of one company share it; without it each is a company of its own. */
  readonly company?: number
  /** The legal name of its registration, where this is another name. */
  readonly registeredName?: string
}

export function candidatesOf(held: readonly Held[]): CandidateName[] {
  return held.map((row, index) => {
    const { tokens, coreKey, fullKey, formClass, acronym } = parseNewName(row.name, {
      town: row.city === undefined ? null : findTownIn(row.name, row.city, row.country ?? ''),
      country: row.country ?? null,
    })
    const country = row.country ?? 'US'
    const number = row.company ?? index + 1
    return {
      entityNumber: number,
      legalEntityNumber: number,
      sourceNumber: row.source ?? 1,
      kind: row.kind ?? 'legal',
      name: row.name,
      registeredName: row.registeredName ?? row.name,
      jurisdiction: country.toLowerCase(),
      tokens,
      coreKey,
      fullKey,
      formClass,
      acronym,
      active: row.active ?? true,
      removed: row.removed ?? false,
      supported: row.supported ?? true,
      place: {
        cityKey: row.city === undefined ? '' : toCityKey(row.city),
        regionCode: row.region === undefined ? '' : (findRegionCode(country, row.region) ?? ''),
        postalKey: row.postal === undefined ? '' : toPostalKey(row.postal),
        countryCode: country,
        jurisdictionCountry: row.jurisdictionCountry ?? country,
        jurisdictionRegion: row.jurisdictionRegion ?? '',
      },
      prominence: {
        tickers: row.tickers ?? (row.listed === true ? 'lstd' : ''),
        hasLei: row.lei ?? false,
        hasIndustry: row.industry ?? false,
      },
    }
  })
}

/** As many names as a real registry has, so that rarity means what it means there. */
const namesTotal = 100_000
const commonWords = {
  first: 900,
  bank: 2_000,
  capital: 3_000,
  energy: 1_500,
  fund: 4_000,
  group: 5_000,
  holdings: 6_000,
  trust: 4_000,
}

/** Of the everyday words, and of the names held. */
export function vocabularyOf(names: readonly CandidateName[], total = namesTotal): Vocabulary {
  const counts = new Map<string, number>(Object.entries(commonWords))
  for (const { tokens } of names)
    for (const word of new Set(tokens)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Vocabulary(counts, total)
}

/** Throws for a name without letters and digits. */
export function queryOf(name: string, location: string | null, vocabulary: Vocabulary): MatchQuery {
  const query = readQuery({ name, location }, vocabulary)
  if (query === null) throw new Error(`${name} has no letters`)
  return query
}

export interface Asked {
  readonly name: string
  readonly location?: string | null
  readonly held: readonly Held[]
  readonly contextCount?: (candidate: CandidateName) => number
  readonly coefficients?: Coefficients
  /** Names in the registry; many. */
  readonly total?: number
}

export function rank({ name, location = null, held, contextCount, coefficients, total }: Asked): Ranking {
  const names = candidatesOf(held)
  const vocabulary = vocabularyOf(names, total)
  const query = readQuery({ name, location }, vocabulary)
  if (query === null) return { ranked: [], noneShare: 1, decisionFeatures: [], unseenWeight: 0 }
  return rankCompanies(query, names, vocabulary, contextCount, coefficients)
}

export function match(asked: Asked): MatchDecision {
  return decide(rank(asked))
}

export function namedBy(decision: MatchDecision): string | null {
  return decision.kind === 'none' ? null : decision.best.evidence.comparison.candidate.name
}

/** A text beside one name. */
export function compared(
  text: string,
  held: string | Held,
  { location = null }: { location?: string | null } = {},
): NameComparison {
  const names = candidatesOf([typeof held === 'string' ? { name: held } : held])
  const vocabulary = vocabularyOf(names)
  const query = queryOf(text, location, vocabulary)
  const [candidate] = names
  const [read] = query.texts
  if (candidate === undefined || read === undefined) throw new Error(`${text} was not read`)
  const comparison = compareNames(prepareText(read, vocabulary), candidate, query)
  if (comparison === null) throw new Error(`${text} is nothing like ${candidate.name}`)
  return comparison
}

import { getOrCompute } from '../../core/bounded-cache.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { CandidateName } from '../match/candidate.js'
import type { NameKind } from '../model/registry-rows.js'
import type { FormClass } from '../normalize/legal-forms.js'
import { matchLimits, type searchLimits } from '../model/limits.js'
import type { NameVariant } from '../normalize/name-variants.js'
import { isGenericWord, isNumberWord } from '../normalize/normalize-name.js'
import type { Vocabulary } from '../match/vocabulary.js'

/** Finds candidate names for a query. */
export interface CandidateFinder {
  /** Also searches by the rarest words and their spellings, unless the names found without are enough. */
  readonly find: (
    variants: readonly NameVariant[],
    vocabulary: Vocabulary,
    isEnough?: (found: readonly CandidateName[]) => boolean,
  ) => CandidateName[]
}

/** As a list: SQLite makes objects of more than twelve columns slowly, and they are slow to read. */
export type CandidateRow = readonly [
  number: number,
  entityNumber: number,
  legalEntityNumber: number,
  sourceNumber: number,
  kind: string,
  name: string,
  registeredName: string | null,
  tokens: string,
  coreKey: string,
  fullKey: string,
  formClass: string | null,
  acronym: string,
  status: string | null,
  isRemoved: number,
  type: string,
  subtype: string,
  jurisdiction: string | null,
  isRegistrant: number,
  cityKey: string,
  regionCode: string,
  postalKey: string,
  countryCode: string | null,
]

const selectCandidates = `
  SELECT n.number, l.entity_number, n.legal_entity_number, l.source_number, n.kind, n.name,
    CASE WHEN n.kind <> 'legal' THEN (SELECT r.name FROM names r
      WHERE r.legal_entity_number = l.number AND r.kind = 'legal' LIMIT 1) END,
    n.tokens, n.core_key, n.full_key, n.form_class, n.acronym, l.status, l.removed_from_source, l.type, l.subtype,
    l.jurisdiction, l.source_key GLOB 'cik:*', a.city_key, a.region_code, a.postal_key, a.country_code
  FROM names n
  JOIN legal_entities l ON l.number = n.legal_entity_number
  JOIN addresses a ON a.legal_entity_number = l.number AND a.kind = 'headquarters'
  WHERE `

interface SelectCandidates {
  all(...values: (string | number)[]): CandidateRow[]
}

/** Prepares a search for candidates; `where` may also have a limit. */
export function prepareCandidates(database: Sqlite, where: string): SelectCandidates {
  return database.prepare<(string | number)[], CandidateRow>(selectCandidates + where).raw()
}

const selectProminence = `
  SELECT 4 * max(e.sic IS NOT NULL OR e.naics IS NOT NULL OR e.industry_codes IS NOT NULL)
    + 2 * max(EXISTS (SELECT 1 FROM identifiers i WHERE i.legal_entity_number = e.number AND i.type = 'lei'))
    + max(EXISTS (SELECT 1 FROM identifiers i WHERE i.legal_entity_number = e.number AND i.type = 'ticker'))
  FROM legal_entities e WHERE e.entity_number = ?`

type ReadProminence = (entityNumber: number) => CandidateName['prominence']

/** Companies remembered at once: some megabytes. */
const rememberedProminencesMax = 100_000

const prepareProminence = (database: Sqlite) => database.prepare<[number], number>(selectProminence).pluck()

/** Reads each company once, because its names are found by many queries. */
function createProminenceReader(read: ReturnType<typeof prepareProminence>): ReadProminence {
  const known = new Map<number, number>()
  const readBits = (entityNumber: number) => read.get(entityNumber) ?? 0
  return (entityNumber) => {
    const bits = getOrCompute(known, rememberedProminencesMax, entityNumber, readBits)
    return { isListed: (bits & 1) > 0, hasLei: (bits & 2) > 0, hasIndustry: (bits & 4) > 0 }
  }
}

/** Returns a function for the reader of a vocabulary, which is another one after each change of the registry. */
export function createProminenceReaders(database: Sqlite): (vocabulary: Vocabulary) => ReadProminence {
  const statement = prepareProminence(database)
  const readers = new WeakMap<Vocabulary, ReadProminence>()
  return (vocabulary) => {
    const reader = readers.get(vocabulary) ?? createProminenceReader(statement)
    readers.set(vocabulary, reader)
    return reader
  }
}

type FinderLimits = Readonly<Record<keyof typeof searchLimits, number>>

/**
 * Searches by exact keys, initials, prefixes and heads of the query; if these names are not enough, also by pairs of the
 * rarest words with their known spellings. SQL does not rank: the matcher does.
 */
export function createCandidateFinder(database: Sqlite, limits: FinderLimits = matchLimits): CandidateFinder {
  const limit = ` LIMIT ${limits.candidateNamesMax}`
  const prepare = (where: string) => prepareCandidates(database, where + limit)
  const byCore = prepare('n.core_key = ?')
  // The second condition enables the partial index.
  const byAcronym = prepare("n.acronym = ? AND n.acronym <> ''")
  const byStem = prepare('n.full_key >= ? AND n.full_key < ?')
  const byPrefix = prepare('n.tokens >= ? AND n.tokens < ?')
  const byWords = prepare(
    `n.number IN (SELECT rowid FROM name_index WHERE name_index MATCH ? LIMIT ${limits.clauseNamesMax})`,
  )

  const getProminenceReader = createProminenceReaders(database)
  return {
    find(variants, vocabulary, isEnough = () => true) {
      const readProminence = getProminenceReader(vocabulary)
      const found = new Map<number, CandidateName>()
      const listFound = () => [...found.values()].slice(0, limits.candidateNamesMax)
      // Variants and heads often share their key.
      const searched = new Set<string>()
      const addByCore = (key: string) => {
        if (searched.has(key)) return
        searched.add(key)
        add(byCore.all(key))
      }
      const add = (rows: readonly CandidateRow[]) => {
        for (const row of rows)
          if (!found.has(row[0])) found.set(row[0], toCandidateName(row, readProminence))
      }
      for (const variant of variants) {
        addByCore(variant.coreKey)
        const isInitials = variant.tokens.length === 1 && variant.coreKey.length <= 6
        if (isInitials) add(byAcronym.all(variant.coreKey))
      }
      for (const variant of variants) {
        if (isUsefulPrefix(variant)) {
          const head = variant.tokens.join(' ')
          add(byPrefix.all(`${head} `, `${head}!`))
        }
        if (variant.kind === 'whole') for (const key of listHeadKeys(variant.tokens)) addByCore(key)
      }
      const [whole] = variants
      if (whole === undefined) return []
      const isExact = [...found.values()].some(({ coreKey }) => coreKey === whole.coreKey)
      const isStem = whole.fullKey.length >= 10 && (!isExact || whole.cut !== 'nowhere')
      if (isStem) add(byStem.all(whole.fullKey, `${whole.fullKey}\u007f`))
      const names = listFound()
      if (isEnough(names)) return names
      // Alternative readings of the whole text are equally likely and share the limit.
      const wholes = variants.filter(({ kind }, at) => at === 0 || kind === 'whole' || kind === 'mended')
      const share = Math.ceil(limits.namesByWordsMax / wholes.length)
      for (const { tokens } of wholes) {
        const enough = found.size + share
        for (const clause of buildWordClauses(tokens, vocabulary)) {
          if (found.size >= enough) break
          add(byWords.all(clause))
        }
      }
      return listFound()
    },
  }
}

/** Returns a function that reads the names of a company by its number. */
export function createCompanyNames(database: Sqlite): (entityNumber: number) => CandidateName[] {
  const ofCompany = prepareCandidates(database, `l.entity_number = ? LIMIT ${matchLimits.candidateNamesMax}`)
  const prominence = prepareProminence(database)
  return (entityNumber) => {
    const readProminence = createProminenceReader(prominence)
    return ofCompany.all(entityNumber).map((row) => toCandidateName(row, readProminence))
  }
}

/** Heads of a query that may be a whole name: "Larkmoor Inflight Catering" begins with "Larkmoor". */
const headWordsMax = 4

function listHeadKeys(tokens: readonly string[]): string[] {
  const keys: string[] = []
  for (let count = Math.min(headWordsMax, tokens.length - 1); count >= 1; count--) {
    const head = tokens.slice(0, count)
    if (!head.every(isGenericWord) && !head.every(isNumberWord)) keys.push(head.join(''))
  }
  return keys
}

/** Too many names begin with a single generic word. */
function isUsefulPrefix({ tokens, coreKey }: NameVariant): boolean {
  return coreKey.length >= 2 && !(tokens.length === 1 && isGenericWord(tokens[0] ?? ''))
}

/** A word in more names is only looked up together with a second one. */
const aloneNamesMax = 60
const slotsMax = 4

/** Builds FTS5 expressions of the rarest words, fewest names first, so common words do not fill the limit. */
export function buildWordClauses(tokens: readonly string[], vocabulary: Vocabulary): string[] {
  const slots = tokens
    .map((token, index) => buildSlot(token, index === tokens.length - 1, vocabulary))
    .filter((slot) => slot.spellings.length > 0)
    .sort((a, b) => a.nameCount - b.nameCount)
    .slice(0, slotsMax)
  const [only, second] = slots
  if (only === undefined) return []
  if (second === undefined) return [formatAlternatives(only.spellings)]
  return slots
    .flatMap((slot, at) =>
      buildClauses([slot], slot.nameCount, slots.slice(at + 1), Math.max(1, vocabulary.namesTotal)),
    )
    .sort((a, b) => a.nameCount - b.nameCount)
    .map(({ text }) => text)
}

interface Clause {
  readonly text: string
  readonly nameCount: number
}

/** `nameCount`: expected number of names with all picked words, if the words are independent. */
function buildClauses(
  picked: readonly Slot[],
  nameCount: number,
  others: readonly Slot[],
  namesTotal: number,
): Clause[] {
  const isAlone = picked.length === 1
  if (
    nameCount <= (isAlone ? aloneNamesMax : matchLimits.clauseNamesMax) ||
    (!isAlone && others.length === 0)
  )
    return [{ text: picked.map(({ spellings }) => formatAlternatives(spellings)).join(' AND '), nameCount }]
  return others.flatMap((other, at) =>
    buildClauses(
      [...picked, other],
      (nameCount * other.nameCount) / namesTotal,
      others.slice(at + 1),
      namesTotal,
    ),
  )
}

interface Slot {
  spellings: string[]
  nameCount: number
}

function buildSlot(token: string, isLast: boolean, vocabulary: Vocabulary): Slot {
  const known = vocabulary.countNames(token)
  const spellings = known > 0 ? [token] : []
  // A rare word may be a misspelling of a common one; the last word may be truncated.
  if (known < 3) spellings.push(...vocabulary.findSpellings(token))
  if (known === 0 && isLast && token.length >= 3) spellings.push(...vocabulary.findCompletions(token))
  return { spellings, nameCount: spellings.reduce((sum, word) => sum + vocabulary.countNames(word), 0) }
}

/** Tokens have only letters and digits; quotes prevent their use as operators. */
export function formatAlternatives(words: readonly string[]): string {
  return words.length === 1 ? `"${words[0] ?? ''}"` : `(${words.map((word) => `"${word}"`).join(' OR ')})`
}

export function toCandidateName(row: CandidateRow, readProminence: ReadProminence): CandidateName {
  const [, entityNumber, legalEntityNumber, sourceNumber, kind, name, registeredName, tokens, ...others] = row
  const [coreKey, fullKey, formClass, acronym, status, isRemoved, type, subtype, ...places] = others
  const [jurisdiction, isRegistrant, cityKey, regionCode, postalKey, countryCode] = places
  const [country = '', region] = (jurisdiction ?? '').toUpperCase().split('_')
  return {
    entityNumber,
    legalEntityNumber,
    sourceNumber,
    kind: kind as NameKind,
    name,
    registeredName: registeredName ?? name,
    jurisdiction,
    tokens: tokens === '' ? [] : tokens.split(' '),
    coreKey,
    fullKey,
    formClass: formClass as FormClass | null,
    acronym,
    active: isRemoved === 0 && (status === null || status === 'active'),
    removed: isRemoved === 1,
    supported: type === 'business' && subtype === 'incorporated_entity',
    place: {
      cityKey,
      regionCode,
      postalKey,
      countryCode: countryCode ?? '',
      // American lists name foreign registrants of the SEC with the country US.
      jurisdictionCountry: isRegistrant === 1 ? 'US' : country,
      jurisdictionRegion: region === undefined ? '' : `${country}-${region}`,
    },
    prominence: readProminence(entityNumber),
  }
}

import { entityId, type EntityId } from '../../contract/ids.js'
import { readIdentifiers } from '../../core/stated-identifiers.js'
import { parseName } from '../normalize/parsed-name.js'
import type { NameBeginning, NameBeginningFinder } from '../store/name-prefix.js'
import type { StoreReader } from '../store/reader.js'
import { holdersOf, type HolderDeps } from './identified.js'

/** A company that somebody who types may mean. */
export interface SuggestedCompany {
  readonly id: EntityId
  /** The name that begins so; null where the company was found by its id or by an identifier. */
  readonly name: string | null
}

export interface SuggestDeps extends HolderDeps {
  readonly beginningsOf: NameBeginningFinder
  readonly reader: Pick<StoreReader, 'outlineByNumber' | 'mergedInto' | 'entityNumber'>
}

/** Of names that begin so, those read; a single letter begins hundreds of thousands. */
const namesReadMax = 300

/**
 * Companies whose id or identifier the text is, then those one of whose names begins with it: that very name first, then
 * those that stand, that are still called so, that are listed, that have an LEI; else by the alphabet.
 */
export function suggestCompanies(
  prefix: string,
  countMax: number,
  deps: SuggestDeps,
): readonly SuggestedCompany[] {
  const { fullKey } = parseName(prefix)
  const beginnings = fullKey === '' ? [] : deps.beginningsOf(fullKey, namesReadMax)
  const ranked = beginnings
    .map((beginning) => ({ beginning, rank: rankOf(beginning, fullKey) }))
    .sort((a, b) => b.rank - a.rank)
  const found = new Map<number, string | null>()
  for (const number of named(prefix.trim(), deps)) found.set(number, null)
  for (const { beginning } of ranked)
    if (!found.has(beginning.entityNumber)) found.set(beginning.entityNumber, beginning.name)
  return [...found].slice(0, countMax).flatMap(([number, name]) => {
    const stored = deps.reader.outlineByNumber(number)
    return stored === null ? [] : [{ id: entityId.parse(stored.id), name }]
  })
}

/** Sorting is stable: names of one rank stay in the order of the alphabet. */
function rankOf({ fullKey, kind, isActive, isListed, hasLei }: NameBeginning, asked: string): number {
  return [fullKey === asked, isActive, kind !== 'former', isListed, hasLei].reduce(
    (rank, holds) => 2 * rank + Number(holds),
    0,
  )
}

/** Companies that the text is an id or states an identifier of. */
function named(text: string, deps: SuggestDeps): number[] {
  const { reader } = deps
  if (entityId.safeParse(text).success) {
    const number = reader.entityNumber(reader.mergedInto(text) ?? text)
    return number === null ? [] : [number]
  }
  return readIdentifiers(text)
    .identifiers.flatMap((identifier) => holdersOf(identifier, deps))
    .map(({ entityNumber }) => entityNumber)
}

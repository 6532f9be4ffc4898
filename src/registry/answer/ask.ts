import type { Resolution } from '../../contract/result.js'
import { candidatesByName, type CompanyCandidate } from './candidates.js'
import { matchIdentified, type IdentifiedDeps } from './identified.js'
import { candidatesByIdentifiers } from './identified-candidates.js'
import { answerFor, matchName, type NameQuery } from './resolve.js'
import type { StoredEntity, StoreReader } from '../store/reader.js'

/** A query that was matched once; what it comes to is made when it is asked for. */
export interface AskedQuery {
  answer(): Resolution
  /** The companies that it may mean, the likeliest first. */
  candidates(countMax: number): CompanyCandidate[]
}

/** Matches a query by the identifiers that its name states, or by name and place. */
export function ask(query: NameQuery, given: IdentifiedDeps): AskedQuery {
  const deps = { ...given, reader: readingOnce(given.reader) }
  const identified = matchIdentified(query, deps)
  if (identified !== null)
    return {
      answer: () => identified.answer(),
      candidates: (countMax) => candidatesByIdentifiers(identified, deps, countMax),
    }
  const match = matchName(query, deps)
  return {
    answer: () => answerFor(match, deps),
    candidates: (countMax) => candidatesByName(query.name, match, deps, countMax),
  }
}

/** Context, answer and candidates read the same companies: each is read once for a query. */
function readingOnce(reader: StoreReader): StoreReader {
  const known = new Map<number, StoredEntity | null>()
  return {
    ...reader,
    entityByNumber: (number) => {
      const read = known.get(number)
      if (read !== undefined) return read
      const stored = reader.entityByNumber(number)
      known.set(number, stored)
      return stored
    },
  }
}

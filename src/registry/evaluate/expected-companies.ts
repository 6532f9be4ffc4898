import { identifierType, type IdentifierType } from '../../contract/enums.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { StoredEntity, StoreReader } from '../store/reader.js'
import type { ExpectedId, LabelledQuery } from './labelled-query.js'

/** The companies of a registry that are right for a query, by number: none where it does not hold them. */
export type ExpectedCompanies = (query: Pick<LabelledQuery, 'expected'>) => ReadonlySet<number>

/** Files lose leading zeros of numbers that are no longer than this. */
const paddedLengthMax = 12

export function createExpectedCompanies(database: Sqlite, reader: StoreReader): ExpectedCompanies {
  const byIdentifier = database
    .prepare<[string, string], number>(
      `SELECT DISTINCT l.entity_number FROM identifiers i JOIN legal_entities l ON l.number = i.legal_entity_number
       WHERE i.type = ? AND i.value = ?`,
    )
    .pluck()
  /** An id that was merged is that of the company it was merged into. */
  const byId = (id: string): number[] => {
    const found = reader.entityNumber(reader.mergedInto(id) ?? id)
    return found === null || reader.outlineByNumber(found) === null ? [] : [found]
  }
  const byBearers = (type: IdentifierType, value: string): number[] =>
    writingsOf(value).flatMap((text) => byIdentifier.all(type, text))
  return ({ expected }) => {
    const named = expected.flatMap(({ type, value }) =>
      type === 'entity' || type === null ? byId(value) : [],
    )
    const bearers = expected.flatMap(({ type, value }) => {
      if (type === 'entity') return []
      return (type === null ? identifierType.options : [type]).flatMap((one) => byBearers(one, value))
    })
    const found = bearers.filter((entityNumber) => {
      const entity = reader.entityByNumber(entityNumber)
      return entity !== null && isExpected(entity, expected)
    })
    return new Set([...named, ...found])
  }
}

/** As given, and with as many zeros before it as it may have lost. */
function writingsOf(value: string): string[] {
  const short = unpadded(value)
  const lengths = Array.from({ length: paddedLengthMax + 1 }, (_, length) => length)
  return [...new Set([value, ...lengths.map((length) => short.padStart(length, '0'))])]
}

export function isExpected(entity: StoredEntity, expected: readonly ExpectedId[]): boolean {
  return expected.some(({ type, value, jurisdiction }) => {
    if (type === 'entity') return entity.id === value
    if (type === null && entity.id === value) return true
    return entity.legalEntities.some(({ identifiers }) =>
      identifiers.some(
        (held) =>
          (type === null || held.type === type) &&
          unpadded(held.value) === unpadded(value) &&
          (jurisdiction === null || (held.jurisdiction ?? '').startsWith(jurisdiction)),
      ),
    )
  })
}

/** Files lose leading zeros. */
function unpadded(value: string): string {
  return value.toUpperCase().replace(/^0+/, '')
}

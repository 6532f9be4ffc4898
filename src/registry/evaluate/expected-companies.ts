import { identifierType } from '../../contract/enums.js'
import type { Sqlite } from '../../platform/sqlite.js'
import type { StoredEntity, StoreReader } from '../store/reader.js'
import type { ExpectedId, LabelledQuery } from './labelled-query.js'

/** The companies of a registry that are right for a query, by number: none where it does not hold them. */
export type ExpectedCompanies = (query: Pick<LabelledQuery, 'expected'>) => ReadonlySet<number>

/** Files lose leading zeros of numbers that are no longer than this. */
const paddedLengthMax = 12

export function createExpectedCompanies(database: Sqlite, reader: StoreReader): ExpectedCompanies {
  const byId = database.prepare<[string], number>('SELECT number FROM entities WHERE id = ?').pluck()
  const byIdentifier = database
    .prepare<[string, string], number>(
      `SELECT DISTINCT l.entity_number FROM identifiers i JOIN legal_entities l ON l.number = i.legal_entity_number
       WHERE i.type = ? AND i.value = ?`,
    )
    .pluck()
  const held = ({ type, value }: ExpectedId): number[] => {
    if (type === 'entity') return byId.all(value)
    const types = type === null ? identifierType.options : [type]
    return [
      ...(type === null ? byId.all(value) : []),
      ...types.flatMap((one) => writingsOf(value).flatMap((text) => byIdentifier.all(one, text))),
    ]
  }
  return ({ expected }) => {
    const found = expected.flatMap(held).filter((entityNumber) => {
      const entity = reader.entityByNumber(entityNumber)
      return entity !== null && isExpected(entity, expected)
    })
    return new Set(found)
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

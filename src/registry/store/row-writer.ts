import type { Sqlite } from '../../platform/sqlite.js'
import { deriveId, toStoredKey } from '../model/identifiers.js'
import { normalizeRegistrationNumber } from '../linkage/entity-clusters.js'
import type { RegistryRow } from '../model/registry-rows.js'
import { findCountryCodes } from '../../core/countries.js'
import { parseLocation } from '../match/parse-location.js'
import type { Place } from '../match/place-readings.js'
import {
  findRegionCode,
  findRegionCodes,
  isLargeCity,
  splitCodeBehind,
  toCityKey,
  toPostalKey,
} from '../normalize/places.js'
import { readKind, streetLike } from '../normalize/streets.js'
import { splitPlace } from '../normalize/unspaced-names.js'
import { createBulk } from './name-index.js'
import {
  computeContentHash,
  deriveRow,
  parseNames,
  type DerivedRow,
  type StoredName,
  toPlaceholder,
  registrationColumns,
  toKeySql,
  listRegistrationValues,
  packIdentifierType,
  packInstant,
  type RowOrigin,
} from './registration-columns.js'

export interface RowWriter {
  /** The registry had no registration before. */
  readonly isFirst: boolean
  /** Adds a registration unless its id exists. Returns whether it was added. `derived`: that of the row. */
  add(id: string, row: RegistryRow, origin: RowOrigin, derived?: DerivedRow): boolean
  /** Updates an existing registration. Ids never change. */
  replace(row: RegistryRow, origin: RowOrigin, removedFromSource?: boolean): void
  /** Marks registrations missing from the source's newest import (`sequence`). Returns their number. */
  markRemovedFromSource(sequence: number): number
  /** Counts the replaced registrations that had another content, and those of them that were active and have no status. */
  readonly changes: { readonly changedCount: number; readonly statusLostCount: number }
  /** Completes the indexes of ids, so that a registration can be found by its id. Throws RepeatedRowError. */
  indexIds(): void
  /** Does deferred work, so that details can be read. Throws RepeatedRowError. */
  endBulk(): void
  /** Completes the indexes; before this only the methods above may be used. */
  finish(): void
}

const joinColumns = (columns: readonly string[]) => columns.join(', ')

const insertRegistration = `INSERT INTO legal_entities (key, entity_number, ${joinColumns(registrationColumns)})
  VALUES (${toKeySql('?')}, ?, ${joinColumns(registrationColumns.map(toPlaceholder))})`

const updateRegistration = `UPDATE legal_entities SET removed_from_source = ?, ${joinColumns(
  registrationColumns.map((column) => `${column} = ${toPlaceholder(column)}`),
)} WHERE number = ?`

/** Writes the rows of one import, each as a company, in the caller's transaction. `joinRegistrations` merges later. */
export function createRowWriter(database: Sqlite, sourceNumber: number, mayRepeat: boolean): RowWriter {
  const bulk = createBulk(database)
  if (mayRepeat) bulk.indexIds()
  const { names } = bulk
  const insertEntity = database.prepare(
    `INSERT OR IGNORE INTO entities (key) VALUES (${toKeySql('?', 'siq_')})`,
  )
  const insert = database.prepare(insertRegistration)
  const existing = createRegistrationUpdater(database)
  const insertIdentifier = database.prepare('INSERT INTO identifiers VALUES (?, ?, ?, ?, ?, ?)')
  const insertAddress = database.prepare('INSERT INTO addresses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')

  const changes = { changedCount: 0, statusLostCount: 0 }
  const addDetails = (number: number, row: RegistryRow, parsedNames: readonly StoredName[]) => {
    names.add(number, row.names, parsedNames)
    const written = row.identifiers.length > 1 ? new Set<string>() : null
    for (const [position, { type, value, jurisdiction, exchange }] of row.identifiers.entries()) {
      const isNumber = type === 'registration_id'
      const held = isNumber
        ? normalizeRegistrationNumber(value, jurisdiction, row.registrationAuthority)
        : value
      const identity = `${type} ${jurisdiction ?? ''} ${held}`
      if (written?.has(identity) === true) continue
      written?.add(identity)
      const packed = packIdentifierType(type)
      insertIdentifier.run(number, position, packed, held, jurisdiction ?? '', exchange ?? null)
    }
    insertAddress.run(number, ...listAddressValues(row))
  }

  return {
    isFirst: bulk.isFirst,
    add(id, row, origin, derived) {
      bulk.noteId(id)
      const { companyId, contentHash, parsedNames } = derived ?? deriveRow(row)
      const entity = insertEntity.run(companyId)
      if (entity.changes === 0) return false
      const values = listRegistrationValues(row, parsedNames, origin, contentHash)
      const added = insert.run(id, entity.lastInsertRowid, ...values)
      addDetails(Number(added.lastInsertRowid), row, parsedNames)
      return true
    },
    replace(row, origin, removedFromSource = false) {
      const id = deriveId('le_', row.sourceKey)
      const hash = computeContentHash(row)
      if (existing.keepUnchanged(id, row, origin, hash, removedFromSource)) return
      bulk.end()
      const { number, status } = existing.clearDetails(id, names)
      changes.changedCount++
      if (status === 'active' && row.status === null) changes.statusLostCount++
      const parsedNames = parseNames(row)
      existing.update(number, listRegistrationValues(row, parsedNames, origin, hash), removedFromSource)
      addDetails(number, row, parsedNames)
    },
    markRemovedFromSource(sequence) {
      if (bulk.isFirst) return 0
      return database
        .prepare(
          'UPDATE legal_entities SET removed_from_source = 1 WHERE source_number = ? AND import_sequence < ? AND removed_from_source = 0',
        )
        .run(sourceNumber, sequence).changes
    },
    changes,
    indexIds: bulk.indexIds,
    endBulk: bulk.end,
    finish: () => {
      bulk.end()
      names.settle()
    },
  }
}

function createRegistrationUpdater(database: Sqlite) {
  const find = database.prepare<[Buffer], { number: number; status: string | null }>(
    'SELECT number, status FROM legal_entities WHERE key = ?',
  )
  const update = database.prepare(updateRegistration)
  const keep = database.prepare(
    `UPDATE legal_entities SET removed_from_source = ?, source_number = ?, source_line = ?, import_sequence = ?,
       packed_stated_on = ?, packed_named_on = ? WHERE key = ${toKeySql('?')} AND content_hash = unhex(?)`,
  )
  const removeIdentifiers = database.prepare('DELETE FROM identifiers WHERE legal_entity_number = ?')
  const removeAddresses = database.prepare('DELETE FROM addresses WHERE legal_entity_number = ?')
  return {
    /** Returns whether the registration already has the content of the row. */
    keepUnchanged(
      id: string,
      row: RegistryRow,
      origin: RowOrigin,
      hash: string,
      removedFromSource: boolean,
    ): boolean {
      const { sourceNumber, importSequence, statedOn, namedOn } = origin
      const dates = [packInstant(statedOn), packInstant(namedOn)]
      const stated = [sourceNumber, row.sourceLine, importSequence, ...dates]
      return keep.run(Number(removedFromSource), ...stated, id, hash).changes === 1
    },
    clearDetails(id: string, names: { removeAll(number: number): void }) {
      const found = find.get(toStoredKey('le_', id))
      if (found === undefined) throw new Error(`the registration ${id} has a company and no row`)
      names.removeAll(found.number)
      removeIdentifiers.run(found.number)
      removeAddresses.run(found.number)
      return found
    },
    update(
      number: number,
      values: ReturnType<typeof listRegistrationValues>,
      removedFromSource: boolean,
    ): void {
      update.run(Number(removedFromSource), ...values, number)
    },
  }
}

/** Values of an address and its keys, from `street_address` on. Keys that SQLite derives are `null`. */
function listAddressValues({ address }: RegistryRow): (string | null)[] {
  const { street, city, region, postalCode, countryCode, formatted, streetNumber, subPremise } = address
  return [
    street,
    city,
    region,
    postalCode,
    countryCode,
    formatted,
    region === null
      ? null
      : unlessDerived(getRegionKey(countryCode, region), `${countryCode ?? ''}-${region}`),
    city === null ? null : getOwnCityKey(city),
    postalCode === null || isDerivedPlainly(postalCode)
      ? null
      : unlessDerived(toPostalKey(postalCode), deriveKey(postalCode)),
    streetNumber,
    subPremise,
  ]
}

/** As SQLite derives the keys of an address. */
const deriveKey = (text: string): string =>
  text.replaceAll(' ', '').replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

const isDerivedPlainly = (text: string): boolean => /^[A-Za-z0-9 ]*$/.test(text)

const unlessDerived = (key: string, derived: string): string | null => (key === derived ? null : key)

const rememberedMax = 50_000

/** Registers repeat the same places often. */
function cacheText<Key extends string | null>(
  known: Map<string, Key>,
  text: string,
  computeKey: () => Key,
): Key {
  const found = known.get(text)
  if (found !== undefined) return found
  const key = computeKey()
  if (known.size < rememberedMax) known.set(text, key)
  return key
}

const ownCityKeys = new Map<string, string | null>()
const regionKeys = new Map<string, string>()

function getOwnCityKey(city: string): string | null {
  return cacheText(ownCityKeys, city, () => unlessDerived(toCityKey(city), deriveKey(city)))
}

function getRegionKey(countryCode: string | null, region: string): string {
  return cacheText(
    regionKeys,
    `${countryCode ?? ''} ${region}`,
    () => findRegionCode(countryCode, region) ?? '',
  )
}

type PlaceKeys = Pick<Place, 'cityKey' | 'regionCode' | 'postalKey'>

/** Finds the place of a company whose address is one line. Of several names, none is surely the town. */
export function readPlaceLine(stated: PlaceKeys, line: string | null, country: string): PlaceKeys {
  const text = stated.cityKey !== '' || line === null ? '' : line.replace(/\s[-–—]\s/g, ', ')
  const read = text === '' ? null : parseLocation(text)
  if (read === null) return stated
  const isTown = (part: string) =>
    !/\d|^$|\S\s\S+\s\S/.test(part) &&
    !streetLike.test(part) &&
    !/^(?:region|district)$/.test(readKind(part)?.kind ?? '') &&
    findCountryCodes(part).length + findRegionCodes(part).length === 0
  const parts = splitPlace(text)
  const split = splitCodeBehind(parts, country)
  // "Khatunganj, Chattogram 4000": the town has the code.
  const coded = split.length > parts.length ? split.filter((part, at) => part !== parts[at]).slice(0, 1) : []
  const lists = [isLargeCity, isTown].flatMap((isOne) => [coded.filter(isOne), split.filter(isOne)])
  const [town = '', other] = lists.find((list) => list.length > 0) ?? []
  const [region = '', another] = [...read.regions].filter((code) => code.startsWith(`${country}-`))
  return {
    cityKey: other === undefined ? toCityKey(town) : '',
    regionCode: stated.regionCode === '' && another === undefined ? region : stated.regionCode,
    postalKey: stated.postalKey === '' ? ([...read.postals][0] ?? '') : stated.postalKey,
  }
}

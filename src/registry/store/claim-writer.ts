import type { EntitySubtype, EntityType } from '../../contract/enums.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { findOtherCompany } from '../linkage/entity-clusters.js'
import { mergeStatedRows, compose, isSameName, withFormerNames } from '../linkage/survivorship.js'
import { deriveId, toStoredKey } from '../model/identifiers.js'
import type { RegistryRow, StatedRow } from '../model/registry-rows.js'
import {
  type ClaimOptions,
  type ClaimOutcome,
  createKeptClaims,
  type NameHistoryStore,
} from './stored-claims.js'
import {
  type DerivedRow,
  type RowOrigin,
  createIdentifierReader,
  createNameReader,
  type ImportOrigin,
} from './registration-columns.js'
import type { RowWriter } from './row-writer.js'

interface StoredRow {
  number: number
  type: EntityType
  subtype: EntitySubtype
  status: string | null
  legal_form: string | null
  jurisdiction: string | null
  registration_authority: string | null
  website: string | null
  sic: string | null
  naics: string | null
  industry_codes: string | null
  formed_on: string | null
  street_address: string | null
  street_number: string | null
  sub_premise: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country_code: string | null
  formatted_address: string | null
  source_number: number
  import_sequence: number
  stated_on: string | null
  named_on: string | null
  removed_from_source: number
  source_key: string
  source_line: number
  legal_name: string
  parent_key: string | null
  successor_key: string | null
  source_url: string | null
  identifiers_omitted: number
}

/** The statement of a source about a registration. */
interface StoredClaim extends RowOrigin {
  readonly row: RegistryRow
  readonly removedFromSource: boolean
}

/**
 * Reads the row from which a registration was written, without names of older files. Its keys are in the order of the
 * importers because rows are compared as JSON. `null` for an unknown id.
 */
function createClaimReader(database: Sqlite): (id: string) => StoredClaim | null {
  const held = database.prepare<[Buffer], StoredRow>(
    `SELECT l.*, a.* FROM legal_entities l
     LEFT JOIN addresses a ON a.legal_entity_number = l.number WHERE l.key = ?`,
  )
  const readNames = createNameReader(database, 'stated')
  const readIdentifiers = createIdentifierReader(database)
  return (id) => {
    const found = held.get(toStoredKey('le_', id))
    if (found === undefined) return null
    const row: RegistryRow = {
      sourceKey: found.source_key,
      sourceLine: found.source_line,
      legalName: found.legal_name,
      names: readNames(found.number),
      type: found.type,
      subtype: found.subtype,
      status: found.status,
      legalForm: found.legal_form,
      jurisdiction: found.jurisdiction,
      registrationAuthority: found.registration_authority,
      identifiers: readIdentifiers(found.number),
      ...(found.identifiers_omitted === 0 ? {} : { identifiersOmitted: found.identifiers_omitted }),
      address: {
        street: found.street_address,
        streetNumber: found.street_number,
        subPremise: found.sub_premise,
        city: found.city,
        region: found.region,
        postalCode: found.postal_code,
        countryCode: found.country_code,
        formatted: found.formatted_address,
      },
      website: found.website,
      sic: found.sic,
      naics: found.naics,
      industryCodes: found.industry_codes,
      formedOn: found.formed_on,
      parentKey: found.parent_key,
      successorKey: found.successor_key,
      sourceUrl: found.source_url,
    }
    const statedOn = found.stated_on ?? ''
    return {
      sourceNumber: found.source_number,
      importSequence: found.import_sequence,
      statedOn,
      namedOn: found.named_on ?? statedOn,
      removedFromSource: found.removed_from_source === 1,
      row,
    }
  }
}

/**
 * Writes statements of a source. A registration of one source is written as its row. If several sources state it, or
 * none has named it yet, all claims are kept and the registration is composed of them, so that the order of imports
 * does not matter. Changed names are recorded. The caller opens the transaction.
 */
export interface ClaimWriter {
  record(row: StatedRow, options: ClaimOptions): ClaimOutcome
  /** Composes the stated and the removed registrations. Returns how many have no source left. */
  finish(): number
  /** Counts the source's claims that wait for a registration. */
  countWaitingClaims(): number
}

export function createClaimWriter(
  database: Sqlite,
  writer: RowWriter,
  history: NameHistoryStore,
  own: ImportOrigin,
): ClaimWriter {
  const ownership = createOwnershipCheck(database, own, writer.isFirst)
  const kept = createKeptClaims(database, history, own)
  const readBack = createClaimReader(database)
  const readNames = createNameReader(database, 'stated')
  const held = database.prepare<[Buffer], StoredFacts>(
    'SELECT number, legal_name, source_number, import_sequence, stated_on, named_on FROM legal_entities WHERE key = ?',
  )
  const isOlderFile = own.importSequence !== own.newestSequence
  const markRemoved = database.prepare(
    'UPDATE legal_entities SET removed_from_source = 1 WHERE key = ? AND removed_from_source = 0',
  )
  let removedCount = 0

  return {
    record(row, options) {
      const id = options.derived?.id ?? deriveId('le_', row.sourceKey)
      const isPlain = !options.addsUp && options.statedOn === null
      if (isPlain && isNamed(row) && ownership.isOwn(id)) return recordDirectly(id, row, options.derived)
      writer.indexIds()
      const isHeld = ownership.isHeld(id)
      if (!kept.hasAny(id)) keepOtherClaim(id, isHeld)
      ownership.noteKept()
      const outcome = kept.put(id, row, options)
      if (row.legalName === null && outcome !== 'superseded') return isHeld ? 'updated' : 'waiting'
      if (outcome === 'first') return isHeld ? 'updated' : 'imported'
      return outcome
    },
    finish() {
      writer.indexIds()
      // A registration that only an older file has is created, then marked as removed.
      if (isOlderFile) kept.forEachTouched(composeInto)
      if (own.isWhole) kept.removeUnseen()
      kept.forEachTouched(composeInto)
      if (isOlderFile) for (const id of history.listIds(own.sourceNumber)) rename(id)
      if (!isOlderFile) kept.confirmSeen()
      return removedCount
    },
    countWaitingClaims: () => kept.countWaiting(),
  }

  function recordDirectly(id: string, row: RegistryRow, derived?: DerivedRow): ClaimOutcome {
    const on = own.fileDate
    const { sourceNumber, importSequence } = own
    const origin = { sourceNumber, importSequence, statedOn: on, namedOn: on }
    if (writer.add(id, row, origin, derived)) return 'imported'
    const found = held.get(toStoredKey('le_', id))
    if (found === undefined) throw new Error(`the registration ${id} has a company and no row`)
    const statedOn = found.stated_on ?? ''
    const namedOn = found.named_on ?? statedOn
    const isOwn = found.source_number === sourceNumber
    if (isOwn && found.import_sequence === importSequence) {
      writer.endBulk()
      const before = readBack(id)
      const reason = before === null ? null : findOtherCompany(before.row, row)
      if (reason !== null) return { reason }
      if (before !== null) replace(id, mergeStatedRows(before.row, row) as RegistryRow, before)
      return 'together'
    }
    const isRenamed = !isSameName(found.legal_name, row.legalName)
    // If the newest file lacks the row, the latest of the older files counts.
    const isLatest = isOwn && on >= statedOn
    if (!isLatest && (isOwn || isOlderFile)) {
      if (isRenamed) history.remember(id, sourceNumber, { name: row.legalName, firstOn: on, lastOn: on })
      history.rememberListed(id, sourceNumber, row.names, readNames(found.number))
      if (isRenamed && !isOlderFile) rename(id)
      return 'superseded'
    }
    // The former source of a removed registration: it no longer names it.
    if (isRenamed || !isOwn) {
      history.remember(id, found.source_number, {
        name: found.legal_name,
        firstOn: namedOn,
        lastOn: statedOn,
      })
    }
    history.rememberListed(id, found.source_number, readNames(found.number), row.names)
    replace(id, row, { ...origin, namedOn: isRenamed ? on : namedOn }, isOlderFile)
    return isRenamed ? 'renamed' : 'updated'
  }

  function replace(id: string, row: RegistryRow, origin: RowOrigin, removedFromSource = false): void {
    writer.replace(
      { ...row, names: withFormerNames(row.names, history.listFormerNames(id, origin)) },
      origin,
      removedFromSource,
    )
  }

  /** From the second source on, the claim of each source is kept, or its name if the registration is gone. */
  function keepOtherClaim(id: string, isHeld: boolean): void {
    const stated = held.get(toStoredKey('le_', id)) === undefined ? null : readBack(id)
    if (stated === null || stated.sourceNumber === own.sourceNumber) return
    if (isHeld) kept.add(id, stated.row, stated)
    else {
      const { namedOn, statedOn } = stated
      const name = { name: stated.row.legalName, firstOn: namedOn, lastOn: statedOn }
      history.remember(id, stated.sourceNumber, name)
      history.rememberListed(id, stated.sourceNumber, stated.row.names, [])
    }
  }

  function rename(id: string): void {
    if (kept.hasAny(id)) {
      composeInto(id)
      return
    }
    const stated = readBack(id)
    if (stated !== null) replace(id, stated.row, stated, stated.removedFromSource)
  }

  function composeInto(id: string): void {
    const composed = compose(kept.of(id), history.listFormerNames(id))
    if (composed === null) removedCount += markRemoved.run(toStoredKey('le_', id)).changes
    else if (!writer.add(id, composed.row, composed.origin)) writer.replace(composed.row, composed.origin)
  }
}

interface StoredFacts {
  number: number
  legal_name: string
  source_number: number
  import_sequence: number
  stated_on: string | null
  named_on: string | null
}

function isNamed(row: StatedRow): row is RegistryRow {
  return row.legalName !== null
}

/** Checks whether only this source states a registration. Queries the database only if there are other sources. */
function createOwnershipCheck(database: Sqlite, own: ImportOrigin, isFirst: boolean) {
  const byKey = database.prepare<[Buffer], { source_number: number; removed_from_source: number }>(
    'SELECT source_number, removed_from_source FROM legal_entities WHERE key = ?',
  )
  const findHolder = (id: string) => byKey.get(toStoredKey('le_', id))
  const claim = database.prepare<[string]>('SELECT 1 FROM claims WHERE registration_id = ? LIMIT 1')
  const others = database.prepare<[number]>('SELECT 1 FROM sources WHERE number <> ? LIMIT 1')
  const isFree = (id: string) => {
    const found = findHolder(id)
    return found === undefined || found.removed_from_source === 1 || found.source_number === own.sourceNumber
  }
  let mayBeShared = others.get(own.sourceNumber) !== undefined || hasClaims(database)
  return {
    isHeld: (id: string) => findHolder(id)?.removed_from_source === 0,
    isOwn(id: string): boolean {
      if (!mayBeShared) return true
      return (isFirst || isFree(id)) && claim.get(id) === undefined
    },
    noteKept() {
      mayBeShared = true
    },
  }
}

function hasClaims(database: Sqlite): boolean {
  return database.prepare('SELECT 1 FROM claims LIMIT 1').get() !== undefined
}

import { domainNameOf } from '../../core/domain-name.js'
import type { Sqlite } from '../../platform/sqlite.js'
import { derivedId } from '../derived-id.js'
import { parseName } from '../match/parsed-name.js'
import { cityKeyOf, postalKeyOf, regionCodeIn } from '../match/place-names.js'
import type { RegistryRow } from '../registry-row.js'

/** The import that a row comes from. */
export interface RowOrigin {
  readonly sourceNumber: number
  readonly importSequence: number
}

export interface RowWriter {
  /**
   * Adds the registration, or brings the one of the same key up to date. Ids never change. `origin` is
   * another source's where the row is made of what several state.
   */
  write(row: RegistryRow, origin?: RowOrigin): 'imported' | 'updated'
  /** Marks what the source no longer names. Returns how many. */
  markVanished(): number
}

/** Writes rows of one import. The caller holds the transaction. */
export function createRowWriter(database: Sqlite, own: RowOrigin): RowWriter {
  const names = nameStatements(database)
  const find = database.prepare<[string], { number: number }>(
    'SELECT number FROM legal_entities WHERE id = ?',
  )
  const insert = database.prepare(insertLegalEntity)
  const update = database.prepare(updateLegalEntity)
  const insertIdentifier = database.prepare('INSERT OR IGNORE INTO identifiers VALUES (?, ?, ?, ?, ?)')
  const insertAddress = database.prepare('INSERT INTO addresses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const entityOf = entityFinder(database)

  return {
    write(row, origin = own) {
      const id = derivedId('le_', row.sourceKey)
      const found = find.get(id)
      const columns = { ...legalEntityColumns(row), id, ...origin }
      let number: number
      if (found) {
        number = found.number
        clearDetails(database, names, number)
        update.run({ ...columns, number })
      } else {
        number = Number(
          insert.run({ ...columns, entityNumber: entityOf(row, origin.sourceNumber) }).lastInsertRowid,
        )
      }
      for (const name of row.names) names.add(number, name.kind, name.name)
      for (const [position, { type, value, jurisdiction }] of row.identifiers.entries()) {
        insertIdentifier.run(type, value, jurisdiction ?? '', number, position)
      }
      insertAddress.run(number, 'headquarters', ...addressColumns(row))
      return found ? 'updated' : 'imported'
    },
    markVanished() {
      return database
        .prepare('UPDATE legal_entities SET vanished = 1 WHERE source_number = ? AND import_sequence < ?')
        .run(own.sourceNumber, own.importSequence).changes
    },
  }
}

/**
 * The company a new registration belongs to: one that another source already knows by the same LEI, CIK or
 * number of the same register, else a new one.
 */
function entityFinder(database: Sqlite): (row: RegistryRow, sourceNumber: number) => number {
  const known = database.prepare<[string, string, string, number], { entity_number: number }>(
    `SELECT l.entity_number FROM identifiers i JOIN legal_entities l ON l.number = i.legal_entity_number
     WHERE i.type = ? AND i.value = ? AND i.jurisdiction = ? AND l.source_number <> ? ORDER BY l.number LIMIT 1`,
  )
  const byId = database.prepare<[string], { number: number }>('SELECT number FROM entities WHERE id = ?')
  const insert = database.prepare('INSERT INTO entities (id, merged_into) VALUES (?, NULL)')
  return (row, sourceNumber) => {
    for (const { type, value, jurisdiction } of row.identifiers) {
      const isTelling =
        type === 'lei' || type === 'cik' || (type === 'registration_id' && jurisdiction !== null)
      if (!isTelling) continue
      const found = known.get(type, value, jurisdiction ?? '', sourceNumber)
      if (found) return found.entity_number
    }
    const id = derivedId('siq_', row.sourceKey)
    return byId.get(id)?.number ?? Number(insert.run(id).lastInsertRowid)
  }
}

interface NameStatements {
  add(legalEntityNumber: number, kind: string, name: string): void
  removeAll(legalEntityNumber: number): void
}

function nameStatements(database: Sqlite): NameStatements {
  const insert = database.prepare('INSERT INTO names VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)')
  const index = database.prepare('INSERT INTO name_index (rowid, tokens) VALUES (?, ?)')
  const list = database.prepare<[number], { number: number; tokens: string }>(
    'SELECT number, tokens FROM names WHERE legal_entity_number = ?',
  )
  // The index holds no text of its own: it must be told what it is to forget.
  const forget = database.prepare(
    "INSERT INTO name_index (name_index, rowid, tokens) VALUES ('delete', ?, ?)",
  )
  const remove = database.prepare('DELETE FROM names WHERE legal_entity_number = ?')
  return {
    add(legalEntityNumber, kind, name) {
      const parsed = parseName(name)
      const tokens = parsed.tokens.join(' ')
      const { lastInsertRowid } = insert.run(
        legalEntityNumber,
        kind,
        name,
        tokens,
        parsed.coreKey,
        parsed.fullKey,
        parsed.formClass,
        parsed.acronym,
      )
      index.run(lastInsertRowid, tokens)
    },
    removeAll(legalEntityNumber) {
      for (const { number, tokens } of list.all(legalEntityNumber)) forget.run(number, tokens)
      remove.run(legalEntityNumber)
    },
  }
}

function clearDetails(database: Sqlite, names: NameStatements, number: number): void {
  names.removeAll(number)
  database.prepare('DELETE FROM identifiers WHERE legal_entity_number = ?').run(number)
  database.prepare('DELETE FROM addresses WHERE legal_entity_number = ?').run(number)
}

const columnNames = {
  sourceNumber: 'source_number',
  sourceKey: 'source_key',
  sourceLine: 'source_line',
  importSequence: 'import_sequence',
  legalName: 'legal_name',
  displayName: 'display_name',
  type: 'type',
  subtype: 'subtype',
  status: 'status',
  legalForm: 'legal_form',
  jurisdiction: 'jurisdiction',
  registrationAuthority: 'registration_authority',
  website: 'website',
  domain: 'domain',
  sic: 'sic',
  naics: 'naics',
  industryCodes: 'industry_codes',
  formedOn: 'formed_on',
  parentKey: 'parent_key',
  successorKey: 'successor_key',
  sourceUrl: 'source_url',
} as const

const insertLegalEntity = `INSERT INTO legal_entities (id, entity_number, ${Object.values(columnNames).join(', ')})
  VALUES (@id, @entityNumber, ${Object.keys(columnNames)
    .map((key) => `@${key}`)
    .join(', ')})`

const updateLegalEntity = `UPDATE legal_entities SET vanished = 0, ${Object.entries(columnNames)
  .map(([key, column]) => `${column} = @${key}`)
  .join(', ')} WHERE number = @number`

function legalEntityColumns(row: RegistryRow): Record<string, string | number | null> {
  const shown = row.names.find(({ kind, name }) => kind === 'other' && isBrandOf(name, row.legalName))
  return {
    sourceKey: row.sourceKey,
    sourceLine: row.sourceLine,
    legalName: row.legalName,
    displayName: shown?.name ?? row.legalName,
    type: row.type,
    subtype: row.subtype,
    status: row.status,
    legalForm: row.legalForm,
    jurisdiction: row.jurisdiction,
    registrationAuthority: row.registrationAuthority,
    website: row.website,
    domain: row.website === null ? null : domainNameOf(row.website),
    sic: row.sic,
    naics: row.naics,
    industryCodes: row.industryCodes,
    formedOn: row.formedOn,
    parentKey: row.parentKey,
    successorKey: row.successorKey,
    sourceUrl: row.sourceUrl,
  }
}

/** A shorter name in use, made of words or the initials of the registered one, is shown in its place. */
function isBrandOf(name: string, legalName: string): boolean {
  if (name.length >= legalName.length || (name.length > 5 && name === name.toUpperCase())) return false
  const brand = parseName(name)
  const registered = parseName(legalName)
  if (brand.tokens.length === 0) return false
  if (brand.coreKey === registered.acronym) return true
  return brand.tokens.every((token) => registered.tokens.includes(token))
}

function addressColumns({ address }: RegistryRow): (string | null)[] {
  const { street, city, region, postalCode, countryCode, formatted } = address
  const regionCode = region === null ? null : regionCodeIn(countryCode, region)
  return [
    street,
    city,
    region,
    postalCode,
    countryCode,
    formatted,
    regionCode ?? '',
    city === null ? '' : cityKeyOf(city),
    postalCode === null ? '' : postalKeyOf(postalCode),
  ]
}

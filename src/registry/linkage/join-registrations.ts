import type { Sqlite } from '../../platform/sqlite.js'
import { deriveId, toStoredKey } from '../model/identifiers.js'
import type { WordWeight } from './compare-rows.js'
import {
  planMerges,
  toRegister,
  type EntityMerge,
  type JoinGroup,
  type JoinReason,
} from './entity-clusters.js'
import { groupNewKeys, type KeyedRow } from './link-row.js'
import {
  createClusters,
  decidePairs,
  toNameEvidence,
  companyOf,
  type LinkReason,
  type NameEvidence,
} from './join-by-name.js'

export interface JoinDeps {
  readonly importSequence: number
  readonly getWeight: WordWeight
}

/**
 * Joins the registrations of one company: first by identifiers (see `planMerges`), then by name and related facts (see
 * `decidePairs`). The id of a merged company leads to the remaining one. Joins by identifiers are permanent; joins by
 * name are decided again at each import, and undone if they no longer hold. The caller opens the transaction.
 * `newKeyCount`: see `groupNewKeys`. `joinedCount`: companies that an identifier newly joined with another one.
 */
export function joinRegistrations(
  database: Sqlite,
  deps: JoinDeps,
): { readonly newKeyCount: number; readonly joinedCount: number } {
  const newKeys = readNewKeyGroups(database, deps.importSequence)
  const merges = findIdentifierMerges(database, newKeys)
  // Joins by name build on the companies that identifiers made.
  if (merges.length > 0) resetNameMerges(database)
  recordMerges(database, merges, deps.importSequence)
  joinByName(database, deps)
  const joinedCount = merges.filter(({ reason }) => reason !== 'new_key').length
  return { newKeyCount: newKeys.length, joinedCount }
}

function resetNameMerges(database: Sqlite): void {
  database.exec(`
    UPDATE legal_entities SET entity_number = joined_from_number, joined_from_number = NULL
      WHERE joined_from_number IS NOT NULL;
    UPDATE entities SET merged_into = NULL
      WHERE number IN (SELECT entity_number FROM entity_merges WHERE reason = 'name');
    DELETE FROM entity_merges WHERE reason = 'name';
  `)
}

function findIdentifierMerges(database: Sqlite, newKeys: readonly JoinGroup[]): EntityMerge[] {
  const groups = [
    ...newKeys,
    ...readIdentifierGroups(database),
    ...readSuccessorGroups(database),
    ...readBranchGroups(database),
  ]
  const leis = database
    .prepare<[number, number], string>(
      `SELECT i.value FROM legal_entities l JOIN identifiers i ON i.legal_entity_number = l.number
       WHERE l.number IN (SELECT number FROM legal_entities WHERE entity_number = ? AND joined_from_number IS NULL
           UNION ALL SELECT number FROM legal_entities WHERE joined_from_number = ?)
         AND i.type = 'lei' AND l.removed_from_source = 0`,
    )
    .pluck()
  return planMerges(groups, (entityNumber) => leis.all(entityNumber, entityNumber))
}

function recordMerges(database: Sqlite, merges: readonly EntityMerge[], importSequence: number): void {
  const lead = prepareLead(database)
  const move = database.prepare('UPDATE legal_entities SET entity_number = ? WHERE entity_number = ?')
  const record = prepareRecord(database)
  for (const { entityNumber, intoNumber, reason } of merges) {
    lead.run(intoNumber, entityNumber)
    move.run(intoNumber, entityNumber)
    record.run(entityNumber, intoNumber, reason, importSequence, null)
  }
}

/** Writes only changes. Moved registrations keep the number of their previous company. */
function joinByName(database: Sqlite, { importSequence, getWeight }: JoinDeps): void {
  const clusters = createClusters()
  const wanted = createWantedMerges(database)
  for (const { pair, merge } of decidePairs(database, getWeight, clusters)) {
    if (merge !== null) wanted.put(merge.entityNumber, JSON.stringify(toNameEvidence(pair)))
  }
  const held = new Map(
    database
      .prepare<[], [number, number]>(
        "SELECT entity_number, into_number FROM entity_merges WHERE reason = 'name'",
      )
      .raw()
      .all(),
  )
  const undo = prepareUndo(database)
  for (const [entityNumber, intoNumber] of held) {
    if (!wanted.has(entityNumber) || clusters.findRoot(entityNumber) !== intoNumber) {
      undo(entityNumber)
      held.delete(entityNumber)
    }
  }
  const lead = prepareLead(database)
  const move = database.prepare(
    'UPDATE legal_entities SET joined_from_number = entity_number, entity_number = ? WHERE entity_number = ?',
  )
  const record = prepareRecord(database)
  wanted.forEach((entityNumber, evidence) => {
    const intoNumber = clusters.findRoot(entityNumber)
    if (!held.has(entityNumber)) {
      lead.run(intoNumber, entityNumber)
      move.run(intoNumber, entityNumber)
      record.run(entityNumber, intoNumber, 'name', importSequence, evidence)
    }
  })
  wanted.refreshEvidence()
}

/** Stores the evidence in a temporary table, not in memory, until all joins are known. */
function createWantedMerges(database: Sqlite) {
  database.exec(
    'CREATE TEMP TABLE IF NOT EXISTS wanted_merges (entity_number INTEGER PRIMARY KEY, evidence_json TEXT) STRICT',
  )
  database.exec('DELETE FROM temp.wanted_merges')
  const put = database.prepare('INSERT OR REPLACE INTO temp.wanted_merges VALUES (?, ?)')
  const find = database.prepare<[number]>('SELECT 1 FROM temp.wanted_merges WHERE entity_number = ?')
  const page = database
    .prepare<[number], [number, string]>(
      'SELECT entity_number, evidence_json FROM temp.wanted_merges WHERE entity_number > ? ORDER BY entity_number LIMIT 1000',
    )
    .raw()
  return {
    put: (entityNumber: number, evidence: string) => put.run(entityNumber, evidence),
    has: (entityNumber: number) => find.get(entityNumber) !== undefined,
    forEach(visit: (entityNumber: number, evidence: string) => void): void {
      for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.[0] ?? 0)) {
        for (const [entityNumber, evidence] of rows) visit(entityNumber, evidence)
      }
    },
    refreshEvidence(): void {
      database.exec(`
        UPDATE entity_merges SET evidence_json = w.evidence_json FROM temp.wanted_merges w
          WHERE entity_merges.reason = 'name' AND w.entity_number = entity_merges.entity_number
            AND w.evidence_json <> entity_merges.evidence_json;
        DELETE FROM temp.wanted_merges;
      `)
    },
  }
}

function prepareUndo(database: Sqlite): (entityNumber: number) => void {
  const queries = [
    `UPDATE legal_entities SET entity_number = joined_from_number, joined_from_number = NULL
     WHERE joined_from_number = ?`,
    'UPDATE entities SET merged_into = NULL WHERE number = ?',
    'DELETE FROM entity_merges WHERE entity_number = ?',
  ].map((sql) => database.prepare(sql))
  return (entityNumber) => {
    for (const query of queries) query.run(entityNumber)
  }
}

function prepareLead(database: Sqlite) {
  return database.prepare(
    'UPDATE entities SET merged_into = (SELECT id FROM entities WHERE number = ?) WHERE number = ?',
  )
}

function prepareRecord(database: Sqlite) {
  return database.prepare(
    `INSERT OR REPLACE INTO entity_merges (entity_number, into_number, reason, import_sequence, evidence_json)
     VALUES (?, ?, ?, ?, ?)`,
  )
}

interface SharedRow {
  type: 'lei' | 'cik' | 'sec_cik' | 'registration_id'
  value: string
  jurisdiction: string
  entity_number: number
  registration_authority: string | null
}

/** Registrations of the import's source that have the name of one that it no longer states. */
function readNewKeyGroups(database: Sqlite, importSequence: number): JoinGroup[] {
  const rows = database.prepare<[number], KeyedRow>(
    `SELECT ${companyOf} AS entity_number, l.source_key, l.legal_name, l.removed_from_source AS removed
     FROM (SELECT DISTINCT source_number, legal_name FROM legal_entities WHERE removed_from_source = 1
         AND source_number = (SELECT number FROM sources WHERE format = 'csv' AND import_sequence = ?)) gone
     JOIN legal_entities l ON l.source_number = gone.source_number AND l.legal_name = gone.legal_name`,
  )
  return groupNewKeys(rows.iterate(importSequence))
}

/** Identifiers of registrations of several companies; company numbers also of those that no source states any more. */
function readIdentifierGroups(database: Sqlite): JoinGroup[] {
  const rows = database
    .prepare<[], SharedRow>(
      `SELECT i.type, i.value, i.jurisdiction, ${companyOf} AS entity_number, l.registration_authority
       FROM (SELECT search_key FROM identifiers GROUP BY search_key HAVING count(*) > 1) s
       CROSS JOIN identifiers i ON i.search_key = s.search_key AND i.type IN ('lei', 'cik', 'registration_id', 'sec_cik')
       CROSS JOIN legal_entities l ON l.number = i.legal_entity_number
       WHERE l.removed_from_source = 0 OR i.type = 'registration_id'
       ORDER BY i.type, i.value, i.jurisdiction, l.number`,
    )
    .iterate()
  const groups = new Map<string, { reason: JoinReason; entityNumbers: Set<number> }>()
  for (const row of rows) {
    const reason = row.type === 'sec_cik' ? 'cik' : row.type
    const register =
      reason === 'registration_id' ? toRegister(row.jurisdiction, row.registration_authority, row.value) : ''
    if (register === null) continue
    const key = `${reason} ${register} ${row.value}`
    const group = groups.get(key) ?? { reason, entityNumbers: new Set() }
    groups.set(key, group)
    group.entityNumbers.add(row.entity_number)
  }
  return [...groups.values()]
    .filter(({ entityNumbers }) => entityNumbers.size > 1)
    .map(({ reason, entityNumbers }) => ({ reason, entityNumbers: [...entityNumbers] }))
}

function readSuccessorGroups(database: Sqlite): JoinGroup[] {
  const find = database
    .prepare<[Buffer], number>(`SELECT ${companyOf} FROM legal_entities l WHERE l.key = ?`)
    .pluck()
  return database
    .prepare<[], { entity_number: number; successor_key: string }>(
      `SELECT ${companyOf} AS entity_number, successor_key FROM legal_entities l
       WHERE successor_key IS NOT NULL AND removed_from_source = 0`,
    )
    .all()
    .flatMap(({ entity_number, successor_key }) => {
      const successor = find.get(toStoredKey('le_', deriveId('le_', successor_key)))
      if (successor === undefined || successor === entity_number) return []
      return [{ reason: 'successor' as const, entityNumbers: [entity_number, successor] }]
    })
}

/** A foreign branch is a part of its company with a separate registration. */
function readBranchGroups(database: Sqlite): JoinGroup[] {
  return database
    .prepare<[], { child: number; parent: number }>(
      `SELECT coalesce(c.joined_from_number, c.entity_number) AS child,
         coalesce(p.joined_from_number, p.entity_number) AS parent FROM relationships r
       JOIN legal_entities c ON c.number = r.child_number
       JOIN legal_entities p ON p.number = r.parent_number
       WHERE r.type = 'IS_INTERNATIONAL_BRANCH_OF' AND r.to_date IS NULL
         AND c.removed_from_source = 0 AND p.removed_from_source = 0`,
    )
    .all()
    .filter(({ child, parent }) => child !== parent)
    .map(({ child, parent }) => ({ reason: 'branch', entityNumbers: [child, parent] }))
}

/** Registrations joined into one company, and pairs of the same name kept apart, with the reasons. */
export interface LinkageReport {
  /** Merged companies by reason, the most frequent reason first. */
  readonly joined: readonly JoinedGroup[]
  /** Pairs of registrations of two sources whose names have one core, the most frequent reason first. */
  readonly apart: readonly ApartGroup[]
}

interface JoinedGroup {
  readonly reason: JoinReason | 'name'
  readonly count: number
  readonly examples: readonly JoinExample[]
}

interface JoinExample {
  /** The id that leads to `into`. */
  readonly entityId: string
  readonly into: string
  readonly legalName: string
  /** Only for a join by name. */
  readonly evidence: NameEvidence | null
}

interface ApartGroup {
  readonly reason: LinkReason
  readonly count: number
  readonly examples: readonly NameEvidence[]
}

/** Per reason; all pairs are counted. */
const examplesMax = 20

/** Compares all pairs of one name again, which takes seconds for a registry of millions. */
export function buildLinkageReport(database: Sqlite, getWeight: WordWeight): LinkageReport {
  return { joined: readJoined(database), apart: countApart(database, getWeight) }
}

interface ExampleRow {
  id: string
  into_id: string
  legal_name: string
  evidence_json: string | null
}

function readJoined(database: Sqlite): JoinedGroup[] {
  const examples = database.prepare<[string], ExampleRow>(
    `SELECT e.id, i.id AS into_id, m.evidence_json,
       (SELECT l.legal_name FROM legal_entities l WHERE l.entity_number = i.number ORDER BY l.number LIMIT 1)
         AS legal_name
     FROM entity_merges m JOIN entities e ON e.number = m.entity_number JOIN entities i ON i.number = m.into_number
     WHERE m.reason = ? ORDER BY m.entity_number LIMIT ${examplesMax}`,
  )
  return database
    .prepare<[], { reason: JoinedGroup['reason']; count: number }>(
      'SELECT reason, count(*) AS count FROM entity_merges GROUP BY reason ORDER BY count DESC, reason',
    )
    .all()
    .map(({ reason, count }) => ({ reason, count, examples: examples.all(reason).map(toJoinExample) }))
}

function toJoinExample({ id, into_id, legal_name, evidence_json }: ExampleRow): JoinExample {
  const evidence = evidence_json === null ? null : (JSON.parse(evidence_json) as NameEvidence)
  return { entityId: id, into: into_id, legalName: legal_name, evidence }
}

function countApart(database: Sqlite, getWeight: WordWeight): ApartGroup[] {
  const byReason = new Map<LinkReason, { count: number; examples: NameEvidence[] }>()
  for (const { pair, apart } of decidePairs(database, getWeight)) {
    if (apart === null) continue
    const known = byReason.get(apart) ?? { count: 0, examples: [] }
    byReason.set(apart, known)
    known.count++
    if (known.examples.length < examplesMax) known.examples.push(toNameEvidence(pair))
  }
  return [...byReason]
    .map(([reason, found]) => ({ reason, ...found }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
}

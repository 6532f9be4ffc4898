import type { Sqlite } from '../../platform/sqlite.js'
import { derivedId } from '../model/identifiers.js'
import { mergesOf, registerOf, type EntityMerge, type JoinGroup, type JoinReason } from './entity-clusters.js'

/**
 * Puts the registrations of one company together: see `mergesOf`. A company that is found to be another's
 * keeps its id, which leads there from now on; what was joined once stays joined, whatever later imports
 * say. The caller holds the transaction. Returns how many companies became part of another.
 */
export function joinRegistrations(database: Sqlite, importSequence: number): number {
  const groups = [...identifierGroups(database), ...successorGroups(database), ...branchGroups(database)]
  const leis = database
    .prepare<[number], string>(
      `SELECT i.value FROM legal_entities l JOIN identifiers i ON i.legal_entity_number = l.number
       WHERE l.entity_number = ? AND i.type = 'lei' AND l.removed_from_source = 0`,
    )
    .pluck()
  const merges = mergesOf(groups, (entityNumber) => leis.all(entityNumber))
  recordMerges(database, merges, importSequence)
  return merges.length
}

function recordMerges(database: Sqlite, merges: readonly EntityMerge[], importSequence: number): void {
  const lead = database.prepare(
    'UPDATE entities SET merged_into = (SELECT id FROM entities WHERE number = ?) WHERE number = ?',
  )
  const move = database.prepare('UPDATE legal_entities SET entity_number = ? WHERE entity_number = ?')
  const record = database.prepare('INSERT OR REPLACE INTO entity_merges VALUES (?, ?, ?, ?)')
  for (const { entityNumber, intoNumber, reason } of merges) {
    lead.run(intoNumber, entityNumber)
    move.run(intoNumber, entityNumber)
    record.run(entityNumber, intoNumber, reason, importSequence)
  }
}

interface SharedRow {
  type: 'lei' | 'cik' | 'sec_cik' | 'registration_id'
  value: string
  jurisdiction: string
  entity_number: number
  registration_authority: string | null
}

/** Identifiers that stand at registrations of more than one company. */
function identifierGroups(database: Sqlite): JoinGroup[] {
  const rows = database
    .prepare<[], SharedRow>(
      `WITH shared AS (
         SELECT type, value FROM identifiers WHERE type IN ('lei', 'cik', 'registration_id')
         GROUP BY type, value HAVING count(*) > 1
         UNION SELECT type, value FROM identifiers WHERE type = 'sec_cik'
         UNION SELECT 'cik', value FROM identifiers WHERE type = 'sec_cik'
       )
       SELECT i.type, i.value, i.jurisdiction, l.entity_number, l.registration_authority
       FROM shared s
       CROSS JOIN identifiers i ON i.type = s.type AND i.value = s.value
       CROSS JOIN legal_entities l ON l.number = i.legal_entity_number
       WHERE l.removed_from_source = 0`,
    )
    .iterate()
  const groups = new Map<string, { reason: JoinReason; entityNumbers: Set<number> }>()
  for (const row of rows) {
    const reason = row.type === 'sec_cik' ? 'cik' : row.type
    const register =
      reason === 'registration_id' ? registerOf(row.jurisdiction, row.registration_authority) : ''
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

function successorGroups(database: Sqlite): JoinGroup[] {
  const find = database
    .prepare<[string], number>('SELECT entity_number FROM legal_entities WHERE id = ?')
    .pluck()
  return database
    .prepare<[], { entity_number: number; successor_key: string }>(
      'SELECT entity_number, successor_key FROM legal_entities WHERE successor_key IS NOT NULL AND removed_from_source = 0',
    )
    .all()
    .flatMap(({ entity_number, successor_key }) => {
      const successor = find.get(derivedId('le_', successor_key))
      if (successor === undefined || successor === entity_number) return []
      return [{ reason: 'successor' as const, entityNumbers: [entity_number, successor] }]
    })
}

/** A branch abroad is a part of its company, with a registration of its own. */
function branchGroups(database: Sqlite): JoinGroup[] {
  return database
    .prepare<[], { child: number; parent: number }>(
      `SELECT c.entity_number AS child, p.entity_number AS parent FROM relationships r
       JOIN legal_entities c ON c.number = r.child_number
       JOIN legal_entities p ON p.number = r.parent_number
       WHERE r.type = 'IS_INTERNATIONAL_BRANCH_OF' AND r.to_date IS NULL
         AND c.removed_from_source = 0 AND p.removed_from_source = 0 AND c.entity_number <> p.entity_number`,
    )
    .all()
    .map(({ child, parent }) => ({ reason: 'branch', entityNumbers: [child, parent] }))
}

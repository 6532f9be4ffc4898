import type { Sqlite } from '../../platform/sqlite.js'
import type { WordWeight } from './compare-rows.js'
import type { JoinReason } from './entity-clusters.js'
import { decidePairs, toNameEvidence, type LinkReason, type NameEvidence } from './join-by-name.js'

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

import { prepare, type Sqlite } from '../../platform/sqlite.js'
import { type KeptDecision, type Verdict, candidatesMax, type Candidate } from '../../core/decisions.js'
import type { StoredDecision } from './decision-rules.js'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * Each step is applied once, in order; released steps never change. `decisions`: one row for every decision ever made;
 * it is current if neither withdrawn nor replaced. `service` is NULL if it applies to all. `candidates`: packed, by the
 * scope of a connection, `[]` if none were found.
 */
export const reviewMigrations = [
  `CREATE TABLE decisions (
     sequence INTEGER PRIMARY KEY AUTOINCREMENT,
     lookup BLOB NOT NULL,
     service TEXT,
     name TEXT NOT NULL,
     location TEXT,
     verdict TEXT NOT NULL,
     entity_id TEXT,
     entity_name TEXT,
     decided_by TEXT NOT NULL,
     decided_at_ms INTEGER NOT NULL,
     note TEXT,
     is_in_file INTEGER NOT NULL,
     is_withdrawn INTEGER NOT NULL DEFAULT 0,
     replaced_by INTEGER
   ) STRICT;
   CREATE INDEX decisions_of_lookups ON decisions (lookup, sequence);
   CREATE INDEX decisions_standing ON decisions (sequence) WHERE is_withdrawn = 0 AND replaced_by IS NULL;
   CREATE INDEX decisions_replaced ON decisions (replaced_by) WHERE replaced_by IS NOT NULL;
   CREATE TABLE candidates (
     scope TEXT NOT NULL,
     lookup BLOB NOT NULL,
     found BLOB NOT NULL,
     found_at_ms INTEGER NOT NULL,
     PRIMARY KEY (scope, lookup)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE changes (count INTEGER NOT NULL, decision_count INTEGER NOT NULL) STRICT;
   INSERT INTO changes VALUES (0, 0);`,
] as const

interface DecisionRow {
  readonly lookup: Buffer
  readonly service: string | null
  readonly name: string
  readonly location: string | null
  readonly verdict: Verdict
  readonly entity_id: string | null
  readonly entity_name: string | null
  readonly decided_by: string
  readonly decided_at_ms: number
  readonly note: string | null
  readonly is_in_file: number
}

export interface KeptRow extends DecisionRow {
  readonly sequence: number
  readonly is_withdrawn: number
  readonly replaced_by: number | null
}

export const toDecisionRow = (decision: StoredDecision): KeptRow => ({
  sequence: decision.sequence,
  lookup: Buffer.from(decision.lookup, 'hex'),
  service: decision.service,
  name: decision.name,
  location: decision.location,
  verdict: decision.verdict,
  entity_id: decision.entityId,
  entity_name: decision.entityName,
  decided_by: decision.decidedBy,
  decided_at_ms: decision.decidedAtMs,
  note: decision.note,
  is_in_file: decision.isInFile ? 1 : 0,
  is_withdrawn: decision.isWithdrawn ? 1 : 0,
  replaced_by: decision.replacedBy,
})

export const toStoredDecision = (row: KeptRow): StoredDecision => ({
  ...toKeptDecision(row),
  isWithdrawn: row.is_withdrawn === 1,
  replacedBy: row.replaced_by,
})

export const toKeptDecision = (row: KeptRow): KeptDecision => ({
  sequence: row.sequence,
  isInFile: row.is_in_file === 1,
  lookup: row.lookup.toString('hex'),
  name: row.name,
  location: row.location,
  verdict: row.verdict,
  entityId: row.entity_id,
  entityName: row.entity_name,
  decidedBy: row.decided_by,
  decidedAtMs: row.decided_at_ms,
  note: row.note,
  service: row.service,
})

const stands = 'is_withdrawn = 0 AND replaced_by IS NULL'
const ofService = '(service = @service OR service IS NULL)'

export function prepareReviewQueries(database: Sqlite) {
  return {
    standing: prepare<{ service: string }, KeptRow>(
      database,
      `SELECT * FROM decisions WHERE ${stands} AND ${ofService} ORDER BY sequence`,
    ),
    newest: prepare<{ service: string; count: number }, KeptRow>(
      database,
      `SELECT * FROM decisions WHERE ${stands} AND ${ofService} ORDER BY sequence DESC LIMIT @count`,
    ),
    leaving: prepare<{ service: string }, KeptRow>(
      database,
      `SELECT * FROM decisions
       WHERE is_in_file = 1 AND NOT (${stands}) AND ${ofService} ORDER BY sequence`,
    ),
    ofLookup: prepare<[Uint8Array], KeptRow>(
      database,
      'SELECT * FROM decisions WHERE lookup = ? ORDER BY sequence',
    ),
    lookupOf: prepare<[number], Buffer>(
      database,
      'SELECT lookup FROM decisions WHERE sequence = ?',
    ).pluck() as { get(sequence: number): Buffer | undefined },
    lastSequence: prepare<[], number>(
      database,
      `SELECT seq FROM sqlite_sequence WHERE name = 'decisions'`,
    ).pluck() as { get(): number | undefined },
    write: prepare<KeptRow>(
      database,
      `INSERT OR REPLACE INTO decisions (sequence, lookup, service, name, location, verdict, entity_id, entity_name,
         decided_by, decided_at_ms, note, is_in_file, is_withdrawn, replaced_by)
       VALUES (@sequence, @lookup, @service, @name, @location, @verdict, @entity_id, @entity_name, @decided_by,
         @decided_at_ms, @note, @is_in_file, @is_withdrawn, @replaced_by)`,
    ),
    mark: prepare<{ sequence: number; isInFile: 0 | 1 }>(
      database,
      'UPDATE decisions SET is_in_file = @isInFile WHERE sequence = @sequence',
    ),
    candidates: prepare<[string, Uint8Array], Buffer>(
      database,
      'SELECT found FROM candidates WHERE scope = ? AND lookup = ?',
    ).pluck() as { get(scope: string, lookup: Uint8Array): Buffer | undefined },
    haveCandidates: prepare<[string, Uint8Array], object>(
      database,
      'SELECT 1 FROM candidates WHERE scope = ? AND lookup = ?',
    ),
    anyCandidates: prepare<[string], object>(database, 'SELECT 1 FROM candidates WHERE scope = ? LIMIT 1'),
    nextScope: prepare<[string], string | null>(
      database,
      'SELECT min(scope) FROM candidates WHERE scope > ?',
    ).pluck() as { get(scope: string): string | null | undefined },
    foundSince: prepare<[string, number], object>(
      database,
      'SELECT 1 FROM candidates WHERE scope = ? AND found_at_ms >= ? LIMIT 1',
    ),
    forgetCandidates: prepare<{ scope: string; countMax: number }>(
      database,
      `DELETE FROM candidates WHERE scope = @scope
       AND lookup IN (SELECT lookup FROM candidates WHERE scope = @scope LIMIT @countMax)`,
    ),
    keepCandidates: prepare<[string, Uint8Array, Uint8Array, number]>(
      database,
      'INSERT OR REPLACE INTO candidates (scope, lookup, found, found_at_ms) VALUES (?, ?, ?, ?)',
    ),
    decisionVersion: prepare<[], number>(database, 'SELECT decision_count FROM changes').pluck() as {
      get(): number | undefined
    },
    setDecisionVersion: prepare<[number]>(
      database,
      'UPDATE changes SET count = count + 1, decision_count = ?',
    ),
    count: prepare<{ isOfDecisions: 0 | 1 }>(
      database,
      'UPDATE changes SET count = count + 1, decision_count = decision_count + @isOfDecisions',
    ),
  }
}

/** Common parts of candidates, the most frequent last. Part of the data format, so it never changes. */
const dictionary = Buffer.from(
  [
    '[{"entityId":null,"legalEntityId":"le_","name":null,"legalName":null,"otherNames":[],"status":"inactive","place":null,"countryCode":null,"jurisdiction":null,"identifiers":[],"confidence":null,"evidence":[{"label":"for it","text":"The name is that of ","weight":null},{"label":"against it","text":"","weight":null},{"label":"identifier","text":"it bears LEI ","weight":null}',
    ',{"label":"brackets","text":"what stands in brackets may tell another company of that name","weight":-4',
    '},{"label":"context","text":"a word of the context is known of it","weight":1},{"label":"other registers","text":"","weight":0.',
    '},{"label":"kind of body","text":"not registered as a company (fund, ","weight":-0.308},{"label":"status","text":"not active (inactive)","weight":-1.5',
    '},{"label":"numbers","text":"the two names bear different numbers","weight":-',
    '},{"label":"spelling","text":"spelled otherwise: \\"","weight":-1.118},{"label":"kind of name","text":"a former name of ","weight":-0.687},{"label":"kind of name","text":"another name of ","weight":-2.379',
    '},{"label":"listed","text":"its shares are traded","weight":1.498},{"label":"known to registers","text":"registers state its LEI and its industry","weight":0.223',
    '},{"label":"legal form","text":"another legal form: \\"ltd\\", asked for \\"inc\\"","weight":-1.77},{"label":"legal form","text":"the same legal form: \\"ltd\\"","weight":0.636},{"label":"legal form","text":"its name states no legal form","weight":-',
    '},{"label":"place","text":"another country: United Kingdom","weight":-},{"label":"place","text":"another region: ","weight":0.44},{"label":"place","text":"nothing known of its place agrees; no town of it is known","weight":-1.892},{"label":"place","text":"the same region; it is in ","weight":-0.345},{"label":"place","text":"the same country: United States","weight":0.609},{"label":"place","text":"the same town: ","weight":1.622',
    '}],"url":"https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany&CIK=000"},{"url":"https://search.gleif.org/#/record/"},{"url":"https://find-and-update.company-information.service.gov.uk/company/0"},',
    '{"entityId":"siq_","legalEntityId":"le_","name":"","legalName":" Limited","otherNames":["\',"],"status":"active","place":", United Kingdom","countryCode":"US","jurisdiction":"us_de","identifiers":[{"type":"ticker","value":""},{"type":"ein","value":""},{"type":"lei","value":""},{"type":"cik","value":"000"},{"type":"registration_id","value":""}],"confidence":',
    ',"evidence":[{"label":"name","text":"the name is the beginning of \\"","weight":-0.105},{"label":"name","text":"the name begins with \\"","weight":-0.021},{"label":"name","text":"the name is that of \\"","weight":1.207},{"label":"name","text":"the name is close to \\"","weight":-1.828',
    '},{"label":"words left over","text":"its name has \\", not asked for; \\" was asked for, which its name lacks","weight":-',
    '},{"label":"rare words","text":"only everyday words are in common; the rarest, \\"","weight":0.},{"label":"rare words","text":"the rarest word in common, \\"\\", is in 1 name of the registry","weight":4.',
    '},{"label":"others of the name","text":"no other company found bears this name; no other company\'s name has \\"","weight":3.315},{"label":"others of the name","text":"names of 2 companies begin so","weight":-0.',
    '},{"label":"other candidates","text":"\\" and others may be meant as well","weight":-},{"label":"other candidates","text":"\\" is likelier","weight":-',
    '},{"label":"start","text":"where the model starts for a text like this one, before it compares companies","weight":-0.',
  ].join(''),
)

/** Size limit of an unpacked list, in bytes. */
const textBytesMax = 16 * 1024 * 1024

/** Packs candidates for storage as deflated JSON; an empty list, the most frequent case, takes no bytes. */
export function packCandidates(candidates: readonly Candidate[]): Uint8Array {
  if (candidates.length === 0) return new Uint8Array()
  return deflateRawSync(JSON.stringify(candidates.slice(0, candidatesMax)), { level: 1, dictionary })
}

/** Returns `null` for damaged data: candidates can be fetched again. */
export function unpackCandidates(packed: Uint8Array): readonly Candidate[] | null {
  if (packed.length === 0) return []
  try {
    const text = inflateRawSync(packed, { dictionary, maxOutputLength: textBytesMax }).toString('utf8')
    return JSON.parse(text) as readonly Candidate[]
  } catch {
    return null
  }
}

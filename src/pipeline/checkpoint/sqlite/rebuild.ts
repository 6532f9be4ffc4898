import type { FoundHead } from '../../figures/checkpoint-standing.js'
import { copyHistory } from './history-proof.js'
import { parseCustomId, type SubmissionName } from '../lookup-key.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { calculateNextChain } from '../tables.js'
import {
  insertRow,
  isSound,
  scanReadableRows,
  readValidAnswer,
  stateByVerdict,
  tryRead,
  type RebuildResult,
  type Row,
} from './salvage.js'

const reason = 'what was known of it was damaged'

/** Copies intact rows to a new file. Derives damaged ones from intact submissions, or marks them uncertain. */
export class Rebuilder {
  readonly #from: Sqlite
  readonly #to: Sqlite
  readonly #found: FoundHead
  /** Damaged rows by their former id. */
  readonly #damagedLookups: Row[] = []
  readonly #uncertain = new Set<number>()
  readonly #fetchedAgain = new Set<number>()
  /** Lookups that a damaged index had duplicated: maps the dropped id to the kept one. */
  readonly #keptAs = new Map<number, number>()
  #checkpointId = ''
  #submissionsSeen = 0
  #lost = 0

  constructor(from: Sqlite, to: Sqlite, found: FoundHead) {
    this.#from = from
    this.#to = to
    this.#found = found
  }

  rebuild(): RebuildResult {
    return this.#to.transaction(() => {
      const own = this.#copyOwnRow()
      this.#copyScopes()
      this.#copyJobs()
      this.#copyLookups()
      this.#copySubmissions()
      this.#restoreSubmissions()
      const known = this.#found.kind === 'found' ? this.#found.head.submissionCount : 0
      this.#lost = Math.max(known, this.#submissionsSeen) - this.#count('submissions')
      this.#deriveLookups()
      this.#copyAnswers()
      linkSubmissions(this.#to)
      copyHistory(this.#from, this.#to)
      return {
        ...own,
        lookupCount: this.#count('lookups'),
        submissionCount: this.#count('submissions'),
        answerCount: this.#count('answers'),
        uncertain: this.#readNames(this.#uncertain),
        fetchedAgain: this.#readNames(this.#fetchedAgain),
        lostSubmissionCount: this.#lost,
      }
    })()
  }

  #copyOwnRow(): Pick<RebuildResult, 'checkpointId' | 'generation' | 'sequence' | 'hadHead'> {
    const [row] = scanReadableRows(this.#from, 'checkpoint', 1)
    const head = this.#found.kind === 'found' ? this.#found.head : null
    const sound = row !== undefined && isSound('checkpoint', row) ? row : null
    this.#checkpointId =
      (sound?.['id'] as string | undefined) ?? head?.checkpointId ?? this.#findIdInSubmissions()
    const own = {
      checkpointId: this.#checkpointId,
      generation: Math.max((sound?.['generation'] as number | undefined) ?? 0, head?.generation ?? 0),
      sequence: Math.max((sound?.['sequence'] as number | undefined) ?? 0, head?.sequence ?? 0),
      hadHead: sound === null || sound['had_head'] === 1,
    }
    this.#to
      .prepare(
        'INSERT INTO checkpoint (id, created_at_ms, generation, sequence, had_head) VALUES (?, ?, ?, ?, ?)',
      )
      .run(own.checkpointId, sound?.['created_at_ms'] ?? 0, own.generation, own.sequence, Number(own.hadHead))
    return own
  }

  #findIdInSubmissions(): string {
    for (const row of scanReadableRows(this.#from, 'submissions', 0)) {
      const name = isSound('submissions', row) ? parseCustomId(String(row['custom_id'])) : null
      if (name !== null) return name.checkpointId
    }
    return 'lost'
  }

  #copyScopes(): void {
    const insert = this.#to.prepare('INSERT OR IGNORE INTO scopes (scope_id, scope) VALUES (?, ?)')
    // The index repeats the text. A damaged index may have caused a scope to be created twice: the first counts,
    // because nothing is submitted before the damage is found.
    const indexed = tryRead(() =>
      this.#from
        .prepare<[], Row>(
          'SELECT scope_id AS position, scope_id, scope FROM scopes INDEXED BY sqlite_autoindex_scopes_1',
        )
        .all(),
    )
    for (const row of scanReadableRows(this.#from, 'scopes', 100)) {
      const other = indexed?.find(({ position }) => position === row.position)
      const sound = [row, { ...row, scope: other?.['scope'] }].find((one) => isSound('scopes', one))
      if (sound !== undefined) insert.run(sound['scope_id'], sound['scope'])
    }
  }

  #copyJobs(): void {
    for (const row of scanReadableRows(this.#from, 'jobs', 1_000)) {
      if (isSound('jobs', row) && this.#has('scopes', row['scope_id'])) insertRow(this.#to, 'jobs', row)
    }
  }

  #copyLookups(): void {
    for (const row of scanReadableRows(this.#from, 'lookups', this.#readLookupMax())) {
      if (!isSound('lookups', row)) this.#damagedLookups.push(row)
      else if (this.#has('scopes', row['scope_id'])) this.#keepLookup(row)
    }
  }

  #readLookupMax(): number {
    const readMax = (table: string) =>
      tryRead(() =>
        this.#from.prepare<[], number | null>(`SELECT max(lookup_id) FROM ${table}`).pluck().get(),
      ) ?? 0
    return Math.max(readMax('submissions'), readMax('answers'))
  }

  /** Keeps one lookup per scope and key: of two, the one with more attempts. */
  #keepLookup(row: Row): void {
    const other = this.#findId(row['scope_id'] as number, row['key'] as Buffer)
    if (other === null) {
      insertRow(this.#to, 'lookups', row)
      return
    }
    const attemptOfOther = this.#to
      .prepare<[number], number>('SELECT attempt FROM lookups WHERE lookup_id = ?')
      .pluck()
      .get(other)
    const isBetter = (row['attempt'] as number) > (attemptOfOther ?? 0)
    if (isBetter) {
      this.#to.prepare('DELETE FROM lookups WHERE lookup_id = ?').run(other)
      insertRow(this.#to, 'lookups', row)
    }
    this.#keptAs.set(isBetter ? other : row.position, isBetter ? row.position : other)
  }

  #copySubmissions(): void {
    const upTo = this.#found.kind === 'found' ? this.#found.head.submissionCount : 0
    for (const row of scanReadableRows(this.#from, 'submissions', upTo)) {
      this.#submissionsSeen = Math.max(this.#submissionsSeen, row.position)
      const name = parseCustomId(String(row['custom_id']))
      if (name?.checkpointId !== this.#checkpointId || !this.#has('scopes', name.scopeId)) continue
      const isWhole = isSound('submissions', row)
      const intendedAtMs = Number(row['intended_at_ms'])
      const lookupId = this.#findOrRestoreLookup(name)
      if (!isWhole) this.#uncertain.add(lookupId)
      const jobId = this.#ensureJob(isWhole ? Number(row['job_id']) : 0, name.scopeId)
      insertRow(this.#to, 'submissions', {
        ...(isWhole
          ? row
          : {
              custom_id: row['custom_id'],
              verdict: 'uncertain',
              run_id: null,
              reason,
              accepted_at_ms: null,
            }),
        position: this.#nextPosition(),
        attempt: name.attempt,
        intended_at_ms: Number.isSafeInteger(intendedAtMs) ? intendedAtMs : 0,
        lookup_id: lookupId,
        job_id: jobId,
        chain: '',
      })
    }
  }

  /** The chain has no gaps. */
  #nextPosition(): number {
    const last = this.#to.prepare<[], number | null>('SELECT max(rowid) FROM submissions').pluck().get()
    return (last ?? 0) + 1
  }

  /** Restores lost submissions from intact lookups, which name their last submission. */
  #restoreSubmissions(): void {
    const rows = this.#to
      .prepare<[], Row>(
        `SELECT l.lookup_id AS position, l.* FROM lookups l LEFT JOIN submissions s ON s.custom_id = l.custom_id
         WHERE l.custom_id IS NOT NULL AND s.custom_id IS NULL`,
      )
      .all()
    for (const row of rows) {
      const state = String(row['state'])
      insertRow(this.#to, 'submissions', {
        position: this.#nextPosition(),
        custom_id: row['custom_id'],
        lookup_id: row.position,
        job_id: this.#ensureJob(0, Number(row['scope_id'])),
        attempt: row['attempt'],
        verdict: row['run_id'] !== null ? 'accepted' : state === 'invalid' ? 'rejected' : 'uncertain',
        run_id: row['run_id'],
        reason: row['failure'],
        intended_at_ms: row['submitted_at_ms'] ?? 0,
        accepted_at_ms: row['submitted_at_ms'],
        chain: '',
      })
    }
  }

  /** Returns the lookup of a submission; restores a lost one, under the id of its damaged row if possible. */
  #findOrRestoreLookup(name: SubmissionName): number {
    const key = Buffer.from(name.keyHex, 'hex')
    const known = this.#findId(name.scopeId, key)
    if (known !== null) return known
    const damaged = this.#damagedLookups.find((row) => Buffer.isBuffer(row['key']) && row['key'].equals(key))
    const insert = this.#to.prepare(
      `INSERT INTO lookups (lookup_id, scope_id, key, name, location, context) VALUES (?, ?, ?, '', NULL, NULL)`,
    )
    const free = damaged === undefined || this.#has('lookups', damaged.position) ? null : damaged.position
    const id = Number(insert.run(free, name.scopeId, key).lastInsertRowid)
    this.#fetchedAgain.add(id)
    return id
  }

  #ensureJob(jobId: number, scopeId: number): number {
    if (this.#has('jobs', jobId)) return jobId
    const insert = this.#to.prepare(
      `INSERT INTO jobs (job_id, scope_id, input, started_at_ms, ended_at_ms) VALUES (?, ?, '', 0, 0)`,
    )
    return Number(insert.run(jobId > 0 ? jobId : null, scopeId).lastInsertRowid)
  }

  /** Derives lookups that were restored, or have a damaged submission, from their last submission. */
  #deriveLookups(): void {
    const last = this.#to.prepare<[number], Row>(
      'SELECT rowid AS position, * FROM submissions WHERE lookup_id = ? ORDER BY attempt DESC, rowid DESC LIMIT 1',
    )
    const write = this.#to.prepare(
      `UPDATE lookups SET state = ?, attempt = max(attempt, ?), custom_id = ?, run_id = ?, failure = ?,
         submitted_at_ms = ? WHERE lookup_id = ?`,
    )
    const restored = new Set([...this.#fetchedAgain, ...this.#uncertain])
    this.#fetchedAgain.clear()
    this.#uncertain.clear()
    for (const id of restored) {
      const submission = last.get(id)
      if (submission === undefined) continue
      // A lost submission may be a later one of this lookup.
      const state =
        this.#lost > 0 ? 'uncertain' : (stateByVerdict[String(submission['verdict'])] ?? 'uncertain')
      write.run(
        state,
        submission['attempt'],
        submission['custom_id'],
        state === 'running' ? submission['run_id'] : null,
        state === 'running' || state === 'new' ? null : (submission['reason'] ?? reason),
        submission['accepted_at_ms'],
        id,
      )
      if (state === 'uncertain') this.#uncertain.add(id)
      if (state === 'running') this.#fetchedAgain.add(id)
    }
  }

  #copyAnswers(): void {
    const lookup = this.#to.prepare<[number], { key: Buffer; state: string; runId: string | null }>(
      'SELECT key, state, run_id AS runId FROM lookups WHERE lookup_id = ?',
    )
    const settle = this.#to.prepare('UPDATE lookups SET state = ?, answered_at_ms = ? WHERE lookup_id = ?')
    for (const row of scanReadableRows(this.#from, 'answers', this.#readLookupMax())) {
      const id = this.#keptAs.get(row.position) ?? row.position
      const owner = lookup.get(id)
      const answer = owner === undefined ? null : readValidAnswer(row, owner.key)
      if (owner === undefined || answer === null) continue
      insertRow(this.#to, 'answers', { ...answer, lookup_id: id })
      if (owner.state !== 'running' || owner.runId !== row['run_id']) continue
      settle.run(row['outcome'] === 'failed' ? 'failed' : 'answered', row['answered_at_ms'], id)
      this.#fetchedAgain.delete(id)
    }
    const without = this.#to
      .prepare<[], { id: number; runId: string | null }>(
        `SELECT lookup_id AS id, run_id AS runId FROM lookups
         WHERE state IN ('answered', 'failed') AND lookup_id NOT IN (SELECT lookup_id FROM answers)`,
      )
      .all()
    const ask = this.#to.prepare('UPDATE lookups SET state = ?, failure = ? WHERE lookup_id = ?')
    for (const { id, runId } of without) {
      ask.run(runId === null ? 'uncertain' : 'running', runId === null ? reason : null, id)
      ;(runId === null ? this.#uncertain : this.#fetchedAgain).add(id)
    }
  }

  #findId(scopeId: number, key: Buffer): number | null {
    const id = this.#to
      .prepare<[number, Buffer], number>('SELECT lookup_id FROM lookups WHERE scope_id = ? AND key = ?')
      .pluck()
      .get(scopeId, key)
    return id ?? null
  }

  #has(table: string, id: unknown): boolean {
    return this.#to.prepare(`SELECT 1 FROM ${table} WHERE rowid = ?`).get(id) !== undefined
  }

  #count(table: string): number {
    return this.#to.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
  }

  #readNames(ids: Iterable<number>): string[] {
    const name = this.#to
      .prepare<[number], string>(
        `SELECT coalesce(nullif(name, ''), custom_id, '') FROM lookups WHERE lookup_id = ?`,
      )
      .pluck()
    return [...ids].map((id) => name.get(id) ?? '')
  }
}

/** Recomputes the chain in the order of the submissions. */
function linkSubmissions(database: Sqlite): void {
  const page = database.prepare<
    [number],
    { position: number; customId: string; attempt: number; intendedAtMs: number }
  >(
    `SELECT rowid AS position, custom_id AS customId, attempt, intended_at_ms AS intendedAtMs
     FROM submissions WHERE rowid > ? ORDER BY rowid LIMIT 1000`,
  )
  const write = database.prepare<[string, number]>('UPDATE submissions SET chain = ? WHERE rowid = ?')
  let chain = ''
  for (let rows = page.all(-1); rows.length > 0; rows = page.all(rows.at(-1)?.position ?? 0)) {
    for (const row of rows) {
      chain = calculateNextChain(chain, row)
      write.run(chain, row.position)
    }
  }
}

import type { FoundHead } from '../checkpoint-standing.js'
import { copyHistory, insertRow, isSound, scanReadableRows, tryRead, type Row } from './history-proof.js'
import { parseCustomId, type SubmissionName } from '../lookup.js'
import type { Sqlite } from '../../../platform/sqlite.js'
import { canUnpack, type PackedAnswer } from '../packed-answer.js'
import { calculateAnswerChecksum, calculateNextChain } from '../tables.js'

export interface RebuildResult {
  checkpointId: string
  generation: number
  sequence: number
  hadHead: boolean
  lookupCount: number
  submissionCount: number
  answerCount: number
  /** Names of billed lookups without an answer, or custom ids: fetched again at no cost. */
  fetchedAgain: string[]
  /** Submissions known to be lost; their lookups are unknown. */
  lostSubmissionCount: number
}

/**
 * Copies the rows that match their checksums to a new file. A lookup that is lost is restored from its submission, and
 * an answer that is lost is fetched again. Submissions that are lost are only counted: the list of charges has them.
 */
export function rebuild(from: Sqlite, to: Sqlite, found: FoundHead): RebuildResult {
  return to.transaction(() => {
    const own = copyOwnRow(from, to, found)
    copyScopes(from, to)
    for (const table of ['jobs', 'lookups'] as const)
      for (const row of scanReadableRows(from, table)) if (isSound(table, row)) insertRow(to, table, row)
    const { submissionsSeen, restored } = copySubmissions(from, to, own.checkpointId)
    copyAnswers(from, to)
    copyHistory(from, to)
    const countRows = (table: string) =>
      to.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
    const submissionCount = countRows('submissions')
    const known = found.kind === 'found' ? found.head.submissionCount : 0
    return {
      ...own,
      lookupCount: countRows('lookups'),
      submissionCount,
      answerCount: countRows('answers'),
      fetchedAgain: fetchAgain(to, restored),
      lostSubmissionCount: Math.max(known, submissionsSeen) - submissionCount,
    }
  })()
}

function copyOwnRow(
  from: Sqlite,
  to: Sqlite,
  found: FoundHead,
): Pick<RebuildResult, 'checkpointId' | 'generation' | 'sequence' | 'hadHead'> {
  const [row] = scanReadableRows(from, 'checkpoint')
  const sound = row !== undefined && isSound('checkpoint', row) ? row : null
  const head = found.kind === 'found' ? found.head : null
  const getMax = (name: 'generation' | 'sequence') =>
    Math.max((sound?.[name] as number | undefined) ?? 0, head?.[name] ?? 0)
  const own = {
    checkpointId: (sound?.['id'] as string | undefined) ?? head?.checkpointId ?? findIdInSubmissions(from),
    generation: getMax('generation'),
    sequence: getMax('sequence'),
    hadHead: sound === null || sound['had_head'] === 1,
  }
  to.prepare(
    'INSERT INTO checkpoint (id, created_at_ms, generation, sequence, had_head) VALUES (?, ?, ?, ?, ?)',
  ).run(own.checkpointId, sound?.['created_at_ms'] ?? 0, own.generation, own.sequence, Number(own.hadHead))
  return own
}

function findIdInSubmissions(from: Sqlite): string {
  for (const row of scanReadableRows(from, 'submissions')) {
    const name = isSound('submissions', row) ? parseCustomId(String(row['custom_id'])) : null
    if (name !== null) return name.checkpointId
  }
  return 'lost'
}

/** A damaged text is also in the index. Without its scope, the service of an answer is unknown. */
function copyScopes(from: Sqlite, to: Sqlite): void {
  const sql = 'SELECT scope_id, scope FROM scopes INDEXED BY sqlite_autoindex_scopes_1'
  const indexed = tryRead(() => from.prepare<[], { scope_id: number; scope: string }>(sql).all())
  for (const row of scanReadableRows(from, 'scopes')) {
    const scope = indexed?.find(({ scope_id: id }) => id === row.position)?.scope
    const sound = [row, { ...row, scope }].find((one) => isSound('scopes', one))
    if (sound !== undefined) insertRow(to, 'scopes', sound)
  }
}

/** Copies submissions whose scope is known, in their order. Returns the highest number of one, and restored lookups. */
function copySubmissions(
  from: Sqlite,
  to: Sqlite,
  checkpointId: string,
): { submissionsSeen: number; restored: Set<number> } {
  const restored = new Set<number>()
  let [submissionsSeen, count, chain] = [0, 0, '']
  for (const row of scanReadableRows(from, 'submissions')) {
    submissionsSeen = Math.max(submissionsSeen, row.position)
    const name = isSound('submissions', row) ? parseCustomId(String(row['custom_id'])) : null
    if (name?.checkpointId !== checkpointId) continue
    // The job, if it is lost: without its input, no run continues it.
    insertRow(to, 'jobs', {
      position: Number(row['job_id']),
      scope_id: name.scopeId,
      input: '',
      started_at_ms: 0,
      ended_at_ms: 0,
    })
    const lookupId = ensureLookup(to, row, name, restored)
    const next = calculateNextChain(chain, {
      customId: String(row['custom_id']),
      attempt: name.attempt,
      intendedAtMs: Number(row['intended_at_ms']),
    })
    if (lookupId === null) continue
    if (!insertRow(to, 'submissions', { ...row, position: count + 1, lookup_id: lookupId, chain: next }))
      continue
    count++
    chain = next
  }
  return { submissionsSeen, restored }
}

/** The lookup state that follows from a submission. */
const stateByVerdict: Readonly<Record<string, string>> = {
  accepted: 'running',
  not_created: 'new',
  rejected: 'invalid',
}

/** Returns the lookup of a submission, restored from it if it is lost or older; `null` if its scope is lost. */
function ensureLookup(to: Sqlite, row: Row, name: SubmissionName, restored: Set<number>): number | null {
  const key = Buffer.from(name.keyHex, 'hex')
  const find = to
    .prepare<[number, Buffer], number>('SELECT lookup_id FROM lookups WHERE scope_id = ? AND key = ?')
    .pluck()
  const position = Number(row['lookup_id'])
  insertRow(to, 'lookups', { position, scope_id: name.scopeId, key, name: '' })
  const id = find.get(name.scopeId, key)
  if (id === undefined) return null
  const state = stateByVerdict[String(row['verdict'])] ?? 'uncertain'
  const isRunning = state === 'running'
  const { changes } = to
    .prepare(
      `UPDATE lookups SET state = ?, attempt = ?, custom_id = ?, run_id = ?, failure = ?, submitted_at_ms = ?
       WHERE lookup_id = ? AND attempt < ?`,
    )
    .run(
      state,
      name.attempt,
      row['custom_id'],
      isRunning ? row['run_id'] : null,
      isRunning || state === 'new' ? null : row['reason'],
      row['accepted_at_ms'],
      id,
      name.attempt,
    )
  if (changes > 0) restored.add(id)
  return id
}

/** Copies intact answers. Lookups that were restored from their submission are answered again. */
function copyAnswers(from: Sqlite, to: Sqlite): void {
  const keyOf = to.prepare<[number], Buffer>('SELECT key FROM lookups WHERE lookup_id = ?').pluck()
  const settle = to.prepare(
    `UPDATE lookups SET state = iif(? = 'failed', 'failed', 'answered'), answered_at_ms = ?
     WHERE lookup_id = ? AND state = 'running' AND run_id = ?`,
  )
  for (const row of scanReadableRows(from, 'answers')) {
    const key = keyOf.get(row.position)
    const { checksum, packing, line_bytes: lineBytes, body_bytes: bodyBytes, packed } = row
    const isProven =
      key !== undefined && Buffer.isBuffer(checksum) && calculateAnswerChecksum(row, key).equals(checksum)
    if (!isProven || !canUnpack({ packing, lineBytes, bodyBytes, packed } as PackedAnswer)) continue
    insertRow(to, 'answers', row)
    settle.run(row['outcome'], row['answered_at_ms'], row.position, row['run_id'])
  }
}

/** Lets the next run poll lookups whose answer is lost. Returns their names, and those of `restored` that run. */
function fetchAgain(to: Sqlite, restored: ReadonlySet<number>): string[] {
  const lost = to
    .prepare<[], number>(
      `UPDATE lookups SET state = 'running', failure = NULL
       WHERE state IN ('answered', 'failed') AND lookup_id NOT IN (SELECT lookup_id FROM answers)
       RETURNING lookup_id`,
    )
    .pluck()
    .all()
  const nameOf = to
    .prepare<[number], string>(
      `SELECT coalesce(nullif(name, ''), custom_id, '') FROM lookups WHERE lookup_id = ? AND state = 'running'`,
    )
    .pluck()
  return [...new Set([...lost, ...restored])].flatMap((id) => nameOf.get(id) ?? [])
}

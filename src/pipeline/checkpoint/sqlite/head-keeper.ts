import { judgeStanding, type DatabaseFacts, type FoundHead, type Standing } from '../checkpoint-standing.js'
import type { UserError } from '../../../core/errors.js'
import { prepare, type Sqlite } from '../../../platform/sqlite.js'
import { createHeadError } from '../checkpoint-errors.js'
import { readFacts, HeadFile, type HeadState } from './head-file.js'
import { schemaVersion } from './schema.js'
import type { LastSubmission } from './queries.js'

/** Options for opening a checkpoint to write, checked against its head file. */
export interface HeadDeps {
  path: string
  /** The user accepts that the checkpoint may be older than its head, or a copy. */
  acceptRollback?: boolean
  /** Whether submissions are billed; a copy of an unbilled checkpoint is accepted. */
  isBilled?: boolean
  notice?: (text: string) => void
}

/** Throws for an older or another checkpoint, billed or not; other differences may be harmless. */
export function assertNotBehind(standing: Standing, deps: HeadDeps): void {
  if (standing.kind !== 'behind' && standing.kind !== 'diverged') return
  if (deps.acceptRollback === true) return
  throw createHeadError(deps.path, standing) ?? new Error('no error for a mismatch with the head file')
}

/**
 * Maintains the head file next to an open checkpoint. If the checkpoint is a copy, or has no head, and the user has not
 * accepted that, writes no head, and `assertOwn` throws.
 */
export class HeadKeeper {
  readonly #database: Sqlite
  readonly #path: string
  readonly #last
  readonly #commit
  #facts: DatabaseFacts
  #head: HeadFile | null = null
  #refusal: UserError | null = null
  /**
   * Unbilled commits are not synced one by one; a head written with each would be ahead of the checkpoint after a power
   * failure. So it is written only at the start and at the end.
   */
  readonly #isLagging: boolean

  constructor(database: Sqlite, found: FoundHead, deps: HeadDeps) {
    const facts = readFacts(database, deps.path, found)
    if (facts === null) throw new Error('the checkpoint has no id')
    this.#database = database
    this.#path = deps.path
    this.#isLagging = deps.isBilled === false
    this.#facts = facts
    this.#last = prepare<[], LastSubmission>(
      database,
      `SELECT rowid AS submissionCount, chain, intended_at_ms AS submittedAtMs
       FROM submissions ORDER BY rowid DESC LIMIT 1`,
    )
    this.#commit = prepare<{ sequence: number }>(database, 'UPDATE checkpoint SET sequence = @sequence')
    const standing = judgeStanding(found, facts)
    if (standing.kind === 'ok') this.#begin(facts.generation, facts.sequence + 1)
    else this.#takeOver(standing, found, deps)
  }

  get generation(): number {
    return this.#facts.generation
  }

  /** The last statement of each transaction. */
  readonly beforeCommit = (): void => {
    this.#commit.run({ sequence: this.#facts.sequence + 1 })
  }

  /** Call before anything depends on the commit. */
  readonly afterCommit = (): void => {
    this.#facts.sequence++
    if (this.#isLagging) return
    try {
      this.#head?.write(this.#buildState())
    } catch (error) {
      // An outdated head protects less but is not wrong; billed submissions must be recorded even on a full disk.
      if (!/^(ENOSPC|EDQUOT)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }

  /** Throws CHECKPOINT_COPIED or CHECKPOINT_HEAD_MISSING: submissions of another copy would be billed again. */
  assertOwn(): void {
    if (this.#refusal !== null) throw this.#refusal
  }

  close(): void {
    if (this.#head === null) return
    if (this.#isLagging) this.#syncHead(this.#head)
    const closedHeadNs = this.#head.close()
    this.#head = null
    this.#database.prepare('UPDATE checkpoint SET closed_head_ns = ?').run(closedHeadNs)
  }

  /** Syncs all commits before writing the head. */
  #syncHead(head: HeadFile): void {
    this.#database.pragma('synchronous = FULL')
    this.beforeCommit()
    this.#facts.sequence++
    head.write(this.#buildState())
  }

  #takeOver(standing: Standing, found: FoundHead, deps: HeadDeps): void {
    const isAccepted = deps.acceptRollback === true
    if (!isAccepted && deps.isBilled !== false) {
      this.#refusal = createHeadError(this.#path, standing)
      return
    }
    const headSequence = found.kind === 'found' ? found.head.sequence : 0
    const headGeneration = found.kind === 'found' ? found.head.generation : 0
    this.#begin(
      Math.max(this.#facts.generation, headGeneration) + 1,
      Math.max(this.#facts.sequence, headSequence) + 1,
    )
    const why = createHeadError(this.#path, standing)?.message ?? ''
    deps.notice?.(
      `${isAccepted ? 'Continuing as requested' : 'Continuing because nothing is billed here'}: ${why}.`,
    )
  }

  /** Takes ownership of the head file, which must exist before the database records that it had one. */
  #begin(generation: number, sequence: number): void {
    const begin = (hadHead: 0 | 1) =>
      this.#database
        .prepare(
          `UPDATE checkpoint SET generation = ?, sequence = ?, had_head = max(had_head, ?), closed_head_ns = NULL`,
        )
        .run(generation, sequence, hadHead)
    begin(0)
    this.#facts = { ...this.#facts, generation, sequence }
    this.#head = new HeadFile(this.#path, this.#buildState(), !this.#isLagging)
    if (!this.#facts.hasHadHead) begin(1)
  }

  #buildState(): HeadState {
    const { checkpointId, generation, sequence, place } = this.#facts
    const last = this.#last.get()
    return {
      version: schemaVersion,
      checkpointId,
      generation,
      sequence,
      submissionCount: last?.submissionCount ?? 0,
      chain: last?.chain ?? '',
      submittedAtMs: last?.submittedAtMs ?? null,
      place,
    }
  }
}

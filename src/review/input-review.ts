import type { RowInspection, CheckpointReader } from '../pipeline/inspect-rows.js'
import { statSync } from 'node:fs'
import { UserError } from '../core/errors.js'
import { Proposals } from '../pipeline/decisions/decision-sync.js'
import type { Clock } from '../platform/clock.js'
import { toBareName } from '../registry/normalize/parsed-name.js'
import { AnswerScan, type DoubtPolicy, findFirst, listLookups } from './input-lookups.js'
import { Queue, type QueueEntry } from './queue.js'
import type { QueueCounts } from './session.js'
import { CurrentDecisions } from './current-decisions.js'
import { type ReviewBackend, CompanyRecords } from '../pipeline/open-review-backend.js'

type RowIndex = RowInspection['index']

export interface InputReviewDeps {
  readonly index: RowIndex
  /** Reads the input again; `null` if that is not possible. */
  readonly inspectAgain: (() => Promise<RowIndex>) | null
  readonly reader: CheckpointReader
  readonly checkpointPath: string
  readonly backend: ReviewBackend
  readonly decisionsPath: string
  /** The service's name in decisions. */
  readonly service: string
  readonly doubt: DoubtPolicy
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Minimum delay before an input is read again if the checkpoint lacks some of its lookups. */
const inspectionEveryMs = 5_000

const restPerInspection = 10

/** The first filter of the page, applied early because sorting takes time. */
const firstFilter = { view: 'open', statuses: [], text: '', sort: 'rows' } as const

/** Doubtful lookups and decisions of an input, from the checkpoint and the review store. */
export class InputReview {
  readonly queue = new Queue()
  readonly verdicts: CurrentDecisions
  readonly records: CompanyRecords
  readonly proposals: Proposals
  readonly #deps: InputReviewDeps
  readonly #assertSame: () => void
  #scan: AnswerScan
  #unknownRowCount: number
  #inspectAfterMs: number
  /** Whether the checkpoint changed since the input was read. */
  #mayKnowMore = false
  #seenVersion = -1
  #isRunGoingOn = false

  private constructor(deps: InputReviewDeps) {
    const { index, reader, clock, backend } = deps
    this.#deps = deps
    this.#assertSame = guardCheckpoint(deps.checkpointPath)
    const lookups = listLookups(index)
    this.#scan = new AnswerScan(lookups)
    this.#unknownRowCount = lookups.unknownRowCount
    this.#inspectAfterMs = clock.monotonicMs() + inspectionEveryMs
    this.records = new CompanyRecords(reader)
    this.proposals = new Proposals(deps.decisionsPath, deps.service)
    const { queue, records } = this
    this.verdicts = new CurrentDecisions({
      ...deps,
      queue,
      records,
      store: backend.store.decisions,
      isShared: backend.follow !== null,
      include: (id) => this.#scan.include(id, reader, queue),
    })
  }

  /** Resolves when the decisions file has all decisions in force. */
  static async open(deps: InputReviewDeps): Promise<InputReview> {
    const opened = new InputReview(deps)
    await opened.readNewAnswers()
    await opened.verdicts.synchronize()
    opened.queue.filter(firstFilter)
    return opened
  }

  get isRunGoingOn(): boolean {
    return this.#isRunGoingOn
  }

  readCounts(): QueueCounts {
    const { decidedBeforeCount, ...counts } = this.queue.counts()
    const [proposedCount, lookupCount] = [this.#countProposed(), this.#scan.lookupCount]
    const unansweredCount = this.#scan.unansweredCount - decidedBeforeCount
    return { ...counts, proposedCount, lookupCount, unansweredCount }
  }

  assertSame(): void {
    this.#assertSame()
  }

  /** `lookup` is a key in hexadecimal digits. Throws REVIEW_LOOKUP_UNKNOWN. */
  entry(lookup: string): QueueEntry {
    return (this.getEntries([lookup]) as [QueueEntry])[0]
  }

  /** Returns entries aligned with the lookups. Throws REVIEW_LOOKUP_UNKNOWN. */
  getEntries(lookups: readonly string[]): QueueEntry[] {
    return this.find(lookups).map((entry, at) => {
      if (entry !== null) return entry
      const message = `the input has no doubtful lookup ${lookups[at] ?? ''}`
      throw new UserError('REVIEW_LOOKUP_UNKNOWN', message, { hint: 'reload the page' })
    })
  }

  /** Returns entries aligned with the lookups; `null` if one is not in the queue. */
  find(lookups: readonly string[]): (QueueEntry | null)[] {
    return findFirst(this.#deps.reader, lookups).map((id) => this.queue.get(id))
  }

  /** Open lookups (up to `max`, most rows first) whose names differ only in form, case and punctuation. */
  findAlike(entry: QueueEntry, name: string, max: number): readonly QueueEntry[] {
    const { reader } = this.#deps
    const near = this.queue.findOpenByName(entry.nameHash).filter(({ id }) => id !== entry.id)
    const bare = toBareName(name)
    const asked = reader.readLookups(near.map(({ id }) => id))
    return near
      .filter((_, at) => toBareName(asked[at]?.name ?? '') === bare)
      .sort((one, other) => other.rowCount - one.rowCount)
      .slice(0, max)
  }

  /** Reads new answers. Throws REVIEW_CHECKPOINT_CHANGED. */
  async readNewAnswers(): Promise<void> {
    this.assertSame()
    const { reader, doubt, signal, backend } = this.#deps
    await backend.follow?.(reader, () => this.#scan.listUnanswered())
    const wasGoingOn = this.#isRunGoingOn
    this.#isRunGoingOn = await backend.isRunGoingOn()
    const isProposed = await this.proposals.refresh()
    if (isProposed || wasGoingOn !== this.#isRunGoingOn) this.queue.touch()
    const version = reader.read('version')
    const isChanged = version !== this.#seenVersion
    const mayRunAddMore = backend.follow !== null && this.#isRunGoingOn
    this.#mayKnowMore ||= this.#seenVersion !== -1 && (isChanged || mayRunAddMore)
    const isInspected = this.#mayKnowMore && (await this.#inspectAgain())
    if (!isChanged && !isInspected) return
    await this.#scan.scan(reader, this.queue, doubt, signal)
    if (this.#seenVersion !== -1) {
      await this.verdicts.fetchRecords()
      await this.verdicts.review()
    }
    this.#seenVersion = version
  }

  #countProposed(): number {
    const { lookups } = this.proposals
    const isOpen = (entry: QueueEntry | null, at: number) =>
      entry !== null && this.proposals.find(lookups[at] ?? '', entry.decision) !== null
    return this.find(lookups).filter(isOpen).length
  }

  /** A run that started after the input was read may have registered more lookups. Returns false if none are new. */
  async #inspectAgain(): Promise<boolean> {
    const { inspectAgain, clock } = this.#deps
    if (this.#unknownRowCount === 0 || inspectAgain === null) return false
    const beganMs = clock.monotonicMs()
    if (beganMs < this.#inspectAfterMs) return false
    const lookups = listLookups(await inspectAgain())
    const endedMs = clock.monotonicMs()
    this.#inspectAfterMs = endedMs + Math.max(inspectionEveryMs, restPerInspection * (endedMs - beganMs))
    this.#mayKnowMore = false
    if (lookups.unknownRowCount === this.#unknownRowCount) return false
    this.#unknownRowCount = lookups.unknownRowCount
    this.#scan = new AnswerScan(lookups)
    this.verdicts.findMissing()
    return true
  }
}

/**
 * Returns a function that throws REVIEW_CHECKPOINT_CHANGED if another file, or none, is at the path. Runs would then no
 * longer write to the open file. Writes, compaction and migration keep the file.
 */
function guardCheckpoint(path: string): () => void {
  const opened = readFileIdentity(path)
  return () => {
    const found = readFileIdentity(path)
    if (found === opened) return
    const what = found === null ? 'was deleted' : 'was replaced'
    throw new UserError(
      'REVIEW_CHECKPOINT_CHANGED',
      `the checkpoint ${path} ${what} while its review was open`,
      { hint: 'your decisions are safe: restore the checkpoint, or start enrich review again' },
    )
  }
}

/** Returns an identity of the file; `null` if it does not exist. */
function readFileIdentity(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

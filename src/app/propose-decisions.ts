import type { Settings } from '../config/settings.js'
import { UserError } from '../core/errors.js'
import type { Candidate } from '../pipeline/answers/candidate.js'
import { readStandingDecisions } from '../pipeline/decisions/decision-sync.js'
import { Proposals } from '../pipeline/decisions/proposals.js'
import { openReviewStoreToRead, type ReviewReader } from '../pipeline/decisions/review-store.js'
import { getDecisionService, type Decision, type Verdict } from '../pipeline/lookups/decision.js'
import { withAnswerFirst } from '../pipeline/answers/answer-candidate.js'
import type { CheckpointReader } from '../pipeline/checkpoint/checkpoint.js'
import type { RowIndex } from '../pipeline/input/row-index.js'
import { readQueueRows } from '../review/candidate-view.js'
import { CompanyRecords, toAnswerFacts } from '../review/company-records.js'
import { describeDoubt } from '../review/exchange/export-todo.js'
import { AnswerScan, findFirst, listLookups, type DoubtPolicy } from '../review/input-lookups.js'
import type { QueueRow } from '../review/page-data.js'
import { Queue } from '../review/queue.js'
import { chooseRegistry } from './choose-registry.js'
import { inspectInput, type InspectionDeps } from './inspect-input.js'
import { createDoubt } from './open-review.js'

/** An assistant's verdict on a doubtful lookup. */
export interface ProposedVerdict {
  readonly lookup: string
  readonly verdict: Verdict
  readonly entityId: string | null
  readonly note: string | null
}

/** Calls `use` with the doubtful lookups of an input. Reads only. Throws CHECKPOINT_NOT_FOUND and errors of the input. */
export function withDoubtfulRows<Result>(
  deps: Omit<InspectionDeps, 'onBatch'>,
  use: (rows: DoubtfulRows, proposals: Proposals) => Result | Promise<Result>,
): Promise<Result> {
  const { signal } = deps
  // The first decision creates the file.
  const settings = { ...deps.settings, decisions: { ...deps.settings.decisions, isNamed: false } }
  return inspectInput({ ...deps, settings }, async ({ reader, index, scope, checkpointPath }) => {
    if (reader === null) {
      throw new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${settings.checkpoint.path}`, {
        hint: 'run first: doubtful rows are those of its answers',
      })
    }
    const service = getDecisionService(settings.service.baseUrl)
    const { decisions } = settings
    const { byLookup } = await readStandingDecisions({ ...decisions, checkpointPath, service })
    const store = openReviewStoreToRead(checkpointPath)
    const proposals = new Proposals(decisions.path, service)
    const doubt = createDoubt(settings)
    try {
      const read = { index, reader, standing: byLookup, proposals, store, scope, doubt, signal }
      return await use(await DoubtfulRows.read(read), proposals)
    } finally {
      store?.close()
    }
  })
}

/**
 * Stores verdicts of an assistant as proposals, all or none. A company must be a candidate of its lookup, or in the
 * registry of the embedded service. Throws REVIEW_LOOKUP_UNKNOWN and REVIEW_CHOICE_INVALID.
 */
export function proposeDecisions(
  deps: Omit<InspectionDeps, 'onBatch'>,
  verdicts: readonly ProposedVerdict[],
  by: { readonly name: string; readonly nowMs: number },
): Promise<{ readonly proposals: readonly Decision[]; readonly path: string }> {
  return withDoubtfulRows(deps, async (rows, proposals) => {
    const { service } = deps.settings
    const found = rows.find(verdicts.map(({ lookup }) => lookup))
    const made = verdicts.map(({ lookup, verdict, entityId, note }) => {
      const row = found.get(lookup)
      if (row === undefined) throw createUnknownError(lookup)
      if ((verdict === 'accepted') !== (entityId !== null)) throw createIdError(row)
      const company = entityId === null ? null : findCompany(row, entityId, deps.settings)
      return {
        lookup,
        name: row.name,
        location: row.location,
        verdict,
        entityId,
        entityName: company?.legalName ?? company?.name ?? null,
        decidedBy: `assistant: ${by.name}`,
        decidedAtMs: by.nowMs,
        note,
        service: getDecisionService(service.baseUrl),
      }
    })
    await proposals.add(made)
    return { proposals: made, path: proposals.path }
  })
}

/** A hosted service is not asked, because reading a record may be billed. */
function findCompany(row: DoubtfulRow, id: string, { service }: Settings): Candidate {
  const shown = row.candidates.find(({ entityId }) => entityId === id)
  const company = shown ?? (service.baseUrl === null ? readCompany(id, service.registryPath) : null)
  if (company?.entityId === id) return company
  throw new UserError('REVIEW_CHOICE_INVALID', `${id} is not among the candidates of ${row.name}`, {
    hint: 'propose one of its candidates or none; nothing was stored',
  })
}

function readCompany(entityId: string, registryPath: string | null): Candidate | null {
  const { registry } = chooseRegistry(registryPath)
  try {
    return registry.company(entityId)
  } finally {
    registry.close()
  }
}

const createUnknownError = (lookup: string): UserError =>
  new UserError('REVIEW_LOOKUP_UNKNOWN', `the input has no open doubtful lookup ${lookup}`, {
    hint: 'doubtful_rows lists them; nothing was stored',
  })

const createIdError = ({ name }: DoubtfulRow): UserError =>
  new UserError('REVIEW_CHOICE_INVALID', `the verdict on ${name} does not fit its company`, {
    hint: 'accepted needs an entity_id, none has no entity_id; nothing was stored',
  })

interface DoubtfulRowsDeps {
  readonly index: RowIndex
  readonly reader: CheckpointReader
  /** Decisions in force by lookup. */
  readonly standing: ReadonlyMap<string, Decision>
  readonly proposals: Proposals
  /** `null` without a review store. */
  readonly store: Pick<ReviewReader, 'candidates'> | null
  /** The connection that returned the candidates. */
  readonly scope: string
  readonly doubt: DoubtPolicy
  readonly signal: AbortSignal
}

interface DoubtfulRow extends QueueRow {
  /** The reason for the doubt, in sentences. */
  readonly why: string
  /** Stored candidates, the most likely first. */
  readonly candidates: readonly Candidate[]
}

/** The queue of a review, read without a session: nothing is requested and nothing is written. */
class DoubtfulRows {
  readonly #deps: DoubtfulRowsDeps
  readonly #queue = new Queue()

  private constructor(deps: DoubtfulRowsDeps) {
    this.#deps = deps
  }

  static async read(deps: DoubtfulRowsDeps): Promise<DoubtfulRows> {
    const read = new DoubtfulRows(deps)
    const { index, reader, standing, doubt, signal, proposals } = deps
    await proposals.refresh()
    const scan = new AnswerScan(listLookups(index))
    await scan.scan(reader, read.#queue, doubt, signal)
    const records = new CompanyRecords(reader)
    const ids = findFirst(reader, [...standing.keys()])
    for (const [at, decision] of [...standing.values()].entries()) {
      const id = ids[at] ?? 0
      const isKnown = id !== 0 && (read.#queue.getPlace(id) !== null || scan.include(id, reader, read.#queue))
      if (!isKnown) continue
      const kept = { ...decision, sequence: at + 1, isInFile: true }
      read.#queue.decide(id, kept, records.findDoubt(decision))
    }
    return read
  }

  /** Number of open lookups. */
  get openCount(): number {
    return this.#queue.counts().openCount
  }

  /** Returns open lookups in the order of the review page. */
  list(from: number, count: number): DoubtfulRow[] {
    return this.#toRows(this.#filterOpen().subarray(from, from + count))
  }

  /** Returns those of these lookups that are open, by key in hexadecimal digits. */
  find(lookups: readonly string[]): ReadonlyMap<string, DoubtfulRow> {
    const ids = findFirst(this.#deps.reader, lookups)
    const places = new Set(ids.map((id) => this.#queue.getPlace(id)))
    const open = this.#filterOpen().filter((place) => places.has(place))
    return new Map(this.#toRows(open).map((row) => [row.lookup, row]))
  }

  #filterOpen(): Uint32Array {
    return this.#queue.filter({ view: 'open', statuses: [], text: '', sort: 'rows' })
  }

  #toRows(places: Uint32Array): DoubtfulRow[] {
    const { reader, proposals, store, scope } = this.#deps
    return Array.from(places).flatMap((place) => {
      const entry = this.#queue.readEntry(place)
      const [answer = null] = reader.readAnswers([entry.id])
      const { factors, candidate } = toAnswerFacts(answer)
      return readQueueRows([entry], reader, proposals).map((row) => ({
        ...row,
        why: describeDoubt({ reason: row.reason, proposal: null }, factors),
        candidates: withAnswerFirst(candidate, store?.candidates(scope, [row.lookup])[0] ?? []),
      }))
    })
  }
}

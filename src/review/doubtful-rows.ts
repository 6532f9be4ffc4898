import type { RowInspection, CheckpointReader } from '../pipeline/inspect-rows.js'
import { withAnswerFirst, type Candidate, type Decision } from '../core/decisions.js'
import type { Proposals } from '../pipeline/decisions/decision-sync.js'
import {
  type ReviewCandidates,
  CompanyRecords,
  toAnswerFacts,
  type AnswerFacts,
} from '../pipeline/open-review-backend.js'
import { readQueueRows } from './candidate-view.js'
import { AnswerScan, createDoubtPolicy, findFirst, listLookups, type DoubtRule } from './input-lookups.js'
import type { QueueRow, ProposalView } from './page-data.js'
import { Queue } from './queue.js'

/** Describes the company of an own registry that the service contradicts. */
export function toContradiction(company: Candidate | null): AnswerFacts['factors'] {
  if (company === null) return []
  const { legalName, name, evidence } = company
  const text = `Another company is ${evidence[0]?.text ?? ''}: ${legalName ?? name ?? ''}.`
  return [{ type: null, text, impact: null }]
}

/** The reason for the doubt, and what an assistant proposed, in sentences. */
export function describeDoubt(
  { reason, proposal }: Pick<QueueRow, 'reason' | 'proposal'>,
  factors: readonly { readonly text: string }[],
): string {
  const parts = [
    ...(proposal === null ? [] : [describeProposal(proposal)]),
    ...(reason === null ? [] : [`Decided before: ${reason}`]),
    ...factors.map(({ text }) => text),
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function describeProposal({ verdict, entityId, entityName, decidedBy, note }: ProposalView): string {
  const name = entityName === null ? '' : `${entityName}, `
  const proposed = verdict === 'none' ? 'none' : `${name}${entityId ?? ''}`
  return `Proposed by an assistant (${decidedBy}): ${proposed}.${note === null ? '' : ` ${note}`}`
}

type RowIndex = RowInspection['index']

interface DoubtfulRowsDeps {
  readonly index: RowIndex
  readonly reader: CheckpointReader
  /** Decisions in force by lookup. */
  readonly standing: ReadonlyMap<string, Decision>
  readonly proposals: Proposals
  /** `null` without a review store. */
  readonly stored: Pick<ReviewCandidates, 'read'> | null
  /** The connection that returned the candidates. */
  readonly scope: string
  readonly doubt: DoubtRule
  readonly signal: AbortSignal
}

export interface DoubtfulRow extends QueueRow {
  /** The reason for the doubt, in sentences. */
  readonly why: string
  /** Stored candidates, the most likely first. */
  readonly candidates: readonly Candidate[]
}

/**
 * The queue of a review, read without a session: nothing is requested and nothing is written.
 *
 *     const rows = await DoubtfulRows.read({ index, reader, standing, proposals, stored, scope, doubt, signal })
 *     for (const { name, why, candidates } of rows.list(0, 20)) console.log(name, why, candidates.length)
 */
export class DoubtfulRows {
  readonly #deps: DoubtfulRowsDeps
  readonly #queue = new Queue()

  private constructor(deps: DoubtfulRowsDeps) {
    this.#deps = deps
  }

  static async read(deps: DoubtfulRowsDeps): Promise<DoubtfulRows> {
    const read = new DoubtfulRows(deps)
    const { index, reader, standing, signal, proposals } = deps
    const doubt = createDoubtPolicy(deps.doubt)
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
    const { reader, proposals, stored, scope } = this.#deps
    return Array.from(places).flatMap((place) => {
      const entry = this.#queue.readEntry(place)
      const [answer = null] = reader.readAnswers([entry.id])
      const { factors, candidate } = toAnswerFacts(answer)
      return readQueueRows([entry], reader, proposals).map((row) => ({
        ...row,
        why: describeDoubt({ reason: row.reason, proposal: null }, factors),
        candidates: withAnswerFirst(candidate, stored?.read(scope, [row.lookup])[0] ?? []),
      }))
    })
  }
}

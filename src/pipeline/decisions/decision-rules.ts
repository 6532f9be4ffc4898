import type { Decision, KeptDecision } from '../../core/decisions.js'

/** Lookups by decisions about them, or by the numbers of their decisions. */
export type DecidedAbout =
  { readonly decisions: readonly Decision[] } | { readonly sequences: readonly number[] }

/** A row of the decisions ever made about a lookup. It is in force if it is neither withdrawn nor replaced. */
export interface StoredDecision extends KeptDecision {
  readonly isWithdrawn: boolean
  /** Sequence of the decision that replaced it. */
  readonly replacedBy: number | null
}

/** All decisions about some lookups, and the sequence of the next one. */
export interface DecisionsNow {
  readonly stored: readonly StoredDecision[]
  readonly nextSequence: number
}

/** Rows to write: new ones, and those with other values than before. */
export interface DecisionChange<Outcome> {
  readonly outcome: Outcome
  readonly rows: readonly StoredDecision[]
  /** Rows that the decisions file is known to have, or not to have; `null` if nothing is known. */
  readonly lines: { readonly sequences: readonly number[]; readonly isInFile: boolean } | null
}

/** Decisions made, or the conflicting ones that another reviewer made in the meantime. */
export type DecideOutcome =
  | { readonly kind: 'decided'; readonly decisions: readonly KeptDecision[] }
  | { readonly kind: 'conflict'; readonly others: readonly KeptDecision[] }

/**
 * Makes all decisions or none. `expected`: sequence of the decision the reviewer saw, by lookup (0: none). `mayBeMade`:
 * an earlier attempt may have made them.
 */
export function decide(
  now: DecisionsNow,
  decisions: readonly Decision[],
  expected: ReadonlyMap<string, number>,
  mayBeMade: boolean,
): DecisionChange<DecideOutcome> {
  const book = new DecisionBook(now)
  const current = decisions.map((decision) => book.findCurrent(decision))
  const isMade = decisions.every((decision, at) => isSame(current[at], decision))
  if (mayBeMade && isMade)
    return book.end({ kind: 'decided', decisions: current.flatMap((one) => (one ? [toKept(one)] : [])) })
  const others = decisions.flatMap(({ lookup }, at) => {
    const stands = current[at]
    return (stands?.sequence ?? 0) === (expected.get(lookup) ?? 0) ? [] : [stands]
  })
  if (others.length > 0)
    return book.end({ kind: 'conflict', others: others.flatMap((one) => (one ? [toKept(one)] : [])) })
  return book.end({ kind: 'decided', decisions: decisions.map((decision) => book.add(decision, false)) })
}

/** Adds decisions that others wrote to the decisions file. They replace the current ones. */
export function adopt(now: DecisionsNow, decisions: readonly Decision[]): DecisionChange<KeptDecision[]> {
  const book = new DecisionBook(now)
  const adopted = decisions.map((decision) => book.add(decision, true))
  return book.end(adopted, { sequences: adopted.map(({ sequence }) => sequence), isInFile: true })
}

/** Withdraws decisions of a service and restores those they replaced. Returns the withdrawn ones. */
export function withdraw(
  now: DecisionsNow,
  service: string,
  sequences: readonly number[],
): DecisionChange<KeptDecision[]> {
  const book = new DecisionBook(now)
  const withdrawn = sequences.flatMap((sequence) => {
    const row = book.get(sequence)
    if (row === undefined || row.isWithdrawn || !isConflicting(row.service, service)) return []
    book.set({ ...row, isWithdrawn: true })
    for (const replaced of book.listReplacedBy(row)) book.set({ ...replaced, replacedBy: row.replacedBy })
    return [toKept(row)]
  })
  return book.end(withdrawn)
}

/** Withdraws decisions that were removed from the decisions file, and all that they replaced. */
export function forget(now: DecisionsNow, sequences: readonly number[]): DecisionChange<void> {
  const book = new DecisionBook(now)
  const gone = new Map<number, StoredDecision>()
  const open = sequences.flatMap((sequence) => book.get(sequence) ?? [])
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    if (gone.has(row.sequence)) continue
    gone.set(row.sequence, row)
    open.push(...book.listReplacedBy(row))
  }
  for (const row of gone.values()) book.set({ ...row, isWithdrawn: true, isInFile: false })
  return book.end(undefined, { sequences: [...gone.keys()], isInFile: false })
}

/** The decisions about some lookups, as they change. */
class DecisionBook {
  readonly #rows = new Map<number, StoredDecision>()
  readonly #byLookup = new Map<string, number[]>()
  readonly #changed = new Set<number>()
  #nextSequence: number

  constructor({ stored, nextSequence }: DecisionsNow) {
    this.#nextSequence = nextSequence
    for (const row of stored) this.#put(row)
  }

  get(sequence: number): StoredDecision | undefined {
    return this.#rows.get(sequence)
  }

  /** The newest decision in force for a lookup. A decision without a service conflicts with those of all services. */
  findCurrent({ lookup, service }: Decision): StoredDecision | undefined {
    return this.#listCurrent(lookup, service).at(-1)
  }

  /** Adds a decision, which replaces those in force. */
  add(decision: Decision, isInFile: boolean): KeptDecision {
    const sequence = this.#nextSequence++
    const replaced = this.#listCurrent(decision.lookup, decision.service)
    for (const row of replaced) this.set({ ...row, replacedBy: sequence })
    const made = { ...decision, sequence, isInFile }
    this.#put({ ...made, isWithdrawn: false, replacedBy: null })
    this.#changed.add(sequence)
    return made
  }

  set(row: StoredDecision): void {
    this.#rows.set(row.sequence, row)
    this.#changed.add(row.sequence)
  }

  listReplacedBy({ lookup, sequence }: StoredDecision): StoredDecision[] {
    return this.#list(lookup).filter(({ replacedBy }) => replacedBy === sequence)
  }

  end<Outcome>(outcome: Outcome, lines: DecisionChange<Outcome>['lines'] = null): DecisionChange<Outcome> {
    return { outcome, lines, rows: [...this.#changed].flatMap((sequence) => this.#rows.get(sequence) ?? []) }
  }

  #listCurrent(lookup: string, service: string | null): StoredDecision[] {
    return this.#list(lookup).filter(
      (row) => !row.isWithdrawn && row.replacedBy === null && isConflicting(row.service, service),
    )
  }

  /** In the order of their creation. */
  #list(lookup: string): StoredDecision[] {
    return (this.#byLookup.get(lookup) ?? []).flatMap((sequence) => this.#rows.get(sequence) ?? [])
  }

  #put(row: StoredDecision): void {
    this.#rows.set(row.sequence, row)
    const others = this.#byLookup.get(row.lookup)
    if (others === undefined) this.#byLookup.set(row.lookup, [row.sequence])
    else others.push(row.sequence)
  }
}

const isConflicting = (one: string | null, other: string | null): boolean =>
  one === null || other === null || one === other

const toKept = (row: StoredDecision): KeptDecision => ({
  sequence: row.sequence,
  isInFile: row.isInFile,
  lookup: row.lookup,
  name: row.name,
  location: row.location,
  verdict: row.verdict,
  entityId: row.entityId,
  entityName: row.entityName,
  decidedBy: row.decidedBy,
  decidedAtMs: row.decidedAtMs,
  note: row.note,
  service: row.service,
})

const isSame = (
  one: StoredDecision | undefined,
  { verdict, entityId, decidedBy, decidedAtMs }: Decision,
): boolean =>
  one !== undefined &&
  one.verdict === verdict &&
  one.entityId === entityId &&
  one.decidedBy === decidedBy &&
  one.decidedAtMs === decidedAtMs

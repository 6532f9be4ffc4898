import type { KeyedLookup, LookupId } from './checkpoint/checkpoint.js'
import type { Decision } from './rules/decision.js'
import type { DecidedLookup, DecidedRows } from './rules/stage-questions.js'

/** What people decided of the lookups that rows ask; filled while rows are read. */
export class DecidedLookups implements DecidedRows {
  readonly #byLookup: ReadonlyMap<string, Decision>
  readonly #byId = new Map<LookupId, DecidedLookup>()
  readonly #byCompany = new Map<string, DecidedLookup[]>()
  readonly withoutCompany: DecidedLookup[] = []
  readonly #met = new Set<Decision>()

  /** `byLookup`: the decisions that stand, by hexadecimal keys. */
  constructor(byLookup: ReadonlyMap<string, Decision>) {
    this.#byLookup = byLookup
  }

  /** Of the decisions that stand: hexadecimal keys. */
  get lookups(): readonly string[] {
    return [...this.#byLookup.keys()]
  }

  /** Decisions of no lookup that was met. */
  get unmetCount(): number {
    return this.#byLookup.size - this.#met.size
  }

  /** The companies that were decided for, each once. */
  get companies(): readonly string[] {
    return [...this.#byCompany.keys()]
  }

  /** The same lookups, and of each whether it is decided. Where each row counts, a decision is one of all that ask the same. */
  marked(lookups: readonly KeyedLookup[]): readonly KeyedLookup[] {
    if (this.#byLookup.size === 0) return lookups
    return lookups.map((lookup) =>
      this.#decisionOf(lookup) === null ? lookup : { ...lookup, isDecided: true },
    )
  }

  /** These lookups have these ids. */
  note(lookups: readonly KeyedLookup[], ids: readonly LookupId[]): void {
    if (this.#byLookup.size === 0) return
    for (const [at, asked] of lookups.entries()) {
      const id = ids[at] ?? 0
      const decision = id === 0 || this.#byId.has(id) ? null : this.#decisionOf(asked)
      if (decision === null) continue
      this.#met.add(decision)
      const decided = { decision, kind: asked.kind, asked: asked.lookup }
      this.#byId.set(id, decided)
      const { entityId } = decision
      const others = entityId === null ? this.withoutCompany : this.#byCompany.get(entityId)
      if (others !== undefined) others.push(decided)
      else if (entityId !== null) this.#byCompany.set(entityId, [decided])
    }
  }

  of(id: LookupId): DecidedLookup | null {
    return this.#byId.get(id) ?? null
  }

  ofCompany(entityId: string): readonly DecidedLookup[] {
    return this.#byCompany.get(entityId) ?? []
  }

  #decisionOf({ key, plainKey }: KeyedLookup): Decision | null {
    const own = this.#byLookup.get(hexOf(key))
    return own ?? (plainKey === undefined ? null : (this.#byLookup.get(hexOf(plainKey)) ?? null))
  }
}

const hexOf = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('hex')

import type { CheckpointReader, KeyedLookup, LookupIdentity } from '../checkpoint/lookup.js'
import type { LookupId } from '../../core/lookup-identity.js'
import { type Decision, type Candidate, toAnswerCandidate } from '../../core/decisions.js'
import type { LookupRule } from '../input/ingest.js'
import { planLookup, type PlanPolicy } from '../../core/lookup-state.js'
import {
  createSampleFigures,
  type SampleFigures,
  compareAnswers,
  isAccepted,
  isKeptByService,
  isSampled,
  type FirstRule,
  type RegistryAnswer,
  type FirstFacts,
} from './first-rule.js'

interface FirstAnswersDeps {
  readonly rule: FirstRule
  /** Time for which the registry was asked. */
  readonly elapsedMs: number
  /** Reads the registry's answers; `null` if it has none yet. */
  readonly registry: CheckpointReader | null
  /** Reads the service's answers; `null` before the first one. */
  readonly service: CheckpointReader | null
  /** Whether the registry's answers are in a temporary checkpoint, for a plan: then all are newer than the service's. */
  readonly isTemporary?: boolean
  /** How the service's lookups are planned. */
  readonly policy: PlanPolicy
  /** Reviewers' decisions; optional. `confirm` returns the one that accepts this company. */
  readonly decided?: { confirm(lookup: KeyedLookup, entityId: string | null): Decision | null }
  /** Scopes of the registry's edition and of the service. */
  readonly scopes: { readonly registry: string; readonly service: string }
}

/** A lookup that the registry and the service answer differently, or did before it was decided. */
interface ContradictedLookup {
  /** That of the registry, and the company of its answer. */
  readonly id: LookupId
  readonly company: Candidate | null
  readonly serviceId: LookupId
}

interface CheckedSample {
  /** `null` without a sample. */
  readonly figures: SampleFigures | null
  listContradicted(): readonly ContradictedLookup[]
}

/** Adds lookups of the service, and returns their ids, in order. */
type PlaceLookups = (lookups: readonly KeyedLookup[]) => Promise<readonly LookupId[]>

/** Decides which lookups the own registry answers, and remembers them. */
export class FirstAnswers {
  readonly #deps: FirstAnswersDeps
  readonly #settled = new Set<LookupId>()
  /** How lookups are identified for the service, where the registry was asked with identifiers in the name. */
  readonly #identities = new Map<LookupId, LookupIdentity>()
  readonly #sampled = new Map<LookupId, LookupId>()
  readonly #checks = new Set<LookupId>()
  readonly #contradicted = new Set<LookupId>()
  /** The registry's lookups whose company a reviewer accepted, with those of the service. */
  readonly #confirmed = new Map<LookupId, { readonly decision: Decision; readonly serviceId: LookupId }>()
  readonly #counted = new Set<string>()
  #sampleCount = 0
  readonly #byConfidence = Array.from({ length: 101 }, () => 0)

  constructor(deps: FirstAnswersDeps) {
    this.#deps = deps
  }

  /** Reads the registry's answers, also those of stages. */
  get reader(): CheckpointReader | null {
    return this.#deps.registry
  }

  get facts(): FirstFacts {
    const { rule, elapsedMs } = this.#deps
    return {
      name: this.#name,
      accept: rule.accept,
      elapsedMs,
      settledCount: this.#settled.size,
      sampleCount: this.#sampleCount,
      byConfidence: this.#byConfidence,
      checks: this.#checks,
    }
  }

  /** Whether the registry answers a lookup of a row. */
  isSettled(lookupId: LookupId): boolean {
    return this.#settled.has(lookupId)
  }

  get #name(): string {
    return this.#deps.scopes.registry.replace(/^embedded:/, 'registry:')
  }

  /** Name of the side that answers a lookup: that of the registry, or the URL of the service. */
  nameSide(lookupId: LookupId): string {
    return this.isSettled(lookupId) ? this.#name : this.#deps.scopes.service
  }

  /**
   * Returns the registry's lookup for each lookup that it answers, otherwise 0. `ofRegistry`: the same rows as the
   * registry is asked, aligned. Decided lookups are left to their decision, unless it accepts the registry's company.
   */
  async #settle(
    lookups: readonly KeyedLookup[],
    ofRegistry: readonly (KeyedLookup | null)[],
  ): Promise<LookupId[]> {
    const { registry, service, rule, policy, isTemporary = false } = this.#deps
    if (registry === null) return lookups.map(() => 0)
    const asked = ofRegistry.flatMap((lookup) => lookup ?? [])
    await registry.fetch(asked)
    const found = registry.find(asked).values()
    const ids = ofRegistry.map((lookup) => (lookup === null ? 0 : (found.next().value ?? 0)))
    const answers = readRegistryAnswers(registry, ids)
    await service?.fetch(lookups)
    const serviceIds = service?.find(lookups) ?? []
    const known = service?.readAnswers(serviceIds) ?? []
    return lookups.map((lookup, at) => {
      const [id, answer, before] = [ids[at] ?? 0, answers[at] ?? null, known[at] ?? null]
      if (answer === null) return 0
      if (lookup.isDecided === true) return this.#confirm(lookup, id, serviceIds[at] ?? 0)
      const isOfSample = isSampled(lookup.key, rule.sample)
      // Ids grow, unlike clocks; and a run may end long after the registry has answered.
      const isServiceEarlier = isTemporary || (serviceIds[at] ?? 0) < id
      const { prefer } = rule
      if (isKeptByService(before, { prefer, isServiceEarlier, isOfSample, policy })) return 0
      const isToSubmit = before === null || planLookup(before, policy) === 'submit'
      if (isToSubmit) this.#count(lookup, answer)
      if (!isAccepted(answer, rule.accept)) return 0
      if (isOfSample && isToSubmit && !this.#settled.has(id)) this.#sampleCount++
      this.#settled.add(id)
      const { name, location } = lookup.lookup
      if (!isSameKey(lookup, ofRegistry[at] ?? null))
        this.#identities.set(id, { key: lookup.key, name, location })
      return id
    })
  }

  /** Returns the registry's lookup if a reviewer accepted its company, otherwise 0. */
  #confirm(lookup: KeyedLookup, id: LookupId, serviceId: LookupId): LookupId {
    const candidate = this.#readCompany(id)
    const decision = this.#deps.decided?.confirm(lookup, candidate?.entityId ?? null) ?? null
    if (decision === null) return 0
    this.#settled.add(id)
    this.#confirmed.set(id, { decision, serviceId })
    return id
  }

  /** Returns the decision that accepts the registry's company; `null` without one. */
  findDecision(lookupId: LookupId): Decision | null {
    return this.#confirmed.get(lookupId)?.decision ?? null
  }

  /** Returns the company in the registry's answer. */
  #readCompany(lookupId: LookupId): Candidate | null {
    const [known = null] = this.#deps.registry?.readAnswers([lookupId]) ?? []
    if (known?.state !== 'answered') return null
    const company = toAnswerCandidate(JSON.parse(known.body()))
    const evidence = [{ label: 'own registry', text: `the answer of ${this.#name}`, weight: null }]
    return company === null ? null : { ...company, evidence }
  }

  /** Whether a lookup that the registry answers is submitted as well. */
  #isSampled(lookup: Pick<KeyedLookup, 'key' | 'isDecided'>): boolean {
    return lookup.isDecided !== true && isSampled(lookup.key, this.#deps.rule.sample)
  }

  #noteSampled(registryId: LookupId, serviceId: LookupId): void {
    if (serviceId === 0) return
    this.#sampled.set(registryId, serviceId)
    this.#checks.add(serviceId)
  }

  /** See `placeLookups`. */
  async place(
    lookups: readonly KeyedLookup[],
    ofRegistry: readonly (KeyedLookup | null)[],
    place: PlaceLookups,
  ): Promise<readonly LookupId[]> {
    const settled = await this.#settle(lookups, ofRegistry)
    const placed = lookups.flatMap((lookup, at) => {
      if (settled[at] === 0) return [lookup]
      return this.#isSampled(lookup) ? [{ ...lookup, isCheck: true }] : []
    })
    const ids = (await place(placed)).values()
    return lookups.map((lookup, at) => {
      const registryId = settled[at] ?? 0
      if (registryId === 0) return ids.next().value ?? 0
      if (this.#isSampled(lookup)) this.#noteSampled(registryId, ids.next().value ?? 0)
      return registryId
    })
  }

  /** Compares both answers of each lookup in the sample. */
  checkSample(): CheckedSample {
    const figures = this.#compareSample()
    return { figures, listContradicted: () => this.#listContradicted() }
  }

  #compareSample(): SampleFigures | null {
    const { rule, service, registry } = this.#deps
    if (rule.sample === null) return null
    const counts = { same: 0, other: 0, no_match: 0 }
    for (const page of toPages([...this.#sampled], sampledAtOnce)) {
      const own = registry?.readAnswers(page.map(([id]) => id)) ?? []
      const others = service?.readAnswers(page.map(([, id]) => id)) ?? []
      for (const [at, [id]] of page.entries()) {
        const [line, other] = [own[at]?.line ?? null, others[at] ?? null]
        if (line === null || other?.state !== 'answered' || other.line === null) continue
        const comparison = compareAnswers(line, other.line)
        counts[comparison]++
        if (comparison === 'other') this.#contradicted.add(id)
      }
    }
    return createSampleFigures(this.#sampled.size, counts)
  }

  /** Whether the service names another company than the registry; known after `checkSample`. */
  isContradicted(lookupId: LookupId): boolean {
    return this.#contradicted.has(lookupId)
  }

  #listContradicted(): ContradictedLookup[] {
    const contradicted = [...this.#sampled].filter(([id]) => this.#contradicted.has(id))
    const confirmed = [...this.#confirmed].map(([id, { serviceId }]) => [id, serviceId] as const)
    const shown = new Map([...contradicted, ...confirmed.filter(([, serviceId]) => serviceId !== 0)])
    return [...shown].map(([id, serviceId]) => ({ id, serviceId, company: this.#readCompany(id) }))
  }

  /** Replaces the identities of the registry's lookups by those that the service's lookups have. */
  toServiceIdentities(
    lookupIds: readonly LookupId[],
    identities: readonly (LookupIdentity | null)[],
  ): (LookupIdentity | null)[] {
    return lookupIds.map((id, at) => this.#identities.get(id) ?? identities[at] ?? null)
  }

  close(): void {
    this.#deps.registry?.close()
    this.#deps.service?.close()
  }

  #count({ key }: KeyedLookup, { outcome, confidence }: RegistryAnswer): void {
    const hex = Buffer.from(key).toString('hex')
    if (outcome !== 'matched' || confidence === null || this.#counted.has(hex)) return
    this.#counted.add(hex)
    const at = Math.max(0, Math.min(100, Math.floor(confidence)))
    this.#byConfidence[at] = (this.#byConfidence[at] ?? 0) + 1
  }
}

/** Answers compared at once; each has a few kilobytes. */
const sampledAtOnce = 500

function* toPages<Item>(items: readonly Item[], count: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += count) yield items.slice(start, start + count)
}

const isSameKey = ({ key }: KeyedLookup, other: KeyedLookup | null): boolean =>
  other !== null && Buffer.from(key).equals(other.key)

/** Aligned with the ids; `null` without an answer. */
function readRegistryAnswers(reader: CheckpointReader, ids: readonly LookupId[]): (RegistryAnswer | null)[] {
  const outcomes = reader.readOutcomes(ids, (outcome) => outcome === 'matched')
  const known = reader.readAnswers(ids)
  return outcomes.map((answered, at) => (known[at]?.state === 'answered' ? answered : null))
}

/** How rows become lookups of a registry: it resolves identifiers exactly. */
export const toRegistryRule = (rule: LookupRule): LookupRule => ({
  ...rule,
  identifierUse: 'first',
  areNumbersNamed: true,
})

/**
 * Returns the ids of lookups, in order: of the registry for those that it answers, otherwise of the service. `place` gets
 * the lookups of the service, and those that only check the registry's answers.
 */
export async function placeLookups(
  lookups: readonly KeyedLookup[],
  ofRegistry: readonly (KeyedLookup | null)[],
  first: FirstAnswers | null,
  place: PlaceLookups,
): Promise<readonly LookupId[]> {
  return first === null ? place(lookups) : first.place(lookups, ofRegistry, place)
}

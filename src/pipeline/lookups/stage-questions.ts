import { domainNameOf } from '../../core/domain-name.js'
import { isEntityId } from '../../core/identifiers.js'
import type { Lookup } from '../../core/lookup-identity.js'
import { at, textOf } from '../../core/json.js'
import { readIdentifiers } from '../../core/stated-identifiers.js'
import { type Decision, decisionStanding } from './decision.js'
import type { LookupKind, StageKind } from './lookup-kind.js'
import { sharedDomain } from './shared-domains.js'

/** A lookup that follows from an answer: of a company by its id, or of a root domain. */
export interface StageQuestion {
  readonly kind: StageKind
  readonly name: string
}

/**
 * What may be asked once a row's first question is answered, each kind at most once. `asked` is the question; `run` is
 * the run-like object of its answer, as it is stored. A company is asked for where the answer is sure of it: `matched`,
 * or `merged`, by the id that it was merged into. The domain is the one that the question states, else that of the
 * company's website. Never throws.
 */
export function stageQuestions(kind: LookupKind, asked: Lookup, run: unknown): StageQuestion[] {
  const result = resultOf(kind, run)
  const entityId = entityIdOf(result)
  const domain =
    kind === 'domain'
      ? asked.name
      : (statedDomain(asked) ?? (entityId === null ? null : websiteDomainOf(result)))
  return [
    ...(entityId === null
      ? []
      : [{ kind: 'entity', name: entityId } as const, { kind: 'hierarchy', name: entityId } as const]),
    ...(domain === null ? [] : [{ kind: 'domain', name: domain } as const]),
  ]
}

/** A row's first question that a person answered. */
export interface DecidedLookup {
  readonly decision: Decision
  readonly kind: LookupKind
  /** As it was asked. */
  readonly asked: Lookup
}

/** What people decided of the rows of a run. */
export interface DecidedRows {
  /** The companies that were decided for, each once. */
  readonly companies: readonly string[]
  ofCompany(entityId: string): readonly DecidedLookup[]
  /** Those of no company that is known. */
  readonly withoutCompany: readonly DecidedLookup[]
}

export const nothingDecided: DecidedRows = { companies: [], ofCompany: () => [], withoutCompany: [] }

/**
 * The same of a row that a person decided: the record of the company is asked for, and what else is known of it follows
 * from that (interface: "v3 entity record", its envelope; null while it is not here). Never throws.
 */
export function decidedQuestions({ decision, kind, asked }: DecidedLookup, record: unknown): StageQuestion[] {
  const { entityId } = decision
  const standing = decisionStanding(decision, record)
  const isHere = standing.kind !== 'unread' && standing.kind !== 'gone'
  const current = standing.kind === 'merged' ? standing.into : entityId
  const domain =
    kind === 'domain'
      ? asked.name
      : (statedDomain(asked) ?? (isHere && entityId !== null ? websiteDomainOf(record) : null))
  return [
    ...(entityId === null ? [] : [{ kind: 'entity', name: entityId } as const]),
    ...(current === null || !isHere || !isEntityId(current)
      ? []
      : [{ kind: 'hierarchy', name: current } as const]),
    ...(domain === null ? [] : [{ kind: 'domain', name: domain } as const]),
  ]
}

/** The body of the domain route is an envelope round its result. */
const resultOf = (kind: LookupKind, run: unknown): unknown =>
  kind === 'domain' ? at(run, 'data', 'data') : at(run, 'data')

function entityIdOf(result: unknown): string | null {
  const status = textOf(at(result, 'status'))?.trim().toLowerCase()
  if (status !== 'matched' && status !== 'merged') return null
  const merged = textOf(at(result, 'merged_into'))
  const id = status === 'merged' && merged !== null ? merged : textOf(at(result, 'entity', 'id'))
  return id !== null && isEntityId(id) ? id : null
}

function statedDomain({ name, context }: Lookup): string | null {
  const stated = [name, context ?? ''].flatMap((text) => readIdentifiers(text).identifiers)
  return stated.find(({ kind }) => kind === 'website')?.value ?? null
}

/** A page on a network, or an address at a provider, is nobody's domain: it would be billed and tell of another company. */
function websiteDomainOf(result: unknown): string | null {
  const website = textOf(at(result, 'entity', 'website'))
  const domain = website === null ? null : domainNameOf(website)
  if (website === null || domain === null) return null
  const shared = sharedDomain(domain)
  const isOwnSite = shared === 'platform' && !/^(?:[a-z]+:\/\/)?[^/]+\/[^/]/i.test(website)
  return shared === null || isOwnSite ? domain : null
}

import { toRootDomain } from '../../core/domain-name.js'
import { classifyDomain, isEntityId } from '../../core/identifiers.js'
import type { Lookup } from '../../core/lookup-identity.js'
import { at, toText } from '../../core/json.js'
import { readIdentifiers } from '../../core/numbers/stated-identifiers.js'
import { type Decision, judgeDecision } from '../../core/decisions.js'
import type { LookupKind, StageKind } from '../../core/lookup-state.js'

/** A lookup that follows from an answer, by company id or root domain. */
export interface StageQuestion {
  readonly kind: StageKind
  readonly name: string
}

/**
 * Returns the lookups that follow from the answer to a row's first lookup, at most one of each kind. `asked` is the
 * lookup; `run` is the stored run object with its answer. Companies follow only from `matched`, or from `merged` with
 * the new id. The domain is the one in the lookup, else that of the company's website. Never throws.
 */
export function buildStageQuestions(kind: LookupKind, asked: Lookup, run: unknown): StageQuestion[] {
  const result = getResult(kind, run)
  const entityId = readEntityId(result)
  const domain =
    kind === 'domain'
      ? asked.name
      : (findStatedDomain(asked) ?? (entityId === null ? null : findWebsiteDomain(result)))
  return [
    ...(entityId === null
      ? []
      : [{ kind: 'entity', name: entityId } as const, { kind: 'hierarchy', name: entityId } as const]),
    ...(domain === null ? [] : [{ kind: 'domain', name: domain } as const]),
  ]
}

/** A row's first lookup with a reviewer's decision. */
export interface DecidedLookup {
  readonly decision: Decision
  readonly kind: LookupKind
  /** As submitted. */
  readonly asked: Lookup
}

/** The decisions about the rows of a run. */
export interface DecidedRows {
  /** The chosen companies, without duplicates. */
  readonly companies: readonly string[]
  listByCompany(entityId: string): readonly DecidedLookup[]
  /** Lookups decided to match no known company. */
  readonly withoutCompany: readonly DecidedLookup[]
}

export const noDecisions: DecidedRows = { companies: [], listByCompany: () => [], withoutCompany: [] }

/**
 * Returns the lookups that follow from a decision: the record of the company, and the lookups that follow from the
 * record (interface: "v3 entity record", its envelope; null if not read yet). Never throws.
 */
export function buildDecidedQuestions(
  { decision, kind, asked }: DecidedLookup,
  record: unknown,
): StageQuestion[] {
  const { entityId } = decision
  const standing = judgeDecision(decision, record)
  const isHere = standing.kind !== 'unread' && standing.kind !== 'gone'
  const current = standing.kind === 'merged' ? standing.into : entityId
  const domain =
    kind === 'domain'
      ? asked.name
      : (findStatedDomain(asked) ?? (isHere && entityId !== null ? findWebsiteDomain(record) : null))
  return [
    ...(entityId === null ? [] : [{ kind: 'entity', name: entityId } as const]),
    ...(current === null || !isHere || !isEntityId(current)
      ? []
      : [{ kind: 'hierarchy', name: current } as const]),
    ...(domain === null ? [] : [{ kind: 'domain', name: domain } as const]),
  ]
}

/** The body of the domain route wraps its result in an envelope. */
const getResult = (kind: LookupKind, run: unknown): unknown =>
  kind === 'domain' ? at(run, 'data', 'data') : at(run, 'data')

function readEntityId(result: unknown): string | null {
  const status = toText(at(result, 'status'))?.trim().toLowerCase()
  if (status !== 'matched' && status !== 'merged') return null
  const merged = toText(at(result, 'merged_into'))
  const id = status === 'merged' && merged !== null ? merged : toText(at(result, 'entity', 'id'))
  return id !== null && isEntityId(id) ? id : null
}

function findStatedDomain({ name, context }: Lookup): string | null {
  const stated = [name, context ?? ''].flatMap((text) => readIdentifiers(text).identifiers)
  return stated.find(({ kind }) => kind === 'website')?.value ?? null
}

/**
 * Returns the domain of the company's website; null if it is shared, since a lookup would be billed and return another
 * company.
 */
function findWebsiteDomain(result: unknown): string | null {
  const website = toText(at(result, 'entity', 'website'))
  const domain = website === null ? null : toRootDomain(website)
  if (website === null || domain === null) return null
  const shared = classifyDomain(domain)
  const isOwnSite = shared === 'platform' && !/^(?:[a-z]+:\/\/)?[^/]+\/[^/]/i.test(website)
  return shared === null || isOwnSite ? domain : null
}

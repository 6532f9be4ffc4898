import { type SiteFit, toRootDomain } from '../../core/domain-name.js'
import { matchedConfidenceMin, type Factor, type Resolution } from '../../contract/result.js'
import { toCandidate, buildEmptyAnswer } from './resolve.js'
import {
  createInactiveFactor,
  isSupportedKind,
  listConfirmations,
  createLimitation,
  listOmissionFactors,
  createStrength,
  createUnsupportedFactor,
} from './factors.js'
import { buildBasis } from './basis.js'
import { decideHolder, type DomainDecision, type DomainHolder } from '../model/identifiers.js'
import { getPrimary, buildResultEntity } from './entity-record.js'
import type { OwnershipReader } from '../store/relationships.js'
import type { StoredEntity, StoredLegalEntity } from '../store/reader.js'

export interface DomainDeps {
  readonly findByDomain: (rootDomain: string) => DomainHolder[]
  readonly ownerships: OwnershipReader
  readonly entityByNumber: (number: number) => StoredEntity | null
}

type HeldDomain = Exclude<DomainDecision, { kind: 'none' }>

/** Confidence by position of the website; a page alone is never certain. */
const fitConfidence: Readonly<Record<SiteFit, number>> = { root: 96, subdomain: 76, page: 55 }
const asOwnerConfidenceMax = 90
const inactiveConfidenceMax = 79
const severalConfidenceMax = 60

/** Finds the company with a registrable domain, by the websites on registrations. Any other text is `no_match`. */
export function resolveDomain(domain: string, deps: DomainDeps): Resolution {
  const root = toRootDomain(domain)
  const holders = root === null ? [] : deps.findByDomain(root)
  const decision = decideHolder(holders, (number) => listOwners(number, deps.ownerships))
  if (decision.kind === 'none') return buildNoHolderAnswer(root)
  const holder = decision.kind === 'one' ? decision.holder : decision.holders[0]
  const stored = deps.entityByNumber(holder.entityNumber)
  const registration = stored?.legalEntities.find(({ number }) => number === holder.legalEntityNumber)
  if (!stored || !registration) throw new Error('a domain in the index belongs to no registration')
  return buildAnswer(decision, holder, stored, registration)
}

/** Returns the companies that state a domain, without duplicates; the one it resolves to comes first. */
export function listDomainCompanies(domain: string, deps: DomainDeps): number[] {
  const root = toRootDomain(domain)
  const holders = root === null ? [] : deps.findByDomain(root)
  const decision = decideHolder(holders, (number) => listOwners(number, deps.ownerships))
  const first = decision.kind === 'none' ? [] : decision.kind === 'one' ? [decision.holder] : decision.holders
  return [...new Set([...first, ...holders].map(({ entityNumber }) => entityNumber))]
}

/** Returns the other domains of the company to which a domain resolves. */
export function listDomainAliases(domain: string, deps: DomainDeps): string[] {
  const root = toRootDomain(domain)
  const decision = decideHolder(root === null ? [] : deps.findByDomain(root), (number) =>
    listOwners(number, deps.ownerships),
  )
  if (decision.kind !== 'one' || decision.fit === 'page') return []
  const registrations = deps.entityByNumber(decision.holder.entityNumber)?.legalEntities ?? []
  const domains = registrations.flatMap(({ website, domains: listed }) => {
    const own = website === null ? null : toRootDomain(website)
    return own === null ? listed : [own, ...listed]
  })
  return [...new Set(domains)].filter((other) => other !== root)
}

/** Limit of owners per company, at all levels; cycles end. */
const ownersAboveMax = 100
const ownersOfOneMax = 20

/** Returns the owners of a company at all levels. */
export function listOwners(entityNumber: number, ownerships: OwnershipReader): ReadonlySet<number> {
  const reached = new Set([entityNumber])
  for (const number of reached) {
    if (reached.size >= ownersAboveMax) break
    for (const { ownerNumber } of ownerships.findOwners(number, ownersOfOneMax)) reached.add(ownerNumber)
  }
  reached.delete(entityNumber)
  return reached
}

function buildAnswer(
  decision: HeldDomain,
  holder: DomainHolder,
  stored: StoredEntity,
  registration: StoredLegalEntity,
): Resolution {
  const isSupported = isSupportedKind(registration)
  const confidence = chooseConfidence(decision, holder)
  const shared = {
    match_confidence: confidence,
    type: registration.type,
    subtype: registration.subtype,
    factors: buildFactors(decision, holder, registration, isSupported),
    merged_into: null,
    classification: decision.kind === 'several' ? 'ambiguous' : 'specific',
  }
  if (!isSupported || decision.kind === 'several' || decision.fit === 'page') {
    return {
      ...shared,
      status: 'inconclusive',
      entity: null,
      candidate: toCandidate(registration),
      actions: [
        { code: 'provide_full_legal_name', description: 'Ask by the full legal name as registered.' },
      ],
      basis: [],
    }
  }
  const entity = buildResultEntity(stored, registration)
  return {
    ...shared,
    status: confidence >= matchedConfidenceMin ? 'matched' : 'partial_match',
    entity,
    candidate: null,
    factors: [...shared.factors, ...listOmissionFactors(stored)],
    actions: [],
    basis: buildBasis(entity, getPrimary(stored), stored),
  }
}

function chooseConfidence(decision: HeldDomain, { isActive }: DomainHolder): number {
  return Math.min(
    fitConfidence[decision.fit],
    decision.kind === 'several' ? severalConfidenceMax : 100,
    decision.kind === 'one' && decision.isOwnerOfOthers ? asOwnerConfidenceMax : 100,
    isActive ? 100 : inactiveConfidenceMax,
  )
}

function buildFactors(
  decision: HeldDomain,
  { website, isActive }: DomainHolder,
  registration: StoredLegalEntity,
  isSupported: boolean,
): Factor[] {
  const factors = [
    ...(isSupported ? [] : [createUnsupportedFactor(registration)]),
    decision.fit === 'page'
      ? createLimitation(
          'no_legal_entity_confirmed',
          `Only a page of the domain is given (${website}).`,
          'high',
        )
      : createStrength(
          'website_official_status',
          `The registry gives ${website} as the company's own.`,
          'high',
        ),
  ]
  if (decision.kind === 'several') {
    const others = decision.holders.length - 1
    factors.push(
      createLimitation('no_legal_entity_confirmed', `The domain is also that of ${others} others.`, 'high'),
    )
  } else {
    if (isSupported && decision.fit !== 'page')
      factors.push(...listConfirmations(registration, (where) => `The company is registered in ${where}.`))
    if (decision.isOwnerOfOthers) {
      factors.push(
        createStrength(
          'consistent_entity_references',
          'All others who give the domain belong to it.',
          'medium',
        ),
      )
    }
  }
  if (!isActive) factors.push(createInactiveFactor(registration))
  return factors
}

function buildNoHolderAnswer(root: string | null): Resolution {
  const text =
    root === null
      ? 'No registration gives this domain as its website.'
      : `No register in this registry states a website under ${root}.`
  return {
    ...buildEmptyAnswer('no_match'),
    factors: [createLimitation('no_legal_entity_confirmed', text, 'high')],
    actions: [{ code: 'provide_full_legal_name', description: 'Ask by the full legal name as registered.' }],
  }
}

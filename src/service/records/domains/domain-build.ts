import {
  domainResult,
  type DomainIntelligence,
  type DomainResult,
  type DomainReply,
} from '../../../contract/domain.js'
import type { SocialProfilesV1 } from '../../../contract/earlier-versions.js'
import type { EntityRecord, ResultEntity } from '../../../contract/entity.js'
import type { CallId } from '../../../contract/enums.js'
import { resolution as resolutionSchema, type Resolution } from '../../../contract/result.js'
import { unknownClassification, unknownWebsiteStatus } from '../../../contract/unknown.js'
import { toRootDomain } from '../../../core/domain-name.js'
import type { Knowledge } from '../../knowledge.js'
import { badRequest } from '../../refusal.js'
import {
  BuildFailure,
  type Compiler,
  toBuildMetadata,
  type EventData,
  type StoredBuild,
} from '../builds/build.js'
import { fillDomainResult } from '../builds/entity-build.js'
import { toPlainStatus } from '../flat-entities.js'
import type { DomainLists } from './domain-lists.js'
import { buildRedirectPart, type SiteVisit, type WebsiteCheck } from './website-check.js'

interface Deps {
  readonly knowledge: Knowledge
  readonly lists: DomainLists
  /** `null` if no website is visited; the fields that only a visit provides are then `null`. */
  readonly checkWebsite: WebsiteCheck | null
}

/** Compiles the `data` of the v3 answer (interface: "v3 domain-intelligence result"). */
export function createDomainCompiler({ knowledge, lists, checkWebsite }: Deps): Compiler {
  const compile = (domain: string, visit: SiteVisit | null) => {
    const known = collectFacts(domain, knowledge, lists)
    return JSON.stringify(domainResult.parse(buildResult(known, visit)))
  }
  return (domain, signal) =>
    checkWebsite === null
      ? compile(domain, null)
      : checkWebsite(domain, signal).then((visit) => compile(domain, visit))
}

/** Parses a result of the compiler, also one stored by an older version without unknown blocks. */
export function parseDomainResult(result: string): DomainResult {
  return fillDomainResult(JSON.parse(result) as DomainResult)
}

interface KnownDomain {
  readonly domain: string
  readonly resolution: Resolution
  /** The record of the company whose website has this domain; `null` if the domain is not that of its website. */
  readonly owner: EntityRecord | null
  readonly trancoRank: number | null
  readonly isDisposable: boolean | null
  readonly aliases: readonly string[]
}

function collectFacts(domain: string, knowledge: Knowledge, lists: DomainLists): KnownDomain {
  const resolution = resolutionSchema.parse(knowledge.resolveDomain(domain))
  if (resolution.status === 'failed') throw new BuildFailure('the domain could not be resolved')
  const { entity } = resolution
  const website = entity?.website ?? null
  const isOwner = entity !== null && website !== null && toRootDomain(website) === domain
  const facts = knowledge.domainFacts(domain)
  return {
    domain,
    resolution,
    owner: isOwner ? (knowledge.entity(entity.id)?.record ?? null) : null,
    trancoRank: lists.getRank(domain) ?? facts.trancoRank,
    isDisposable: lists.isDisposable(domain) ?? facts.isDisposable,
    aliases: facts.aliases,
  }
}

function buildResult(known: KnownDomain, visit: SiteVisit | null): DomainResult {
  const { resolution, domain } = known
  return {
    status: toPlainStatus(resolution),
    confidence: resolution.match_confidence,
    type: resolution.type,
    subtype: resolution.subtype,
    entity: resolution.entity === null ? null : toDomainEntity(resolution.entity),
    candidate: resolution.candidate,
    factors: resolution.factors,
    actions: resolution.actions,
    domain_intelligence: buildIntelligence(known, visit),
    ...buildRedirectPart(domain, visit?.redirect ?? null),
  }
}

function toDomainEntity(entity: ResultEntity): NonNullable<DomainResult['entity']> {
  return {
    id: entity.id,
    display_name: entity.display_name,
    legal_name: entity.legal_name,
    status: entity.status,
    description: entity.description,
    website: entity.website,
    headquarters: entity.headquarters,
    primary_legal_entity: entity.primary_legal_entity,
    identifiers: entity.identifiers,
    matching_branch: entity.matching_branch,
  }
}

const unknownProfile = { handle: null }

/** Returns the profiles that the site links to, with a `null` handle for every other network. */
function toProfiles(found: SocialProfilesV1): DomainIntelligence['social_profiles'] {
  const { linkedin, facebook, crunchbase, twitter } = found
  return {
    linkedin: linkedin ?? unknownProfile,
    facebook: facebook ?? unknownProfile,
    crunchbase: crunchbase ?? unknownProfile,
    twitter: twitter ?? unknownProfile,
  }
}

/** Returns the facts about the domain. Those of the owner's record apply only to its own website. */
function buildIntelligence(known: KnownDomain, visit: SiteVisit | null): DomainIntelligence {
  const { domain, owner } = known
  return {
    domain,
    url: visit?.url ?? toWebAddress(owner?.website ?? null),
    domain_aliases: known.aliases.filter((alias) => alias !== domain),
    description: visit?.facts?.description ?? owner?.description ?? null,
    tranco_rank: known.trancoRank,
    website_status: visit?.status ?? unknownWebsiteStatus,
    domain_context: {
      domain_type: owner === null ? null : 'corporate_website',
      domain_relationship: owner === null ? null : 'direct_owner',
      domain_purpose: null,
      business_relevance: null,
    },
    is_disposable_email_provider: known.isDisposable,
    industry: owner?.industry ?? { schemes: {} },
    classification: owner?.classification ?? unknownClassification,
    social_profiles: toProfiles(visit?.facts?.profiles ?? {}),
  }
}

/** Returns the website as an address; `null` without a scheme, because the scheme is then unknown. */
function toWebAddress(website: string | null): string | null {
  return website !== null && /^https?:\/\//i.test(website) && URL.canParse(website) ? website : null
}

/** Returns the reply to the read at the end of the build. */
export const buildDomainEventData: EventData = (build, { callId }) => buildDomainReply(build, callId)

/** Builds the reply. v3 has no status for a record that is being refreshed, which exists, nor for one that failed. */
export function buildDomainReply(build: StoredBuild, callId: CallId): DomainReply {
  const { status, message } = describeState(build)
  const data = status === 'complete' && build.result !== null ? parseDomainResult(build.result) : null
  return {
    domain: build.subject,
    status,
    message: message ?? (data?.status === 'no_match' ? noMatchMessage : null),
    request_id: callId,
    metadata: toBuildMetadata(build),
    data,
  }
}

/** The domain may still belong to a company: registers of companies seldom state websites. */
const noMatchMessage = 'No register of this service states a website under this domain.'

function describeState(build: StoredBuild): Pick<DomainReply, 'status' | 'message'> {
  switch (build.state) {
    case 'building':
      return { status: 'building', message: 'Research is running. Poll again in 5 to 10 seconds.' }
    case 'failed':
      return { status: 'pending', message: describeFailure(build) }
    case 'refreshing':
    case 'complete':
      return { status: 'complete', message: null }
  }
}

export function describeFailure({ failure }: Pick<StoredBuild, 'failure'>): string {
  return `The last research failed: ${failure ?? 'internal error'}. A request after a minute starts it again.`
}

/** Returns the root domain of a request. Throws 400. */
export function parseDomain(text: string): string {
  const domain = toRootDomain(text)
  if (domain === null) {
    throw badRequest('domain: a domain, a URL or an e-mail address with a public domain is needed')
  }
  return domain
}

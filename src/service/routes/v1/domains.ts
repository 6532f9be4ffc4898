import type { DomainReplyV1, DomainResult, DomainResultV1 } from '../../../contract/domain.js'
import { buildMetadataOf, type BuildState, type StoredBuild } from '../../records/builds/build.js'
import type { Builds } from '../../records/builds/builds.js'
import { askedDomain } from '../../records/domains/asked-domain.js'
import { domainResultIn } from '../../records/domains/domain-build.js'
import { flatCandidate, flatEntity } from '../../records/flat-entity.js'
import type { Handlers } from '../../http/mount.js'
import { failureMessage } from '../../records/domains/domain-reply.js'
import { classificationV1Of } from './record-v1.js'

/** What is known of a domain in the form of v1 (interface: "v1 domain-intelligence result"). Not billed. */
export function domainHandlersV1(builds: Builds): Pick<Handlers, 'readDomainV1'> {
  return {
    readDomainV1: ({ query }) => ({
      status: 200,
      body: replyOf(builds.demand('domain', askedDomain(query.domain))),
    }),
  }
}

function replyOf(build: StoredBuild): DomainReplyV1 {
  const { state, result } = build
  return {
    domain: build.subject,
    status: state === 'failed' ? 'error' : state,
    data: result === null ? null : domainResultV1Of(domainResultIn(result)),
    message: state === 'failed' ? failureMessage(build) : messages[state],
    metadata: buildMetadataOf(build),
  }
}

const messages: Readonly<Record<Exclude<BuildState, 'failed'>, string | null>> = {
  building: 'Research is running. Ask again in 5 to 10 seconds.',
  refreshing: 'Research is running anew; this is what was found before.',
  complete: null,
}

/** v1 knows no `not_found`, and no v3 fields: no schemes, no profiles, no redirects. */
export function domainResultV1Of(found: DomainResult): DomainResultV1 {
  const { industry, classification, ...facts } = found.domain_intelligence
  const { naics_codes_2022, business_model, products_services, business_tags } = classificationV1Of(
    industry,
    classification,
  )
  return {
    status: found.status === 'not_found' ? 'no_match' : found.status,
    confidence: found.confidence,
    type: found.type,
    subtype: found.subtype,
    entity: found.entity === null ? null : flatEntity(found.entity),
    candidate: found.candidate === null ? null : flatCandidate(found.candidate),
    factors: found.factors,
    actions: found.actions,
    domain_intelligence: {
      domain: facts.domain,
      url: facts.url,
      domain_aliases: facts.domain_aliases,
      description: facts.description,
      tranco_rank: facts.tranco_rank,
      website_status: facts.website_status,
      domain_context: facts.domain_context,
      is_disposable_email_provider: facts.is_disposable_email_provider,
      classification: { naics_codes_2022, business_model, products_services, business_tags },
    },
  }
}

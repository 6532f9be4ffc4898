import {
  domainBody,
  domainBodyV3,
  domainIntelligence,
  domainReply,
  domainReplyV1,
  domainResult,
  domainResultV1,
  redirectInfo,
  websiteStatus,
} from '../domain.js'
import { domainRunData } from '../events.js'
import { buildMetadata, codeEntryV1, socialProfilesV1 } from '../earlier-versions.js'
import { companyTexts } from './companies.js'
import { describeBlock, describeFields, name } from './describe.js'
import { outcomeTexts, webhookUrlText } from './resolutions.js'

const domainText = 'A domain, a web address or an e-mail address; all are normalized to the root domain'
describeFields(domainBody, { domain: domainText })
name('DomainRequest', domainBodyV3, 'The requested domain.', {
  domain: domainText,
  webhook_url: webhookUrlText,
})

name('BuildMetadata', buildMetadata, 'Times of a build.', {
  last_updated: 'Time of the last build',
  processing_started_at: 'Start of the build',
  estimated_completion: 'Expected end of the build',
})

name('WebsiteStatus', websiteStatus, 'Outcome of a visit to the website.', {
  status: 'HTTP status of the answer',
  is_resolvable: 'Whether its name resolves to an address',
  is_webserver_responsive: 'Whether a server answered',
  has_content: 'Whether the page has content',
  failure_reason: 'Reason why it could not be read',
  last_checked: 'Time of the visit',
})

const contextTexts = {
  domain_type: 'Kind of site: corporate_website, …',
  domain_relationship: 'Relationship to the company: direct_owner, …',
  domain_purpose: 'Purpose of the site',
  business_relevance: 'Relevance to the company',
}
describeBlock(domainIntelligence.shape.domain_context, contextTexts)

const factTexts = {
  domain: 'The root domain',
  url: 'Address of its website',
  domain_aliases: 'Other domains of the same site',
  description: 'Description stated by the site',
  tranco_rank: 'Rank by traffic; lower is bigger',
  website_status: 'Outcome of a visit to the website',
  domain_context: 'Purpose of the domain',
  is_disposable_email_provider: 'Whether it provides throw-away mailboxes',
}

name(
  'SiteProfiles',
  socialProfilesV1,
  'Profiles in social networks, each with its handle; any may be absent.',
  {
    crunchbase: 'On Crunchbase',
    linkedin: 'On LinkedIn',
    facebook: 'On Facebook',
    twitter: 'On Twitter',
  },
)

name('DomainIntelligence', domainIntelligence, 'Facts about a domain, distinct from its company.', {
  ...factTexts,
  industry: 'Industry shown by the site, by official classifications',
  classification: 'Industry shown by the site, in words',
  social_profiles: 'Profiles that the site links to',
})
describeBlock(domainIntelligence.shape.social_profiles, {
  linkedin: 'On LinkedIn',
  facebook: 'On Facebook',
  crunchbase: 'On Crunchbase',
  twitter: 'On Twitter',
})

name('RedirectInfo', redirectInfo, 'The redirect of a domain.', {
  is_redirect: 'true',
  original_domain: 'The requested domain',
  final_domain: 'The domain that it redirects to',
  redirect_status_code: 'HTTP status of the redirect',
  redirect_type: 'permanent or temporary',
})

const resultTexts = {
  ...outcomeTexts,
  status: 'Outcome of the resolution; see Resolution',
  confidence: 'Certainty that the domain belongs to this company, 0 to 100',
  domain_intelligence: 'Facts about the domain itself',
}

name('DomainResult', domainResult, 'The company of a domain, and facts about the domain.', {
  ...resultTexts,
  redirect_info: 'The redirect; present only if the domain redirects to another',
})
describeBlock(domainResult.shape.entity, {
  ...companyTexts,
  matching_branch: 'The branch that matches the query, if any',
})

const replyTexts = {
  domain: 'The root domain of the request',
  status: 'complete with data; building or pending while research runs: poll again in 5 to 10 seconds',
  message: 'The status in a sentence',
  request_id: 'Id of this call, req_…',
  metadata: 'Times of the research',
  data: 'The result; null unless complete',
}
name('DomainReply', domainReply, 'The data of a domain, and the state of its research.', replyTexts)
name('DomainRunData', domainRunData, 'The reply to a read of a domain, in a run.', {
  ...replyTexts,
  entity: 'Never present: the company of a domain is in data.entity',
})

name('CodeEntryV1', codeEntryV1, 'A code of an industry classification, in the form of v1.', {
  code: 'The code',
  name: 'Meaning of the code',
  relevance: 'Relevance to the company, 0 to 100',
  confidence: 'Certainty of the classification, 0 to 100',
  is_primary: 'Whether it is the primary code',
})

name('DomainResultV1', domainResultV1, 'The company of a domain, in the form of v1.', resultTexts)
/** Field texts of a company in the form of v1 and v2. */
export const flatCompanyTexts = {
  id: 'Id of the company, siq_…',
  name: 'The name it is commonly known by',
  status: 'active or inactive',
  description: 'What it does',
  website: 'Its website',
  headquarters: 'Its head office',
  primary_legal_entity: 'Its main registration',
  matching_branch: 'The branch that matches the query, if any',
} as const
describeBlock(domainResultV1.shape.entity, flatCompanyTexts)
describeBlock(domainResultV1.shape.domain_intelligence, {
  ...factTexts,
  classification: 'Industry shown by the site',
})
export const classificationV1Texts = {
  naics_codes_2022: 'Codes of NAICS, edition of 2022',
  business_model: 'How it earns, in free words; deprecated',
  products_services: 'What it sells',
  business_tags: 'Words for what it does',
} as const
describeBlock(domainResultV1.shape.domain_intelligence.shape.classification, classificationV1Texts)

name('DomainReplyV1', domainReplyV1, 'The data of a domain, in the form of v1.', {
  domain: 'The root domain of the request',
  status: 'building without data, complete, refreshing with the previous data, or error',
  data: 'The result',
  message: 'The status in a sentence',
  metadata: 'Times of the research',
})
describeBlock(socialProfilesV1.shape.linkedin, { handle: 'Name of the profile in that network' })
describeBlock(domainResult.shape.entity.unwrap().shape.headquarters, { address: 'The address' })
describeBlock(domainResult.shape.entity.unwrap().shape.identifiers, {
  type: 'Kind of identifier',
  value: 'The identifier in its plain form',
  jurisdiction: 'Jurisdiction of the identifier, if its type has one',
})

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
import { buildMetadata, codeEntryV1, socialProfilesV1 } from '../earlier-versions.js'
import { companyTexts } from './companies.js'
import { describeBlock, describeFields, name } from './describe.js'
import { outcomeTexts, webhookUrlText } from './resolutions.js'

const domainText = 'A domain, a web address or an e-mail address; all are taken to their root domain'
describeFields(domainBody, { domain: domainText })
name('DomainRequest', domainBodyV3, 'Which domain is asked for.', {
  domain: domainText,
  webhook_url: webhookUrlText,
})

name('BuildMetadata', buildMetadata, 'Times of a build.', {
  last_updated: 'When it was last built',
  processing_started_at: 'When the build began',
  estimated_completion: 'When it is expected to end',
})

name('WebsiteStatus', websiteStatus, 'What became of a visit to the website.', {
  status: 'HTTP status that it answered with',
  is_resolvable: 'Whether its name leads to an address',
  is_webserver_responsive: 'Whether a server answered',
  has_content: 'Whether there was anything to read',
  failure_reason: 'Why it could not be read',
  last_checked: 'When it was visited',
})

const contextTexts = {
  domain_type: 'What kind of site it is: corporate_website, …',
  domain_relationship: 'How it belongs to the company: direct_owner, …',
  domain_purpose: 'What the site is for',
  business_relevance: 'How much it tells of the company',
}
describeBlock(domainIntelligence.shape.domain_context, contextTexts)

const factTexts = {
  domain: 'The root domain',
  url: 'Address of its website',
  domain_aliases: 'Other domains of the same site',
  description: 'What the site says it is',
  tranco_rank: 'Rank by traffic; lower is bigger',
  website_status: 'What became of a visit to the website',
  domain_context: 'What the domain is for',
  is_disposable_email_provider: 'Whether it provides throw-away mailboxes',
}

name('SiteProfiles', socialProfilesV1, 'Profiles elsewhere, each with its handle; any may be left out.', {
  crunchbase: 'On Crunchbase',
  linkedin: 'On LinkedIn',
  facebook: 'On Facebook',
  twitter: 'On Twitter',
})

name('DomainIntelligence', domainIntelligence, 'Facts about a domain, apart from its company.', {
  ...factTexts,
  industry: 'The trade that the site shows, by official classifications',
  classification: 'The trade that the site shows, in words',
  social_profiles: 'Profiles that the site links to',
})
describeBlock(domainIntelligence.shape.social_profiles, {
  linkedin: 'On LinkedIn',
  facebook: 'On Facebook',
  crunchbase: 'On Crunchbase',
  twitter: 'On Twitter',
})

name('RedirectInfo', redirectInfo, 'Where a domain leads to.', {
  is_redirect: 'true',
  original_domain: 'The domain that was asked for',
  final_domain: 'The domain it leads to',
  redirect_status_code: 'HTTP status of the redirect',
  redirect_type: 'permanent or temporary',
})

const resultTexts = {
  ...outcomeTexts,
  status: 'What became of the resolution; see Resolution',
  confidence: 'How sure it is that this company has the domain, 0 to 100',
  domain_intelligence: 'Facts about the domain itself',
}

name('DomainResult', domainResult, 'Whose domain it is, and facts about it.', {
  ...resultTexts,
  redirect_info: 'Where the domain leads to; only there if it leads to another',
})
describeBlock(domainResult.shape.entity, {
  ...companyTexts,
  matching_branch: 'The branch that was asked for, if it was one',
})

name('DomainReply', domainReply, 'What is known of a domain, and how far the research is.', {
  domain: 'The root domain of what was asked',
  status: 'complete with data; building or pending while research runs: ask again in 5 to 10 seconds',
  message: 'The same in a sentence',
  request_id: 'Id of this call, req_…',
  metadata: 'Times of the research',
  data: 'What was found; null unless complete',
})

name('CodeEntryV1', codeEntryV1, 'A code of one classification of trades, in the form of v1.', {
  code: 'The code',
  name: 'What the code stands for',
  relevance: 'How much it tells of the company, 0 to 100',
  confidence: 'How sure the classification is, 0 to 100',
  is_primary: 'Whether it is the main one',
})

name('DomainResultV1', domainResultV1, 'Whose domain it is, in the form of v1.', resultTexts)
/** Field texts of a company in the form of v1 and v2. */
export const flatCompanyTexts = {
  id: 'Id of the company, siq_…',
  name: 'The name it is commonly known by',
  status: 'active or inactive',
  description: 'What it does',
  website: 'Its website',
  headquarters: 'Where its head office is',
  primary_legal_entity: 'The registration that stands for it',
  matching_branch: 'The branch that was asked for, if it was one',
} as const
describeBlock(domainResultV1.shape.entity, flatCompanyTexts)
describeBlock(domainResultV1.shape.domain_intelligence, {
  ...factTexts,
  classification: 'The trade that the site shows',
})
export const classificationV1Texts = {
  naics_codes_2022: 'Codes of NAICS, edition of 2022',
  business_model: 'How it earns, in free words; deprecated',
  products_services: 'What it sells',
  business_tags: 'Words for what it does',
} as const
describeBlock(domainResultV1.shape.domain_intelligence.shape.classification, classificationV1Texts)

name('DomainReplyV1', domainReplyV1, 'What is known of a domain, in the form of v1.', {
  domain: 'The root domain of what was asked',
  status: 'building without data, complete, refreshing with the data there was, or error',
  data: 'What was found',
  message: 'The status in a sentence',
  metadata: 'Times of the research',
})
describeBlock(socialProfilesV1.shape.linkedin, { handle: 'The name of the profile there' })
describeBlock(domainResult.shape.entity.unwrap().shape.headquarters, { address: 'The address' })
describeBlock(domainResult.shape.entity.unwrap().shape.identifiers, {
  type: 'Kind of identifier',
  value: 'The identifier in its plain form',
  jurisdiction: 'Where it holds, if it is one of a place',
})

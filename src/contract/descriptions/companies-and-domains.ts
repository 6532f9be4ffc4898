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
import {
  address,
  attributes,
  classification,
  entityRecord,
  entityReply,
  facets,
  identifier,
  industry,
  industryCode,
  matchingBranch,
  operationalPresence,
  primaryLegalEntity,
  registrationAuthority,
  resultEntity,
  socialProfiles,
} from '../entity.js'
import { describeBlock, describeFields, name } from './describe.js'
import { outcomeTexts, webhookUrlText } from './resolutions.js'

name('Address', address, 'The parts of a postal address. All ten keys are always present.', {
  street_address: 'Street with its number, as written',
  street_number: 'The number alone',
  sub_premise: 'Suite, floor or unit',
  city: 'Town or city',
  state: 'State, province or county, as written',
  state_code: 'ISO 3166-2 code of the subdivision, if certain: US-CA',
  postal_code: 'Postal code',
  country: 'Name of the country',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  formatted_address: 'The whole address in one line',
})

name('RegistrationAuthority', registrationAuthority, 'The register that a company is entered in.', {
  id: 'Number of the authority',
  code: 'Code in the list of registration authorities: RA000585',
  name: 'Name of the register',
  organization: 'Organization that keeps the register',
  jurisdiction: 'Jurisdiction of the register',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
  website: 'Website of the register',
})

name('PrimaryLegalEntity', primaryLegalEntity, 'The main registration of a company.', {
  id: 'Id of the registration, le_…',
  jurisdiction: 'Country and state of the registration: us_de, gb',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  state_code: 'Code of the state, for a registration of a state',
  registration_authority: 'The register it is entered in',
})

name('Identifier', identifier, 'A number or code of a company. The order is stable.', {
  type: 'Kind of identifier',
  value: 'The identifier in its plain form',
  jurisdiction: 'Jurisdiction of the identifier, if its type has one; otherwise null',
})

name('MatchingBranch', matchingBranch, 'The branch or foreign registration that matches the query.', {
  notes: 'Kind of branch',
  address: 'Its address in one line',
  state_code: 'Code of its state',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
  jurisdiction: 'Country and state of its registration',
})

name('Facets', facets, 'Ownership and legal form of a company; not its industry.', {
  sector: 'Kind of ownership',
  legal_form: 'Its legal form',
})

name('IndustryCode', industryCode, 'A code of an industry classification.', {
  code: 'The code',
  label: 'Meaning of the code',
  is_primary: 'Whether it is the primary code; each scheme has one, and it comes first',
  confidence: 'Certainty of the classification, 0 to 100',
})

name('Industry', industry, 'The industry of a company by official classifications.', {
  schemes: 'Codes by classification; unknown ones are absent',
})
describeBlock(industry.shape.schemes, {
  naics_2022: 'Codes of NAICS, edition of 2022',
  sic: 'Codes of SIC',
})

/** Field texts of a company in the form of v3, shared by all shapes that contain one. */
const companyTexts = {
  id: 'Id of the company, siq_…',
  display_name: 'The name it is commonly known by',
  legal_name: 'The name on its registration',
  status: 'Whether it is active, by its register',
  description: 'What it does',
  website: 'Its website',
  headquarters: 'Its head office',
  primary_legal_entity: 'Its main registration',
  identifiers: 'Its identifiers: numbers and codes',
} as const

const entityFields = {
  ...companyTexts,
  matching_branch:
    'The branch or foreign registration that matches the query, if it is not the home registration; otherwise null',
  facets: 'Ownership and legal form',
  industry: 'Its industry by official classifications',
  parent_entity: 'The company above it, if known',
} as const

name('Entity', resultEntity, 'A company that a resolution confirmed.', entityFields)

name('Attributes', attributes, 'Facts about a company. Every key is always present.', {
  description: 'What it does',
  website: 'Its website',
  domain: 'The domain of its website',
  employee_count: 'Number of employees',
  employee_range: 'Bracket of the number of employees',
  revenue: 'Revenue of a year in US dollars',
  revenue_range: 'Bracket of the revenue',
  founding_date: 'Day of its foundation, YYYY-MM-DD',
  stock_ticker: 'Ticker of its shares',
  exchange: 'Exchange that lists its shares',
  is_public: 'Whether its shares are listed',
  market_cap: 'Market capitalization in US dollars',
  funding_total_usd: 'Funding raised so far, in US dollars',
  funding_rounds_count: 'Number of funding rounds',
})

name('Classification', classification, 'The industry of a company in words; codes are in industry.', {
  sector: 'The broadest group',
  industry: 'The group within the sector',
  sub_industry: 'The narrowest group',
  business_tags: 'Words for what it does',
  market_segments: 'Its customers, the most important first; b2b2c excludes the others',
  revenue_models: 'How it earns, the most important first',
  products_services: 'What it sells',
})

name('OperationalPresence', operationalPresence, 'Registrations of a company in one country.', {
  id: 'Id of the entry, op_…',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  country: 'Name of the country',
  count: 'Number of known registrations in the country',
  is_home_jurisdiction: 'Whether it is the home country of the company',
})

name('SocialProfiles', socialProfiles, 'Profiles of a company in social networks.', {
  linkedin: 'On LinkedIn',
  facebook: 'On Facebook',
  crunchbase: 'On Crunchbase',
})

name('EntityRecord', entityRecord, 'The full record of a company.', {
  ...entityFields,
  type: 'Kind of organization',
  subtype: 'The kind in more detail',
  attributes: 'Facts; null until the record is built',
  classification: 'Its industry in words',
  operational_presence: 'Countries of its registrations: one entry for each',
  social_profiles: 'Its profiles in social networks',
})

name('EntityReply', entityReply, 'A record and the state of its build.', {
  status: 'matched, or merged if the id was merged into another company',
  merged_into: 'The id to store instead, if the status is merged; otherwise null',
  entity: 'The record; of the other company, if the status is merged',
  enrichment: 'State of the build; absent if unknown, which is not a failure',
  request_id: 'Id of this call, req_…',
})
describeBlock(entityReply.shape.enrichment, {
  status: 'complete once the record is built; otherwise poll again in 5 to 10 seconds',
  updated_at: 'Time of the build',
})

describeBlock(resultEntity.shape.headquarters, { address: 'The address' })
describeBlock(resultEntity.shape.parent_entity, { name: 'Its name' })
describeBlock(socialProfiles.shape.linkedin, { handle: 'Name of the profile in that network' })

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

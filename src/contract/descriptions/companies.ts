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
import { describeBlock, name } from './describe.js'

name('Address', address, 'The parts of a postal address. All ten keys are always there.', {
  street_address: 'Street with its number, as written',
  street_number: 'The number alone',
  sub_premise: 'Suite, floor or unit',
  city: 'Town or city',
  state: 'State, province or county, as written',
  state_code: 'ISO 3166-2 code of the subdivision, where it is certain: US-CA',
  postal_code: 'Postal code',
  country: 'Name of the country',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  formatted_address: 'The whole address in one line',
})

name('RegistrationAuthority', registrationAuthority, 'The register that a company is entered in.', {
  id: 'Number of the authority',
  code: 'Code in the list of registration authorities: RA000585',
  name: 'Name of the register',
  organization: 'Who keeps the register',
  jurisdiction: 'Where the register holds',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
  website: 'Website of the register',
})

name('PrimaryLegalEntity', primaryLegalEntity, 'The registration that stands for a company.', {
  id: 'Id of the registration, le_…',
  jurisdiction: 'Country and state of the registration: us_de, gb',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  state_code: 'Code of the state, where the registration is one of a state',
  registration_authority: 'The register it is entered in',
})

name('Identifier', identifier, 'A number or code that a company is known by. The order stays the same.', {
  type: 'Kind of identifier',
  value: 'The identifier in its plain form',
  jurisdiction: 'Where it holds, if it is one of a place; else null',
})

name('MatchingBranch', matchingBranch, 'The branch or foreign registration that the query met.', {
  notes: 'What kind of branch it is',
  address: 'Its address in one line',
  state_code: 'Code of its state',
  country_code: 'ISO 3166-1 alpha-2 code of its country',
  jurisdiction: 'Country and state of its registration',
})

name('Facets', facets, 'Who owns a company and which legal form it has; not its trade.', {
  sector: 'Who owns it',
  legal_form: 'Its legal form',
})

name('IndustryCode', industryCode, 'A code of one classification of trades.', {
  code: 'The code',
  label: 'What the code stands for',
  is_primary: 'Whether it is the main one; one in each scheme is, and comes first',
  confidence: 'How sure the classification is, 0 to 100',
})

name('Industry', industry, 'The trade of a company by official classifications.', {
  schemes: 'Codes by classification; one that is not known is left out',
})
describeBlock(industry.shape.schemes, {
  naics_2022: 'Codes of NAICS, edition of 2022',
  sic: 'Codes of SIC',
})

/** Field texts of a company in the form of v3, shared by all shapes that contain one. */
export const companyTexts = {
  id: 'Id of the company, siq_…',
  display_name: 'The name it is commonly known by',
  legal_name: 'The name on its registration',
  status: 'Whether it is active, as its register says',
  description: 'What it does',
  website: 'Its website',
  headquarters: 'Where its head office is',
  primary_legal_entity: 'The registration that stands for it',
  identifiers: 'Numbers and codes it is known by',
} as const

const entityFields = {
  ...companyTexts,
  matching_branch: 'The branch or foreign registration that was asked for, if it was one; else null',
  facets: 'Ownership and legal form',
  industry: 'Its trade by official classifications',
  parent_entity: 'The company above it, if known',
} as const

name('Entity', resultEntity, 'A company that a resolution confirmed.', entityFields)

name('Attributes', attributes, 'Facts about a company. Every key is always there.', {
  description: 'What it does',
  website: 'Its website',
  domain: 'The domain of its website',
  employee_count: 'Number of employees',
  employee_range: 'Bracket of the number of employees',
  revenue: 'Revenue of a year in US dollars',
  revenue_range: 'Bracket of the revenue',
  founding_date: 'Day of its foundation, YYYY-MM-DD',
  stock_ticker: 'Ticker of its shares',
  exchange: 'Exchange they are listed at',
  is_public: 'Whether its shares are listed',
  market_cap: 'Market capitalization in US dollars',
  funding_total_usd: 'Funding raised so far, in US dollars',
  funding_rounds_count: 'Number of funding rounds',
})

name('Classification', classification, 'The trade of a company in words; codes stand under industry.', {
  sector: 'The broadest group',
  industry: 'The group within the sector',
  sub_industry: 'The narrowest group',
  business_tags: 'Words for what it does',
  market_segments: 'Whom it sells to, the most important first; b2b2c stands alone',
  revenue_models: 'How it earns, the most important first',
  products_services: 'What it sells',
})

name('OperationalPresence', operationalPresence, 'Registrations of a company in one country.', {
  id: 'Id of the entry, op_…',
  country_code: 'ISO 3166-1 alpha-2 code of the country',
  country: 'Name of the country',
  count: 'Number of registrations known there',
  is_home_jurisdiction: 'Whether the company is at home there',
})

name('SocialProfiles', socialProfiles, 'Profiles of a company elsewhere.', {
  linkedin: 'On LinkedIn',
  facebook: 'On Facebook',
  crunchbase: 'On Crunchbase',
})

name('EntityRecord', entityRecord, 'All that is known of a company.', {
  ...entityFields,
  type: 'What kind of organization it is',
  subtype: 'The kind in more detail',
  attributes: 'Facts; null until the record is built',
  classification: 'Its trade in words',
  operational_presence: 'Where it is registered: one entry for each country',
  social_profiles: 'Its profiles elsewhere',
})

name('EntityReply', entityReply, 'A record, and how far its build is.', {
  status: 'matched, or merged where the id was merged into another company',
  merged_into: 'The id to keep instead, if the status is merged; else null',
  entity: 'The record; of the other company, if the status is merged',
  enrichment: 'How far the build is; left out where that is not known, which is not a failure',
  request_id: 'Id of this call, req_…',
})
describeBlock(entityReply.shape.enrichment, {
  status: 'complete once the record is built; ask again in 5 to 10 seconds otherwise',
  updated_at: 'When it was built',
})

describeBlock(resultEntity.shape.headquarters, { address: 'The address' })
describeBlock(resultEntity.shape.parent_entity, { name: 'Its name' })
describeBlock(socialProfiles.shape.linkedin, { handle: 'The name of the profile there' })

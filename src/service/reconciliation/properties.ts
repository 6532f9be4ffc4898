/** What a property is to a query: a part of the place, an identifier, where an identifier holds, or a hint. */
export type PropertyUse = 'place' | 'identifier' | 'identifier_place' | 'context'

export interface ReconciliationProperty {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly use: PropertyUse
}

const property = <Id extends string, Use extends PropertyUse>(
  id: Id,
  name: string,
  use: Use,
  description: string,
) => ({ id, name, use, description })

/**
 * Every property, for queries and for columns that are added (v0.2: the same in both). In a query, a place and identifiers
 * are matched; the others are hints, which count little.
 */
export const reconciliationProperties = [
  property('country', 'Country', 'place', 'Of the headquarters: a name or an ISO code'),
  property('region', 'Region', 'place', 'State or province of the headquarters: a name or an ISO code'),
  property('city', 'City', 'place', 'Of the headquarters'),
  property('postal_code', 'Postal code', 'place', 'Of the headquarters'),
  property('location', 'Address', 'place', 'Of the headquarters, on one line; any part of it tells'),
  property('lei', 'LEI', 'identifier', 'Legal entity identifier, 20 characters'),
  property('cik', 'CIK', 'identifier', 'Number of a company at the SEC'),
  property('registration_id', 'Company number', 'identifier', 'In its register; say which by its country'),
  property('ein', 'EIN', 'identifier', 'Employer identification number (US)'),
  property('bic', 'BIC', 'identifier', 'Bank identifier code, 8 or 11 characters'),
  property('ticker', 'Ticker', 'identifier', 'AAPL, or NASDAQ:AAPL'),
  property('website', 'Website', 'identifier', 'Address of the website, or its domain'),
  property(
    'registration_country',
    'Country of the register',
    'identifier_place',
    'That a company number is of',
  ),
  property('exchange', 'Exchange', 'identifier_place', 'That a ticker is traded at'),
  property('legal_name', 'Registered name', 'context', 'As the register has it'),
  property('display_name', 'Name in use', 'context', 'The shortest one that is known'),
  property('status', 'Status', 'context', 'active, or inactive'),
  property('type', 'Kind of body', 'context', 'business, nonprofit, government, person or other'),
  property('legal_form', 'Legal form', 'context', 'The nearest American one: corporation, llc'),
  property('street_address', 'Street', 'context', 'Street and number of the headquarters'),
  property('jurisdiction', 'Jurisdiction', 'context', 'Of the register: gb, us_de'),
  property('registration_authority', 'Register', 'context', 'Who keeps it'),
  property('founding_date', 'Founded', 'context', 'The day, as far as it is known'),
  property('industry', 'Industry', 'context', 'By its SIC or NAICS code'),
  property('sic', 'SIC code', 'context', 'Standard Industrial Classification'),
  property('naics', 'NAICS code', 'context', 'North American Industry Classification System, 2022'),
  property('parent', 'Parent', 'context', 'Who controls the company, as far as a register says'),
  property('ultimate_parent', 'Ultimate parent', 'context', 'At the top of all parents'),
] as const satisfies readonly ReconciliationProperty[]

export type PropertyId = (typeof reconciliationProperties)[number]['id']

const propertiesById = new Map<string, ReconciliationProperty & { readonly id: PropertyId }>(
  reconciliationProperties.map((one) => [one.id, one]),
)

export const isKnownProperty = (id: string): id is PropertyId => propertiesById.has(id)

/** Null for an id that no property has. */
export const propertyOf = (id: string): (ReconciliationProperty & { readonly id: PropertyId }) | null =>
  propertiesById.get(id) ?? null

export const idsOfUse = (use: PropertyUse): PropertyId[] =>
  reconciliationProperties.filter((one) => one.use === use).map(({ id }) => id)

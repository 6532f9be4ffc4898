import listed from './authorities.json' with { type: 'json' }

/** A register of companies, by its code in the GLEIF list of registration authorities. */
export interface AuthorityFacts {
  readonly name: string
  readonly organization: string
  /** Lower case, `us_de` or `gb`. */
  readonly jurisdiction: string
  readonly countryCode: string
  readonly website: string
}

/** The registers most companies of note stand in. */
const authorities = new Map(
  Object.entries(listed).map(([code, facts]): [string, AuthorityFacts] => [
    code,
    { ...facts, countryCode: facts.jurisdiction.slice(0, 2).toUpperCase() },
  ]),
)

/** The register of a state of the United States, by jurisdiction: `us_de`. One state keeps one. */
const ofStates = new Map(
  [...authorities].flatMap(([code, { jurisdiction }]): [string, string][] =>
    jurisdiction.startsWith('us_') ? [[jurisdiction, code]] : [],
  ),
)

/** The register of companies of a state, `us_de`; null for any other jurisdiction. */
export function stateAuthority(jurisdiction: string): string | null {
  return ofStates.get(jurisdiction) ?? null
}

export const edgarAuthority = 'RA000665'

/**
 * Which of the three registers of Companies House a number is of, by its letters: Scotland and Northern Ireland keep
 * registers of their own. Null for what is no number of a company: mutual societies have a register elsewhere.
 */
export function companiesHouseAuthority(companyNumber: string): string | null {
  if (!/^[A-Z0-9]{8}$/.test(companyNumber) || /^(?:IP|RS|SP|NP|NO)/.test(companyNumber)) return null
  if (companyNumber.startsWith('S')) return 'RA000587'
  return /^(?:N|R0)/.test(companyNumber) ? 'RA000586' : 'RA000585'
}

/** What is known of a registration authority; null where the table holds none of that code. */
export function authorityFacts(code: string): AuthorityFacts | null {
  return authorities.get(code) ?? null
}

import listed from './edgar-places.json' with { type: 'json' }

/** EDGAR's codes of places outside the United States, by ISO 3166. */
const places = new Map(Object.entries(listed))

/** American places that ISO 3166-1 lists as countries. */
const territories = new Set(['AS', 'GU', 'MP', 'PR', 'UM', 'VI'])

/** A country and, where EDGAR tells it, a state or province in the short form that addresses have. */
export interface EdgarPlace {
  readonly countryCode: string
  readonly region: string | null
}

/** What a code of EDGAR means: "DE" is Delaware, "2M" Germany, "A6" Ontario. Null for codes that mean none. */
export function edgarPlace(code: string): EdgarPlace | null {
  const foreign = places.get(code.toUpperCase())
  if (foreign !== undefined) return { countryCode: foreign.slice(0, 2), region: foreign.slice(3) || null }
  const state = code.toUpperCase()
  if (!/^[A-Z]{2}$/.test(state) || state === 'XX') return null
  return territories.has(state) ? { countryCode: state, region: null } : { countryCode: 'US', region: state }
}

/** `us_de`, `ca_on`, `ky`. */
export function jurisdictionOf({ countryCode, region }: EdgarPlace): string {
  return (region === null ? countryCode : `${countryCode}_${region}`).toLowerCase()
}

/** A company of a world whose answers lead on to its record, its owners and its domain. */
export interface Firm {
  readonly entityId: string
  readonly website: string | null
  /** Root domain of the website; null where there is none that can be asked. */
  readonly domain: string | null
}

/** Which company a name means, and a domain leads to. */
export interface FirmBook {
  of(name: string): Firm
  /** Whether the service is not sure that it is this one. */
  isPartial(name: string): boolean
  /** Null: nobody's. */
  ofDomain(domain: string): Firm | null
  /** Null: of no company of this world. */
  ofEntity(entityId: string): Firm | null
}

/** Few companies, which many names mean: each is to be asked about once. */
export class Firms implements FirmBook {
  readonly #firms: Firm[]
  readonly #byDomain: ReadonlyMap<string, Firm>

  constructor(count: number) {
    this.#firms = Array.from({ length: count }, (_, index) => firmOf(index))
    this.#byDomain = new Map(
      this.#firms.flatMap((firm) => (firm.domain === null ? [] : [[firm.domain, firm] as const])),
    )
  }

  /** The one that a name means, by the number in it. */
  of(name: string): Firm {
    const firm = this.#firms[Number(/\d+/.exec(name)?.[0] ?? 0) % this.#firms.length]
    if (firm === undefined) throw new Error('a world without companies')
    return firm
  }

  isPartial(name: string): boolean {
    return Number(/\d+/.exec(name)?.[0] ?? 0) % 7 === 3
  }

  ofDomain(domain: string): Firm | null {
    return this.#byDomain.get(domain) ?? null
  }

  ofEntity(entityId: string): Firm | null {
    return this.#firms.find((firm) => firm.entityId === entityId) ?? null
  }

  get count(): number {
    return this.#firms.length
  }
}

/** Of ten companies one has no website, and one gives an address that is no domain. */
function firmOf(index: number): Firm {
  const entityId = `siq_firm_${index}`
  if (index % 10 === 8) return { entityId, website: null, domain: null }
  if (index % 10 === 9) return { entityId, website: 'http://192.0.2.7/', domain: null }
  const domain = `firm${index}-world.com`
  return { entityId, website: `https://www.${domain}/about`, domain }
}

/** What each answer says of its company and of no other one. */
export const parentNameOf = (entityId: string): string => `Parent of ${entityId}`

/** Some names state a domain, which is asked about in place of their company's. */
export function nameOf(index: number): string {
  const name = `Company ${index}`
  return index % 6 === 5 ? `${name} (website own${index}-world.com)` : name
}

export const statedDomainOf = (name: string): string | null => /\(website (\S+)\)/.exec(name)?.[1] ?? null

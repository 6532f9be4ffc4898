import { entityId, legalEntityId, type EntityId, type LegalEntityId } from '../contract/ids.js'
import { jurisdictionParts } from './entity-record.js'
import { readingsOf } from './match/readings.js'
import { countryCodeOf, countryNameOf, regionCodeIn } from './match/place-names.js'
import { bestOfEachEntity, type Lookup } from './resolve.js'
import type { StoredLegalEntity } from './store/reader.js'

export interface SearchQuery {
  readonly name: string
  /** ISO 3166-1, two or three letters, any case. */
  readonly countryCode?: string
  /** ISO 3166-2, with or without the country ("US-DE", "DE"), any case. */
  readonly regionCode?: string
  readonly limit: number
}

/** One registration found, in the terms of the interface's "Search result (v2)". */
export interface SearchHit {
  readonly id: LegalEntityId
  readonly entityId: EntityId
  readonly name: string
  readonly legalName: string
  readonly status: string | null
  readonly isBranch: boolean
  readonly jurisdiction: {
    readonly country: string | null
    readonly countryCode: string | null
    /** Lower case, `us_de`. */
    readonly jurisdictionCode: string | null
  }
  readonly city: string | null
  /** 0 to 100: how close the name is. */
  readonly score: number
}

/** The closest names first; ties in the order in which the registry took them in. */
export function searchNames(query: SearchQuery, lookup: Lookup): SearchHit[] {
  const readings = readingsOf(query.name)
  if (readings.length === 0) return []
  const scored = bestOfEachEntity({ readings, location: null }, lookup).sort(
    (a, b) => b.points - a.points || a.candidate.entityNumber - b.candidate.entityNumber,
  )
  const wanted = wantedPlace(query)
  const hits: SearchHit[] = []
  for (const { candidate, points } of scored) {
    if (hits.length >= query.limit) break
    const stored = lookup.reader.entityByNumber(candidate.entityNumber)
    const registration = stored?.legalEntities.find(({ number }) => number === candidate.legalEntityNumber)
    if (!stored || !registration || !isWanted(registration, wanted)) continue
    hits.push(hitOf(stored.id, registration, points))
  }
  return hits
}

interface WantedPlace {
  readonly countryCode: string | null
  readonly regionCode: string | null
}

/** A code that names no country or region finds nothing, rather than everything. */
function wantedPlace({ countryCode, regionCode }: SearchQuery): WantedPlace {
  const country = countryCode === undefined ? null : (countryCodeOf(countryCode) ?? countryCode.toUpperCase())
  if (regionCode === undefined) return { countryCode: country, regionCode: null }
  const region = regionCode.toUpperCase()
  return { countryCode: country, regionCode: regionCodeIn(country, region) ?? region }
}

function isWanted({ jurisdiction, address }: StoredLegalEntity, wanted: WantedPlace): boolean {
  const parts = jurisdictionParts(jurisdiction)
  const hqRegion = address.region === null ? null : regionCodeIn(address.countryCode, address.region)
  const countries = [parts.countryCode, address.countryCode]
  const regions = [parts.stateCode, hqRegion].filter((code) => code !== null)
  if (wanted.countryCode !== null && !countries.includes(wanted.countryCode)) return false
  if (wanted.regionCode === null) return true
  return regions.some((code) => code === wanted.regionCode || code.slice(3) === wanted.regionCode)
}

function hitOf(id: string, registration: StoredLegalEntity, points: number): SearchHit {
  const countryCode =
    jurisdictionParts(registration.jurisdiction).countryCode ?? registration.address.countryCode
  return {
    id: legalEntityId.parse(registration.id),
    entityId: entityId.parse(id),
    name: registration.displayName,
    legalName: registration.legalName,
    status: registration.status,
    isBranch: false,
    jurisdiction: {
      country: countryCode === null ? null : countryNameOf(countryCode),
      countryCode,
      jurisdictionCode: registration.jurisdiction ?? countryCode?.toLowerCase() ?? null,
    },
    city: registration.address.city,
    score: Math.max(0, Math.min(100, Math.round(points))),
  }
}

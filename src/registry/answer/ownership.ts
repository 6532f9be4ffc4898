import { type EntityType, entityId, type EntityId } from '../../contract/enums.js'
import { findRecordUrl } from './registration-facts.js'
import { isListed, splitJurisdiction, getPrimary } from './entity-record.js'
import type { OwnershipType } from '../model/registry-rows.js'
import type { OwnershipReader, StoredOwnership } from '../store/relationships.js'
import type { StoredEntity } from '../store/reader.js'

/** A company related to the target. */
interface OwnershipCompany {
  readonly id: EntityId
  readonly name: string
  readonly countryCode: string | null
  /** Lower case, `us_de`. */
  readonly jurisdiction: string | null
  readonly type: EntityType
  readonly isListed: boolean
}

export interface OwnershipLink {
  readonly ownerId: EntityId
  readonly ownedId: EntityId
  readonly type: OwnershipType
  /** 0 to 100. */
  readonly percentage: number | null
  /** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. */
  readonly fromDate: string | null
}

/** Known owners and subsidiaries of a company. */
export interface CompanyOwnership {
  readonly targetId: EntityId
  /** The ultimate parent stated by a register, even if the links to it are unknown. */
  readonly statedUltimateParentId: EntityId | null
  /** The target first, then its owners upwards, its subsidiaries, and its siblings. */
  readonly companies: readonly OwnershipCompany[]
  /** From owner to owned; cycles are possible. */
  readonly links: readonly OwnershipLink[]
  /** URLs of public records: of the relationships, then of the target and its owners. */
  readonly evidence: readonly string[]
}

const ownershipLimits = {
  companiesMax: 200,
  ownersOfOneMax: 20,
  evidenceMax: 50,
} as const

interface OwnershipDeps {
  readonly ownerships: OwnershipReader
  readonly entityByNumber: (number: number) => StoredEntity | null
}

/** Reads all owners upwards, and one level down from the company and its direct owners. Cycles end. */
export function readOwnership(targetNumber: number, deps: OwnershipDeps): CompanyOwnership | null {
  const { ownerships } = deps
  const known = collectLinks(targetNumber)
  const upward = collectOwners(targetNumber, known, ownerships)
  const owners = known.links().filter(({ ownedNumber }) => ownedNumber === targetNumber)
  known.add(ownerships.findOwned(targetNumber, known.roomCount()))
  for (const { ownerNumber } of owners.filter(isDirect)) {
    known.add(ownerships.findOwned(ownerNumber, known.roomCount()))
  }
  const stored = readCompanies(known.companyNumbers(), deps)
  const target = stored.get(targetNumber)
  if (target === undefined) return null
  const ultimate = owners.find((link) => !isDirect(link))
  const ultimateId = ultimate === undefined ? undefined : stored.get(ultimate.ownerNumber)?.id
  const links = removeRepeats(known.links())
  return {
    targetId: entityId.parse(target.id),
    statedUltimateParentId: ultimateId === undefined ? null : entityId.parse(ultimateId),
    companies: [...stored.values()].map(toOwnershipCompany),
    links: links.flatMap((link) => toOwnershipLinks(link, stored)),
    evidence: listEvidence(
      links,
      upward.flatMap((number) => stored.get(number) ?? []),
    ),
  }
}

const isDirect = ({ type }: StoredOwnership) => type !== 'IS_ULTIMATELY_CONSOLIDATED_BY'

interface KnownLinks {
  /** Adds links up to the limit of companies. */
  add(links: readonly StoredOwnership[]): void
  /** Number of further links to read. */
  roomCount(): number
  links(): readonly StoredOwnership[]
  companyNumbers(): ReadonlySet<number>
}

function collectLinks(targetNumber: number): KnownLinks {
  const companies = new Set([targetNumber])
  const links: StoredOwnership[] = []
  return {
    add(added) {
      for (const link of added) {
        const isWithin = [link.ownerNumber, link.ownedNumber].every((number) => companies.has(number))
        if (!isWithin && companies.size >= ownershipLimits.companiesMax) continue
        companies.add(link.ownerNumber).add(link.ownedNumber)
        links.push(link)
      }
    },
    roomCount: () => ownershipLimits.companiesMax - companies.size + 1,
    links: () => links,
    companyNumbers: () => companies,
  }
}

/** Collects the target and its owners at all levels, nearest first. */
function collectOwners(targetNumber: number, known: KnownLinks, ownerships: OwnershipReader): number[] {
  const reached = new Set([targetNumber])
  for (const number of reached) {
    known.add(ownerships.findOwners(number, ownershipLimits.ownersOfOneMax))
    for (const { ownerNumber, ownedNumber } of known.links())
      if (ownedNumber === number) reached.add(ownerNumber)
  }
  return [...reached]
}

function readCompanies(
  numbers: ReadonlySet<number>,
  { entityByNumber }: OwnershipDeps,
): Map<number, StoredEntity> {
  const stored = new Map<number, StoredEntity>()
  for (const number of numbers) {
    const entity = entityByNumber(number)
    if (entity !== null) stored.set(number, entity)
  }
  return stored
}

/** Keeps one link between two companies: direct before ultimate, with a percentage before without. */
function removeRepeats(links: readonly StoredOwnership[]): StoredOwnership[] {
  const kept = new Map<string, StoredOwnership>()
  for (const link of links) {
    const key = `${link.ownerNumber} ${link.ownedNumber}`
    const known = kept.get(key)
    const tellsMore = known?.percentage === null && link.percentage !== null && isDirect(link)
    if (known === undefined || !isDirect(known) || tellsMore) kept.set(key, link)
  }
  return [...kept.values()]
}

function toOwnershipCompany(stored: StoredEntity): OwnershipCompany {
  const primary = getPrimary(stored)
  const { countryCode } = splitJurisdiction(primary.jurisdiction)
  return {
    id: entityId.parse(stored.id),
    name: primary.legalName,
    countryCode: countryCode ?? primary.address.countryCode,
    jurisdiction: primary.jurisdiction,
    type: primary.type,
    isListed: isListed(stored),
  }
}

function toOwnershipLinks(link: StoredOwnership, stored: ReadonlyMap<number, StoredEntity>): OwnershipLink[] {
  const owner = stored.get(link.ownerNumber)
  const owned = stored.get(link.ownedNumber)
  if (owner === undefined || owned === undefined) return []
  const { type, percentage, fromDate } = link
  return [
    { ownerId: entityId.parse(owner.id), ownedId: entityId.parse(owned.id), type, percentage, fromDate },
  ]
}

function listEvidence(links: readonly StoredOwnership[], upward: readonly StoredEntity[]): string[] {
  const urls = [
    ...links.map(({ sourceUrl }) => sourceUrl),
    ...upward.map((stored) => findRecordUrl(getPrimary(stored))),
  ]
  const known = urls.filter((url) => url !== null)
  return [...new Set(known)].slice(0, ownershipLimits.evidenceMax)
}

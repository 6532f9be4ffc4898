import type { Sqlite } from '../../platform/sqlite.js'
import type { DomainHolder } from '../model/domain-holder.js'

/** Thousands give a page of a social network; the site of the domain itself is among the shortest. */
const holdersMax = 200

interface HolderRow {
  number: number
  entity_number: number
  website: string
  status: string | null
}

/** Finds registrations whose website is within a registrable domain, those of the shortest website first. */
export function createHolderFinder(database: Sqlite): (rootDomain: string) => DomainHolder[] {
  const byDomain = database.prepare<[string], HolderRow>(
    `SELECT number, entity_number, website, status FROM legal_entities
     WHERE domain = ? AND domain IS NOT NULL AND removed_from_source = 0 ORDER BY length(website), number LIMIT ${holdersMax}`,
  )
  return (rootDomain) =>
    byDomain.all(rootDomain).map((row) => ({
      entityNumber: row.entity_number,
      legalEntityNumber: row.number,
      website: row.website,
      isActive: row.status === null || row.status === 'active',
    }))
}

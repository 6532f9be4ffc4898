import type { HierarchyData } from '../../src/contract/hierarchy.js'
import type { Ownership } from '../../src/service/knowledge.js'

/** `owner > owned`, with the share behind it: `b > a 60`. The first company named is the one asked for. */
export function ownershipOf(
  targetId: string,
  links: readonly string[],
  parts: Partial<Ownership> = {},
): Ownership {
  const relationships = links.map((link, index): HierarchyData['relationships'][number] => {
    const [from = '', , to = '', share] = link.split(' ')
    return {
      id: `r${index + 1}`,
      from,
      to,
      relationship_type: typeOf(share),
      ownership_percentage: share === undefined ? null : Number(share),
      established_date: null,
    }
  })
  const ids = new Set([targetId, ...relationships.flatMap(({ from, to }) => [from, to])])
  return {
    targetId,
    ultimateParentId: null,
    entities: [...ids].map((id) => ({
      id,
      name: `${id.toUpperCase()} Ltd`,
      country_code: 'GB',
      jurisdiction: 'gb',
      organization_type: 'business',
      is_publicly_traded: false,
    })),
    relationships,
    evidence: [],
    ...parts,
  }
}

function typeOf(share: string | undefined): HierarchyData['relationships'][number]['relationship_type'] {
  if (share === undefined) return 'parent_of'
  return Number(share) > 50 ? 'majority_owns' : 'minority_owns'
}

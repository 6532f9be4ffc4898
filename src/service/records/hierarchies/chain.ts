import type { HierarchyData } from '../../../contract/hierarchy.js'
import type { Ownership } from '../../knowledge.js'

type Relationship = HierarchyData['relationships'][number]
type OwnershipChain = HierarchyData['ownership_chain']

interface Climb {
  /** From the target upward; each company stands in it once. */
  readonly chain: OwnershipChain
  /** Null where nobody is known above the target, or those above own one another in a circle. */
  readonly ultimateParentId: string | null
  readonly endsInCircle: boolean
}

/**
 * The way up from the target, by those who control: more than half, or a parent whose share is not known. Who
 * owns half or less is on no way up, so that neither of two equal owners is called the parent.
 */
export function climb({ targetId, relationships, ultimateParentId: statedId }: Ownership): Climb {
  const controllersOf = groupControllers(relationships)
  const chain: OwnershipChain = []
  const reached = new Set([targetId])
  let topId = targetId
  const step = () =>
    nearest(
      controllersOf(topId).filter(({ from }) => !reached.has(from)),
      controllersOf,
    )
  for (let link = step(); link !== null; link = step()) {
    chain.push({
      entity_id: topId,
      parent_id: link.from,
      relationship_type: link.relationship_type,
      ownership_percentage: link.ownership_percentage,
    })
    reached.add(link.from)
    topId = link.from
  }
  const endsInCircle = controllersOf(topId).length > 0
  const foundId = endsInCircle || topId === targetId ? null : topId
  // A statement that the chain leads beyond is older than the chain.
  const ultimateParentId = statedId === null || reached.has(statedId) ? foundId : statedId
  return { chain, ultimateParentId, endsInCircle: endsInCircle && ultimateParentId === null }
}

type ControllersOf = (ownedId: string) => readonly Relationship[]

function groupControllers(relationships: readonly Relationship[]): ControllersOf {
  const byOwned = new Map<string, Relationship[]>()
  for (const relationship of relationships) {
    const { from, to, ownership_percentage: percentage } = relationship
    if (from === to || (percentage !== null && percentage <= 50)) continue
    const known = byOwned.get(to)
    if (known === undefined) byOwned.set(to, [relationship])
    else known.push(relationship)
  }
  return (ownedId) => byOwned.get(ownedId) ?? []
}

/** Of several the one that is above none of the others; of several such the larger share, then the first. */
function nearest(candidates: readonly Relationship[], controllersOf: ControllersOf): Relationship | null {
  const above = new Map(candidates.map(({ from }) => [from, allAbove(from, controllersOf)]))
  const direct = candidates.filter(
    ({ from }) => !candidates.some((other) => other.from !== from && above.get(other.from)?.has(from)),
  )
  const [first, ...others] = direct.length > 0 ? direct : candidates
  if (first === undefined) return null
  const shareOf = ({ ownership_percentage: percentage }: Relationship) => percentage ?? 0
  return others.reduce((best, other) => (shareOf(other) > shareOf(best) ? other : best), first)
}

function allAbove(id: string, controllersOf: ControllersOf): ReadonlySet<string> {
  const reached = new Set([id])
  for (const ownedId of reached) for (const { from } of controllersOf(ownedId)) reached.add(from)
  return reached
}

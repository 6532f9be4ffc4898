import { hierarchyData, type HierarchyData } from '../../../contract/hierarchy.js'
import { entityId } from '../../../contract/ids.js'
import type { Knowledge, Ownership } from '../../knowledge.js'
import { BuildFailure, type Compiler } from '../builds/build.js'
import { mermaidOf, summariesOf } from './texts.js'

/** The research behind a hierarchy; what breaks the interface throws, and is never stored. */
export function hierarchyCompiler(knowledge: Pick<Knowledge, 'ownership'>): Compiler {
  return (subject) => {
    const ownership = knowledge.ownership(entityId.parse(subject))
    if (ownership === null) throw new BuildFailure('No company of this id is known.')
    return JSON.stringify(hierarchyData.parse(hierarchyOf(ownership)))
  }
}

/** `data` of a completed hierarchy (interface: "Hierarchy research"). */
export function hierarchyOf(known: Ownership): HierarchyData {
  const named = new Map(known.entities.map(({ id, name }) => [id, { id, name }]))
  const target = named.get(known.targetId)
  if (target === undefined) throw new Error('the ownership does not hold the company asked for')
  const relationships = known.relationships.filter(({ from, to }) => named.has(from) && named.has(to))
  const { chain, ultimateParentId, endsInCircle } = climb({ ...known, relationships })
  const ultimateParent = ultimateParentId === null ? null : (named.get(ultimateParentId) ?? null)
  const parts = {
    entities: known.entities,
    relationships,
    ownership_chain: chain,
    evidence: [...known.evidence],
  }
  const { short, long } = summariesOf({ ...parts, target, ultimateParent, endsInCircle })
  return {
    ...parts,
    summary_short: short,
    summary_long: long,
    mermaid_diagram: mermaidOf(parts),
    target_entity: target,
    ultimate_parent: ultimateParent,
  }
}

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

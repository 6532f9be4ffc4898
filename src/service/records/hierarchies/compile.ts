import { hierarchyData, type HierarchyData } from '../../../contract/hierarchy.js'
import { entityId } from '../../../contract/ids.js'
import { BuildFailure } from '../builds/build.js'
import type { Compiler } from '../builds/build.js'
import type { Knowledge, Ownership } from '../../knowledge.js'
import { climb } from './chain.js'
import { mermaidOf } from './mermaid.js'
import { summariesOf } from './summaries.js'

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

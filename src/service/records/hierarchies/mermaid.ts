import type { HierarchyData, RelationshipType } from '../../../contract/hierarchy.js'

type Parts = Pick<HierarchyData, 'entities' | 'relationships'>

/**
 * The companies as boxes, owners above owned, as text for Mermaid. Names cannot leave their boxes: only
 * letters, digits, spaces and a few marks stand as they are, the rest as Mermaid's `#<code point>;`. Ids of
 * boxes are our own, so that no id of a knowledge is read as syntax either.
 */
export function mermaidOf({ entities, relationships }: Parts): string {
  const boxes = new Map(entities.map(({ id }, index) => [id, `n${index + 1}`]))
  const lines = entities.map(({ id, name }) => `  ${boxes.get(id) ?? ''}["${labelOf(name)}"]`)
  for (const relationship of relationships) {
    const from = boxes.get(relationship.from)
    const to = boxes.get(relationship.to)
    if (from !== undefined && to !== undefined)
      lines.push(`  ${from} -->|"${arrowLabel(relationship)}"| ${to}`)
  }
  return `${['flowchart TD', ...lines].join('\n')}\n`
}

const labelCharsMax = 80

function labelOf(name: string): string {
  // What is not to be seen (controls, marks of direction, halves of pairs) has no place in a box.
  const shown = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trim()
  const points = Array.from(shown)
  const cut = points.length > labelCharsMax ? [...points.slice(0, labelCharsMax - 1), '…'] : points
  return cut.length === 0 ? 'unnamed' : cut.map(escaped).join('')
}

const plain = /^[\p{L}\p{M}\p{N} .,'_-]$/u

function escaped(point: string): string {
  return plain.test(point) ? point : `#${point.codePointAt(0) ?? 0};`
}

const words: Readonly<Record<RelationshipType, string>> = {
  owns: 'owns',
  majority_owns: 'owns the majority',
  minority_owns: 'owns a minority',
  holding_company: 'holds',
  government_owns: 'owns as government',
  parent_of: 'is parent',
  subsidiary_of: 'is subsidiary',
}

/** A percent sign twice begins a directive: it is written by its code as well. */
function arrowLabel(relationship: HierarchyData['relationships'][number]): string {
  const { relationship_type: type, ownership_percentage: percentage } = relationship
  return percentage === null ? words[type] : `${words[type]}, ${percentage}#37;`
}

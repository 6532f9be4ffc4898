import type { HierarchyData, RelationshipType } from '../../../contract/hierarchy.js'

type KnownHierarchy = Pick<HierarchyData, 'entities' | 'relationships' | 'ownership_chain' | 'evidence'> & {
  readonly target: { readonly id: string; readonly name: string }
  readonly ultimateParent: { readonly name: string } | null
  readonly endsInCircle: boolean
}

export interface Summaries {
  readonly short: string
  readonly long: string
}

/** What the hierarchy says, in sentences: one or two, and all of it. */
export function summariesOf(known: KnownHierarchy): Summaries {
  const nameOf = namesOf(known.entities)
  const short = shortOf(known, nameOf)
  const { target, relationships } = known
  const inChain = new Set(known.ownership_chain.map((link) => `${link.parent_id} ${link.entity_id}`))
  const owners = relationships.filter(({ from, to }) => to === target.id && !inChain.has(`${from} ${to}`))
  const owned = relationships.filter(({ from }) => from === target.id)
  const parentId = known.ownership_chain[0]?.parent_id
  const siblings = relationships.filter(({ from, to }) => from === parentId && to !== target.id)
  const sentences = [
    short,
    ...known.ownership_chain.map(
      ({ entity_id: id, parent_id: parent, relationship_type: type, ownership_percentage: percentage }) =>
        sentence(`${nameOf(parent)} ${verbs[type]} ${nameOf(id)}${shareText(percentage)}`),
    ),
    ...owners
      .slice(0, namesMax)
      .map(
        (owner) =>
          `${nameOf(owner.from)} also ${verbs[owner.relationship_type]} it${shareText(owner.ownership_percentage)}.`,
      ),
    listed(`Below ${target.name}`, owned, nameOf),
    parentId === undefined ? null : listed(`Beside it below ${nameOf(parentId)}`, siblings, nameOf),
    evidenceText(known.evidence.length),
  ]
  return { short, long: sentences.filter((sentence) => sentence !== null).join(' ') }
}

type Named = (id: string) => string

function namesOf(entities: HierarchyData['entities']): Named {
  const names = new Map(entities.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}

function shortOf(
  { target, ownership_chain: chain, ultimateParent, endsInCircle }: KnownHierarchy,
  nameOf: Named,
): string {
  const parentId = chain[0]?.parent_id
  if (parentId === undefined) {
    return ultimateParent === null
      ? `No parent of ${target.name} is known.`
      : sentence(`The ultimate parent of ${target.name} is ${ultimateParent.name}`)
  }
  const belongs = `${target.name} belongs to ${nameOf(parentId)}`
  if (endsInCircle)
    return `${sentence(belongs)} Its owners own one another, so that none of them is the ultimate parent.`
  if (ultimateParent === null) return sentence(belongs)
  return ultimateParent.name === nameOf(parentId)
    ? `${belongs}, its ultimate parent.`
    : `${sentence(belongs)} ${sentence(`Its ultimate parent is ${ultimateParent.name}`)}`
}

const verbs: Readonly<Record<RelationshipType, string>> = {
  owns: 'owns',
  majority_owns: 'owns the majority of',
  minority_owns: 'owns a minority of',
  holding_company: 'is the holding company of',
  government_owns: 'owns, as a government,',
  parent_of: 'is the parent of',
  subsidiary_of: 'is a subsidiary of',
}

/** Many a name ends with a full stop of its own. */
const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

const shareText = (percentage: number | null): string => (percentage === null ? '' : ` (${percentage}%)`)

const namesMax = 10

function listed(
  what: string,
  relationships: readonly HierarchyData['relationships'][number][],
  nameOf: Named,
): string | null {
  const names = [...new Set(relationships.map(({ to }) => nameOf(to)))]
  if (names.length === 0) return null
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
  return sentence(`${what}: ${names.slice(0, namesMax).join(', ')}${more}`)
}

function evidenceText(count: number): string {
  if (count === 0) return 'No public record of it is known.'
  return `Read with ${count} public record${count === 1 ? '' : 's'}.`
}

/**
 * The companies as boxes, owners above owned, as text for Mermaid. Names cannot leave their boxes: only
 * letters, digits, spaces and a few marks stand as they are, the rest as Mermaid's `#<code point>;`. Ids of
 * boxes are our own, so that no id of a knowledge is read as syntax either.
 */
export function mermaidOf({
  entities,
  relationships,
}: Pick<HierarchyData, 'entities' | 'relationships'>): string {
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

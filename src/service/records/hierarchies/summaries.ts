import type { HierarchyData, RelationshipType } from '../../../contract/hierarchy.js'

type Parts = Pick<HierarchyData, 'entities' | 'relationships' | 'ownership_chain' | 'evidence'> & {
  readonly target: { readonly id: string; readonly name: string }
  readonly ultimateParent: { readonly name: string } | null
  readonly endsInCircle: boolean
}

export interface Summaries {
  readonly short: string
  readonly long: string
}

/** What the hierarchy says, in sentences: one or two, and all of it. */
export function summariesOf(parts: Parts): Summaries {
  const nameOf = namesOf(parts.entities)
  const short = shortOf(parts, nameOf)
  const { target, relationships } = parts
  const inChain = new Set(parts.ownership_chain.map((link) => `${link.parent_id} ${link.entity_id}`))
  const owners = relationships.filter(({ from, to }) => to === target.id && !inChain.has(`${from} ${to}`))
  const owned = relationships.filter(({ from }) => from === target.id)
  const parentId = parts.ownership_chain[0]?.parent_id
  const siblings = relationships.filter(({ from, to }) => from === parentId && to !== target.id)
  const sentences = [
    short,
    ...parts.ownership_chain.map(
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
    evidenceText(parts.evidence.length),
  ]
  return { short, long: sentences.filter((sentence) => sentence !== null).join(' ') }
}

type Named = (id: string) => string

function namesOf(entities: HierarchyData['entities']): Named {
  const names = new Map(entities.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}

function shortOf(
  { target, ownership_chain: chain, ultimateParent, endsInCircle }: Parts,
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

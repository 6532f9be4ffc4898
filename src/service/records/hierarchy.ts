import { hierarchyData, type HierarchyData, type RelationshipType } from '../../contract/hierarchy.js'
import { entityId } from '../../contract/enums.js'
import type { Knowledge, Ownership } from '../knowledge.js'
import { BuildFailure, type Compiler } from './builds/build.js'

type KnownHierarchy = Pick<HierarchyData, 'entities' | 'relationships' | 'ownership_chain' | 'evidence'> & {
  readonly target: { readonly id: string; readonly name: string }
  readonly ultimateParent: { readonly name: string } | null
  readonly endsInCircle: boolean
}

interface Summaries {
  readonly short: string
  readonly long: string
}

/** Describes the hierarchy in sentences: `short` in one or two, `long` in full. */
function buildSummaries(known: KnownHierarchy): Summaries {
  const getName = createNameLookup(known.entities)
  const short = summarizeBriefly(known, getName)
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
        toSentence(`${getName(parent)} ${verbs[type]} ${getName(id)}${formatShare(percentage)}`),
    ),
    ...owners
      .slice(0, namesMax)
      .map(
        (owner) =>
          `${getName(owner.from)} also ${verbs[owner.relationship_type]} it${formatShare(owner.ownership_percentage)}.`,
      ),
    formatList(`Below ${target.name}`, owned, getName),
    parentId === undefined ? null : formatList(`Beside it below ${getName(parentId)}`, siblings, getName),
    describeEvidence(known.evidence.length),
  ]
  return { short, long: sentences.filter((sentence) => sentence !== null).join(' ') }
}

type NameLookup = (id: string) => string

function createNameLookup(entities: HierarchyData['entities']): NameLookup {
  const names = new Map(entities.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}

function summarizeBriefly(
  { target, ownership_chain: chain, ultimateParent, endsInCircle }: KnownHierarchy,
  getName: NameLookup,
): string {
  const parentId = chain[0]?.parent_id
  if (parentId === undefined) {
    return ultimateParent === null
      ? `No parent of ${target.name} is known.`
      : toSentence(`The ultimate parent of ${target.name} is ${ultimateParent.name}`)
  }
  const belongs = `${target.name} belongs to ${getName(parentId)}`
  if (endsInCircle)
    return `${toSentence(belongs)} Its owners own one another, so that none of them is the ultimate parent.`
  if (ultimateParent === null) return toSentence(belongs)
  return ultimateParent.name === getName(parentId)
    ? `${belongs}, its ultimate parent.`
    : `${toSentence(belongs)} ${toSentence(`Its ultimate parent is ${ultimateParent.name}`)}`
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

/** Many names end with a full stop themselves. */
const toSentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

const formatShare = (percentage: number | null): string => (percentage === null ? '' : ` (${percentage}%)`)

const namesMax = 10

function formatList(
  what: string,
  relationships: readonly HierarchyData['relationships'][number][],
  getName: NameLookup,
): string | null {
  const names = [...new Set(relationships.map(({ to }) => getName(to)))]
  if (names.length === 0) return null
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
  return toSentence(`${what}: ${names.slice(0, namesMax).join(', ')}${more}`)
}

function describeEvidence(count: number): string {
  if (count === 0) return 'No public record of it is known.'
  return `Read with ${count} public record${count === 1 ? '' : 's'}.`
}

/**
 * Renders the companies as a Mermaid flowchart, owners above owned. Only letters, digits, spaces and a few other
 * characters are kept; the rest is written as `#<code point>;`, so that names cannot break out of their boxes. Box
 * ids are generated, so that no id is parsed as syntax either.
 */
export function renderMermaid({
  entities,
  relationships,
}: Pick<HierarchyData, 'entities' | 'relationships'>): string {
  const boxes = new Map(entities.map(({ id }, index) => [id, `n${index + 1}`]))
  const lines = entities.map(({ id, name }) => `  ${boxes.get(id) ?? ''}["${toLabel(name)}"]`)
  for (const relationship of relationships) {
    const from = boxes.get(relationship.from)
    const to = boxes.get(relationship.to)
    if (from !== undefined && to !== undefined)
      lines.push(`  ${from} -->|"${buildArrowLabel(relationship)}"| ${to}`)
  }
  return `${['flowchart TD', ...lines].join('\n')}\n`
}

const labelCharsMax = 80

function toLabel(name: string): string {
  // Removes invisible characters: controls, direction marks and lone surrogates.
  const shown = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/\p{C}/gu, '')
    .trim()
  const points = Array.from(shown)
  const cut = points.length > labelCharsMax ? [...points.slice(0, labelCharsMax - 1), '…'] : points
  return cut.length === 0 ? 'unnamed' : cut.map(escapeCharacter).join('')
}

const plain = /^[\p{L}\p{M}\p{N} .,'_-]$/u

function escapeCharacter(point: string): string {
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

/** Two percent signs would start a directive, so they are written by code as well. */
function buildArrowLabel(relationship: HierarchyData['relationships'][number]): string {
  const { relationship_type: type, ownership_percentage: percentage } = relationship
  return percentage === null ? words[type] : `${words[type]}, ${percentage}#37;`
}

/** Compiles a hierarchy. Throws if it breaks the interface, so that it is never stored. */
export function createHierarchyCompiler(knowledge: Pick<Knowledge, 'ownership'>): Compiler {
  return (subject) => {
    const ownership = knowledge.ownership(entityId.parse(subject))
    if (ownership === null) throw new BuildFailure('No company of this id is known.')
    return JSON.stringify(hierarchyData.parse(buildHierarchy(ownership)))
  }
}

/** Builds the `data` of a completed hierarchy (interface: "Hierarchy research"). */
export function buildHierarchy(known: Ownership): HierarchyData {
  const named = new Map(known.entities.map(({ id, name }) => [id, { id, name }]))
  const target = named.get(known.targetId)
  if (target === undefined) throw new Error('the ownership does not contain the requested company')
  const relationships = known.relationships.filter(({ from, to }) => named.has(from) && named.has(to))
  const { chain, ultimateParentId, endsInCircle } = findOwnershipChain({ ...known, relationships })
  const ultimateParent = ultimateParentId === null ? null : (named.get(ultimateParentId) ?? null)
  const parts = {
    entities: known.entities,
    relationships,
    ownership_chain: chain,
    evidence: [...known.evidence],
  }
  const { short, long } = buildSummaries({ ...parts, target, ultimateParent, endsInCircle })
  return {
    ...parts,
    summary_short: short,
    summary_long: long,
    mermaid_diagram: renderMermaid(parts),
    target_entity: target,
    ultimate_parent: ultimateParent,
  }
}

type Relationship = HierarchyData['relationships'][number]
type OwnershipChain = HierarchyData['ownership_chain']

interface OwnershipPath {
  /** From the target upward; each company occurs once. */
  readonly chain: OwnershipChain
  /** `null` if no owner of the target is known, or its owners own one another in a cycle. */
  readonly ultimateParentId: string | null
  readonly endsInCircle: boolean
}

/**
 * Follows the controlling owners upward from the target: those with more than half, and parents with an unknown
 * share. Owners of half or less do not count, so that neither of two equal owners is the parent.
 */
export function findOwnershipChain({
  targetId,
  relationships,
  ultimateParentId: statedId,
}: Ownership): OwnershipPath {
  const getControllers = groupControllers(relationships)
  const chain: OwnershipChain = []
  const reached = new Set([targetId])
  let topId = targetId
  const step = () =>
    findNearest(
      getControllers(topId).filter(({ from }) => !reached.has(from)),
      getControllers,
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
  const endsInCircle = getControllers(topId).length > 0
  const foundId = endsInCircle || topId === targetId ? null : topId
  // A stated parent that the chain has passed is older than the chain.
  const ultimateParentId = statedId === null || reached.has(statedId) ? foundId : statedId
  return { chain, ultimateParentId, endsInCircle: endsInCircle && ultimateParentId === null }
}

type ControllerLookup = (ownedId: string) => readonly Relationship[]

function groupControllers(relationships: readonly Relationship[]): ControllerLookup {
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

/** Returns a candidate that is above none of the others, with the largest share. */
function findNearest(
  candidates: readonly Relationship[],
  getControllers: ControllerLookup,
): Relationship | null {
  const above = new Map(candidates.map(({ from }) => [from, listAbove(from, getControllers)]))
  const direct = candidates.filter(
    ({ from }) => !candidates.some((other) => other.from !== from && above.get(other.from)?.has(from)),
  )
  const [first, ...others] = direct.length > 0 ? direct : candidates
  if (first === undefined) return null
  const getShare = ({ ownership_percentage: percentage }: Relationship) => percentage ?? 0
  return others.reduce((best, other) => (getShare(other) > getShare(best) ? other : best), first)
}

function listAbove(id: string, getControllers: ControllerLookup): ReadonlySet<string> {
  const reached = new Set([id])
  for (const ownedId of reached) for (const { from } of getControllers(ownedId)) reached.add(from)
  return reached
}

import type { CandidateView, AlikeRow, QueueRow } from '../../page-data.js'

type Evidence = CandidateView['evidence']

/** A line of the summary of a candidate's evidence. */
export interface SummaryLine {
  /** `Kind`: the kind of body, if only that keeps the candidate from being the answer. */
  readonly label: 'Kind' | 'Name' | 'Place' | 'For' | 'Against'
  readonly text: string
}

/** Labels of parts that have their own line, or that do not describe the candidate. */
const notListed = ['name', 'kind of name', 'place', 'start']
const againstMax = 2
/** Weights below this are displayed as 0.0. */
const noWeight = 0.05

/**
 * Returns name, place and evidence against a candidate. If the first part is a kind of body, it is the reason why the
 * candidate is not the answer, whatever its weight, and comes first.
 */
export function summarizeEvidence(evidence: Evidence): SummaryLine[] {
  if (evidence.length === 0) return []
  const names = evidence.filter(({ label }) => label === 'name' || label === 'kind of name')
  const place = evidence.find(({ label }) => label === 'place')
  const [first] = evidence
  const reason = first?.label === 'kind of body' ? first : null
  const support =
    names.length > 0 ? [] : evidence.filter(({ label }) => label === 'for it' || label === 'identifier')
  const against = evidence
    .filter((part) => part !== reason && isAgainst(part) && !notListed.includes(part.label))
    .sort((one, other) => (one.weight ?? 0) - (other.weight ?? 0))
    .slice(0, againstMax)
  return [
    toSummaryLine('Kind', reason === null ? [] : [reason]),
    toSummaryLine('Name', names),
    toSummaryLine('For', support.slice(0, 1)),
    toSummaryLine('Place', place === undefined ? [] : [place]),
    toSummaryLine('Against', against) ?? { label: 'Against' as const, text: 'nothing else' },
  ].filter((line) => line !== null)
}

const isAgainst = ({ label, weight }: Evidence[number]): boolean =>
  weight === null ? label === 'against it' || label === 'kind of registration' : weight <= -noWeight

const toSummaryLine = (label: SummaryLine['label'], parts: Evidence): SummaryLine | null =>
  parts.length === 0 ? null : { label, text: joinTexts(parts.map(({ text }) => text.trim())) }

/** Joins texts with semicolons; after a sentence, with a space. */
const joinTexts = (texts: readonly string[]): string =>
  texts.reduce((joined, text) => `${joined}${/[.!?…]$/u.test(joined) ? ' ' : '; '}${text}`)

/** The registered name if there is one. `nameMarks` belongs to this name. */
export const getRegisteredName = ({
  legalName,
  name,
  entityId,
}: Pick<CandidateView, 'legalName' | 'name' | 'entityId'>): string =>
  legalName ?? name ?? entityId ?? 'without a name'

/** Returns the names other than the registered one. Names that differ only in case or punctuation are the same. */
export function listOtherNames(
  candidate: Pick<CandidateView, 'legalName' | 'name' | 'entityId' | 'otherNames'>,
): string[] {
  const known = new Set([foldName(getRegisteredName(candidate))])
  return [candidate.name, ...candidate.otherNames].filter((name) => {
    if (name === null || known.has(foldName(name))) return false
    known.add(foldName(name))
    return true
  }) as string[]
}

/** Some letters have only an upper case in common: ß and SS. */
const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '') || name

/** Position of a weight's bar, in percent of the width shared by all candidates of a row. */
export interface Bar {
  readonly left: number
  readonly width: number
  readonly isFor: boolean
}

export interface Scale {
  readonly least: number
  readonly most: number
}

type Weights = readonly (number | null)[]

/** Calculates one scale for several candidates, so that they can be compared. */
export function calculateScale(candidates: readonly Weights[]): Scale {
  const points = candidates.flatMap((weights) => listSums(weights))
  return { least: Math.min(0, ...points), most: Math.max(0, ...points) }
}

/** Calculates the bar of each weight. Each bar starts at the end of the one before; `null` if the weight is unknown. */
export function calculateBars(weights: Weights, { least, most }: Scale): (Bar | null)[] {
  const span = most - least
  let sum = 0
  return weights.map((weight) => {
    if (weight === null || span === 0) return null
    const before = sum
    sum += weight
    const left = ((Math.min(before, sum) - least) / span) * 100
    return { left, width: (Math.abs(weight) / span) * 100, isFor: weight >= 0 }
  })
}

/** Position of zero, in percent. */
export const calculateZero = ({ least, most }: Scale): number =>
  most === least ? 0 : ((0 - least) / (most - least)) * 100

/** The sum after each weight. */
function listSums(weights: Weights): number[] {
  let sum = 0
  return weights.filter((weight) => weight !== null).map((weight) => (sum += weight))
}

/** A verdict for several rows; `candidate` is `null` for "none of these". */
export interface Choice {
  readonly key: string
  readonly candidate: CandidateView | null
}

/** The candidates that can be accepted, with their keys on the page, and "none of these". */
export const listChoices = (candidates: readonly CandidateView[]): Choice[] => [
  ...candidates
    .map((candidate, index) => ({ key: String(index + 1), candidate }))
    .filter(({ candidate }) => candidate.obstacle === null && candidate.entityId !== null),
  { key: 'n', candidate: null },
]

/** The rows to which the verdict applies. A company must be a candidate of each. */
export function findDecidableRows(choice: Choice, row: QueueRow, alike: readonly AlikeRow[]): QueueRow[] {
  const entityId = choice.candidate?.entityId ?? null
  return [
    row,
    ...alike
      .filter(
        ({ entityIds }) => choice.candidate === null || (entityId !== null && entityIds.includes(entityId)),
      )
      .map((one) => one.row),
  ]
}

import type { CandidateView } from '../../page-data.js'

type Evidence = CandidateView['evidence']

/** A line of the short form of a candidate's evidence. */
export interface SummaryLine {
  readonly label: 'Name' | 'Place' | 'For' | 'Against'
  readonly text: string
}

/** Labels of parts that have their own line, or that are not about the candidate. */
const notListed = ['name', 'kind of name', 'place', 'start']
const againstMax = 2
/** A weight that is shown as 0.0. */
const noWeight = 0.05

/**
 * Name, place, and what speaks against a candidate. A kind of body that comes before all other evidence is the reason why
 * the candidate is not the answer: its line comes first, whatever its weight.
 */
export function summarizeEvidence(evidence: Evidence): SummaryLine[] {
  if (evidence.length === 0) return []
  const names = evidence.filter(({ label }) => label === 'name' || label === 'kind of name')
  const place = evidence.find(({ label }) => label === 'place')
  const [first] = evidence
  const reason = first?.label === 'kind of body' ? first : null
  const support =
    names.length > 0 ? [] : evidence.filter(({ label }) => label === 'for it' || label === 'identifier')
  const others = evidence
    .filter((part) => part !== reason && isAgainst(part) && !notListed.includes(part.label))
    .sort((one, other) => (one.weight ?? 0) - (other.weight ?? 0))
  const against = [...(reason === null ? [] : [reason]), ...others].slice(0, againstMax)
  const lines = [
    lineOf('Name', names),
    lineOf('For', support.slice(0, 1)),
    lineOf('Place', place === undefined ? [] : [place]),
    lineOf('Against', against) ?? { label: 'Against' as const, text: 'nothing else' },
  ].filter((line) => line !== null)
  return reason === null ? lines : [...lines.slice(-1), ...lines.slice(0, -1)]
}

const isAgainst = ({ label, weight }: Evidence[number]): boolean =>
  weight === null ? label === 'against it' || label === 'kind of registration' : weight <= -noWeight

const lineOf = (label: SummaryLine['label'], parts: Evidence): SummaryLine | null =>
  parts.length === 0 ? null : { label, text: parts.map(({ text }) => text).join('; ') }

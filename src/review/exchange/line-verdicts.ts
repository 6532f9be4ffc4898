import { cutToWidth } from '../../core/terminal-text.js'
import { unreachable } from '../../core/errors.js'
import { foldText } from '../../core/lookup-identity.js'
import { neutraliseFormula } from '../../pipeline/answers/columns.js'
import type { Verdict } from '../../pipeline/lookups/decision.js'
import type { DecisionView, QueueRow } from '../page-data.js'
import { requestLimits } from '../server/requests.js'
import type { FilledLine } from './todo-file.js'
import { isEntityId } from '../../core/identifiers.js'

/** A verdict to be recorded. */
export interface SettledLine {
  /** The row or line that says so. */
  readonly number: number
  readonly row: QueueRow
  readonly verdict: Verdict
  readonly entityId: string | null
  readonly note: string | null
}

/** Why a line cannot be taken. */
export interface LineProblem {
  readonly number: number
  /** Of the lookup; null where the line has none. */
  readonly name: string | null
  readonly text: string
}

export interface SettledLines {
  /** In the order of the file, one a lookup. */
  readonly choices: readonly SettledLine[]
  readonly problems: readonly LineProblem[]
  /** Lookups that are decided as the file says. */
  readonly unchangedCount: number
  /** Lines without a verdict. */
  readonly undecidedCount: number
  /** Those of them that have a note, which is not recorded. */
  readonly loneNoteCount: number
}

/** What was known when the file came back. */
export interface Known {
  /** The lookups of the input that are doubtful or decided, by their keys in hexadecimal digits. */
  readonly rows: ReadonlyMap<string, QueueRow>
  readonly reviewer: string
  /** What the numbers of lines count. */
  readonly unit: 'row' | 'line'
}

/** What a filled file decides, line for line; whether the companies it names are there is not looked at here. */
export function settleLines(lines: readonly FilledLine[], known: Known): SettledLines {
  const typed = lines.map((line) => ({ line, verdict: readVerdict(line.verdict) }))
  const undecided = typed.filter(({ verdict }) => verdict.kind === 'undecided').map(({ line }) => line)
  const problems: LineProblem[] = []
  const settled = new Map<string, SettledLine>()
  const unchanged = new Set<string>()
  for (const { line, verdict } of typed) {
    if (verdict.kind === 'undecided') continue
    const read = settleLine(line, known)
    if ('text' in read) {
      problems.push(read)
      continue
    }
    const { lookup } = read.row
    const other = settled.get(lookup)
    if (other !== undefined && !isSame(read, other)) {
      const text = `${known.unit} ${other.number} decides the same lookup otherwise: ${saidOf(other)} there, ${saidOf(read)} here`
      problems.push({ number: read.number, name: read.row.name, text })
    } else if (other === undefined) settled.set(lookup, read)
    else if (other.note === null && read.note !== null) settled.set(lookup, { ...other, note: read.note })
  }
  for (const line of settled.values()) {
    const standing = standingOf(line.row)
    if (standing === null) continue
    if (isUnchanged(line, standing, known.reviewer)) unchanged.add(line.row.lookup)
    else if (standing.decidedBy !== known.reviewer) problems.push(decidedByOther(line, standing))
  }
  return {
    choices: [...settled.values()].filter(({ row }) => !unchanged.has(row.lookup)),
    problems: [...problems].sort((a, b) => a.number - b.number),
    unchangedCount: unchanged.size,
    undecidedCount: undecided.length,
    loneNoteCount: undecided.filter(({ note }) => note !== '').length,
  }
}

/** A decision that is doubtful again does not stand in the way of a new one. */
const standingOf = ({ decision, reason }: QueueRow): DecisionView | null =>
  reason === null ? decision : null

type Said = Pick<SettledLine, 'verdict' | 'entityId'>

const isSame = (one: Said, other: Said): boolean =>
  one.verdict === other.verdict && one.entityId === other.entityId

/** A note that is new is recorded beside a verdict of one's own; of another's, the verdict counts. */
function isUnchanged(line: SettledLine, standing: DecisionView, reviewer: string): boolean {
  if (!isSame(line, standing)) return false
  const hasNewNote = line.note !== null && foldText(line.note) !== foldText(standing.note)
  return !hasNewNote || standing.decidedBy !== reviewer
}

export function decidedByOther({ number, row }: SettledLine, other: DecisionView): LineProblem {
  const when = new Date(other.decidedAtMs).toISOString().slice(0, 16).replace('T', ' ')
  const text = `${other.decidedBy} decided it otherwise on ${when} UTC: ${saidOf(other)}`
  return { number, name: row.name, text }
}

const saidOf = ({ verdict, entityId }: Said): string =>
  verdict === 'none' ? 'none of these' : (entityId ?? '')

function settleLine(line: FilledLine, { rows }: Known): SettledLine | LineProblem {
  const { number } = line
  const row = rows.get(line.lookup)
  const problem = (text: string): LineProblem => ({ number, name: row?.name ?? line.name, text })
  if (line.lookup === '') return problem('it has a verdict, and no lookup')
  if (row === undefined)
    return problem(`the input has no doubtful lookup ${cutToWidth(line.lookup, shownColumnsMax)}`)
  if (line.name !== null && !isNameOf(line.name, row)) {
    return problem(
      `its name is ${shown(line.name)}, and its lookup asked for ${shown(row.name)}: verdicts are about what was asked`,
    )
  }
  if (line.lookupAgain !== null && line.lookupAgain !== line.lookup) {
    const other = rows.get(line.lookupAgain)?.name ?? line.lookupAgain
    return problem(
      `its candidates are those of ${shown(other)}: some of the columns were sorted without the others`,
    )
  }
  if (line.note.length > requestLimits.noteCharsMax)
    return problem(`its note has more than ${requestLimits.noteCharsMax} characters`)
  const company = companyOf(line)
  return 'problem' in company
    ? problem(company.problem)
    : { number, row, ...company, note: line.note === '' ? null : line.note }
}

/** A CSV has an apostrophe before what a spreadsheet would run. */
const isNameOf = (name: string, row: QueueRow): boolean =>
  [row.name, neutraliseFormula(row.name)].some((one) => foldText(one) === foldText(name))

const shownColumnsMax = 60
function shown(text: string): string {
  const cut = cutToWidth(text, shownColumnsMax)
  return `"${cut}${cut === text ? '' : '…'}"`
}

/** The company meant, by the candidates of the file itself: those found since may be others. */
function companyOf(line: FilledLine): Said | { readonly problem: string } {
  const verdict = readVerdict(line.verdict)
  const ids = line.candidateIds.filter((id) => id !== null)
  switch (verdict.kind) {
    case 'none':
      return { verdict: 'none', entityId: null }
    case 'company':
      return { verdict: 'accepted', entityId: verdict.entityId }
    case 'candidate':
      return accepted(
        line.candidateIds[verdict.number - 1] ?? null,
        `there is no candidate ${verdict.number} with an id`,
      )
    case 'yes': {
      const [only = null] = ids
      const said = shown(line.verdict)
      return line.candidateCount > 1
        ? { problem: `${said} does not say which of ${line.candidateCount} candidates: type its number` }
        : accepted(only, `${said} accepts the only candidate, and there is none with an id`)
    }
    case 'undecided':
    case 'unreadable':
      return {
        problem: `${shown(line.verdict)} is no verdict: type the number of a candidate, none, or the id of a company`,
      }
    default:
      return unreachable(verdict)
  }
}

function accepted(id: string | null, problem: string): Said | { readonly problem: string } {
  if (id === null) return { problem }
  const typed = readVerdict(id)
  return typed.kind === 'company'
    ? { verdict: 'accepted', entityId: typed.entityId }
    : { problem: `the id of the candidate is ${shown(id)}, which is none` }
}

/** What a person typed into a cell for verdicts. */
export type TypedVerdict =
  | { readonly kind: 'undecided' }
  /** The candidate of this number, which need not be there. */
  | { readonly kind: 'candidate'; readonly number: number }
  /** The only candidate that is shown. */
  | { readonly kind: 'yes' }
  | { readonly kind: 'none' }
  | { readonly kind: 'company'; readonly entityId: string }
  | { readonly kind: 'unreadable' }

const yesWords: ReadonlySet<string> = new Set(['yes', 'y', 'true', 'ok', 'accept', 'accepted'])
const noneWords: ReadonlySet<string> = new Set(['none', 'none of these', 'no', 'n'])

/** Case, width and spaces do not matter, and a number may be one of a cell of numbers: `1.0`. */
export function readVerdict(cell: string): TypedVerdict {
  const text = cell.normalize('NFKC').replace(/\s+/g, ' ').trim()
  const word = text.toLowerCase()
  if (word === '') return { kind: 'undecided' }
  if (yesWords.has(word)) return { kind: 'yes' }
  if (noneWords.has(word)) return { kind: 'none' }
  const [, digits] = /^(\d{1,9})(?:[.,]0+)?$/.exec(word) ?? []
  if (digits !== undefined) return { kind: 'candidate', number: Number(digits) }
  // A spreadsheet begins what is typed with a capital letter.
  const entityId = text.replace(/^siq_/i, 'siq_')
  return isEntityId(entityId) ? { kind: 'company', entityId } : { kind: 'unreadable' }
}

import type { RunObjectLenient } from '../../contract/result.js'
import { packAnswer } from '../checkpoint/lookup.js'
import { renderAnswer, sliceAnswer } from './answer-line.js'
import { type AnswerColumn, reviewColumnGroups, reviewColumns, getStageColumns } from './column-kinds.js'
import { answerColumns } from './columns.js'
import { stageKinds } from '../../core/lookup-state.js'
import type { LookupId } from '../../core/lookup-identity.js'

/** An answer line in its written form. */
export interface WrittenLine {
  /** In UTF-8. */
  readonly line: Buffer
  /** Changes whenever the line does; `null` if it cannot be known without comparing lines. */
  readonly mark: Buffer | null
  /** Whether the row is listed by `enrich review`. */
  readonly needsReview: boolean
}

/** Receives the line of every lookup of the rows. Some are passed more than once. */
export interface LineObserver {
  onLine(id: LookupId, line: WrittenLine): void
}

const answerMark = toMark(answerColumns[0].name)
const basisMark = ',"basis":'

/**
 * Joins a row's answer line with its stage lines, in the order of `stageKinds`, and their bases. The result is one
 * object with the stage members first, joined and split as text: keys are found by their context, since quotes in texts
 * are escaped and no nested key before a column has its name.
 */
export function joinLines(line: string, stageLines: readonly string[]): string {
  const answer = getAnswerLine(line)
  if (stageLines.length === 0) return answer
  const members = stageLines.map(getMembers)
  const basis = stageLines.map(getBasisEntries).filter((entries) => entries !== '')
  return `{${members.join(',')},${withBasis(answer, basis.join(',')).slice(1)}`
}

/** Adds review members at the front: JSON without braces, in the order of `reviewColumnGroups`. Last step. */
export const withReview = (line: string, members: string): string => `{${members},${line.slice(1)}`

/** Index of each column in the result of `sliceLine`. */
export const linePositions: ReadonlyMap<string, number> = new Map(
  [...answerColumns, ...reviewColumns, ...stageKinds.flatMap(getStageColumns)].map(({ name }, index) => [
    name,
    index,
  ]),
)

/** Groups of members before an answer, all present or all absent, in their order. */
const groups: readonly (readonly AnswerColumn[])[] = [
  ...reviewColumnGroups,
  ...stageKinds.map(getStageColumns),
]

/** Returns the JSON text of each column of a line, by `linePositions`; undefined for missing columns. */
export function sliceLine(line: string): readonly (string | undefined)[] {
  if (line.startsWith(answerMark, 1)) return sliceAnswer(line)
  const values: (string | undefined)[] = [...sliceAnswer(getAnswerLine(line))]
  const members = getMembers(line)
  const columns = groups.filter((group) => isIn(members, group)).flat()
  const sliced = sliceMembers(
    members,
    columns.map(({ name }) => toMark(name)),
  )
  for (const [index, { name }] of columns.entries()) values[linePositions.get(name) ?? 0] = sliced[index]
  return values
}

function toMark(name: string): string {
  return `"${name}":`
}

function isIn(members: string, [first]: readonly AnswerColumn[]): boolean {
  const mark = toMark(first?.name ?? '')
  return members.startsWith(mark) || members.includes(`,${mark}`)
}

/** Returns the JSON text of each member; each key follows the value before it. */
function sliceMembers(members: string, keys: readonly string[]): string[] {
  const values: string[] = []
  let valueStart = -1
  for (const [index, key] of keys.entries()) {
    const mark = index === 0 ? key : `,${key}`
    const at = members.indexOf(mark, Math.max(valueStart, 0))
    if (at === -1) throw new Error('not a line of this version')
    if (valueStart !== -1) values.push(members.slice(valueStart, at))
    valueStart = at + mark.length
  }
  values.push(members.slice(valueStart))
  return values
}

/** Returns the stage and review members of a line, without braces. */
function getMembers(line: string): string {
  const ends = [line.indexOf(`,${answerMark}`), line.indexOf(basisMark), line.length - 1]
  return line.slice(1, Math.min(...ends.filter((end) => end !== -1)))
}

/** Returns a line without these members. */
function getAnswerLine(line: string): string {
  return line.startsWith(answerMark, 1) ? line : `{${line.slice(getMembers(line).length + 2)}`
}

/** Returns the entries of a line's basis, without brackets. */
function getBasisEntries(line: string): string {
  const text = line.slice(line.indexOf(basisMark) + basisMark.length, -1)
  return text === 'null' ? '' : text.slice(1, -1)
}

function withBasis(answer: string, entries: string): string {
  if (entries === '') return answer
  const start = answer.indexOf(basisMark) + basisMark.length
  const own = getBasisEntries(answer)
  return `${answer.slice(0, start)}[${own === '' ? entries : `${own},${entries}`}]}`
}

/** An answer in the form of the checkpoint. The thread that matched the name made it from the body of the run. */
export interface PreparedAnswer {
  /** Length of this body. */
  readonly bodyChars: number
  readonly runId: string
  readonly customId: string | null
  /** As echoed. */
  readonly name: string
  /** Never `merged` or `failed`, which need more than the body. */
  readonly outcome: string
  readonly confidence: number | null
  readonly resolvedAtMs: number | null
  readonly packed: ReturnType<typeof packAnswer>
}

export interface PreparedAnswers {
  /** Removes and returns an answer; null without one. */
  take(runId: string): PreparedAnswer | null
}

/**
 * Prepares an answer where it is made: the checkpoint then stores it as the poller would store the same body. Answers
 * that are `merged` or `failed` need the poller. `body`: the text of `run` as the poll returns it.
 *
 * @example
 * const { run, body } = buildRunPoll(answer, text, query, resolved)
 * const prepared = prepareAnswer(run, body, { runId, customId, name, outcome: 'matched', confidence: 97, resolvedAtMs })
 */
export function prepareAnswer(
  run: RunObjectLenient,
  body: string,
  facts: Omit<PreparedAnswer, 'bodyChars' | 'packed'>,
): PreparedAnswer {
  const { runId, customId, name, outcome, confidence, resolvedAtMs } = facts
  const { packed, ...sizes } = packAnswer(renderAnswer(run), body)
  return {
    bodyChars: body.length,
    runId,
    customId,
    name,
    outcome,
    confidence,
    resolvedAtMs,
    // A buffer of its own: a message to another thread copies the whole buffer that a view belongs to.
    packed: { ...sizes, packed: Buffer.from(new Uint8Array(packed).buffer) },
  }
}

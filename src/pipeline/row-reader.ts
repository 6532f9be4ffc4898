import { identify, type Lookup } from '../core/identity.js'
import type { KeyedLookup } from './checkpoint/checkpoint.js'
import { resolutionKey, stageLookup } from './checkpoint/lookup-key.js'
import type { TextRow } from './input/input.js'
import type { AskingRule } from './rules/asking-rule.js'
import { identifiersIn } from './rules/identifier-columns.js'
import { mayBeIdentifier } from './rules/name-cell.js'
import type { RowQuestion } from './rules/row-question.js'

export type AskedQuestion = Exclude<RowQuestion, { kind: 'invalid' }>

/** What rows ask, in order; of each, the cells of `askedColumns`. */
export type RowReader = (rows: readonly TextRow[]) => Promise<readonly RowQuestion[]>

/** What was asked before, of names as they stand. */
export interface EarlierNames {
  /** What is known of these can be asked for once this resolves. */
  fetch(lookups: readonly Lookup[]): Promise<void>
  wasAsked(lookup: Lookup): boolean
}

const loadQuestions = () => import('./rules/row-question.js')

/**
 * Reads rows as the rule says. Names alone are read at once; what identifiers need (suffixes of domains, countries) is
 * loaded with the first row that may have any. `earlier`: a name that is an identifier itself, and was asked as it
 * stands before, is asked so again, so that it is not billed again.
 */
export function createRowReader(rule: AskingRule, earlier: EarlierNames): RowReader {
  const { columns, readsNames } = rule
  const hasIdentifiers = identifiersIn(columns.identifiers).length > 0
  const isRead = ([cell = null]: TextRow) => readsNames && columns.name !== null && mayBeIdentifier(cell)
  const plainLookup = (row: TextRow) => {
    const plain = plainQuestion(rule, row)
    return plain.kind === 'resolution' ? [plain.lookup] : []
  }
  let questions: Awaited<ReturnType<typeof loadQuestions>> | null = null
  return async (rows) => {
    if (questions === null && (hasIdentifiers || rows.some(isRead))) questions = await loadQuestions()
    const { questionOf, cellsOf } = questions ?? { questionOf: null, cellsOf: null }
    if (questions !== null && readsNames) await earlier.fetch(rows.filter(isRead).flatMap(plainLookup))
    return rows.map((row) => {
      const isNameRead = questions !== null && isRead(row)
      if (questionOf === null || (!hasIdentifiers && !isNameRead)) return plainQuestion(rule, row)
      if (isNameRead) {
        const plain = plainQuestion(rule, row)
        if (plain.kind === 'resolution' && earlier.wasAsked(plain.lookup)) return plain
      }
      return questionOf(rule, cellsOf(rule, row))
    })
  }
}

/** By name, location and context alone. */
function plainQuestion({ columns }: AskingRule, row: TextRow): RowQuestion {
  const [name = null, ...cells] = columns.name === null ? [null, ...row] : row
  const contextAt = columns.location.length
  const context = cells.slice(contextAt, contextAt + columns.context.length)
  const read = identify(name, cells.slice(0, contextAt), context)
  if (read.kind === 'invalid') return read
  return { kind: 'resolution', lookup: read.lookup, byIdentifier: false, faults: [] }
}

export const isNoteworthy = (question: AskedQuestion): boolean =>
  question.kind === 'domain' || question.byIdentifier || question.faults.length > 0

/** A question as the checkpoint knows it, where equal ones are asked once. */
export const keyedQuestion = ({ kind, lookup }: AskedQuestion, occurrence = 0): KeyedLookup =>
  kind === 'domain'
    ? stageLookup(kind, lookup.name)
    : { kind, key: resolutionKey(lookup, occurrence), lookup }

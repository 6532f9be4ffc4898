import { parseBaseUrl } from '../../core/server-addresses.js'
import { describeEntityId, isEntityId } from '../../core/identifiers.js'
import { UserError } from '../../core/errors.js'
import { parseInstantMs } from '../../core/time.js'
import { formatCsv } from '../../tables/writers.js'
import { verdicts, type Decision, type Verdict } from '../../core/decisions.js'

/** Columns of a decisions file, in order. */
export const decisionColumns = [
  'lookup',
  'name',
  'location',
  'verdict',
  'entity_id',
  'entity_name',
  'decided_by',
  'decided_at',
  'note',
  'service',
] as const
export type DecisionColumn = (typeof decisionColumns)[number]

export const decisionsHeader = `${decisionColumns.join(',')}\n`

export function formatDecisionLine(decision: Decision): string {
  const cells: Record<DecisionColumn, string | null> = {
    lookup: decision.lookup,
    name: decision.name,
    location: decision.location,
    verdict: decision.verdict,
    entity_id: decision.entityId,
    entity_name: decision.entityName,
    decided_by: decision.decidedBy,
    decided_at: new Date(decision.decidedAtMs).toISOString(),
    note: decision.note,
    service: decision.service,
  }
  return formatCsv([decisionColumns.map((column) => escapeFormula(cleanCell(cells[column] ?? '')))])
}

/** Removes NUL and lone surrogates, which would make the whole file unreadable. */
const cleanCell = (cell: string): string => cell.toWellFormed().replaceAll('\0', '').trim()

/** Text that a spreadsheet would run as a formula, with any leading apostrophes. */
const guardedStart = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Adds an apostrophe, which reading removes again. */
const escapeFormula = (cell: string): string => (guardedStart.test(cell) ? `'${cell}` : cell)
const removeFormulaEscape = (cell: string): string =>
  cell.startsWith("'") && guardedStart.test(cell) ? cell.slice(1) : cell

/** A line's cells by column, and its number. */
export interface DecisionCells {
  readonly line: number
  readonly cells: Readonly<Record<DecisionColumn, string>>
}

/** Throws DECISIONS_INVALID with the line and the reason. */
export function parseDecision(path: string, { line, cells }: DecisionCells): Decision {
  const invalid = (message: string, hint: string) => createInvalidLineError(path, line, message, hint)
  const text = (column: DecisionColumn): string => removeFormulaEscape(cells[column].trim())
  const textOrNull = (column: DecisionColumn): string | null => text(column) || null
  const lookup = text('lookup').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(lookup)) {
    throw invalid(
      'its lookup is not 32 hexadecimal digits',
      'restore the line; a spreadsheet may have turned it into a number',
    )
  }
  const verdict = text('verdict').toLowerCase()
  if (!isVerdict(verdict))
    throw invalid('its verdict is neither accepted nor none', `write ${verdicts.join(' or ')}`)
  const entityId = textOrNull('entity_id')
  if (verdict === 'none' && entityId !== null)
    throw invalid('its verdict is "none", but it has an entity_id', 'write accepted, or clear the entity_id')
  if (verdict === 'accepted' && (entityId === null || !isEntityId(entityId)))
    throw invalid('its entity_id is not the id of a company', describeEntityId(entityId ?? ''))
  const decidedAtMs = parseInstantMs(text('decided_at'))
  if (decidedAtMs === null)
    throw invalid('its decided_at is not a time', 'write it like 2026-11-20T09:30:00Z')
  const decidedBy = text('decided_by')
  if (decidedBy === '') throw invalid('its decided_by is empty', 'write the name of the reviewer')
  const service = parseService(text('service'))
  if (service === undefined) {
    throw invalid(
      'its service is neither embedded nor a base URL',
      'leave it empty if the decision applies to any service',
    )
  }
  return {
    lookup,
    name: text('name'),
    location: textOrNull('location'),
    verdict,
    entityId,
    entityName: textOrNull('entity_name'),
    decidedBy,
    decidedAtMs,
    note: textOrNull('note'),
    service,
  }
}

const isVerdict = (text: string): text is Verdict => verdicts.some((verdict) => verdict === text)

/** Returns `undefined` if the text is not a service. */
function parseService(text: string): string | null | undefined {
  if (text === '') return null
  if (text.toLowerCase() === 'embedded') return 'embedded'
  try {
    return parseBaseUrl(text)
  } catch {
    return undefined
  }
}

export function createInvalidLineError(path: string, line: number, message: string, hint: string): UserError {
  return new UserError('DECISIONS_INVALID', `the decisions file ${path}, line ${line}: ${message}`, { hint })
}

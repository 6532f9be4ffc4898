import { parseBaseUrl } from '../../core/server-addresses.js'
import { isEntityId } from '../../core/identifiers.js'
import { UserError } from '../../core/errors.js'
import { instantMs } from '../../core/time.js'
import { csvText } from '../../tables/csv-writer.js'
import { verdicts, type Decision, type Verdict } from '../lookups/decision.js'

/** The columns of a decisions file, in the order in which they are written. */
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

/** The first line of a file that is written. */
export const decisionsHeader = `${decisionColumns.join(',')}\n`

/** A decision as a line of a file, with its line feed. */
export function decisionLine(decision: Decision): string {
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
  return csvText([decisionColumns.map((column) => guarded(writable(cells[column] ?? '')))])
}

/** No NUL and no half of a character: either would make the whole file one that cannot be read. */
const writable = (cell: string): string => cell.toWellFormed().replaceAll('\0', '').trim()

/** Apostrophes before what a spreadsheet would run as a formula. */
const guardedStart = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** One more apostrophe, which reading takes away again: each text comes back as it was. */
const guarded = (cell: string): string => (guardedStart.test(cell) ? `'${cell}` : cell)
const unguarded = (cell: string): string =>
  cell.startsWith("'") && guardedStart.test(cell) ? cell.slice(1) : cell

/** A line of a file: its cells by their columns, and its number. */
export interface DecisionCells {
  readonly line: number
  readonly cells: Readonly<Record<DecisionColumn, string>>
}

/** Throws DECISIONS_INVALID, which names the line and what is wrong with it. */
export function decisionOfCells(path: string, { line, cells }: DecisionCells): Decision {
  const invalid = (message: string, hint: string) => invalidLine(path, line, message, hint)
  const text = (column: DecisionColumn): string => unguarded(cells[column].trim())
  const textOrNull = (column: DecisionColumn): string | null => text(column) || null
  const lookup = text('lookup').toLowerCase()
  if (!/^[0-9a-f]{32}$/.test(lookup)) {
    throw invalid(
      'its lookup is not 32 hexadecimal digits',
      'put the line back as it was; a spreadsheet may have turned it into a number',
    )
  }
  const verdict = text('verdict').toLowerCase()
  if (!isVerdict(verdict))
    throw invalid('its verdict is neither accepted nor none', `write ${verdicts.join(' or ')}`)
  const entityId = textOrNull('entity_id')
  if (verdict === 'none' && entityId !== null)
    throw invalid('its verdict is none, and it names a company', 'write accepted, or empty its entity_id')
  if (verdict === 'accepted' && (entityId === null || !isEntityId(entityId)))
    throw invalid('its entity_id is not the id of a company', 'such an id begins with siq_')
  const decidedAtMs = instantMs(text('decided_at'))
  if (decidedAtMs === null)
    throw invalid('its decided_at is not a time', 'write it like 2026-11-20T09:30:00Z')
  const decidedBy = text('decided_by')
  if (decidedBy === '') throw invalid('it does not say who decided', 'write a name into its decided_by')
  const service = serviceOf(text('service'))
  if (service === undefined) {
    throw invalid(
      'its service is neither embedded nor a base URL',
      'leave it empty where the ids are of whichever service is asked',
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

/** Undefined where it is none. */
function serviceOf(text: string): string | null | undefined {
  if (text === '') return null
  if (text.toLowerCase() === 'embedded') return 'embedded'
  try {
    return parseBaseUrl(text)
  } catch {
    return undefined
  }
}

export function invalidLine(path: string, line: number, message: string, hint: string): UserError {
  return new UserError('DECISIONS_INVALID', `the decisions ${path}, line ${line}: ${message}`, { hint })
}

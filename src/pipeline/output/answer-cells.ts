import type { BasisRow } from '../answers/answer-line.js'
import { columnKinds } from '../answers/column-kinds.js'
import type { AnswerColumnName, OutputColumn } from '../answers/columns.js'
import { escapeFormula } from '../../core/text.js'
import { linePositions, sliceLine } from '../answers/joined-line.js'
import { isBasisOfStage } from '../answers/stage-lines.js'
import { assertNever } from '../../core/errors.js'

/** Returns the JSON text of a column, `null` if the line does not have it. */
export function getJson(values: readonly (string | undefined)[], name: string): string {
  return values[linePositions.get(name) ?? -1] ?? 'null'
}

/** Decodes the text of a JSON string or `null`. */
export function parseText(json: string): string | null {
  if (json === 'null') return null
  return json.includes('\\') ? (JSON.parse(json) as string) : json.slice(1, -1)
}

/** Formats a CSV row's answer cells. Lists stay JSON text, empty ones are empty cells; formulas are neutralised. */
export function formatCsvCells(line: string, columns: readonly OutputColumn[]): string[] {
  const values = sliceLine(line)
  return columns.map(({ name, kind }) => {
    const json = getJson(values, name)
    if (json === 'null') return ''
    const { cellForm } = columnKinds[kind]
    switch (cellForm) {
      case 'text':
        return escapeFormula(parseText(json) ?? '')
      case 'timestamp':
        return formatSpreadsheetInstant(parseText(json) ?? '')
      case 'json':
        return json
      case 'list':
        return json === '[]' ? '' : json
      default:
        return assertNever(cellForm)
    }
  })
}

/**
 * Formats an instant in UTC as `2026-01-02 03:04:05`, the ISO form that spreadsheets of every locale read as date and
 * time. Fractions are dropped: their notation depends on the locale.
 */
function formatSpreadsheetInstant(text: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(text) ? text.slice(0, 19).replace('T', ' ') : text
}

/** Formats the answer's members of a JSON object, without braces: `"enrich_status":"matched",…`. */
export function formatJsonMembers(line: string, columns: readonly OutputColumn[]): string {
  const values = sliceLine(line)
  return columns
    .map(({ name, outputName }) => `${JSON.stringify(outputName)}:${getJson(values, name)}`)
    .join(',')
}

/** The columns of a citation, or of a field without one. */
export const basisColumns = [
  'field',
  'value',
  'confidence',
  'reasoning',
  'citation_url',
  'excerpt',
  'source_type',
  'authority_tier',
] as const

export const basisFileColumns = ['row_number', 'name', 'run_id', ...basisColumns] as const

/** One cell for each basis column; `null` if empty. */
export type BasisCells = readonly (string | null)[]

/** Returns the basis rows of one input row: one for each citation, or one for a field without citations. */
export function listBasisRows(line: string, rowNumber: number, name: string | null): BasisCells[] {
  const values = sliceLine(line)
  const entries = JSON.parse(getJson(values, 'basis' satisfies AnswerColumnName)) as
    readonly BasisRow[] | null
  if (entries === null || entries.length === 0) return []
  const runId = parseText(getJson(values, 'run_id' satisfies AnswerColumnName))
  const rows: BasisCells[] = []
  for (const entry of entries) {
    const before = [entry.field, entry.value, entry.confidence, entry.reasoning]
    for (const citation of entry.citations.length === 0 ? [null] : entry.citations) {
      const after = [citation?.url ?? null, citation?.excerpt ?? null, citation?.source_type ?? null]
      const tier = citation?.authority_tier ?? null
      const ofRun = isBasisOfStage(entry) ? null : runId
      rows.push([String(rowNumber), name, ofRun, ...before, ...after, tier === null ? null : String(tier)])
    }
  }
  return rows
}

/** Numbers, and names in the user's own text. */
const plainBasisColumns: ReadonlySet<string> = new Set(['row_number', 'name', 'authority_tier'])

/** Formats a basis row for CSV, with formulas neutralised in all columns except `plainBasisColumns`. */
export function formatCsvBasisRow(cells: BasisCells): string[] {
  return cells.map((text, index) =>
    plainBasisColumns.has(basisFileColumns[index] ?? '') ? (text ?? '') : escapeFormula(text ?? ''),
  )
}

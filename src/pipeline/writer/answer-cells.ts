import type { Answer, BasisRow } from '../../core/answer-line.js'
import { neutraliseFormula, type OutputColumn } from '../../core/columns.js'
import { unreachable } from '../../core/errors.js'

/** An answer line was made by `core/answer-line.ts` and by nothing else, so it is what its type says. */
function parse(line: string): Answer {
  return JSON.parse(line) as Answer
}

/** The answer's cells of a CSV row. Lists are JSON text; text that a spreadsheet would run is neutralised. */
export function csvCells(line: string, columns: readonly OutputColumn[]): string[] {
  const answer = parse(line)
  return columns.map(({ name, kind }) => {
    const value = answer[name] ?? null
    if (value === null) return ''
    switch (kind) {
      case 'text':
        return neutraliseFormula(String(value))
      case 'integer':
      case 'boolean':
      case 'timestamp':
        return String(value)
      case 'factors':
      case 'actions':
      case 'basis':
        return JSON.stringify(value)
      default:
        return unreachable(kind)
    }
  })
}

/** The answer's members of a JSON object, without braces: `"enrich_status":"matched",…`. */
export function jsonMembersOf(line: string, columns: readonly OutputColumn[]): string {
  const answer = parse(line)
  return columns
    .map(({ name, outputName }) => `${JSON.stringify(outputName)}:${JSON.stringify(answer[name] ?? null)}`)
    .join(',')
}

export const basisFileColumns = [
  'row_number',
  'name',
  'run_id',
  'field',
  'value',
  'confidence',
  'reasoning',
  'citation_url',
  'excerpt',
  'source_type',
  'authority_tier',
] as const

/** The basis file's rows of one input row: one a citation, or one where a field has none. */
export function basisCells(line: string, rowNumber: number, name: string | null): string[][] {
  // Most answers without a basis say so plainly, and need no parsing.
  if (line.endsWith('"basis":[]}')) return []
  const answer = parse(line)
  const runId = typeof answer.run_id === 'string' ? answer.run_id : ''
  const rows: string[][] = []
  for (const entry of (answer.basis ?? []) as readonly BasisRow[]) {
    const before = [entry.field, entry.value, entry.confidence, entry.reasoning].map(own)
    for (const citation of entry.citations.length === 0 ? [null] : entry.citations) {
      const after = [citation?.url, citation?.excerpt, citation?.source_type].map(own)
      const tier = String(citation?.authority_tier ?? '')
      rows.push([String(rowNumber), name ?? '', own(runId), ...before, ...after, tier])
    }
  }
  return rows
}

function own(text: string | null | undefined): string {
  return neutraliseFormula(text ?? '')
}

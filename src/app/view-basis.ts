import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Environment } from '../config/file-config.js'
import { resolveSettings } from '../config/settings.js'
import { UserError } from '../core/errors.js'
import { toList, toObject, toText, type JsonObject } from '../core/json.js'
import { inspectColumns } from '../pipeline/inspect-rows.js'
import { basisColumns, getBasisPath } from '../pipeline/output/plain-table.js'
import { buildInputOptions } from './inspect-input.js'

/** One citation of a field, or a field without one, by the columns of the basis file. */
export type BasisLine = Readonly<Record<(typeof basisColumns)[number], string | null>>

const toLine = (values: JsonObject): BasisLine =>
  Object.fromEntries(basisColumns.map((name) => [name, toText(values[name]) || null])) as BasisLine

/** Lists the citations of the entries of an inline basis, which is JSON text. */
export const listCitations = (json: string): readonly BasisLine[] =>
  parseEntries(json).flatMap((entry) => {
    const citations = toList(entry['citations']).map((citation) => toObject(citation) ?? {})
    return (citations.length === 0 ? [{}] : citations).map((citation: JsonObject) =>
      toLine({ ...entry, ...citation, citation_url: citation['url'] }),
    )
  })

/** Parses the entries of a list that a file has as JSON text; none for any other text. */
export function parseEntries(text: string): readonly JsonObject[] {
  try {
    return toList(JSON.parse(text))
      .map(toObject)
      .filter((entry) => entry !== null)
  } catch {
    return []
  }
}

/**
 * Reads the basis of a row that has none inline: from the sheet `basis` of an Excel file, or from the file next to a CSV;
 * empty without one. `number`: from 1. Throws INPUT_* if the basis file cannot be read.
 */
export async function readBasis(
  path: string,
  number: number,
  environment: Environment,
): Promise<readonly BasisLine[]> {
  const isSheet = /\.xls[xm]$/i.test(path)
  const basisPath = isSheet ? path : getBasisPath(path)
  if (!existsSync(basisPath)) return []
  const input = isSheet ? { paths: [path], sheet: 'basis' } : { paths: [basisPath] }
  const settings = resolveSettings({ input }, environment)
  const options = { ...buildInputOptions(settings), spoolFolder: tmpdir() }
  try {
    const source = { input: options, columns: settings.input.columns, identifierUse: settings.identifierUse }
    return await inspectColumns(source, {}, async ({ input: file }) => {
      const names = basisColumns.filter((name) => file.columns.includes(name))
      const lines: BasisLine[] = []
      if (!file.columns.includes('row_number')) return lines
      for await (const batch of file.rows.texts(['row_number', ...names])) {
        for (const [rowNumber, ...texts] of batch) {
          // Lines have the order of the rows.
          if (Number(rowNumber) > number) return lines
          if (Number(rowNumber) === number)
            lines.push(toLine(Object.fromEntries(names.map((name, at) => [name, texts[at]]))))
        }
      }
      return lines
    })
  } catch (error) {
    if (error instanceof UserError && error.code === 'INPUT_SHEET_MISSING') return []
    throw error
  }
}

import { UserError } from '../../core/errors.js'
import { canonicalIdentifier } from '../model/identifiers.js'
import type { RowIdentifier } from '../model/registry-row.js'
import { addedRow } from './addition.js'
import type { FileFormat, ImportItem } from '../model/import-item.js'
import { openOneFile } from '../../tables/open-file.js'
import { emptyFile } from '../../tables/text-source.js'
import { readSample } from './sample.js'
import { tableItems, type TableRow } from './table.js'

/**
 * `lei-cik`: LEI to CIK, a line a pair. The two columns are found by what they hold, whatever they are called and in
 * whichever order. Each side gets the other's number, so that the pair helps where only one of them is held.
 */
export const leiCik: FileFormat = {
  coverage: 'whole',
  addsUp: true,
  async *read(path, options) {
    const sample = await readSample(path, options?.encoding)
    if (sample.text === '') throw emptyFile(path)
    const columns = pairColumns(sample.header, sample.rows)
    if (columns === null) {
      throw new UserError('REGISTRY_IMPORT_INVALID', `${path} is no map of LEI to CIK`, {
        hint: 'it needs a column of LEIs and one of CIKs: numbers of ten digits, or under a header that says CIK',
      })
    }
    const table = {
      what: 'map of LEI to CIK',
      required: [columns.lei, columns.cik],
      wanted: [],
      read: (row: TableRow, line: number) => pairItem(row, line, columns),
    }
    yield* tableItems(await openOneFile(path, null), table, { ...options, encoding: sample.encoding })
  },
}

interface PairColumns {
  readonly lei: string
  readonly cik: string
}

/** Of a hundred cells that are filled so many must be what the column is taken for. */
const shareMin = 0.95

/** Null where no column, or more than one, holds either. */
export function pairColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): PairColumns | null {
  const columnsWhere = (holds: (cell: string, name: string) => boolean) =>
    header.filter((name, index) => {
      const cells = rows.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '')
      const fitting = cells.filter((cell) => holds(cell, name))
      return cells.length > 0 && fitting.length >= cells.length * shareMin
    })
  const [lei, otherLei] = columnsWhere((cell) => 'value' in canonicalIdentifier('lei', cell))
  const [cik, otherCik] = columnsWhere(isCik)
  if (lei === undefined || cik === undefined || otherLei !== undefined || otherCik !== undefined) return null
  return { lei, cik }
}

/** A number alone may be anything: ten digits with zeros in front are a CIK's form, others need the header's word. */
function isCik(cell: string, name: string): boolean {
  const isNamed = /(?:^|[^a-z])cik(?:$|[^a-z])|central.?index/i.test(name)
  return isNamed ? /^\d{1,10}$/.test(cell) && Number(cell) > 0 : /^0\d{9}$/.test(cell) && Number(cell) > 0
}

function pairItem(row: TableRow, line: number, columns: PairColumns): ImportItem {
  const lei = canonicalIdentifier('lei', row.text(columns.lei) ?? '')
  if ('reason' in lei) return { kind: 'rejected', line, reason: lei.reason }
  const cik = canonicalIdentifier('cik', row.text(columns.cik) ?? '')
  if ('reason' in cik) return { kind: 'rejected', line, reason: cik.reason }
  const identifier = (type: 'lei' | 'cik', value: string): RowIdentifier[] => [
    { type, value, jurisdiction: null },
  ]
  return {
    kind: 'addition',
    line,
    rows: [
      addedRow(line, `lei:${lei.value}`, { identifiers: identifier('cik', cik.value) }),
      addedRow(line, `cik:${cik.value}`, { identifiers: identifier('lei', lei.value) }),
    ],
    dropped: [],
  }
}

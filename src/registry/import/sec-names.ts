import { canonicalIdentifier } from '../model/identifiers.js'
import { matchLimits } from '../model/limits.js'
import { additionItem } from './addition.js'
import type { FileFormat, ImportItem } from '../model/import-item.js'
import { openOneFile } from '../../tables/open-file.js'
import { tableItems, type TableRow } from './table.js'

/** `sec-names`: names that registrants bore before, or bear besides: `cik,alias,kind`, a line a name. */
export const secNames: FileFormat = {
  coverage: 'whole',
  addsUp: true,
  async *read(path, options) {
    yield* tableItems(
      await openOneFile(path, null),
      {
        what: 'list of names by CIK',
        required: ['cik', 'alias'],
        wanted: ['kind'],
        read: nameItem,
      },
      options,
    )
  },
}

function nameItem(row: TableRow, line: number): ImportItem {
  const cik = canonicalIdentifier('cik', row.text('cik') ?? '')
  if ('reason' in cik) return { kind: 'rejected', line, reason: cik.reason }
  const name = row.text('alias')
  if (name === null) return { kind: 'rejected', line, reason: 'it has no name' }
  if (name.length > matchLimits.nameCharsMax) {
    return {
      kind: 'rejected',
      line,
      reason: `its name is longer than ${matchLimits.nameCharsMax} characters`,
    }
  }
  // "former_or_variant" is former, unless it says what today's name does: see `compose`.
  const isFormer = /former|previous/i.test(row.text('kind') ?? 'former')
  return additionItem(line, `cik:${cik.value}`, { names: [{ kind: isFormer ? 'former' : 'other', name }] })
}

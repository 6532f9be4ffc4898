import { canonicalIdentifier } from '../model/identifiers.js'
import { additionItem } from './addition.js'
import type { FileFormat, ImportItem } from '../model/import-item.js'
import { openOneFile } from '../../tables/open-file.js'
import { tableItems, type TableRow } from './table.js'

/** `gleif-bic`: LEI to BIC, a line a pair. */
export const gleifBic: FileFormat = mapOf('BIC', (row, line, lei) => {
  const bic = canonicalIdentifier('bic', row.text('BIC') ?? '')
  if ('reason' in bic) return { kind: 'rejected', line, reason: bic.reason }
  return additionItem(line, `lei:${lei}`, {
    identifiers: [{ type: 'bic', value: bic.value, jurisdiction: null }],
  })
})

/** `gleif-isin`: LEI to ISIN, a line a pair. */
export const gleifIsin: FileFormat = mapOf('ISIN', (row, line, lei) => {
  const isin = (row.text('ISIN') ?? '').toUpperCase()
  return isIsin(isin)
    ? { kind: 'security', line, isin, issuerKey: `lei:${lei}` }
    : { kind: 'rejected', line, reason: `ISIN "${isin.slice(0, 20)}" fails its checksum` }
})

function mapOf(column: string, itemOf: (row: TableRow, line: number, lei: string) => ImportItem): FileFormat {
  const table = {
    what: `LEI-to-${column} map of GLEIF`,
    required: ['LEI', column],
    wanted: [],
    read(row: TableRow, line: number): ImportItem {
      const lei = canonicalIdentifier('lei', row.text('LEI') ?? '')
      return 'reason' in lei ? { kind: 'rejected', line, reason: lei.reason } : itemOf(row, line, lei.value)
    },
  }
  return {
    coverage: 'whole',
    addsUp: true,
    async *read(path, options) {
      yield* tableItems(await openOneFile(path, null), table, options)
    },
  }
}

/** ISO 6166: twelve characters, the last a check digit by Luhn over letters spelled as numbers. */
function isIsin(text: string): boolean {
  if (!/^[A-Z]{2}[A-Z0-9]{9}\d$/.test(text)) return false
  const digits = text.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)))
  let sum = 0
  for (let at = digits.length - 1, isDoubled = false; at >= 0; at--, isDoubled = !isDoubled) {
    const digit = Number(digits.charAt(at))
    const value = isDoubled ? digit * 2 : digit
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

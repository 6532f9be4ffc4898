import type { FileFormat } from '../model/import-item.js'
import { leiOfJson } from './gleif-json.js'
import { leiItem } from './gleif-record.js'
import { leiOfRow, leiTable } from './gleif-table.js'
import { jsonItems } from './json-items.js'
import type { ByteSource } from '../../tables/bytes.js'
import { openOneFile } from '../../tables/open-file.js'
import { otherKind, tableItems, type TableRow } from './table.js'

/** `gleif`: the Level 1 golden copy, as CSV or JSON, plain or packed. */
export const gleif: FileFormat = {
  coverage: 'whole',
  addsUp: false,
  async *read(path, options) {
    const file = await openOneFile(path, null)
    if (await isJson(file)) {
      yield* jsonItems(
        file,
        ({ key, text, line }) => {
          if (key !== 'records' && key !== null) throw otherKind(file, goldenCopy, `it has "${key}"`)
          const record = leiOfJson(text)
          return record === null
            ? { kind: 'rejected', line, reason: 'it is no LEI record in JSON' }
            : leiItem(record, line)
        },
        options,
      )
    } else {
      const table = {
        ...leiTable,
        ...goldenCopy,
        read: (row: TableRow, line: number) => leiItem(leiOfRow(row), line),
      }
      yield* tableItems(file, table, options)
    }
  },
}

const goldenCopy = { what: 'Level 1 golden copy of GLEIF' }

async function isJson(file: ByteSource): Promise<boolean> {
  for await (const chunk of file.bytes()) return /^(?:\ufeff)?\s*[[{]/.test(chunk.toString('utf8'))
  return false
}

import type { FileFormat } from './item.js'
import { leiOfJson } from './gleif-json.js'
import { leiItem } from './gleif-record.js'
import { leiOfRow, leiTable } from './gleif-table.js'
import { jsonItems } from './json-items.js'
import type { ByteSource } from '../../tables/bytes.js'
import { openOneFile } from '../../tables/open-file.js'
import { otherKind, tableItems } from './table.js'
import { textPieces } from '../../tables/text-pieces.js'

/** `gleif`: the Level 1 golden copy, as CSV or JSON, plain or packed. */
export const gleif: FileFormat = {
  coverage: 'whole',
  addsUp: false,
  async *read(path) {
    const file = await openOneFile(path, null)
    const { first, all } = await peek(file)
    if (/^\s*[[{]/.test(first)) {
      yield* jsonItems(
        file,
        ({ key, text, line }) => {
          if (key !== 'records' && key !== null) throw otherKind(file, goldenCopy, `it has "${key}"`)
          const record = leiOfJson(text)
          return record === null
            ? { kind: 'rejected', line, reason: 'it is no LEI record in JSON' }
            : leiItem(record, line)
        },
        all,
      )
    } else
      yield* tableItems(
        file,
        { ...leiTable, ...goldenCopy, read: (row, line) => leiItem(leiOfRow(row), line) },
        all,
      )
  },
}

const goldenCopy = { what: 'Level 1 golden copy of GLEIF' }

async function peek(file: ByteSource): Promise<{ first: string; all: AsyncGenerator<string> }> {
  const pieces = textPieces(file)
  const next = await pieces.next()
  const first = next.done === true ? '' : next.value
  return { first, all: resumed(first, pieces) }
}

async function* resumed(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first !== '') yield first
  yield* rest
}

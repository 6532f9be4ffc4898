import { expect, test } from 'vitest'
import { readStrictRecords, scanRecords } from '../../../src/tables/csv-scanner.js'

const mebibyte = 1024 * 1024
const pieces = ['x', '""', 'é']

test.each([
  ['strict', readStrictRecords],
  ['scanned', scanRecords],
])('a record without an end takes no more memory than its limit: %s', async (_, reader) => {
  for (const piece of pieces.map((text) => text.repeat(mebibyte / text.length))) {
    const before = process.memoryUsage().rss
    const source = {
      label: 'in.csv',
      delimiter: ',',
      linesAbove: 0,
      async *chunks() {
        yield await Promise.resolve(Buffer.from('a,b\n"'))
        for (let count = 0; count < 48; count++) yield Buffer.from(piece)
      },
    }
    const records = reader(source, () => null)[Symbol.asyncIterator]()
    const readAll = async () => {
      while ((await records.next()).done !== true);
    }
    await readAll().catch(() => undefined)
    expect((process.memoryUsage().rss - before) / mebibyte).toBeLessThan(250)
  }
})

import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openInput } from '../../../src/pipeline/input/input.js'
import { publish } from '../../../src/pipeline/output/publish.js'
import { selectColumns } from '../../../src/pipeline/answers/columns.js'
import { answersOf, enoughMemoryBytes, matchedLine, newFolder } from './support.js'

test('rows of a hundred kilobytes are written: memory follows what one group of rows weighs', async () => {
  const folder = newFolder()
  const path = join(folder, 'wide.csv')
  const rowCount = 1_600
  const cell = 'x'.repeat(100_000)
  writeFileSync(path, 'name,wide\n')
  for (let row = 0; row < rowCount; row++) appendFileSync(path, `row ${row},${row}${cell}\n`)
  const input = await openInput({ paths: [path], spoolFolder: folder })
  const output = join(folder, 'wide.parquet')
  await publish({
    input,
    output: {
      path: output,
      format: 'parquet',
      columns: selectColumns({ prefix: '', basis: 'none' }),
      basis: 'none',
      memoryBytes: enoughMemoryBytes,
    },
    nameColumn: 'name',
    answers: answersOf(rowCount, () => matchedLine),
    rowCount,
    metadata: {},
  })
  await input.close()
  const written = await openInput({ paths: [output], spoolFolder: folder })
  let lastWide: string | null = null
  let count = 0
  for await (const rows of written.rows.keys(['wide'])) {
    count += rows.length
    lastWide = rows.at(-1)?.[0] ?? null
  }
  await written.close()
  expect([count, lastWide?.length]).toEqual([rowCount, 100_004])
})

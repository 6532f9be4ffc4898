import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  getBlocks,
  formatPart,
  buildPartPath,
  readPartPath,
  getRows,
  splitOutputPath,
} from '../../../src/core/partition.js'
import { forAll } from '../../support/properties.js'

const counts = fc.integer({ min: 1, max: 40 })
const partitions = (count: number) => Array.from({ length: count }, (_, at) => ({ index: at + 1, count }))

describe('blocks', () => {
  const weights = fc.array(fc.nat({ max: 1_000 }), { maxLength: 60 })

  test('each is in exactly one part, in order, whatever they weigh', () => {
    forAll(100, [weights, counts], (blocks, count) => {
      let next = 0
      for (const partition of partitions(count)) {
        const { first, end } = getBlocks(blocks, partition)
        expect(first).toBe(next)
        expect(end).toBeGreaterThanOrEqual(first)
        next = end
      }
      expect(next).toBe(blocks.length)
    })
  })

  test('no part weighs more than its share and one block', () => {
    forAll(100, [weights, counts], (blocks, count) => {
      const sum = (some: readonly number[]) => some.reduce((total, weight) => total + weight, 0)
      const most = Math.max(0, ...blocks)
      for (const partition of partitions(count)) {
        const { first, end } = getBlocks(blocks, partition)
        expect(sum(blocks.slice(first, end))).toBeLessThanOrEqual(sum(blocks) / count + most + 1e-6)
      }
    })
  })

  test('of equal blocks every part has some where there are enough', () => {
    for (const partition of partitions(7)) {
      const { first, end } = getBlocks(new Array<number>(8).fill(10), partition)
      expect(end - first).toBeGreaterThan(0)
    }
  })
})

test('rows are each in exactly one part, and no part has two more than another', () => {
  forAll(100, [fc.nat({ max: 1e9 }), counts], (rowCount, count) => {
    const ranges = partitions(count).map((partition) => getRows(rowCount, partition))
    let next = 0
    for (const { first, end } of ranges) {
      expect(first).toBe(next)
      next = end
    }
    expect(next).toBe(rowCount)
    const sizes = ranges.map(({ first, end }) => end - first)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
  })
})

describe('names', () => {
  test('sort as their parts do, however many there are', () => {
    for (const count of [3, 64, 1_500]) {
      const names = partitions(count).map((partition) => buildPartPath('out.csv', partition, 'ab12cd', 'x'))
      expect([...names].sort()).toEqual(names)
    }
    expect(formatPart({ index: 3, count: 64 })).toBe('003-of-064')
  })

  test.each([
    ['out.parquet', 'out', '.parquet'],
    ['a.b/out.v1.csv.gz', 'a.b/out.v1', '.csv.gz'],
    ['a.csv/out', 'a.csv/out', ''],
    ['OUT.CSV', 'OUT', '.CSV'],
  ])('%s keeps its ending', (path, stem, extension) => {
    expect(splitOutputPath(path)).toEqual({ stem, extension })
  })

  test('tell output, part and attempt again', () => {
    for (const outputPath of ['/data/out.parquet', 'out.part-1.csv.gz', '/a b/out']) {
      const partition = { index: 12, count: 1_200 }
      const path = buildPartPath(outputPath, partition, '0a1b2c', 'k3f9a2c1')
      expect(readPartPath(path)).toEqual({ outputPath, partition, jobMark: '0a1b2c', attempt: 'k3f9a2c1' })
    }
    for (const other of ['out.parquet', 'out.part-003-of-064.parquet', 'out.part-3-of-4.ab-c.csv'])
      expect(readPartPath(other)).toBeNull()
  })
})

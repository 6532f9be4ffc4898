import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parquetLimits } from '../../../src/parquet/duckdb.js'
import { PartPlanner, type PlannedPart } from '../../../src/parquet/part-plan.js'
import { forAll } from '../../support/properties.js'

const { rowGroupBytesMax, rowGroupRowsMax } = parquetLimits

interface Rows {
  readonly lineBytes: readonly number[]
  readonly blocks: readonly { readonly rowBytes: number; readonly lines: readonly number[] }[]
}

function planned({ lineBytes, blocks }: Rows, lineBytesMax: number): PlannedPart[] {
  const planner = new PartPlanner(
    { numbers: Uint32Array.from(lineBytes.keys()), byteCounts: Uint32Array.from(lineBytes) },
    lineBytesMax,
  )
  const parts = blocks.flatMap(({ rowBytes, lines }) =>
    planner.add({ rowCount: lines.length, byteCount: rowBytes * lines.length }, lines),
  )
  return [...parts, ...planner.end()]
}

const rows = fc
  .array(fc.oneof(fc.nat(2_000), fc.nat(200_000), fc.nat(20_000_000)), { minLength: 1, maxLength: 30 })
  .chain((lineBytes) =>
    fc.record({
      lineBytes: fc.constant(lineBytes),
      blocks: fc.array(
        fc.record({
          rowBytes: fc.nat(20_000),
          lines: fc
            .tuple(fc.integer({ min: 1, max: 5_000 }), fc.nat(1_000))
            .map(([count, step]) =>
              Array.from({ length: count }, (_, row) => (row * step) % lineBytes.length),
            ),
        }),
        { maxLength: 6 },
      ),
    }),
  )

describe('parts', () => {
  test('hold every row once, in order; their lines fit, and no row group is heavier than it may be, but for one row', () => {
    forAll(30, [rows, fc.integer({ min: 32_000_000, max: 200_000_000 })], (given, lineBytesMax) => {
      const flat = given.blocks.flatMap(({ rowBytes, lines }) =>
        lines.map((line) => ({ line, bytes: rowBytes + (given.lineBytes[line] ?? 0) })),
      )
      let row = 0
      for (const part of planned(given, lineBytesMax)) {
        expect(part.firstRow).toBe(row)
        row += part.rowCount
        const own = flat.slice(part.firstRow, row)
        const distinct = new Set(own.map(({ line }) => line))
        expect(part.lineCount).toBe(distinct.size)
        const lineBytes = [...distinct].reduce((sum, line) => sum + (given.lineBytes[line] ?? 0), 0)
        if (part.rowCount > 1) expect(lineBytes).toBeLessThanOrEqual(lineBytesMax)
        // An average holds for a vector of rows; those that begin one may be heavier, but not than all of it.
        const group = own.slice(0, part.groupRowsMax)
        const groupBytes = group.reduce((sum, { bytes }) => sum + bytes, 0)
        if (part.rowCount > 1) expect(groupBytes).toBeLessThanOrEqual(2 * rowGroupBytesMax)
      }
      expect(row).toBe(flat.length)
    })
  })

  test('are one where all lines fit, however many rows there are, in full row groups', () => {
    const block = { rowBytes: 200, lines: Array.from({ length: rowGroupRowsMax }, (_, row) => row % 100) }
    const given = {
      lineBytes: new Array<number>(100).fill(2_000),
      blocks: new Array<typeof block>(50).fill(block),
    }
    expect(planned(given, 32_000_000)).toEqual([
      { firstRow: 0, rowCount: 50 * rowGroupRowsMax, groupRowsMax: rowGroupRowsMax, lineCount: 100 },
    ])
  })

  test('of a row without a line are a bug', () => {
    expect(() => planned({ lineBytes: [1], blocks: [{ rowBytes: 1, lines: [1] }] }, 100)).toThrow(/no line 1/)
  })
})

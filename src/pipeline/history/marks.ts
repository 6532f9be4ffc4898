import type { Sqlite } from '../../platform/sqlite.js'
import { isSoundMarks, type StoredMarks } from '../checkpoint/history-proof.js'
import { marksChecksum } from '../checkpoint/history-tables.js'
import { packNumbers, unpackNumbers } from '../checkpoint/packed-rows.js'

/** Of each answer eight bytes, by which it is seen to be as it was. */
export const markBytes = 8

export const noDigest: Buffer = Buffer.alloc(16)

/** What the lookups of an output came to; aligned. */
export interface Marks {
  /** Ascending, each once. */
  readonly lookups: Uint32Array
  /** The entry that rows of a lookup have; where rows have keys of their own, what their entries are like. */
  readonly values: Uint32Array
  /** `markBytes` each. */
  readonly marks: Buffer
  /** Over the keys of rows and what the rows came to; `noDigest` where they have none of their own. */
  readonly rowsDigest: Buffer
}

export interface MarksOf {
  readonly series: string
  readonly outputId: number
  /** How they were made; see `MarksRow`. */
  readonly form: string
}

/** Of the last output of a series; `marks` is null where they were made in another form, or are not sound. */
export function lastMarks(
  database: Sqlite,
  series: string,
  form: string,
): { outputId: number; marks: Marks | null } | null {
  const row = database
    .prepare<[string], StoredMarks>('SELECT * FROM history_marks WHERE series = ?')
    .get(series)
  if (row === undefined || !isSoundMarks(row)) return null
  return { outputId: row.output_id, marks: row.form === form ? unpackMarks(row.packed) : null }
}

/** In place of those of the output before; those of an output that is as it was are left. */
export function writeMarks(database: Sqlite, { series, outputId, form }: MarksOf, marks: Marks): void {
  const row = { series, output_id: outputId, form, packed: packMarks(marks) }
  const checksum = marksChecksum(row)
  const known = database
    .prepare<[string], Buffer>('SELECT checksum FROM history_marks WHERE series = ?')
    .pluck()
    .get(series)
  if (known?.equals(checksum) === true) return
  database
    .prepare('INSERT OR REPLACE INTO history_marks VALUES (@series, @output_id, @form, @packed, @checksum)')
    .run({ ...row, checksum })
}

export function packMarks({ lookups, values, marks, rowsDigest }: Marks): Buffer {
  const packedLookups = packNumbers(lookups)
  const packedValues = packNumbers(values)
  const sizes = Uint32Array.of(lookups.length, packedLookups.length, packedValues.length)
  return Buffer.concat([Buffer.from(sizes.buffer), rowsDigest, packedLookups, packedValues, marks])
}

export function unpackMarks(packed: Buffer): Marks {
  const count = packed.readUInt32LE(0)
  const lookupsFrom = 12 + noDigest.length
  const lookupsEnd = lookupsFrom + packed.readUInt32LE(4)
  const valuesEnd = lookupsEnd + packed.readUInt32LE(8)
  return {
    lookups: unpackNumbers(packed.subarray(lookupsFrom, lookupsEnd), count),
    values: unpackNumbers(packed.subarray(lookupsEnd, valuesEnd), count),
    marks: packed.subarray(valuesEnd),
    rowsDigest: packed.subarray(12, lookupsFrom),
  }
}

/** The entries that the marks of every series name. */
export function markedEntries(database: Sqlite): Uint32Array[] {
  const rows = database.prepare<[], StoredMarks>('SELECT * FROM history_marks').all()
  return rows.filter(isSoundMarks).map(({ packed }) => unpackMarks(packed).values)
}

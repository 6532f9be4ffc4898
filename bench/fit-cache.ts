import { readFileSync, writeFileSync } from 'node:fs'
import type { FitCandidate, FitQuery } from './fit-data.js'
import { SparseBuilder, type SparseRows } from './fit-logistic.js'

/** A query with its candidates; the features of candidate `n` are row `start + n`. */
export interface CachedQuery {
  readonly query: FitQuery
  readonly start: number
  readonly candidates: readonly CachedCandidate[]
}
export interface CachedCandidate {
  readonly id: string
  readonly sameAs: string
  readonly isRight: boolean
  readonly name: string
}

/** Candidates of all queries of a fit, with the values of their features as the matcher gave them. */
export interface FitCache {
  readonly featureNames: readonly string[]
  readonly queries: readonly CachedQuery[]
  readonly rows: SparseRows
}

export class FitCacheWriter {
  readonly #queries: CachedQuery[] = []
  readonly #rows: SparseBuilder
  #rowCount = 0

  constructor(readonly featureNames: readonly string[]) {
    this.#rows = new SparseBuilder(featureNames.length)
  }

  add(query: FitQuery, candidates: readonly FitCandidate[]): void {
    for (const { features } of candidates) this.#rows.add(features)
    this.#queries.push({
      query,
      start: this.#rowCount,
      candidates: candidates.map(({ id, ids, sameAs, name }) => {
        if (ids.some((one) => query.leftOut.has(one)))
          throw new Error(`"${query.name}": the matcher gave ${id}, which is left out`)
        return { id, sameAs, isRight: ids.some((one) => query.expected.has(one)), name: name ?? id }
      }),
    })
    this.#rowCount += candidates.length
  }

  /** Writes `path` and, with the values, `path.bin`. */
  save(path: string): void {
    const rows = this.#rows.finish()
    const queries = this.#queries.map(({ query, start, candidates }) => ({
      ...query,
      expected: [...query.expected],
      leftOut: [],
      start,
      candidates: candidates.map(({ id, sameAs, isRight, name }) => [id, sameAs, isRight ? 1 : 0, name]),
    }))
    writeFileSync(
      path,
      JSON.stringify({ featureNames: this.featureNames, valueCount: rows.values.length, queries }),
    )
    writeFileSync(
      `${path}.bin`,
      Buffer.concat([rows.starts, rows.values, rows.columns].map(({ buffer }) => Buffer.from(buffer))),
    )
  }
}

interface StoredQuery extends Omit<FitQuery, 'expected' | 'leftOut'> {
  readonly expected: readonly string[]
  readonly start: number
  readonly candidates: readonly (readonly [id: string, sameAs: string, isRight: number, name: string])[]
}

/** Reads caches, as parts of one: they must be of one matcher. */
export function readFitCaches(paths: readonly string[]): FitCache {
  const parts = paths.map(readFitCache)
  const [first] = parts
  if (first === undefined) throw new Error('--cache is needed')
  if (parts.length === 1) return first
  const names = first.featureNames.join()
  if (parts.some(({ featureNames }) => featureNames.join() !== names))
    throw new Error('the caches are of matchers with other features')
  let [rowCount, valueCount] = [0, 0]
  const starts: number[] = [0]
  const queries: CachedQuery[] = []
  for (const { rows, queries: own } of parts) {
    for (const query of own) queries.push({ ...query, start: query.start + rowCount })
    for (const start of rows.starts.subarray(1)) starts.push(start + valueCount)
    rowCount += rows.rowCount
    valueCount += rows.values.length
  }
  const columns = new Uint16Array(valueCount)
  const values = new Float32Array(valueCount)
  let at = 0
  for (const { rows } of parts) {
    columns.set(rows.columns, at)
    values.set(rows.values, at)
    at += rows.values.length
  }
  const rows = {
    rowCount,
    columnCount: first.rows.columnCount,
    starts: Uint32Array.from(starts),
    columns,
    values,
  }
  return { featureNames: first.featureNames, queries, rows }
}

function readFitCache(path: string): FitCache {
  const { featureNames, valueCount, queries } = JSON.parse(readFileSync(path, 'utf8')) as {
    featureNames: string[]
    valueCount: number
    queries: StoredQuery[]
  }
  const bytes = readFileSync(`${path}.bin`)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const rowCount = queries.reduce((sum, { candidates }) => sum + candidates.length, 0)
  const valuesAt = 4 * (rowCount + 1)
  const columnsAt = valuesAt + 4 * valueCount
  return {
    featureNames,
    queries: queries.map(({ start, candidates, expected, ...query }) => ({
      query: { ...query, expected: new Set(expected), leftOut: new Set() },
      start,
      candidates: candidates.map(([id, sameAs, isRight, name]) => ({
        id,
        sameAs,
        isRight: isRight === 1,
        name,
      })),
    })),
    rows: {
      rowCount,
      columnCount: featureNames.length,
      starts: new Uint32Array(buffer, 0, rowCount + 1),
      values: new Float32Array(buffer, valuesAt, valueCount),
      columns: new Uint16Array(buffer, columnsAt, valueCount),
    },
  }
}

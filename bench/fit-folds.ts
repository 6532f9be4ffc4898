import type { FitQuery } from './fit-data.js'

/** How queries are held out: whole kinds of lists, operations of noise, and shares of other generated rows. */
export interface FoldPlan {
  /** By query, the folds that hold it out. */
  readonly folds: readonly (readonly number[])[]
  readonly kindFolds: ReadonlyMap<string, number>
  readonly operationFolds: ReadonlyMap<string, number>
}

const labelled = new Set(['dev', 'dev2', 'dev3', 'dev4', 'own', 'copy'])

/** Spreads kinds over folds, the largest first; `foldCount` 0 holds each kind out alone. */
export function planFolds(queries: readonly FitQuery[], foldCount: number): FoldPlan {
  const counts = new Map<string, number>()
  const operations = new Map<string, number>()
  for (const { set, kind, operations: own } of queries) {
    if (labelled.has(set)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
    for (const operation of own) operations.set(operation, (operations.get(operation) ?? 0) + 1)
  }
  const count = Math.max(2, foldCount === 0 ? counts.size : foldCount)
  const kindFolds = spread(counts, count)
  const operationFolds = spread(operations, count)
  const folds = queries.map(({ set, kind, operations: own }, at) => {
    if (labelled.has(set)) return [kindFolds.get(kind) ?? 0]
    const held = [...new Set(own.map((operation) => operationFolds.get(operation) ?? 0))]
    return held.length === 0 ? [at % count] : held
  })
  return { folds, kindFolds, operationFolds }
}

function spread(counts: ReadonlyMap<string, number>, foldCount: number): ReadonlyMap<string, number> {
  const sizes = Array<number>(foldCount).fill(0)
  const ordered = [...counts].sort(([a, many], [b, others]) => others - many || (a < b ? -1 : 1))
  return new Map(
    ordered.map(([name, size]) => {
      const fold = sizes.indexOf(Math.min(...sizes))
      sizes[fold] = (sizes[fold] ?? 0) + size
      return [name, fold]
    }),
  )
}

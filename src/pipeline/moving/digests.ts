import { createHash } from 'node:crypto'
import { factColumns, type Fact, type FactSource, type FactTable } from './facts.js'

/** How many rows a table has, and SHA-256 over all of them in order. */
interface TableDigest {
  readonly count: number
  readonly digest: string
}
export type Digests = ReadonlyMap<FactTable, TableDigest>

/** Reads all of it, a page at a time. */
export async function digestsOf(
  source: Pick<FactSource, 'read'>,
  tables: readonly FactTable[],
  onRead: (table: FactTable, count: number) => void,
): Promise<Digests> {
  const digests = new Map<FactTable, TableDigest>()
  for (const table of tables) {
    const hash = createHash('sha256')
    let count = 0
    for await (const page of source.read(table)) {
      for (const fact of page) hash.update(textOf(table, fact))
      count += page.length
      onRead(table, page.length)
    }
    digests.set(table, { count, digest: hash.digest('hex') })
  }
  return digests
}

function textOf(table: FactTable, fact: Fact): string {
  const values = factColumns[table].map((column) => {
    const value = fact[column] ?? null
    return Buffer.isBuffer(value) ? createHash('sha256').update(value).digest('hex') : value
  })
  return `${JSON.stringify(values)}\n`
}

/** The first table in which two differ; null where none does. */
export function firstDifference(one: Digests, other: Digests): FactTable | null {
  for (const [table, { digest }] of one) if (other.get(table)?.digest !== digest) return table
  return null
}

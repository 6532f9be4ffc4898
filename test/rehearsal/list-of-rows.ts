import type { Dice } from './dice.js'

/** A row of the user's list: his own key, and the number of the company that it asks for. */
export interface ListRow {
  readonly key: string
  readonly firm: number
}

/** A change as a script states it, and as a file of changes has it. */
export type Told = `${string}|${string}|${string}|${string}|${string}|${string}`

/** kind, number of the row, key, field, old, new. */
export const tell = (
  kind: string,
  rowNumber: number | string,
  rowKey: string,
  [field, old, now]: readonly [string, string, string] = ['', '', ''],
): Told => `${kind}|${rowNumber}|${rowKey}|${field}|${old}|${now}`

/** What changed of a company in a night: kind, field, old, new. */
export interface FirmChange {
  readonly firm: number
  readonly kind: string
  readonly values: readonly [field: string, old: string, now: string]
}

/** The user's list over the nights: rows come, go, move, and ask for what others ask. */
export class RowList {
  rows: readonly ListRow[]
  #nextKey = 0

  constructor(firms: readonly number[]) {
    this.rows = firms.map((firm) => this.#row(firm))
  }

  /** Rows go, others come, some of them for companies that are asked already; then some move. */
  edit(dice: Dice, firms: readonly number[]): void {
    const gone = new Set(dice.some(this.rows, 2))
    const stayed = this.rows.filter((row) => !gone.has(row))
    const come = dice.some(firms, 3).map((firm) => this.#row(firm))
    const whole = [...stayed]
    for (const row of come) whole.splice(dice.below(whole.length + 1), 0, row)
    const cut = dice.below(whole.length)
    this.rows = [...whole.slice(cut), ...whole.slice(0, cut)]
  }

  #row(firm: number): ListRow {
    return { key: `K${this.#nextKey++}`, firm }
  }
}

/** What a night has to tell, by what changed of companies and which rows there were; counted by hand, row by row. */
export function expectedChanges(
  before: readonly ListRow[],
  after: readonly ListRow[],
  firmChanges: readonly FirmChange[],
  isKeyed: boolean,
): Told[] {
  const knownBy = ({ key, firm }: ListRow) => (isKeyed ? key : String(firm))
  const left = new Map<string, number[]>()
  for (const [at, row] of before.entries())
    left.set(knownBy(row), [...(left.get(knownBy(row)) ?? []), at + 1])
  const here = after.flatMap((row, at) => {
    const key = isKeyed ? row.key : ''
    if (left.get(knownBy(row))?.shift() === undefined) return [tell('new_row', at + 1, key)]
    const own = firmChanges.filter(({ firm }) => firm === row.firm)
    return own.map(({ kind, values }) => tell(kind, at + 1, key, values))
  })
  const gone = before.flatMap((row, at) =>
    left.get(knownBy(row))?.includes(at + 1) === true
      ? [tell('row_gone', at + 1, isKeyed ? row.key : '')]
      : [],
  )
  return [...here, ...gone].sort()
}

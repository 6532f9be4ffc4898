import type { Cell } from '../cell.js'

/** A cell to write: a text with an address behind it, too; null is none. */
export type WrittenCell = Cell | null | { readonly kind: 'link'; readonly text: string; readonly url: string }

export type WrittenRow = readonly WrittenCell[]

export interface SheetColumn {
  readonly name: string
  /** All its cells are text: what a user types there later is, too. */
  readonly isText: boolean
}

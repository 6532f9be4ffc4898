/** Higher than this no browser lays out a box. */
const heightPxMax = 12_000_000

export interface ListShape {
  readonly count: number
  readonly rowPx: number
  /** What is seen of the list at once. */
  readonly viewPx: number
}

/** Rows that are in the page. */
export interface ListWindow {
  readonly from: number
  /** Not included. */
  readonly to: number
  /** Of the first of them, from the top of what is scrolled. */
  readonly topPx: number
}

/** Rows beside those that are seen, on either side. */
const besideCount = 6

/** What is scrolled is as high as its rows; of very many rows it is as high as can be, and a pixel of it is more than one. */
export const scrolledPx = ({ count, rowPx }: ListShape): number => Math.min(count * rowPx, heightPxMax)

/** The rows that are in the page where it is scrolled to `scrollPx`. */
export function windowAt(shape: ListShape, scrollPx: number): ListWindow {
  const { count, rowPx, viewPx } = shape
  const rowsPx = scrollPx * stretchOf(shape)
  const from = Math.max(0, Math.floor(rowsPx / rowPx) - besideCount)
  const to = Math.min(count, Math.ceil((rowsPx + viewPx) / rowPx) + besideCount)
  return { from: Math.min(from, to), to, topPx: scrollPx - (rowsPx - Math.min(from, to) * rowPx) }
}

/** Rows that are seen whole. */
export function seenAt(shape: ListShape, scrollPx: number): { from: number; to: number } {
  const rowsPx = scrollPx * stretchOf(shape)
  const from = Math.ceil(rowsPx / shape.rowPx - 0.01)
  return { from, to: Math.min(shape.count, Math.floor((rowsPx + shape.viewPx) / shape.rowPx + 0.01)) }
}

/** Where to scroll so that the row at `index` begins so many pixels below the top of what is seen. */
export function scrollToPut(shape: ListShape, index: number, belowTopPx: number): number {
  const rowsPx = index * shape.rowPx - belowTopPx
  return Math.min(Math.max(0, rowsPx / stretchOf(shape)), Math.max(0, scrolledPx(shape) - shape.viewPx))
}

/** Pixels of rows that one pixel of scrolling passes. */
function stretchOf(shape: ListShape): number {
  const rowsPx = shape.count * shape.rowPx - shape.viewPx
  const scrollablePx = scrolledPx(shape) - shape.viewPx
  return rowsPx <= 0 || scrollablePx <= 0 ? 1 : rowsPx / scrollablePx
}

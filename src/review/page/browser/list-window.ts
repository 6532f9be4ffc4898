/** Browsers do not lay out higher boxes. */
const heightPxMax = 12_000_000

export interface ListShape {
  readonly count: number
  readonly rowPx: number
  /** Visible height of the list. */
  readonly viewPx: number
}

/** Range of rows that are in the page. */
export interface ListWindow {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Position of the first row, from the top of the scrolled box. */
  readonly topPx: number
}

/** Additional rows above and below the visible ones. */
const marginRows = 6

/**
 * Height of the scrolled box. For very many rows it is limited, and one pixel of it represents more than one pixel of
 * rows.
 */
export const calculateHeightPx = ({ count, rowPx }: ListShape): number => Math.min(count * rowPx, heightPxMax)

/** The rows in the page at scroll position `scrollPx`. */
export function calculateWindow(shape: ListShape, scrollPx: number): ListWindow {
  const { count, rowPx, viewPx } = shape
  const rowsPx = scrollPx * calculateStretch(shape)
  const from = Math.max(0, Math.floor(rowsPx / rowPx) - marginRows)
  const to = Math.min(count, Math.ceil((rowsPx + viewPx) / rowPx) + marginRows)
  return { from: Math.min(from, to), to, topPx: scrollPx - (rowsPx - Math.min(from, to) * rowPx) }
}

/** Rows that are completely visible. */
export function findVisibleRows(shape: ListShape, scrollPx: number): { from: number; to: number } {
  const rowsPx = scrollPx * calculateStretch(shape)
  const from = Math.ceil(rowsPx / shape.rowPx - 0.01)
  return { from, to: Math.min(shape.count, Math.floor((rowsPx + shape.viewPx) / shape.rowPx + 0.01)) }
}

/** Returns the scroll position that puts the row at `index` this many pixels below the visible top. */
export function calculateScrollPx(shape: ListShape, index: number, belowTopPx: number): number {
  const rowsPx = index * shape.rowPx - belowTopPx
  return Math.min(
    Math.max(0, rowsPx / calculateStretch(shape)),
    Math.max(0, calculateHeightPx(shape) - shape.viewPx),
  )
}

/** Pixels of rows per pixel of scrolling. */
function calculateStretch(shape: ListShape): number {
  const rowsPx = shape.count * shape.rowPx - shape.viewPx
  const scrollablePx = calculateHeightPx(shape) - shape.viewPx
  return rowsPx <= 0 || scrollablePx <= 0 ? 1 : rowsPx / scrollablePx
}

import { cutToWidth, printable, measureWidth } from '../../core/text.js'

const gap = '  '

/** One or more labels: `  resume    `, `ok    version     `, `  --limit <n>   `. Wrapped lines are indented past them. */
const labels = /^ *(?:\S+(?: \S+){0,3} {2,})*/
/** A label, a command to type, and an optional remark in brackets. */
const typedAgain = /^( *(?:resume|export|next:?|.*\bthen:) +)((?:npx --no-install )?enrich .*?)( {3}\(.*)?$/i
/** A word with the blanks before it. In a command, a quoted text is one word. */
const words = / *[^ ]+/g
const shellWords = / *(?:'(?:'\\''|[^'])*'|[^\s'])+/g

/** Wraps lines between words. Lines of a command end with a backslash, so that it can be copied. */
export function wrapText(text: string, columnCount: number): string {
  return text
    .split('\n')
    .map((line) => (measureWidth(line) <= columnCount ? line : wrapLine(line, columnCount)))
    .join('\n')
}

function wrapLine(text: string, columnCount: number): string {
  const { line, indent } = findIndent(text, columnCount)
  const [, label = '', command = '', remark = ''] = typedAgain.exec(line) ?? []
  const pieces =
    command === ''
      ? splitWords(line, words, '')
      : [...splitWords(command, shellWords, ' \\'), ...splitWords(remark, words, '')]
  const lines: string[] = []
  let current = label
  for (const [at, { word, joint }] of pieces.entries()) {
    // If the command continues, the line also needs room for the backslash.
    const reserved = pieces[at + 1]?.joint ?? ''
    const isLonger = measureWidth(word.trimStart() + reserved) > columnCount - indent.length
    const hasRoom = measureWidth(current + word + reserved) <= columnCount
    // A word that is longer than any line starts on the current one; the terminal breaks it.
    if (hasRoom || current.trim() === '' || (isLonger && measureWidth(current) < columnCount)) {
      current += word
      continue
    }
    lines.push(current + joint)
    current = indent + word.trimStart()
  }
  return [...lines, current].join('\n')
}

/** Splits a text into words. `joint` ends the line if the word starts a new one. */
const splitWords = (text: string, pattern: RegExp, joint: string): { word: string; joint: string }[] =>
  (text.match(pattern) ?? []).map((word, at) => ({ word, joint: at === 0 ? '' : joint }))

/** Indents past the labels if that leaves half of the line; otherwise removes the gap between labels and text. */
function findIndent(line: string, columnCount: number): { line: string; indent: string } {
  const [label = ''] = labels.exec(line) ?? []
  const begin = label.search(/\S|$/)
  const under = measureWidth(label)
  if (under > begin && under <= columnCount / 2) return { line, indent: ' '.repeat(under) }
  const together = line.slice(0, begin) + line.slice(begin).replace(/ {4,}/g, gap)
  return { line: together, indent: ' '.repeat(Math.min(begin + 2, Math.floor(columnCount / 4))) }
}

/** Width of the terminal in columns. Without one, nothing is cut off: a file or a mail has no width. */
export const getTerminalColumns = ({ stdout }: { readonly stdout: object }): number =>
  (stdout as { readonly columns?: number }).columns || Infinity

/** Columns up to `columnsKept` wide are not narrowed; wider ones not below `columnsLeast`. */
const columnsKept = 13
const columnsLeast = 8

/**
 * Formats rows as lines of a table, indented by two and at most `columnCount` wide. The widest columns are cut first; if
 * that is not enough, the last column is omitted. `widthsMax` has the maximum width of each column, `widthsMin` the width
 * to which it may be cut (default: 8, or its own up to 13).
 */
export function formatTableLines(
  rows: readonly (readonly string[])[],
  widthsMax: readonly number[],
  columnCount: number,
  widthsMin: readonly number[] = [],
): string[] {
  const cells = rows.map((row) => row.map((cell) => printable(cell.replace(/\s+/g, ' '))))
  const wanted = widthsMax.map((most, at) =>
    Math.min(most, Math.max(0, ...cells.map((row) => measureWidth(row[at] ?? '')))),
  )
  const least = wanted.map((width, at) => widthsMin[at] ?? (width > columnsKept ? columnsLeast : width))
  const widths = fitWidths(wanted, least, columnCount - 2)
  return cells.map((row) =>
    `  ${widths.map((width, at) => padCell(row[at] ?? '', width)).join(gap)}`.trimEnd(),
  )
}

function fitWidths(wanted: readonly number[], least: readonly number[], columnsMax: number): number[] {
  const widths = [...wanted]
  const isFree = (width: number, at: number) => width > (least[at] ?? 0)
  while (widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) > columnsMax) {
    const widest = Math.max(...widths.filter(isFree))
    const at = widths.findIndex((width, at) => width === widest && isFree(width, at))
    if (at !== -1) widths[at] = widest - 1
    else if (widths.length === 1) return [Math.max(1, columnsMax)]
    else return fitWidths(wanted.slice(0, -1), least, columnsMax)
  }
  return widths
}

function padCell(text: string, width: number): string {
  const cut = measureWidth(text) > width ? `${cutToWidth(text, width - 1)}…` : text
  return isolateDirection(cut) + ' '.repeat(Math.max(0, width - measureWidth(cut)))
}

/** Puts marks around right-to-left text, and each side of an arrow: a terminal would otherwise show the next cell, such as a number, before it. */
const isolateDirection = (text: string): string =>
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text)
    ? `\u200e${text.replaceAll(' → ', '\u200e → \u200e')}\u200e`
    : text

/** Renders the status line for a terminal of this width. */
export type StatusLine = (columnCount: number) => string

/** The parts of a terminal stream that are used here. */
export interface ScreenStream {
  write(text: string): unknown
  /** 0 or undefined if the size is unknown. */
  readonly columns?: number
  on(event: 'resize', listener: () => void): unknown
}

/** Used if the width of the terminal is unknown. */
const columnsDefault = 80

/**
 * Prints text, and redraws one status line below it. Text may come from files and servers, so control characters are
 * shown as escapes; the codes that draw are added afterwards.
 */
export class Screen {
  #line: StatusLine | null = null

  constructor(private readonly terminal: ScreenStream) {
    terminal.on('resize', () => {
      this.#drawAgain(eraseBelow)
    })
  }

  /** Writes to this terminal, through any of its streams. Wraps lines unless `isLaidOut` is false. */
  print(
    text: string,
    stream: Pick<ScreenStream, 'write' | 'columns'> = this.terminal,
    isLaidOut = true,
  ): void {
    this.clear()
    const shown = printable(text)
    stream.write(isLaidOut ? wrapText(shown, stream.columns || columnsDefault) : shown)
  }

  draw(line: StatusLine): void {
    this.#line = line
    this.#drawAgain()
  }

  /** Erases the status line. */
  clear(): void {
    if (this.#line === null) return
    this.#line = null
    this.terminal.write(eraseLine)
  }

  #drawAgain(erase = eraseLine): void {
    if (this.#line === null) return
    const columnCount = this.terminal.columns || columnsDefault
    const text = printable(this.#line(columnCount))
    // A single write cannot be interleaved. A line that fills the terminal would be wrapped.
    this.terminal.write(`${erase}${wrapOff}${cutToWidth(text, columnCount - 1)}${wrapOn}\r`)
  }
}

/** Without wrapping, the terminal cuts off a line that is too wide after a resize or because of a wide character. */
const wrapOff = '\u001b[?7l'
const wrapOn = '\u001b[?7h'
const eraseLine = '\r\u001b[2K'
/**
 * Erases to the end of the screen. The cursor is at the start of the status line, so this erases all of a line that a
 * narrowed terminal has wrapped. Used only then: some terminals keep the erased text in their history.
 */
const eraseBelow = '\r\u001b[J'

/** Returns whether the stream can redraw a line: not a file, a dumb terminal or the log of a build server. */
export function canDraw(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const { TERM, CI } = environment
  return stream.isTTY === true && TERM !== 'dumb' && (CI ?? '') === ''
}

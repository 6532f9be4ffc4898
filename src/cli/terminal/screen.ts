import { cutToWidth, printable, displayWidth } from '../../core/terminal-text.js'

const gap = '  '

/** A label, or several: `  resume    `, `ok    version     `, `  --limit <n>   `. Lines go on under the text behind it. */
const labels = /^ *(?:\S+(?: \S+){0,3} {2,})*/
/** A command to be typed again: its words, behind the label, up to a remark in brackets. */
const typedAgain = /^( *(?:resume|export|next:?|.*\bthen:) +)((?:npx --no-install )?enrich .*?)( {3}\(.*)?$/i
/** A word with the blanks before it; of a command, as a shell reads it: what was quoted is one word. */
const words = / *[^ ]+/g
const shellWords = / *(?:'(?:'\\''|[^'])*'|[^\s'])+/g

/**
 * Lines no wider than so many columns of a terminal, broken between words; a word that is longer is left whole. A command
 * is broken so that it can be copied: with a backslash.
 */
export function wrapText(text: string, columnCount: number): string {
  return text
    .split('\n')
    .map((line) => (displayWidth(line) <= columnCount ? line : wrapLine(line, columnCount)))
    .join('\n')
}

function wrapLine(text: string, columnCount: number): string {
  const { line, indent } = indented(text, columnCount)
  const [, label = '', command = '', remark = ''] = typedAgain.exec(line) ?? []
  const pieces =
    command === ''
      ? wordsOf(line, words, '')
      : [...wordsOf(command, shellWords, ' \\'), ...wordsOf(remark, words, '')]
  const lines: string[] = []
  let current = label
  for (const [at, { word, joint }] of pieces.entries()) {
    // The backslash has to find room behind this word too, if the command goes on.
    const reserved = pieces[at + 1]?.joint ?? ''
    const isLonger = displayWidth(word.trimStart() + reserved) > columnCount - indent.length
    const hasRoom = displayWidth(current + word + reserved) <= columnCount
    // A word that no line has room for begins at once, and the terminal breaks it.
    if (hasRoom || current.trim() === '' || (isLonger && displayWidth(current) < columnCount)) {
      current += word
      continue
    }
    lines.push(current + joint)
    current = indent + word.trimStart()
  }
  return [...lines, current].join('\n')
}

/** Each with what a line that ends before it ends with. */
const wordsOf = (text: string, pattern: RegExp, joint: string): { word: string; joint: string }[] =>
  (text.match(pattern) ?? []).map((word, at) => ({ word, joint: at === 0 ? '' : joint }))

/** Goes on under the text behind the labels where that leaves half of the line; else labels and text are put together. */
function indented(line: string, columnCount: number): { line: string; indent: string } {
  const [label = ''] = labels.exec(line) ?? []
  const begin = label.search(/\S|$/)
  const under = displayWidth(label)
  if (under > begin && under <= columnCount / 2) return { line, indent: ' '.repeat(under) }
  const together = line.slice(0, begin) + line.slice(begin).replace(/ {4,}/g, gap)
  return { line: together, indent: ' '.repeat(Math.min(begin + 2, Math.floor(columnCount / 4))) }
}

/** Columns of a table that are as wide at most are never made narrower; others not below the second. */
const columnsKept = 13
const columnsLeast = 8

/**
 * Rows as lines of a table, indented by two and no wider than so many columns of a terminal: the widest columns of the table
 * are cut first, and where they come to little the last one is left out. `widthsMax` has the most that each takes.
 */
export function tableLines(
  rows: readonly (readonly string[])[],
  widthsMax: readonly number[],
  columnCount: number,
): string[] {
  const cells = rows.map((row) => row.map((cell) => printable(cell.replace(/\s+/g, ' '))))
  const widths = fittingWidths(
    widthsMax.map((most, at) =>
      Math.min(most, Math.max(0, ...cells.map((row) => displayWidth(row[at] ?? '')))),
    ),
    columnCount - 2,
  )
  return cells.map((row) =>
    `  ${widths.map((width, at) => padded(row[at] ?? '', width)).join(gap)}`.trimEnd(),
  )
}

function fittingWidths(wanted: readonly number[], columnsMax: number): number[] {
  const widths = [...wanted]
  const isFree = (width: number, at: number) => (wanted[at] ?? 0) > columnsKept && width > columnsLeast
  while (widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) > columnsMax) {
    const widest = Math.max(...widths.filter(isFree))
    const at = widths.findIndex((width, at) => width === widest && isFree(width, at))
    if (at !== -1) widths[at] = widest - 1
    else if (widths.length === 1) return [Math.max(1, columnsMax)]
    else return fittingWidths(wanted.slice(0, -1), columnsMax)
  }
  return widths
}

function padded(text: string, width: number): string {
  const cut = displayWidth(text) > width ? `${cutToWidth(text, width - 1)}…` : text
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)))
}

/** One line below the words, drawn anew as things go on, for a terminal of so many columns. */
export type DrawnLine = (columnCount: number) => string

/** A terminal, as far as it is written to. */
export interface ScreenStream {
  write(text: string): unknown
  /** 0 or undefined where the terminal does not know its size. */
  readonly columns?: number
  on(event: 'resize', listener: () => void): unknown
}

/** Where a terminal does not know its width. */
const columnsDefault = 80

/**
 * Words that stay, and one line below them that does not. Words come from files and servers too: what would drive
 * the terminal is shown as an escape, in the drawn line as well; the codes that draw are added after that.
 */
export class Screen {
  #line: DrawnLine | null = null

  constructor(private readonly terminal: ScreenStream) {
    terminal.on('resize', () => {
      this.#redraw(eraseBelow)
    })
  }

  /**
   * Writes to this terminal, perhaps by another of its streams. No line is wider than the terminal, and none is broken
   * within a word; where `isLaidOut` is false lines stay as they are.
   */
  words(
    text: string,
    stream: Pick<ScreenStream, 'write' | 'columns'> = this.terminal,
    isLaidOut = true,
  ): void {
    this.clear()
    const shown = printable(text)
    stream.write(isLaidOut ? wrapText(shown, stream.columns || columnsDefault) : shown)
  }

  draw(line: DrawnLine): void {
    this.#line = line
    this.#redraw()
  }

  /** Leaves nothing of the drawn line, and the cursor where it began. */
  clear(): void {
    if (this.#line === null) return
    this.#line = null
    this.terminal.write(eraseLine)
  }

  #redraw(erase = eraseLine): void {
    if (this.#line === null) return
    const columnCount = this.terminal.columns || columnsDefault
    const text = printable(this.#line(columnCount))
    // One write, so that no other comes between. A line that fills the terminal would be wrapped.
    this.terminal.write(`${erase}${wrapOff}${cutToWidth(text, columnCount - 1)}${wrapOn}\r`)
  }
}

/** A terminal that was narrowed a moment ago, or that draws a sign wider than we think, cuts the line off. */
const wrapOff = '\u001b[?7l'
const wrapOn = '\u001b[?7h'
const eraseLine = '\r\u001b[2K'
/**
 * To the end of the screen. The cursor waits at the start of what is drawn, so this takes all of it after a narrowed
 * terminal has wrapped it, and nothing above. Not each time: some terminals keep what it takes, if that is all they show.
 */
const eraseBelow = '\r\u001b[J'

/** Whether a line can be drawn anew there: not in a file, a dumb terminal, or the log of a build server. */
export function canDraw(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const { TERM, CI } = environment
  return stream.isTTY === true && TERM !== 'dumb' && (CI ?? '') === ''
}

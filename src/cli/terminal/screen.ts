import { cutToWidth } from '../../core/display-width.js'
import { printable } from '../../core/printable.js'
import { wrapText } from './fit-text.js'

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

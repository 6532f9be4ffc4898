import { cutToWidth, displayWidth } from '../../core/display-width.js'
import { printable } from '../../core/printable.js'

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

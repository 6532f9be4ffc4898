import { printable } from '../../../core/printable.js'

const foreignCharsMax = 300
/** More marks than these on one letter would run over the lines around it. */
const marksInARow = /(\p{M}{4})\p{M}+/gu

/** Words of files and services on the page: cut to a length, and with what would turn or hide text as escapes. */
export function shown(text: string, charsMax = foreignCharsMax): string {
  const cut = printable(text.slice(0, charsMax)).replace(marksInARow, '$1')
  return text.length > charsMax ? `${cut.replace(/[\ud800-\udbff]$/, '')}…` : cut
}

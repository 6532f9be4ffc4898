/** Wide in a terminal: East Asian scripts, fullwidth forms, and what is drawn as a picture. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
/** Drawn on the character before it, or not at all. */
const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/u

/** How many columns of a terminal a text takes. Control characters are the caller's to take out. */
export function displayWidth(text: string): number {
  let width = 0
  for (const char of text) width += columnsOf(char)
  return width
}

/** The longest beginning of a text that fits into so many columns; no character is cut in half. */
export function cutToWidth(text: string, columnsMax: number): string {
  let width = 0
  let length = 0
  for (const char of text) {
    width += columnsOf(char)
    if (width > columnsMax) return text.slice(0, length)
    length += char.length
  }
  return text
}

function columnsOf(char: string): number {
  if (char < '\u0300') return 1
  if (zeroWidth.test(char)) return 0
  return wide.test(char) ? 2 : 1
}

/**
 * Text without what would drive a terminal, or turn round the words of a terminal or a page. File names, headers,
 * cells and words of servers may hold it; it is shown as an escape, which inside JSON means the same character.
 */
export function printable(text: string): string {
  return text.replace(
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

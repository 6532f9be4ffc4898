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

/** The values of a text with one JSON value a line; empty lines are skipped. */
export const readJsonLines = <Line = Record<string, unknown>>(text: string): Line[] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as Line]))

/** What a command tells a program with `--json`: one object a line, each with its `type`; errors are such lines too. */
export function jsonLine(type: string, value: object): string {
  return `${JSON.stringify({ type, ...value })}\n`
}

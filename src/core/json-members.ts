/** A top-level member of a JSON object: the key, and the text of its value as it stands in the line. */
export interface JsonMember {
  readonly key: string
  readonly raw: string
}

/**
 * The members of the object that `line` holds, in order, without losing a digit: values stay text. The line
 * must be valid JSON and an object (`JSON.parse` says so); on anything else the result means nothing.
 */
export function jsonMembers(line: string): readonly JsonMember[] {
  const members: JsonMember[] = []
  let at = skipSpace(line, line.indexOf('{') + 1)
  while (line.charAt(at) === '"') {
    const keyEnd = stringEnd(line, at)
    const key = unquote(line.slice(at, keyEnd))
    const valueStart = skipSpace(line, line.indexOf(':', keyEnd) + 1)
    const valueEnd = endOfValue(line, valueStart)
    members.push({ key, raw: line.slice(valueStart, valueEnd) })
    at = skipSpace(line, skipSpace(line, valueEnd) + 1)
  }
  return members
}

/** A JSON string without escapes is its own text. */
export function unquote(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1)
}

function skipSpace(line: string, from: number): number {
  let at = from
  for (;;) {
    const char = line.charCodeAt(at)
    if (char !== 0x20 && char !== 0x09 && char !== 0x0d && char !== 0x0a) return at
    at++
  }
}

/** The index after the closing quote of the string that opens at `from`. */
function stringEnd(line: string, from: number): number {
  let at = from + 1
  for (;;) {
    const quote = line.indexOf('"', at)
    if (quote === -1) return line.length
    let backslashes = 0
    while (line.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

function endOfValue(line: string, from: number): number {
  const first = line.charAt(from)
  if (first === '"') return stringEnd(line, from)
  if (first === '{' || first === '[') return endOfNested(line, from)
  let at = from
  while (at < line.length && !/[,}\s]/.test(line.charAt(at))) at++
  return at
}

function endOfNested(line: string, from: number): number {
  let depth = 0
  for (let at = from; at < line.length; at++) {
    const char = line.charCodeAt(at)
    if (char === 0x22) at = stringEnd(line, at) - 1
    else if (char === 0x7b || char === 0x5b) depth++
    else if ((char === 0x7d || char === 0x5d) && --depth === 0) return at + 1
  }
  return line.length
}

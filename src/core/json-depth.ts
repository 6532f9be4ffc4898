/**
 * Whether JSON text nests deeper than `depthMax`. A linear scan: `JSON.parse` takes a million levels without
 * complaint, and whatever walks the result afterwards does not.
 */
export function nestsDeeperThan(text: string, depthMax: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const char = text.charCodeAt(index)
    if (inString) {
      if (char === 0x5c) index++
      else if (char === 0x22) inString = false
    } else if (char === 0x22) inString = true
    else if (char === 0x7b || char === 0x5b) {
      depth++
      if (depth > depthMax) return true
    } else if (char === 0x7d || char === 0x5d) depth--
  }
  return false
}

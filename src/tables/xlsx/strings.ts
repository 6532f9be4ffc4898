import { xlsxLimits } from '../limits.js'
import type { Parts } from './parts.js'
import { readWholeXml } from './xml.js'
import { damagedWorkbook } from './xlsx-error.js'

/** Gathers the text of a string: its runs joined, the reading aids of Japanese (`rPh`) left out. */
export class StringText {
  #text = ''
  #isText = false
  #aids = 0

  open(name: string): void {
    if (name === 'rPh') this.#aids++
    else if (name === 't') this.#isText = this.#aids === 0
  }

  add(text: string): void {
    if (this.#isText) this.#text += text
  }

  close(name: string): void {
    if (name === 'rPh') this.#aids--
    else if (name === 't') this.#isText = false
  }

  /** What was gathered; the next string begins. */
  take(): string {
    const text = unescaped(this.#text)
    this.#text = ''
    return text
  }
}

/** Characters that XML cannot hold are written as `_x000D_`. */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

/** The strings that cells refer to by number. */
export async function readSharedStrings(parts: Parts, part: string | null): Promise<readonly string[]> {
  const strings: string[] = []
  if (part === null || !parts.has(part)) return strings
  const string = new StringText()
  let charCount = 0
  await readWholeXml(parts.read(part), parts.label, {
    open: (name) => {
      string.open(name)
    },
    text: (text) => {
      string.add(text)
    },
    close: (name) => {
      string.close(name)
      if (name !== 'si') return
      const text = string.take()
      charCount += text.length
      if (charCount > xlsxLimits.sharedStringCharsMax) {
        throw damagedWorkbook(
          parts.label,
          `its texts come to more than ${xlsxLimits.sharedStringCharsMax} characters`,
        )
      }
      strings.push(text)
    },
  })
  return strings
}

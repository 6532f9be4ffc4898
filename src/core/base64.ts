const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** With padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second, third] = bytes.subarray(index, index + 3)
    const bits = (first << 16) | ((second ?? 0) << 8) | (third ?? 0)
    text += alphabet.charAt(bits >> 18) + alphabet.charAt((bits >> 12) & 63)
    text += second === undefined ? '=' : alphabet.charAt((bits >> 6) & 63)
    text += third === undefined ? '=' : alphabet.charAt(bits & 63)
  }
  return text
}

/**
 * The bytes of a base64 text, or null where it is not exactly what `encodeBase64` would have written, save
 * for padding that is left out: no blank, no other alphabet, no stray bit.
 */
export function decodeBase64(text: string): Uint8Array | null {
  const digits = text.replace(/={1,2}$/, '')
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let bits = 0
  let bitCount = 0
  let length = 0
  for (const character of digits) {
    const value = alphabet.indexOf(character)
    if (value < 0) return null
    bits = ((bits << 6) | value) & 0xffff
    bitCount += 6
    if (bitCount >= 8) {
      bitCount -= 8
      bytes[length++] = (bits >> bitCount) & 0xff
    }
  }
  const canonical = encodeBase64(bytes)
  return text === canonical || text === canonical.replace(/=+$/, '') ? bytes : null
}

/** What 0x80 to 0x9f mean; `TextDecoder` of Node 20 makes control characters of them. */
const upperControls = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** Total: the five bytes that windows-1252 leaves out are the control characters of ISO 8859-1. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => upperControls.charAt(char.charCodeAt(0) - 0x80))
}

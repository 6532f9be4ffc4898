/** Formats 1234567 as 1,234,567, with optional decimals. `toLocaleString` would load ICU at first. */
export const formatCount = (value: number, decimals?: number): string =>
  (decimals === undefined ? String(value) : value.toFixed(decimals)).replace(
    /\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g,
    ',',
  )

/** Formats a count with its noun: `1 row`, `1,234 rows`. `several` is the plural of the noun. */
export const plural = (count: number, noun: string, several = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : several}`

/** Formats a size: `870 kB`, `1.5 MB`. */
export const formatBytes = (bytes: number): string =>
  bytes < 1e6
    ? `${formatCount(Math.ceil(bytes / 1e3))} kB`
    : `${formatCount(Math.round(bytes / 1e5) / 10)} MB`

const unitBytes = { MB: 1e6, GB: 1e9, MIB: 2 ** 20, GIB: 2 ** 30 } as const

/** Parses `512MB`, `1.5GB` or `2GiB` to bytes; null if the text is not a size. */
export function parseByteSize(text: string): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?) ?([MG]i?B)$/i.exec(text.trim())
  if (match === null) return null
  return Math.round(Number(match[1]) * unitBytes[match[2]?.toUpperCase() as keyof typeof unitBytes])
}

/** Characters of width 2 in a terminal: East Asian scripts, fullwidth forms and emoji. A flag is two characters of 1. */
const wide =
  /(?![\u{1f1e6}-\u{1f1ff}])(?:[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u

/** Combining and invisible characters, and the later parts of Korean syllables. Arabic number signs are visible. */
const zeroWidth = /(?![\u0600-\u0605\u06dd\u070f\u08e2])[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u

/** Returns the number of terminal columns of a text. The caller must remove control characters. */
export const measureWidth = (text: string): number =>
  Array.from(text).reduce((width, char) => width + getCharWidth(char), 0)

/** Returns the longest prefix that fits into `columnsMax` columns, in whole characters. */
export function cutToWidth(text: string, columnsMax: number): string {
  let [width, length] = [0, 0]
  for (const char of text) {
    width += getCharWidth(char)
    if (width > columnsMax) return text.slice(0, length)
    length += char.length
  }
  return text
}

function getCharWidth(char: string): number {
  if (char < '\u0300') return 1
  if (zeroWidth.test(char)) return 0
  return wide.test(char) ? 2 : 1
}

/** True for an English sentence that has a name from right to left: more Latin letters than others. */
export const isLeftToRight = (text: string, rightToLeft = /[\p{sc=Arab}\p{sc=Hebr}]/u): boolean =>
  rightToLeft.test(text) && text.split(/\p{sc=Latn}/u).length > text.split(rightToLeft).length

/**
 * Escapes characters that control a terminal or reverse the text direction, which file names, headers, cells and
 * messages of servers may contain. The escape means the same character in JSON.
 */
export function printable(text: string): string {
  return text.replace(
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Quotes a name in a sentence. A name with quotes of its own gets others: `“SIA "Norvane"”`. */
export const quoteName = (name: string): string =>
  !name.includes('"') ? `"${name}"` : /[“”„]/.test(name) ? `«${name}»` : `“${name}”`

const excerptCharsMax = 80

/** Returns a text in quotes for a message, cut at 80 characters. */
export const quoteExcerpt = (text: string): string =>
  quoteName(printable(text.length > excerptCharsMax ? `${text.slice(0, excerptCharsMax)}…` : text))

/** Removes a byte order mark from the start of a text. */
export const stripByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text)

/** Returns a text up to its first line break. */
export function getFirstLine(text: string): string {
  const end = text.indexOf('\n')
  return end === -1 ? text : text.slice(0, end)
}

/** Formats a text as an SQL literal. */
export const quoteSqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Formats a name as an SQL identifier. */
export const quoteSqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`

const readPairs = (pairs: string) =>
  new Map(pairs.split(' ').map((pair) => pair.split('=') as [string, string]))
const latinLetters = readPairs('ß=ss ø=o ł=l đ=d ð=d ı=i æ=ae œ=oe þ=th')
const arabicLetters = readPairs('أ=ا إ=ا آ=ا ة=ه ى=ي ی=ي ے=ي ک=ك ہ=ه ھ=ه ە=ه')

/** Writes the variants of Arabic letters as one, as many people write them: `ة` as `ه`, `أ` as `ا`; without the line that stretches words. */
export const writeArabicPlain = (text: string): string =>
  text.replace(/[أإآةىیےکہھەـ]/g, (letter) => arabicLetters.get(letter) ?? '')

/** Replaces lower-case Latin letters that have no Unicode decomposition, `ø` by `o`, `ß` by `ss`, and variants of Arabic ones. */
export const toPlainLetters = (text: string): string =>
  writeArabicPlain(text).replace(/[ßøłđðıæœþ]/g, (letter) => latinLetters.get(letter) ?? letter)

/** Writes the decimal digits of other scripts as 0 to 9: `๑๐` is `10`. Each script has them in one row, from its zero. */
export const toPlainDigits = (text: string): string =>
  text.replace(/(?!\d)\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    let zero = code
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
    return String((code - zero) % 10)
  })

/** Writes letters, digits and brackets of another width or form as usual ones: `【１２】` is `(12)`. Signs for a number stay. */
export const toPlainWidth = (text: string): string => {
  const plain = text.replace(/[^№ºª]+/g, (part) => part.normalize('NFKC'))
  return plain.replace(/(?![[{])\p{Ps}/gu, '(').replace(/(?![\]}])\p{Pe}/gu, ')')
}

/** `=`, `+`, `-`, `@`, tab, carriage return, line feed, and their full-width forms, which spreadsheets treat alike. */
const formulaStart = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** Adds an apostrophe before a text that a spreadsheet would run as a formula. Only for generated CSV cells. */
export function escapeFormula(cell: string): string {
  return formulaStart.test(cell) ? `'${cell}` : cell
}

/**
 * Folds a header, without case, width, marks, spaces and signs: `Billing State/Province`, `billing_state_province` and
 * `BillingStateProvince` are equal, and so are `Razón social` and `razon_social`. Letters of every script stay.
 */
export function toHeaderKey(header: string): string {
  return foldLetters(header).replace(otherSigns, '')
}

const otherSigns = /[^\p{L}\p{N}]+/gu
export const foldLetters = (text: string): string =>
  toPlainLetters(text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, ''))

/**
 * Returns how well a header fits one of the keys, best 0: a key with a number at its end, as in `Ort 2`, fits worse than
 * any without, and a low number better than a high one. -1 if it fits none.
 */
export function rankInHeaders(header: string, keys: readonly string[]): number {
  const whole = toHeaderKey(header)
  const rank = keys.indexOf(whole)
  const { base, number } = rank < 0 ? splitNumber(whole) : noNumber
  if (number === 0) return rank
  const baseRank = keys.indexOf(base)
  return baseRank < 0 ? -1 : number * keys.length + baseRank
}

/** Splits a key into its text and the number at its end; 0 without a number of one or two digits. */
export function splitNumber(key: string): { base: string; number: number } {
  const digits = /(?<!\p{N})\d{1,2}$/u.exec(key)?.[0] ?? ''
  return digits === '' ? noNumber : { base: key.slice(0, -digits.length), number: Number(digits) }
}

const noNumber = { base: '', number: 0 }

/** Returns the halves of a header in two scripts, one of them Latin: `ከተማ / City`, `City (ከተማ)`. Empty for any other. */
export function splitScripts(header: string): string[] {
  const halves = header
    .slice(0, 200)
    .split(/[/|()（）[\]\n]|\s[-–—]\s/u)
    .filter((text) => /\p{L}/u.test(text))
  const isLatin = (text = '') => /\p{sc=Latin}/u.test(text)
  return halves.length === 2 && isLatin(halves[0]) !== isLatin(halves[1]) ? halves : []
}

/** Returns the keys of headers separated by bars. */
export const toHeaderKeys = (...lists: readonly string[]): string[] =>
  lists.flatMap((list) => list.split('|').map(toHeaderKey))

/** Writes small Greek letters as capitals are, without marks and with one sigma. The length stays. */
export const writeGreekPlain = (text: string): string =>
  text.replace(/[\u0370-\u03ff\u1f00-\u1fff]/g, (one) => (one === 'ς' ? 'σ' : one.normalize('NFD').charAt(0)))

/** Folds the spelling of a header: `Company Name`, `company_name` and `COMPANY-NAME` are equal; marks count, except those of Greek and Arabic. */
export const toSpellingKey = (header: string): string =>
  writeArabicPlain(writeGreekPlain(header.normalize('NFKC').toLowerCase())).replace(
    /[^\p{L}\p{M}\p{N}]+/gu,
    '',
  )

/** Keeps the first results of a function of short texts, which registers repeat millions of times. */
export function memoize<Key extends unknown[], Result>(compute: (...key: Key) => Result): typeof compute {
  const known = new Map<string, Result>()
  return (...key) => {
    const text = key.join('\n')
    if (known.has(text)) return known.get(text) as Result
    const result = compute(...key)
    if (known.size < 5_000) known.set(text, result)
    return result
  }
}

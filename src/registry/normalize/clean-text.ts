import asianTable from '../reference/east-asian-words.json' with { type: 'json' }
import hanTable from '../reference/han-variants.json' with { type: 'json' }

/** Entities of HTML that are letters and marks of names; numeric ones need no table. */
const entities = new Map(
  `amp=& lt=< gt=> quot=" apos=' nbsp=\u0020 ndash=- mdash=- lsquo=' rsquo=' ldquo=" rdquo=" middot=. hellip=. reg=
  trade= copy= szlig=ß aelig=æ AElig=Æ oelig=œ OElig=Œ eth=ð thorn=þ oslash=ø Oslash=Ø aring=å Aring=Å ccedil=ç
  Ccedil=Ç ntilde=ñ Ntilde=Ñ scaron=š Scaron=Š`
    .split(/\s+/)
    .map((pair): [string, string] => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
)

/** `&eacute;` is a letter and the name of its accent. */
const accents: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  caron: '\u030c',
}
const entity = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi
const accentedLetter = /^([a-z])(acute|grave|circ|tilde|uml|caron)$/i

/** `&amp;amp;` was encoded twice. */
const decodingsMax = 4

function decodeEntities(text: string): string {
  let decoded = text
  for (let count = 0; count < decodingsMax && decoded.includes('&'); count++) {
    const next = decoded.replace(entity, decodeEntity)
    if (next === decoded) break
    decoded = next
  }
  return decoded
}

function decodeEntity(found: string, hex?: string, decimal?: string, name = ''): string {
  if (hex !== undefined || decimal !== undefined) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code > 31 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000)
      ? String.fromCodePoint(code)
      : ' '
  }
  const [, letter, accent = ''] = accentedLetter.exec(name) ?? []
  if (letter !== undefined) return (letter + (accents[accent.toLowerCase()] ?? '')).normalize('NFC')
  return entities.get(name) ?? entities.get(name.toLowerCase()) ?? found
}

/** Characters of Windows-1252 that differ from Latin-1, from byte 0x80 on; a space has no character. */
const upperHalf = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'
const bytes1252 = new Map(
  Array.from(upperHalf, (character, at) => [character, 0x80 + at] as const).filter(
    ([character]) => character !== ' ',
  ),
)

/** UTF-8 of a letter that was read as Latin-1 or Windows-1252: "Ã¼" for "ü". */
const misread = /[\u00c2-\u00f4][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|Ã(?: |$)/
const strict = new TextDecoder('utf-8', { fatal: true })

/** Returns the text unchanged if it is not UTF-8 that was read in another encoding. */
function undoMisreading(text: string): string {
  let restored = text
  for (let count = 0; count < 2 && misread.test(restored); count++) {
    const next = readAsUtf8(restored)
    if (next === null) return restored.replace(/[\u00c2-\u00df][\u0080-\u00bf€-™\ufffd]/g, unknownLetter)
    restored = next
  }
  return restored
}

function readAsUtf8(text: string): string | null {
  const bytes: number[] = []
  for (const character of text) {
    const code = bytes1252.get(character) ?? character.codePointAt(0) ?? 0
    if (code > 0xff) return null
    // "Ã " is an "à" whose non-breaking space has become a space.
    bytes.push(code === 0x20 && bytes.at(-1) === 0xc3 ? 0xa0 : code)
  }
  try {
    return strict.decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}

/** Stands for a letter that an encoding has lost. */
export const unknownLetter = '\ufffd'

/** A question mark inside a word, or at its beginning. */
const lostLetter = /(?<=\p{L})\?(?=\p{L})|(?<![\p{L}\p{N}])\?(?=\p{L}{2})/gu

const percentCode = /%[0-9a-f]{2}/i

/** A web address without spaces, or spaces written as `%20`. */
function decodePercents(text: string): string {
  if (!percentCode.test(text) || (/\s/.test(text.trim()) && !text.includes('%20'))) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Undoes what programs have done to a name: entities of HTML, UTF-8 that was read in another encoding, percent codes.
 * A letter that is lost becomes `unknownLetter`. Returns an ordinary name unchanged.
 */
export function cleanText(text: string): string {
  let cleaned = text
  if (cleaned.includes('&')) cleaned = decodeEntities(cleaned)
  if (cleaned.includes('%')) cleaned = decodePercents(cleaned)
  if (/[\u00c2-\u00f4]/.test(cleaned)) cleaned = undoMisreading(cleaned)
  return cleaned.includes('?') ? cleaned.replace(lostLetter, unknownLetter) : cleaned
}

const han = /\p{Script=Han}/gu
let simplified: ReadonlyMap<string, string> | null = null

/**
 * Replaces Chinese characters by their simplified ones: `华为` for 華為. In the table, each is followed by its variants in
 * Taiwan, Hong Kong and Japan, as registers write them. Expects NFKC.
 */
function simplifyHan(text: string): string {
  simplified ??= new Map(
    hanTable.variants
      .flatMap((line) => line.split(' '))
      .flatMap(([first = '', ...others]) => others.map((other) => [other, first] as const)),
  )
  const known = simplified
  return text.replace(han, (one) => known.get(one) ?? one)
}

/** Returns the Chinese characters of a text alone, simplified. */
export const foldHan = (text: string): string =>
  (simplifyHan(text.normalize('NFKC')).match(han) ?? []).join('')

/** Letters that only Serbian and Macedonian have. */
const southSlavic = /[ђјљњћџѓќѕ]/iu
const southSlavicLetters = new Map(
  'ђ=đ ј=j љ=lj њ=nj ћ=ć џ=dž ѓ=ǵ ќ=ḱ ѕ=dz ш=š ч=č ж=ž ц=c х=h'
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.slice(2)]),
)

/** Writes Serbian and Macedonian with the Latin letters that they have: "Пошта Србије" is "Pošta Srbije". */
const toSerbianLatin = (text: string): string =>
  southSlavic.test(text)
    ? text.replace(
        /\p{Script=Cyrillic}/gu,
        (letter) => southSlavicLetters.get(letter.toLowerCase()) ?? letter,
      )
    : text

/** A word of East Asian names, simplified, with its English translation. */
type AsianWord = readonly [native: string, english: string]

const parseAsianWords = (lists: readonly string[]): AsianWord[] =>
  lists
    .flatMap((list) => list.split(', '))
    .map((pair) => [simplifyHan(pair.slice(0, pair.indexOf(' '))), pair.slice(pair.indexOf(' ') + 1)])

let asianWords: { trades: ReadonlyMap<string, string>; places: ReadonlyMap<string, string> } | null = null

/** Words for trades and shapes, and names of places, of China, Japan and Korea. */
export function getAsianWords() {
  const { chinese, japanese, korean, places, japanese_places, korean_places } = asianTable
  return (asianWords ??= {
    trades: new Map(parseAsianWords([...japanese, ...korean, ...chinese])),
    places: new Map(parseAsianWords([japanese_places, korean_places, places])),
  })
}

/** Scripts that names are written in without spaces. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const letters = /[\p{L}\p{M}\p{N}]+/gu
const [wordCharsMax, placeCharsMax] = [12, 4]
/** Follows the name of a place: 深圳市, 서울특별시. */
const kindOfPlace = /^(?:特别行政区|自治区|[省市县区都府]|특별자치[시도]|특별시|광역시|시)/u

/**
 * Divides names that are written without spaces, as registers of China, Japan and Korea form them: a place, the name itself
 * of two characters or more, trades. `深圳市腾讯计算机系统` is `深圳 腾讯 计算机 系统`. Expects simplified characters.
 */
const divideWords = (text: string): string =>
  unspaced.test(text)
    ? text.replace(letters, (run) =>
        findWords(run)
          .map(({ from, end }) => joinLatinLetters(run.slice(from, end)))
          .join(' '),
      )
    : text

const hangulLetters = new Map(
  '에이=a 비=b 씨=c 디=d 이=e 에프=f 지=g 에이치=h 아이=i 제이=j 케이=k 엘=l 엠=m 엔=n 오=o 피=p 큐=q 알=r 에스=s 티=t 유=u 브이=v 더블유=w 엑스=x 와이=y 제트=z'
    .split(' ')
    .map((pair) => [pair.slice(0, -2), pair.slice(-1)] as const),
)
const hangulLetter = [...hangulLetters.keys()].sort((a, b) => b.length - a.length).join('|')
/** Several letters, alone or before a word: registers of Korea write SK하이닉스 as 에스케이하이닉스. */
const spelledLetters = new RegExp(
  String.raw`^(?=.*?(?:에|씨|제|케|엘|엠|큐|브|더|엑|와))(?:${hangulLetter}){2,}(?=$|[가-힣]{2})`,
  'u',
)

const joinLatinLetters = (word: string): string =>
  word.replace(spelledLetters, (letters) =>
    letters.replace(new RegExp(hangulLetter, 'gu'), (letter) => hangulLetters.get(letter) ?? letter),
  )

/** Returns the words of a text with their positions: letters and digits between other characters, and unspaced ones. */
export function listWords(
  text: string,
): { readonly word: string; readonly from: number; readonly to: number }[] {
  return [...text.matchAll(letters)].flatMap(({ 0: run, index }) => {
    const plain = simplifyHan(run)
    const words = plain.length === run.length ? findWords(plain) : [{ from: 0, to: run.length }]
    return words.map(({ from, to }) => ({ word: run.slice(from, to), from: index + from, to: index + to }))
  })
}

/** Words of a run; `end` comes before the kind of a place, as in 深圳市. */
function findWords(run: string): { from: number; end: number; to: number }[] {
  const { trades, places } = getAsianWords()
  const starts: number[] = []
  let first = run.length
  for (let from = findTrade(run, first, trades); from >= 0; from = findTrade(run, first, trades)) {
    starts.unshift(from)
    first = from
  }
  if (first === 1) {
    starts.shift()
    first = starts[0] ?? run.length
  }
  const words: { from: number; end: number; to: number }[] = []
  let start = 0
  for (let place = findPlace(run, 0, first, places); place !== null;) {
    words.push({ from: start, ...place })
    start = place.to
    place = findPlace(run, start, first, places)
  }
  if (start < first) starts.unshift(start)
  for (const [at, from] of starts.entries()) {
    const to = starts[at + 1] ?? run.length
    words.push({ from, end: to, to })
  }
  return words
}

/** Returns where the longest word begins that ends at `end`, or -1. */
function findTrade(text: string, end: number, words: ReadonlyMap<string, string>): number {
  for (let from = Math.max(0, end - wordCharsMax); from <= end - 2; from++)
    if (words.has(text.slice(from, end))) return from
  return -1
}

/** Returns the place that begins at `from`; `null` if less than a name is left before `before`. */
function findPlace(text: string, from: number, before: number, places: ReadonlyMap<string, string>) {
  const isLeft = (at: number) => before - at >= 2 || at === before
  for (let end = Math.min(before, from + placeCharsMax); end >= from + 2; end--) {
    if (!places.has(text.slice(from, end))) continue
    const to = end + (kindOfPlace.exec(text.slice(end, before))?.[0].length ?? 0)
    if (isLeft(to)) return { end, to }
    if (isLeft(end)) return { end, to: end }
  }
  return null
}

/** Writes names of other scripts in one way, before they are read in Latin letters: Chinese characters, words, Serbian. */
export const writeAlike = (text: string): string =>
  divideWords(simplifyHan(toSerbianLatin(text.normalize('NFKC'))))

/**
 * Unifies the spelling of a text in Arabic or Hebrew letters, whose short vowels are not written, and drops articles and
 * spaces; `null` for other texts.
 */
export function unifyConsonantal(text: string): string | null {
  if (!/[\u0590-\u06ff]/.test(text)) return null
  return text
    .normalize('NFKD')
    .replace(/[\p{M}ـ]/gu, '')
    .replaceAll('ة', 'ه')
    .replace(/[ىی]/g, 'ي')
    .replaceAll('ک', 'ك')
    .replace(/(?<!\p{L})ال(?=\p{L}{2})/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** A department in front of a name, up to a dash or to the word for a company that names begin with. */
const departmentInFront = new RegExp(
  String.raw`^(?:(?:(?:phòng(?! khám)|bộ phận|bagian|divisi|قسم|إدارة|دائرة|ฝ่าย|แผนก)[^-–—:,]{2,30}?|(?:\p{L}+\s){1,2}(?:departmanı|bölümü|müdürlüğü|birimi))\s*[-–—:,]\s+` +
    String.raw`|(?:phòng(?! khám)|bộ phận|ban|khối|bagian|divisi|قسم|إدارة|دائرة|ฝ่าย|แผนก)[^-–—:,]{2,30}?\s+(?:[-–—:,]\s+)?(?=(?:(?:tổng )?công ty|cty|ctcp|pt\.?|cv\.?|شركة|مؤسسة)\s|บริษัท|ห้างหุ้นส่วน)` +
    String.raw`|(?:\p{L}+\s){1,2}(?:departmanı|bölümü|müdürlüğü|birimi)\s+)(?=.*\p{L}{2})`,
  'iu',
)

/** Removes a department in front of a name, where its words are also words of names: "Phòng Mua hàng - Công ty …". */
export const removeDepartment = (name: string): string =>
  name.normalize('NFC').trimStart().replace(departmentInFront, '')

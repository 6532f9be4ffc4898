import { iso31661Alpha3ToAlpha2 } from 'iso-3166'
import { countryCodes } from '../../core/countries.js'
import { classifyDomain } from '../../core/identifiers.js'
import { toPlainDigits, toPlainLetters, writeArabicPlain, writeGreekPlain } from '../../core/text.js'
import { simplifyHan, toLetterMap, writeLettersAlike } from './own-letters.js'
import around from '../reference/around-names.json' with { type: 'json' }
import asianTable from '../reference/east-asian-words.json' with { type: 'json' }
import placeNames from '../reference/place-names.json' with { type: 'json' }
import { createHangulDivider } from '../reference/industry-codes.js'
import formTable from '../reference/legal-forms.json' with { type: 'json' }
import romanized from '../reference/romanized-letters.json' with { type: 'json' }
import wordTables from '../reference/word-classes.json' with { type: 'json' }

/** Parses words of names in other scripts with their English ones: translations, or English words by sound. */
export const parseWords = (lists: readonly string[]): (readonly [native: string, english: string])[] =>
  lists
    .flatMap((list) => list.split(', '))
    .map((pair) => [writeArabicPlain(pair.slice(0, pair.indexOf(' '))), pair.slice(pair.indexOf(' ') + 1)])
const parseAsianWords = (lists: readonly string[]) =>
  new Map(parseWords(lists).map(([native, english]) => [simplifyHan(native), english]))

let asianWords: { trades: ReadonlyMap<string, string>; places: ReadonlyMap<string, string> } | null = null

/** Words for trades and shapes, and names of places, of China, Japan and Korea. */
export function getAsianWords() {
  const { chinese, japanese, korean, places, japanese_places, korean_places } = asianTable
  return (asianWords ??= {
    trades: parseAsianWords([...japanese, ...korean, ...chinese]),
    places: parseAsianWords([japanese_places, korean_places, places]),
  })
}

/** Scripts that names are written in without spaces. */
export const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const letters = /[\p{L}\p{M}\p{N}]+/gu
const [wordCharsMax, placeCharsMax] = [12, 4]
/** Follows the name of a place: 深圳市, 서울특별시. */
const kindOfPlace = /^(?:特别行政区|自治区|[省市县区都府]|특별자치[시도]|특별시|광역시|시)/u

/**
 * Divides names that are written without spaces, as registers of China, Japan and Korea form them: a place, the name itself
 * of two characters or more, trades. `深圳市腾讯计算机系统` is `深圳 腾讯 计算机 系统`. Expects simplified characters.
 */
const divideWords = (text: string): string => (unspaced.test(text) ? text.replace(letters, divideRun) : text)
const divideRun = (run: string): string =>
  Array.from(findWords(run), ({ from, end }) => run.slice(from, end)).join(' ')

/** Letters by their names: registers of Korea write SK하이닉스 as 에스케이하이닉스, and lists "Ай-Ти", エヌ・ティ・ティ and "are ess pee bee". Korean first: only in divided words. */
const spelledLetters = Object.values(romanized.letter_names).map(([names = '', run = '', flags = '']) => {
  const letterOf = toLetterMap(names)
  const name = [...letterOf.keys()].sort((a, b) => b.length - a.length).join('|')
  const runs = new RegExp(run.replaceAll('%', `(?:${name})`), `gu${flags}`)
  const write = (found: string) => letterOf.get(found) ?? letterOf.get(found.toLowerCase()) ?? ''
  return [write, new RegExp(`${name}|.`, `gu${flags}`), runs] as const
})
/** "N O R V A N E L T D", a letter in each box of a form. */
const inBoxes = /(?<![\p{L}\p{M}\p{N}.&])\p{L}(?: \p{L}){5,}(?![\p{L}\p{M}\p{N}.&])/gu
export function joinLatinLetters(text: string, isDivided = false): string {
  let joined = text.replace(inBoxes, (run) => run.replaceAll(' ', ''))
  for (const [write, one, run] of spelledLetters.slice(isDivided ? 0 : 1))
    joined = joined.replace(run, (found) => `${found.replace(one, write)} `)
  return joined
}

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
  const ends = [...starts.slice(1), run.length]
  return [...words, ...starts.map((from, at) => ({ from, end: ends[at] ?? 0, to: ends[at] ?? 0 }))]
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
export function writeAlike(text: string): string {
  return joinLatinLetters(divideWords(writeLettersAlike(text)), true)
}

const greekVowels = new Map(
  ['αά', 'εέ', 'ηή', 'ιίϊΐ', 'οό', 'υύϋΰ', 'ωώ'].map((all) => [all.charAt(0), `[${all}]`]),
)
/** Returns the pattern of a form in its usual writings: an Arabic one of several words with or without articles, hamza and dots, a Greek one with or without marks. */
function spellNative(spelling: string): string {
  if (/\p{sc=Grek}/u.test(spelling))
    return Array.from(writeGreekPlain(spelling), (letter) => greekVowels.get(letter) ?? letter).join('')
  if (!/^[^.]*\p{sc=Arab}[^.]*$/u.test(spelling)) return spelling
  const article = /(?<=^| )(?:ال)?(?=\p{sc=Arab}{3})/gu
  const open = spelling.includes(' ') ? spelling.replace(article, '(?:ال)?') : spelling
  return open
    .replaceAll('ؤو', '(?:[ؤئو]و?|ءو)')
    .replace(/ؤ(?!و|ئ)/g, '[ؤو]')
    .replace(/[ةه](?= |$)/g, '[ةه]')
    .replace(/[أإ]/g, '[أإا]')
    .replace(/[یيى]/g, '[یيى]')
    .replace(/[کك]/g, '[کك]')
}
const tidy = (part: string): string => part.trim().replace(/\s+/g, ' ')
/** "東京都港区", "경기도 성남시 분당구", "中国北京", "미국 LA": no signs separate a country or a region from its towns. */
const placeEnds = placeNames.place_ends.map(([end = '', put = '']) => [new RegExp(end, 'gu'), put] as const)

/** Divides a place into its parts. */
export const splitPlace = (text: string): string[] =>
  placeEnds
    .reduce((rest, [end, put]) => rest.replace(end, put), text)
    .split(/[,;|\n/()（）、，،؛]+|\s[-–—]\s(?!\d)/)
    .map(tidy)

/** "Bakı şəhəri Xətai rayonu" and "แขวงสีลม เขตบางรัก" have two parts. */
const partEnd = new RegExp(placeNames.part_ends.replace('%', placeNames.town_ends), 'iu')

/** Drops empty and repeated parts, ignoring case. */
export function splitLine(line: string): string[] {
  const parts = line.replace(postBox, divideBox).split(partEnd).map(tidy)
  return parts.filter((part, at) => part !== '' && part.toLowerCase() !== parts[at - 1]?.toLowerCase())
}

/** A post-office box in front of its town. In Kenya it has the postal code: "P.O. Box 501-00800 Larkmoor". */
const postBox =
  /(?<!\p{L})((?:p\.?\s*o\.?\s*box|s\.?\s*l\.?\s*p\.?)\s*\d+)(?:\s*[-–—]\s*(\d{5}))?[\s,]+(\p{L}[^,;\d]*)/giu
const divideBox = (_: string, box: string, code: string | undefined, town: string) =>
  [box, town, code].filter(Boolean).join(', ')

const codeFront = /^([A-Z]{0,2}-?\d{4,6}|[A-Z]{2}\d{3}|\d{2}-\d{3}|\d{3} \d{2}) (\D+)$/
const codeBehind = /^(\D+) ([A-Z]{1,2}-?\d{3,6})$/
const plainCodeBehind =
  /^(?!.*(?:[Bb][Oo][Xx]|[Ll]\.?[Pp]\.?) )(\p{L}\P{Nd}*?)\s*[-–—\s]\s*(\p{Nd}{4,6}|\p{Nd}{3}[ -]\p{Nd}{2,3})\.?$/u

/** Takes the postal code from a town: "80331 München", "Rīga LV-1010", and, if `isBehind`, "Dhaka-1100". Expects single spaces. */
export function splitTownCode(text: string, isBehind: boolean): { town: string; code: string | null } {
  const [, first, rest] = codeFront.exec(text) ?? []
  if (first !== undefined && rest !== undefined) return { town: rest, code: first }
  const [, town, code] = codeBehind.exec(text) ?? (isBehind ? plainCodeBehind.exec(text) : null) ?? []
  if (town === undefined || code === undefined) return { town: text, code: null }
  return { town: town.replace(/[\s,;]+$/, ''), code: toPlainDigits(code) }
}

/** Scripts without spaces between words: a form is found inside of them. */
const unspacedForm =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u
const [wordStart, wordEnd] = [String.raw`(?<![\p{L}\p{M}\p{N}])`, String.raw`(?![\p{L}\p{M}\p{N}])`]
const [textStart, textEnd] = [String.raw`(?<=^[^\p{L}\p{N}]{0,4})`, String.raw`(?=[^\p{L}\p{N}]{0,4}$)`]

/** Nationality and kind of an Arabic form: شركة مساهمة مصرية قابضة. */
const qualities = String.raw`(?:\.?[\s-]{1,3}\(?(?:${formTable.qualities.split(' ').map(spellNative).join('|')})\)?){0,3}`

/** Builds the pattern of a form in another script: `ש.מ` with or without points or slashes, `בע"מ` with any mark, brackets of any width; NFKC has made full-width ones narrow. `*` stands for words of trades, `+` for `qualities`. */
export function toFormPattern(marked: string): RegExp {
  const spelling = marked.replace(/^[<$]/, '').normalize('NFKC').toLowerCase()
  const letters = spellNative(spelling.replace(/[()]/g, String.raw`\$&`))
    .replaceAll('.', String.raw`\s?[./]?\s?`)
    .replaceAll('"', '["״”’\'׳`´~]{0,2}')
    .replaceAll(' +', qualities)
    .replaceAll(' * ', String.raw`(?:[\s-]{1,3}[\p{L}.]{2,20}){0,6}[\s-]{1,3}`)
    .replaceAll(' ', String.raw`[\s-]{1,3}`)
  const isApart = !unspacedForm.test(spelling)
  const start = `${isApart ? wordStart : ''}${marked.startsWith('<') ? textStart : ''}`
  const end = `${isApart ? `\\.?${wordEnd}` : '\\.?'}${marked.startsWith('$') ? textEnd : ''}`
  return new RegExp(`${start}${letters}${end}`, 'giu')
}

const ownForm = String.raw`(?:-?\s*(?:SMC|Co|Company)\.?\s+)?(?:Ltd|Limited|PLC)\b`
const anyForm = String.raw`(?:${ownForm}|\(?(?:Private|Pvt|Pte|Pty|Proprietary)\b)`
/** A country in front of the form, as companies of a group have it: "Larkmoor (U) Ltd" of Uganda, "Larkmoor Ken. Ltd". */
export const countriesInBrackets = Object.entries(formTable.country_marks).map(([country, [own, any]]) => {
  const all = String.raw`(?:${own})\s*(?=${ownForm})|\((?:${any})\.?\)(?=\s*$|\s*${anyForm})|(?:${any})\.(?=\s+${anyForm})`
  return [new RegExp(String.raw`(?<=\S\s)(?:${all})`, 'giu'), `(${country}) `] as const
})

const toChoice = (lines: readonly string[]): string =>
  `(?:${lines.flatMap((line) => line.split(' ').map(simplifyHan)).join('|')})`
const sites = toChoice(around.sites)
const site = new RegExp(`${sites}$|^${toChoice(around.sites_alone)}$`, 'u')
const department = new RegExp(`(?:${toChoice(around.departments)}|^[\\p{L}\\p{N}]+[部课科处室组係팀])$`, 'u')
const siteBehindForm = new RegExp(`${toChoice(around.sites_behind_form)}$`, 'u')

/** Returns what a run of letters in a script without spaces names behind a company: 北京分公司, 大阪支店, 采购部. Some words are also the end of names: 本店, 中心. */
export function classifyNativeRun(run: string, isBehindForm: boolean): 'site' | 'department' | null {
  const plain = simplifyHan(run)
  if (site.test(plain)) return 'site'
  if (department.test(plain)) return 'department'
  return isBehindForm && siteBehindForm.test(plain) ? 'site' : null
}

/** Built at the first name in Han or Hangul. */
let [joinedSite, divideTrade]: [RegExp?, ReturnType<typeof createHangulDivider>?] = []

/** Divides a known place and its branch from the name in front of them, 東海精密名古屋営業所, and a misspelled Korean trade. */
export function divideSite(given: string): string {
  if (!unspaced.test(given)) return given
  const divide = (divideTrade ??= createHangulDivider(getAsianWords().trades))
  const text = classifyNativeRun(given, true) === null ? divide(given) : given
  joinedSite ??= new RegExp(
    String.raw`(?<=[\p{L}\p{N}]{3})(?:${[...getAsianWords().places.keys()].join('|')})[市区县府都省시]?${sites}(?![\p{L}\p{N}])`,
    'u',
  )
  const at = joinedSite.exec(simplifyHan(text))?.index ?? 0
  return at > 0 ? `${text.slice(0, at)} ${text.slice(at)}` : text
}

/** A text without case, accents and what is no letter, in one way for remarks that are typed without accents. */
const toPlain = (text: string): string =>
  ` ${simplifyHan(text.normalize('NFKC'))
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ı', 'i')
    .replace(/\P{L}+/gu, ' ')
    .trim()} `
const withoutSpaces = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u
/** The longest first; a word is matched as a whole where the script has spaces. */
const toPhrases = (texts: readonly string[]): string[] =>
  texts
    .map((text) => (withoutSpaces.test(text) ? toPlain(text).trim() : toPlain(text)))
    .sort((a, b) => b.length - a.length)
const remarks = toPhrases(Object.values(around.remarks).flat())
const [knownRemarks, joints] = [new Set(remarks), toPhrases(around.remark_joints.split(' '))]

/** Whether a text only says something of the record, perhaps with a date or a number: "duplicate of 4711", 取引停止. */
export function isRemark(text: string): boolean {
  const cut = (from: string, phrases: readonly string[]) =>
    phrases.reduce((rest, phrase) => (rest.includes(phrase) ? rest.replaceAll(phrase, '  ') : rest), from)
  const rest = cut(toPlain(text), remarks)
  return rest !== toPlain(text) && cut(rest, joints).trim() === ''
}

/** Whether a text is a remark of several words, or a long one of a script without capitals or spaces, which no name ends with. */
export const isPlainRemark = (text: string): boolean =>
  knownRemarks.has(toPlain(text))
    ? /\p{L}[ /]\p{L}|[\p{sc=Geor}\p{sc=Armn}]{7}/u.test(text.trim())
    : text.length > 3 && knownRemarks.has(text.trim())

const formBefore = String.raw`(?:[式限同]会社|限公司|식회사|\([株有同資주유합]\))`
const addressing = [
  // A person behind a name with its form, or behind a department.
  String.raw`(?<=^.{2,80}(?:${formBefore}\s?|[部課係室팀]\s))\p{L}{1,6}(?: \p{L}{1,4})? ?(?:様|殿|님)$`,
  String.raw`^(?:${around.honorifics.in_front})[\s/:_.,-]+|(?<=^.{2,80})\s?(?:${around.honorifics.anywhere}|${around.with_others})$`,
  String.raw`(?<=^.{1,80}(?:\s|${formBefore}))(?:${around.honorifics.behind_form})$|(?<=^.{1,80}[^王神奥客父母皇姫若仏])様$`,
  String.raw`(?<=^.{3,80})[\s,;/-]{1,3}(?:${around.attention})[\s:].{2,60}$`,
  // A payment behind two words of a Vietnamese name: "CTY TNHH LARKMOOR VELSOR CK TIEN HANG".
  String.raw`(?= (?:${around.payments})$)(?<=^(?:c[oô]ng ty|cty|ct|ctcp|tnhh|htx) (?:(?:tnhh|c[oổ] ph[aầ]n|mtv|\p{L}{2}) )*(?:(?!tnhh|mtv)\S{3,20} \S{2,20}|\S{2,20} \S{3,20})(?: \S{1,20}){0,10}) .+$`,
  // A contract defines a word for the company.
  String.raw`(?<=^.{3,80})(?:\s?\(${around.defined_terms}[^()]{3,40}\)|(?:\s?[,;(]\s?|\s[-–]\s)(?:${around.hereafter})[\s,:"“„«'].{2,60}|\s(?:(?:${around.hereafter})\s?[:,]?\s?["“„«']|(?:${around.hereafter_alone})\s).{2,60})\.?$`,
  // A company that acts for its group is the one meant.
  String.raw`(?<=^.{3,80})[\s,;/-]{1,3}(?:for and )?on behalf of (?:the|its|their|all) [^,;]{0,40}(?<!\p{L})(?:group|subsidiaries|affiliates|members|companies|consortium|partners|shareholders|clients|customers|network)\.?$`,
].map((pattern) => new RegExp(pattern, 'iu'))

/** Removes polite endings and the person that a letter is for: "北野精機㈱ 経理部 田中様". */
export const removeAddressing = (name: string): string =>
  addressing.reduce((rest, pattern) => rest.replace(pattern, '').trim(), name)

const siteAlone = /^(?:https?:\/\/)?(?:www\.)?([a-z\d-]{4,60})\.[a-z]{2,4}(?:\.[a-z]{2})?\/?$/i
/** Whether a text is a website with the first words of a name that is next to it: "larkmoor.com - Larkmoor Inc". */
export function isOwnSite(text: string, name: string): boolean {
  const label = siteAlone.exec(text)?.[1]?.toLowerCase().replaceAll('-', '')
  const words = name.toLowerCase().split(/[^a-z\d]+/, 8)
  return label !== undefined && words.some((_, at) => words.slice(0, at + 1).join('') === label)
}

const mailAddress = /(?<![\w.+-])([\w.+-]{2,64})@((?:[a-z\d-]+\.)+[a-z]{2,})/i
/** A piece with a first name, perhaps with an initial, and a family name; or with a single name. */
const person =
  /(?<=^|[,;|/<\n–—-]\s*|: )(\p{Lu}[\p{L}\p{M}]+)(?:(?: \p{Lu}\.?)? (\p{Lu}[\p{L}\p{M}'’-]+))?(?=\s*(?:$|[,;|/<(\n–—]|-\s))/gu

/** Removes the person whose mail address the text has: "Ana Solis, Larkmoor Foods, asolis@larkmoor.example". */
export function removePerson(text: string): string {
  const [, mailbox = '', host = ''] = mailAddress.exec(text) ?? []
  const box = mailbox.toLowerCase().replace(/[^a-z]/g, '')
  if (box.length < 2 || classifyDomain(host.toLowerCase()) !== null) return text
  const fold = (word: string) => toPlainLetters(toPlain(word).replaceAll(' ', ''))
  return text.replace(person, (found: string, first: string, last?: string) => {
    const [one, other] = [fold(first), fold(last ?? '')]
    const isOfHost = [one, other].some((word) => word.length > 2 && host.toLowerCase().includes(word))
    const boxes = [one, other, one + other, other + one, one.charAt(0) + other, one + other.charAt(0)]
    return !isOfHost && boxes.includes(box) ? ' ' : found
  })
}

const kinship = wordTables.trades.kinship.flatMap((line) => line.split(' ')).filter((word) => word.length > 3)
const family = new Set([...kinship, ...around.family.split(' ')])
const joinedFamily = new Set(around.joined_family.split(' '))
/** Whether a word is of the family or the partners of a name: "Smith Co. & Sons Ltd" is one company. `isJoined`: behind "and". */
export const isFamilyWord = (word: string, isJoined: boolean): boolean =>
  family.has(word) || (isJoined && joinedFamily.has(word))

/** Dependent countries and regions of a state with a code of their own. */
const territories = new Map(
  Object.entries(placeNames.territories).map(([state, codes]) => [state, codes.split(' ')] as const),
)

/** "Jersey, UK", "Hong Kong, China": both names are right. */
export const isDependent = (country: string, sovereigns: readonly string[]): boolean =>
  sovereigns.some((sovereign) => territories.get(sovereign)?.includes(country) === true)

/**
 * Whether a word of lower-case Latin letters and digits is a country's English name, its own name or its code; faster
 * than `findCountryCodes`. In other languages, such names are also words: `Island`, `Man`.
 */
export const namesCountry = (word: string): boolean =>
  countryCodes.has(word) || iso31661Alpha3ToAlpha2[word.toUpperCase()] !== undefined

/** Whether a line may name a town next to a street: "Rīga, Larkmoora iela 12". */
export const mayHaveTown = (line: string): boolean =>
  splitPlace(line.slice(0, 300)).length > 1 &&
  splitPlace(line.slice(0, 300)).some((part) => /^\P{Nd}*\p{L}\P{Nd}*$/u.test(part))

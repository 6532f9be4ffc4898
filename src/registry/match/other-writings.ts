import {
  foldWords,
  getOrCompute,
  isInHouseName,
  headsBesideForm,
  isHeadWord,
  isLightWord,
  namesTrade,
  toStem,
} from '../normalize/normalize-name.js'
import { parseLetters } from '../normalize/native-scripts.js'
import { hasOtherScript } from '../normalize/sounds.js'
import romanized from '../reference/romanized-letters.json' with { type: 'json' }
import around from '../reference/around-names.json' with { type: 'json' }

/** Pairs of spellings, in folded words, of one letter of another script; `$` is the end of the word. */
export type Writings = readonly (readonly [one: string, other: string])[]

const parseWritings = (line: string): Writings =>
  parseLetters(line).flatMap((pair): Writings => [pair, [pair[1], pair[0]]])
const scripts = Object.entries(romanized.scripts).map(([name, line]) => ({
  letter: new RegExp(String.raw`\p{Script=${name}}`, 'u'),
  writings: parseWritings(line),
  countries: new Set(new Map(Object.entries(romanized.countries)).get(name)?.split(' ')),
}))
const readWritings = (table: Readonly<Record<string, string>>): ReadonlyMap<string, Writings> =>
  new Map(Object.entries(table).map(([key, line]) => [key, parseWritings(line)]))
const ofCountries = readWritings(romanized.in_country)
const ofLetters = readWritings(romanized.letter_of_country)
const ofLatin = readWritings(romanized.in_latin)

/** Returns how the letters of a country's own script are written in Latin letters, or of all countries for an empty one; for one with Latin letters, those of an older spelling. */
export const getWritings = (country: string): Writings =>
  getOrCompute(writingsOfCountries, countriesMax, country, () => [
    ...scripts.flatMap(({ countries, writings }) =>
      country === '' || countries.has(country) ? writings : [],
    ),
    ...[...ofCountries, ...ofLetters].flatMap(([key, writings]) => (key.startsWith(country) ? writings : [])),
    ...(ofLatin.get(country) ?? []),
  ])
const [countriesMax, writingsOfCountries] = [500, new Map<string, Writings>()]

/** Writings within a script: a foreign name has the ending of the Georgian nominative or not, and letters of Hangul have one sound. */
const inScript = Object.entries(romanized.in_script).map(
  ([name, line]) => [new RegExp(String.raw`\p{Script=${name}}`, 'u'), parseWritings(line)] as const,
)

/** Returns the writings to compare a text with a name: of which one has letters of another script, or of a country with an older spelling; else `null`. */
export function findWritings(text: string, name: string, country: string): Writings | null {
  const isOther = hasOtherScript(text)
  if (isOther && hasOtherScript(name))
    return inScript.find(([letter]) => letter.test(text + name))?.[1] ?? null
  if (isOther === hasOtherScript(name)) return ofLatin.get(country) ?? null
  const script = scripts.find(({ letter }) => letter.test(text) !== letter.test(name))
  if (script === undefined) return isOther ? [] : null
  const both = `${text}${name}`.toLowerCase()
  const ofOne = [...ofLetters].flatMap(([key, writings]) => (both.includes(key.slice(-1)) ? writings : []))
  return [...script.writings, ...(ofCountries.get(country) ?? []), ...ofOne]
}

const [writtenCharsMin, writtenStepsMax] = [3, 500]

/** True if two folded words may be writings of one: "zelezara" and "zhelezara". */
export function areWrittenAlike(one: string, other: string, writings: Writings): boolean {
  if (Math.min(one.length, other.length) < writtenCharsMin || writings.length === 0) return one === other
  const [asked, held] = [`${one}$`, `${other}$`]
  const width = held.length + 1
  const reached = new Set([0])
  for (const key of reached) {
    const [at, place] = [Math.floor(key / width), key % width]
    if (at === asked.length && place === held.length) return true
    if (at < asked.length && asked[at] === held[place]) reached.add(key + width + 1)
    for (const [own, theirs] of writings)
      if (asked.startsWith(own, at) && held.startsWith(theirs, place))
        reached.add(key + own.length * width + theirs.length)
  }
  return false
}

/** Lists known words that may be other writings of a folded word. `hasBeginning`: whether a known word begins with a text. */
export function listWritten(
  word: string,
  writings: Writings,
  hasBeginning: (stem: string) => boolean,
): string[] {
  const found: string[] = []
  const asked = `${word}$`
  const open: (readonly [at: number, written: string])[] = word.length < writtenCharsMin ? [] : [[0, '']]
  for (let step = 0; step < writtenStepsMax && open.length > 0; step++) {
    const [at, written] = open.pop() ?? [0, '']
    if (!hasBeginning(written.replace('$', ''))) continue
    if (at === asked.length) found.push(written.replace('$', ''))
    else
      for (const [own, theirs] of [[asked.charAt(at), asked.charAt(at)] as const, ...writings])
        if (asked.startsWith(own, at)) open.push([at + own.length, written + theirs])
  }
  return found
}

/** Returns a town as the end of a name writes it: "Čačak" for the town "Чачак". */
export function findTownIn(name: string, town: string, country: string): string {
  const writings = findWritings(town, name, country)
  if (writings === null) return town
  const seat = foldWords(town)
  const end = foldWords(name).slice(-seat.length)
  return seat.every((word, at) => areWrittenAlike(end[at] ?? '', word, writings)) ? end.join(' ') : town
}

const toWords = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')))
const heads = toWords([...around.long_names.heads, ...around.long_names.branches])
export const branches = toWords(around.long_names.branches)
const links = toWords(around.long_names.links)
const trades = toWords(around.long_names.trades)
/** Words by which the companies of a group, and bodies next to them, differ. */
const groups = toWords(around.long_names.groups)
/** Shorter stems are of other words, too: "productos" are no "productie". */
const stemCharsMin = 8
const tradeStems = new Set([...trades].map(toStem).filter((stem) => stem.length >= stemCharsMin))
const isTrade = (word: string): boolean => trades.has(word) || tradeStems.has(toStem(word))
const isAnyHead = (word: string): boolean => headsBesideForm.has(word) || isHeadWord(word)
const isDescribing = (word: string): boolean => heads.has(word) || links.has(word) || isTrade(word)

/**
 * Returns the words of a name without those around it that only say what the company does: "Privredno društvo za proizvodnju i
 * promet Larkmoor". `null` for a name without such a description, or without one rare word next to it: more than two words may be parts of it.
 */
function cutDescription(words: readonly string[]): readonly string[] | null {
  if (words[0] !== 'za' && !words.some((word) => heads.has(word))) return null
  const first = words.findIndex((word) => !isDescribing(word))
  const last = words.findLastIndex((word) => !isDescribing(word))
  const named = words.slice(first, last + 1)
  const around = [...words.slice(0, Math.max(0, first)), ...words.slice(last + 1)]
  // Behind a legal form in front, "za" begins the description.
  const isOfTrade =
    around.some(isTrade) && around.some((word, at) => heads.has(word) || `${at}${word}` === '0za')
  const isName =
    first >= 0 &&
    named.length <= 2 &&
    named.every((word) => /^[a-z]+$/.test(word) && !isDescribing(word)) &&
    named.some((word) => word.length >= 5)
  return isName && (isOfTrade || branches.has(around[0] ?? '')) ? named : null
}

/** The texts of a query, as far as words are left out of them. */
export interface KeyedText {
  readonly words: readonly { readonly text: string; readonly wordClass: string }[]
  readonly coreKey: string
  readonly fullKey: string
}

type KeyedName = Readonly<{ tokens: readonly string[]; coreKey: string; isDescribed?: boolean }>

/** Changes are made at one place: then objects have few shapes, with which the engine is fast. */
export const change = <One extends object>(one: One, changes: object): One => ({ ...one, ...changes })

/**
 * Leaves out the description of the trade, in a text and in a name: a list has "Larkmoor d.o.o." for "Društvo za trgovinu Larkmoor
 * d.o.o.", and "Društvo za trgovinu Velmora" is another company. `keys`: those of all names found, with `=` those of their cores. If
 * one of them is the text, no other company is meant.
 */
export function leaveOutTrade<Text extends KeyedText, Name extends KeyedName>(
  text: Text,
  held: Name,
  keys: ReadonlySet<string>,
): readonly [Text, Name] {
  const { tokens, coreKey } = held
  if (text.coreKey === coreKey || keys.has(`=${text.coreKey}`)) return [text, held]
  const first = text.words.findIndex(({ wordClass }) => wordClass !== 'form')
  const from = Math.max(0, first)
  const isForm = ({ wordClass, text: word }: KeyedText['words'][number], at: number) =>
    at > from && wordClass === 'form' && !heads.has(word)
  const behind = text.words.findIndex(isForm)
  const end = behind < 0 ? text.words.length : behind
  const asked = text.words.slice(from, end).map(({ text: word }) => word)
  if (asked.join('') === coreKey) return [text, held]
  const [ours, theirs] = [cutDescription(asked), cutDescription(tokens)]
  if (ours === null && (theirs === null || tokens.some((word) => isTrade(word) && asked.includes(word))))
    return [text, held]
  const front = asked.slice(0, -(ours?.length ?? asked.length))
  if (behind > 0 && theirs === null && front.length > 0 && front.every(isAnyHead)) return [text, held]
  const named = theirs ?? tokens
  const described = change(held, { tokens: named, coreKey: named.join(''), isDescribed: true })
  if (ours === null) return [text, described]
  const start = from + asked.indexOf(ours[0] ?? '')
  const isLeftOut = (at: number) => at >= from && at < end && (at < start || at >= start + ours.length)
  const words = text.words.map((word, at) => (isLeftOut(at) ? change(word, { wordClass: 'stop' }) : word))
  return [change(text, { coreKey: ours.join(''), words }), described]
}

const ownerBehind =
  /,\s*((?:\p{Lu}[\p{L}\p{M}'’-]+\s+){2,3})(?:s\.?\s?p|p\.?r|P\.?R|пр|ПР|e\.?\s?[KU])\.?\s*$/u
/** True for words of a trade, the owner of a sole trader ("LARKMOOR, Janez Norvan s.p."), and words in small letters behind capitals: "LARKMOOR prehrambena industrija". */
export function isTradeOnly(name: string, words: readonly string[]): boolean {
  const letters = /^\p{Lu}{3}/u.test(name) ? (name.match(/(?<!\p{L})\p{Ll}\p{L}+/gu) ?? []) : []
  const told = foldWords([...letters, ownerBehind.exec(name)?.[1]].join(' '))
  const tells = (word: string) => namesTrade(word) || isDescribing(word) || told.includes(word)
  const isOfGroup = (word: string) => groups.has(word) || (isLightWord(word) && !isDescribing(word))
  return !isInHouseName(words) && words.every((word) => tells(word) && !isOfGroup(word))
}

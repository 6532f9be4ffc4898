import { foldWords, getOrCompute } from './normalize-name.js'
import { parseLetters } from './native-scripts.js'
import romanized from '../reference/romanized-letters.json' with { type: 'json' }

/** Pairs of spellings, in folded words, of one letter of another script. */
export type Writings = readonly (readonly [one: string, other: string])[]

const parseWritings = (line: string): Writings =>
  parseLetters(line).flatMap(([one, other]): Writings => [
    [one, other],
    [other, one],
  ])
const scripts = Object.entries(romanized.scripts).map(([name, line]) => ({
  letter: new RegExp(String.raw`\p{Script=${name}}`, 'u'),
  writings: parseWritings(line),
  countries: new Set(
    Object.entries(romanized.countries).flatMap(([one, codes]) => (one === name ? codes.split(' ') : [])),
  ),
}))
const readWritings = (table: Readonly<Record<string, string>>): ReadonlyMap<string, Writings> =>
  new Map(Object.entries(table).map(([key, line]) => [key, parseWritings(line)]))
const [ofCountries, ofLetters] = [
  readWritings(romanized.in_country),
  readWritings(romanized.letter_of_country),
]

/** Returns how the letters of a country's own script are written in Latin letters, or of all countries for an empty one; none for a country with Latin letters. */
export const getWritings = (country: string): Writings =>
  getOrCompute(writingsOfCountries, countriesMax, country, () => [
    ...scripts.flatMap(({ countries, writings }) =>
      country === '' || countries.has(country) ? writings : [],
    ),
    ...[...ofCountries, ...ofLetters].flatMap(([key, writings]) => (key.startsWith(country) ? writings : [])),
  ])
const countriesMax = 500
const writingsOfCountries = new Map<string, Writings>()

/** Returns the writings to compare a text with a name, of which only one has letters of another script; `null` for two of one script. */
export function findWritings(text: string, name: string, country: string): Writings | null {
  const script = scripts.find(({ letter }) => letter.test(text) !== letter.test(name))
  if (script === undefined) return null
  const both = `${text}${name}`.toLowerCase()
  const ofOne = [...ofLetters].flatMap(([key, writings]) => (both.includes(key.slice(-1)) ? writings : []))
  return [...script.writings, ...(ofCountries.get(country) ?? []), ...ofOne]
}

const writtenCharsMin = 3

/** True if two folded words may be writings of one: "zelezara" and "zhelezara". */
export function areWrittenAlike(one: string, other: string, writings: Writings): boolean {
  if (Math.min(one.length, other.length) < writtenCharsMin || writings.length === 0) return one === other
  const reached: (readonly [at: number, place: number])[] = [[0, 0]]
  const seen = new Set<number>()
  for (const [at, place] of reached) {
    if (at === one.length && place === other.length) return true
    const key = at * (other.length + 1) + place
    if (seen.has(key)) continue
    seen.add(key)
    if (at < one.length && one[at] === other[place]) reached.push([at + 1, place + 1])
    for (const [own, theirs] of writings)
      if (one.startsWith(own, at) && other.startsWith(theirs, place))
        reached.push([at + own.length, place + theirs.length])
  }
  return false
}

const writtenStepsMax = 500

/** Lists known words that may be other writings of a folded word. `hasBeginning`: whether a known word begins with a text. */
export function listWritten(
  word: string,
  writings: Writings,
  hasBeginning: (stem: string) => boolean,
): string[] {
  const found: string[] = []
  const open: (readonly [at: number, written: string])[] = word.length < writtenCharsMin ? [] : [[0, '']]
  for (let step = 0; step < writtenStepsMax; step++) {
    const [at, written] = open.pop() ?? [0, null]
    if (written === null) break
    if (!hasBeginning(written)) continue
    if (at === word.length) found.push(written)
    else
      for (const [own, theirs] of [[word.charAt(at), word.charAt(at)] as const, ...writings])
        if (word.startsWith(own, at)) open.push([at + own.length, written + theirs])
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

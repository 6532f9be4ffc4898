import { getOrCompute, hasOtherThanAscii, lowerBound } from './normalize-name.js'

/**
 * Words by their sound: other scripts write foreign names as they sound, so "Galaxy" is ギャラクシー, read as "gyarakushi". Vowels
 * are lost or added, and scripts have one letter for several consonants: Japanese for "l" and "r", Arabic for "b" and "p".
 */

/** Consonants that scripts do not tell apart, by letter; other letters are vowels, or silent. */
const classOfLetter = new Map(
  ['pbfv', 'td', 'sckgjqxz', 'nm', 'rl'].flatMap((letters) =>
    Array.from(letters, (letter) => [letter, letters.charAt(0)] as const),
  ),
)

/** The classes of the consonants: a run of one class is one, and "ts" is one sound. */
function toKey(letters: string): string {
  let key = ''
  for (const letter of letters.replace(/[td]+(?=[sczj])/g, '')) {
    const one = classOfLetter.get(letter) ?? ''
    if (!key.endsWith(one)) key += one
  }
  return key
}

/** English spelling of sounds: "ph" is "f", "-tion" is "-sion". */
const spellings: readonly (readonly [pattern: RegExp, sound: string])[] = [
  [/ph/g, 'f'],
  [/^kn/, 'n'],
  [/^wr/, 'r'],
  [/gh(?=t|$)/g, ''],
  [/t(?=i(?:on|al|en))/g, 's'],
  [/x/g, 'ks'],
]
/** An "r" behind a vowel is silent. */
const silentR = /(?<=[aeiouy])r(?![aeiouyr])|(?<=[aeiouy])r(?=e$)/g

/** The sounds of a word of a name: with "th" as "t" or "s", and with each "r" or only those that are spoken. */
const listSounds = (name: string): string[] => {
  const sound = spellings.reduce((text, [pattern, letters]) => text.replace(pattern, letters), name)
  return ['t', 's'].flatMap((th) => {
    const one = sound.replace(/th/g, th)
    return [one, one.replace(silentR, '')]
  })
}

/** The sounds of a word that another script writes. Hebrew and Arabic leave vowels out, and have one letter for "v" and "u". */
const listSpoken = (spoken: string): string[] => [
  spoken,
  spoken.replace(/kh/g, 'h'),
  ...(isWithoutVowels(spoken) ? listSilentV(spoken) : []),
]

/** The word with some of its letters "v" as vowels; of the first three, since each doubles the number. */
const listSilentV = (word: string): string[] =>
  [...word.matchAll(/(?<=.)v/g)]
    .slice(0, 3)
    .reduce(
      (words, { index }) => words.flatMap((one) => [one, `${one.slice(0, index)}w${one.slice(index + 1)}`]),
      [word],
    )

const isWithoutVowels = (word: string): boolean => !/[aeo]/.test(word)

/** One way to say a word. */
type Sound = Readonly<{ text: string; key: string }>
const soundCharsMax = 32
const rememberedMax = 20_000
const [soundsOfNames, soundsOfSpoken] = [new Map<string, Sound[]>(), new Map<string, Sound[]>()]
const toSounds = (texts: readonly string[]): Sound[] =>
  [...new Set(texts)].map((text) => ({ text: text.slice(0, soundCharsMax), key: toKey(text) }))
const getSounds = (name: string) =>
  getOrCompute(soundsOfNames, rememberedMax, name, () => toSounds(listSounds(name)))
const getSpoken = (spoken: string) =>
  getOrCompute(soundsOfSpoken, rememberedMax, spoken, () => toSounds(listSpoken(spoken)))

/** Words of one sound share a key. Too many have the consonants of one class. */
const listKeys = (sounds: readonly Sound[]): string[] =>
  [...new Set(sounds.map(({ key }) => key))].filter((key) => key.length > 1)

const costs = { near: 0.1, vowel: 0.2, alike: 0.5, other: 1.2 } as const
const letters = 'abcdefghijklmnopqrstuvwxyz'
const isVowel = (letter: string): boolean => !classOfLetter.has(letter)
const areAlike = (one: string, other: string) =>
  !isVowel(one) && classOfLetter.get(one) === classOfLetter.get(other)
const near = new Set(
  'lr nm ck kq cq bv fp sz cs gj jz fv ei ou iy ae ao'
    .split(' ')
    .flatMap((pair) => [pair, pair.charAt(1) + pair.charAt(0)]),
)
const toTable = (cost: (one: string, other: string) => number) =>
  Float64Array.from({ length: letters.length ** 2 }, (_, at) =>
    cost(letters.charAt(Math.floor(at / letters.length)), letters.charAt(at % letters.length)),
  )
/** Cost of two letters for each other, by the numbers of both. */
const pairCosts = toTable((one, other) => {
  if (one === other) return 0
  if (near.has(one + other)) return costs.near
  return isVowel(one) && isVowel(other) ? costs.vowel : areAlike(one, other) ? costs.alike : costs.other
})
/** Cost of a letter that only one of two words has, by its number and that of the letter before it. */
const letterCosts = toTable((letter, before) =>
  isVowel(letter) || areAlike(letter, before) ? costs.near : costs.other,
)
const toNumber = (text: string, at: number): number => Math.max(0, text.charCodeAt(at) - 97)
const costOfLetter = (text: string, at: number): number =>
  letterCosts[toNumber(text, at) * letters.length + (at === 0 ? 0 : toNumber(text, at - 1))] ?? 0

let rows = [new Float64Array(soundCharsMax + 1), new Float64Array(soundCharsMax + 1)] as const

/** Least cost of changing one word into the other, letter by letter. */
function calculateCost(one: string, other: string): number {
  let [before, next] = rows
  // A script without vowels has none that could differ.
  const vowelPart = isWithoutVowels(one) ? 0.5 : 1
  const ofOther = Array.from(
    other,
    (letter, at) => costOfLetter(other, at) * (isVowel(letter) ? vowelPart : 1),
  )
  before[0] = 0
  for (const [at, cost] of ofOther.entries()) before[at + 1] = (before[at] ?? 0) + cost
  for (let row = 0; row < one.length; row++) {
    const own = costOfLetter(one, row) * (isVowel(one.charAt(row)) ? vowelPart : 1)
    const letter = toNumber(one, row) * letters.length
    next[0] = (before[0] ?? 0) + own
    for (let at = 0; at < other.length; at++)
      next[at + 1] = Math.min(
        (before[at] ?? 0) + (pairCosts[letter + toNumber(other, at)] ?? 0),
        (next[at] ?? 0) + (ofOther[at] ?? 0),
        (before[at + 1] ?? 0) + own,
      )
    ;[before, next] = [next, before]
  }
  rows = [before, next]
  return before[other.length] ?? 0
}

/**
 * Rates how likely `spoken`, a word that another script writes, is the sound of a word of a name: from 0 to 1, and 0 for another
 * sound. Both are in Latin letters, folded.
 */
export function rateSound(spoken: string, name: string): number {
  if (name.length < 3 || ![spoken, name].every((word) => /^[a-z]+$/.test(word))) return 0
  if (spoken === name) return 1
  let best = 0
  for (const ours of getSpoken(spoken))
    for (const theirs of getSounds(name)) {
      if (ours.key !== theirs.key) continue
      const consonants = Array.from(theirs.text).filter((letter) => !isVowel(letter)).length
      best = Math.max(best, 1 - calculateCost(ours.text, theirs.text) / (1 + consonants))
    }
  return best
}

const keysMax = 2 ** 21
const hashKey = (key: string): number =>
  Array.from(key).reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % keysMax, 0)

/** More words of one key are not rated. */
const ratedMax = 4_000
/**
 * Returns a function that finds the words that a spoken word may be, the closest first. The words, by numbers from 0 on, of
 * a key are in a row of one array: a Map of a million words takes ten times the memory.
 */
export function createSoundIndex(
  wordCount: number,
  getWord: (at: number) => string,
): (spoken: string, countMax: number) => string[] {
  const found: number[] = []
  for (let at = 0; at < wordCount; at++) {
    const word = getWord(at)
    if (/^[a-z]{3,32}$/.test(word))
      for (const key of listKeys(toSounds(listSounds(word)))) found.push(hashKey(key) * 2 ** 32 + at)
  }
  const places = Float64Array.from(found).sort()
  const findFirst = (least: number) => lowerBound(places.length, (at) => (places[at] ?? 0) < least)
  return (spoken, countMax) => {
    const rated = new Map<string, number>()
    for (const hash of new Set(listKeys(getSpoken(spoken)).map(hashKey))) {
      const from = findFirst(hash * 2 ** 32)
      for (const place of places.subarray(from, Math.min(findFirst((hash + 1) * 2 ** 32), from + ratedMax))) {
        const word = getWord(place % 2 ** 32)
        const rate = rateSound(spoken, word)
        if (rate >= soundRateMin) rated.set(word, rate)
      }
    }
    return [...rated]
      .sort(([, one], [, other]) => other - one)
      .slice(0, countMax)
      .map(([word]) => word)
  }
}

/** Words that are rated lower are other words. */
export const soundRateMin = 0.8

const otherLetter = /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])\p{L}/u
/** True for a text with letters of another script than the Latin one: it may have names by their sound. */
export const hasOtherScript = (text: string): boolean =>
  hasOtherThanAscii.test(text) && otherLetter.test(text)

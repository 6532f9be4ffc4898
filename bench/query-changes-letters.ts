import { bare, pick, replacing, titled, words, type CompanyFacts, type NameChange } from './name-pieces.js'

/** One typing error inside a word of five letters or more: a letter doubled, left out, replaced or swapped. */
export function mistyped(name: string, fraction: () => number): string | null {
  const at = [...name.matchAll(/[a-z]{5,}/gi)].map(({ index, 0: word }) => ({ index, word }))
  const found = pick(at, fraction)
  if (found === undefined) return null
  const { index, word } = found
  const spot = 1 + Math.floor(fraction() * (word.length - 2))
  const letter = word.charAt(spot)
  const wrong = [
    word.slice(0, spot) + letter + word.slice(spot),
    word.slice(0, spot) + word.slice(spot + 1),
    word.slice(0, spot) + String.fromCharCode(97 + Math.floor(fraction() * 26)) + word.slice(spot + 1),
    word.slice(0, spot) + word.charAt(spot + 1) + letter + word.slice(spot + 2),
  ]
  const typed = pick(wrong, fraction) ?? word
  return typed === word ? null : name.slice(0, index) + typed + name.slice(index + word.length)
}

/** In a word of four to seven letters that is all of the name but its form. */
const typingErrorShort: NameChange = (name, fraction) => {
  const base = bare(name)
  return /^\p{L}{5,7}$/u.test(base) ? mistyped(base, fraction) : null
}

/** Two errors in a long name, be it in one word. */
const typingErrorsTwo: NameChange = (name, fraction) => {
  if (bare(name).length < 16) return null
  const once = mistyped(name, fraction)
  const twice = once === null ? null : mistyped(once, fraction)
  return twice === name ? null : twice
}

const plainLetters: readonly (readonly [RegExp, string])[] = [
  [/ß/g, 's'],
  [/[øö]/g, 'o'],
  [/[ØÖ]/g, 'O'],
  [/[åäæ]/g, 'a'],
  [/[ÅÄÆ]/g, 'A'],
  [/ü/g, 'u'],
  [/Ü/g, 'U'],
  [/ł/g, 'l'],
  [/Ł/g, 'L'],
  [/đ/g, 'd'],
  [/ı/g, 'i'],
  [/[œ]/g, 'o'],
]

/** Each letter of another alphabet as one of ours, none as two: "Mühlau" is "Muhlau". */
const lettersPlain: NameChange = (name, fraction) => {
  const plain = replacing(plainLetters)(name, fraction)
  return plain === null ? null : plain.normalize('NFD').replace(/\p{M}/gu, '')
}

const isGermanWriting = ({ countryCode }: CompanyFacts) =>
  ['DE', 'AT', 'CH', 'LI'].includes(countryCode ?? '')

/** A register that writes "Muehlau", and a list that has "Mühlau" or "Muhlau". */
const lettersClosed: NameChange = (name, fraction, facts) => {
  if (facts === undefined || !isGermanWriting(facts)) return null
  const letter = (found: string) => ({ ae: 'ä', oe: 'ö', ue: 'ü' })[found] ?? found
  const closed = titled(name).replace(
    /(?<!ich|aph|sr|lda)(?<=[bcdfghjklmnprstvwz])(?:ae|oe|ue)(?=[bcdfghjklmnprstvwz])/gi,
    letter,
  )
  if (closed === titled(name)) return null
  return fraction() < 0.5 ? closed : closed.normalize('NFD').replace(/\p{M}/gu, '')
}

/** "Wendel's" and "Wendels". */
const apostropheLost: NameChange = (name) => {
  const without = name.replace(/(\p{L})['’](s?)/gu, '$1$2')
  return without === name ? null : without
}

const apostropheAdded: NameChange = (name) => {
  const [first = '', ...rest] = words(titled(bare(name)))
  return /^\p{L}{4,}[^s]s$/u.test(first) ? [`${first.slice(0, -1)}'s`, ...rest].join(' ') : null
}

/** A hyphen as a space, as nothing, or put where a space was. */
const hyphenChanged: NameChange = (name, fraction) => {
  if (/\p{L}-\p{L}/u.test(name)) return name.replace(/(\p{L})-(?=\p{L})/gu, fraction() < 0.5 ? '$1 ' : '$1')
  const [first = '', second, ...rest] = words(bare(name))
  return second === undefined || !/^\p{L}{3,}$/u.test(first) || !/^\p{L}{3,}$/u.test(second)
    ? null
    : [`${first}-${second}`, ...rest].join(' ')
}

/** A word of two capitals closed up, or one that the register has so, as two. */
const wordSplit: NameChange = (name) => {
  const split = name.replace(/(\p{Ll}{2,})(\p{Lu}\p{Ll}{2,})/u, '$1 $2')
  return split === name ? null : split
}

/** "JPM Calder" as "J.P.M. Calder" or "J P M Calder", and "J. P. Calder" as "JP Calder". */
const dottedInitials: NameChange = (name, fraction) => {
  const dotted = /^((?:\p{Lu}\.\s?){2,})(?=\s?\p{L}|$)/u.exec(name)?.[1]
  if (dotted !== undefined) {
    const letters = dotted.replace(/[.\s]/g, '')
    const rest = name.slice(dotted.length).trimStart()
    return `${fraction() < 0.6 ? letters : Array.from(letters).join(' ')} ${rest}`
  }
  const [first = '', ...rest] = words(name)
  if (
    !/^\p{Lu}{2,4}$/u.test(first) ||
    rest.length === 0 ||
    (name === name.toUpperCase() && /[AEIOUY]/.test(first))
  )
    return null
  const letters = Array.from(first)
  const written = [
    `${letters.join('.')}.`,
    letters.join(' '),
    letters.map((letter) => `${letter}.`).join(' '),
  ]
  return [pick(written, fraction) ?? first, ...rest].join(' ')
}

/** Typing errors and other letters. By the name of the stratum. */
export const letterChanges: Readonly<Record<string, NameChange>> = {
  typing_error: mistyped,
  typing_error_short: typingErrorShort,
  typing_errors_two: typingErrorsTwo,
  letters_plain: lettersPlain,
  letters_closed: lettersClosed,
  apostrophe_lost: apostropheLost,
  apostrophe_added: apostropheAdded,
  hyphen_changed: hyphenChanged,
  word_split: wordSplit,
  dotted_initials: dottedInitials,
}

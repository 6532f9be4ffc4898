import { dropForms, foldWords, type FitCompany, type FitIndex } from './fit-companies.js'
import { findForm } from './fit-forms.js'
import { additions } from './fit-noise-additions.js'
import { usualShort, numberWords, scanConfusions } from './fit-words.js'
import { pick } from './name-pieces.js'

/** What an operation may draw from. */
export interface NoiseSource {
  readonly fraction: () => number
  readonly company: FitCompany
  readonly index: FitIndex
}

/** Changes a name, given as its words; `null` if the operation does not apply to it. */
export type NoiseOperation = (words: readonly string[], source: NoiseSource) => readonly string[] | null

const isLetters = (least: number) => (word: string) => /^\p{L}+[.,]?$/u.test(word) && word.length >= least

/** Replaces one word of those that fit. */
function changeWord(
  fits: (word: string) => boolean,
  change: (word: string, fraction: () => number) => string,
): NoiseOperation {
  return (words, { fraction }) => {
    const places = [...words.keys()].filter((at) => fits(words[at] ?? ''))
    const at = pick(places, fraction)
    if (at === undefined) return null
    const word = words[at] ?? ''
    const changed = change(word, fraction)
    return changed === word || changed === '' ? null : words.with(at, changed)
  }
}

/** A place inside a word; rarely its first letter, as in real slips. */
function letterAt(word: string, fraction: () => number): number {
  return fraction() < 0.08 ? 0 : 1 + Math.floor(fraction() * (word.length - 1))
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

function withCaseOf(like: string, letter: string): string {
  return like === like.toUpperCase() ? letter.toUpperCase() : letter
}

const letterOperations: Readonly<Record<string, NoiseOperation>> = {
  letter_wrong: changeWord(isLetters(5), (word, fraction) => {
    const at = letterAt(word, fraction)
    return (
      word.slice(0, at) + withCaseOf(word, pick(Array.from(letters), fraction) ?? '') + word.slice(at + 1)
    )
  }),
  letter_lost: changeWord(isLetters(5), (word, fraction) => {
    const at = letterAt(word, fraction)
    return word.slice(0, at) + word.slice(at + 1)
  }),
  letters_swapped: changeWord(isLetters(5), (word, fraction) => {
    const at = 1 + Math.floor(fraction() * (word.length - 2))
    return word.slice(0, at) + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2)
  }),
  letter_more: changeWord(isLetters(5), (word, fraction) => {
    const at = letterAt(word, fraction)
    const letter = fraction() < 0.6 ? word.charAt(at) : (pick(Array.from(letters), fraction) ?? '')
    return word.slice(0, at) + withCaseOf(word, letter) + word.slice(at)
  }),
  letter_unknown: changeWord(isLetters(4), (word, fraction) => {
    const odd = [...word.matchAll(/[^\x20-\x7e]/gu)].map(({ index }) => index)
    const at = pick(odd, fraction) ?? letterAt(word, fraction)
    return word.slice(0, at) + (pick(['?', '\ufffd', '_'], fraction) ?? '?') + word.slice(at + 1)
  }),
  scan_confusion: changeWord(isLetters(4), (word, fraction) => {
    const fitting = scanConfusions.filter(([from]) => word.toLowerCase().indexOf(from, 1) > 0)
    const [from, to] = pick(fitting, fraction) ?? ['', '']
    const at = word.toLowerCase().indexOf(from, 1)
    return from === '' ? word : word.slice(0, at) + to + word.slice(at + from.length)
  }),
  vowels_lost: changeWord(isLetters(6), (word) => word.charAt(0) + word.slice(1).replace(/[aeiou]/gi, '')),
  word_cut: changeWord(isLetters(6), (word, fraction) => {
    const cut = word.slice(0, 3 + Math.floor(fraction() * 3))
    return fraction() < 0.3 ? `${cut}.` : cut
  }),
  word_shortened: changeWord(isLetters(6), (word, fraction) => {
    const inner = Array.from(word.slice(1, -1)).filter(
      (letter) => !/[aeiou]/i.test(letter) && fraction() < 0.7,
    )
    return inner.length === 0 ? word : word.charAt(0) + inner.join('') + word.slice(-1)
  }),
  plural: changeWord(isLetters(5), (word) =>
    /s$/i.test(word) ? word.slice(0, -1) : word + withCaseOf(word, 's'),
  ),
  usual_short: (words, { fraction }) => replaceListed(words, usualShort, fraction),
  number_word: (words, { fraction }) => replaceListed(words, numberWords, fraction),
}

function replaceListed(
  words: readonly string[],
  list: readonly (readonly [string, readonly string[]])[],
  fraction: () => number,
): readonly string[] | null {
  const table = new Map(list)
  const changed = words.map((word) => {
    const short = table.get(word.toLowerCase().replace(/[.,]$/, ''))
    return short === undefined || fraction() < 0.2 ? word : (pick(short, fraction) ?? word)
  })
  return changed.every((word, at) => word === words[at]) ? null : changed
}

const toWords = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '')

/** A change of the whole text; `null` where the text stays the same. */
function changeText(change: (text: string, source: NoiseSource) => string): NoiseOperation {
  return (words, source) => {
    const text = words.join(' ')
    const changed = change(text, source).trim()
    return changed === text || changed.length < 3 ? null : toWords(changed)
  }
}

const formOperations: Readonly<Record<string, NoiseOperation>> = {
  form_lost: changeText((text) => findForm(text)?.base ?? text),
  form_short: changeText((text, { fraction }) => rewriteForm(text, (form) => pick(form.short, fraction))),
  form_long: changeText((text, { fraction }) => rewriteForm(text, (form) => pick(form.long, fraction))),
  form_in_front: changeText((text, { fraction }) => {
    const stated = findForm(text)
    if (stated === null) return text
    const { base, form } = stated
    const all = [stated.text, ...form.short, ...form.long]
    return `${pick(all, fraction) ?? ''} ${fraction() < 0.2 ? `"${base}"` : base}`
  }),
  form_joined: changeText((text) => {
    const stated = findForm(text)
    return stated === null ? text : `${stated.base}${stated.text}`
  }),
}

function rewriteForm(
  text: string,
  choose: (form: { short: readonly string[]; long: readonly string[] }) => string | undefined,
): string {
  const stated = findForm(text)
  const other = stated === null ? undefined : choose(stated.form)
  return stated === null || other === undefined ? text : `${stated.base} ${other}`
}

const windows1252 = new TextDecoder('windows-1252')
const umlauts: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  ø: 'oe',
  å: 'aa',
  æ: 'ae',
}
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  "'": '&#39;',
  é: '&eacute;',
  ü: '&uuml;',
  ö: '&ouml;',
  ä: '&auml;',
}

const writingOperations: Readonly<Record<string, NoiseOperation>> = {
  bytes_misread: changeText((text) => windows1252.decode(new TextEncoder().encode(text))),
  entities: changeText((text, { fraction }) => {
    const once = text.replace(/[^\w\s.,()/-]/gu, (sign) => entities[sign] ?? `&#${sign.codePointAt(0)};`)
    return fraction() < 0.25 ? once.replace(/&/g, '&amp;') : once
  }),
  accents_lost: changeText((text) => text.normalize('NFD').replace(/\p{M}/gu, '')),
  umlauts_spelled: changeText((text) => text.replace(/[äöüßøåæ]/g, (letter) => umlauts[letter] ?? letter)),
  capitals: changeText((text) => text.toUpperCase()),
  small_letters: changeText((text) => text.toLowerCase()),
  ampersand: changeText((text, { fraction }) =>
    text.replace(/ (?:and|&|\+|und|et|y) /i, (sign) => {
      const others = [' & ', ' and ', '&', ' + ', ' n ', ' ', ' u. ', ' und ', ' et '].filter(
        (one) => one !== sign,
      )
      return pick(others, fraction) ?? sign
    }),
  ),
  signs_changed: changeText((text, { fraction }) =>
    fraction() < 0.5
      ? text.replace(/[^\p{L}\p{N}&\s]/gu, fraction() < 0.5 ? '' : ' ')
      : text.replace(/\s/g, () =>
          fraction() < 0.5 ? ' ' : (pick(['-', '_', '/', '.', ', '], fraction) ?? ' '),
        ),
  ),
  quoted: changeText(
    (text, { fraction }) => pick([`"${text}"`, `«${text}»`, `'${text}'`, `*${text}*`], fraction) ?? text,
  ),
  words_joined: (words, { fraction }) => {
    const at = Math.floor(fraction() * (words.length - 1))
    return words.length < 2
      ? null
      : [...words.slice(0, at), `${words[at] ?? ''}${words[at + 1] ?? ''}`, ...words.slice(at + 2)]
  },
  word_split: changeWord(isLetters(7), (word, fraction) => {
    const at = 3 + Math.floor(fraction() * (word.length - 5))
    return `${word.slice(0, at)} ${word.slice(at)}`
  }),
  order_changed: (words, { fraction }) => {
    const stated = findForm(words.join(' '))
    const core = stated === null ? words : toWords(stated.base)
    if (core.length < 2) return null
    const turn = 1 + Math.floor(fraction() * (core.length - 1))
    const sign = fraction() < 0.5 ? ',' : ''
    const [head, tail] = [core.slice(turn), core.slice(0, turn)]
    const turned = [...head.slice(0, -1), `${head.at(-1) ?? ''}${sign}`, ...tail]
    return stated === null ? turned : [...turned, stated.text]
  },
  slug: changeText((text, { fraction }) => foldWords(text).join(pick(['-', '-', '_', '%20'], fraction))),
  article: changeText((text, { fraction }) =>
    /^the\s/i.test(text)
      ? fraction() < 0.5
        ? text.slice(4)
        : `${text.slice(4)}, The`
      : (pick([`The ${text}`, `${text}, The`, `${text} (The)`], fraction) ?? text),
  ),
}

/** Most companies that may begin like a shortened name: of more, nothing tells which is meant. */
const headCompaniesMax = 5

const partOperations: Readonly<Record<string, NoiseOperation>> = {
  text_cut: changeText((text, { fraction }) => {
    const kept = Math.max(10, Math.floor(text.length * (0.65 + 0.3 * fraction())))
    return kept < text.length ? text.slice(0, kept) : text
  }),
  first_words: (words, { fraction, index, company }) => {
    const core = dropForms(foldWords(words.join(' ')))
    const kept = core.slice(0, Math.max(1, core.length - 1 - Math.floor(fraction() * 2)))
    const isClear = company.ticker !== '' || index.countPrefix(kept) <= headCompaniesMax
    return kept.length === core.length || kept.join('').length < 4 || !isClear
      ? null
      : kept.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  },
  word_lost: (words, { fraction }) => {
    if (words.length < 4) return null
    const at = 1 + Math.floor(fraction() * (words.length - 2))
    return words.filter((_, other) => other !== at)
  },
  site: (words, { fraction }) => {
    const core = dropForms(foldWords(words.join(' '))).join('')
    const ending = pick(['.com', '.com', '.net', '.co.uk', '.de', '.eu', '.org', ''], fraction) ?? ''
    return core.length < 4 || core.length > 30 ? null : [`${fraction() < 0.3 ? 'www.' : ''}${core}${ending}`]
  },
  name_twice: (words, { fraction }) => {
    const [first = ''] = dropForms(foldWords(words.join(' ')))
    return first.length < 3 ? null : [first.toUpperCase(), fraction() < 0.5 ? '-' : '/', ...words]
  },
}

/** All operations by name. */
export const noiseOperations: Readonly<Record<string, NoiseOperation>> = {
  ...letterOperations,
  ...formOperations,
  ...writingOperations,
  ...partOperations,
  ...additions,
}

/** Drawn more or less often than the others, as lists do. */
const operationWeights: Readonly<Record<string, number>> = {
  form_lost: 2,
  first_words: 1.5,
  capitals: 1.5,
  security: 1.5,
  coupon: 1.5,
  form_joined: 0.5,
  quoted: 0.5,
  name_twice: 0.5,
  site: 0.5,
  small_letters: 0.6,
  bytes_misread: 1.5,
}
const drawn = Object.keys(noiseOperations).flatMap((name) =>
  Array<string>(Math.round(10 * (operationWeights[name] ?? 1))).fill(name),
)

export interface NoisyName {
  readonly name: string
  readonly operations: readonly string[]
}

const triesMax = 12

/** Draws an operation by its weight. */
export function drawOperation(fraction: () => number): string {
  return pick(drawn, fraction) ?? ''
}

/** Applies an operation and up to two others to a name, in this order; `null` if the first does not apply. */
export function addNoise(name: string, first: string, source: NoiseSource): NoisyName | null {
  const { fraction } = source
  const count = 1 + Math.floor(fraction() * 3)
  const used: string[] = []
  let words = toWords(name.replace(/\s*[/\\][A-Za-z]{2,5}[/\\]?\s*$/, ''))
  for (let tries = 0; used.length < count && tries < triesMax; tries++) {
    const operation = used.length === 0 ? first : drawOperation(fraction)
    // A site has the name alone.
    if (used.includes(operation) || (operation === 'site' && used.length > 0)) continue
    const changed = noiseOperations[operation]?.(words, source) ?? null
    if (changed === null && used.length === 0) return null
    if (changed === null) continue
    words = toWords(changed.join(' '))
    used.push(operation)
  }
  const text = words.join(' ')
  return text.replace(/\W/g, '').length < 3 ? null : { name: text, operations: used }
}

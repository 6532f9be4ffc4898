import around from '../reference/around-names.json' with { type: 'json' }
import { cutNativeForms, expandForms, findLeadingForm, findTrailingForm } from './legal-forms.js'
import forms from '../reference/legal-forms.json' with { type: 'json' }
import { foldText, foldWords, hasOtherThanAscii } from './normalize-name.js'

const parsePairs = (table: string) =>
  new Map(table.split(/\s+/).map((pair) => pair.split('=') as [string, string]))
/** Entities of HTML that are letters and marks of names; numeric ones need no table. */
const entities = parsePairs(
  `amp=& lt=< gt=> quot=" apos=' nbsp=\u0020 ndash=- mdash=- lsquo=' rsquo=' ldquo=" rdquo=" middot=. hellip=. reg=
  trade= copy= szlig=ß aelig=æ AElig=Æ oelig=œ OElig=Œ eth=ð thorn=þ oslash=ø Oslash=Ø aring=å Aring=Å ccedil=ç
  Ccedil=Ç ntilde=ñ Ntilde=Ñ scaron=š Scaron=Š`,
)
/** `&eacute;` is a letter and the name of its accent. */
const accents = parsePairs('acute=\u0301 grave=\u0300 circ=\u0302 tilde=\u0303 uml=\u0308 caron=\u030c')
/** Browsers read the oldest ones without a semicolon too: "Larkmoor &amp Norvane". */
const entity = /&(?:(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));|(amp|quot|nbsp|lt|gt)(?=\s|$))/gi
const accentedLetter = /^([a-z])(acute|grave|circ|tilde|uml|caron)$/i

/** `&amp;amp;` was encoded twice. */
function decodeEntities(text: string, count = 4): string {
  const decoded = text.replace(entity, decodeEntity)
  return count === 1 || decoded === text ? decoded : decodeEntities(decoded, count - 1)
}

function decodeEntity(found: string, hex?: string, decimal?: string, named?: string, open = ''): string {
  const name = named ?? open
  if (hex !== undefined || decimal !== undefined) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    const isCharacter = code > 31 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000)
    return isCharacter ? String.fromCodePoint(code) : ' '
  }
  const [, letter, accent = ''] = accentedLetter.exec(name) ?? []
  if (letter !== undefined) return (letter + (accents.get(accent.toLowerCase()) ?? '')).normalize('NFC')
  return entities.get(name) ?? entities.get(name.toLowerCase()) ?? found
}

/** Characters of Windows-1252 that differ from Latin-1, from byte 0x80 on; a space has no character. */
const upperHalf = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'
const bytes1252 = new Map(
  Array.from(upperHalf, (character, at) => [character === ' ' ? '' : character, 0x80 + at] as const),
)
/** UTF-8 of a letter that was read as Latin-1 or Windows-1252: "Ã¼" for "ü". */
const misread = /[\u00c2-\u00f4][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|Ã(?: |$)/

/** Returns the text unchanged if it is not UTF-8 that was read in another encoding. */
function undoMisreading(text: string, count = 2): string {
  if (count === 0 || !misread.test(text)) return text
  const next = readAsUtf8(text)
  if (next === null) return text.replace(/[\u00c2-\u00df][\u0080-\u00bf€-™\ufffd]/g, unknownLetter)
  return undoMisreading(next, count - 1)
}

function readAsUtf8(text: string): string | null {
  const bytes: number[] = []
  for (const character of text) {
    const code = bytes1252.get(character) ?? character.codePointAt(0) ?? 0
    if (code > 0xff) return null
    bytes.push(code === 0x20 && bytes.at(-1) === 0xc3 ? 0xa0 : code) // A non-breaking space may have become a space: "Ã " is "à".
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
  } catch {
    return null
  }
}

/** Stands for a letter that an encoding has lost. */
export const unknownLetter = '\ufffd'
/** The signs that programs write for a letter, inside a word or, where another one is lost, at its end. "Guess?" has its letters. */
const lostLetter = /(?<=\p{L})[?¿□▯\ufffd]{1,3}(?=\p{L})|(?<![\p{L}\p{N}])[?□▯](?=\p{L}{2})/gu
const lostEnd = /(?<=\p{L})[?¿□▯]{1,3}(?=\s|$)/gu

/** A web address without spaces, or spaces written as `%20`. */
function decodePercents(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text) || (/\s/.test(text.trim()) && !text.includes('%20'))) return text
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
  const found = /[?¿□▯\ufffd]/.test(cleaned) ? cleaned.replace(lostLetter, unknownLetter) : cleaned
  return found === cleaned ? found : found.replace(lostEnd, unknownLetter)
}

const { anywhere, behind_form: behindForm, in_front: inFront, abbreviated } = around.procedures
const listPhrases = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split('|'))
const toPhraseSet = (lines: readonly string[]) =>
  new Set(listPhrases(lines).map((phrase) => foldText(phrase)))
const procedures = toPhraseSet(anywhere)
const proceduresBehindForm = toPhraseSet(behindForm)
const proceduresInFront = toPhraseSet(inFront)
const proceduresInShort = new Set(abbreviated.split(' '))
const removeMarks = (text: string): string =>
  (hasOtherThanAscii.test(text) ? text.normalize('NFD').replace(/\p{M}/gu, '') : text).toLowerCase()
/** The beginning of the longest word of each phrase, or two letters with points: nearly no other name has one. */
const procedureStems = listPhrases([...anywhere, ...behindForm, ...inFront])
  .flatMap((phrase) => [removeMarks(phrase), foldText(phrase)])
  .map((phrase) => phrase.split(' ').reduce((one, other) => (other.length > one.length ? other : one)))
  .map((word) => word.slice(0, 5))
const mayHaveProcedure = new RegExp(
  String.raw`(?<![a-z])(?:${[...new Set(procedureStems)].join('|')}|(?:i|f|v|u|cs|kt)\.\s?[a-z]{1,4}\.\W*$)`,
)

/**
 * Removes the words of a procedure, which registers add to a name: "a.s. v likvidácii", "(in liquidation)", "GmbH i.L.". Some
 * are words of names too, unless they follow a legal form.
 */
export function removeProcedure(name: string): string {
  if (!mayHaveProcedure.test(removeMarks(name))) return name
  const pieces = name.trim().split(/\s+/)
  for (let from = 0; from < pieces.length; from++)
    for (let to = Math.min(pieces.length, from + 5); to > from; to--) {
      const [before, found, rest] = [pieces.slice(0, from), pieces.slice(from, to), pieces.slice(to)]
      const behind = foldWords(expandForms(rest.join(' ')))
      const isForm = findTrailingForm(behind, behind.length)?.words.length === behind.length
      const isLast = rest.length === 0 || (isForm && !/^(?:in|under)$/i.test(found[0] ?? ''))
      if (!isProcedure(before.join(' '), found.join(' '), isLast)) continue
      const start = before.join(' ').replace(/[\s,;:("„“–—-]+$/u, '')
      return removeProcedure([start, ...rest].filter((text) => text !== '').join(' '))
    }
  return name
}

function isProcedure(before: string, text: string, isLast: boolean): boolean {
  const found = foldText(text)
  if (!/[\p{L}\p{N}]/u.test(before)) return proceduresInFront.has(found) && !isLast
  const isSure = procedures.has(found)
  // Other initials are words of names: "Norvane IL".
  const isInitials = text.includes('.') && proceduresInShort.has(found.replaceAll(' ', ''))
  if (!isSure && !isInitials && !proceduresBehindForm.has(found)) return false
  // "(in liquidation)" is apart from a form behind it.
  if ((!isInitials && /^\(.*\),?$/.test(text)) || (isSure && isLast)) return true
  if (!isSure && !isLast) return false
  const words = foldWords(expandForms(before))
  return cutNativeForms(before).form !== null || findTrailingForm(words, words.length) !== null
}

/** Short forms of a country (`short` of the table), words or initials elsewhere: in front, and in the last letters; with `$` only there, with `+` next to another form too. */
const shortForms = new Map<string, { short: string; country: string; full: string }[]>()
for (const [country = '', list = '', full = ''] of forms.short)
  for (const short of list.split(', ')) {
    const key = short.replace(/[$+]/g, '').toUpperCase()
    shortForms.set(key, [...(shortForms.get(key) ?? []), { short, country, full }])
  }
const longer = [...shortForms.keys()].filter((key) => key.includes(' ')).join('|')
export const withShortForms = new Set(forms.short.map(([country = '']) => country))
const quoteMark = /["“”„«»]/
const shortForm = String.raw`(?<form>${longer}|(?:\p{L}\.\s?){1,5}\p{L}\.?|\p{L}[\p{L}./]{1,5})`
const shortEnds = [
  String.raw`^\s*${shortForm}(?![\p{L}\p{M}./])[,:]?\s*(?=(?<quote>["“”„«»]?))`,
  String.raw`^(?<head>[^"“„«]{2,90}["“„«]\s*|\s*\p{L}{2,5}\s+)${shortForm}(?![\p{L}\p{M}./])\s*(?=(?<quote>["“„«]?))`,
  String.raw`(?<quote>["“”„«»]?)[\s,(-]*(?<![\p{L}\p{M}./])${shortForm}\)?\s*$`,
].map((pattern) => new RegExp(pattern, 'iu'))
const districtInFront = new RegExp(`^((?:\\p{L}+\\s){1,2}(?:${forms.districts}))\\s+(.*["“„«].*)$`, 'iu')
const isOnlyForm = (text: string): boolean => {
  const words = foldWords(cutNativeForms(`${text} Qq`).rest)
  return words.length === 1 + (findLeadingForm(words)?.words.length ?? 0)
}
/** Spells out short forms of the countries, or around a quoted name of any: "Norvane ZS", `I/K "Norvane"`. Those that the table has in small letters may be in small letters. */
export function spellOutShortForms(name: string, countries: readonly string[]): string {
  const isHere = countries.length > 0
  if (!quoteMark.test(name) && !countries.some((one) => withShortForms.has(one))) return name
  const [, district = '', text = ''] = districtInFront.exec(name) ?? []
  const own = district === '' ? '' : spellOutShortForms(text, countries)
  if (findLeadingForm(foldWords(own)) !== null) return `${own} ${district}`
  for (const [at, end] of shortEnds.entries()) {
    const isFront = at < 2
    const from = isFront ? 0 : Math.max(0, name.length - 60)
    const found = end.exec(name.slice(from))
    if (found === null) continue
    const { head = '', form = '', quote = '' } = found.groups ?? {}
    if (head !== '' && !(isHere && isOnlyForm(head))) continue
    const word = form.replace(/\.\s?|\//g, '').toUpperCase()
    const isFit = ({ short, country }: { short: string; country: string }) =>
      (!isFront || (head === '' ? !short.startsWith('$') : short.startsWith('+'))) &&
      (!isHere || countries.includes(country))
    const { short, full } = shortForms.get(word)?.find(isFit) ?? {}
    const rest = isFront ? name.slice(found[0].length) : name.slice(0, from + found.index + quote.length)
    if (full === undefined || !/\p{L}{2}/u.test(rest)) continue
    const words = foldWords(isHere ? rest : `x ${form}`)
    const other = !isFront && isHere ? findLeadingForm(words) : findTrailingForm(words, words.length)
    const isWritten = short?.replace(/[$+]/g, '') !== word || /[./]|\p{Lu}$/u.test(form)
    const isAlone = other === null || short?.includes('+') === true
    if (quote === '' ? isHere && isAlone && isWritten : isHere || other === null)
      return isFront ? `${head}${full} ${rest}` : `${rest} ${full}`
  }
  return name
}

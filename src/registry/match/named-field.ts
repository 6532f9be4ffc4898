import {
  findFormAt,
  findForms,
  formWords,
  type FormClass,
  type StatedForm,
} from '../normalize/legal-forms.js'
import { foldText, headsBesideForm, isHeadWord } from '../normalize/normalize-name.js'
import { matchLimits } from '../model/limits.js'
import { boundText, parseForm } from '../normalize/parsed-name.js'
import { isOfManyNames } from './word-classes.js'
import around from '../reference/around-names.json' with { type: 'json' }
import placeNames from '../reference/place-names.json' with { type: 'json' }

/** A part of a text, and the words in front of it that say what it is: "BNF: Larkmoor LLC". */
interface Field {
  readonly tag: readonly string[]
  readonly text: string
}

const { fields: table, bookings } = around
const toFolded = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')).map((word) => foldText(word).replaceAll(' ', '')))
const readTable = () => ({
  parties: toFolded(table.parties),
  marks: toFolded([...table.marks, ...bookings.alone, ...bookings.with_others]),
  roles: toFolded(table.roles),
  ranks: toFolded(table.ranks),
})
let words: ReturnType<typeof readTable> | undefined
const getWords = () => (words ??= readTable())

const toWords = (text: string): string[] =>
  foldText(text)
    .split(' ')
    .filter((word) => word !== '')

/** "BNF:", "/ROC/", "SVWZ+", and the number of a line of a payment, "59:/" */
const tag = new RegExp(
  String.raw`(?<=^|[\s;|,*])(?:/(\p{Lu}{2,8})/|(\p{Lu}{4})\+(?=\S)|` +
    String.raw`(\p{L}[\p{L}\p{N}.'’/-]{0,19}|\d\d[A-Z]?)\s?:(?!//)/?)`,
  'gu',
)
/** Words in front of the first sign belong to it: "WIRE OUT BNF:". */
const tagWordsMax = 4

function splitFields(text: string): Field[] {
  const found = [...text.matchAll(tag)]
  const fields = found.map((match, at) => ({
    tag: toWords(match[1] ?? match[2] ?? match[3] ?? ''),
    text: text.slice(match.index + match[0].length, found[at + 1]?.index).trim(),
  }))
  const [first] = fields
  const head = text.slice(0, found[0]?.index).trim()
  if (first === undefined || head === '') return fields
  const inFront = toWords(head)
  const isTag = inFront.length < tagWordsMax && !hasForm(head) && inFront.every(isOfTag)
  return isTag
    ? [{ ...first, tag: [...inFront, ...first.tag] }, ...fields.slice(1)]
    : [{ tag: [], text: head }, ...fields]
}

const isOfTag = (word: string): boolean => {
  const { parties, marks, roles, ranks } = getWords()
  return [parties, marks, roles, ranks].some((known) => known.has(word))
}

const hasForm = (text: string): boolean =>
  toWords(text).some((word, at) => at > 0 && word.length > 1 && formWords.has(word))
const hasName = (text: string): boolean =>
  toWords(text).some((word) => /^\p{L}{3}/u.test(word) && !formWords.has(word))
const otherName = /^(?:dba|aka|ta|fka|nka|formerly|previously|vormals|ehemals)$/

/** Returns the one field that has the company: that of a party, or the only one with a legal form. */
function chooseField(fields: readonly Field[]): Field | undefined {
  const { parties, marks, roles } = getWords()
  const isParty = ({ tag: [...own] }: Field) => own.some((word) => parties.has(word) || roles.has(word))
  const isInBrackets = fields.some(({ text }) => text.lastIndexOf('(') > text.lastIndexOf(')'))
  if (isInBrackets || fields.some(({ tag }) => tag.some((word) => otherName.test(word)))) return undefined
  const named = fields.filter(({ text }) => hasName(text))
  const formed = named.filter(({ text }) => hasForm(text))
  const isMarked = fields.some((field) => field.tag.some((word) => marks.has(word)))
  const [only, second] = formed
  if (only !== undefined && second === undefined && (fields.length > 2 || isMarked || isParty(only)))
    return only
  if (only !== undefined) return undefined
  const [party, ...others] = named.filter(isParty)
  if (party !== undefined) return others.length === 0 ? party : undefined
  const [first] = named
  const isFirst = first?.tag.length === 0 && (fields.length > 2 || isMarked)
  const own = toWords(first?.text ?? '').filter((word) => !isOfTag(word))
  return isFirst && own.length > 1 ? first : undefined
}

/** Lines of a payment by their numbers: "1/LARKMOOR LLC 2/12 HIGH STREET 3/GB/LEEDS" */
const numberedLines = /^1\/\s?(\S.*?)\s+(?:1\/.*|[23]\/.*)$/u

const atCompany = new RegExp(String.raw`^(.{2,60}?)\s+(?:${table.at})\s+(?=\S)`, 'u')
const separators = /(\s+[-–—/]\s+|\s*[|•·]\s*|,\s+)/u
/** "M. Okafor", "Dr. K. Alvarez" */
const person =
  /^(?:(?:Dr|Mr|Mrs|Ms|Prof|Ing|Mag|Dipl|Herr|Frau|Mme)\.?\s(?:\p{Lu}\.\s)*|(?:\p{Lu}\.\s?)+)\p{Lu}[\p{L}'’-]+$/u

/** "DVM", "Ph.D." */
const degree = /^(?:\p{Lu}{2,4}|(?:\p{Lu}\p{Ll}?\.){2,3})$/u

function isRole(text: string): boolean {
  const { roles, ranks } = getWords()
  const own = toWords(text)
  // "Head of Sales", "VP Sales", and no "Partner Financial Group".
  const first = own.find((word) => roles.has(word)) ?? ''
  const isClosed = roles.has(own.at(-1) ?? '') || ofArea.test(text) || /^(?:[aes]?vp|c[efimot]o)$/.test(first)
  return first !== '' && isClosed && own.every((word) => roles.has(word) || ranks.has(word))
}

const ofArea = /^\S+(?: \S+)? (?:of|de|des|du|der|del|della|degli|dos) /i
/** In front of "at", a role may have words of its area behind it: "Directora comercial en". */
function saysRole(text: string): boolean {
  const { roles, ranks } = getWords()
  const own = toWords(text)
  const isArea = own.length <= 4 && roles.has(own[0] ?? '') && ofArea.test(text)
  const isOfRanks = own.every((word) => roles.has(word) || ranks.has(word))
  return isArea || (isOfRanks && own.some((word) => roles.has(word)))
}

/** A department in front of a name, up to a dash or to the word for a company that names begin with. */
const departmentInFront = new RegExp(
  String.raw`^(?:(?:(?:(?:phòng(?! khám)|bộ phận|bagian|divisi|قسم|إدارة|دائرة)(?![\p{L}\p{M}])|ฝ่าย|แผนก)[^-–—:,]{2,30}?|(?:\p{L}+\s){1,2}(?:departmanı|bölümü|müdürlüğü|birimi))\s*[-–—:,]\s+` +
    String.raw`|(?:(?:phòng(?! khám)|bộ phận|ban|khối|bagian|divisi|قسم|إدارة|دائرة)(?![\p{L}\p{M}])|ฝ่าย|แผนก)[^-–—:,]{2,30}?\s+(?:[-–—:,]\s+)?(?=(?:(?:tổng )?công ty|cty|ctcp|pt\.?|cv\.?|شركة|مؤسسة)\s|บริษัท|ห้างหุ้นส่วน)` +
    String.raw`|(?:\p{L}+\s){1,2}(?:departmanı|bölümü|müdürlüğü|birimi)\s+)(?=.*\p{L}{2})`,
  'iu',
)

/** A hyphen at the end of a line: "Serv- ices", but not "Klein- und Mittelbetriebe". */
const lineHyphen =
  /(?<=\p{L}\p{Ll})-\s+(?=\p{Ll}{2})(?!(?:und|oder|and|et|och|og|en)\s)|(?<=\p{Lu}{2})-\s+(?=\p{Lu}{2})(?!(?:UND|ODER|AND|ET|OCH|OG|EN)\s)/gu
/** Removes a department in front of a name, where its words are also words of names: "Phòng Mua hàng - Công ty …". */
const removeDepartment = (name: string): string =>
  name.normalize('NFC').trimStart().replace(departmentInFront, '').replace(lineHyphen, '')

const { in_front: inFront, offices, behind } = table.postings
const [postingInFront, officeInFront] = [inFront, offices].map(
  (words) => new RegExp(String.raw`^(?:${words})(\s*[|:–—-]\s*|\s+)`, 'iu'),
)
const postingBehind = new RegExp(String.raw`(?:\s*[|:–—]|\s-)?\s+(?:${behind})(?![\p{L}\p{M}]).*$`, 'iu')
/** Removes what is in front of an employer's name, unless it begins a registered name: "Careers Larkmoor Ltd", "Head Office Supplies Ltd". */
function removePostingInFront(text: string): string {
  const office = officeInFront?.exec(text)
  const [found = '', sign = ''] = office ?? postingInFront?.exec(text) ?? []
  const rest = text.slice(found.length)
  const isUsual = (word: string) => formWords.has(word) || isOfManyNames(word)
  if (office && sign.trim() === '' && toWords(rest).every(isUsual)) return text
  const isPhrase = sign.trim() !== '' || /\S\s+\S/.test(found)
  const isSure = isPhrase || !/^(?:[hj]|career|recr|rejo)/i.test(found) || !hasForm(text)
  return isSure && /^[\p{Lu}\p{Lo}\p{N}„“"«]/u.test(rest) ? rest : text
}
const seller = new RegExp(
  String.raw`^.{0,80}?(?<![\p{L}\p{M}])(?:${table.postings.sellers})\s*:?\s+(?=\S)`,
  'iu',
)
/** Returns the seller where its shop or its brand is in front: "Larkmoor Official Store, sold by Larkmoor Foods Ltd", "Larkmoor® Shop – Larkmoor Ltd". */
function findSeller(text: string): string {
  const sold = text.replace(seller, '')
  if (sold !== text && hasForm(sold)) return sold
  for (const { 0: sign, index } of text.matchAll(/\s(?:[–—/|-]\s|by\s|\()/giu)) {
    const [front, rest] = [text.slice(0, index), text.slice(index + sign.length).replace(/^by\s+/i, '')]
    const [shop, name] = [toWords(front), toWords(rest)]
    const isSame = shop[0] === name[0] && ((name[0]?.length ?? 0) > 2 || shop[1] === name[1])
    const isWhole = sign.endsWith('(') ? /^[^()]+\)\W*$/u.test(rest) : formWords.has(name.at(-1) ?? '')
    if (isSame && isWhole && !hasForm(front) && hasForm(rest)) return rest.replace(/\)\W*$/u, '')
  }
  return text
}
/** "Leeds's Larkmoor Bank" */
const owner = /^(\p{Lu}[\p{L}\s]{3,30})['’]s\s+(?=\p{Lu})/u
/** Removes what adverts and news have around a name: "Jobs at Larkmoor", "Larkmoor recrute", "Malta's Larkmoor". A form behind shows a name. */
function removePosting(text: string): string {
  const rest = removePostingInFront(text)
    .replace(owner, (found, place: string) => (toWords(place).every(isOfManyNames) ? '' : found))
    .replace(/(?<=^\S.*\p{L})\s?!$/u, '')
  const bare = rest.replace(postingBehind, (found) => (hasForm(found) ? found : ''))
  return hasName(bare) ? bare : text
}

/** Removes a person's role, and the person next to it: "M. Okafor | VP Credit | Larkmoor Fund", "Analyst at Larkmoor LLC". */
function removeRole(text: string): string {
  const [front, before = ''] = atCompany.exec(text) ?? []
  const piece = before.split(separators).at(-1) ?? ''
  if (front !== undefined && saysRole(piece) && hasName(text.slice(front.length)))
    return text.slice(front.length)
  // Odd places hold the signs.
  const parts = text.split(separators)
  let [from, end] = [0, parts.length]
  const at = (place: number) => parts[place] ?? ''
  if (isRole(at(0)) && at(1).trim() !== ',') from = 2
  else if (person.test(at(0)) && (isRole(at(2)) || degree.test(at(2)))) from = 4
  if (end - from > 2 && isRole(at(end - 1))) end -= 2
  if (end - from > 2 && end < parts.length && person.test(at(end - 1))) end -= 2
  const rest = parts.slice(from, end).join('')
  return rest !== text && hasName(rest) ? rest : text
}

const { phrases, sure, before_form: ofForm, ...unspacedMarks } = around.former
const end = String.raw`(?![\p{L}\p{M}])[\s:.–—-]*`
const [phrase, surely] = [phrases.join('|'), `${phrases.join('|')}|${sure.join('|')}`]
/** In brackets, in any place; a bracket inside belongs to the name: "(formerly Larkmoor (M) Sdn Bhd)". */
const inBracket = String.raw`((?:[^()]|\([^()]*\))*)(?:\)|$)`
const formerMarks: readonly (readonly [pattern: RegExp, needed: readonly ('front' | 'former')[]])[] = [
  [
    new RegExp(
      String.raw`\s*\((?:(?:${surely})${end}|(?:${unspacedMarks.sure_unspaced})[\s:：]*)${inBracket}`,
      'iu',
    ),
    [],
  ],
  [
    new RegExp(
      String.raw`\s*\((?:(?:${ofForm})${end}|(?:${unspacedMarks.before_form_unspaced})[\s:：.]*)${inBracket}`,
      'iu',
    ),
    ['former'],
  ],
  [new RegExp(String.raw`[\s,;/–—-]+(?<![\p{L}\p{M}])(?:${phrase})${end}(\S.*)$`, 'iu'), ['front']],
  [
    new RegExp(String.raw`[\s,;/–—-]+(?<![\p{L}\p{M}])(?:${sure.join('|')})${end}(\S.*)$`, 'iu'),
    ['front', 'former'],
  ],
]
const statesForm = (text: string): boolean => parseForm(text).formClass !== null

/** Cuts a former name behind a name, or in brackets: "Larkmoor GmbH (vormals Norvane GmbH)", "PT Larkmoor d/h PT Norvane". */
export function cutFormerName(text: string): string {
  const start = text.normalize('NFC').slice(0, matchLimits.nameCharsMax)
  const plain = start.replace(/[（［]/g, '(').replace(/[）］]/g, ')')
  for (const [pattern, needed] of formerMarks) {
    const found = pattern.exec(plain)
    if (found === null) continue
    const former = found[1] ?? ''
    const [front, behind] = [plain.slice(0, found.index), plain.slice(found.index + found[0].length)]
    const isShown = needed.every((one) => statesForm(one === 'front' ? front : former))
    if (isShown && /\p{L}/u.test(former) && hasName(front)) return front + behind
  }
  return text
}

/**
 * Returns the name where a text says what its parts are: the beneficiary of a payment, the company of a person's role. The
 * whole text if its parts do not say which of them is the company.
 */
export function findNamedField(written: string): string {
  const given = cutFormerName(removeDepartment(written))
  const text = findSeller(removePosting(boundText(given)))
  const [, line] = numberedLines.exec(text.trim()) ?? []
  if (line !== undefined) return line
  const fields = splitFields(text)
  const field = fields.length === 1 && fields[0]?.tag.length === 0 ? undefined : chooseField(fields)
  const name = removeRole(field?.text ?? text)
  return name === boundText(given) ? given : name
}

const countryLetters = Object.entries(placeNames.country_letters).map(([code, line]) => {
  const [letters = '', country = '', ...forms] = line.split('|')
  const form = forms.length === 0 ? null : new RegExp(`\\)\\s*(?:${forms.join('|')})(?![\\p{L}\\p{M}])`, 'iu')
  return { code, pair: [letters, country] as const, form }
})

/** Reads the letters of a country in brackets as its name, and its name as its letters: "Larkmoor (M) Sdn Bhd". */
export function writeCountryLetters(
  text: string,
  countries: readonly string[],
): { readonly text: string; readonly how: string }[] {
  const inner = /\(([^()]{1,14})\)/.exec(text)?.[1]?.toLowerCase()
  if (inner === undefined) return []
  return countryLetters.flatMap(({ code, pair, form }) => {
    const at = pair.findIndex((one) => one.toLowerCase() === inner)
    if (at < 0 || !(countries.includes(code) || form?.test(text) === true)) return []
    const other = `(${pair[1 - at] ?? ''})`
    return [{ text: text.replace(/\([^()]{1,14}\)/, other), how: `with its country as "${other}"` }]
  })
}

/** Lists the initials by which lists call towns of two or three words: "JB" for Johor Bahru. */
export const listTownInitials = (location: string): string[] =>
  location
    .split(',')
    .map((part) => toWords(part).map((word) => word.charAt(0)))
    .flatMap((initials) => (initials.length === 2 || initials.length === 3 ? initials.join('') : []))

/** Finds forms that are only the last word of a name, before a remark: "Larkmoor MMC (filial)". */
export function findClosedForms(
  pieces: readonly { readonly separator: string }[],
  folded: readonly string[],
  stated: readonly StatedForm[],
): StatedForm[] {
  const ends = pieces.flatMap(({ separator }, at) => (at > 1 && /[(,-]/.test(separator) ? [at] : []))
  return ends.flatMap((end) =>
    findForms(folded.slice(0, end), { last: folded[end - 1] ?? '', written: '', native: null }).filter(
      ({ at, count }) =>
        at + count === end && !stated.some((form) => form.at < end && at < form.at + form.count),
    ),
  )
}

const isOfBody = (form: Pick<StatedForm, 'formClass'> | null) =>
  /^(?:cooperative|association|foundation)$/.test(form?.formClass ?? '')

/** "Cooperativa Norvane" is no "Fundación Norvane", though the words in front are parts of their names. */
export function findBodyInFront(tokens: readonly string[]): FormClass | null {
  const form = findFormAt(tokens, 0)
  return isOfBody(form) && tokens.length > 1 ? (form?.formClass ?? null) : null
}

/** Returns a form of a body of which a name has only some words: "Larkmoor Co-operative Society" is no "Larkmoor Society"; or one in front of another form: "Coop. Larkmoor Ltda". */
export function findSharedForm(
  forms: readonly StatedForm[],
  pairs: readonly TextPair[],
  held: FormClass | null,
) {
  const countWords = ({ at, count }: StatedForm) =>
    pairs.reduce((sum, pair) => sum + (pair.textAt >= at && pair.textAt < at + count ? pair.textCount : 0), 0)
  return forms.find(
    (form) =>
      isOfBody(form) &&
      form.formClass !== held &&
      (countWords(form) === 0 ? form.at === 0 && forms.length > 1 : countWords(form) < form.count),
  )
}

type TextPair = Readonly<Record<'textAt' | 'textCount', number>>

interface Headed {
  readonly words: readonly { readonly text: string; readonly folded: string; readonly wordClass: string }[]
  readonly forms: readonly { readonly formClass: string }[]
}
type HeldPlace = Readonly<Record<'countryCode' | 'jurisdictionCountry', string>>

/** Counts the words in front that say no more than "company": "Firma", and next to a form "Trgovačko društvo", "S.C.". `sharedCount`: words that the name has. */
export function countHeads({ words, forms }: Headed, place: HeldPlace, sharedCount: number): number {
  const isStated = forms.some(({ formClass }) => formClass !== 'company')
  const country = place.countryCode || place.jurisdictionCountry || 'none'
  const isOwn = (codes = '') => codes === '*' || codes.includes(country)
  const isHead = ({ text, folded }: Headed['words'][number]) =>
    isHeadWord(text) ? isStated || sharedCount > 1 : isStated && isOwn(headsBesideForm.get(folded))
  const end = words.findIndex(
    (word) =>
      !isHead(word) && !/^(?:form|stop)$/.test(word.wordClass) && headsBesideForm.get(word.folded) !== 'kind',
  )
  return words.slice(0, end).some(isHead) ? end : 0
}

import { writeArabicPlain } from '../../core/text.js'
import { calculateDistance } from '../../core/word-forms.js'
import hanTable from '../reference/han-variants.json' with { type: 'json' }
import placeNames from '../reference/place-names.json' with { type: 'json' }
import romanized from '../reference/romanized-letters.json' with { type: 'json' }

const han = /\p{Script=Han}/gu
let simplified: ReadonlyMap<string, string> | null = null

/**
 * Replaces Chinese characters by their simplified ones: `华为` for 華為. In the table, each is followed by its variants in
 * Taiwan, Hong Kong and Japan, as registers write them. Expects NFKC.
 */
export function simplifyHan(text: string): string {
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

/** Lines of addresses without commas, which begin with the largest part, by country. */
const descendingLines = new Map(
  Object.entries(placeNames.descending_lines).map(([country, shape]) => [country, new RegExp(shape, 'u')]),
)
/** Divides "경기도 안산시 단원구 1 (원시동)" and "大阪府大阪市北区1-1" into region, town, street and code; a `metro` is both region and town. */
export const divideDescendingLine = (line: string, countryCode: string) =>
  descendingLines.get(countryCode)?.exec(line.trim())?.groups

export const toLetterMap = (pairs: string) =>
  new Map(pairs.split(' ').map((pair) => pair.split('=') as [string, string]))

/** Letters that only Serbian and Macedonian have. */
const southSlavic = /[ђјљњћџѓќѕ]/iu
const southSlavicLetters = toLetterMap('ђ=đ ј=j љ=lj њ=nj ћ=ć џ=dž ѓ=ǵ ќ=ḱ ѕ=dz ш=š ч=č ж=ž ц=c х=h')

/** Writes Serbian and Macedonian with the Latin letters that they have: "Пошта Србије" is "Pošta Srbije". */
const toSerbianLatin = (text: string): string =>
  southSlavic.test(text)
    ? text.replace(
        /\p{Script=Cyrillic}/gu,
        (letter) => southSlavicLetters.get(letter.toLowerCase()) ?? letter,
      )
    : text

const readRules = (rules: readonly string[]) =>
  rules.map((rule) => [new RegExp(rule.replace(/→.*/, ''), 'giu'), rule.replace(/.*→/, '')] as const)
const rewrite = (text: string, rules: ReturnType<typeof readRules>): string =>
  hasRules.test(text)
    ? rules.reduce((rest, [pattern, written]) => rest.replace(pattern, written), text)
    : text
const hasRules = /[№ـ인\p{sc=Armn}\p{sc=Thai}\p{sc=Deva}\p{sc=Beng}]|[&+aà]\s?pt[\s.]/iu
/** Armenian letters whose usual spelling is not that of their transliteration: "Voske", "Yerevan", "Tur". */
const usualLatin = readRules(romanized.usual_latin)
const writtenOut = readRules(romanized.written_out)
const typedAlike = readRules(romanized.typed_alike)
const contractions = new Map(
  romanized.contractions.split(', ').map((pair) => pair.split(' ') as [string, string]),
)
const contracted = /(?<![\p{L}\p{M}-])\p{Script=Cyrillic}{1,4}-\p{Script=Cyrillic}{1,3}(?![\p{L}\p{M}-])/gu

/** "Messrs", in front of a name as on a letter. In Nordic names it is a motor ship. */
const messrs =
  /^\s*(?!.{0,200}\s(?:AS|ASA|ApS|A\/S|ANS|DA|AB|Oy)\.?\s*$)(?:m\/s[.:]?|मेसर्स|मे\.|মেসার্স|મેસર્સ|மெசர்ஸ்|మెసర్స్|ಮೆಸರ್ಸ್|میسرز)\s+(?=\S)/iu

/** Writes the words of short forms, without "Messrs" in front: "завод" for "з-д", "บริษัท" for "บ.". */
export const writeOut = (text: string): string =>
  rewrite(text.replace(messrs, ''), writtenOut).replace(
    contracted,
    (word) => contractions.get(word.toLowerCase()) ?? word,
  )

/** Writes in one way what people type in several: marks of Thai in any order, the nasals of Devanagari, № before a number. */
const typeAlike = (text: string, form: 'NFKC' | 'NFKD'): string =>
  rewrite(rewrite(text, typedAlike).normalize(form), typedAlike)

/** Vowel signs, without which Hebrew and Arabic are usually written, and the last letter that is also written ي. */
const vowelSigns = /[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670ـ]|ى(?!\p{L})/gu

/** Writes a text of another script in one way, before it is read in Latin letters. */
export function writeLettersAlike(text: string): string {
  const plain = typeAlike(text, 'NFKC').replace(vowelSigns, (sign) => (sign === 'ى' ? 'ي' : ''))
  return simplifyHan(rewrite(toSerbianLatin(plain), usualLatin))
}

/** Latin, Greek and Cyrillic names stay different in plain letters; those of other scripts may become the same. */
const ownLetters =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}\P{L}]/u

/** Whether words of a text in other letters are a Latin form only by chance: "ری" is "ry", and no Finnish association. */
export const isFormByChance = (words: readonly string[], written: string): boolean =>
  words.join('').length <= 3 && ownLetters.test(written) && !/\p{Script=Latin}/u.test(written)

/**
 * Unifies the spelling of a text in its own letters, which are not romanized: عمان and معان, 苏州 and 宿州 are different
 * towns. Drops vowel signs, articles and spaces; `null` for texts of Latin, Greek and Cyrillic letters.
 */
export function unifyLetters(text: string): string | null {
  if (!ownLetters.test(text)) return null
  const plain = writeArabicPlain(typeAlike(text, 'NFKD'))
    .replace(vowelSigns, '')
    .replace(/ء(?!\p{L})/gu, '')
    .replace(/(?<!\p{L})ال(?=\p{L}{2})/gu, '')
    .replace(/([וי])\1/g, '$1')
  return simplifyHan(plain.normalize('NFC'))
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
}

/** True if a name has a word, also in its own letters if both have letters that Latin ones lack. */
export function hasWord(
  { tokens, name }: { readonly tokens: readonly string[]; readonly name: string },
  { text, written }: { readonly text: string; readonly written: string },
): boolean {
  if (!tokens.includes(text)) return false
  const [whole, part] = [unifyLetters(name), unifyLetters(written)]
  return whole === null || part === null || whole.includes(part)
}

/** Whether texts differ only in their marks. */
export const areOneWithoutMarks = (texts: readonly string[]): boolean =>
  new Set(texts.map((text) => text.replace(/\p{M}/gu, ''))).size === 1

/** Compares words of Hangul by their letters. `spelled`: a word of three syllables or more has one other letter; shorter ones are other words. */
export function compareHangul(asked: string, held: string): 'same' | 'spelled' | 'other' {
  if (held.includes(asked) || asked.includes(held)) return 'same'
  const distance = calculateDistance(asked.normalize('NFD'), held.normalize('NFD'), 1)
  return distance < 2 && asked.length > 2 ? 'spelled' : 'other'
}

/** Letters and words that only Vietnamese has: each of its syllables is a word, and so is each with another mark. */
const tones = /[ơưảấầẩẫậắằẳẵặẻếềểễệỉỏốồổỗộớờởỡợủứừửữựỷ]|công ty/u
/** Whether a name is in Vietnamese, with its marks. */
export const hasTones = (name: string): boolean => tones.test(name.normalize('NFC').toLowerCase())

const strokes = { đ: 'd\u0335', ł: 'l\u0335', ø: 'o\u0338', ı: 'i', ß: 'ss', æ: 'ae' }
const latinVowel = /^[aeiouy]/

/** The marks of each word of a text, by the word without them: in their order, and the vowels next to one another as one place. */
function listMarks(text: string): ReadonlyMap<string, readonly string[]> {
  const plain = text
    .toLowerCase()
    .replace(/[đłøıßæ]/g, (one) => strokes[one as keyof typeof strokes])
    .normalize('NFD')
    .replaceAll('\u0327', '\u0326')
    .replaceAll('\u030b', '\u0303')
    .replaceAll('i\u0307', 'i')
  return new Map(
    (plain.match(/\p{Script=Latin}[\p{Script=Latin}\p{M}]*/gu) ?? []).map((word) => {
      const places = word.match(/(?:[aeiouy]\p{M}*)+|.\p{M}*/gu) ?? []
      const marks = places.flatMap((place, at) =>
        (place.match(/\p{M}/gu) ?? []).map(
          (mark) => `${at}${at === 0 && latinVowel.test(place) ? 'v' : ''}${mark}`,
        ),
      )
      return [word.replace(/\p{M}/gu, ''), marks.sort()] as const
    }),
  )
}

/** One text is compared with many names. */
let latest = { text: '', marks: listMarks('') }
const mayHaveMarks = /[^\p{ASCII}]/u

/**
 * Compares the marks of words that a text and a name have in common: Kozík and Kožík are two names. `other`: one of the text has
 * a mark that the name's lacks; `fewer`: one of the name has more, as where people leave them out; `null`: one of them has no marks.
 * Vietnamese has no marks that are left out from a few words: any difference makes another word.
 */
export function compareMarks(
  words: readonly string[],
  text: string,
  name: string,
): 'same' | 'other' | 'fewer' | null {
  if (!mayHaveMarks.test(text) || !mayHaveMarks.test(name)) return null
  if (latest.text !== text) latest = { text, marks: listMarks(text) }
  const isMarked = words.some((word) => (latest.marks.get(word)?.length ?? 0) > 0)
  const held = listMarks(name)
  const haveTones = isMarked && hasTones(text) && hasTones(name)
  let found: ReturnType<typeof compareMarks> = null
  for (const word of words) {
    const [all, theirs] = [latest.marks.get(word), held.get(word)]
    if (all === undefined || theirs === undefined || (all.length === 0 && !haveTones)) continue
    // Capitals at the beginning often have none, but no other ones: "Electricité" and "Électricité".
    const isFree = (mark: string, others: readonly string[]) =>
      !haveTones && mark.startsWith('0v') && !others.some((other) => other.startsWith('0v'))
    if (all.some((mark) => !theirs.includes(mark) && !isFree(mark, theirs))) return 'other'
    const isLess = theirs.some((mark) => !all.includes(mark) && !isFree(mark, all))
    if (isLess && haveTones) return 'other'
    if (isLess) found = 'fewer'
    else if (all.length > 0) found ??= 'same'
  }
  return found
}

import { writeArabicPlain } from '../../core/text.js'
import { areOneWithoutMarks, foldHan, compareHangul, unifyLetters } from './own-letters.js'
import { divideSite, getAsianWords, listWords, parseWords, writeAlike } from './unspaced-names.js'
import { cutNativeForms } from './legal-forms.js'
import { nativeWords, foldText, foldWords, getOrCompute, isSimpleWord, toStem } from './normalize-name.js'
import trades from '../reference/trades.json' with { type: 'json' }
import asianTable from '../reference/east-asian-words.json' with { type: 'json' }
import romanized from '../reference/romanized-letters.json' with { type: 'json' }
import tables from '../reference/word-classes.json' with { type: 'json' }
import { boundText, parseName } from './parsed-name.js'
import { createSoundIndex, hasOtherScript, rateSound } from './sounds.js'

/** A name in another script in Latin letters; `how` describes that in a reason. */
interface Reading {
  readonly text: string
  readonly how: string
}

type Words = ReadonlyMap<string, string>
/** Whole words, in lower case without accents. */
const wordsOfScripts: Words = new Map(parseWords(Object.values(romanized.words).flat()))
/** The article and short words that Arabic writes as one with the next: "للتجارة" is "for the trade". */
const arabicPrefix = /^و?(?:ال|لل|ل)(?=.{3})/u
/** English words of trades, as the scripts of South Asia spell them. */
const southAsianWords: Words = new Map(
  parseWords(asianTable.south_asian.map((list) => list.normalize('NFC'))),
)

export const parseLetters = (table: string) =>
  table
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('=') as [string, string])

type Letters = readonly (readonly [native: string, latin: string])[]

/** Replaces the letters of a script in the order of the table, so that "кс" comes before "к". */
function transliterate(text: string, letters: Letters): string {
  return letters.reduce((spelled, [native, latin]) => spelled.replaceAll(native, latin), text)
}

const cyrillicBySound = parseLetters(`
  ъе=ye ъё=ye ъю=yu ъя=ya ия=iya ый=y ий=y а=a б=b в=v г=g ґ=g д=d ђ=dj е=e ё=e є=ye ж=zh з=z и=i і=i ї=yi й=y ј=j к=k л=l љ=lj м=m н=n
  њ=nj о=o п=p р=r с=s т=t ћ=c ќ=k у=u ў=u ф=f х=kh ц=ts ч=ch џ=dz ш=sh щ=shch ъ=a ы=y ь= э=e ю=yu я=ya ѓ=g ѕ=dz`)
/** Western names written by sound: Филипс is Philips, Алианц is Allianz, Тексим is Texim. */
const cyrillicByOrigin = parseLetters('кс=x дж=j ия=ia ф=ph х=h ц=z к=c й=i щ=sht ю=u ж=j')

const greekBySound = parseLetters(`
  γιουρο=euro μπανκ=bank μπ=b γκ=g γγ=ng γχ=nch τζ=tz ου=ou ευ=ef αυ=af α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n
  ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o`)
const greekByOrigin = parseLetters('γιου=you για=ya γιο=yo ευ=eu αυ=au κ=c φ=ph χ=h η=e β=b υ=u')

const initials = 'g kk n d tt r m b pp s ss  j jj ch k t p h'.split(' ')
const vowels = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const finals = ' k k ks n nj nh t l lk lm lb ls lt lp lh m p ps t t ng t t k t p h'.split(' ')
const hangulStart = 0xac00

/** Revised Romanization of each syllable, without vowels that only carry a consonant of a foreign word. */
function romanizeHangul(text: string, isForeign: boolean): string {
  return text.replace(/[가-힣]/gu, (syllable) => {
    const code = (syllable.codePointAt(0) ?? 0) - hangulStart
    const final = finals[code % finals.length] ?? ''
    const vowel = vowels[Math.floor(code / finals.length) % vowels.length] ?? ''
    const initial = initials[Math.floor(code / finals.length / vowels.length)] ?? ''
    return initial + (isForeign && vowel === 'eu' && final === '' ? '' : vowel) + final
  })
}

/** Korean has one letter for "r" and "l"; names begin with the latter. */
const withFirstL = (word: string): string => word.replace(/^r/, 'l')

/** Companies write "u" for "eo" of the romanization: 삼성 is Samsung. */
const hangulBySound = parseLetters('eo=u')
const hangulByOrigin = parseLetters('eo=er k=c')

const kanaPairs = parseLetters(`
  しゃ=sha しゅ=shu しょ=sho しぇ=she ちゃ=cha ちゅ=chu ちょ=cho ちぇ=che じゃ=ja じゅ=ju じょ=jo じぇ=je つぁ=tsa てぃ=ti
  でぃ=di とぅ=tu どぅ=du でゅ=du ふぁ=fa ふぃ=fi ふぇ=fe ふぉ=fo うぃ=wi うぇ=we うぉ=wo ゔぁ=va ゔぃ=vi ゔぇ=ve ゔぉ=vo
  くぁ=qua くぉ=quo きゃ=kya きゅ=kyu きょ=kyo ぎゃ=gya ぎゅ=gyu ぎょ=gyo にゃ=nya にゅ=nyu にょ=nyo ひゃ=hya ひゅ=hyu
  ひょ=hyo びゃ=bya びゅ=byu びょ=byo ぴゃ=pya ぴゅ=pyu ぴょ=pyo みゃ=mya みゅ=myu みょ=myo りゃ=rya りゅ=ryu りょ=ryo
  あ=a い=i う=u え=e お=o か=ka き=ki く=ku け=ke こ=ko が=ga ぎ=gi ぐ=gu げ=ge ご=go さ=sa し=shi す=su せ=se そ=so
  ざ=za じ=ji ず=zu ぜ=ze ぞ=zo た=ta ち=chi つ=tsu て=te と=to だ=da ぢ=ji づ=zu で=de ど=do な=na に=ni ぬ=nu ね=ne
  の=no は=ha ひ=hi ふ=fu へ=he ほ=ho ば=ba び=bi ぶ=bu べ=be ぼ=bo ぱ=pa ぴ=pi ぷ=pu ぺ=pe ぽ=po ま=ma み=mi む=mu
  め=me も=mo や=ya ゆ=yu よ=yo ら=ra り=ri る=ru れ=re ろ=ro わ=wa ゐ=i ゑ=e を=o ん=n ゔ=vu ぁ=a ぃ=i ぅ=u ぇ=e ぉ=o`)

/** Hepburn romanization. Converts katakana to hiragana, so that one table is enough. */
function romanizeKana(text: string, isForeign: boolean): string {
  const hiragana = text.replace(/[ァ-ヴ]/gu, (kana) =>
    String.fromCodePoint((kana.codePointAt(0) ?? 0) - 0x60),
  )
  const plain = transliterate(
    hiragana.replace(/(?<=[きしちにりみ])ー(?![\p{L}ー])/gu, '*').replace(/ー/gu, ''),
    kanaPairs,
  )
  const doubled = plain.replace(/っ(?=(\w))/gu, '$1').replaceAll('っ', '')
  if (!isForeign) return doubled.replaceAll('*', '')
  // Drops vowels that only carry a consonant ("maikurosofuto") and restores a final "y".
  return doubled
    .replace(/kku(?![a-z])/g, 'c')
    .replace(/i\*/g, 'y')
    .replace(/ru(?![aeiouy])/g, 'l')
    .replace(/(?<=[skgzfpbm])u(?![aeiouy])/g, '')
    .replace(/tsu(?![aeiouy])/g, 'ts')
    .replace(/(?<=[td])o(?![a-z])/g, '')
}

/** Letters of nine scripts of South Asia have one order: the numbers of their places are those of Devanagari. */
const indicLetters = new Map(parseLetters(asianTable.indic))
const indicRun = /[\u0900-\u0d7f]+/gu
/** An inherent vowel, "A", is silent between a vowel with one consonant and another of these, the last first: "rAhAman" is "rahman". */
const silentVowel =
  /^(.*[aeiouA](?:[kgcjtdpbs]h|[b-df-hj-np-tv-z]))A(?=(?:[kgcjtdpbs]h|[b-df-hj-np-tv-z])[aeiouA])/

/** Writes the letters as names usually are: যমুনা is Jamuna. `isForeign`: with other usual writings, "w" for "v", "o" for "a", "g" for "k". */
function romanizeIndic(text: string, isForeign: boolean): string {
  return text.replace(indicRun, (word) => {
    const [first = 0] = Array.from(word, (letter) => letter.codePointAt(0) ?? 0)
    const [isBengali, isTamil, isSouthern] = [first >> 7 === 0x13, first >> 7 === 0x17, first >= 0xb80]
    let latin = ''
    for (const letter of word) {
      const place = (letter.codePointAt(0) ?? 0) & 0x7f
      const isDigit = place >= 0x66 && place <= 0x6f
      const sound = isDigit
        ? String(place - 0x66)
        : (indicLetters.get(place.toString(16).padStart(2, '0')) ?? '')
      const isDot = place === 0x3c
      if (isDot)
        latin = latin
          .replace(/j(?=A$)/, isBengali ? 'y' : 'z')
          .replace(/dh?(?=A$)/, 'r')
          .replace(/ph(?=A$)/, 'f')
      else if (place >= 0x15 && place <= 0x39) latin += `${isBengali && sound === 'y' ? 'j' : sound}A`
      else latin = (place >= 0x3e && place <= 0x57 ? latin.replace(/A$/, '') : latin) + sound
    }
    if (!isSouthern) latin = latin.replace(/(?<=.[aeiouA].*)A$/, '')
    while (!isSouthern && silentVowel.test(latin)) latin = latin.replace(silentVowel, '$1')
    if (isBengali) latin = latin.replace(/oy(?=[ae])/g, 'w')
    if (!isForeign) return latin.replaceAll('A', 'a')
    const voiced = (one: string) => one.replace('k', 'g').replace('t', 'd').replace('p', 'b')
    const spoken = isTamil ? latin.replace(/(?<=[aeiouAnm])[ktp](?=[aeiouA])/g, voiced) : latin
    return spoken.replaceAll('v', 'w').replaceAll('A', isBengali ? 'o' : 'a')
  })
}

const translateWords = (text: string, words: Words) =>
  text.replace(/[\p{L}\p{M}]+/gu, (word) => words.get(word) ?? word)

/** A table by origin lists only the letters that differ from the table by sound. */
const withRest = (letters: Letters, rest: Letters): Letters => {
  const told = new Set(letters.map(([native]) => native))
  return [...letters, ...rest.filter(([native]) => !told.has(native))].sort(([a], [b]) => b.length - a.length)
}
const cyrillicForeign = withRest(cyrillicByOrigin, cyrillicBySound)
const greekForeign = withRest(greekByOrigin, greekBySound)

const otherScript =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}\u0900-\u0d7f]/u
const eastAsian = /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

/** Divides East Asian names, and translates their trades and places. */
function translateAsian(text: string): string {
  if (!eastAsian.test(text)) return text
  const { trades, places } = getAsianWords()
  return writeAlike(text).replace(/[\p{L}\p{M}]+/gu, (word) => trades.get(word) ?? places.get(word) ?? word)
}

/** Returns a name in another script in Latin letters: by its sound, and as a possible foreign name. */
export function readNativeName(text: string): Reading[] {
  if (!otherScript.test(text)) return hasOtherScript(text) ? readBySound(text) : []
  const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
  const lower = cutNativeForms(text).rest.toLowerCase()
  // Only Greek: decomposition would break up kana and Hangul.
  const plain = /\p{Script=Greek}/u.test(lower) ? lower.normalize('NFD').replace(/\p{M}/gu, '') : lower
  const known = translateWords(plain, wordsOfScripts)
  const split = translateAsian(translateWords(known.normalize('NFC'), southAsianWords))
  const readings = [false, true].map((isForeign) => {
    const cyrillic = transliterate(
      romanizeIndic(split, isForeign),
      isForeign ? cyrillicForeign : cyrillicBySound,
    )
    const greek = transliterate(cyrillic, isForeign ? greekForeign : greekBySound)
    const hangul = /\p{Script=Hangul}/u.test(greek)
      ? greek.replace(/\p{Script=Hangul}+/gu, (word) =>
          transliterate(
            withFirstL(romanizeHangul(word, isForeign)),
            isForeign ? hangulByOrigin : hangulBySound,
          ),
        )
      : greek
    const latin = isJapanese ? romanizeKana(hangul, isForeign) : hangul
    return latin.replace(/\s+/g, ' ').trim()
  })
  return [...new Set(readings)].map(toReading)
}
const toReading = (text: string): Reading => ({ text, how: 'in Latin letters' })

let findUsual: ReturnType<typeof createSoundIndex> | null = null
/** Shorter words are usual ones of too many languages, and a name may sound nearly like one. */
const [spokenCharsMin, usualRateMin] = [4, 0.95]

/** Reads a name of Arabic, Hebrew or another script without tables: its known words, and usual English ones by their sound, in English. */
function readBySound(given: string): Reading[] {
  if (findUsual === null) {
    const forms = 'limited corporation incorporated company group holding holdings'
    const words = [...tables.generic, ...tables.trades.english, forms].flatMap((line) => line.split(' '))
    findUsual = createSoundIndex(words.length, (at) => words[at] ?? '')
  }
  const find = findUsual
  const name = cutNativeForms(given).rest.trim()
  const read = name.toLowerCase().replace(/[\p{L}\p{M}]+/gu, (word) => {
    const folded = foldText(word).replaceAll(' ', '')
    const [near = ''] = folded.length < spokenCharsMin || isSimpleWord(folded) ? [] : find(folded, 1)
    const usual = rateSound(folded, near) < usualRateMin ? folded : near
    const plain = writeArabicPlain(word)
    return wordsOfScripts.get(plain) ?? wordsOfScripts.get(plain.replace(arabicPrefix, '')) ?? usual
  })
  // The legal form keeps its script, which tells kinds of one form apart.
  return [toReading(given.replace(name, () => read))]
}

/** A word of a text without accents, in lower case. */
interface FoldedWord {
  readonly folded: string
}

const readingsOfTexts = new Map<string, ReturnType<typeof listNewReadings>>()
const textsWithoutForms = new Map<string, string>()
const cutForms = (text: string): string => divideSite(cutNativeForms(text).rest)
const rememberedTextsMax = 500
/** Lists the words of a text in their script, each with how it may be read in Latin letters. */
const listNewReadings = (native: string) =>
  listWords(native).map((place) => {
    const texts = [place.word, ...readNativeName(place.word).map(({ text }) => text)]
    return { ...place, readings: [...new Set(texts.map((text) => foldText(text).replaceAll(' ', '')))] }
  })

/** Returns words in the script of the query: 구매부 for "gumaebu"; `null` if they were changed more than that. */
export function findNativeWords(words: readonly FoldedWord[], native: string): string | null {
  const key = words.map(({ folded }) => folded).join('')
  const known = getOrCompute(readingsOfTexts, rememberedTextsMax, native, listNewReadings)
  for (const [from, first] of known.entries()) {
    let found = ['']
    for (const last of known.slice(from, from + words.length)) {
      found = found
        .flatMap((part) => last.readings.map((reading) => part + reading))
        .filter((part) => key.startsWith(part))
      if (found.includes(key)) return native.slice(first.from, last.to)
    }
  }
  return null
}

/** A word without the article and the short words that Arabic writes as one with it; empty in scripts that have each of its letters in Latin ones. */
const toOwnLetters = (text: string): string =>
  ofOwnLetters.test(text) ? (unifyLetters(text.trim().replace(arabicPrefix, '')) ?? '') : ''

/** `spelled`: a letter differs, as in a spelling error. `unknown`: one of two names has few Chinese characters, and the other none. */
export type CharacterAgreement = 'same' | 'spelled' | 'other' | 'unknown'

/** More characters seldom have the sound of another name. */
const soundsAlikeMax = 3

/**
 * Compares words of one sound, or nearly so, by their own letters: 华微 is other than 华为, in Japan 大河 than 大和, and العامة than المها.
 * `asked`: words of the text `native`; `held`: words of `name`.
 */
export function compareCharacters(
  [asked, native]: readonly [words: readonly (FoldedWord & { readonly wordClass: string })[], native: string],
  [held, name]: readonly [words: readonly string[], name: string],
): CharacterAgreement {
  const find = (words: readonly FoldedWord[], text: string) =>
    findNativeWords(words, getOrCompute(textsWithoutForms, rememberedTextsMax, text, cutForms)) ?? ''
  const heldWords = held.map((folded) => ({ folded }))
  const [askedText, heldText] = [find(asked, native), find(heldWords, name)]
  // Latin letters lack some of other scripts, and the marks of Thai: เสือ and เสื้อ are two words.
  const isOneSound = asked.map(({ folded }) => folded).join('') === held.join('')
  const own = isOneSound ? [askedText, heldText].map(toOwnLetters).filter(Boolean) : []
  // Behind the first word, they are often those of a trade, with other marks: เอ็นจิเนียริง.
  const isTrade = areOneWithoutMarks(own) && !cutForms(name).trim().startsWith(heldText)
  // Georgian has two letters each for "k", "p", "t", "ts" and "ch", which people confuse; few letters may be another word.
  if (new Set(own).size > 1 && !isTrade) return /\p{sc=Geor}{6}/u.test(heldText) ? 'spelled' : 'other'
  // Words of one language with one English word: 해운 and 상선 are both "shipping".
  if (/^\p{sc=Hang}+$/u.test(askedText + heldText)) return compareHangul(askedText, heldText)
  const [ours, theirs] = [foldHan(askedText), foldHan(heldText)]
  if (ours !== '' && theirs !== '') return theirs.includes(ours) || ours.includes(theirs) ? 'same' : 'other'
  const one = ours + theirs
  const isFew = one.length > 0 && one.length <= soundsAlikeMax && asked[0]?.wordClass === 'telling'
  return isFew ? 'unknown' : 'same'
}

/** Scripts of which few words are known: with another letter, a word may be any other. हिमालय and हिमालयन are two names. */
const ofUnknownWords =
  /[\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Geor}\p{sc=Ethi}]/u
export const isOfUnknownWords = (text: string): boolean => ofUnknownWords.test(text)
const ofOwnLetters = new RegExp(`${ofUnknownWords.source}|[\\p{sc=Arab}\\p{sc=Hebr}\\p{sc=Armn}]`, 'u')

/** The end of a name at which its legal form stands; `null` for a name without one, or with one at both ends. */
export function findFormEnd(name: string): 'front' | 'behind' | null {
  const { rest, form } = cutNativeForms(boundText(name).trim())
  const { bareKey, fullKey } = parseName(name)
  const [isFront, isBehind] =
    form === null
      ? [fullKey.endsWith(bareKey), fullKey.startsWith(bareKey)]
      : [rest.startsWith(' '), rest.endsWith(' ')]
  return isFront === isBehind ? null : isFront ? 'front' : 'behind'
}

/** True if only one of a name and the names of a company has Latin letters: they are not compared. */
export function isInOtherScript(name: string, names: readonly string[]): boolean {
  const isLatin = (text: string) => /\p{Script=Latin}/u.test(text)
  return /\p{L}/u.test(name) && names.length > 0 && names.every((one) => isLatin(one) !== isLatin(name))
}

let tradesByWord: ReadonlyMap<string, ReadonlySet<string>> | null = null

function createTrades(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const [trade, lines] of Object.entries(trades))
    for (const word of lines.flatMap((line) => foldWords(line)))
      for (const key of new Set([word, toStem(word)]))
        found.set(key, (found.get(key) ?? new Set()).add(trade))
  return found
}

/**
 * Returns the trades that a folded word of a name may state, in any of the main languages: `menuiserie` and `carpentry` share
 * one. Empty for a word of many trades, such as "industries", and for one of none.
 */
function listTrades(word: string): ReadonlySet<string> {
  const byWord = (tradesByWord ??= createTrades())
  const written = nativeWords.get(word) ?? word
  return byWord.get(written) ?? byWord.get(toStem(written)) ?? new Set()
}

/** Words of a name, and those of them that another name lacks. */
interface TradeWords {
  readonly all: readonly string[]
  readonly own: readonly string[]
}

/**
 * True if each of two names states a trade in words that the other lacks, and they share no trade: "Koshi Cement" is not "Koshi
 * Noodles", but may be "Cimento Koshi".
 */
export function haveOtherTrades(one: TradeWords, other: TradeWords): boolean {
  const list = (words: readonly string[]) => new Set(words.flatMap((word) => [...listTrades(word)]))
  if (list(one.own).size === 0 || list(other.own).size === 0) return false
  const [ours, theirs] = [list(one.all), list(other.all)]
  return ![...ours].some((trade) => theirs.has(trade))
}

import placeNames from '../reference/place-names.json' with { type: 'json' }

/** Details in a street line, as spelled there. */
interface StreetParts {
  readonly streetNumber: string | null
  readonly subPremise: string | null
}

const unknownParts: StreetParts = { streetNumber: null, subPremise: null }
const streetCharsMax = 500

/** "Suite 200", "Unit 7", "Flat B", "Floor 8", "#12" */
const named = String.raw`(?:suite|ste|unit|apt|apartment|flat|room|rm|floor|fl|level|bus|bte)\b\.?\s*#?\s*(?:\d[\w-]*|[a-z]\d*)\b|#\s*\d[\w-]*`
const ordinal = String.raw`(?:\d{1,3}(?:st|nd|rd|th)|ground|lower ground|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)`
const floors = String.raw`(?:${ordinal}(?:\s*(?:&|and|-)\s*${ordinal})?\s+(?:floors?|fl)\b\.?)`
const subPremise = `(?:${floors}|${named})`

const leadingSubPremise = new RegExp(`^(${subPremise})(?:\\s+(?![-–&+/])|$)`, 'i')
const trailingSubPremise = new RegExp(`\\s(${subPremise})$`, 'i')

/** The flag `i` makes patterns with `\p{L}` slow: the first use takes 10 ms. */
const anyCase = (words: string): string =>
  words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const st = anyCase('st')
const noStreetWords = anyCase('st (?:floors?|fl|street|st|ave|avenue|road|rd)|nd|rd|th|floors?|of|and')

/** "18 de Julio 1190": the street has the name of a day. */
const dayName = new RegExp(`^\\d{1,2}\\s+de\\s+(?:${placeNames.months})(?![\\p{L}\\d])(.*)$`, 'iu')
const numberBehindDay = /^\s+(?:n[°º.ro]*\s*)?(\d{1,5})$/i

/** "41-51 Freshwater Road", "1a Shepherdess Walk": the number precedes the street. */
const leadingNumber = new RegExp(
  String.raw`^(\d{1,6}[a-zA-Z]?(?:\s?[-–/&]\s?\d{1,6}[a-zA-Z]?)?)\s+(?=.*\p{L}{2})(?!(?:${st}(?! \p{L})|${noStreetWords})\b)`,
  'u',
)
/** "Caffamacherreihe 8", "Banská 1120/4" */
const trailingNumber = /^(?=.*\p{L}{2})[^\d].*?\s(\d{1,5}\s?[a-zA-Z]?(?:\s?[-–/+&]\s?\d{1,5}\s?[a-zA-Z]?)?)$/u
const bareNumber = /^\d{1,5}[a-z]?(?:\s?[-–/]\s?\d{1,5}[a-z]?)?$/i

/** "DK 2880", at the end of a line. */
const postalEnd = / [a-z]{2}[ -]?\d{3,6}$/i

/** Countries that write the number after the street. */
const numberBehind = new Set(
  'AT BE BG BR CH CL CZ DE DK EE ES FI GR HR HU IS IT LI LT LV MX NL NO PL PT RO RS SE SI SK TR'.split(' '),
)

/** Not a street: the number belongs to a box or to someone else. */
const noStreet =
  /\b(?:p\.?\s?o\.?\s+box|post office box|postfach|box|c\/o|building|bldg|hwy|highway|route)\b/i

/** A place on a road: "km 11,5", "PK 12", "12 χλμ". */
const km = String.raw`(?<!\p{L})(?:${placeNames.distances})(?!\p{L})`
const distance = new RegExp(km, 'u')
const decimalComma = new RegExp(`(?<=${km}\\.?\\s*\\d+),(?=\\d)|(?<=\\d),(?=\\d+\\s*${km})`, 'giu')

/** Finds number and sub-premise in a street line if they are unambiguous: two possible numbers give none. */
export function parseStreet(street: string | null, countryCode: string | null): StreetParts {
  if (street === null || street.length > streetCharsMax) return unknownParts
  const numbers: string[] = []
  const subPremises: string[] = []
  const line = street.trim().replace(decimalComma, '.')
  const parts = line.split(/\s*,\s*/)
  for (const [at, part] of parts.entries()) {
    const rest = takeSubPremises(part, subPremises)
    const number = findStreetNumber(rest, { before: parts[at - 1], after: parts[at + 1] }, countryCode)
    if (number !== null) numbers.push(number)
  }
  return {
    streetNumber: numbers.length === 1 ? (numbers[0] ?? null) : null,
    subPremise: subPremises.length === 0 ? null : subPremises.join(', '),
  }
}

function takeSubPremises(part: string, found: string[]): string {
  const take = (_: string, one: string): string => {
    found.push(one)
    return ''
  }
  return part.replace(leadingSubPremise, take).replace(trailingSubPremise, take).trim()
}

function findStreetNumber(
  part: string,
  { before, after }: { before: string | undefined; after: string | undefined },
  countryCode: string | null,
): string | null {
  if (noStreet.test(part) || distance.test(part.toLowerCase())) return null
  const isBehind = countryCode !== null && numberBehind.has(countryCode)
  // "Novo Allé 1 DK 2880" ends with a postal code.
  if (countryCode !== null && postalEnd.test(part))
    part = part.replace(new RegExp(` ${countryCode}[ -]?\\d{3,6}$`, 'i'), '')
  // "5, rue Guillaume Kroll"; "Via Roma, 21"
  if (bareNumber.test(part)) return isStreet(after) || (isBehind && isStreet(before)) ? part : null
  const behindDay = /^\d/.test(part) ? dayName.exec(part)?.[1] : undefined
  if (behindDay !== undefined) return numberBehindDay.exec(behindDay)?.[1] ?? null
  const leading = leadingNumber.exec(part)?.[1]
  if (leading !== undefined) return leading
  return isBehind ? (trailingNumber.exec(part)?.[1] ?? null) : null
}

function isStreet(part: string | undefined): boolean {
  return part !== undefined && /^\p{L}\D*$/u.test(part) && !noStreet.test(part)
}

const { english, behind, before } = placeNames.streets
const toPattern = (lists: readonly string[]) => lists.join('|').replaceAll('.', String.raw`\.`)
/** A street, a building, an industrial zone or a hamlet, not a town: "12 Main Road", "Đường Láng", "KCN Norvane", "ถ.สุขุมวิท". */
export const streetLike = new RegExp(
  String.raw`\d|(?<!\p{L})(?:${english})$|(?<=\S\s)(?:${toPattern(behind)})\.?$` +
    String.raw`|^(?:${toPattern(before)})(?:(?<=[.\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}])|(?![\p{L}\p{M}])).`,
  'iu',
)

/** Towns whose names end like those of streets, folded. */
export const townsLikeStreets = new Set(['street', 'chester le street', 'forest row', 'worcester park'])

/** Postal codes in a text; the first that fits is read. */
export const postalShapes = [
  /\b[A-Z]{1,2}\d[A-Z\d]?\s*\d[A-Z]{2}\b/i, // GB
  /\b[A-Z]\d[A-Z]\s*\d[A-Z]\d\b/i, // CA
  /\b\d{4}\s?[A-Z]{2}\b/, // NL
  /\b\d{5}-\d{3,4}\b/, // US +4, BR
  /\b\d{3}-\d{4}\b/, // JP
  /\b\d{2}-\d{3}\b/, // PL
  /\b\d{3} \d{2}\b(?! ?\d)|(?<=^|[,;|\n/(]\s*|\b[A-Z]{2}-)\d{2} \d{3}(?=\s\p{Lu})/u, // SE, CZ, SK, GR; HR, RS
  /\b(?:(?:AZ|LV|MD|SI)\d{4}|(?:HR|LT)\d{5}|AD\d{3}|\d{4,6})\b/,
  /(?<=^|[,;|\n/()]\s*)[A-Z]{1,2}\d[A-Z\d]?(?=\s*(?:$|[,;|\n/()]))/i, // GB, outward code only
]

const postcode = /(?:^|\s)([A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})$/i

/** Removes the postcode from the last part and returns it. */
export function takePostcode(parts: string[]): string | null {
  const last = parts.at(-1) ?? ''
  const found = postcode.exec(last)
  if (found?.[1] === undefined) return null
  const rest = last.slice(0, found.index).trim()
  parts.splice(-1, 1, ...(rest === '' ? [] : [rest]))
  return found[1].toUpperCase()
}

/** Kinds of places that addresses name in a word, from parts of a town to regions. */
export type PlaceKind = keyof typeof placeNames.kinds

/** Letters without accents in lower case, in their own script. */
const foldTitle = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().normalize('NFC')

/** Words with `<` precede the name. Those with a point are words only with it: "H. Yên Phong". */
function listTitles(isFront: boolean): ReadonlyMap<string, PlaceKind> {
  const titles = Object.entries(placeNames.kinds).flatMap(([kind, list]) =>
    list.split('|').map((word) => [word, kind as PlaceKind] as const),
  )
  const placed = titles.filter(([word]) => word.startsWith('<') === isFront)
  return new Map(placed.map(([word, kind]) => [foldTitle(word.replace('<', '')), kind]))
}
const [frontTitles, backTitles] = [listTitles(true), listTitles(false)]
const titleLinks = new Set("of de di do da del della der van d' d’".split(' '))

interface NamedPlace {
  readonly name: string
  readonly kind: PlaceKind
  /** The word is no part of the name: "г. Баку", "Tartu linn", but "Ciudad Real". */
  readonly isApart: boolean
}

/** Splits "Tartu linn", "TP.HCM", "gmina Larkmoor" or "川崎市" into name and kind; `null` without a word for a kind, or a name. */
export function readKind(part: string): NamedPlace | null {
  // "г.Москва", "d'Ivry" and "เขตบางรัก" are two words.
  const text = part.trim()
  const words = text.split(/\s+|(?<=\p{L}\.|^(?:จังหวัด|อำเภอ|เขต|แขวง|ตำบล)|^เมือง(?!$)| d['’])(?=\p{L})/u)
  const counts = [3, 2, 1].filter((count) => count < words.length)
  const behind = (count: number) => withTitle(backTitles, words.slice(-count), words.slice(0, -count))
  const front = (count: number) => withTitle(frontTitles, words.slice(0, count), words.slice(count))
  // "M.Ə.Larkmoor qəsəbəsi": a long word is sure, and initials are no words for a kind.
  const isLong = (words.at(-1)?.length ?? 0) > 5
  const isInitial = words.length > 1 && words.slice(0, 2).every((word) => /^\p{L}\.$/u.test(word))
  const finders = [...(isLong ? [behind] : []), ...(isInitial ? [] : [front]), behind]
  const found = finders.flatMap((find) => counts.flatMap((count) => find(count) ?? []))[0]
  if (found !== undefined) return found
  const [, name = '', title = ''] =
    /^(.*?(?:\p{sc=Han}{2}|\p{sc=Hangul}{2}))([市区區구]|(?:특별|광역|특별자치)?시)$/u.exec(text) ?? []
  return name === '' ? null : { name, kind: /[区區구]/u.test(title) ? 'district' : 'town', isApart: false }
}

/** Removes a joining word: "cidade de Larkmoor". Only parts of towns have no letters: "Quận 7". */
function withTitle(
  titles: ReadonlyMap<string, PlaceKind>,
  titleWords: readonly string[],
  words: readonly string[],
): NamedPlace | undefined {
  const title = titleWords.join(' ')
  const kind = titles.get(foldTitle(title)) ?? titles.get(foldTitle(title).replace(/\.$/, ''))
  if (kind === undefined) return undefined
  const isLinked = words.length > 1 && titleLinks.has((words[0] ?? '').toLowerCase())
  const name = words.slice(isLinked ? 1 : 0).join(' ')
  const isApart = title.length < 3 || (/\p{Ll}|\p{sc=Thai}/u.test(title) && title === title.toLowerCase())
  return kind === 'district' || /\p{L}{2}/u.test(name) ? { name, kind, isApart } : undefined
}

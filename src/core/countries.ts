import anyAscii from 'any-ascii'
import { iso31661, iso31661Alpha3ToAlpha2 } from 'iso-3166'

/** Further names of countries, separated by `|`. The first one is used if the name in ISO 3166-1 is a formal one. */
const countryAliases: Readonly<Record<string, string>> = {
  AE: 'UAE|Emirates',
  BO: 'Bolivia',
  BN: 'Brunei',
  CD: 'DR Congo|Congo Kinshasa',
  CH: 'Switzerland|Schweiz|Suisse|Svizzera',
  CI: "Ivory Coast|Cote d'Ivoire",
  CN: 'China|PRC|Peoples Republic of China|中国|中國',
  CV: 'Cape Verde',
  CZ: 'Czech Republic|Czechia|Cesko',
  DE: 'Germany|Deutschland|Federal Republic of Germany',
  DK: 'Denmark|Danmark',
  ES: 'Spain|Espana',
  FI: 'Finland|Suomi',
  GB: 'United Kingdom|UK|Great Britain|England|Scotland|Wales|Northern Ireland',
  HK: 'Hong Kong|Hong Kong SAR',
  IE: 'Ireland|Republic of Ireland|Eire',
  IR: 'Iran',
  IT: 'Italy|Italia',
  JP: 'Japan|Nippon|日本',
  KP: 'North Korea',
  KR: 'South Korea|Korea|Republic of Korea|대한민국|한국',
  LA: 'Laos',
  MD: 'Moldova',
  MO: 'Macau|Macao',
  NL: 'Netherlands|Holland|The Netherlands|Nederland',
  NO: 'Norway|Norge',
  PL: 'Poland|Polska',
  PS: 'Palestine',
  RU: 'Russia|Russian Federation|Россия',
  SE: 'Sweden|Sverige',
  SY: 'Syria',
  TR: 'Turkey|Turkiye',
  TW: 'Taiwan|台灣|台湾',
  TZ: 'Tanzania',
  US: 'United States|USA|U.S.A.|America|United States of America|U.S.',
  VE: 'Venezuela',
  VG: 'British Virgin Islands',
  VI: 'US Virgin Islands',
  VN: 'Vietnam',
  GR: 'Greece|Hellas|Ελλάδα',
  UA: 'Ukraine|Україна',
  IL: 'Israel|ישראל',
  TH: 'Thailand|ประเทศไทย',
  SA: 'Saudi Arabia|السعودية',
  AT: 'Austria|Osterreich',
  BE: 'Belgium|Belgique|Belgie',
  BR: 'Brazil|Brasil',
  MX: 'Mexico|Mexique',
}

/** More characters than any country's name has. */
const nameCharsMax = 200

const countryCodes = new Map<string, string>()
const countryNames = new Map<string, string>()
for (const { alpha2, alpha3, name } of iso31661) {
  const aliases = countryAliases[alpha2]?.split('|') ?? []
  countryNames.set(
    alpha2,
    aliases[0] !== undefined && /[,(]| of /.test(name) ? getEverydayName(alpha2, aliases[0]) : name,
  )
  for (const known of [name, alpha2, alpha3, ...aliases]) countryCodes.set(foldCountryName(known), alpha2)
}

function getEverydayName(code: string, first: string): string {
  return code === 'AE' ? 'United Arab Emirates' : first
}

/** Reduces a name to lower-case Latin letters and digits; other scripts are transliterated. */
function foldCountryName(text: string): string {
  const plain = anyAscii(text.slice(0, nameCharsMax).normalize('NFKC')).toLowerCase()
  return plain.replace(/&|\+/g, 'and').replace(/[^a-z0-9]+/g, '')
}

/** Returns the ISO 3166-1 alpha-2 code for a country's name or code, or null. */
export function findCountryCode(text: string): string | null {
  const direct = text.trim().toUpperCase()
  return iso31661Alpha3ToAlpha2[direct] ?? countryCodes.get(foldCountryName(text)) ?? null
}

/** Whether a word of lower-case Latin letters and digits is a country's name or code; faster than `findCountryCode`. */
export function namesCountry(word: string): boolean {
  return countryCodes.has(word) || iso31661Alpha3ToAlpha2[word.toUpperCase()] !== undefined
}

/** Returns the everyday English name for a country code, or null. */
export function findCountryName(code: string): string | null {
  return countryNames.get(code) ?? null
}

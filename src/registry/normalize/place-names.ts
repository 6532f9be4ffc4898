import { iso31661, iso31661Alpha3ToAlpha2, iso31662 } from 'iso-3166'
import { foldText } from './normalize-name.js'

/** Everyday names where ISO 3166-1 has a formal one, and further names people write. */
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

/** Cities with two current names; the first is the one all are compared by. */
const cityNames = `
munchen munich muenchen|koln cologne koeln|nurnberg nuremberg nuernberg|hannover hanover|wien vienna|zurich zuerich
geneve geneva genf|basel basle bale|bern berne|praha prague|warszawa warsaw|krakow cracow|moskva moscow
sankt-peterburg saint-petersburg st-petersburg|kyiv kiev|bucuresti bucharest|beograd belgrade|athina athens
roma rome|milano milan|torino turin|firenze florence|napoli naples|genova genoa|venezia venice|lisboa lisbon
bruxelles brussels brussel|antwerpen antwerp|gent ghent|den-haag the-hague s-gravenhage hague|kobenhavn copenhagen koebenhavn
goteborg gothenburg|helsinki helsingfors|espoo esbo|sevilla seville|beijing peking|guangzhou canton|mumbai bombay
chennai madras|kolkata calcutta|bengaluru bangalore|new-york new-york-city nyc|ciudad-de-mexico mexico-city mexico-df cdmx
sao-paulo sampaulo|frankfurt frankfurt-am-main|dusseldorf duesseldorf|luxembourg luxemburg|saint-louis st-louis
saint-paul st-paul|washington washington-dc|gurugram gurgaon|seoul soul|ho-chi-minh-city saigon thanh-pho-ho-chi-minh`

const cityKeys = new Map<string, string>()
for (const group of cityNames.trim().split(/[|\n]/)) {
  const names = group.split(' ').map((name) => name.replaceAll('-', ''))
  for (const name of names) cityKeys.set(name, names[0] ?? name)
}

const countryCodes = new Map<string, string>()
const countryNames = new Map<string, string>()
for (const { alpha2, alpha3, name } of iso31661) {
  const aliases = countryAliases[alpha2]?.split('|') ?? []
  countryNames.set(
    alpha2,
    aliases[0] !== undefined && /[,(]| of /.test(name) ? everydayName(alpha2, aliases[0]) : name,
  )
  for (const known of [name, alpha2, alpha3, ...aliases]) countryCodes.set(closed(known), alpha2)
}

function everydayName(code: string, first: string): string {
  return code === 'AE' ? 'United Arab Emirates' : first
}

const regionCodes = new Map<string, string[]>()
for (const { code, name } of iso31662) {
  for (const known of [name, code.slice(3)]) {
    const codes = regionCodes.get(closed(known))
    if (codes) codes.push(code)
    else regionCodes.set(closed(known), [code])
  }
}

function closed(text: string): string {
  return foldText(text).replaceAll(' ', '')
}

/** ISO 3166-1 alpha-2 code of a country by name or code, or null. */
export function countryCodeOf(text: string): string | null {
  const direct = text.trim().toUpperCase()
  return iso31661Alpha3ToAlpha2[direct] ?? countryCodes.get(closed(text)) ?? null
}

/** The everyday English name of a country code, or null. */
export function countryNameOf(code: string): string | null {
  return countryNames.get(code) ?? null
}

/** All ISO 3166-2 codes a name or short code may mean ("WA": Washington, Western Australia, …). */
export function regionCodesOf(text: string): readonly string[] {
  return regionCodes.get(closed(text)) ?? []
}

/** The ISO 3166-2 code of a subdivision as written, where its country makes it certain; else null. */
export function regionCodeIn(countryCode: string | null, text: string): string | null {
  if (countryCode === null) return null
  const codes = regionCodesOf(text.replace(/^[A-Za-z]{2}-/, '')).filter((code) =>
    code.startsWith(`${countryCode}-`),
  )
  return codes.length === 1 ? (codes[0] ?? null) : null
}

/** A city as it is compared: folded, closed up, exonyms unified. */
export function cityKeyOf(city: string): string {
  const key = closed(city.replace(/\s+\d+$/, ''))
  return cityKeys.get(key) ?? key
}

export function postalKeyOf(postalCode: string): string {
  return closed(postalCode)
}

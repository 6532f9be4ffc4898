import { iso31662 } from 'iso-3166'
import { foldText } from './normalize-name.js'

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

const regionCodes = new Map<string, string[]>()
/** By a region: the larger one that it is a part of. */
const largerRegions = new Map<string, string>()
for (const { code, name, parent } of iso31662) {
  if (parent.includes('-')) largerRegions.set(code, parent)
  for (const known of [name, code.slice(3)]) {
    const codes = regionCodes.get(closed(known))
    if (codes) codes.push(code)
    else regionCodes.set(closed(known), [code])
  }
}

function closed(text: string): string {
  return foldText(text).replaceAll(' ', '')
}

/** All ISO 3166-2 codes a name or short code may mean ("WA": Washington, Western Australia, …). */
export function regionCodesOf(text: string): readonly string[] {
  return regionCodes.get(closed(text)) ?? []
}

/** The region that holds this one (ISO 3166-2): Lombardia of Milano; null for most. */
export const largerRegionOf = (code: string): string | null => largerRegions.get(code) ?? null

/** ISO 3166-2 lists the countries of the United Kingdom, and all of it, beside their counties. */
export const isPartOfUnitedKingdom = (code: string): boolean => nations.has(code)
const nations = new Set(['UKM', 'GBN', 'EAW', 'ENG', 'SCT', 'WLS', 'NIR'].map((nation) => `GB-${nation}`))

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

import { iso31661Alpha3ToAlpha2 } from 'iso-3166'
import { countryCodes } from '../../core/countries.js'
import placeNames from '../reference/place-names.json' with { type: 'json' }

const shortCountryNames = new Set(['uk', 'us', 'usa', 'uae'])
const countryWords = new Map<string, readonly string[]>()

/** Lists the names of a country that are one word, as names of companies have them: `usa`, `deutschland`. */
export function listCountryWords(code: string): readonly string[] {
  let words = countryWords.get(code)
  if (words === undefined) {
    words = [...countryCodes].flatMap(([name, one]) =>
      one === code && (shortCountryNames.has(name) || /^[a-z]{4,}$/.test(name)) ? [name] : [],
    )
    countryWords.set(code, words)
  }
  return words
}

/**
 * Whether a word of lower-case Latin letters and digits is a country's English name, its own name or its code; faster
 * than `findCountryCodes`. In other languages, such names are also words: `Island`, `Man`.
 */
export function namesCountry(word: string): boolean {
  return countryCodes.has(word) || iso31661Alpha3ToAlpha2[word.toUpperCase()] !== undefined
}

/** ISO 3166-2 lists the United Kingdom and its countries in addition to their counties. */
export const isPartOfUnitedKingdom = (code: string): boolean => nations.has(code)
const nations = new Set(['UKM', 'GBN', 'EAW', 'ENG', 'SCT', 'WLS', 'NIR'].map((nation) => `GB-${nation}`))

/** "England" is no more precise than the country, so it does not contradict Surrey. */
export const isDistinctRegion = (code: string): boolean => code !== '' && !isPartOfUnitedKingdom(code)

/** Dependent countries and regions of a state with a code of their own. */
const territories = new Map(
  Object.entries(placeNames.territories).map(([state, codes]) => [state, codes.split(' ')] as const),
)

/** "Jersey, UK", "Hong Kong, China": both names are right. */
export const isDependent = (country: string, sovereigns: readonly string[]): boolean =>
  sovereigns.some((sovereign) => territories.get(sovereign)?.includes(country) === true)

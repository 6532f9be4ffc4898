import { iso31662 } from 'iso-3166'
import { findCountryCode } from '../countries.js'

/** EDGAR's own abbreviations of places, in addition to states and provinces. */
const placeAbbreviations = 'BER CAN CAYMAN CI CN DEL ENG HK SWED UK'
/** Kinds of registrants (`FI`: foreign issuer), and marks of a newer or older registrant of the same name. */
const remarks = 'ADR ADS ADV ATS BD FA FI GDR MSD NEW NW OLD SBSD TA'

/** Codes and names in suffixes. Built at the first use: most runs compare no names. */
let known: { readonly codes: ReadonlySet<string>; readonly regionNames: ReadonlySet<string> } | null = null

function getKnown(): NonNullable<typeof known> {
  if (known !== null) return known
  const regions = iso31662.filter(({ parent }) => parent === 'US' || parent === 'CA')
  known = {
    codes: new Set([
      ...`${placeAbbreviations} ${remarks}`.split(' '),
      ...regions.map(({ code }) => code.slice(3)),
    ]),
    regionNames: new Set(regions.map(({ name }) => name.toLowerCase())),
  }
  return known
}

/** A name may have several suffixes: `TOWNSEND ASSET MANAGEMENT CORP /NC/ /ADV`. */
const suffixesMax = 3

/** A slash at the end; others only inside words: "A/S". */
const loneSlash = /^(?:[^/\\]|(?<=[^\s/\\])[/\\](?=[^\s/\\]))+[/\\]$/

/** The text after the last slash, or between the last two. */
const tail = /(\s*)[/\\]\s*([a-z][a-z .]{0,22}[a-z])\s*([/\\]?)$/i

/** Legal forms with a slash. */
const formWithSlash = /\b(?:sa\/nv|oyj?\/ab)\s*[/\\]?$/i

/** Words that are codes of places too: "Either/Or", "Trade/In". */
const wordCodes: ReadonlySet<string> = new Set('AL HI ID IN LA ME NEW OH OK OLD OR'.split(' '))
/** A shorter name with such a tail is one name: "AC/DC", "Sci/Fi". */
const singleWordCharsMin = 4

/**
 * Removes the suffixes that EDGAR adds to distinguish registrants of the same name, in any case: `BANK OF AMERICA CORP
 * /DE/`, `Omron Corp /Fi`, `Viridian Therapeutics, Inc.\DE`, `Troops, Inc. /Cayman Islands/`. Removes a lone slash at
 * the end too: `TOYOTA MOTOR CORP/`. Other text after a slash is part of the name: "Zealand Pharma A/S", "SA/NV".
 */
export function removeRegistrySuffix(name: string): string {
  if (!/[/\\]/.test(name)) return name
  let shown = name
  for (let count = 0; count < suffixesMax; count++) {
    const end = shown.trimEnd()
    const rest = end.slice(0, findSuffix(end)).trimEnd()
    if (rest === '') return shown
    shown = rest
  }
  return shown
}

/** Returns 0 without a suffix. */
function findSuffix(name: string): number {
  const found = formWithSlash.test(name) ? null : tail.exec(name)
  if (found !== null && isSuffix(name.slice(0, found.index), found)) return found.index
  return loneSlash.test(name) ? name.length - 1 : 0
}

/** A single word directly before a slash may be a part of the name. */
function isSuffix(name: string, [, space = '', text = '', end = '']: RegExpExecArray): boolean {
  const code = text.toUpperCase()
  if (!getKnown().codes.has(code) && !isPlaceName(text)) return false
  const isApart = space !== '' || end !== '' || /\s/.test(name.trim())
  return isApart || (name.trim().length >= singleWordCharsMin && !wordCodes.has(code))
}

/** Codes of countries are not used: "DE" would be Germany. */
const isPlaceName = (text: string): boolean =>
  text.length > 3 && (getKnown().regionNames.has(text.toLowerCase()) || findCountryCode(text) !== null)

/** Whether names differ only in case, punctuation and registry suffix. */
export const hasSameLetters = (one: string, other: string): boolean => toLetters(one) === toLetters(other)

function toLetters(name: string): string {
  const letters = removeRegistrySuffix(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
  return letters === '' ? name : letters
}

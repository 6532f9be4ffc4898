import courts from './register-courts.json' with { type: 'json' }
import { toPlainLetters } from './text.js'

/** A number of a German court. */
export interface CourtNumber {
  /** Official name in capitals; of a court that is not in the list, with `UE` for `Ü`. `null` if it is not stated. */
  readonly court: string | null
  /** `HRB`, `HRA`, `GNR`, `PR`, `VR` or `GSR`. */
  readonly register: string
  readonly digits: string
  /** Letters behind the digits of a court that took over other ones: `HL`. Empty text for most. */
  readonly letters: string
}

const writeUmlauts = (text: string): string =>
  text.normalize('NFC').replace(/[äöü]/gi, (letter) => `${letter.normalize('NFD').charAt(0)}E`)
const toCourtKey = (text: string): string =>
  toPlainLetters(text.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')).replace(/[^a-z]/g, '')

/** Official names by key: `munchen`, `muenchen` and the code `d2601` are one court. */
const courtNames = new Map(
  Object.entries(courts).flatMap(([code, names]) =>
    [code.toLowerCase(), ...names.flatMap((name) => [toCourtKey(name), toCourtKey(writeUmlauts(name))])].map(
      (key) => [key, (names[0] ?? '').toUpperCase()] as const,
    ),
  ),
)

const lostLetter = /(?<=\p{L})[?\uFFFD]+(?=\p{L})/u

/** Returns the official name of a German court in capitals, by its name or place, also `M?nchen`; `null` if unknown. */
export function findCourt(text: string): string | null {
  if (!lostLetter.test(text)) return courtNames.get(toCourtKey(text)) ?? null
  const pattern = new RegExp(
    `^${text
      .split(/[?\uFFFD]+/)
      .map(toCourtKey)
      .join('[a-z]{1,2}')}$`,
  )
  const found = new Set([...courtNames].filter(([key]) => pattern.test(key)).map(([, name]) => name))
  return found.size === 1 ? ([...found][0] ?? null) : null
}

const registerNumber =
  /(?<!\p{L})(HR[\s.-]?[AB]|GNR|GSR|PR|VR)(?:[\s.:#-]*(?:NUMMER|NR|NO))?[\s.:#-]*0*([1-9]\d{0,6})(?!\d)(?:\s?([A-Z]{1,3})(?![\p{L}?\uFFFD]))?/u
const courtCode = /(?<!\p{L})(?:DE)?([A-Z]\d{4})[A-Z]?(?![\p{L}\d])/u
const courtWords =
  /(?<!\p{L})(?:AMTSGERICHTS?|REGISTERGERICHTS?|HANDELSREGISTERS?|REGISTERS?|GERICHT|AG|HR|DES|BEIM|BEI|UNTER|EINGETRAGEN|LOCAL|COMMERCIAL|COURT|OF|NUMMER|NR|DE|GERMANY|DEUTSCHLAND)(?!\p{L})/gu
const courtCharsMax = 40

/** Reads a number of a German court in any spelling: `HRB 6684 (AG München)`, `D2601V HRB6684`; `null` for other texts. */
export function parseCourtNumber(text: string): CourtNumber | null {
  if (!/[HGPV]/i.test(text)) return null
  const capitals = text.normalize('NFC').toUpperCase().replaceAll('_', ' ')
  const found = registerNumber.exec(capitals)
  if (found === null) return null
  const [whole, register = '', digits = '', behind = ''] = found
  const after = capitals.slice(found.index + whole.length).replace(courtWords, ' ')
  const isCourt = behind === 'AG' || findCourt(behind) !== null || findCourt(behind + after) !== null
  const at = found.index + whole.length - (isCourt ? behind.length : 0)
  let rest = `${capitals.slice(0, found.index)} ${capitals.slice(at)}`
  const code = courtCode.exec(rest)
  if (code !== null) rest = rest.replace(code[0], ' ')
  rest = rest.replace(courtWords, ' ').trim()
  if (/\d/.test(rest) || rest.length > courtCharsMax) return null
  const named = rest.replace(/[^\p{L}]+/gu, ' ').trim()
  const isUnstated = named === '' || lostLetter.test(rest)
  const court = courtNames.get(code?.[1]?.toLowerCase() ?? '') ?? (named === '' ? null : findCourt(rest))
  return {
    court: court ?? (isUnstated ? null : writeUmlauts(named).toUpperCase()),
    register: register.replace(/[\s.-]/g, ''),
    digits,
    // Every number of Berlin may have a B.
    letters: isCourt || court === 'CHARLOTTENBURG' ? '' : behind,
  }
}

export const formatCourtNumber = ({ court, register, digits, letters }: CourtNumber): string =>
  `${court === null ? '' : `${court} `}${register} ${digits}${letters === '' ? '' : ` ${letters}`}`

/** Lists omit the letters behind the digits. */
export const isSameEntry = (one: CourtNumber | null, asked: CourtNumber): boolean =>
  one !== null &&
  one.court === asked.court &&
  one.register === asked.register &&
  one.digits === asked.digits &&
  (one.letters === '' || asked.letters === '' || one.letters === asked.letters)

/** A company has one number in a register of Germany. Lists omit the court, and the letters behind the digits. */
export function areDifferentEntries(one: CourtNumber, other: CourtNumber): boolean {
  const differ = (a: string | null, b: string | null) => (a ?? '') !== '' && (b ?? '') !== '' && a !== b
  if (one.register !== other.register) return false
  return one.digits !== other.digits || differ(one.court, other.court) || differ(one.letters, other.letters)
}

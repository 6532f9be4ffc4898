import type { NoiseOperation, NoiseSource } from './fit-noise.js'
import {
  cardHeads,
  countryNames,
  currencies,
  departments,
  genericWords,
  securities,
  streets,
  tradeMarks,
  tradeNames,
} from './fit-words.js'
import { number, pick } from './name-pieces.js'

/** Puts a text in front of a name, behind it or inside it, with one of the signs of lists. */
function insert(
  words: readonly string[],
  added: string,
  fraction: () => number,
  chances: { readonly behind: number; readonly inside: number },
): readonly string[] {
  const at = fraction()
  if (at < chances.behind) {
    const behind = [
      [...words, added],
      [...words, added],
      [...words, '-', added],
      [...words.slice(0, -1), `${words.at(-1) ?? ''},`, added],
      [...words, `(${added})`],
      [...words, `[${added}]`],
      [...words, '/', added],
      [...words, '|', added],
      [...words.slice(0, -1), `${words.at(-1) ?? ''}:`, added],
    ]
    return pick(behind, fraction) ?? words
  }
  if (at < chances.behind + chances.inside && words.length > 1) {
    const place = 1 + Math.floor(fraction() * (words.length - 1))
    const text = fraction() < 0.4 ? `(${added})` : added
    return [...words.slice(0, place), text, ...words.slice(place)]
  }
  const before = [
    [added, ...words],
    [added, ...words],
    [added, '-', ...words],
    [`${added},`, ...words],
    [`${added}:`, ...words],
    [`(${added})`, ...words],
  ]
  return pick(before, fraction) ?? words
}

function adding(
  write: (source: NoiseSource) => string | null,
  chances = { behind: 0.65, inside: 0.1 },
): NoiseOperation {
  return (words, source) => {
    const added = write(source)
    return added === null || added === '' ? null : insert(words, added, source.fraction, chances)
  }
}

const from =
  (list: readonly string[]) =>
  ({ fraction }: NoiseSource): string =>
    vary(pick(list, fraction) ?? '', fraction)

function vary(text: string, fraction: () => number): string {
  const at = fraction()
  return at < 0.15 ? text.toUpperCase() : at < 0.25 ? text.toLowerCase() : text
}

const pad = (value: number) => String(value).padStart(2, '0')
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** A date in one of the writings of bond lists and invoices. */
function writeDate(fraction: () => number): string {
  const [day, month, year] = [number(fraction, 28), number(fraction, 12), 2019 + number(fraction, 40)]
  const name = months[month - 1] ?? ''
  const written = [
    `${pad(month)}/${pad(day)}/${pad(year % 100)}`,
    `${pad(day)}.${pad(month)}.${pad(year % 100)}`,
    `${pad(day)}.${pad(month)}.${year}`,
    `${pad(day)}/${pad(month)}/${year}`,
    `${year}-${pad(month)}-${pad(day)}`,
    `${day} ${name} ${year}`,
    `${day}${name}${year % 100}`,
    `${name} ${year}`,
    `${name}-${year % 100}`,
    String(year),
  ]
  return pick(written, fraction) ?? ''
}

function writeRate(fraction: () => number): string {
  const rate = number(fraction, 12) + (pick([0, 0.125, 0.25, 0.5, 0.75, 0.875], fraction) ?? 0)
  const written = [`${rate}%`, `${rate} %`, `${rate}`, `${String(rate).replace('.', ',')}%`, rate.toFixed(3)]
  return pick(written, fraction) ?? ''
}

/** Coupon and maturity, together or on two sides of the name. */
const coupon: NoiseOperation = (words, { fraction }) => {
  const [rate, date] = [writeRate(fraction), writeDate(fraction)]
  const chances = { behind: 0.55, inside: 0.15 }
  const at = fraction()
  if (at < 0.5)
    return insert(words, fraction() < 0.8 ? `${rate} ${date}` : `${date} ${rate}`, fraction, chances)
  return at < 0.75 ? [rate, ...words, date] : insert(words, fraction() < 0.5 ? rate : date, fraction, chances)
}

function writeCode(fraction: () => number): string {
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(fraction() * 10)).join('')
  const letter = () => String.fromCharCode(64 + number(fraction, 26))
  const written = [
    `#${digits(2 + number(fraction, 3))}`,
    digits(4 + number(fraction, 5)),
    `${letter()}${digits(5)}`,
    `${letter()}${letter()}-${digits(4)}`,
    `No. ${number(fraction, 90)}`,
    `ID ${digits(6)}`,
    `Kd.-Nr. ${digits(5)}`,
    `${letter()}${letter()}${digits(10)}`,
  ]
  return pick(written, fraction) ?? ''
}

function writeTown({ fraction, company, index }: NoiseSource): string {
  const town = fraction() < 0.5 && company.city !== '' ? company.city : (pick(index.towns, fraction) ?? '')
  const titled = town.toLowerCase().replace(/(^|[\s-])\p{L}/gu, (start) => start.toUpperCase())
  return vary(fraction() < 0.15 && company.region !== '' ? `${titled} ${company.region}` : titled, fraction)
}

/** Where the shares of other companies are listed, the ticker is not this one's. */
function writeTicker({ fraction, company }: NoiseSource): string | null {
  if (company.ticker === '') return null
  const exchange = pick(['NYSE', 'NASDAQ', 'XNAS', 'OTCMKTS', 'US'], fraction) ?? ''
  return (
    pick([company.ticker, `${exchange}: ${company.ticker}`, `${company.ticker} ${exchange}`], fraction) ??
    null
  )
}

export const additions: Readonly<Record<string, NoiseOperation>> = {
  security: adding(from(securities), { behind: 0.7, inside: 0.1 }),
  coupon,
  code: adding(({ fraction }) => writeCode(fraction)),
  currency: adding(from(currencies)),
  date: adding(({ fraction }) => writeDate(fraction)),
  department: adding(from(departments), { behind: 0.6, inside: 0.02 }),
  town: adding(writeTown, { behind: 0.7, inside: 0.08 }),
  street: adding(
    ({ fraction }) =>
      fraction() < 0.5
        ? `${number(fraction, 900)} ${pick(streets, fraction) ?? ''}`
        : `${pick(streets, fraction) ?? ''} ${number(fraction, 90)}`,
    { behind: 0.9, inside: 0 },
  ),
  country: adding(({ fraction, company }) => pick(countryNames[company.country] ?? [], fraction) ?? null),
  ticker: adding(writeTicker),
  generic_word: adding(from(genericWords), { behind: 0.85, inside: 0.15 }),
  trade_name: (words, { fraction }) =>
    fraction() < 0.5
      ? [...words, pick(tradeMarks, fraction) ?? '', pick(tradeNames, fraction) ?? '']
      : [...words, `(${pick(tradeMarks, fraction) ?? ''} ${pick(tradeNames, fraction) ?? ''})`],
  card_text: (words, source) => {
    const { fraction } = source
    const head = pick(cardHeads, fraction) ?? ''
    const tail =
      fraction() < 0.5 ? ` ${writeTown(source)}` : fraction() < 0.5 ? ` ${writeCode(fraction)}` : ''
    return `${head}${words.join(' ')}${tail}`.toUpperCase().split(/\s+/)
  },
}

import { createWriteStream, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { Chance } from '../test/simulation/chance.js'
import { coinedWord, inCyrillic, type NameWords } from './registry-words.js'
import { csvLine } from './support.js'

/** A row that was made, kept so that it can be asked for. */
export interface SampleRow {
  readonly name: string
  readonly otherName: string
  readonly city: string
  readonly country: string
}

/** `country | jurisdiction | authority | forms | cities | postal`: a 9 in a postal code is any digit. */
const places = `
US | us_de | RA000602 | Inc.;LLC;Corp.;Corporation;LP | New York, NY;Wilmington, DE;Houston, TX;Chicago, IL;San Jose, CA;Boston, MA;Miami, FL | 99999
US | us_ca | RA000598 | Inc.;LLC | Los Angeles, CA;San Diego, CA;Oakland, CA | 99999
GB | gb | RA000585 | Limited;Ltd;PLC;LLP | London,;Leeds,;Manchester,;Bristol,;York,;Reading, | M9 9AB
DE | de | RA000242 | GmbH;AG;GmbH & Co. KG;UG | Berlin,;München,;Hamburg,;Frankfurt am Main,;Köln, | 99999
FR | fr | RA000189 | SA;SARL;SAS | Paris,;Lyon,;Lille,;Nantes, | 99999
IT | it | RA000407 | S.p.A.;S.r.l. | Milano,;Roma,;Torino, | 99999
NL | nl | RA000463 | B.V.;N.V. | Amsterdam,;Rotterdam,;Utrecht, | 9999 AB
ES | es | RA000533 | S.A.;S.L. | Madrid,;Barcelona,;Sevilla, | 99999
SE | se | RA000544 | AB | Stockholm,;Göteborg,;Malmö, | 999 99
JP | jp | RA000412 | K.K.;Co., Ltd. | Tokyo,;Osaka, | 999-9999
IN | in | RA000394 | Private Limited;Limited | Mumbai,;Bengaluru,;Chennai, | 999999
RU | ru | | OOO | Moscow,;Kazan, | 999999
CA | ca_on | RA000079 | Inc.;Ltd. | Toronto, ON;Ottawa, ON | M9A 9B9`
  .trim()
  .split('\n')
  .map((line) => {
    const [country = '', jurisdiction = '', authority = '', forms = '', cities = '', postal = ''] = line
      .split('|')
      .map((part) => part.trim())
    return { country, jurisdiction, authority, postal, forms: forms.split(';'), cities: cities.split(';') }
  })

const allColumns = [
  'registration_id',
  'name',
  'other_names',
  'former_names',
  'status',
  'street_address',
  'city',
  'region',
  'postal_code',
  'country',
  'jurisdiction',
  'registration_authority',
  'lei',
  'sic',
] as const

type Column = (typeof allColumns)[number]

/** Columns of a register. `six` are those that most registers of companies publish. */
export const columnSets = {
  all: allColumns,
  six: ['registration_id', 'name', 'status', 'city', 'postal_code', 'country'],
} satisfies Record<string, readonly Column[]>

/** Writes a register of so many companies, and beside it rows to ask for: one of each `sampleStep`. */
export async function writeRegister(
  path: string,
  samplePath: string,
  { rowCount, columns = allColumns }: { rowCount: number; columns?: readonly Column[] },
  words: NameWords,
  chance: Chance,
): Promise<void> {
  const picked = columns.map((column) => allColumns.indexOf(column))
  const file = createWriteStream(path, { highWaterMark: 1_000_000 })
  const sample: SampleRow[] = []
  const sampleStep = Math.max(1, Math.floor(rowCount / samplesMax))
  const hasLei = columns.includes('lei')
  let lines = `${csvLine(columns)}\n`
  for (let number = 1; number <= rowCount; number++) {
    const { cells, row } = rowOf(number, words, chance, hasLei)
    if (number % sampleStep === 0) sample.push(row)
    lines += `${csvLine(picked.map((at) => cells[at] ?? ''))}\n`
    if (lines.length < pieceChars) continue
    if (!file.write(lines)) await once(file, 'drain')
    lines = ''
  }
  file.end(lines)
  await finished(file)
  writeFileSync(samplePath, JSON.stringify(sample))
}

const samplesMax = 2_000
const pieceChars = 100_000

function rowOf(
  number: number,
  words: NameWords,
  chance: Chance,
  hasLei: boolean,
): { cells: string[]; row: SampleRow } {
  const place = chance.pick(places)
  const [city = '', region = ''] = chance.pick(place.cities).split(',')
  const latin = bareName(words, chance)
  const bare = place.country === 'RU' ? inCyrillic(latin) : latin
  const name = `${bare} ${chance.pick(place.forms)}`
  const otherName = place.country === 'RU' ? latin : chance.happens(0.08) ? bareName(words, chance) : ''
  const formerName = chance.happens(0.05) ? bareName(words, chance) : ''
  const lei = chance.happens(0.4) && hasLei ? leiOf(number) : ''
  const cells = [
    String(number).padStart(8, '0'),
    name,
    otherName,
    formerName,
    chance.happens(0.85) ? 'active' : 'inactive',
    `${chance.whole(1, 300)} ${chance.pick(words.heads)} Street`,
    city.trim(),
    region.trim(),
    place.postal.replace(/9/g, () => String(chance.whole(0, 9))),
    place.country,
    place.jurisdiction,
    place.authority,
    lei,
    chance.happens(0.3) ? String(chance.whole(1000, 8999)) : '',
  ]
  return { cells, row: { name, otherName, city: city.trim(), country: place.country } }
}

function bareName(words: NameWords, chance: Chance): string {
  const head = chance.happens(0.35) ? coinedWord(words, chance) : chance.pick(words.heads)
  const tailCount = chance.happens(0.3) ? 1 : chance.happens(0.6) ? 2 : 3
  const tails = Array.from({ length: tailCount }, () => chance.pick(words.tails))
  return [head, ...tails].join(' ')
}

/** Nobody's: with the check digits that ISO 7064 asks for. */
function leiOf(number: number): string {
  const base = `0000BENCH${String(number).padStart(9, '0')}`
  let remainder = 0
  for (const character of `${base}00`)
    for (const digit of String(parseInt(character, 36))) remainder = (remainder * 10 + Number(digit)) % 97
  return base + String(98 - remainder).padStart(2, '0')
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  appendIdentifiers,
  formatLabel,
  nameCountryOnce,
  readIdentifiers,
  toStatedIdentifier,
  statedKinds,
  formatIdentifiers,
  type StatedIdentifier,
} from '../../../src/core/numbers/stated-identifiers.js'
import { forAll } from '../../support/properties.js'

const lei = { kind: 'lei', value: 'HWUPKR0MPOU8FGXBT394', place: null } as const
const cik = { kind: 'cik', value: '0000320193', place: null } as const

test.each<[string, StatedIdentifier[], string]>([
  ['the strongest first', [cik, lei], 'LEI HWUPKR0MPOU8FGXBT394, CIK 0000320193'],
  ['a number with its register', [number('00445790', 'GB')], 'company number GB 00445790'],
  ['a number without one', [number('00445790', null)], 'company number 00445790'],
  ['a ticker with its exchange', [ticker('AAPL', 'NASDAQ')], 'ticker NASDAQ:AAPL'],
  ['a ticker without one', [ticker('BRK.B', null)], 'ticker BRK.B'],
  ['a domain', [{ kind: 'website', value: 'apple.com', place: null }], 'website apple.com'],
])('Identifiers are written in brackets: %s', (_, identifiers, text) => {
  expect(formatIdentifiers(identifiers)).toBe(text)
  expect(appendIdentifiers('Apple (UK)', identifiers)).toBe(`Apple (UK) (${text})`)
  expect(appendIdentifiers(null, identifiers)).toBe(text)
  expect(appendIdentifiers('', identifiers)).toBe(text)
})

function number(value: string, place: string | null): StatedIdentifier {
  return { kind: 'registration_id', value, place }
}
function ticker(value: string, place: string | null): StatedIdentifier {
  return { kind: 'ticker', value, place }
}

test.each([
  ['NIPT K41207731M', 'AL', 'K41207731M'],
  ['NUIS: k41207731m', 'AL', 'K41207731M'],
  ['RFC NVR010203AB1', 'MX', 'NVR010203AB1'],
  ['RNC 131234569', 'DO', '131234569'],
  ['CUI 18547290', 'RO', '18547290'],
  ['사업자등록번호 603-81-12342', 'KR', '603-81-12342'],
])('a number under its national name is read in a name: %s', (text, place, value) => {
  const identifiers = [number(value, place)]
  expect(readIdentifiers(text)).toEqual({ name: null, identifiers })
  expect(readIdentifiers(`Larkmoor (${text})`)).toEqual({ name: 'Larkmoor', identifiers })
})

test.each(['NIPT', 'NIPT Group', 'CUI Devices', 'RNC 12', 'NIPT 123', 'STIR 9', 'Larkmoor (CUI Group)'])(
  'a name with the letters of such a number is a name: %s',
  (name) => {
    expect(readIdentifiers(name)).toEqual({ name, identifiers: [] })
  },
)

describe('what is read', () => {
  test.each<[string, string | null, StatedIdentifier[]]>([
    ['Apple Inc (LEI HWUPKR0MPOU8FGXBT394, CIK 320193)', 'Apple Inc', [lei, cik]],
    ['Apple (lei: hwup kr0m pou8 fgxb t394)', 'Apple', [lei]],
    ['HWUPKR0MPOU8FGXBT394', null, [lei]],
    ['CIK 320193', null, [cik]],
    ['company number # US-DE 806592', null, [number('806592', 'US-DE')]],
    ['company number HRB 86891', null, [number('HRB 86891', 'DE')]],
    ['Acme (ticker NYSE:BRK.B)', 'Acme', [ticker('BRK.B', 'NYSE')]],
    ['https://www.apple.com/de/', null, [{ kind: 'website', value: 'apple.com', place: null }]],
    ['jane@mail.example.co.uk', null, [{ kind: 'website', value: 'example.co.uk', place: null }]],
    ['website Siemens.DE', null, [{ kind: 'website', value: 'siemens.de', place: null }]],
  ])('%s', (text, name, identifiers) => {
    expect(readIdentifiers(text)).toEqual({ name, identifiers })
  })

  test.each([
    'Apple (UK)',
    'Apple (UK) Ltd',
    'Acme (LEI)',
    'Acme (LEI HWUPKR0MPOU8FGXBT395)',
    'Acme (LEI HWUPKR0MPOU8FGXBT394, formerly Bolt)',
    'Acme (LEI HWUPKR0MPOU8FGXBT394) Ltd',
    'Ticker Tape Co',
    'Website Builders',
    'Bic Camera',
    'Booking.com',
    'AT&T @ Work',
    'HWUPKR0MPOU8FGXBT395',
    'Foo, Bar (Baz, Qux)',
    '',
  ])('ordinary names stay as they are: %s', (text) => {
    expect(readIdentifiers(text)).toEqual({ name: text, identifiers: [] })
  })
})

describe('for people', () => {
  test.each(['BE', 'SE', 'FR', 'CH', 'ES', 'US-DE'])('the country is named once: %s', (place) => {
    for (const value of [`${place} 0417.497.106`, `${place}0417497106`, '0417.497.106']) {
      const number: StatedIdentifier = { kind: 'registration_id', value, place }
      const shown = `company number ${value.startsWith(place) ? '' : `${place} `}${value}`
      expect(formatLabel(number)).toBe(shown)
      expect(nameCountryOnce(appendIdentifiers('Acme, BE BE', [number]))).toBe(`Acme, BE BE (${shown})`)
    }
  })

  test.each([
    ['GR', 'EL095109654', 'company number EL095109654'],
    ['GB', 'XI123456789', 'company number XI123456789'],
    ['GR', '095109654', 'company number GR 095109654'],
    ['DE', 'EL095109654', 'company number DE EL095109654'],
  ])('a prefix of VAT numbers is the country: %s %s', (place, value, shown) => {
    expect(formatLabel({ kind: 'registration_id', value, place })).toBe(shown)
  })
})

describe('there and back', () => {
  const letter = (letters: string) => fc.constantFrom(...Array.from(letters))
  const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const digits = (count: number) => fc.stringMatching(new RegExp(`^[1-9]\\d{${count - 1}}$`))
  const place = fc.option(fc.constantFrom('GB', 'DE', 'US-DE', 'US-NY', 'CA-ON'), { nil: null })
  const exchange = fc.option(fc.constantFrom('NASDAQ', 'NYSE', 'XETRA', 'LSE'), { nil: null })
  const anyOf = {
    lei: fc
      .array(letter(`${upper}0123456789`), { minLength: 18, maxLength: 18 })
      .map((letters) => ({ text: withCheckDigits(letters.join('')), place: null })),
    cik: digits(7).map((text) => ({ text, place: null })),
    registration_id: fc.tuple(fc.stringMatching(/^[A-Z0-9]{1,4}[A-Z0-9 /-]{0,10}\d$/), place).map(byPlace),
    ein: digits(9).map((text) => ({ text, place: null })),
    bic: fc.stringMatching(/^[A-Z]{4}DE[A-Z0-9]{2}([A-Z0-9]{3})?$/).map((text) => ({ text, place: null })),
    ticker: fc.tuple(fc.stringMatching(/^[A-Z0-9]{1,5}(\.[A-Z])?$/), exchange).map(byPlace),
    website: fc.domain().map((text) => ({ text, place: null })),
  }
  const identifiers = fc
    .uniqueArray(fc.constantFrom(...statedKinds), { minLength: 1 })
    .chain((kinds) =>
      fc.tuple(
        ...kinds.map((kind) => anyOf[kind].map(({ text, place: of }) => toStatedIdentifier(kind, text, of))),
      ),
    )
    .map((found) => found.filter((one) => one !== null))
    .filter((found) => found.length > 0 && found.every(isPlain))
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.trim())
    .filter((text) => text !== '' && !/[\n\r\u2028\u2029]/.test(text))

  test('identifiers that are written, with or without a name, are read back, the strongest first', () => {
    forAll(100, [fc.option(name, { nil: null }), identifiers], (named, found) => {
      const sorted = [...found].sort((a, b) => statedKinds.indexOf(a.kind) - statedKinds.indexOf(b.kind))
      expect(readIdentifiers(appendIdentifiers(named, found))).toEqual({
        name: named,
        identifiers: sorted,
      })
    })
  })

  test('a name with brackets of its own is never read as identifiers', () => {
    const word = fc.stringMatching(/^[A-Za-z]{1,12}$/)
    const labels = /^(?:LEI|CIK|company number|EIN|BIC|ticker|website)\b/i
    forAll(
      100,
      [word, fc.array(word, { minLength: 1 }).filter(([first = '']) => !labels.test(first))],
      (one, more) => {
        const text = `${one} (${more.join(', ')})`
        expect(readIdentifiers(text)).toEqual({ name: text, identifiers: [] })
      },
    )
  })
})

function byPlace([text, place]: [string, string | null]) {
  return { text, place }
}

/** A number that begins with two letters and a space would be read as one of a register. */
function isPlain({ kind, value, place }: StatedIdentifier): boolean {
  return kind !== 'registration_id' || place !== null || !/^[A-Z]{2}(?:-[A-Z0-9]{1,3})? /.test(value)
}

/** ISO 7064 mod 97-10, by its definition. */
function withCheckDigits(letters: string): string {
  const digits = Array.from(`${letters}00`, (letter) => String(parseInt(letter, 36))).join('')
  return letters + String(98n - (BigInt(digits) % 97n)).padStart(2, '0')
}

test.each([
  ['LU', 'R.C.S. B 99021', 'B99021'],
  ['LU', 'RCS Luxembourg B 99.021', 'B99021'],
  ['LU', 'RCSL F1234', 'F1234'],
  ['AT', 'FN 123456a', '123456A'],
  ['SE', 'Org.nr 556012-5790', '556012-5790'],
  ['NO', 'Org.nr. 923 609 016', '923609016'],
  ['DK', 'CVR-nr. 22 75 62 14', '22756214'],
  ['NL', 'KvK-nummer: 12345678', '12345678'],
  ['JP', '法人番号 9180301001019', '9180301001019'],
  ['EC', 'RUC 1790319857001', '1790319857001'],
  ['PE', 'RUC: 20100047218', '20100047218'],
  ['CO', 'NIT 890.903.938-8', '890.903.938-8'],
  ['KZ', 'БИН 980540000397', '980540000397'],
])('a number of %s with its name is read: %s', (place, text, value) => {
  const identifiers = [{ kind: 'registration_id', value, place }]
  expect(readIdentifiers(`Larkmoor Funds (${text})`)).toEqual({ name: 'Larkmoor Funds', identifiers })
  expect(readIdentifiers(text)).toEqual({ name: null, identifiers })
})

test.each([
  'RUC 1710034065',
  'БИН 940315300123',
  'RCS Paris',
  'RCS 99021',
  'FN 12',
  'Nit 12',
  'Bin 12',
  'ROC B 99021',
])('words and numbers of persons are no company number: %s', (text) => {
  for (const name of [text, `Larkmoor Funds (${text})`])
    expect(readIdentifiers(name)).toEqual({ name, identifiers: [] })
})

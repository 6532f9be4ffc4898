import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalizeInstant } from '../../../src/core/time.js'
import { parseDate } from '../../../src/core/file-formats.js'
import { readDay } from '../../../src/registry/import/draft.js'
import { forAll } from '../../support/properties.js'

describe('an instant', () => {
  test.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
    ['2026-01-02t03:04:05.5z', '2026-01-02T03:04:05.500000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2024-02-28T23:30:00-0100', '2024-02-29T00:30:00Z'],
    ['2026-01-02 03:04', '2026-01-02T03:04:00Z'],
    ['2026-01-02T03:04:05.1234567899+00', '2026-01-02T03:04:05.123456Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s is %s in UTC', (text, utc) => {
    expect(normalizeInstant(text)).toBe(utc)
  })

  test.each([
    '',
    'yesterday',
    '2026-13-01T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+99:00',
    '0001-01-01T00:00:00+01:00',
    '1767322800',
    '2026-01-01',
  ])('%j is none', (text) => {
    expect(normalizeInstant(text)).toBeNull()
  })

  test('with any offset is what Date says it is', () => {
    forAll(
      500,
      [
        fc.date({
          min: new Date('0100-01-01T00:00:00Z'),
          max: new Date('9990-01-01T00:00:00Z'),
          noInvalidDate: true,
        }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
      ],
      (date, offsetMinutes) => {
        const local = new Date(date.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1)
        const sign = offsetMinutes < 0 ? '-' : '+'
        const minutes = Math.abs(offsetMinutes)
        const two = (value: number) => String(value).padStart(2, '0')
        const found = normalizeInstant(`${local}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`)
        expect(new Date(found ?? '').toISOString()).toBe(date.toISOString())
      },
    )
  })
})

describe('a date', () => {
  const languages = 'en es pt fr de it nl sv nb da fi pl cs hu ro tr ru uk el th id vi ar'.split(' ')
  const formats = ['long', 'medium'].map((dateStyle) => dateStyle as 'long' | 'medium')
  const months = Array.from({ length: 12 }, (_, at) => String(at + 1).padStart(2, '0'))

  test.each(languages.flatMap((language) => formats.map((dateStyle) => [language, dateStyle] as const)))(
    'with a written month is read in each language: %s, %s',
    (language, dateStyle) => {
      const format = new Intl.DateTimeFormat(language, { dateStyle, calendar: 'gregory', timeZone: 'UTC' })
      for (const month of months) {
        const day = `1978-${month}-21`
        const text = format.format(Date.parse(day))
        // November in Polish and Czech is October in Croatian.
        const isUnclear = /^(?:21 |21\. )?(?:lis|lip|srp)/.test(text.replace(/^21\.? /, ''))
        expect([text, isUnclear ? day : parseDate(text)]).toEqual([text, day])
      }
    },
  )

  test.each([
    ['21-Aug-1913', '1913-08-21'],
    ['21-AUG-13', '2013-08-21'],
    ['August 21st, 1913', '1913-08-21'],
    ['1 er août 1913', '1913-08-01'],
    ['ngày 21 tháng 8 năm 1913', '1913-08-21'],
    ['1913年8月21日', '1913-08-21'],
    ['1913년 8월 21일', '1913-08-21'],
    ['28501', '1978-01-11'],
    ['20240131103000', '2024-01-31'],
    ['2024-01-31T23:59:59+09:00', '2024-01-31'],
    ['21/08/98', '1998-08-21'],
    ['21 ส.ค. 2544', '2001-08-21'],
    ['31/02/2001', null],
    ['1978', null],
    ['March 1978', null],
    ['12 Main Street 1998', null],
  ])('%s', (text, day) => {
    expect(parseDate(text)).toBe(day)
  })
})

test.each([
  ['令和5年4月1日', '2023-04-01'],
  ['令和元年5月1日', '2019-05-01'],
  ['H12.3.4', '2000-03-04'],
  ['昭和63年12月31日', '1988-12-31'],
  ['民國88年5月12日', '1999-05-12'],
  ['中華民國112年05月12日', '2023-05-12'],
])('%s is a day of an era', (text, day) => {
  expect(parseDate(text)).toBe(day)
})

test.each([
  ['TW', '88/05/12', '1999-05-12'],
  ['TW', '1120512', '2023-05-12'],
  ['TW', '2001-05-12', '2001-05-12'],
  ['DE', '88/05/12', '1988-05-12'],
  ['DE', '1440-03-02', '1440-03-02'],
  ['IR', '1398/04/05', null],
  ['SA', '1445-03-12', null],
  ['SA', '2001-03-12', '2001-03-12'],
  [null, '1445/03/12هـ', null],
  ['NP', '2075-04-15', null],
  ['NP', '2015-04-15', null],
  ['NP', '1994-04-15', '1994-04-15'],
  ['TH', '2544-02-03', '2001-02-03'],
  ['ET', '01/01/2000 E.C.', '2007-09-12'],
  ['ET', '30/02/2010 ዓ.ም.', '2017-11-09'],
  ['ET', '2007-13-06 EC', '2015-09-11'],
  ['ET', '06/13/2008 E.C.', null],
  ['ET', '12/03/2008 G.C.', '2008-03-12'],
  ['NP', '12/03/1990 B.S.', null],
])('in %s, the date %s of a register is %s', (country, text, day) => {
  const dropped: string[] = []
  expect(readDay(text, { what: 'founding date', place: country }, dropped)).toBe(day)
  expect(dropped).toHaveLength(day === null ? 1 : 0)
})

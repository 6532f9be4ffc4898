import { describe, expect, test } from 'vitest'
import { cleanText, removeDepartment, unknownLetter } from '../../../src/registry/normalize/clean-text.js'
import { parseName } from '../../../src/registry/normalize/parsed-name.js'

describe('cleanText', () => {
  test.each([
    ['Marks &amp; Spencer', 'Marks & Spencer'],
    ['Marks &amp;amp; Spencer', 'Marks & Spencer'],
    ['Caf&eacute; &#82;oyal &#x4c;td', 'Café Royal Ltd'],
    ['M&Uuml;LLER', 'MÜLLER'],
    ['L&ouml;we &szlig; S&oslash;n', 'Löwe ß Søn'],
    ['Sparkasse Mansfeld-SÃ¼dharz', 'Sparkasse Mansfeld-Südharz'],
    ['Banco de CrÃ©dito', 'Banco de Crédito'],
    ['CrÃƒÂ©dito', 'Crédito'],
    ['Agr\u00c3\u00adcola', 'Agrícola'],
    ['Norvane%20Oval%20Ltd', 'Norvane Oval Ltd'],
    ['Agr?cola', `Agr${unknownLetter}cola`],
  ])('"%s" is "%s"', (damaged, name) => {
    expect(cleanText(damaged)).toBe(name)
  })

  test.each([
    'Procter & Gamble',
    'AT&T;',
    'Yahoo!',
    'Guess? Inc',
    'Ã',
    'São Paulo',
    'Émile & Co',
    '100% Pure',
    'Â',
    'Norvane &foo; Ltd',
  ])('an ordinary name stays unchanged: "%s"', (name) => {
    expect(cleanText(name)).toBe(name)
  })
})

test('a damaged name has the key of the name', () => {
  expect(parseName('CrÃ©dito &amp; Filhos S.A.').fullKey).toBe(parseName('Crédito & Filhos SA').fullKey)
})

describe('a department in front of a name', () => {
  const named = [
    ['Công ty TNHH Zorvex Việt Nam', 'Phòng Kế toán', 'Bộ phận Mua hàng', 'Ban Quản lý dự án'],
    ['CTCP Zorvex', 'Phòng Mua hàng', 'Khối Kinh doanh'],
    ['PT Zorvex Jaya', 'Bagian Pembelian', 'Divisi Pengadaan'],
    ['شركة النور للتجارة', 'قسم المشتريات', 'إدارة المشتريات'],
    ['บริษัท ไทยน้ำทิพย์ จำกัด', 'ฝ่ายจัดซื้อ', 'แผนกบัญชี'],
    ['Zorvex Sanayi A.Ş.', 'Satın Alma Departmanı', 'Muhasebe Birimi'],
  ] as const
  test.each(named.flatMap(([name, ...all]) => all.map((department) => [department, name] as const)))(
    '%s: %s',
    (department, name) => {
      for (const separator of [' ', ' - ', ' – '])
        expect(removeDepartment(`${department}${separator}${name}`)).toBe(name)
      expect(removeDepartment(name)).toBe(name)
    },
  )

  test.each([
    'Phòng khám Đa khoa Zorvex',
    'Ban Rai Coffee - Bangkok',
    'Divisi',
    'Bagian Zorvex Ltd',
    'Phòng Kế toán -',
    ...['Bank', 'Banyan', 'Bandung', 'Khốin', 'Divisional', 'Bagianto', 'Phòngan'].flatMap((word) =>
      ['PT Tbk', 'CV Jaya', 'Công ty TNHH', '- Larkmoor'].map((end) => `${word} Zorvex ${end}`),
    ),
    'قسمة زورفكس شركة النور',
  ])('names without one stay: %s', (name) => {
    expect(removeDepartment(name)).toBe(name)
  })
})

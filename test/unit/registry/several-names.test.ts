import { describe, expect, test } from 'vitest'
import { parseSeveralNames } from '../../../src/registry/match/candidate.js'

describe('a text of several names', () => {
  test.each([
    ['Norvane Inc. / Larkmoor Foods Ltd', ['Norvane Inc.', 'Larkmoor Foods Ltd']],
    ['Norvane Corp. & Larkmoor Co', ['Norvane Corp.', 'Larkmoor Co']],
    ['NORVANE, INC.\\LARKMOOR GROUP INC', ['NORVANE, INC.', 'LARKMOOR GROUP INC']],
    ['Norvane GmbH & Co. KG; Larkmoor AG', ['Norvane GmbH & Co. KG', 'Larkmoor AG']],
    ['NORVANE INC, LARKMOOR BANCORP, INC.', ['NORVANE INC', 'LARKMOOR BANCORP, INC.']],
    ['Norvane LLP and Larkmoor & Calder LLP', ['Norvane LLP', 'Larkmoor & Calder LLP']],
    ['Norvane Ltd - Larkmoor plc', ['Norvane Ltd', 'Larkmoor plc']],
    ['Norvane SHPK dhe Larkmoor SHPK', ['Norvane SHPK', 'Larkmoor SHPK']],
    ['Norvane d.o.o. i Larkmoor d.o.o.', ['Norvane d.o.o.', 'Larkmoor d.o.o.']],
    ['Norvane Ltd. Şti. ve Larkmoor A.Ş.', ['Norvane Ltd. Şti.', 'Larkmoor A.Ş.']],
    ['ООО Норване и ООО Ларкмур', ['ООО Норване', 'ООО Ларкмур']],
    ['Norvane SRL și Larkmoor SRL', ['Norvane SRL', 'Larkmoor SRL']],
  ])('%j names each by its legal form', (text, names) => {
    expect(parseSeveralNames(text)).toEqual({ names, areStated: true })
  })

  const [first, second] = ['ラークムーア精機', 'ノルヴェイン・メカトロ']
  test.each(['・', '･', '、', '，', ',', '　', ' ', '／', '；', ' ・ '])(
    'two names with %j between them, the form behind or in front',
    (mark) => {
      for (const [one, other] of [
        [`${first}(株)`, `${second}株式会社`],
        [`株式会社${first}`, `有限会社${second}`],
        [`${second}合同会社`, `${first}(株)`],
        ['北京云岭贸易有限公司', '上海诺凡科技股份有限公司'],
      ] as const)
        expect(parseSeveralNames(`${one}${mark}${other}`)).toEqual({ names: [one, other], areStated: true })
    },
  )
  test.each([
    ['주식회사 라크무어 주식회사 노르바네', ['주식회사 라크무어', '주식회사 노르바네']],
    ['شركة لاركمور ذ.م.م، شركة نورفان ش.م.م', ['شركة لاركمور ذ.م.م', 'شركة نورفان ش.م.م']],
  ])('%j names two', (text, names) => {
    expect(parseSeveralNames(text)?.names).toEqual(names)
  })
  test.each([
    'Norvane sp. z o.o. i Wspólnicy sp. k.',
    'Norvane Sanayi ve Ticaret A.Ş.',
    'Hoxha dhe Vëllezërit SHPK',
    'Norvane Ltd. Şti. ve Ortakları Koll. Şti.',
    `${second}株式会社`,
    `株式会社${second}`,
    `株式会社 ${first}`,
    `${first} 株式会社`,
    `${first}株式会社 名古屋営業所`,
    `${first}株式会社・名古屋支店`,
    `${first}株式会社 代表取締役 山田`,
    '주식회사 라크무어 전자',
    '北京云岭贸易有限公司，采购部',
    'Norvane Ltd and Larkmoor PLC and Kelmor',
  ])('%j is one name', (text) => {
    expect(parseSeveralNames(text)).toBeNull()
  })

  // Many short codes of states and countries are forms elsewhere: CA, CO, NV, AB, SE.
  test.each([
    [
      'Inc.',
      'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH',
    ],
    ['LLC', 'OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY US AB BC MB NB NL NS ON PE QC SK CA'],
    ['Ltd', 'AG AE AS GB IE IN SA SG SL NSW VIC'],
    ['AB', 'SE FI'],
    ['S.A.', 'PA AR BO BR CO CR CV DO EC GT HN LU MX NI PE PT PY SV UY VE'],
    ['Ltda.', 'SP RJ MG RS PR BA SC AC AL'],
    ['SARL', 'FR LU MA TN DZ SN CI ML KM'],
  ])('a town and a code behind "Norvane %s" are no second company', (form, codes) => {
    for (const code of codes.split(' '))
      for (const place of [`Kelmor, ${code}`, `12 High Street, Kelmor, ${code}`, `Kelmor, ${code} 80202`]) {
        expect(parseSeveralNames(`Norvane ${form}, ${place}`), place).toBeNull()
        expect(parseSeveralNames(`Norvane ${form}, Larkmoor ${form}, ${place}`)?.names, place).toEqual([
          `Norvane ${form}`,
          `Larkmoor ${form}`,
        ])
      }
  })
  test.each(['SA', 'SL', 'AB', 'NV', 'AG'])('behind a comma, %s is the form of two names', (form) => {
    const names = [`Norvane, ${form}`, `Larkmoor, ${form}`]
    expect(parseSeveralNames(names.join('; '))?.names).toEqual(names)
    expect(parseSeveralNames(names.join(' and '))?.names).toEqual(names)
  })

  test.each([
    ['Norvane / Larkmoor', ['Norvane', 'Larkmoor']],
    ['Norvane | Larkmoor Inc', ['Norvane', 'Larkmoor Inc']],
  ])('%j may name several: what is held tells', (text, names) => {
    expect(parseSeveralNames(text)).toEqual({ names, areStated: false })
  })

  test.each([
    'Norvane & Co. Inc.',
    'Norvane Co. & Sons Ltd',
    'Norvane GmbH & Co. KG',
    'Norvane A/S',
    'Norvane Bank, N.A.',
    'Norvane & Co/MN',
    'Larkmoor & Calder Companies, Inc.',
    'Norvane and Larkmoor LLP',
    'Norvane LLC, a Delaware limited liability company',
    'Norvane Ltd t/a Larkmoor Ltd',
    'Norvane Ltd c/o Larkmoor Ltd',
    'Norvane Ltd on behalf of Larkmoor Ltd',
    'Norvane Inc f/k/a Larkmoor Inc',
    '',
    '/ ; |',
  ])('%j names one', (text) => {
    expect(parseSeveralNames(text)).toBeNull()
  })
})

describe('a town with a state that is also a legal form', () => {
  test.each([
    'Norvane Inc., Las Vegas NV',
    'Norvane Inc., Reno, NV',
    'Norvane Inc. - Denver CO',
    'Norvane Inc., Calgary AB',
    'Norvane Pty Ltd; Adelaide SA',
    'Norvane LLC, Carson City, NV 89701',
  ])('%s is one name', (text) => {
    expect(parseSeveralNames(text)).toBeNull()
  })

  test.each([
    'Norvane Inc., Velsor NV',
    'Norvane GmbH, Las Vegas NV',
    'Norvane Inc.; Larkmoor Ltd; Reno NV',
    'Norvane Inc., Adelaide NV',
  ])('%s is several: the town or the form is not of that state', (text) => {
    expect(parseSeveralNames(text)?.names.length).toBe(2)
  })
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { foldText, isNumberWord, wordsOf } from '../../../src/registry/match/fold.js'
import { parseName } from '../../../src/registry/match/parsed-name.js'
import { readingsOf } from '../../../src/registry/match/readings.js'

describe('folding', () => {
  test.each([
    ['Müller & Söhne', 'muller and sohne'],
    ['L’Oréal', 'loreal'],
    ['ŠKODA AUTO a.s.', 'skoda auto as'],
    ['J.P. Morgan', 'jp morgan'],
    ['Ｓｏｎｙ　Ｇｒｏｕｐ', 'sony group'],
    ['Ørsted A/S', 'orsted a s'],
    ['Газпром', 'gazprom'],
    ['7-Eleven, Inc.', '7 eleven inc'],
    ['', ''],
    ['?!', ''],
  ])('%j folds to %j', (name, folded) => {
    expect(foldText(name)).toBe(folded)
  })

  it('joins single letters into initials', () => {
    expect(wordsOf('h m hennes s p a')).toEqual(['hm', 'hennes', 'spa'])
  })

  test.each([
    ['ii', true],
    ['2022', true],
    ['7eleven', true],
    ['fund', false],
    ['i', false],
    ['ccxlix', true],
    ['xxiv', true],
    ['civil', false],
    ['xxl', false],
    ['mix', false],
  ])('%j numbers a thing: %j', (word, expected) => {
    expect(isNumberWord(word)).toBe(expected)
  })

  it('any text folds to lower-case ASCII words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(foldText(text)).toMatch(/^(?:[a-z0-9]+(?: [a-z0-9]+)*)?$/)
      }),
    )
  })

  it('folding what is folded changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const folded = foldText(text, 4_000)
        expect(foldText(folded, 4_000)).toBe(folded)
      }),
    )
  })
})

describe('names with one core', () => {
  test.each([
    ['Apple Inc.', 'APPLE'],
    ['The Coca-Cola Company', 'Coca Cola Company, The'],
    ['Procter & Gamble', 'Procter and Gamble Co'],
    ['AT&T Inc.', 'A.T. & T.'],
    ['Exxon Mobil Corporation', 'ExxonMobil'],
    ["McDonald's Corporation", 'Mc Donalds'],
    ['Macy’s, Inc.', 'MACYS INC'],
    ['SEALED AIR CORP/DE', 'Sealed Air'],
    ['AIR PRODUCTS & CHEMICALS INC /DE/', 'Air Products and Chemicals, Inc.'],
    ['MP Materials Corp. / DE', 'MP Materials'],
    ['Siemens Aktiengesellschaft', 'Siemens AG'],
    ['Robert Bosch Gesellschaft mit beschränkter Haftung', 'Robert Bosch GmbH'],
    ['Aldi Einkauf SE & Co. oHG', 'Aldi Einkauf'],
    ['Adam Opel GmbH & Co. KG', 'Adam Opel'],
    ['Société Générale S.A.', 'SOCIETE GENERALE'],
    ['Grupo Bimbo, S.A.B. de C.V.', 'Grupo Bimbo'],
    ['Orlen Spółka Akcyjna', 'ORLEN'],
    ['Allegro sp. z o.o.', 'Allegro'],
    ['Telefonaktiebolaget LM Ericsson (publ)', 'Telefonaktiebolaget L M Ericsson'],
    ['Kone Oyj', 'KONE'],
    ['OTP Bank Nyrt.', 'OTP Bank'],
    ['ООО «Яндекс»', 'Яндекс'],
    ['PT Astra International Tbk', 'Astra International'],
    ['Petronas Sdn. Bhd.', 'Petronas'],
    ['Infosys Private Limited', 'Infosys Pvt Ltd'],
    ['株式会社任天堂', '任天堂株式会社'],
    ['トヨタ自動車株式会社', 'トヨタ自動車'],
    ['주식회사 카카오', '카카오(주)'],
    ['华为技术有限公司', '华为技术'],
    ['Natl Grid Svcs', 'National Grid Services'],
  ])('%j and %j', (a, b) => {
    expect(parseName(a).coreKey).toBe(parseName(b).coreKey)
  })

  test.each([
    ['Fund II', 'Fund III'],
    ['Delta Air Lines', 'Delta Electronics'],
    ['Barclays Bank', 'Barclays'],
    ['Limited', 'Company'],
  ])('%j and %j are told apart', (a, b) => {
    expect(parseName(a).coreKey).not.toBe(parseName(b).coreKey)
  })
})

describe('legal forms', () => {
  test.each([
    ['Acme Ltd', 'limited', 'llc'],
    ['Acme LLC', 'limited', 'llc'],
    ['Acme GmbH', 'limited', 'llc'],
    ['Acme Holding B.V.', 'limited', 'llc'],
    ['Acme, Inc.', 'stock', 'corporation'],
    ['Acme plc', 'stock', 'corporation'],
    ['Acme AG', 'stock', 'corporation'],
    ['Acme Group S.p.A.', 'stock', 'corporation'],
    ['Acme株式会社', 'stock', 'corporation'],
    ['Acme L.P.', 'partnership', 'lp'],
    ['Acme LLP', 'partnership', 'llp'],
    ['Acme GmbH & Co. KG', 'partnership', 'lp'],
    ['Acme eG', 'cooperative', 'cooperative'],
    ['Acme & Co.', 'company', null],
    ['Acme', null, null],
  ])('%j is %j, %j', (name, formClass, legalForm) => {
    const parsed = parseName(name)
    expect([parsed.formClass, parsed.legalForm]).toEqual([formClass, legalForm])
  })

  it('a name that is nothing but a form stays whole', () => {
    expect(parseName('Limited').tokens).toEqual(['limited'])
    expect(parseName('株式会社').coreKey).not.toBe('')
  })
})

describe('readings', () => {
  test.each([
    ['Cardlytics, Inc. Common Stock', 'cardlytics', 'part'],
    ['Koppers Holdings Inc. Koppers H', 'koppersholdings', 'part'],
    ['Pebblebrook Hotel Trust 6.375% ', 'pebblebrookhoteltrust', 'part'],
    ['Dynavax Technologies Corporatio', 'dynavaxtechnology', 'cut'],
    ['PermRock Royalty Trust Trust', 'permrockroyaltytrust', 'part'],
    ['Nuveen Core Equity Alpha Fund N', 'nuveencoreequityalphafund', 'part'],
    ['Annaly Capital Management Inc 6', 'annalycapitalmanagement', 'part'],
    ['Seritage Growth Properties 7.00', 'seritagegrowthproperties', 'part'],
    ['BRT Apartments Corp. (MD)', 'brtapartments', 'part'],
    ['Olin Corp Stock Option Plan for Key Employees', 'olin', 'aside'],
    ['DCS Inc Limtied', 'dcs', 'part'],
    ['Genco Shipping & Trading Limite', 'gencoshippingtrading', 'cut'],
    ['Aptose Inc., (formerly Lorus Inc.)', 'lorus', 'part'],
    ['Multi-Tile Ltd T/A Topps Tiles', 'multitile', 'part'],
    ['Multi-Tile Ltd T/A Topps Tiles', 'toppstiles', 'aside'],
    ['Hexagon (Marple) Ltd', 'hexagon', 'aside'],
  ])('%j may be %j, %s', (name, coreKey, kind) => {
    expect(readingsOf(name)).toContainEqual(expect.objectContaining({ coreKey, kind }))
  })

  test.each([
    ['FinServ Acquisition Corp. II', 'finservacquisition'],
    ['John Hancock Preferred Income Fund', 'johnhancock'],
    ['Incoming Calls Inc', 'calls'],
    ['Santander Drive Auto Receivables 2024-1', 'santanderdriveautoreceivables'],
    ['John Deere Owner Trust 2022-C', 'johndeereownertrust2022'],
  ])('%j is never %j', (name, coreKey) => {
    expect(readingsOf(name).map((reading) => reading.coreKey)).not.toContain(coreKey)
  })

  it('the whole name is read first, and any text has at most a few readings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (name) => {
        const readings = readingsOf(name)
        expect(readings.length).toBeLessThanOrEqual(6)
        const whole = parseName(name)
        if (whole.fullKey.length >= 2)
          expect(readings[0]).toMatchObject({ kind: 'whole', coreKey: whole.coreKey })
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatDisplayName, writeInMixedCase } from '../../../src/registry/normalize/mixed-case.js'

describe('names in capitals are written as people write them', () => {
  it.each([
    ['legal forms of English', 'MICROSOFT CORP', 'Microsoft Corp'],
    ['', 'ASTRAZENECA PLC', 'AstraZeneca plc'],
    ['', 'WALMART INC.', 'Walmart Inc.'],
    ['', 'KROGER CO', 'Kroger Co'],
    ['', 'NIKE, INC.', 'Nike, Inc.'],
    ['', 'DYSON TECHNOLOGY LIMITED', 'Dyson Technology Limited'],
    ['', 'ENTERPRISE PRODUCTS PARTNERS L.P.', 'Enterprise Products Partners L.P.'],
    ['', 'BLACKSTONE CAPITAL PARTNERS VI LP', 'Blackstone Capital Partners VI LP'],
    ['', 'KIRKLAND & ELLIS LLP', 'Kirkland & Ellis LLP'],
    ['', 'BHP GROUP LTD', 'BHP Group Ltd'],
    ['', 'ATLASSIAN PTY LTD', 'Atlassian Pty Ltd'],
    ['', 'GRAB HOLDINGS PTE. LTD.', 'Grab Holdings Pte. Ltd.'],
    ['', 'PETRONAS CHEMICALS GROUP BHD', 'Petronas Chemicals Group Bhd'],
    ['legal forms of other languages', 'SIEMENS AG', 'Siemens AG'],
    ['', 'ROBERT BOSCH GMBH', 'Robert Bosch GmbH'],
    ['', 'HENKEL AG & CO. KGAA', 'Henkel AG & Co. KGaA'],
    ['', 'DEUTSCHE KREDITBANK AKTIENGESELLSCHAFT', 'Deutsche Kreditbank Aktiengesellschaft'],
    ['', 'LVMH MOËT HENNESSY LOUIS VUITTON SE', 'LVMH Moët Hennessy Louis Vuitton SE'],
    ['', 'ANHEUSER-BUSCH INBEV SA/NV', 'Anheuser-Busch InBev SA/NV'],
    ['', 'KONINKLIJKE PHILIPS N.V.', 'Koninklijke Philips N.V.'],
    ['', 'NOVO NORDISK A/S', 'Novo Nordisk A/S'],
    ['', 'LEGO SYSTEM A/S', 'Lego System A/S'],
    ['', 'NOKIA OYJ', 'Nokia Oyj'],
    ['', 'TELEFONAKTIEBOLAGET LM ERICSSON AB', 'Telefonaktiebolaget LM Ericsson AB'],
    ['', 'EQUINOR ASA', 'Equinor ASA'],
    ['', 'ENEL SPA', 'Enel SpA'],
    ['', 'INTESA SANPAOLO S.P.A.', 'Intesa Sanpaolo S.p.A.'],
    ['', 'AMERICA MOVIL SAB DE CV', 'America Movil SAB de CV'],
    ['', 'GRUPO BIMBO, S.A.B. DE C.V.', 'Grupo Bimbo, S.A.B. de C.V.'],
    ['', 'PT BANK CENTRAL ASIA TBK', 'PT Bank Central Asia Tbk'],
    ['', 'ŠKODA AUTO A.S.', 'Škoda Auto a.s.'],
    ['', 'CD PROJEKT SP. Z O.O.', 'CD Projekt Sp. z o.o.'],
    ['abbreviations', 'BP PLC', 'BP plc'],
    ['', 'HSBC HOLDINGS PLC', 'HSBC Holdings plc'],
    ['', 'KPMG LLP', 'KPMG LLP'],
    ['', 'CVS HEALTH CORP', 'CVS Health Corp'],
    ['', 'IBM CREDIT LLC', 'IBM Credit LLC'],
    ['', 'UBS GROUP AG', 'UBS Group AG'],
    ['', 'AIG LIFE HOLDINGS, INC.', 'AIG Life Holdings, Inc.'],
    ['', 'BASF SE', 'BASF SE'],
    ['', 'CBRE GROUP, INC.', 'CBRE Group, Inc.'],
    ['', 'US BANCORP', 'US Bancorp'],
    ['', 'RABOBANK USA, N.A.', 'Rabobank USA, N.A.'],
    ['', 'VANGUARD REAL ESTATE ETF', 'Vanguard Real Estate ETF'],
    ['', 'SUN COMMUNITIES REIT', 'Sun Communities REIT'],
    ['', 'JOHNSON MATTHEY (UK) LIMITED', 'Johnson Matthey (UK) Limited'],
    ['', 'FIRST HLDGS MFG TR', 'First Hldgs Mfg Tr'],
    ['short words', 'AIR PRODUCTS & CHEMICALS INC', 'Air Products & Chemicals Inc'],
    ['', 'GAP INC', 'Gap Inc'],
    ['', 'ATLANTA GAS LIGHT CO', 'Atlanta Gas Light Co'],
    ['', 'CAPITAL ONE FINANCIAL CORP', 'Capital One Financial Corp'],
    ['', 'NEW YORK TIMES CO', 'New York Times Co'],
    ['', 'RIO TINTO PLC', 'Rio Tinto plc'],
    ['', 'LYFT, INC.', 'Lyft, Inc.'],
    ['small words', 'BANK OF AMERICA CORP', 'Bank of America Corp'],
    ['', 'BED BATH & BEYOND INC', 'Bed Bath & Beyond Inc'],
    ['', 'THE BOEING COMPANY', 'The Boeing Company'],
    ['', 'BANCO DO BRASIL S.A.', 'Banco do Brasil S.A.'],
    ['', 'E I DU PONT DE NEMOURS & CO', 'E I du Pont de Nemours & Co'],
    ['', 'DE LA RUE PLC', 'De La Rue plc'],
    ['', 'VAN ECK ASSOCIATES CORP', 'Van Eck Associates Corp'],
    ['', 'BANCO DE LA NACION', 'Banco de la Nacion'],
    ['', 'FREDERICK VAN DER LINDE BV', 'Frederick van der Linde BV'],
    ['', 'AGUA Y DRENAJE DEL NORTE', 'Agua y Drenaje del Norte'],
    ['', 'EL PASO ELECTRIC CO', 'El Paso Electric Co'],
    ['', 'LA-Z-BOY INC', 'La-Z-Boy Inc'],
    ['', 'BUILD-A-BEAR WORKSHOP INC', 'Build-A-Bear Workshop Inc'],
    ['apostrophes', "KOHL'S CORP", "Kohl's Corp"],
    ['', "O'REILLY AUTOMOTIVE INC", "O'Reilly Automotive Inc"],
    ['', 'O REILLY AUTOMOTIVE INC', 'O Reilly Automotive Inc'],
    ['', "L'ORÉAL", "L'Oréal"],
    ['', 'L’OCCITANE GROUPE', 'L’Occitane Groupe'],
    ['', "MCDONALD'S CORPORATION", "McDonald's Corporation"],
    ['', "BJ'S WHOLESALE CLUB", "BJ's Wholesale Club"],
    ['', "MEN'S WEARHOUSE INC", "Men's Wearhouse Inc"],
    ['', "ROCK'N'ROLL RACING", "Rock'n'Roll Racing"],
    ['', "TEACHERS' RETIREMENT SYSTEM", "Teachers' Retirement System"],
    ['Mc', 'MCKESSON CORP', 'McKesson Corp'],
    ['', 'MCI INC', 'MCI Inc'],
    ['hyphens and joined words', 'COCA-COLA CO', 'Coca-Cola Co'],
    ['', 'ROLLS-ROYCE HOLDINGS PLC', 'Rolls-Royce Holdings plc'],
    ['', 'T-MOBILE US, INC.', 'T-Mobile US, Inc.'],
    ['', 'CO-OP GROUP LIMITED', 'Co-op Group Limited'],
    ['', 'AT&T INC.', 'AT&T Inc.'],
    ['', 'H&R BLOCK INC', 'H&R Block Inc'],
    ['', 'BARNES&NOBLE INC', 'Barnes&Noble Inc'],
    ['', 'AMAZON.COM, INC.', 'Amazon.com, Inc.'],
    ['', 'BUY.CO.UK LTD', 'Buy.co.uk Ltd'],
    ['', 'C3.AI, INC.', 'C3.ai, Inc.'],
    ['initials', 'J.P. MORGAN SECURITIES LLC', 'J.P. Morgan Securities LLC'],
    ['', 'U.S. STEEL CORP', 'U.S. Steel Corp'],
    ['', 'D R HORTON INC', 'D R Horton Inc'],
    ['names with capitals within', 'JPMORGAN CHASE & CO', 'JPMorgan Chase & Co'],
    ['', 'EBAY INC', 'eBay Inc'],
    ['', 'ACME GESELLSCHAFT MIT BESCHRÄNKTER HAFTUNG', 'Acme Gesellschaft mit Beschränkter Haftung'],
    ['numbers', '3M CO', '3M Co'],
    ['', '1ST SOURCE CORP', '1st Source Corp'],
    ['', '2ND AVENUE PARTNERS', '2nd Avenue Partners'],
    ['', 'A2Z SMART TECHNOLOGIES CORP', 'A2Z Smart Technologies Corp'],
    ['', '21VIANET GROUP, INC.', '21Vianet Group, Inc.'],
    ['', '7-ELEVEN, INC.', '7-Eleven, Inc.'],
    ['', 'CHURCHILL CAPITAL CORP VII', 'Churchill Capital Corp VII'],
    ['', 'HANCOCK PARK FUND XXIV', 'Hancock Park Fund XXIV'],
    ['accents and other alphabets', 'SOCIÉTÉ GÉNÉRALE SA', 'Société Générale SA'],
    ['', 'MÜNCHENER RÜCKVERSICHERUNGS-GESELLSCHAFT', 'Münchener Rückversicherungs-Gesellschaft'],
    ['', 'TÜRKİYE İŞ BANKASI A.Ş.', 'Türkiye İŞ Bankasi A.Ş.'],
    ['', 'ГАЗПРОМ NEFT', 'ГАЗПРОМ Neft'],
  ])('%s: %s is %s', (_kind, registered, shown) => {
    expect(writeInMixedCase(registered)).toBe(shown)
  })
})

test.each(['eBay Inc.', 'PROCTER & GAMBLE Co', 'ПАО СБЕРБАНК', '株式会社', '2026', ''])(
  '%j is shown unchanged',
  (name) => {
    expect(writeInMixedCase(name)).toBe(name)
  },
)

test('only the case of letters changes', () => {
  const text = fc.array(
    fc.oneof(
      fc.constantFrom(
        'THE',
        'OF',
        'S.P.A.',
        'CO-OP',
        "O'",
        "'S",
        '.COM',
        'MC',
        'SP. Z O.O.',
        'İ',
        '3',
        ' ',
        '/',
        '-',
      ),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(text, (parts) => {
      const name = parts.join('').toUpperCase()
      const plain = (shown: string) => shown.replaceAll('İ', 'I').toUpperCase()
      expect(plain(writeInMixedCase(name))).toBe(plain(name))
    }),
  )
})

test('initials in use stay in capitals, a word of the registered name does not', () => {
  const registered = 'UNITED AIRCRAFT DIVISION'
  expect(formatDisplayName('UADIV', registered, false)).toBe('UADIV')
  expect(formatDisplayName('UNITED', registered, false)).toBe('United')
})

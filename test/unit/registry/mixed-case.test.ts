import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { formatDisplayName, writeInMixedCase } from '../../../src/registry/normalize/mixed-case.js'
import { forAll } from '../../support/properties.js'

/** Names as people write them, by the kind of rule. */
const written = {
  'legal forms of English': `
    Microsoft Corp | AstraZeneca plc | Walmart Inc. | Kroger Co | Nike, Inc. | Dyson Technology Limited |
    Enterprise Products Partners L.P. | Blackstone Capital Partners VI LP | Kirkland & Ellis LLP |
    BHP Group Ltd | Atlassian Pty Ltd | Grab Holdings Pte. Ltd. | Petronas Chemicals Group Bhd`,
  'legal forms of other languages': `
    Siemens AG | Robert Bosch GmbH | Henkel AG & Co. KGaA | Deutsche Kreditbank Aktiengesellschaft |
    LVMH Moët Hennessy Louis Vuitton SE | Anheuser-Busch InBev SA/NV | Koninklijke Philips N.V. |
    Novo Nordisk A/S | Lego System A/S | Nokia Oyj | Telefonaktiebolaget LM Ericsson AB | Equinor ASA |
    Enel SpA | Intesa Sanpaolo S.p.A. | America Movil SAB de CV | Grupo Bimbo, S.A.B. de C.V. |
    PT Bank Central Asia Tbk | Škoda Auto a.s. | CD Projekt Sp. z o.o.`,
  abbreviations: `
    BP plc | HSBC Holdings plc | KPMG LLP | CVS Health Corp | IBM Credit LLC | UBS Group AG |
    AIG Life Holdings, Inc. | BASF SE | CBRE Group, Inc. | US Bancorp | Rabobank USA, N.A. |
    Vanguard Real Estate ETF | Sun Communities REIT | Johnson Matthey (UK) Limited | First Hldgs Mfg Tr`,
  'short words': `
    Air Products & Chemicals Inc | Gap Inc | Atlanta Gas Light Co | Capital One Financial Corp |
    New York Times Co | Rio Tinto plc | Lyft, Inc.`,
  'small words': `
    Bank of America Corp | Israel, State of | Bed Bath & Beyond Inc | The Boeing Company | Banco do Brasil S.A. |
    E I du Pont de Nemours & Co | De La Rue plc | Van Eck Associates Corp | Banco de la Nacion |
    Frederick van der Linde BV | Agua y Drenaje del Norte | El Paso Electric Co | La-Z-Boy Inc |
    Build-A-Bear Workshop Inc | Acme Gesellschaft mit Beschränkter Haftung`,
  'words in front of names': `
    Transports Al Baraka | Al Baraka Trading LLC | Al-Futtaim Motors | Bin Dawood Holding | Abu Dhabi Ports |
    Ait Melloul SARL | Oulad Said SA | Ben Said SARL | El Hana SARL | Las Vegas Sands | Los Gatos Inc |
    Des Moines Inc | Dela Cruz Trading | Del Monte Inc | La Playa SA | Dar Al Arkan | Ibn Sina Hospital |
    AL Holding | AL Group Ltd | AL Inc | Mobile AL | Works of Mobile, AL | AL Trading SARL | AL Services`,
  apostrophes: `
    Kohl's Corp | O'Reilly Automotive Inc | O Reilly Automotive Inc | L'Oréal | L’Occitane Groupe |
    McDonald's Corporation | BJ's Wholesale Club | Men's Wearhouse Inc | Rock'n'Roll Racing |
    Teachers' Retirement System`,
  Mc: 'McKesson Corp | MCI Inc',
  'hyphens and joined words': `
    Coca-Cola Co | Rolls-Royce Holdings plc | T-Mobile US, Inc. | Co-op Group Limited | AT&T Inc. |
    H&R Block Inc | Barnes&Noble Inc | Amazon.com, Inc. | Buy.co.uk Ltd | C3.ai, Inc.`,
  initials: 'J.P. Morgan Securities LLC | U.S. Steel Corp | D R Horton Inc',
  'names with capitals within': 'JPMorgan Chase & Co | eBay Inc',
  numbers: `
    3M Co | 1st Source Corp | 2nd Avenue Partners | A2Z Smart Technologies Corp | 21Vianet Group, Inc. |
    7-Eleven, Inc. | Churchill Capital Corp VII | Hancock Park Fund XXIV`,
  'small words of other languages': `
    Aerovias en Reorganizacion SA | Comércio e Serviços Ltda | Handlu i Usług Łódź | Stal w Polsce Sp. z o.o. |
    Sanayi ve Ticaret AŞ | Transportes para Todos SA | Kauppa ja Teollisuus Oy | Handel och Industri AB |
    John E Smith Inc | James W Jones Ltd | Banco em Liquidacao SA | Pièces pour Autos SA`,
  'syllables of Vietnamese': `
    Công Ty Cổ Phần Sữa Việt Nam | Công Ty TNHH MTV Cao Su Đắk Lắk | Tập Đoàn Hòa Phát | Công Ty CP Bao Bì Ánh Dương |
    Công Ty TNHH TM DV Phú Mỹ | Ngân Hàng TMCP Á Châu | Công Ty CP Sa Đéc Vo Lai So Đo`,
  'names of countries': `
    Larkmoor Sri Lanka | Larkmoor Viet Nam Co Ltd | Norvane Côte d'Ivoire SA | Larkmoor Lao PDR | SRI International`,
  'words of Spanish': 'Molinos San Jose Sur S.A. | Larkmoor del Sur Argentino | Norvane Sur SRL',
  'words of French': 'Travaux sur Cordes SARL | Les Bois sur Seine',
  'accents and other alphabets':
    'Société Générale SA | Münchener Rückversicherungs-Gesellschaft | ГАЗПРОМ Neft',
}

describe.each(Object.entries(written))(
  '%s: a name in capitals is written as people write it',
  (_kind, names) => {
    it.each(names.trim().split(/\s*\|\s*/))('%s', (name) => {
      expect(writeInMixedCase(name.toUpperCase())).toBe(name)
    })
  },
)

test('the small letter of a capital with a dot has one dot', () => {
  expect(writeInMixedCase('TÜRKİYE İŞ BANKASI A.Ş.')).toBe('Türkiye İş Bankasi A.Ş.')
})

test.each(['eBay Inc.', 'PROCTER & GAMBLE Co', 'ПАО СБЕРБАНК', '株式会社', '2026', ''])(
  '%j is shown unchanged',
  (name) => {
    expect(writeInMixedCase(name)).toBe(name)
  },
)

const piecesOfNames = ['SP. Z O.O.', ' ', ...`THE OF S.P.A. CO-OP O' 'S .COM MC İ 3 / -`.split(' ')]

test('only the case of letters changes', () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...piecesOfNames), fc.string({ maxLength: 6 })), {
    maxLength: 12,
  })
  forAll(100, [text], (parts) => {
    const name = parts.join('').toUpperCase()
    const plain = (shown: string) => shown.replaceAll('İ', 'I').toUpperCase()
    expect(plain(writeInMixedCase(name))).toBe(plain(name))
  })
})

test('initials in use stay in capitals, a word of the registered name does not', () => {
  const registered = 'UNITED AIRCRAFT DIVISION'
  expect(formatDisplayName('UADIV', registered, false)).toBe('UADIV')
  expect(formatDisplayName('UNITED', registered, false)).toBe('United')
})

test.each([
  ['LARKMOOR S.R.L.', 'UY', 'Larkmoor S.R.L.'],
  ['LARKMOOR S.R.L.', 'RO', 'Larkmoor S.R.L.'],
  ['LARKMOOR S.R.L.', 'IT', 'Larkmoor S.r.l.'],
  ['ÑANDUBAY LARKMOOR SRL', 'UY', 'Ñandubay Larkmoor SRL'],
  ['LARKMOOR PLC', 'LK', 'Larkmoor PLC'],
  ['LARKMOOR PLC', 'KE', 'Larkmoor PLC'],
  ['LARKMOOR PLC', 'GB', 'Larkmoor plc'],
  ['LARKMOOR A.S.', 'TR', 'Larkmoor A.S.'],
  ['LARKMOOR A.S.', 'CZ', 'Larkmoor a.s.'],
  ['LARKMOOR SPA', 'US', 'Larkmoor SPA'],
  ['LARKMOOR PLC', null, 'Larkmoor plc'],
  ['Larkmoor plc', 'LK', 'Larkmoor plc'],
])('forms are written as in the country: %j in %s is %j', (name, country, shown) => {
  expect(formatDisplayName(name, name, false, country)).toBe(shown)
})

const writtenInCountry = {
  AZ: `"Larkmoor Logistika və Ticarət" Məhdud Məsuliyyətli Cəmiyyəti | "Norvane Yük Daşımaları" MMC |
    "Bakı Norvane Terminalı" Açıq Səhmdar Cəmiyyəti | Qapalı Səhmdar Cəmiyyəti | Xəzər MMC | İpək Yolu Trading MMC`,
  TR: `Işık Tekstil ve Ticaret Limited Şirketi | Norvane Altın Yağ Sanayi A.Ş. | Turkiye Norvane Bankasi |
    Larkmoor Holding A.Ş. | Koç Larkmoor İnşaat`,
  PE: 'Larkmoor sin Fronteras | Sin Fronteras SA',
  EC: 'Bananera del Oro Norvane Cia. Ltda. | Luz y Mar SA',
  CL: 'Larkmoor e Hijos | Norvane de Crédito e Inversiones | El Sol y La Luna',
  BR: 'Norvane que Larkmoor | Larkmoor sem Norvane | Norvane na Larkmoor | Norvane Comércio e Serviços | Mar e Sol Turismo',
  TN: 'Pneus du Cap Bon | Smart Diesel | Ste El Norvane | SNC Larkmoor',
  MA: `Domaine des Cherarda | Briqueteries de l'Oriental | Société d'Exploitation des Mines | Les Bois des Norvane | Atelier d'Art |
    Larkmoor chez Norvane | D'Artagnan SARL | L'Oriental | IAM SA`,
  CO: 'Fundacion Manos que Siembran | Norvane con Futuro | Larkmoor por la Paz | Sur sin Fronteras | Con Larkmoor SAS',
  SE: 'Kaffe med Norvane | Nordic Med AB',
  RO: 'Norvane pentru Larkmoor | Larkmoor din Norvane SRL',
  AL: 'Norvane për Larkmoor',
  ID: 'Norvane dan Larkmoor untuk Norvane',
  FR: `Banque de l’Est | Norvane à la Mer | Pizza dans la Rue | Compagnie d’Assurances Larkmoor | Larkmoor sans Norvane | Norvane avec Larkmoor |
    IBM Norvane SAS | KPMG SA | AXA SA | BNP Larkmoor | Boulangerie du Lac`,
  IT: `Larkmoor dal Norvane | Norvane tra Larkmoor | Pizzeria D’Angelo | Norvane con Larkmoor | Norvane alla Larkmoor |
    Norvane Luigi e Giovanni | C M E SRL | Tre Effe SRL`,
  DE: 'Larkmoor am Markt GmbH | Norvane bei den Linden | Norvane ohne Larkmoor | Larkmoor im Norvane | BMW AG | SAP SE | TUI AG | Neu Larkmoor GmbH',
  IN: 'Sri Ram Larkmoor Mills | Om Sai Norvane | HUF Norvane',
  HR: 'Larkmoor Trgovina i Usluge d.o.o. | Društvo s Ograničenom Odgovornošću Larkmoor | Larkmoor u Zagrebu',
  RS: `Društvo sa Ograničenom Odgovornošću Norvane | Norvane-Lek DOO | Kod Larkmoora | Norvane DOO Užice | Norvane DOO Jagodina |
    Restoran kod Norvane | NIS AD | JKP Norvane | IMT | Norvane za Promet od Zemuna`,
  SI: 'Družba z Omejeno Odgovornostjo Norvane | Norvane Lek d.o.o.',
  CZ: 'Společnost s Ručením Omezeným Norvane | Norvane od Řeky',
  HU: 'Norvane Ház és Kör Kft. | MOL Nyrt. | Larkmoor Bor Kft.',
  KE: 'Chama cha Wakulima wa Larkmoor | Norvane Jua Ltd | KCB Ltd | Mto Larkmoor Ltd',
  PH: 'Hiyas ng Bulacan | Sta. Lucia Hardware Inc. | Sto Niño Trading | Ang Bahay at Hardin | Dela Cruz Motors | PLDT Inc. | SM Prime',
  ES: 'Gral. Norvane SA | Panadería Hnos. Larkmoor | Ntra. Sra. del Mar SL | Vda. de Larkmoor | Sta Marta Norvane',
  GB: 'BBC | BON Larkmoor Ltd | SRI International | TUI UK Ltd',
  US: 'Bank of Des Moines | John E Iverson Inc | James I Norvane Inc | ORO Inc | UBS',
  CH: 'UBS Group AG | ABB Ltd',
  NL: 'Larkmoor uit Norvane | ING Bank NV | Norvane Zee en Bos BV',
}

describe.each(Object.entries(writtenInCountry))(
  'short words and letters in %s are written as there',
  (country, names) => {
    it.each(names.trim().split(/\s*\|\s*/))('%s', (name) => {
      const isDotless = ['AZ', 'TR'].includes(country) && /[İŞĞÇəı]/.test(name)
      const capitals = isDotless ? name.toLocaleUpperCase('tr') : name.toUpperCase()
      expect(formatDisplayName(capitals, capitals, false, country)).toBe(name)
    })
  },
)

test('A letter behind an apostrophe within a word is small, and behind an article or a prefix it is not', () => {
  const within = `Go'zal Go'sht To'ytepa Farg'ona Ma'rifat She'riyat Luk'ianivka Solov'iov Kyiv'energo Prud'homme Cha'ban Nuku'alofa`
  for (const apostrophe of ["'", '’', 'ʼ', '‘'])
    for (const word of within.split(' ').map((one) => one.replace("'", apostrophe)))
      for (const country of ['', 'UZ', 'UA', 'FR'])
        expect(writeInMixedCase(`${word} Larkmoor`.toUpperCase(), country)).toBe(`${word} Larkmoor`)
  for (const word of `O'Brien D'Angelo L'Oreal Dell'Orto Sant'Anna Kohl's N'Diaye All'Antica`.split(' '))
    expect(writeInMixedCase(`${word} Larkmoor`.toUpperCase(), 'IT')).toBe(`${word} Larkmoor`)
  expect(writeInMixedCase("O'ZBEKISTON G'IJDUVON", 'UZ')).toBe("O'zbekiston G'ijduvon")
  expect(writeInMixedCase("M'IASO NORVANE", 'UA')).toBe("M'iaso Norvane")
  expect(writeInMixedCase("D'ANGELO NORVANE", 'UZ')).toBe("D'Angelo Norvane")
})

import fc from 'fast-check'
import { iso31662 } from 'iso-3166'
import { describe, expect, it, test } from 'vitest'
import { comparePlaceWithHint } from '../../../src/registry/match/place-agreement.js'
import type { Place } from '../../../src/registry/match/place-readings.js'
import { readPlaceLine } from '../../../src/registry/store/row-writer.js'
import { splitPlace } from '../../../src/registry/normalize/unspaced-names.js'
import { isOtherTown } from '../../../src/registry/match/evidence.js'
import { parseLocation, readCompanyCountry } from '../../../src/registry/match/parse-location.js'
import { findCountryCode, findCountryName } from '../../../src/core/countries.js'
import {
  toCityKey,
  toPlaceKey,
  toPostalKey,
  findRegionCode,
  findRegionCodes,
} from '../../../src/registry/normalize/places.js'
import placeNames from '../../../src/registry/reference/place-names.json' with { type: 'json' }
import countryNames from '../../../src/core/country-names.json' with { type: 'json' }
import { forAll } from '../../support/properties.js'

function place(
  city: string,
  region: string | null,
  postalCode: string,
  country: string,
  jurisdiction = '',
): Place {
  const [jurisdictionCountry = '', state] = jurisdiction.toUpperCase().split('_')
  return {
    cityKey: toCityKey(city),
    regionCode: region === null ? '' : (findRegionCode(country, region) ?? ''),
    postalKey: toPostalKey(postalCode),
    countryCode: country,
    jurisdictionCountry,
    jurisdictionRegion: state === undefined ? '' : `${jurisdictionCountry}-${state}`,
  }
}

const cupertino = place('Cupertino', 'CA', '95014', 'US', 'us_ca')
const munich = place('München', 'Bayern', '80333', 'DE', 'de')
const stockport = place('Stockport', null, 'SK1 3BZ', 'GB', 'gb')
const chertsey = place('Chertsey', 'Surrey', 'KT16 0RS', 'GB', 'gb')
const glasgow = place('Glasgow', 'Scotland', '', 'GB', 'gb')
const monza = place('Monza', 'IT-MB', '', 'IT', 'it')
const turin = place('Torino', 'IT-21', '', 'IT', 'it')
const toronto = place('Toronto', 'ON', 'M5J 2T3', 'CA', 'ca_on')
const shenzhen = place('Luohu, Shenzhen', null, '518000', 'CN')
const dover = place('Dover', 'DE', '19901', 'US', 'us_de')
const utah = place('South Jordan', 'UT', '84095', 'US', 'us_de')

describe('a location hint and a place', () => {
  test.each([
    [cupertino, 'Cupertino, CA, US', 'city'],
    [cupertino, 'cupertino california', 'city'],
    [cupertino, 'San Jose, CA', 'region'],
    [cupertino, 'CA', 'region'],
    [cupertino, 'California, USA', 'region'],
    [cupertino, 'United States', 'country'],
    [cupertino, '95014', 'postal'],
    [cupertino, 'Austin, TX, US', 'region_conflict'],
    [cupertino, 'London, UK', 'country_conflict'],
    [cupertino, 'Cupertino, Germany', 'town_abroad'],
    [cupertino, 'somewhere else', 'none'],
    [cupertino, '', 'none'],
    [munich, 'Munich', 'city'],
    [munich, 'München, Deutschland', 'city'],
    [munich, 'DE', 'country'],
    [cupertino, 'Toronto, CA', 'country_conflict'],
    [cupertino, 'Larkmoor, M5V 2T6, CA', 'country_conflict'],
    [cupertino, 'Larkmoor, 95014, CA', 'postal'],
    [cupertino, 'Pune, IN', 'country_conflict'],
    [cupertino, 'Larkmoor, 560001, IN', 'country_conflict'],
    [cupertino, 'Carmel, 46032, IN', 'region_conflict'],
    [cupertino, 'Casablanca, MA', 'country_conflict'],
    [cupertino, 'Boston, MA, 2108', 'region_conflict'],
    [cupertino, 'Boston, MA 02110', 'region_conflict'],
    [cupertino, 'Wilmington, DE', 'region_conflict'],
    [cupertino, 'Larkmoor, DE 19801-1234', 'region_conflict'],
    [cupertino, 'Indianapolis, IN', 'region_conflict'],
    [munich, 'Dover, DE', 'country_conflict'],
    [toronto, 'San Francisco, CA', 'country_conflict'],
    [cupertino, 'Portland, ME 4101', 'region_conflict'],
    [cupertino, 'Helena, 59601, MT', 'region_conflict'],
    [cupertino, 'Buenos Aires, AR', 'country_conflict'],
    [cupertino, 'Tirana 1010, AL', 'country_conflict'],
    [toronto, 'Larkmoor, 90210, CA', 'country_conflict'],
    [munich, 'Wilmington, DE, US', 'country_conflict'],
    [munich, 'Köln, DE', 'country'],
    // A register without a column of countries.
    [place('München', null, '', '', 'de'), 'Köln, DE', 'country'],
    [place('', null, '', '', 'de'), 'Köln, DE', 'registered_there'],
    [stockport, 'SK1 9ZZ', 'city'],
    [stockport, 'Stockport, SK1 3BZ, GB', 'postal'],
    [stockport, 'England', 'country'],
    [chertsey, 'United Kingdom', 'country'],
    [chertsey, 'England', 'country'],
    [chertsey, 'London, ENG, GB', 'country'],
    [chertsey, 'Leeds, UK', 'region_conflict'],
    [glasgow, 'Edinburgh, UK', 'country'],
    [monza, 'Lombardia, Italy', 'region'],
    [turin, 'Cuneo, Italy', 'country'],
    [turin, 'Lombardia, Italy', 'region_conflict'],
    [toronto, 'Toronto, ON, Canada', 'city'],
    [toronto, 'CA', 'country'],
    [toronto, 'Ontario', 'region'],
    [toronto, 'Vancouver, BC', 'region_conflict'],
    [utah, 'South Jordan, UT, US', 'city'],
    [utah, 'DE', 'region'],
    [utah, 'Berlin, DE', 'country_conflict'],
    [utah, 'Köln, DE', 'country_conflict'],
    [utah, 'Wilmington, DE, US', 'region'],
    [dover, 'Dover, DE', 'city'],
    [dover, 'Wilmington, DE', 'region'],
    [place('', null, '', '', 'us_de'), 'Wilmington, DE', 'region'],
    [shenzhen, 'Luohu, Shenzhen, CN', 'city'],
    [stockport, 'B3 2TA, GB', 'region_conflict'],
    [stockport, 'SK6 6ND', 'none'],
  ] as const)('%o and %j: %s', (where, hint, expected) => {
    expect(comparePlaceWithHint(parseLocation(hint), where)).toBe(expected)
  })

  test.each([
    ['LK', 'Galle', 'Jaffna'],
    ['LK', 'Nuwara Eliya', 'Kandy'],
    ['UA', 'Lviv', 'Kharkiv'],
    ['ID', 'West Java', 'East Java'],
    ['PK', 'Punjab', 'Sindh'],
    ['DK', 'Zealand', 'Capital Region'],
    ['UY', 'Salto', 'Canelones'],
    ['CZ', 'South Moravia', 'Central Bohemia'],
  ])('of %s, the region %s is known by the name in use, and is not %s', (country, region, other) => {
    const [here, there] = [region, other].map((name) => place('', name, '', country))
    for (const location of [`${region}, ${country}`, region]) {
      const hint = parseLocation(location)
      expect(comparePlaceWithHint(hint, here ?? cupertino)).toBe('region')
      expect(comparePlaceWithHint(hint, there ?? cupertino)).toBe('region_conflict')
    }
  })

  const capitals = [
    ['MX', 'Mexico', 'Ciudad de México', 'CDMX', 'Monterrey', 'Nuevo León'],
    ['GT', 'Guatemala', 'Ciudad de Guatemala', 'Guatemala', 'Cobán', 'Alta Verapaz'],
    ['PA', 'Panamá', 'Ciudad de Panamá', 'Panamá', 'Colón', 'Colón'],
    ['LU', 'Luxembourg', 'Luxembourg', 'Luxembourg', 'Echternach', 'Echternach'],
    ['DJ', 'Djibouti', 'Djibouti', 'Djibouti', 'Obock', 'Obock'],
    ['KW', 'Kuwait', 'Kuwait City', null, 'Hawalli', null],
    ['SG', 'Singapore', 'Singapore', null, 'Jurong', null],
  ] as const
  test.each(capitals)(
    'of %s, %s is the country alone, and with the country a town',
    (country, name, ...told) => {
      const [city, region, otherCity, otherRegion] = told
      const [capital, other] = [place(city, region, '', country), place(otherCity, otherRegion, '', country)]
      expect(comparePlaceWithHint(parseLocation(name), other)).toBe('country')
      for (const location of [`${name}, ${country}`, `${name}, ${name}`])
        expect(comparePlaceWithHint(parseLocation(location), capital)).toBe('city')
    },
  )

  it('the name of a country that is a region of another is that region there', () => {
    const arlon = place('Arlon', 'Luxembourg', '', 'BE')
    expect(comparePlaceWithHint(parseLocation('Luxembourg, Belgium'), arlon)).toBe('region')
    expect(comparePlaceWithHint(parseLocation('Georgia, US'), place('Macon', 'GA', '', 'US'))).toBe('region')
  })

  it('no hint and an unknown place agree on nothing and conflict in nothing', () => {
    expect(comparePlaceWithHint(null, cupertino)).toBe('none')
    expect(comparePlaceWithHint(parseLocation('Paris, France'), place('', null, '', ''))).toBe('none')
  })

  test.each(['دبي', 'حائل', 'دبی', 'חיפה', 'תל', 'أبها', 'Киз', 'ڈی', '北区'])(
    'a short name in another script is no code of a region: %s',
    (town) => {
      for (const text of [town, `${town}, AE`, `${town}، الإمارات`])
        for (const region of parseLocation(text)?.regions ?? [])
          expect(region).not.toMatch(/^(?:GB|US|CA|AU)-/)
    },
  )

  test.each(['Derbyshire, AE', 'Kent, OH', 'Bavaria, US-TX', 'Ontario, SA'])(
    'a region of another country than the stated one is not used: %s',
    (text) => {
      expect([...(parseLocation(text)?.regions ?? [])].some((region) => /^(?:GB|DE|CA)-/.test(region))).toBe(
        false,
      )
    },
  )

  test.each([
    ['VN', 'Hà Nội', 'HN|Đống Đa, HN|Dong Da, HN|Q. Cầu Giấy, TP HN|Cầu Giấy HN'],
    ['VN', 'Hải Phòng', 'Lê Chân, HP|Ngô Quyền, HP, Việt Nam'],
    ['VN', 'Thành phố Hồ Chí Minh', 'Thủ Đức, Việt Nam|TP Thủ Đức, VN|Quận 1, SG|Q.3, HCM'],
    ['VN', 'Đà Nẵng', 'Sơn Trà, ĐN|Hải Châu, ĐN'],
    ['DE', 'Berlin', 'Mitte, DE-BE'],
    ['DE', 'Hamburg', 'Altona, HH'],
  ])('the code of a city behind one of its districts is the city: %s %s', (country, town, list) => {
    for (const text of list.split('|'))
      expect([text, comparePlaceWithHint(parseLocation(text), place(town, null, '', country))]).toEqual([
        text,
        'city',
      ])
  })

  const titled = (country: string, town: string, ...written: readonly string[]) =>
    written.map((text) => [text, town, country] as const)
  test.each([
    ...titled('VN', 'Hà Nội', 'TP Hà Nội', 'TP. Hà Nội', 'TP.Hà Nội', 'Tp Ha Noi', 'Q. Ba Đình, TP Hà Nội'),
    ...titled(
      'VN',
      'Hồ Chí Minh',
      'TP HCM',
      'TP.HCM',
      'TPHCM',
      'HCM',
      'HCM City',
      'Sài Gòn',
      'Quận 7, Tp. HCM',
    ),
    ...titled('VN', 'Bắc Ninh', 'Tỉnh Bắc Ninh', 'T. Bắc Ninh', 'H. Yên Phong, T. Bắc Ninh'),
    ...titled('RU', 'Москва', 'г. Москва', 'г.Москва', 'г Москва', 'город Москва', 'Мск', 'Москва г.'),
    ...titled('RU', 'Тверь', 'г. Тверь', 'г.Тверь', 'Тверской район, г. Тверь'),
    ...titled('UA', 'Київ', 'м. Київ', 'м.Київ', 'місто Київ'),
    ...titled('PL', 'Warszawa', 'm. st. Warszawa', 'm.st. Warszawa', 'gmina Warszawa', 'miasto Warszawa'),
    ...titled('CZ', 'Praha', 'město Praha', 'hl. m. Praha', 'obec Praha'),
    ...titled('ID', 'Bandung', 'Kota Bandung', 'Kab. Bandung', 'Kec. Coblong, Kota Bandung'),
    ...titled('TR', 'İstanbul', 'İstanbul ili', 'İstanbul şehri', 'Kadıköy ilçesi/İstanbul'),
    ...titled('AE', 'دبي', 'مدينة دبي', 'إمارة دبي'),
    ...titled('BR', 'São Paulo', 'cidade de São Paulo', 'Município de São Paulo', 'SP, São Paulo'),
    ...titled('RO', 'Cluj', 'comuna Cluj', 'Mun. Cluj'),
    ...titled('FR', 'Ivry', "Ville d'Ivry", 'Commune d’Ivry'),
    ...titled('JP', '川崎', '川崎市'),
    ...titled('KR', '수원', '수원시'),
    ...titled('AR', 'Buenos Aires', 'CABA', 'C.A.B.A.', 'Bs. As.', 'Capital Federal'),
    ...titled('MX', 'Ciudad de México', 'DF', 'D.F.', 'CDMX', 'Cd. de México'),
  ])('%j is in the town %s of %s, with the title on one side or the other', (text, town, country) => {
    const read = parseLocation(text)
    expect(comparePlaceWithHint(read, place(town, null, '', country))).toBe('city')
    expect([...(read?.countries ?? [])].filter((one) => one !== country)).toEqual([])
    const last = text.split(/[,/]/).at(-1) ?? ''
    expect(comparePlaceWithHint(parseLocation(town), place(last, null, '', country))).toBe('city')
  })

  test.each(['TP HN', 'TP. HN', 'Kota BA', 'г. CA', 'H. C. M.', 'Quận 7', 'Ville de'])(
    'a code next to a title, or a title alone, is no country: %s',
    (text) => {
      expect([...(parseLocation(text)?.countries ?? [])]).toEqual([])
    },
  )

  it('any text is read as a hint', () => {
    forAll(100, [fc.string({ unit: 'binary', maxLength: 400 })], (text) => {
      expect(() => comparePlaceWithHint(parseLocation(text), cupertino)).not.toThrow()
    })
  })
})

test.each([
  ['Montevideo, Montevideo, Uruguay', true],
  ['New York, New York', true],
  ['Salto, Salto, UY', true],
  ['Bavaria, Germany', false],
  ['Montevideo, Uruguay', true],
  ['Soriano, Uruguay', false],
  ['US, US', false],
])('%s names a town: %s', (location, namesTown) => {
  expect(parseLocation(location)?.namesTown).toBe(namesTown)
})

describe('countries and regions', () => {
  test.each([
    ['us', 'US'],
    ['USA', 'US'],
    ['United Kingdom', 'GB'],
    ['England', 'GB'],
    ['Deutschland', 'DE'],
    ['日本', 'JP'],
    ['Korea, Republic of', 'KR'],
    ['Atlantis', null],
  ])('%j is %j', (text, code) => {
    expect(findCountryCode(text)).toBe(code)
  })

  it('countries have their everyday names', () => {
    expect(['US', 'GB', 'KR', 'DE', 'TW', 'AE', 'NL'].map(findCountryName)).toEqual([
      'United States',
      'United Kingdom',
      'South Korea',
      'Germany',
      'Taiwan',
      'United Arab Emirates',
      'Netherlands',
    ])
  })

  test.each([
    ['US', 'CA', 'US-CA'],
    ['US', 'California', 'US-CA'],
    ['US', 'US-CA', 'US-CA'],
    ['CA', 'ON', 'CA-ON'],
    ['DE', 'Bayern', 'DE-BY'],
    ['DE', 'Bavaria-ish', null],
    [null, 'CA', null],
  ])('in %s, %j is %j', (country, region, code) => {
    expect(findRegionCode(country, region)).toBe(code)
  })
})

test.each([
  ['Полтавська', 'UA-53'],
  ['Київська обл.', 'UA-32'],
  ['Свердловская обл.', 'RU-SVE'],
  ['Минская обл.', 'BY-MI'],
  ['จ.ขอนแก่น', 'TH-40'],
  ['จังหวัดขอนแก่น', 'TH-40'],
  ['โคราช', 'TH-30'],
  ['อุดรฯ', 'TH-41'],
  ['महाराष्ट्र', 'IN-MH'],
  ['मधेश प्रदेश', 'NP-P2'],
  ['מחוז חיפה', 'IL-HA'],
])('%s is a region', (name, code) => {
  expect(findRegionCodes(name)).toEqual([code])
})

test.each([
  ['อำเภอเมืองขอนแก่น', 'อ.เมืองขอนแก่น'],
  ['อำเภอ เมืองขอนแก่น', 'ขอนแก่น'],
  ['เขตบางรัก', 'บางรัก'],
  ['Mustamäe linnaosa', 'Mustamäe'],
  ['Kota Adm. Jakarta Pusat', 'Jakarta Pusat'],
  ['Kota Administrasi Jakarta Pusat', 'Kota Jakarta Pusat'],
  ['Kab. Adm. Kepulauan Seribu', 'Kepulauan Seribu'],
  ['Città metropolitana di Milano', 'Milano'],
  ['Gmina Miejska Larkmoor', 'Larkmoor'],
  ['Miasto stołeczne Larkmoor', 'Larkmoor'],
  ['Statutární město Larkmoor', 'Larkmoor'],
  ['Hlavné mesto SR Larkmoor', 'Larkmoor'],
  ['Freie und Hansestadt Larkmoor', 'Larkmoor'],
  ['Universitätsstadt Larkmoor', 'Larkmoor'],
  ['Larkmoor Megyei Jogú Város', 'Larkmoor'],
  ['Larkmoor Büyükşehir Belediyesi', 'Larkmoor'],
  ['City and County of Larkmoor', 'Larkmoor'],
  ['Concelho de Larkmoor', 'Larkmoor'],
  ['городской округ Химки', 'Химки'],
  ['세종특별자치시', '세종시'],
  ['Mt-Laurier', 'Mont-Laurier'],
  ['Mt. Larkmoor', 'Mount Larkmoor'],
  ['Ste-Larkmoor', 'Sainte-Larkmoor'],
  ['Pte-Larkmoor', 'Pointe-Larkmoor'],
  ['N.-D.-du-Larkmoor', 'Notre-Dame-du-Larkmoor'],
  ['Riv.-du-Larkmoor', 'Rivière-du-Larkmoor'],
  ['Pto. Larkmoor', 'Puerto Larkmoor'],
  ['Gral. Larkmoor', 'General Larkmoor'],
])('%s and %s are one town', (one, other) => {
  expect(toCityKey(one)).toBe(toCityKey(other))
})

test('letters of a state are no word of a town', () => {
  expect(toCityKey('Larkmoor ND')).toBe('larkmoornd')
})

test.each([
  ['Bangkok', 'TH-10', 'TH', 'จตุจักร'],
  ['กทม.', 'TH-10', 'TH', 'จตุจักร'],
  ['Tokyo', 'JP-13', 'JP', 'minato'],
  ['Seoul', 'KR-11', 'KR', 'gangnam'],
  ['Москва', 'RU-MOW', 'RU', 'zelenograd'],
])('a company in a district of %s is in this town', (location, regionCode, countryCode, cityKey) => {
  const place = {
    cityKey,
    regionCode,
    postalKey: '',
    countryCode,
    jurisdictionCountry: '',
    jurisdictionRegion: '',
  }
  expect(comparePlaceWithHint(parseLocation(location), place)).toBe('city')
  expect(comparePlaceWithHint(parseLocation(`Larkmoor, ${location}`), place)).toBe('region')
})

describe('a location in other languages', () => {
  const atlanta = place('Atlanta', 'GA', '30301', 'US', 'us_de')
  const tbilisi = place('Tbilisi', null, '', 'GE', 'ge')
  const lebanon = place('Lebanon', 'NH', '', 'US', 'us_nh')
  const bern = place('Bern', 'BE', '3000', 'CH', 'ch')
  const tokyo = place('Tokyo', 'JP-13', '', 'JP', 'jp')
  const stockholm = place('Stockholm', null, '111 22', 'SE', 'se')
  const islamabad = place('Islamabad', null, '', 'PK', 'pk')

  test.each([
    [islamabad, 'اسلام آباد، پاکستان', 'city'],
    [islamabad, 'اسلام آباد', 'city'],
    [place('Karachi', null, '', 'PK', 'pk'), 'کراچی', 'city'],
    [place('KARACHI', null, '', 'PK', 'pk'), 'كراتشي, Pakistan', 'city'],
    [place('Faisalabad', null, '', 'PK', 'pk'), 'فیصل آباد', 'city'],
    [place('Lahore', null, '', 'PK', 'pk'), 'لاہور', 'city'],
    [place('Алматы', null, '', 'KZ', 'kz'), 'Алма-Ата', 'city'],
    [place('Astana', null, '', 'KZ', 'kz'), 'Нур-Султан', 'city'],
    [place('Шымкент', null, '', 'KZ', 'kz'), 'Chimkent', 'city'],
    [place('Toshkent', null, '', 'UZ', 'uz'), 'Ташкент', 'city'],
    [place('Самарқанд', null, '', 'UZ', 'uz'), 'Samarkand', 'city'],
    [place('Бишкек', null, '', 'KG', 'kg'), 'Bishkek', 'city'],
    [place('Dhaka', null, '', 'BD', 'bd'), 'ঢাকা', 'city'],
    [munich, 'Monaco di Baviera, Germania', 'city'],
    [munich, 'Мюнхен, Германия', 'city'],
    [munich, 'D-80331 München', 'city'],
    [munich, 'Bavière, Allemagne', 'region'],
    [munich, 'Köln, Duitsland', 'country'],
    [munich, 'Stockholm, Schweden', 'country_conflict'],
    [munich, '276', 'country'],
    [stockport, 'Älmhult, Schweden', 'country_conflict'],
    [stockport, 'Älmhult Schweden', 'country_conflict'],
    [stockport, 'Stockport, Royaume-Uni', 'city'],
    [cupertino, 'Los Angeles, États-Unis', 'country'],
    [cupertino, 'Madrid, Espagne', 'country_conflict'],
    [atlanta, 'Atlanta, Georgia', 'city'],
    [atlanta, 'Savannah, Georgia', 'region'],
    [atlanta, 'Georgia, USA', 'region'],
    [atlanta, 'USA, Georgia', 'region'],
    [tbilisi, 'Batumi, Georgia', 'country'],
    [tbilisi, 'Atlanta, Georgia, USA', 'country_conflict'],
    [lebanon, 'Lebanon, NH', 'city'],
    [lebanon, 'Concord, NH', 'region'],
    [place('Albany', 'NY', '', 'US'), 'Long Island, New York', 'region'],
    [place('Holland', 'MI', '', 'US'), 'Holland, MI', 'city'],
    [place('Norwich', null, '', 'GB'), 'Thetford, Norfolk', 'country'],
    [place('Saint Helier', null, '', 'JE'), 'Jersey, UK', 'country'],
    [place('Kowloon', null, '', 'HK'), 'Hong Kong, China', 'country'],
    [place('Kinshasa', null, '', 'CD'), 'Congo', 'country'],
    [place('Arlon', 'BE-WLX', '', 'BE'), 'Luxembourg, Belgium', 'region'],
    [place('Arlon', 'BE-WLX', '', 'BE'), 'Luxembourg', 'country_conflict'],
    [bern, 'Bern, BE', 'city'],
    [bern, 'Berne, Suisse', 'city'],
    [tokyo, '東京都港区', 'city'],
    [tokyo, '日本', 'country'],
    [stockholm, 'SE-111 22 Stockholm', 'postal'],
    [munich, 'Hamburg, DE-HH', 'region_conflict'],
    [place('', 'الدقهلية', '', 'EG'), 'محافظة الدقهلية، مصر', 'region'],
    [place('', 'الدقهلية', '', 'EG'), 'Dakahlia, Egypt', 'region'],
    [place('', 'Ad Daqahlīyah', '', 'EG'), 'محافظة الشرقية، مصر', 'region_conflict'],
    [place('', 'دبي', '', 'AE'), 'إمارة الشارقة، الإمارات', 'region_conflict'],
    [
      place('Medellín', 'Antioquia', '', 'CO'),
      'Cali, Departamento del Valle del Cauca, Colombia',
      'region_conflict',
    ],
  ] as const)('%o and %j: %s', (where, hint, expected) => {
    expect(comparePlaceWithHint(parseLocation(hint), where)).toBe(expected)
  })

  const arabic = 'EG SA AE IQ JO MA DZ TN LB KW OM QA YE SD LY SY'.split(' ')
  const groups = Object.entries(placeNames.regions).filter(([code]) => arabic.includes(code.slice(0, 2)))

  test('Arabic and Latin names of a region are one region, also with a title in front', () => {
    expect(new Set(groups.map(([code]) => code.slice(0, 2))).size).toBe(arabic.length)
    for (const [code, names] of groups)
      for (const name of names.split('|').filter(({ length }) => length > 3))
        for (const text of [
          name,
          /[a-z]/i.test(name) ? name.replace(/(?: governorate)?$/i, ' Governorate') : `محافظة ${name}`,
        ])
          expect(findRegionCodes(text), text).toContain(code)
  })

  test.each([
    ['Tỉnh Đồng Nai', 'VN', 'VN-39'],
    ['TP. Hồ Chí Minh', 'VN', 'VN-SG'],
    ['Konya ili', 'TR', 'TR-42'],
    ['Región Metropolitana', 'CL', 'CL-RM'],
    ['Новосибирская обл.', 'RU', 'RU-NVS'],
    ['Wilaya de Blida', 'DZ', 'DZ-09'],
    ['Dhaka', 'BD', 'BD-C'],
    ['DI Yogyakarta', 'ID', 'ID-YO'],
    ['Prov. D.I. Yogyakarta', 'ID', 'ID-YO'],
    ['Daerah Istimewa Yogyakarta', 'ID', 'ID-YO'],
    ['Maluku', 'ID', 'ID-MA'],
    ['Provinsi Papua', 'ID', 'ID-PA'],
    ['Papua Pegunungan', 'ID', 'ID-PE'],
    ['NTT', 'ID', 'ID-NT'],
    ['W.P. Kuala Lumpur', 'MY', 'MY-14'],
    ['Querétaro', 'MX', 'MX-QUE'],
    ['Uttarakhand', 'IN', 'IN-UK'],
    ['Nairobi County', 'KE', 'KE-30'],
    ['Osaka Prefecture', 'JP', 'JP-27'],
    ['Washington State', 'US', 'US-WA'],
    ['Washington County', 'US', null],
    ['Delaware County', 'US', null],
    ['Kent County', 'GB', 'GB-KEN'],
    ['Dhaka Division', 'BD', 'BD-C'],
    ['Silesian Voivodeship', 'PL', 'PL-24'],
    ['Freistaat Bayern', 'DE', 'DE-BY'],
    ['Республика Татарстан', 'RU', 'RU-TA'],
    ['ХМАО', 'RU', 'RU-KHM'],
    ['Hiiumaa', 'EE', 'EE-39'],
    ['Veszprém', 'HU', 'HU-VE'],
    ['Akershus', 'NO', 'NO-32'],
    ['Oromia Region', 'ET', 'ET-OR'],
  ])('%j in %s is %s', (text, country, code) => {
    expect(findRegionCode(country, text)).toBe(code)
  })

  test('The name of each region of Indonesia has one code, and RI is not its Riau', () => {
    // Those of its islands are not provinces.
    const islands = new Set('ID-JW ID-KA ID-ML ID-NU ID-PP ID-SL ID-SM'.split(' '))
    const provinces = iso31662.filter(({ code }) => code.startsWith('ID-') && !islands.has(code))
    expect(provinces.length).toBe(38)
    for (const { code, name } of provinces) expect(findRegionCode('ID', name), name).toBe(code)
    expect(findRegionCodes('RI')).not.toContain('ID-RI')
    expect(parseLocation('Timika, Papua, RI')?.regions).toContain('ID-PA')
  })

  test.each([
    ['Leeds, Elbonia', 'elbonia'],
    ['Elbonia', 'elbonia'],
    ['Leeds, West Yorkshire', ''],
    ['Älmhult, Schweden', ''],
    ['Main Street 12', ''],
    ['Cupertino', 'cupertino'],
  ])('the end of %j that names no country or region is %j', (location, end) => {
    expect(parseLocation(location)?.unreadEnd).toBe(end)
  })
})

test('Large cities have one key by their names in the languages of their neighbours', () => {
  const names = `Trieste=Trst=Triest=Триест; Rijeka=Reka=Fiume; Klagenfurt=Celovec; Graz=Gradec=Grac=Грац; Venezia=Benetke=Wenecja=Venedik
    Udine=Videm; Gorizia=Gorica; Wien=Beč=Dunaj=Bécs=Viyana=Wiedeń=Viena=فيينا; Budapest=Pešta=Budimpešta=Budapeszt
    Timișoara=Temišvar=Temesvár=Temeschwar; Lviv=Lvov=Lwów=Lemberg=Львів; Vilnius=Wilno=Viļņa; București=Bukareszt=Bükreş=Bukurešt
    München=Monachium=Múnich=Münih; Nürnberg=Norymberga=Núremberg; Dresden=Drezno=Drážďany; Leipzig=Lipsk=Lipsko; Aachen=Akwizgran
    Köln=Kolonia=Colonia; Milano=Mediolan=Milán; Bratislava=Pozsony=Pressburg; Košice=Kassa=Kaschau; Cluj-Napoca=Kolozsvár
    Zagreb=Zágráb=Agram; Ljubljana=Lubiana=Lublana=Laibach; Thessaloniki=Selanik=Solun=Salónica; Athina=Atina=Atene=Atenas=Atény
    London=Londra=Londres=Londýn; New York=Nueva York; Genève=Ginebra=Ženeva=Cenevre; Basel=Basilea; Frankfurt=Fráncfort
    Antwerpen=Amberes=Antwerpia; Bordeaux=Burdeos=Бордо; Roma=Rim=Rzym=Řím=روما; Beograd=Belgrád=Belgrado; Skopje=Üsküp=Скопие`
  for (const group of names.split(/[;\n]/)) {
    const keys = group.split('=').map((name) => toCityKey(name.trim()))
    expect(new Set(keys).size, group).toBe(1)
  }
  expect(toCityKey('Gradec')).not.toBe(toCityKey('Gorica'))
})

test('Each name of a town with several has its key, and is in one group', () => {
  const groups = placeNames.cities.slice(404).map((group) => group.split(' '))
  expect(groups.length).toBeGreaterThan(390)
  for (const [first = '', ...others] of groups)
    for (const name of others) expect(toCityKey(name.replaceAll('-', ' ')), name).toBe(toPlaceKey(first))
  expect(new Set(groups.flat()).size).toBe(groups.flat().length)
})

test.each([
  'GR: Ρόδος=Rhodes=Rodos; Μυτιλήνη=Mytilene=Mitilini; Λάρισα=Larissa; Χαλκίδα=Chalkis=Halkida; Ιωάννινα=Γιάννενα=Yannena',
  'GR: Θήρα=Σαντορίνη=Santorini; Θεσσαλονίκη=Θεσ/νίκη=ΘΕΣ/ΝΙΚΗ=Salonica; Αλεξανδρούπολη=Αλεξ/πολη=Alexandroupolis; Πάτρα=Πάτραι=Patras',
  'CY: Αμμόχωστος=Famagusta=Gazimağusa; Κερύνεια=Kyrenia=Girne',
  'BG: Русе=Rousse; Бургас=Bourgas; Велико Търново=Veliko Turnovo',
  'AL: Vlorë=Vlora=Valona; Korçë=Korça; Elbasan=Elbasani; MK: Охрид=Ohër; Скопје=Shkup',
  'RO: Târgu Mureș=Tg. Mureș=Tîrgu Mureș=Marosvásárhely; Râmnicu Vâlcea=Rm. Vâlcea; Constanța=Köstence',
  'TR: Gaziantep=Antep; Kahramanmaraş=K.Maraş; Mersin=İçel; İstanbul=Κωνσταντινούπολη',
  'UA: Рівне=Rovno; Бахмут=Артемівськ; Кам’янське=Дніпродзержинськ; Біла Церква=Белая Церковь',
  'AM: Վաղարշապատ=Echmiadzin; GE: სოხუმი=Sukhumi',
  'EG: الغردقة=Hurghada; رشيد=Rosetta; MA: الصويرة=Essaouira=Mogador; المحمدية=Mohammedia',
])('a town has one key by its everyday names and those in other languages: %s', (line) => {
  let country = ''
  for (const group of line.split('; ')) {
    country = /^[A-Z]{2}(?=:)/.exec(group)?.[0] ?? country
    const names = group.replace(/^[A-Z]{2}: /, '').split('=')
    for (const asked of names)
      for (const own of names)
        expect(
          comparePlaceWithHint(parseLocation(`${asked}, ${country}`), place(own, null, '', country)),
          `${asked} and ${own}`,
        ).toBe('city')
  }
})

test('A name that is a word or a town elsewhere counts next to its country', () => {
  for (const [country, groups] of Object.entries(placeNames.local_cities))
    for (const names of groups.split('|').map((group) => group.split(' ')))
      for (const [at, name] of names.entries()) {
        // A territory has several towns, which are no names of each other.
        if (names.includes('federal-territory')) continue
        // Three letters may be the code of a region.
        if (name.length < 4) continue
        const other = place(names.at(at - 1) ?? '', null, '', country)
        const written = name.replaceAll('-', ' ')
        const near = comparePlaceWithHint(parseLocation(`${written}, ${findCountryName(country)}`), other)
        expect(near, `${country} ${name}`).toBe('city')
      }
  const mons = place('Mons', null, '', 'BE')
  expect(comparePlaceWithHint(parseLocation('Bergen'), mons)).toBe('none')
  expect(comparePlaceWithHint(parseLocation('Bergen, Norway'), mons)).toBe('country_conflict')
  expect(comparePlaceWithHint(parseLocation('Hoei, Belgium'), mons)).toBe('country')
  expect(comparePlaceWithHint(parseLocation('Fribourg, CH'), place('Freiburg', null, '', 'DE'))).not.toBe(
    'city',
  )
})

describe('towns of countries with several languages', () => {
  const near = (asked: string, town: string, country: string) =>
    comparePlaceWithHint(parseLocation(`${asked}, ${country}`), place(town, null, '', country))

  test.each([
    ['Melaka', 'MY', 'Malacca|马六甲|馬六甲'],
    ['Johor Bahru', 'MY', 'Johor Bharu|JB|新山'],
    ['Petaling Jaya', 'MY', 'PJ|八打靈再也'],
    ['Kota Kinabalu', 'MY', 'KK|亞庇'],
    ['Kuala Lumpur', 'MY', 'KL|吉隆坡|W.P. Kuala Lumpur|Wilayah Persekutuan'],
    ['Labuan', 'MY', 'Federal Territory'],
    ['Jakarta', 'ID', '雅加達|DKI Jakarta|Jkt'],
    ['Phuket', 'TH', 'ภูเก็ต|普吉'],
    ['Đà Nẵng', 'VN', '岘港|Danang'],
    ['Quezon City', 'PH', 'QC|Q.C.'],
    ['Taichung', 'TW', '臺中市|台中|Taizhong'],
    ['CASABLANCA', 'MA', 'Casa|casa|البيضاء|الدار البيضاء|DAR BEIDA|Dar El Beida'],
    ['OUJDA', 'MA', 'وجدة|oujda'],
    ['Settat', 'MA', 'سطات'],
    ['Alger', 'DZ', 'الجزائر|Algiers'],
    ['Constantine', 'DZ', 'قسنطينة'],
    ['Sfax', 'TN', 'صفاقس'],
    ['Alexandria', 'EG', 'Alex|الاسكندرية|إسكندرية'],
    ['Санкт-Петербург', 'RU', 'SPb|СПб|Питер|Piter|Saint Petersburg'],
    ['Екатеринбург', 'RU', 'Ekat|Екат|Екб|Ekaterinburg'],
    ['Нижний Новгород', 'RU', 'Н. Новгород|Nizhny'],
    ['Buenos Aires', 'AR', 'Bs As|Bs. As.|CABA|Baires'],
    ['Johannesburg', 'ZA', "Jburg|Joburg|Jo'burg|JHB"],
    ['Philadelphia', 'US', 'Philly|Phila.'],
    ['St. Petersburg', 'US', 'St Pete|St. Pete'],
    ['Las Vegas', 'US', 'Vegas'],
    ['Rio de Janeiro', 'BR', 'Rio'],
    ['Bengaluru', 'IN', "Bangalore|B'lore|Blr"],
    ['Mumbai', 'IN', 'Bombay'],
    ['Gurugram', 'IN', 'Gurgaon'],
    ['Visakhapatnam', 'IN', 'Vizag'],
    ['Ho Chi Minh City', 'VN', 'Saigon|HCMC'],
    ['Ciudad de México', 'MX', 'CDMX|Mexico City|México D.F.'],
    ['København', 'DK', 'Copenhagen|CPH|Kbh.'],
    ['Stockholm', 'SE', 'Sthlm'],
    ['Marrakech', 'MA', 'Marrakesh|مراكش'],
    ['Newcastle upon Tyne', 'GB', 'Newcastle'],
    ['Warszawa', 'PL', 'Wawa|W-wa'],
  ])('%s, %s: %s', (town, country, names) => {
    for (const name of names.split('|')) expect(near(name, town, country), name).toBe('city')
  })

  test.each([
    ['KK', 'Kuching', 'MY'],
    ['JB', 'Kota Kinabalu', 'MY'],
    ['Kuala Lumpur', 'Labuan', 'MY'],
    ['JB', 'Johor Bahru', 'ID'],
    ['QC', 'Quezon City', 'CA'],
    ['Wilayah Persekutuan', 'Ipoh', 'MY'],
    ['Casa', 'Casablanca', 'CL'],
    ['البيضاء', 'Casablanca', 'LY'],
    ['Rio', 'Rio de Janeiro', 'GR'],
  ])('%s is not %s, %s', (asked, town, country) => {
    expect(near(asked, town, country)).not.toBe('city')
  })
})

test.each(
  `Тошкент вилояти=UZ-TO Ташкентская область=UZ-TO Toshkent viloyati=UZ-TO Фарғона вилояти=UZ-FA Ферганская область=UZ-FA
  Алматинская область=KZ-19 Жамбыл облысы=KZ-31 Ошская область=KG-O Киевская область=UA-32 Київська область=UA-32
  Гомельская область=BY-HO Вилояти Суғд=TJ-SU Vilniaus apskritis=LT-VL Львівська обл.=UA-46`
    .split(/(?<==\S+)\s+/)
    .map((one) => one.split('=')),
)('%s is the region %s, and not the town given', (text = '', code = '') => {
  const read = parseLocation(text)
  expect([...(read?.regions ?? [])]).toEqual([code])
  expect(read?.namesTown).toBe(false)
})

test.each([
  [
    'MA',
    'Oujda|Kénitra|Salé|Meknès|El Jadida|Nador|Safi|Tétouan|Settat|وجدة|Agadir|Fès',
    'Oriental|Souss-Massa',
  ],
  ['ES', 'Toledo|Córdoba|Cuenca|Murcia|Lugo', 'Navarra|Asturias|Andalucía|Bizkaia'],
  ['IT', 'Lucca|Rimini|Cuneo|Treviso', 'Toscana|Lombardia|Veneto'],
  ['TR', 'Samsun|Kayseri|Denizli', ''],
  ['AR', 'Córdoba|Salta|Mendoza|Corrientes', 'Santa Cruz|Chubut|Entre Ríos'],
  ['VN', 'Huế|Bắc Ninh|Cần Thơ', ''],
  ['KR', 'Daegu|Ulsan|대구', 'Gyeonggi-do'],
  ['BE', 'Namur|Liège|Antwerpen', 'Limburg|Hainaut'],
  ['NL', 'Utrecht|Groningen', 'Limburg|Gelderland'],
  ['HU', 'Győr|Szeged|Eger', 'Zala|Baranya'],
  ['RO', 'Suceava|Buzău|Arad', 'Argeș|Bihor'],
  ['IE', 'Cork|Galway|Sligo', 'Kerry|Mayo'],
  ['PE', 'Arequipa|Cusco|Tacna', 'Loreto|Ancash'],
  ['MX', 'Puebla|Zacatecas|Colima', 'Jalisco|Sonora'],
  ['UZ', 'Samarqand|Namangan', 'Xorazm'],
  ['SN', 'Thiès|Kaolack', ''],
])('In %s, %s are towns, and no regions that they give their names: %s', (country, towns, regions) => {
  for (const town of towns.split('|')) {
    const hint = parseLocation(`${town}, ${country}`)
    expect([town, hint?.namesTown]).toEqual([town, true])
    const isOther = hint !== null && isOtherTown(hint, { city: 'Larkmoor', street: null, region: null })
    expect([town, isOther]).toEqual([town, true])
  }
  for (const region of regions === '' ? [] : regions.split('|'))
    expect([region, parseLocation(`${region}, ${country}`)?.namesTown]).toEqual([region, false])
})

test('"Toshkent shahri" is the town', () => {
  for (const text of ['Toshkent shahri', 'Тошкент шаҳри', 'г. Ташкент'])
    expect(parseLocation(text)?.namesTown, text).toBe(true)
})

describe('towns that have the name of a region, a country or a town elsewhere', () => {
  const homonyms = `Santo Domingo/Pichincha/EC; Cuenca/Azuay/EC; Santiago/Ñuble/CL; Paris/Texas/US; Birmingham/Alabama/US
    Barcelona/Anzoátegui/VE; Trinidad/Beni/BO; Hyderabad/Sindh/PK; Victoria/Tamaulipas/MX; Durango/Bizkaia/ES
    Mexico/Missouri/US; Lebanon/Pennsylvania/US; Peru/Indiana/US; Mérida/Yucatán/MX; León/Guanajuato/MX; Jordan/Minnesota/US
    Guadalajara/Jalisco/MX; Valencia/Carabobo/VE; Santa Cruz/California/US; Granada/Meta/CO; Armenia/Quindío/CO
    Toledo/Ohio/US; Dublin/Ohio/US; London/Ontario/CA; Ontario/California/US; Salvador/Bahia/BR; Andorra/Teruel/ES
    Toledo/Paraná/BR; Panama City/Florida/US; Cuba/New Mexico/US; Tbilisi/Georgia/GE; Monaco/Bayern/DE; Trujillo/Extremadura/ES`
  const towns = homonyms.split(/[;\n]/).map((one) => one.trim().split('/'))

  test.each(towns)('%s, %s is in %s', (town = '', region = '', country = '') => {
    const hint = parseLocation(`${town}, ${region}`)
    const found = [...(hint?.countries ?? []), ...[...(hint?.regions ?? [])].map((code) => code.slice(0, 2))]
    expect(found.filter((code) => code !== country)).toEqual(found.includes('UY') ? ['UY'] : [])
    expect(found).toContain(country)
    const cells = [town, region]
    expect(readCompanyCountry({ cells, parts: ['city', 'region'], name: null }, null).country).toBe(country)
  })

  test.each([
    'Cuenca/EC/ES',
    'Santo Domingo/EC/DO',
    'Santiago/CL/DO',
    'Mérida/MX/VE',
    'Guadalajara/MX/ES',
    'Tripoli/LB/LY',
  ])('alone, %s tells no country, and a number, a form or none decides', (line) => {
    const [town = '', here = '', there = ''] = line.split('/')
    const read = (name: string | null, number: string | null) =>
      readCompanyCountry({ cells: [town], parts: ['city'], name }, number)
    expect(read(null, null).country).toBeNull()
    expect(read(null, null).possible).toEqual(expect.arrayContaining([here, there]))
    expect(read(null, here).country).toBe(here)
    expect(read(null, there).country).toBe(there)
    const hint = parseLocation(town)
    expect(comparePlaceWithHint(hint, place('Larkmoor', null, '', here))).toBe('none')
    expect(comparePlaceWithHint(hint, place(town, null, '', here))).toBe('city')
    expect(comparePlaceWithHint(hint, place('Larkmoor', null, '', 'JP'))).toBe('country_conflict')
  })

  it.each([
    ['Lebanon', 'country', 'LB'],
    ['Georgia', 'country', 'GE'],
    ['Singapore', 'city', 'SG'],
    ['Wien', 'city', 'AT'],
    ['Larkmoor, Ecuador', 'address', 'EC'],
    ['CA', 'country', 'CA'],
  ])('%s in a column of %s is in %s', (cell, part, country) => {
    expect(readCompanyCountry({ cells: [cell], parts: [part], name: null }, null).country).toBe(country)
  })

  it.each([
    ['Larkmoor Cía. Ltda.', 'Cuenca', 'EC'],
    ['Norvane S.L.U.', 'Mérida', 'ES'],
    ['Norvane S.A. de C.V.', 'Mérida', 'MX'],
  ])('the form of %s tells in which country its %s is', (name, town, country) => {
    expect(readCompanyCountry({ cells: [town], parts: ['city'], name }, null).country).toBe(country)
  })

  it('no state of the United States is meant by a country next to its town', () => {
    const atlanta = place('Macon', 'GA', '', 'US')
    for (const text of ['Tbilisi, Georgia', 'Batumi, Georgia', 'Georgia, Kutaisi'])
      expect(comparePlaceWithHint(parseLocation(text), atlanta)).toBe('country_conflict')
    expect(comparePlaceWithHint(parseLocation('Athens, Georgia'), atlanta)).toBe('region')
  })
})

test.each([
  'Bakı=Bakı şəhəri=Bakı ş.=Bakı şəh.=BAKI ŞƏHƏRİ=г. Баку=Баку=Baku',
  'Gəncə=Gəncə ş.=Gəncə şəhəri',
  'Biləsuvar=Biləsuvar rayonu=Biləsuvar r-nu=Biləsuvar r.',
  'Larkmoor=Larkmoor shahri=Larkmoor qəsəbəsi=Larkmoor köyü=с. Larkmoor=п. Larkmoor=гр. Larkmoor=ქ. Larkmoor=ք. Larkmoor',
  '四日市=四日市市',
])('a town is the same with and without the word for its kind: %s', (line) => {
  const [town = '', ...others] = line.split('=')
  for (const other of others) {
    expect(toCityKey(other), other).toBe(toCityKey(town))
    expect(comparePlaceWithHint(parseLocation(other), place(town, null, '', 'AZ'))).toBe('city')
    expect(parseLocation(other)?.cities.has(toCityKey(town))).toBe(true)
  }
})

test.each([
  ['CO', 'Cali=Santiago de Cali=SANTIAGO DE CALI'],
  ['CO', 'Pasto=San Juan de Pasto'],
  ['CO', 'CUCUTA=San José de Cúcuta'],
  ['CO', 'Cartagena de Indias=Cartagena'],
  ['CO', 'Bucaramanga=B/manga=B/MANGA'],
  ['CO', 'BARRANQUILLA=B/quilla'],
  ['CO', 'Santa Marta=S/marta=Sta. Marta'],
  ['CO', 'BOGOTA D.C.=Bogotá=Bogotá, D.C.=Santa Fe de Bogotá=Bogotá Distrito Capital'],
  ['MX', 'Querétaro=Santiago de Querétaro'],
  ['MX', 'Campeche=San Francisco de Campeche'],
  ['MX', 'Oaxaca de Juárez=Oaxaca'],
  ['AR', 'San Miguel de Tucumán=S. M. de Tucumán=Tucumán'],
  ['AR', 'Catamarca=San Fernando del Valle de Catamarca'],
  ['AR', 'Ciudad Autónoma de Buenos Aires=CABA=Buenos Aires'],
  ['BO', 'Santa Cruz de la Sierra=Santa Cruz'],
  ['BO', 'La Paz=Nuestra Señora de La Paz'],
  ['DO', 'Santiago de los Caballeros=Santiago'],
  ['EC', 'Quito=San Francisco de Quito'],
  ['GT', 'Guatemala=Ciudad de Guatemala'],
  ['PA', 'Panamá=Ciudad de Panamá'],
  ['CL', 'Santiago=Santiago de Chile'],
  ['ES', 'Las Palmas de Gran Canaria=Las Palmas'],
  ['PT', 'Vila Nova de Gaia=V. N. de Gaia=Gaia'],
  ['BR', 'Belém=Belém do Pará'],
  ['FR', 'Châlons-en-Champagne=Châlons-sur-Marne'],
  ['IT', "Reggio nell'Emilia=Reggio Emilia"],
])('in %s, the official and the everyday name of a town are one: %s', (country, line) => {
  const names = line.split('=')
  for (const town of names)
    for (const other of names) {
      const asked = parseLocation(`${other}, ${country}`)
      expect(comparePlaceWithHint(asked, place(town, null, '', country)), `${other} of ${town}`).toBe('city')
    }
})

test.each(['AZ 1025', 'LV 1010', 'MD 2001', 'LT 01103', 'SI 1000', 'HR 10000', 'AD 500', 'L 1855'])(
  'the postal code %s is the same with and without its country',
  (line) => {
    const [prefix = '', digits = ''] = line.split(' ')
    const isLong = prefix.length === 2
    for (const held of [digits, `${prefix}-${digits}`, `${prefix}${digits}`])
      for (const asked of [
        ...(digits.length > 3 ? [digits, `${prefix}-${digits}`] : []),
        ...(isLong ? [prefix + digits] : []),
      ])
        expect(comparePlaceWithHint(parseLocation(asked), place('', null, held, '')), asked).toBe('postal')
  },
)

test.each([
  ['府中市', '広島県', 'JP', '東京都府中市', 'region_conflict'],
  ['四日市市', '三重県', 'JP', '三重県四日市市', 'city'],
  ['Neustadt', 'Sachsen', 'DE', 'Neustadt, Bayern', 'region_conflict'],
  ['Neustadt', 'Sachsen', 'DE', 'Neustadt, Sachsen', 'city'],
  ['Springfield', 'IL', 'US', 'Springfield, MO', 'region_conflict'],
  ['Larkmoor', 'Milano', 'IT', 'Larkmoor, Lombardia', 'city'],
  ['Larkmoor', 'Lombardia', 'IT', 'Larkmoor, Sicilia', 'region_conflict'],
  ['Lima', 'PE-LMA', 'PE', 'Lima', 'city'],
  ['Larkmoor', 'Greater Manchester', 'GB', 'Larkmoor, Surrey', 'city'],
] as const)('%s in %s (%s) and %s: %s', (town, region, country, asked, expected) => {
  expect(comparePlaceWithHint(parseLocation(asked), place(town, region, '', country))).toBe(expected)
})

describe('towns of one sound in other letters', () => {
  test.each(
    `عمان معان JO; الرملة الرمل SY; רמלה רמלא IL; עפרה אפרה IL; 苏州市 宿州市 CN; 福州市 抚州市 CN; 玉林 榆林 CN; 宜春市 伊春市 CN
    荊州 靖州 CN; 川内市 仙内市 JP; 大垣市 大園市 JP; 동해시 동애시 KR; พระแสง พระแสน TH; เกาะ แก่ะ TH`
      .split(/[;\n]/)
      .map((one) => one.trim().split(' ')),
  )('%s is not %s', (one = '', other = '', country = '') => {
    for (const [asked, held] of [
      [one, other],
      [other, one],
    ] as const) {
      const hint = parseLocation(asked)
      expect(comparePlaceWithHint(hint, place(asked, null, '', country))).toBe('city')
      expect(comparePlaceWithHint(hint, place(held, null, '', country))).not.toBe('city')
    }
  })

  test('each of two texts in one script is its own town alone', () => {
    const scripts = [
      'ابتثجحخدذرزسشصضطظعغفقكلمنهوي',
      'אבגדהזחטכלמנסעפצקרשת',
      'กขคงจฉชซญดตถทนบปผพฟมยรลวสหอ',
      '가나다라마바사아자차거너더러',
    ]
    const words = scripts.map((letters) =>
      fc.tuple(
        ...[0, 1].map(() =>
          fc.string({ unit: fc.constantFrom(...Array.from(letters)), minLength: 4, maxLength: 7 }),
        ),
      ),
    )
    forAll(300, [fc.oneof(...words)], ([one = '', other = '']) => {
      if (/^ال/.test(one) || /^ال/.test(other)) return
      expect(toCityKey(one) === toCityKey(other)).toBe(one === other)
    })
  })

  test.each([
    'الزرقاء=الزرقا=زرقاء',
    'إربد=اربد=أربد',
    'عمّان=عَمّان=عمان',
    'קריית גת=קרית גת=קרית־גת',
    'פתח תקווה=פתח תקוה',
    '廣州市=广州=廣州',
    'لاہور=لاهور',
    'کراچی=كراچي',
    'Fort Larkmoor=FT LARKMOOR=Ft. Larkmoor=Ft.Larkmoor',
    'Saint Velmora=St. Velmora=ST VELMORA=Sankt Velmora=Sint-Velmora=St-Velmora',
    'Mount Norvane=Mt Norvane',
    'Norvane Springs=Norvane Spgs=NORVANE SPGS.',
    'Norvane Heights=Norvane Hts',
    'Velmora=City of Velmora=Lungsod ng Velmora=Siyudad ng Velmora=Dakbayan sa Velmora=Jiji la Velmora=Ciudad de Velmora=Bandaraya Velmora',
    'Manila=Lungsod ng Maynila=City of Manila',
    'Davao City=Dabaw=Lungsod ng Dabaw=Davao',
    'Quezon City=Lungsod Quezon=Lungsod ng Quezon=Lungsod Ng Quezon',
  ])('spellings of one town are the same: %s', (line) => {
    const [town = '', ...others] = line.split('=')
    for (const other of others) expect(toCityKey(other), other).toBe(toCityKey(town))
  })

  test.each([
    ['苏州市', 'Suzhou', 'CN'],
    ['Suzhou', '苏州', 'CN'],
    ['大阪市', 'Osaka', 'JP'],
    ['수원시', 'Suwon', 'KR'],
    ['ميونخ', 'München', 'DE'],
  ])('%s is %s in other letters, and so is a key of an earlier registry', (held, asked, country) => {
    expect(comparePlaceWithHint(parseLocation(asked), place(held, null, '', country))).toBe('city')
    const earlier = { ...place(held, null, '', country), cityKey: toPlaceKey(toCityKey(held)) }
    for (const text of [asked, held]) expect(comparePlaceWithHint(parseLocation(text), earlier)).toBe('city')
  })
})

test.each(
  '경남 KR-48; 경북 KR-47; 전남 KR-46; 전북 KR-45; 전북특별자치도 KR-45; 충남 KR-44; 충북 KR-43; 강원 KR-42; 강원특별자치도 KR-42; 경기 KR-41; 제주 KR-49; 세종 KR-50; Gyeongnam KR-48; Jabar ID-JB; Jateng ID-JT; Kaltim ID-KI; Sumut ID-SU; Sulsel ID-SN; 陕西 CN-SN; 陝西省 CN-SN; 山西 CN-SX; 山西省 CN-SX; معان JO-MN; عمان JO-AM'
    .split('; ')
    .map((one) => one.split(' ')),
)('the short name %s is that of the region %s', (name = '', code = '') => {
  expect(findRegionCodes(name)).toEqual([code])
})

describe('a country with the name of a large city in another country', () => {
  const amman = place('عمان', 'عمان', '', 'JO', 'jo')
  const irbid = place('إربد', 'إربد', '', 'JO', 'jo')
  const muscat = place('مسقط', 'مسقط', '', 'OM', 'om')

  test.each([
    ['عمان', 'city', 'region_conflict', 'country'],
    ['عمّان', 'city', 'region_conflict', 'country'],
    ['الشميساني، عمان', 'city', 'region_conflict', 'country'],
    ['عمان، الأردن', 'city', 'region_conflict', 'country_conflict'],
    ['عمان, JO', 'city', 'region_conflict', 'country_conflict'],
    ['إربد، عمان', 'city', 'city', 'country_conflict'],
    ['مسقط، عمان', 'country_conflict', 'country_conflict', 'city'],
    ['صلالة، عمان', 'country_conflict', 'country_conflict', 'region_conflict'],
    ['عمان, OM', 'country_conflict', 'country_conflict', 'country'],
    ['سلطنة عمان', 'country_conflict', 'country_conflict', 'country'],
  ] as const)('%s is %s for Amman, %s for Irbid and %s for Muscat', (asked, ...expected) => {
    const hint = parseLocation(asked)
    expect([amman, irbid, muscat].map((held) => comparePlaceWithHint(hint, held))).toEqual(expected)
  })

  test.each([
    [['عمان'], ['city'], 'JO'],
    [['عمان'], ['region'], 'JO'],
    [['عمان'], ['country'], 'OM'],
    [['عمان'], ['address'], null],
    [['مسقط', 'عمان'], ['city', 'country'], 'OM'],
    [['عمان', 'عمان'], ['city', 'country'], 'OM'],
    [['إربد', 'عمان'], ['city', 'region'], 'JO'],
    [['Luxembourg'], ['country'], 'LU'],
  ] as const)('%j below %j is in %s', (cells, parts, country) => {
    expect(readCompanyCountry({ cells, parts, name: null }, null).country).toBe(country)
  })

  test.each(['Luxembourg', 'Georgia', 'Panama', 'Singapore', 'Kuwait', 'Mexico', 'Şam', 'Jordan', 'Oman'])(
    'no other country is meant by %s',
    (name) => {
      const codes = findCountryCode(name)
      expect([...(parseLocation(name)?.countries ?? [])]).toEqual(codes === null ? [] : [codes])
    },
  )
})

describe('towns in the genitive, as registers state them', () => {
  const pairs =
    `GR Βόλος ΒΟΛΟΥ; GR Πειραιάς ΠΕΙΡΑΙΩΣ; GR Ιωάννινα ΙΩΑΝΝΙΤΩΝ; GR Κόρινθος ΚΟΡΙΝΘΙΩΝ; GR Σέρρες ΣΕΡΡΩΝ; GR Χαλκίδα ΧΑΛΚΙΔΕΩΝ
    GR Ρέθυμνο ΡΕΘΥΜΝΗΣ; GR Άλιμος ΑΛΙΜΟΥ; GR Ηλιούπολη ΗΛΙΟΥΠΟΛΕΩΣ; GR Ασπρόπυργος ΑΣΠΡΟΠΥΡΓΟΥ; GR Αχαρνές ΑΧΑΡΝΩΝ; GR Λάρισα ΛΑΡΙΣΑΙΩΝ
    GR Volos ΒΟΛΟΥ; GR Larisa ΛΑΡΙΣΑΙΩΝ; GR Ν.Σμύρνη ΝΕΑΣ_ΣΜΥΡΝΗΣ; GR Αγ.Παρασκευή ΑΓΙΑΣ_ΠΑΡΑΣΚΕΥΗΣ; LV Liepāja Liepājas; LV Cēsis Cēsis; LT Kaunas Kauno; LT Šiauliai Šiaulių`
      .split(/[;\n]/)
      .map((line) => line.trim().replaceAll('_', '\u00a0').split(' '))

  test.each(pairs)('%s: %s is %s', (country = '', town = '', held = '') => {
    const registered = place(held.replace('\u00a0', ' '), null, '', country)
    expect(comparePlaceWithHint(parseLocation(town), registered)).toBe('city')
  })

  test.each(pairs)('%s: %s is no other town of the list', (country = '', town = '', held = '') => {
    for (const [other = '', , named = ''] of pairs.filter(
      ([code, , one]) => code === country && one !== held,
    )) {
      const registered = place(named.replace('\u00a0', ' '), null, '', other)
      if (!town.toLowerCase().startsWith('vol') && !town.toLowerCase().startsWith('lar'))
        expect(comparePlaceWithHint(parseLocation(town), registered), named).not.toBe('city')
    }
  })
})

test.each([
  ['Lungsod Quezon, Pilipinas', 'Quezon City', 'city'],
  ['Lungsod ng Quezon, Philippines', 'Quezon City', 'city'],
  ['Lungsod ng Malolos, PH', 'City of Malolos', 'city'],
  ['Heneral Santos, Pilipinas', 'General Santos City', 'city'],
  ['Kalookan, PH', 'City of Caloocan', 'city'],
  ['Lungsod ng Lusena, Quezon, PH', 'Lucena City', 'city'],
  ['Lungsod Quezon, Pilipinas', 'Davao City', 'country'],
])('%s is %s: %s', (asked, town, agreement) => {
  expect(comparePlaceWithHint(parseLocation(asked), place(town, null, '', 'PH'))).toBe(agreement)
})

test('a city with the name of a province is in another region', () => {
  expect([findRegionCodes('Lungsod ng Quezon'), findRegionCodes('Lalawigan ng Quezon')]).toEqual([
    [],
    ['PH-QUE'],
  ])
})

describe('a company whose address is one line', () => {
  const hold = (line: string, country: string): Place => ({
    ...place('', null, '', country),
    ...readPlaceLine({ cityKey: '', regionCode: '', postalKey: '' }, line, country),
  })

  test.each([
    ['인천광역시 중구 서해대로 365', 'KR', '인천광역시 중구 서해대로 365', 'city'],
    ['인천광역시 중구 서해대로 365', 'KR', '인천', 'city'],
    ['인천광역시 중구 서해대로 365', 'KR', '부산광역시 중구 중앙대로 196', 'region_conflict'],
    ['경기도 성남시 분당구 라크로 1', 'KR', '성남시', 'city'],
    ['경남 김해시 노르바로 7', 'KR', '경상남도, 김해시', 'city'],
    ['広島県府中市', 'JP', '東京都府中市', 'region_conflict'],
    ['경기도 안산시 단원구 라크로 1', 'KR', 'Ansan-si', 'city'],
    ['대전광역시 유성구 라크로 1', 'KR', 'Daejeon', 'city'],
    ['東京都港区芝公園4-2-8', 'JP', '日本 東京', 'city'],
    ['北京市海淀区科技路1号', 'CN', '中国北京', 'city'],
    ['ქ. თბილისი, ლარკის 5', 'GE', 'თბ.', 'city'],
    ['ქ. თბილისი, ლარკის 5', 'GE', 'თბილისში', 'city'],
    ['Bakı şəhəri, Larkmoor küçəsi 5', 'AZ', 'ბაქო', 'city'],
    ['ք. Երևան, Լարկ փ. 5', 'AM', 'ერევანი', 'city'],
    ['東京都港区芝公園4-2-8', 'JP', '東京都港区芝公園4-2-8', 'city'],
    ['广东省深圳市南山区科技路1号', 'CN', '广东省深圳市', 'city'],
    ['وادي موسى', 'JO', 'وادي موسى', 'city'],
    ['عمان - الجاردنز', 'JO', 'عمان', 'city'],
    ['عمان - الجاردنز', 'JO', 'الزرقاء', 'region_conflict'],
    ['Larkmoor', 'AL', 'Larkmoor', 'city'],
    ['12 Norvane Street, Larkmoor, 4001', 'AL', 'Larkmoor', 'city'],
    ['12 Norvane Street, Larkmoor, 4001', 'AL', '4001', 'postal'],
    ['Rruga Norvane, Durrës', 'AL', 'Durrës', 'city'],
    // Of several names, none is surely the town, and a street is none.
    ['Rruga Norvane, Lagjja Larkmoor', 'AL', 'Rruga Norvane', 'none'],
    ['Norvane Business Park Larkmoor', 'CH', 'Larkmoor', 'none'],
    ['Norvane Road', 'GB', 'Norvane Road', 'none'],
    ['Larkmoor House 12', 'GB', 'Larkmoor', 'none'],
  ] as const)('%s (%s) and %s: %s', (line, country, asked, expected) => {
    const found = comparePlaceWithHint(parseLocation(asked), hold(line, country))
    expect(found).toBe(expected)
  })

  test('what the register states in columns stays', () => {
    const stated = { cityKey: 'larkmoor', regionCode: 'KR-26', postalKey: '48000' }
    expect(readPlaceLine(stated, '인천광역시 중구', 'KR')).toEqual(stated)
    expect(readPlaceLine({ ...stated, cityKey: '' }, '인천광역시 중구', 'KR').regionCode).toBe('KR-26')
    forAll(300, [fc.string({ maxLength: 60 })], (line) => {
      expect(readPlaceLine(stated, line, 'KR')).toEqual(stated)
      expect(typeof readPlaceLine({ cityKey: '', regionCode: '', postalKey: '' }, line, 'KR').cityKey).toBe(
        'string',
      )
    })
  })
})

test.each([
  ['Mazatenango, Guatemala', 'guatemala', false],
  ['Mixco, Guatemala, Guatemala', 'guatemala', false],
  ['Esch-sur-Alzette, Luxembourg', 'luxembourg', false],
  ['Colón, Panamá', 'panama', false],
  ['Monterrey, México', 'mexico', false],
  ['Hawally, Kuwait', 'kuwait', false],
  ['Ali Sabieh, Djibouti', 'djibouti', false],
  ['Guatemala', 'guatemala', true],
  ['Guatemala, Guatemala', 'guatemala', true],
  ['Guatemala, GT', 'guatemala', true],
  ['Zona 10, Guatemala', 'guatemala', true],
  ['5a avenida 3-20, Guatemala', 'guatemala', true],
  ['Ciudad de Guatemala, Guatemala', 'guatemala', true],
  ['Luxembourg-Ville, Luxembourg', 'luxembourg', true],
  ['Jurong, Singapore', 'singapore', true],
  ['Enfield, Lebanon, NH', 'lebanon', true],
])('Behind another town, a country is not its town: %s', (location, town, isTown) => {
  expect(parseLocation(location)?.cities.has(town)).toBe(isTown)
})

describe('short forms that are codes of other countries', () => {
  const forms = Object.entries(countryNames.shortForms).flatMap(([code, others]) =>
    others.split(' ').map((own) => ({ code, own })),
  )

  test.each(forms)('$code may be $own, in a cell and at the end of an address', ({ code, own }) => {
    // `RI` and `RP` are short for official names only.
    const isCode = findCountryCode(code) !== null
    for (const text of [code, `Larkmoor, ${code}`, `Larkmoor ${code}`])
      expect([...(parseLocation(text)?.countries ?? [])], text).toEqual(
        expect.arrayContaining(isCode ? [own, code] : [own]),
      )
    const readCell = (country: string | null) =>
      readCompanyCountry({ cells: [code], parts: ['country'], name: null }, country).country
    expect(readCell(null)).toBe(isCode ? null : own)
    expect(readCell(own)).toBe(own)
    // Files with codes of ISO 3166-1 keep them.
    expect(findCountryCode(code)).toBe(isCode ? code : null)
  })

  test.each(['DE', 'FR', 'SK', 'CZ', 'UG', 'KE', 'PR'])('%s is one country', (code) => {
    expect([...(parseLocation(code)?.countries ?? [])]).toEqual([code])
  })

  test.each(['U', 'X', 'Y', 'R'])('%s names none', (text) => {
    expect(findCountryCode(text)).toBeNull()
  })

  test.each([
    ['RH', 'HR'],
    ['ČR', 'CZ'],
    ['EEUU', 'US'],
    ['RDC', 'CD'],
    ['RSH', 'AL'],
  ])('%s is %s', (text, code) => {
    expect(findCountryCode(text)).toBe(code)
  })
})

test('a letter behind a slash is no country: regions and areas with abbreviations', () => {
  const letters = fc.constantFrom(...'ABCDEFGILNRSVW'.split(''))
  forAll(
    200,
    [letters, letters, fc.constantFrom('Larkmoor, #', '12 Norvane #, Larkmoor', '# Larkmoor', 'Larkmoor #')],
    (one, other, text) => {
      const read = parseLocation(text.replace('#', `${one}/${other}`))
      expect([...(read?.countries ?? []), ...(read?.regions ?? [])]).toEqual([])
      expect([...(read?.cities ?? [])].join(' ')).toContain('larkmoor')
    },
  )
  for (const region of ['Gt. Accra', 'Greater Accra', 'GAR'])
    expect([...(parseLocation(`Larkmoor, ${region}`)?.regions ?? [])]).toContain('GH-AA')
  expect([...(parseLocation('Wien, A')?.countries ?? [])]).toEqual(['AT'])
})

const compare = (location: string, city: string, country: string, region: string | null = null) =>
  comparePlaceWithHint(parseLocation(location), place(city, region, '', country, country.toLowerCase()))

describe('a short word for the town of the registration', () => {
  test.each([
    ['Jaksel', 'Jakarta Selatan', 'ID'],
    ['Sby', 'Surabaya', 'ID'],
    ['Tangsel', 'Tangerang Selatan', 'ID'],
    ['Ikj', 'Ikeja', 'NG'],
    ['Abj', 'Abuja', 'NG'],
    ['PHC', 'Port Harcourt', 'NG'],
  ])('%s is in %s', (location, city, country) => {
    expect(compare(location, city, country)).toBe('region')
  })

  test.each([
    ['Bdg', 'Bandung', 'ID'],
    ['Kad', 'Kaduna', 'NG'],
    ['Lag', 'Ikeja', 'NG'],
  ])(
    'the code %s of a region does not contradict %s: it may be short for a town',
    (location, city, country) => {
      expect(compare(location, city, country)).toBe('none')
    },
  )

  test.each([
    ['TX', 'Leeds', 'GB'],
    ['NSW', 'Surabaya', 'ID'],
    ['FR', 'Frankfurt am Main', 'DE'],
    ['AT', 'Atlanta', 'US'],
    ['CH', 'Chicago', 'US'],
    ['Lausanne, CH', 'Chicago', 'US'],
    ['Cluj-Napoca, CJ', 'Austin', 'US'],
    ['Philippines', 'Port Harcourt', 'NG'],
  ])('%s contradicts %s', (location, city, country) => {
    expect(compare(location, city, country)).toBe('country_conflict')
  })

  test.each([
    ['York', 'Yorkton', 'GB'],
    ['Ely', 'Leeds', 'GB'],
    ['Rye', 'Rayleigh', 'GB'],
    ['Ayr', 'Aylesbury', 'GB'],
    ['Hof', 'Hofheim', 'DE'],
    ['Jena, DE', 'Dresden', 'DE'],
    ['Essen, DE', 'Denzlingen', 'DE'],
    ['Jakarta', 'Jambi', 'ID'],
  ])('another town is not short for one: %s, %s', (location, city, country) => {
    expect(compare(location, city, country)).not.toMatch(/^(?:city|region)$/)
  })

  test.each([
    ['K. Vary', 'Karlovy Vary', 'CZ'],
    ['Č. Budějovice', 'České Budějovice', 'CZ'],
    ['Ústí n. L.', 'Ústí nad Labem', 'CZ'],
    ['Ústí n/L', 'Ústí nad Labem', 'CZ'],
    ['Usti nad L.', 'Ústí nad Labem', 'CZ'],
    ['Rožnov p. R.', 'Rožnov pod Radhoštěm', 'CZ'],
    ['v Českých Budějovicích', 'České Budějovice', 'CZ'],
    ['v Praze', 'Praha', 'CZ'],
    ['z Jihlavy', 'Jihlava', 'CZ'],
    ['Praha-Hostivař', 'Praha', 'CZ'],
    ['Praha 10 - Hostivař', 'Praha', 'CZ'],
    ['Kolín IV', 'Kolín', 'CZ'],
    ['Liberec III-Jeřáb', 'Liberec', 'CZ'],
    ['B/Kebbi', 'Birnin Kebbi', 'NG'],
    ['Kędzierzyn-K.', 'Kędzierzyn-Koźle', 'PL'],
    ['Frankfurt-Höchst', 'Frankfurt am Main', 'DE'],
    ['Gr. Gerau', 'Groß-Gerau', 'DE'],
    ['Sta. Rosa', 'Santa Rosa', 'PH'],
  ])('a town whose words are cut or declined: %s is %s', (location, city, country) => {
    expect(compare(location, city, country)).toBe('city')
  })

  test.each(['F-M', 'n. L.', 'Hradec Kr.', 'Aix en Pr.', 'B/Kebbi', 'Rožnov p. R.'])(
    'letters with a point, a hyphen or a slash are no country: %s',
    (location) => {
      expect([...(parseLocation(location)?.countries ?? [])]).toEqual([])
    },
  )

  test.each([
    ['Monterrey, N.L.', 'MX-NLE'],
    ['Indore, M.P.', 'IN-MP'],
    ['New York, N.Y.', 'US-NY'],
  ])('capitals with points are codes of regions: %s', (location, region) => {
    expect(
      [...(parseLocation(location)?.regions ?? []), ...(parseLocation(location)?.openCountries ?? [])].join(
        ' ',
      ),
    ).toMatch(region)
  })

  test.each([
    ['Na Hang', 'Hangzhou', 'CN'],
    ['Do Luong', 'Luong Son', 'VN'],
    ['Stratford-Upon-Avon', 'Stratford', 'US'],
  ])('words that begin a town are no words in front of it: %s is not %s', (location, city, country) => {
    expect(compare(location, city, country)).not.toBe('city')
  })

  test.each(['U.S.', 'U.S.A.', 'U.K.', 'U.A.E.', 'GB', 'Wien A', 'Paris, D'])(
    'a code of a country stays one: %s',
    (location) => {
      expect(parseLocation(location)?.countries.size).toBe(1)
    },
  )

  test.each(['Kolín', 'Třebíč', 'Braga', 'Mombasa', 'Sakarya'])(
    'a district or province that has the name of its town names a town: %s',
    (location) => {
      expect(parseLocation(location)?.namesTown).toBe(true)
    },
  )

  test('a number behind a dash stays in its part: 404 is no code of Kenya', () => {
    expect(parseLocation('Leeds, Suite 4 - 404')?.countries.size).toBe(0)
  })

  test('Niger is a country, and a state of Nigeria', () => {
    expect(compare('Niger', 'Minna', 'NG', 'Niger')).toBe('region')
    expect(compare('Niger', 'Niamey', 'NE')).toBe('country')
    expect(compare('Niger', 'Ikeja', 'NG', 'Lagos')).toBe('country_conflict')
  })

  test.each([
    ['Leeds - West Yorkshire', 'Leeds', 'GB'],
    ['رفسنجان - کرمان', 'رفسنجان', 'IR'],
    ['تهران – تهران', 'تهران', 'IR'],
    ['Stratford-upon-Avon', 'Stratford-upon-Avon', 'GB'],
  ])('a dash between spaces divides: %s', (location, city, country) => {
    expect(compare(location, city, country)).toBe('city')
  })

  test.each([
    ['Bp. VI.', 'Budapest', 'HU'],
    ['Budapest XIII. ker.', 'Budapest', 'HU'],
    ['Budapest, XI. kerület', 'Budapest', 'HU'],
    ['Bp. II. ker., HU', 'Budapest', 'HU'],
    ['Szfvár', 'Székesfehérvár', 'HU'],
    ['Nyháza, HU', 'Nyíregyháza', 'HU'],
    ['Praha IX', 'Praha', 'CZ'],
    ['Gulberg III, Lahore', 'Lahore', 'PK'],
  ])('the number of a district is no code: %s', (location, city, country) => {
    expect(parseLocation(location)?.countries).not.toContain('VI')
    expect(compare(location, city, country)).toMatch(/^(?:city|region|country|none)$/)
  })

  test.each(['St. Thomas, VI', 'Christiansted VI', 'Charlotte Amalie, VI 00802'])(
    'VI is a code behind a town of the islands: %s',
    (location) => {
      expect(parseLocation(location)?.countries).toContain('VI')
    },
  )
})

describe('the last word of a place', () => {
  const syllables = 'Tan Son Lam Tin Bom Ha Ho Da My Vi Do Duc Anh Mar Sul Bar Gan Pun Zag'.split(' ')

  test.each(syllables)('is no code of a region or a country in small letters: %s', (word) => {
    for (const place of [`Velmor ${word}`, `17 Norva ${word}`, `VELMOR ${word.toUpperCase()}`]) {
      if (/ [A-Z]{2}$/.test(place)) continue
      const { countries = new Set(), regions = new Set() } = parseLocation(place) ?? {}
      expect([place, ...countries, ...regions]).toEqual([place])
    }
  })

  test.each([
    ['TP. Thủ Đức', 'Thành phố Hồ Chí Minh'],
    ['Gia Lâm', 'Hà Nội'],
    ['Đông Anh', 'Hà Nội'],
    ['Sóc Sơn', 'Hà Nội'],
    ['Duy Tân, Cầu Giấy', 'Hà Nội'],
    ['Chương Mỹ', 'Hà Nội'],
    ['Ba Vì', 'Hà Nội'],
    ['Hà Tây', 'Hà Nội'],
    ['Bát Tràng', 'Hà Nội'],
    ['Thủ đô Hà Nội', 'Hà Nội'],
    ['98 Hoàng Quốc Việt, HN', 'Hà Nội'],
    ['Q. Ngô Quyền, HP', 'Hải Phòng'],
    ['Kim Son, Ninh Binh', 'Ninh Bình'],
  ])('%s is in no other country than Vietnam', (location, city) => {
    expect(compare(location, city, 'VN')).not.toMatch(/conflict|abroad/)
  })

  test.each([
    ['Austin TX', 'US-TX'],
    ['austin tx', 'US-TX'],
    ['Peoria Heights IL', 'US-IL'],
    ['Velmor NSW', 'AU-NSW'],
    ['Springfield Illinois', 'US-IL'],
    ['Roma RM', 'IT-RM'],
  ])('is a region in capitals, behind a large town, or in full: %s', (location, region) => {
    expect(parseLocation(location)?.regions).toContain(region)
  })

  test.each([
    ['Hanoi VN', 'VN'],
    ['London UK', 'GB'],
    ['Smalltown USA', 'US'],
    ['Dubai UAE', 'AE'],
    ['Velmor Deutschland', 'DE'],
  ])('is a country: %s', (location, country) => {
    expect([...(parseLocation(location)?.countries ?? [])]).toEqual([country])
  })

  test.each(['Suffolk County', 'Cork County', 'Westmoreland County', 'York Region'])(
    '%s is in neither England, Ireland nor Jamaica, where the word is in front',
    (location) => {
      expect(
        [...(parseLocation(location)?.regions ?? [])].filter((code) => /^(?:GB|IE|JM)-/.test(code)),
      ).toEqual([])
    },
  )
})

describe('towns as people write them in the Balkans', () => {
  test.each([
    ['21 000 Split', 'Split', 'HR'],
    ['11 000 Beograd', 'Beograd', 'RS'],
    ['HR-48 000 Koprivnica', 'Koprivnica', 'HR'],
    ['Djakovo', 'Đakovo', 'HR'],
    ['Slavonski Brod, Djurdjenovac', 'Đurđenovac', 'HR'],
    ['Indjija', 'Inđija', 'RS'],
  ])('%s is %s', (location, city, country) => {
    expect(compare(location, city, country)).toMatch(/^(?:city|postal)$/)
  })
})

describe('a town that has the letters of a code', () => {
  test.each([
    ['Ho, Ghana', 'Ho', 'GH'],
    ['Wa, Ghana', 'Wa', 'GH'],
    ['Bo, Sierra Leone', 'Bo', 'SL'],
  ])('%s is that town, and no other', (location, city, country) => {
    expect(compare(location, city, country)).toBe('city')
    expect(parseLocation(location)?.namesTown).toBe(true)
  })

  test.each(['Ring Road Central, Accra, Ghana', 'Accra Central', 'Avenida Norte, Lima, Peru'])(
    'a direction at its end is no region: %s',
    (location) => {
      expect([...(parseLocation(location)?.regions ?? [])].filter((code) => code !== 'PE-LIM')).toEqual([])
    },
  )
})

test.each(
  `미국 LA=US=losangeles
  미국 뉴욕=US=newyork
  日本 東京=JP=tokyo
  日本東京=JP=tokyo
  中国北京=CN=beijing
  美国纽约=US=newyork
  米国 ニューヨーク=US=newyork
  アメリカ ニューヨーク=US=newyork
  독일 베를린=DE=berlin`
    .split('\n')
    .map((line) => line.trim().split('=')),
)('a country in front of a town has no comma: %s', (text = '', country = '', town = '') => {
  const hint = parseLocation(text)
  expect([...(hint?.countries ?? [])]).toEqual([country])
  expect(hint?.cities.has(town)).toBe(true)
})

test.each(['日本橋', '日本橋室町', '中国地方', 'インドネシア', '인도네시아', '印度尼西亚'])(
  '%s is one name, and no country in front of a town',
  (text) => {
    expect(splitPlace(text)).toEqual([text])
  },
)

describe('a number at the end of a place', () => {
  test.each([
    ['м. Київ, вул. Миру, 276', 'UA'],
    ['Київ, Миру, 276', 'UA'],
    ['Roma, Via Larga, 276', 'IT'],
    ['Nairobi, 254', 'KE'],
    ['Main Street 1, Uppsala, 752', 'SE'],
    ['Main Street 1, Kelmor, 752', 'SE'],
    ['Larga, Kelmor, 752', 'SE'],
    ['Paris, 840', 'US'],
    ['Uppsala, 752', 'SE'],
    ['Kelmor, 752', 'SE'],
    ['276', 'DE'],
  ])('%s is in %s: the number is that of a house, or a code', (text, country) => {
    const { countries = [], regions = [] } = parseLocation(text) ?? {}
    const found = new Set([...countries, ...[...regions].map((code) => code.slice(0, 2))])
    expect([...found]).toEqual([country])
  })

  test.each([
    ['м. Київ, вул. Миру, 40', null, 'UA'],
    ['м. Київ, вул. Миру, 276', 'address', 'UA'],
    ['Velsor, Larga, 276', 'address', null],
    ['752', 'country', 'SE'],
    ['40', 'country', 'AT'],
  ])('%s in a cell of %s: %s', (cell, part, country) => {
    expect(readCompanyCountry({ cells: [cell], parts: [part], name: null }, null).country).toBe(country)
  })

  test('a dialling code next to a town of its country is no code of another country', () => {
    const cells = ['Nairobi', '254']
    expect(readCompanyCountry({ cells, parts: ['city', 'country'], name: null }, null).country).not.toBe('GF')
  })
})

test.each([
  ['CO', 'Bogotá', '11001, CO', 'country'],
  ['CO', 'Medellín', 'Ciudad 05001, CO', 'country'],
  ['US', 'Pueblo', '81001, CO', 'region'],
  ['US', 'Denver', 'Denver, CO 80202', 'city'],
])('%s, %s and %s: %s, as the first digits of a ZIP code tell', (country, town, asked, expected) => {
  const region = country === 'US' ? 'CO' : null
  expect(comparePlaceWithHint(parseLocation(asked), place(town, region, '', country))).toBe(expected)
  expect([...(parseLocation(asked)?.cities ?? [])]).not.toContain('ciudad')
})

test.each([
  ['UA', 'Миронівка', 'Мироновка', 'Ровное'],
  ['UA', 'Рівне', 'Ровно', 'Ромны'],
  ['UA', 'Біла Церква', 'Белая Церковь', 'Белая'],
  ['UA', 'Бердичів', 'Бердичев', 'Бердянск'],
  ['BY', 'Маладзечна', 'Молодечно', 'Мозырь'],
  ['US', 'Cupertino', 'Купертіно', 'Портленд'],
  ['US', 'Cupertino', 'Купертино, США', 'Окленд, США'],
  ['US', 'Cupertino', 'Κουπερτίνο, ΗΠΑ', 'Μπόστον, ΗΠΑ'],
  ['US', 'Cupertino', '쿠퍼티노, 미국', '보스턴, 미국'],
  ['US', 'Cupertino', 'クパチーノ, アメリカ', 'ボストン, アメリカ'],
  ['US', 'Cupertino', 'كوبرتينو، الولايات المتحدة', 'بوسطن، الولايات المتحدة'],
  ['US', 'Houston', 'Хьюстон, США', 'Бостон, США'],
  ['PK', 'Karachi', 'KHI, Pakistan', 'LHE, Pakistan'],
  ['PK', 'Karachi', 'DHA Karachi, Pakistan', 'DHA Lahore, Pakistan'],
  ['PK', 'Karachi', 'DHA Phase 6 Karachi', 'DHA Phase 6 Lahore'],
  ['PK', 'Lakki Marwat', 'District Lakki Marwat', 'District Swat'],
  ['KE', 'Nairobi', 'NBI, Kenya', 'MBA, Kenya'],
  ['KE', 'Westlands', 'Nairobi, Kenya', 'Mombasa, Kenya'],
  ['GB', 'London', 'Central London', 'East London'],
])('%s, %s: %s is the town, and %s is not', (country, town, asked, other) => {
  const own = place(town, null, '', country)
  expect(comparePlaceWithHint(parseLocation(asked), own)).toBe('city')
  expect(comparePlaceWithHint(parseLocation(other), own)).not.toBe('city')
})

test.each(['NWFP', 'KPK', 'AJK', 'AJ&K', 'Balochistan', 'Baluchistan', 'Sindh', 'Gilgit-Baltistan'])(
  '%s is a province of Pakistan',
  (name) => {
    expect(findRegionCodes(name).filter((code) => code.startsWith('PK-'))).toHaveLength(1)
  },
)

test.each([
  'gorod Velmora',
  'misto Velmora',
  'smt Velmora',
  'selo Velmora',
  'miasto Velmora',
  'comuna Velmora',
  'commune de Velmora',
  'Stadt Velmora',
  'obec Velmora',
])('the kind of settlement is no part of a town: %s', (name) => {
  expect(toCityKey(name)).toBe('velmora')
})

test.each([
  ['XYZ, Pakistan', 'Karachi', null, false],
  ['Lahore, Pakistan', 'Karachi', null, true],
  ['DHA, Lahore, Pakistan', 'Karachi', null, true],
  ['Nairobi, Kenya', 'Velgrove', 'Nairobi County', false],
  ['Nairobi, Kenya', 'Velgrove', 'Mombasa County', true],
  ['Ciudad 11001, CO', 'Bogotá', null, false],
])('%s is another town than %s in %s: %s', (text, city, region, expected) => {
  const hint = parseLocation(text)
  expect(hint !== null && isOtherTown(hint, { city, region, street: null })).toBe(expected)
})

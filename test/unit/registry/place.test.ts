import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { comparePlaceWithHint, type Place } from '../../../src/registry/match/place-agreement.js'
import { parseLocation } from '../../../src/registry/match/parse-location.js'
import { findCountryCode, findCountryName } from '../../../src/core/countries.js'
import { toCityKey, toPostalKey, findRegionCode } from '../../../src/registry/normalize/places.js'

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
    [munich, 'Wilmington, DE, US', 'country_conflict'],
    [munich, 'Köln, DE', 'country'],
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

  it('no hint and an unknown place agree on nothing and conflict in nothing', () => {
    expect(comparePlaceWithHint(null, cupertino)).toBe('none')
    expect(comparePlaceWithHint(parseLocation('Paris, France'), place('', null, '', ''))).toBe('none')
  })

  it('any text is read as a hint', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        expect(() => comparePlaceWithHint(parseLocation(text), cupertino)).not.toThrow()
      }),
    )
  })
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

  it('countries bear their everyday names', () => {
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

import { describe, expect, test } from 'vitest'
import { findCertainCountry } from '../../../src/registry/normalize/places.js'

describe('the country that a location names with certainty', () => {
  test.each([
    ['Leeds, GB', 'GB'],
    ['London, UK', 'GB'],
    ['Munich, Germany', 'DE'],
    ['Berlin, Deutschland', 'DE'],
    ['Austin, TX, US', 'US'],
    ['USA', 'US'],
    ['Tokyo, 日本', 'JP'],
    ['Ciudad de Mexico, Mexico', 'MX'],
  ])('%s: %s', (location, country) => {
    expect(findCertainCountry(location)).toBe(country)
  })

  test.each([
    [null],
    [''],
    ['Leeds'],
    ['Austin, TX'],
    ['San Bruno, CA'],
    ['Wilmington, DE'],
    ['Atlanta, Georgia'],
    ['Bern, BE'],
    ['Luxembourg'],
    ['London United Kingdom of'],
  ])('none in %j', (location) => {
    expect(findCertainCountry(location)).toBeNull()
  })
})

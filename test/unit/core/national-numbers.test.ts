import { expect, test } from 'vitest'
import { hasWrongCheckDigits, toCompanyNumber, toNationalNumber } from '../../../src/core/national-numbers.js'
import { readIdentifiers } from '../../../src/core/stated-identifiers.js'

test.each([
  ['no', '923 609 016', '923609016'],
  ['fr', '552 032 534', '552032534'],
  ['fi', '1120389', '0112038-9'],
  ['be', '403170701', '0403.170.701'],
  ['br', '33000167000101', '33.000.167/0001-01'],
  ['ch', 'CHE105909036', 'CHE-105.909.036'],
  ['cz', '177041', '00177041'],
  ['dk', '22756214', '22756214'],
  ['ee', '12417834', '12417834'],
  ['lv', '40003032949', '40003032949'],
  ['se', '5560125790', '556012-5790'],
  ['au', '004 028 077', '004028077'],
  ['au', '49 004 028 077', '49004028077'],
  ['jp', '180301018771', '1803-01-018771'],
])('%s: %s is %s', (country, text, number) => {
  expect(toNationalNumber(country, text)).toBe(number)
})

test.each([
  ['no', '923609017'],
  ['fr', '552032535'],
  ['br', '33.000.167/0001-02'],
  ['be', '0403.170.702'],
  ['de', '143/123/12345'],
  ['no', '9236'],
])('%s: %s has a wrong check digit or another form', (country, text) => {
  expect(toNationalNumber(country, text)).toBeNull()
})

test('a number under its national name is an identifier', () => {
  expect(readIdentifiers('Danone (SIREN 552 032 534)')).toEqual({
    name: 'Danone',
    identifiers: [{ kind: 'registration_id', value: '552032534', place: 'FR' }],
  })
  expect(readIdentifiers('UID Electronics').identifiers).toEqual([])
})

test.each([
  ['fr', '552 032 534 00646', '552032534'],
  ['be', 'BE 0403.170.701', '0403.170.701'],
  ['se', '16556012-5790', '556012-5790'],
  ['no', 'NO 923 609 016', '923609016'],
  ['ch', '105.909.036', 'CHE-105.909.036'],
  ['at', 'FN 093363 z', '93363Z'],
  ['at', '93363z', '93363Z'],
  ['at', 'ATU14189108', null],
  ['fr', '552 032 534 00647', null],
])('%s: the company of %s has the number %s', (country, text, number) => {
  expect(toCompanyNumber(country, text)).toBe(number)
})

test.each([
  ['fr', '35600000000048', false],
  ['fr', '552 032 535', true],
  ['fr', '55203253', false],
  ['pl', '123456785', false],
  ['pl', '123456786', true],
  ['pl', '0000012345', false],
  ['nl', '12345678', false],
  ['ca', '123456-7', false],
  ['de', 'HRB 501', false],
  ['no', 'NO923609017', true],
])('%s: whether %s has the form of a number with wrong check digits: %s', (country, text, isWrong) => {
  expect(hasWrongCheckDigits(country, text)).toBe(isWrong)
})

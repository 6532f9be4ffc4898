import { expect, test } from 'vitest'
import {
  classifyFundOrTrust,
  isBusiness,
  isSoleTraderForm,
} from '../../../src/registry/normalize/parsed-name.js'

test.each([
  ['Oak Income Fund', null, 'fund'],
  ['OAK MUNICIPAL INCOME FUND II', null, 'fund'],
  ['Oak Royalty Trust', null, 'trust'],
  ['OAK AUTO OWNER TRUST 2019-1', null, 'trust'],
  ['OAK ASSET FUNDS MUNICIPAL INVT TR FD NEW YORK SER 33', null, 'trust'],
  ['Oak Hotel Trust /MD/', null, 'trust'],
  ['Oak World ETF', null, 'fund'],
  ['Oak Hotel Trust', '8888', 'trust'],
  ['Oak Partners I', 'AIR5', 'fund'],
  ['Oak Partners I', '4FSX', 'trust'],
  ['Oak Partners I', 'Statutory Trust', 'trust'],
  // The form says what the name does not.
  ['Oak Income Fund', 'T91T', null],
  ['Oak Income Fund', 'Limited Liability Company', null],
  ['Oak Income Fund, Inc.', null, null],
  ['Oak Realty Trust Inc', null, null],
  ['Oak Fund Management LLC', null, null],
  ['Oak Trust Company', null, null],
  ['First Oak Bank & Trust', null, null],
  ['Oak and Trust', null, null],
  ['Trustworthy Oak', null, null],
  ['Trust', null, null],
  ['II', null, null],
  ['', null, null],
])('what is a fund or a trust: %j (%s): %s', (legalName, legalForm, expected) => {
  expect(classifyFundOrTrust({ legalName, legalForm })).toBe(expected)
})

test.each([
  ['6798', true],
  ['7011', true],
  ['6726', false],
  ['6221', false],
  ['6770', false],
  ['', false],
  [null, false],
])('a code of SIC says whether a business is run: %s: %s', (sic, expected) => {
  expect(isBusiness(sic)).toBe(expected)
})

const soleTraders =
  'منشأة فردية|مؤسسة فردية|eenmanszaak|Einzelunternehmen|FIE|ИП|Empresa unipersonal|Persona natural|Hộ kinh doanh|' +
  'Samostojni podjetnik posameznik s.p.|Ditta individuale|Egyéni vállalkozó|Şahıs firması|JEDNOOSOBOWA DZIAŁALNOŚĆ GOSPODARCZA|UD|Entreprise individuelle|Sole Proprietorship|个体工商户|ФОП'

test.each(soleTraders.split('|'))('%j is the form of a sole trader', (form) => {
  expect(isSoleTraderForm(form, 'UY')).toBe(true)
})

test.each([
  ['شركة الشخص الواحد', 'SA'],
  ['Empresa unipersonal', 'CO'],
  ['E.I.R.L.', 'PE'],
  ['Individuali įmonė', 'LT'],
  ['OBRT', 'HR'],
  ['GmbH', 'DE'],
  ['', null],
])('%j in %s is none', (form, country) => {
  expect(isSoleTraderForm(form, country)).toBe(false)
})

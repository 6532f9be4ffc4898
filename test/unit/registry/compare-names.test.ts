import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { prepareText } from '../../../src/registry/match/align-name.js'
import { compareNames, type MatchType } from '../../../src/registry/match/compare-names.js'
import { isOneFormPrivate, type FormAgreement } from '../../../src/registry/match/candidate.js'
import type { LeftWord } from '../../../src/registry/match/left-words.js'
import {
  candidatesOf,
  compared,
  match,
  namedBy,
  queryOf,
  vocabularyOf,
  type Held,
} from '../../support/matching.js'
import { forAll } from '../../support/properties.js'

describe('how a text is a name', () => {
  test.each<[text: string, name: string, matchType: MatchType]>([
    ['Zorvex Robotics', 'Zorvex Robotics Inc', 'exact'],
    ['ZorvexRobotics', 'Zorvex Robotics, Inc.', 'exact'],
    ['1st Zorvex Bank', 'First Zorvex Bank', 'exact'],
    // The name is in the text, wherever it stands.
    ['Zorvex Inflight Catering', 'Zorvex Inc', 'exact'],
    ['4.125% Zorvex Robotics Corp 22.03.28', 'Zorvex Robotics', 'exact'],
    ['YUM - YUM BRANDS INC', 'Yum Brands Inc', 'exact'],
    ['Zorvex', 'Zorvex Robotics Inc', 'prefix'],
    ['Sun Zorvex', 'SunZorvex Assurance', 'prefix'],
    ['Zorvex Hotel', 'Zorvex Hotels', 'near'],
    ['Zorvex Bank', 'Zorvex Bancorp', 'near'],
    ['Zorvix Robotics', 'Zorvex Robotics Inc', 'near'],
    ['Robotics Zorvex', 'Zorvex Robotics Inc', 'near'],
    ['Zorvex Mellbrook Calder', 'Zorvex Calder', 'near'],
    ['Calder Robotics', 'Zorvex Calder Robotics', 'near'],
    ['ZRC', 'Zorvex Robotics Calder Inc', 'acronym'],
    ['Zorvex Municipal Incom', 'Zorvex Municipal Income Trust', 'completed'],
    // A column of 31 may have ended between two words.
    ['Zorvex Growth Acquisition Corp', 'Zorvex Growth Acquisition Corp II', 'completed'],
  ])('%j is %j: %s', (text, name, matchType) => {
    expect(compared(text, name).matchType).toBe(matchType)
  })

  test.each([
    ['Zorvex Robotics', 'Calder Logistics Ltd'],
    ['Zorvexland', 'Zorvex Inc'],
    ['Bank', 'Zorvex Calder Mellbrook Bank'],
  ])('%j is nothing like %j', (text, name) => {
    expect(() => compared(text, name)).toThrow('nothing like')
  })

  it('a text with more than the name is more than its form', () => {
    expect(compared('Zorvex Inc', 'Zorvex').isPart).toBe(false)
    expect(compared('The Zorvex - Zorvex', 'Zorvex').isPart).toBe(false)
    expect(compared('Zorvex Calder', 'Zorvex').isPart).toBe(true)
  })

  it('what a column has cut off costs nothing', () => {
    const text = 'Zorvex Growth Acquisition Corp'
    const { cost, alignment } = compared(text, `${text} II`)
    expect(cost).toBeCloseTo(0, 9)
    expect(alignment.cost).toBeGreaterThan(0)
  })
})

describe('words of the text that the name lacks', () => {
  test.each<[text: string, name: string | Held, ...left: string[]]>([
    ['Zorvex Calder', 'Zorvex', 'calder telling behind'],
    ['Calder Zorvex', 'Zorvex', 'calder telling before'],
    ['Zorvex Calder Mellbrook', 'Zorvex Mellbrook', 'calder telling inside'],
    ['Zorvex Foods', 'Zorvex', 'foods generic behind'],
    ['Zorvex Ltd', 'Zorvex', 'ltd form behind'],
    ['Zorvex Ulm', { name: 'Zorvex', city: 'Ulm', country: 'DE' }, 'ulm telling behind, place'],
    ['Zorvex 3', 'Zorvex', '3 number behind, series'],
    ['Zorvex 588611', 'Zorvex', '588611 number behind'],
    ['Zorvex Calder - Zorvex', 'Zorvex Calder', 'zorvex telling behind, repeated'],
    ['4% Zorvex', 'Zorvex', '4 percent before'],
    ['Zorvex dba Calder', 'Zorvex', 'dba mark behind', 'calder telling behind'],
    ['Zorvex Calder Mellbrook Brimho', 'Zorvex Calder Mellbrook', 'brimho telling behind, cut'],
  ])('%j beside %j: %j', (text, name, ...left) => {
    const tell = ({ word, position, role }: LeftWord) =>
      `${word.text} ${word.wordClass} ${position}${role === null ? '' : `, ${role}`}`
    expect(compared(text, name).left.map(tell)).toEqual(left)
  })

  const none = { light: 0, soft: 0, number: 0, place: 0, country: 0, hard: 0 }
  test.each([
    ['Zorvex', 'Zorvex Group', 'nameLeftover', { ...none, light: 1 }],
    ['Zorvex Holdings', 'Zorvex Inc', 'queryLeftover', { ...none, light: 1 }],
    ['Zorvex', 'Zorvex Software', 'nameLeftover', { ...none, soft: 1 }],
    ['Zorvex Calder', 'Zorvex Inc', 'queryLeftover', { ...none, hard: 1 }],
    ['Zorvex Fund', 'Zorvex Fund IV', 'nameLeftover', { ...none, number: 1 }],
    ['Zorvex Reno', 'Zorvex Inc', 'queryLeftover', { ...none, place: 1 }],
    ['Zorvex', 'Zorvex Reno', 'nameLeftover', { ...none, place: 1 }],
    ['Zorvex Germany', 'Zorvex Inc', 'queryLeftover', { ...none, place: 1, country: 1 }],
    ['Zorvex Bank', 'Zorvex Bancorp', 'queryLeftover', none],
    ['Zorvex Inc', 'Zorvex Inc', 'nameLeftover', none],
  ] as const)('are counted by kind: %j beside %j, %s', (text, name, side, words) => {
    expect(compared(text, name, { location: 'Reno, NV' })[side]).toMatchObject(words)
  })

  test.each([
    ['Calder - Zorvex Ltd', true, true],
    ['Calder Zorvex Ltd', false, true],
    ['Zorvex, Calder', true, true],
    ['Zorvex Calder', true, false],
    ['Zorvex Ltd Calder', true, true],
  ])('%j sets them apart from the name: before %s, behind %s', (text, isApartBefore, isApartBehind) => {
    expect(compared(text, 'Zorvex')).toMatchObject({ isApartBefore, isApartBehind })
  })
})

describe('numbers', () => {
  test.each([
    ['Zorvex Income Fund II', 'Zorvex Income Fund III', false],
    ['Zorvex Fund 2022', 'Zorvex Fund 2023', false],
    ['Zorvex Fund 3', 'Zorvex Fund', false],
    ['Zorvex Calder 22', 'Zorvex Calder 45', false],
    ['Zorvex Fund II', 'Zorvex Fund 2', true],
    ['2nd Zorvex', 'Second Zorvex', true],
    // A number of a store, a coupon, a date.
    ['Zorvex 588611', 'Zorvex', true],
    ['Zorvex Fund 4.5% 2028 Notes', 'Zorvex Fund', true],
  ])('those of %j and %j agree: %s', (text, name, numbersAgree) => {
    expect(compared(text, name).numbersAgree).toBe(numbersAgree)
  })

  it('any two of one name differ', () => {
    const number = fc.integer({ min: 1, max: 2100 })
    forAll(100, [number, number], (one, other) => {
      const comparison = compared(`Zorvex Fund ${String(one)}`, `Zorvex Fund ${String(other)}`)
      expect(comparison.numbersAgree).toBe(one === other)
    })
  })

  it('a text without the number of a name is one of its series', () => {
    expect(compared('Zorvex Income Fund', 'Zorvex Income Fund II')).toMatchObject({
      isOneOfSeries: true,
      numbersAgree: true,
    })
    expect(
      compared('Zorvex Growth Acquisition Corp', 'Zorvex Growth Acquisition Corp. III').isOneOfSeries,
    ).toBe(true)
    expect(compared('Zorvex Municipal Incom', 'Zorvex Municipal Income Trust').isOneOfSeries).toBe(false)
  })
})

describe('spelling', () => {
  it('words written as one or apart are joined', () => {
    expect(compared('Zor Vex Robotics', 'Zorvex Robotics').pairs).toMatchObject({ joined: 1, equal: 1 })
    expect(compared('Zorvexcalder Robotics', 'Zorvexcald Er Robotics').pairs.joined).toBe(1)
  })

  test.each([
    ['Zorvex Robtics', 'Zorvex Robotics', ['robotics'], false],
    ['Zorvix Group', 'Zorvex Group', ['zorvex'], true],
    ['Zorvix Calder', 'Zorvex Calder', ['zorvex'], false],
    ['Zorvex Group', 'Zorvex Group', [], false],
  ])('%j beside %j: %j differ, every telling word: %s', (text, name, looseWords, isMisspelled) => {
    expect(compared(text, name)).toMatchObject({ looseWords, isMisspelled })
  })

  it('only a plural is told from a plural beside another difference', () => {
    expect(compared('Zorvex Hotel', 'Zorvex Hotels').isPluralOnly).toBe(true)
    expect(compared('Zorvex Hotel', 'Zorvex Hotels Calder').isPluralOnly).toBe(false)
  })
})

describe('legal forms', () => {
  test.each<[string, string, FormAgreement, boolean]>([
    ['Zorvex Inc', 'Zorvex, Inc.', 'same', true],
    ['JSC Zorvex', 'Zorvex Joint Stock Company', 'same', true],
    ['OAO Zorvex', 'Open Joint Stock Company Zorvex', 'same', true],
    ['ZorvexAG', 'Zorvex AG', 'same', true],
    ['Zorvex', 'Zorvex, Inc.', 'unknown', false],
    ['Zorvex Co', 'Zorvex, Inc.', 'unknown', false],
    ['Zorvex', 'Zorvex LP', 'unstated_partnership', false],
    ['Zorvex Ltd', 'Zorvex, Inc.', 'soft_conflict', true],
    ['Zorvex LP', 'Zorvex, Inc.', 'hard_conflict', true],
    ['Zorvex GmbH', 'Zorvex Ltd', 'foreign', true],
    ['Zorvex', 'Zorvex', 'unknown', false],
  ])('%j and %j: %s', (text, name, form, isFormStated) => {
    expect(compared(text, name)).toMatchObject({ form, isFormStated })
  })

  test.each<[country: string, text: string, name: string, FormAgreement]>([
    ['AL', 'Zorvex Ltd', 'Zorvex SHPK', 'same'],
    ['XK', 'Zorvex Co. Ltd', 'Zorvex SHPK', 'same'],
    ['RS', 'Zorvex Ltd.', 'Zorvex DOO', 'same'],
    ['KZ', 'Zorvex Ltd', 'ТОО Zorvex', 'same'],
    ['JO', 'Zorvex W.L.L.', 'Zorvex LLC', 'same'],
    ['QA', 'Zorvex Co. Ltd', 'Zorvex W.L.L.', 'same'],
    ['HU', 'Zorvex Plc', 'Zorvex Nyrt.', 'same'],
    ['KR', 'Zorvex Co., Ltd.', 'Zorvex 유한회사', 'same'],
    ['JO', 'Zorvex Public Shareholding Company', 'Zorvex P.S.C.', 'same'],
    ['SA', 'Zorvex Public Shareholding Co.', 'Zorvex LLC', 'soft_conflict'],
    ['AL', 'Zorvex General Partnership', 'Zorvex SHPK', 'hard_conflict'],
    ['DE', 'Zorvex Ltd', 'Zorvex GmbH', 'foreign'],
    ['AL', 'Zorvex GmbH', 'Zorvex SHPK', 'foreign'],
    ['AL', 'Zorvex sh.k.', 'Zorvex Shoqëri kolektive', 'same'],
    ['AL', 'Zorvex P.F.', 'Zorvex SHPK', 'hard_conflict'],
    ['PL', 'Zorvex s.c.', 'Zorvex sp. z o.o.', 'hard_conflict'],
    ['MK', 'Zorvex ДООЕЛ', 'Zorvex Јавно трговско друштво', 'hard_conflict'],
    ['JO', 'زورفكس المساهمة العامة المحدودة', 'زورفكس مساهمة عامة محدودة', 'same'],
    ['KW', 'زورفكس م.ع.م', 'شركة زورفكس المساهمة العامة', 'same'],
    ['EG', 'زورفكس ذات المسئولية المحدودة', 'زورفكس ذ.م.م', 'same'],
    ['JO', 'زورفكس التوصية البسيطة', 'زورفكس ذ.م.م', 'hard_conflict'],
  ])('in %s, %j and %j: %s', (country, text, name, form) => {
    expect(compared(text, { name, country }).form).toBe(form)
  })

  test.each([
    ['IT', 'S.a.s. S.n.c. S.r.l. S.p.A.'],
    ['DE', 'KG OHG GmbH'],
    ['AT', 'KG OG'],
    ['CH', 'AG KlG'],
    ['FR', 'SAS SNC SARL SCS'],
    ['LU', 'SCS SNC'],
    ['NL', 'C.V. V.O.F.'],
    ['DK', 'K/S I/S A/S'],
    ['SE', 'KB HB AB'],
    ['PL', 'sp.k. sp.j.'],
    ['PT', 'Lda. S.A.'],
    ['BR', 'Ltda.'],
    ['AL', 'sh.k. sh.p.k.'],
  ])('in %s, "& Co." hides none of the forms %s', (country, forms) => {
    for (const form of forms.split(' '))
      for (const company of ['& Co.', '& C.', 'et Cie', 'und Co.', 'e C.'].filter(
        (one) => country === 'IT' || one !== 'e C.',
      )) {
        const name = `Zorvex ${company} ${form}`
        expect(compared(name, { name, country }).form, name).not.toMatch(/conflict|foreign/)
      }
  })

  // "Company" adds nothing to "Limited", where no other form has it; in a country that is not known it may.
  const [plain, company] = ['Limited|Ltd', 'Company Limited|Co. Ltd.|Company Ltd|Corporation Limited']
  const limited =
    'GB IE IL IN PK BD LK NP SG MY AU NZ ZA NA BW NG GH KE UG TZ ZM ZW MW RW MT CY MU HK JM TT FJ PG BM KY US CA'
  test.each([...limited.split(' '), ''])('in %j, "Limited" and "Company Limited" are one kind', (country) => {
    for (const one of plain.split('|'))
      for (const other of company.split('|'))
        for (const [text, name] of [
          [one, other],
          [other, one],
        ] as const)
          expect(
            compared(`Zorvex ${text}`, { name: `Zorvex ${name}`, country }).form,
            `${text}, ${name}`,
          ).toBe('same')
    if (/^(?:GB|IE|NG|GH|KE|UG|TZ|ZM)$/.test(country))
      expect(compared('Zorvex plc', { name: 'Zorvex Company Limited', country }).form).toBe('soft_conflict')
  })

  test.each<[countries: string, one: string, other: string, isOneKind: boolean]>([
    ['GB IE KE UG NG GH TZ ZM MW HK NZ', 'Ltd', 'Private Limited Company', true],
    ['KE UG ZM MW', 'Limited', '(Private) Limited', true],
    ['IN PK LK NP SG ZW', 'Company Limited', 'Private Limited', false],
    ['ZA NA BW AU', 'Co. Ltd', '(Pty) Ltd', false],
    ['IN PK LK SG', 'Company (Private) Limited', 'Private Limited', true],
    ['MY BN', 'Sdn Bhd', 'Berhad', false],
    ['PL', 'sp. z o.o.', 'spółka z o.o.', true],
    ['MX', 'S.A.', 'S.A. de C.V.', true],
    ['IT', 'S.r.l.', 'S.r.l. unipersonale', true],
    ['HR', 'd.o.o.', 'j.d.o.o.', false],
    ['EC CL CO', 'Ltda.', 'Cía. Ltda.', true],
    ['CN HK TW', '有限公司', 'Company Limited', true],
    ['DE', 'GmbH', 'GmbH & Co.', false],
  ])('in %s, %j and %j are one kind: %j', (countries, one, other, isOneKind) => {
    for (const country of countries.split(' '))
      for (const [text, name] of [
        [one, other],
        [other, one],
      ] as const) {
        const { form, statedForm, candidate } = compared(`Zorvex ${text}`, {
          name: `Zorvex ${name}`,
          country,
        })
        expect(
          form === 'same' && !isOneFormPrivate(statedForm, candidate),
          `${country}: ${text}, ${name}`,
        ).toBe(isOneKind)
      }
  })

  it.each(['KE', 'GB', 'IN', 'NZ'])(
    'of two companies in %s the one with the form of the text is meant',
    (country) => {
      const names = ['Zorvex Limited', 'Zorvex Company Limited']
      for (const name of names)
        for (const held of [names, names.toReversed()]) {
          const decision = match({ name, location: null, held: held.map((one) => ({ name: one, country })) })
          expect(namedBy(decision)).toBe(name)
          expect(decision).toMatchObject({ kind: 'entity', rivals: [] })
        }
      const [one = '', other = ''] = names
      const apart = [
        { name: one, country, city: 'Norvik' },
        { name: other, country, city: 'Velsk' },
      ]
      expect(match({ name: other, location: 'Norvik', held: apart }).kind).toBe('candidate')
    },
  )

  test.each<[string, string, FormAgreement]>([
    ['شركة زورفكس ذ.م.م', 'تضامن', 'hard_conflict'],
    ['شركة زورفكس ذ.م.م', 'ذات مسؤولية محدودة', 'same'],
    ['شركة زورفكس', 'ذات مسؤولية محدودة', 'same'],
    ['Zorvex Co LLC', 'شركة توصية بسيطة', 'hard_conflict'],
  ])('behind a word for a company the column of forms counts: %j and %j, %s', (text, column, form) => {
    const name = /^Z/.test(text) ? 'Zorvex Company' : 'شركة زورفكس'
    const registeredName = `${name} ${column === 'تضامن' ? 'شركة تضامن' : column}`
    expect(compared(text, { name, registeredName, country: 'JO' }).form).toBe(form)
  })

  it('of several the one behind the name belongs to it', () => {
    expect(compared('Calder GmbH t/a Zorvex Ltd', 'Zorvex Ltd')).toMatchObject({
      form: 'same',
      isFormNext: true,
    })
    expect(compared('Calder Ltd t/a Zorvex', 'Zorvex Ltd')).toMatchObject({ form: 'same', isFormNext: false })
  })

  test.each(['Zorvex Robotics, Inc.', 'The Zorvex & Sons Ltd', 'Zorvex GmbH & Co. KG'])(
    'the registered name %j is the full name, without its form it is not',
    (name) => {
      expect(compared(name, name)).toMatchObject({ isFullName: true, form: 'same' })
      expect(compared(name, { name, kind: 'former' }).isFullName).toBe(true)
      expect(compared(name.split(/,? (?:Inc|Ltd|GmbH)/)[0] ?? '', name).isFullName).toBe(false)
    },
  )
})

it('any text may be compared with any name', () => {
  const pieces = 'Zorvex|Robotics|II|the|Bank|(UK)|Ltd|- Plant 7|dba|4%|第一|Z\uFFFDx'.split('|')
  const text = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 })
    .map((some) => some.join(' '))
  forAll(500, [text, text], (asked, name) => {
    const names = candidatesOf([{ name }])
    const vocabulary = vocabularyOf(names)
    const query = queryOf(asked, 'Reno, NV', vocabulary)
    for (const read of query.texts) {
      const comparison = compareNames(prepareText(read, vocabulary), names[0]!, query)
      if (comparison === null) continue
      const { similarity, textShare, leastShare, cost, sharedWeight } = comparison
      for (const share of [similarity, textShare, leastShare]) expect(share >= 0 && share <= 1).toBe(true)
      expect(Number.isFinite(cost + sharedWeight)).toBe(true)
      const inPairs = comparison.alignment.pairs.reduce((sum, { textCount }) => sum + textCount, 0)
      expect(inPairs + comparison.left.length).toBe(read.words.length)
    }
  })
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { createSoundIndex, hasOtherScript, rateSound } from '../../../src/registry/normalize/sounds.js'
import { match, namedBy, type Held } from '../../support/matching.js'
import { forAll } from '../../support/properties.js'

const held: Held[] = [
  'Larkmoor Payroll Group Ltd',
  'Velmora Therapeutics Inc',
  'Bloxbury Publishing PLC',
  'Norvane Energy Holdings Limited',
  'Harlow Nicholson Resources Ltd',
  'Kilbrook & Dunmore Limited',
  'Quensford Airport Limited',
].map((name) => ({ name }))

describe('a name that another script writes by its sound', () => {
  test.each([
    ['ラークムーア・ペイロール・グループ・リミテッド', 'Larkmoor Payroll Group Ltd'],
    ['ベルモラ・セラピューティクス・インク', 'Velmora Therapeutics Inc'],
    ['블록스버리 퍼블리싱 피엘씨', 'Bloxbury Publishing PLC'],
    ['ノーベイン・エナジー・ホールディングス', 'Norvane Energy Holdings Limited'],
    ['נורבן אנרגיה אחזקות לימיטד', 'Norvane Energy Holdings Limited'],
    ['ולמורה תרפיוטיקס אינק', 'Velmora Therapeutics Inc'],
    ['شركة نورفين للطاقة القابضة المحدودة', 'Norvane Energy Holdings Limited'],
    ['بلوكسبري ببليشنغ', 'Bloxbury Publishing PLC'],
    ['Харлоу Николсон Рисорсиз Лимитед', 'Harlow Nicholson Resources Ltd'],
    ['Куэнсфорд Эйрпорт Лимитед', 'Quensford Airport Limited'],
    ['ΛΑΡΚΜΟΥΡ ΠΕΪΡΟΛ ΓΚΡΟΥΠ ΛΤΔ', 'Larkmoor Payroll Group Ltd'],
  ])('%s is %s', (name, wanted) => {
    expect(namedBy(match({ name, location: null, held }))).toBe(wanted)
  })

  test.each([
    'ラークウッド・ホテル・グループ・リミテッド',
    'נורבן מלונות בע"מ',
    'شركة بلومار للتأمين',
    'Харлоу Парфюмс Лимитед',
    '블랙버리 모바일 피엘씨',
    'ベルリン・オートモティブ・インク',
  ])('%s is none of them', (name) => {
    const decision = match({ name, location: null, held })
    expect(decision.kind === 'none' ? 0 : decision.confidence).toBeLessThan(80)
  })

  test.each([
    ['Медина Даири Лимитед', 'Modern Dairies Limited'],
    ['マリナ・グループ', 'Moreno Group'],
  ])('with other vowels, %s is not surely %s', (name, own) => {
    const decision = match({ name, location: null, held: [{ name: own }] })
    expect(decision.kind === 'none' ? 0 : decision.confidence).toBeLessThanOrEqual(78)
  })

  it('an article or a word for "and" that Arabic writes as one with a word is no part of it', () => {
    const insurers: Held[] = [
      { name: 'Gulf Insurance and Trading Company' },
      { name: 'Delta Insurance Company' },
    ]
    expect(namedBy(match({ name: 'شركة الخليج للتأمين والتجارة', location: null, held: insurers }))).toBe(
      'Gulf Insurance and Trading Company',
    )
  })
})

describe('rateSound', () => {
  test.each([
    ['gyarakushi', 'galaxy'],
    ['rimiteddo', 'limited'],
    ['havei', 'harvey'],
    ['trfyvtyks', 'therapeutics'],
    ['kmvyvnykyysns', 'communications'],
    ['gaiteweike', 'gatwick'],
    ['tulsteyshn', 'toolstation'],
    ['khit', 'heat'],
  ])('%s is the sound of %s', (spoken, name) => {
    expect(rateSound(spoken, name)).toBeGreaterThan(0.8)
  })

  test.each([
    ['gyarakushi', 'gillette'],
    ['rimiteddo', 'limestone'],
    ['havei', 'haven'],
    ['norvane', 'velmora'],
    ['bodikot', 'medicom'],
  ])('%s is not the sound of %s', (spoken, name) => {
    expect(rateSound(spoken, name)).toBe(0)
  })

  it('rates a word as itself highest, and any text from 0 to 1', () => {
    const word = fc.stringMatching(/^[a-z]{3,20}$/)
    forAll(200, [word, word], (one, other) => {
      expect(rateSound(one, one)).toBeGreaterThanOrEqual(rateSound(one, other))
      expect(rateSound(one, other)).toBeLessThanOrEqual(1)
      expect(rateSound(one, other)).toBeGreaterThanOrEqual(0)
    })
    for (const text of ['', ' ', '�', 'x'.repeat(200_000), '北京', "'"])
      for (const name of ['', 'larkmoor', 'y'.repeat(200_000)])
        expect(rateSound(text, name)).toBeLessThanOrEqual(1)
  })
})

test.each([
  ['Larkmoor', false],
  ['Škoda Żywiec Ærø', false],
  ['L\u02bcArkmoor µSystems Nº 2', false],
  ['Ларкмур', true],
  ['Larkmoor ラーク', true],
  ['לארקמור', true],
])('%s has letters of another script: %s', (text, isOther) => {
  expect(hasOtherScript(text)).toBe(isOther)
})

test('a letter that is lost makes no sound like another', () => {
  for (const spoken of ['gal\ufffdxy', '\ufffd\ufffd', 'galaxy2']) expect(rateSound(spoken, 'galaxy')).toBe(0)
})

describe('an index of sounds', () => {
  const words = ['galaxy', 'gallery', 'limited', 'harvey', 'haven', 'norvane', 'velmora']
  const find = createSoundIndex(words.length, (at) => words[at] ?? '')

  it('finds the words of a sound, the closest first', () => {
    expect(find('gyarakushi', 5)).toEqual(['galaxy'])
    expect(find('norubein', 5)).toEqual(['norvane'])
    expect(find('rimiteddo', 1)).toEqual(['limited'])
  })

  it('finds what a comparison with each word finds', () => {
    forAll(200, [fc.stringMatching(/^[a-z]{3,10}$/)], (spoken) => {
      for (const word of find(spoken, 100)) expect(rateSound(spoken, word)).toBeGreaterThanOrEqual(0.8)
    })
  })

  it('is empty without words', () => {
    expect(createSoundIndex(0, () => '')('larkmoor', 5)).toEqual([])
  })
})

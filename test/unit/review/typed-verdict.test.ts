import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  noneWords,
  readVerdict,
  type TypedVerdict,
  yesWords,
} from '../../../src/review/exchange/line-verdicts.js'
import headerWords from '../../../src/core/headers.json' with { type: 'json' }
import { isPlaceholder } from '../../../src/core/lookup-identity.js'
import { forAll } from '../../support/properties.js'

test('yes and none of a language differ', () => {
  const yes =
    'samþykkt|тийм|დიახ|այո|bəli|បាទ|ແມ່ນ|ဟုတ်ကဲ့|හරි|ஆம்|হাঁ|sahihi|አዎ|korrett|bai|wi|бале|xa|bor|mos keladi|тасдиқлайман|juis'
  const none =
    'үгүй|არ მოიძებნა|չի գտնվել|mövcud deyil|មិនមាន|ບໍ່ມີ|မရှိပါ|නොමැත|இல்லை|নেই|si sahihi|የለም|xejn|inor ez|pa jwenn|нест|niks'
  expect(yes.split('|').filter((word) => readVerdict(word).kind !== 'yes')).toEqual([])
  expect(none.split('|').filter((word) => readVerdict(word).kind !== 'none')).toEqual([])
  expect([...yesWords].filter((word) => noneWords.has(word))).toEqual([])
  expect([...yesWords].filter(isPlaceholder)).toEqual([])
})

test('Vietnamese words and question marks of other scripts are read', () => {
  const kinds = (words: string) => words.split('|').map((word) => readVerdict(word).kind)
  expect(new Set(kinds('phải|Phải|đúng|chính xác|phải rồi'))).toEqual(new Set(['yes']))
  expect(new Set(kinds('không phải|Không phải|không đúng|không|công ty khác'))).toEqual(new Set(['none']))
  expect(new Set(kinds('?|؟|؟؟|？|՞'))).toEqual(new Set(['undecided']))
})

test.each([
  ['o', 'n'],
  ['s', 'n'],
  ['j', 'n'],
  ['t', 'n'],
  ['д', 'н'],
])('letters for yes and none: %s and %s', (yes, none) => {
  expect([yes, yes.toUpperCase()].map((letter) => readVerdict(letter).kind)).toEqual(['yes', 'yes'])
  expect([none, none.toUpperCase()].map((letter) => readVerdict(letter).kind)).toEqual(['none', 'none'])
})

test('each word is read in lower case and in capitals, with a dotted or an undotted I', () => {
  const isRead = (kind: string) => (word: string) =>
    [
      word,
      word.toUpperCase(),
      ...['tr', 'az', 'el', 'lt'].map((locale) => word.toLocaleUpperCase(locale)),
    ].every((typed) => readVerdict(typed).kind === kind)
  expect([...yesWords].filter((word) => !isRead('yes')(word))).toEqual([])
  expect([...noneWords].filter((word) => !isRead('none')(word))).toEqual([])
})

test('each word is read without its accents, where this leaves one meaning', () => {
  const strip = (word: string) =>
    word
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replaceAll('ł', 'l')
      .replaceAll('đ', 'd')
      .replaceAll('ø', 'o')
  const isLatin = (word: string) => /^[\p{Script=Latin}\p{M}\P{L}]{3,}$/u.test(word)
  for (const [kind, words] of [
    ['yes', yesWords],
    ['none', noneWords],
  ] as const)
    expect([...words].filter((word) => isLatin(word) && readVerdict(strip(word)).kind !== kind)).toEqual([])
  expect(['gresit', 'adevarat', 'alta firma', 'acelasi'].map((word) => readVerdict(word).kind)).toEqual([
    'none',
    'yes',
    'none',
    'yes',
  ])
  expect(readVerdict('ceska').kind).toBe('unreadable')
})

test.each([
  ['S', 'N'],
  ['hyväksy', 'hylkää'],
  ['Godkänn', 'väärä'],
  ['Godkänd', 'fel'],
  ['prihvati', 'odbij'],
  ['prihvaćeno', 'nije firma'],
  ['angenommen', 'abgelehnt'],
  ['aprobado', 'rechazado'],
  ['zatwierdzone', 'odrzucone'],
  ['принято', 'отклонено'],
  ['approved', 'rejected'],
  ['Sí', 'Ninguno'],
  ['Sim', 'néant'],
  ['○', '×'],
  ['◯', '✕'],
  ['✔\ufe0f', '❌'],
  ['該当', '対象外'],
  ['DOĞRUDUR', 'TAPILMADI'],
  ['ΣΩΣΤΌ', 'ΚΑΝΕΝΑΣ'],
  ['TAMAM', 'HAYIR'],
  ['isto', 'não consta'],
  ['확인', '목록에 없음'],
  ['bestätigt', 'nicht dabei'],
  ['Potvrđeno', 'nije na popisu'],
  ['確認済', '一覧にない'],
  ['jeste', 'nije'],
  ['ЈЕСТЕ', 'Није'],
  ['Ndiyo', 'Hapana'],
  ['Yego', 'Oya'],
  ['ya', 'bukan'],
  ['Padan', 'Tak sama'],
  ['SEPADAN', 'tidak sepadan'],
  ['sama', 'tiada padanan'],
  ['boleh', 'tak ada'],
  ['cocok', 'tidak jumpa'],
  ['gleich', 'passt nicht'],
  ['même', 'pas le même'],
  ['aynı', 'farklı'],
  ['совпадает', 'не совпадает'],
  ['同じ', '別会社'],
  ['khớp', 'không khớp'],
  ['có', 'không'],
])('%s is yes, and %s is none', (yes, none) => {
  expect([readVerdict(yes).kind, readVerdict(none).kind]).toEqual(['yes', 'none'])
})

test.each([
  "sijui|SIJUI|ne znam|Не знам|weiß nicht|Unbekannt|je ne sais pas|No sé|não sei|non so|weet niet|nie wiem|nevím|neviem|don't know",
  'mungkin|TAK PASTI|tidak pasti|Entah|maybe|?|vielleicht|peut-être|quizás|forse|może|možná|talán|возможно|ίσως|belki|ربما|אולי|शायद',
  'di sigurado|Hindi sigurado|DI TIYAK|ewan|hindi ko alam|di alam',
  'có thể|อาจจะ|baka|たぶん|要確認|待定|확인 필요|misschien|kanske|ehkä|galbūt|možda|morda|poate|labda|miskien|ndoshta|balki|мүмкін',
  'nem tudom|nu știu|vet inte|ved ikke|en tiedä|bilmiyorum|не знаю|невідомо|δεν ξέρω|לא ידוע|لا أعرف|わからない|不明|不知道|모름|ไม่รู้|tidak tahu',
])('a row stays open: %s', (words) => {
  expect(words.split('|').filter((word) => readVerdict(word).kind !== 'undecided')).toEqual([])
})

test('no word for an open row is a yes or a none', () => {
  const open = headerWords.verdicts.open.split('|')
  expect(open.filter((word) => yesWords.has(word) || noneWords.has(word))).toEqual([])
})

test.each(['x', '△', 'e', 'k', '確認', '확인 불가', 'mungkinlah', 'perhapsed', 'lain'])(
  '%s is no verdict',
  (word) => {
    expect(readVerdict(word).kind).toBe('unreadable')
  },
)

test.each([
  ['Sinhala', 'ow', 'naha'],
  ['Tamil', 'aamaam', 'illai'],
  ['Hindi and Urdu', 'jee haan', 'nahee'],
  ['Arabic', "na'am", 'la'],
  ['Persian', 'baleh', 'hich kodam'],
  ['Greek', 'sosto', 'ochi'],
  ['Russian', 'tochno', 'nyet'],
  ['Bulgarian', 'vyarno', 'nyama'],
  ['Ukrainian', 'virno', 'nemaye'],
  ['Georgian', 'diakh', 'arcerti'],
  ['Armenian', 'ayo', 'voch'],
  ['Hebrew', 'ken', 'lo'],
  ['Luganda', 'weewaawo', 'nedda'],
  ['Swahili', 'ndiyo', 'hapana'],
  ['Slovak', 'áno', 'nie'],
  ['English', 'yes', 'nil'],
  ['Vietnamese', 'dung', 'khong co'],
])('words of %s in Latin letters are read', (_, yes, none) => {
  expect([yes, yes.toUpperCase()].map((word) => readVerdict(word).kind)).toEqual(['yes', 'yes'])
  expect([none, none.toUpperCase()].map((word) => readVerdict(word).kind)).toEqual(['none', 'none'])
})

test.each(['nai', 'hai', 'aye', 'ein', 'na'])(
  '%s is yes in one language and something else in another',
  (word) => {
    expect(readVerdict(word).kind).toBe('unreadable')
  },
)

test.each(['jo', 'JO', 'Vale', 'cha', 'nae'])('%s is yes in one language and no in another', (word) => {
  expect(readVerdict(word).kind).toBe('unclear')
})

test.each([
  ['tak', 'yes', 'nie', 'tidak'],
  ['j', 'yes', 'nein', 'po'],
  ['no', 'none', 'yes', 'tak'],
  ['ne', 'none', 'да', 'ochi'],
  ['iya', 'yes', 'tidak', 'はい'],
  ['si', 'yes', 'nessuno', 'hapana'],
  ['ez', 'none', 'bai', 'igen'],
])('%s is %s with %s in the file, and unclear with %s', (word, kind, own, other) => {
  expect([[own], [], [own, other]].map((words) => readVerdict(word, new Set(words)).kind)).toEqual([
    kind,
    kind,
    'unclear',
  ])
})

test('no word is yes or none in one table and unclear in the other', () => {
  const { unclear, contested } = headerWords.verdicts
  const known = [...yesWords, ...noneWords]
  expect(unclear.split('|').filter((word) => known.includes(word))).toEqual([])
  expect(Object.keys(contested).filter((word) => !known.includes(word))).toEqual([])
})

test.each([
  '2번',
  '2 번',
  '2번째',
  '２番',
  '2号',
  '第2',
  '#2',
  '2.',
  '2)',
  'No. 2',
  'Nr 2',
  'No2',
  '②',
  '2.0',
])('%s is the number of a candidate', (typed) => {
  expect(readVerdict(typed)).toEqual({ kind: 'candidate', number: 2 })
})

test.each(['2개', 'no 2', '2社', '2명', 'no 2 or 3', '1.2.', '#', '번', '2%', 'acme 2'])(
  '%s is no verdict',
  (typed) => {
    expect(readVerdict(typed).kind).toBe('unreadable')
  },
)

describe('a verdict that was typed', () => {
  test.each<[string, TypedVerdict]>([
    ['', { kind: 'undecided' }],
    [' \t\u00a0', { kind: 'undecided' }],
    ['1', { kind: 'candidate', number: 1 }],
    [' 5 ', { kind: 'candidate', number: 5 }],
    ['1.0', { kind: 'candidate', number: 1 }],
    ['2,00', { kind: 'candidate', number: 2 }],
    ['３', { kind: 'candidate', number: 3 }],
    ['02', { kind: 'candidate', number: 2 }],
    ['0', { kind: 'candidate', number: 0 }],
    ['17', { kind: 'candidate', number: 17 }],
    ['none', { kind: 'none' }],
    ['NONE', { kind: 'none' }],
    ...'١ ۱ १ ১ ๑ １ ၁ ១ 1'
      .split(' ')
      .map((cell): [string, TypedVerdict] => [cell, { kind: 'candidate', number: 1 }]),
    ['١٢', { kind: 'candidate', number: 12 }],
    [' None  of\u00a0these', { kind: 'none' }],
    ['No', { kind: 'none' }],
    ['yes', { kind: 'yes' }],
    ['Accept', { kind: 'yes' }],
    ['TRUE', { kind: 'yes' }],
    ['FALSE', { kind: 'unreadable' }],
    ['WAHR', { kind: 'yes' }],
    ['siq_AbC-1_2', { kind: 'company', entityId: 'siq_AbC-1_2' }],
    ['Siq_abc ', { kind: 'company', entityId: 'siq_abc' }],
    ['siq_', { kind: 'unreadable' }],
    ['siq_a b', { kind: 'unreadable' }],
    ['1.5', { kind: 'unreadable' }],
    ['-1', { kind: 'unreadable' }],
    ['1e0', { kind: 'unreadable' }],
    ['12345678901', { kind: 'unreadable' }],
    ['maybe', { kind: 'undecided' }],
    ['maybe so', { kind: 'unreadable' }],
    ['Acme Ltd', { kind: 'unreadable' }],
  ])('%j is %j', (cell, verdict) => {
    expect(readVerdict(cell)).toEqual(verdict)
  })

  test.each([
    'Yes No',
    'JA Nein',
    'Ja Nee',
    'ja nej',
    '맞습니다 아닙니다',
    '맞음 아님',
    'Oui Non',
    'si\u0301 no',
    'Si No',
    'Sim Não',
    'Tak Nie',
    'Ano Ne',
    'igen nem',
    'EVET HAYIR',
    'kyllä ei',
    'Да Нет',
    'так ні',
    'ΝΑΙ ΌΧΙ',
    'はい いいえ',
    '是 否',
    '예 아니요',
    'نعم لا',
    'ہاں نہیں',
    'Иә Жоқ',
    "Ha Yo'q",
    'ha YO‘Q',
    'ҳа йўқ',
    'Ооба жок',
    'হ্যাঁ না',
  ])('Yes and no are understood: %s', (words) => {
    expect(words.split(' ').map((word) => readVerdict(word).kind)).toEqual(['yes', 'none'])
  })

  test.each([
    ...['none', 'geen van deze', 'niet gevonden', 'introuvable', 'nicht gefunden', 'no encontrado'],
    ...['non trovato', 'Não encontrado', '无此公司', 'NAHI', 'nahin'],
    ...['Koi nahi', 'کوئی نہیں', 'Hech biri', 'Табылмады'],
  ])('not found is understood: %s', (words) => {
    expect(readVerdict(words)).toEqual({ kind: 'none' })
    expect(['Haan', 'جی ہاں', "To'g'ri"].map((word) => readVerdict(word).kind)).toEqual(['yes', 'yes', 'yes'])
  })

  it('is something, whatever was typed, and spaces around it change nothing', () => {
    forAll(100, [fc.string({ unit: 'binary' })], (cell) => {
      expect(readVerdict(`  ${cell}\n`)).toEqual(readVerdict(cell))
    })
  })
})

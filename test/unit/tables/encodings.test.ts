import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { detectEncoding } from '../../../src/tables/encodings/detect.js'
import { decodeText } from '../../../src/tables/encodings/recode.js'
import { decodeLegacy } from '../../../src/tables/encodings/decode.js'
import { guessEncoding, judgeGuess } from '../../../src/tables/encodings/guess-encoding.js'
import { encodingNames, type Encoding, type LegacyEncoding } from '../../../src/core/file-formats.js'
import { everyEncoding, linesAround, listIn } from '../../support/encoded-files.js'

const legacy = everyEncoding.filter(({ encoding }) => !encoding.startsWith('utf-'))

/** Signs of windows-1252 from 0x80 to 0x9f. */
const upperSigns = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** The bytes of each character of one or two bytes. */
const createEncoder = (encoding: LegacyEncoding) => {
  const bytesOf = new Map<string, number[]>()
  const add = (bytes: number[]) => {
    const text = decodeLegacy(Buffer.from(bytes), encoding)
    if (text !== null && text.length === 1 && !bytesOf.has(text)) bytesOf.set(text, bytes)
  }
  for (let one = 0; one < 256; one++) add([one])
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail])
  return (text: string) => Buffer.from(Array.from(text).flatMap((char) => bytesOf.get(char) ?? [0x3f]))
}

const sourceOf = (bytes: Buffer, chunkBytes = 1 << 16) => ({
  label: 'names.csv',
  bytes: () =>
    Readable.from(
      Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, at) =>
        bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes),
      ),
    ) as AsyncIterable<Buffer>,
})
const read = async (bytes: Buffer, given?: Encoding, chunkBytes?: number) => {
  const source = sourceOf(bytes, chunkBytes)
  const found = await detectEncoding(source, given)
  if (found === null) return ''
  const parts: Buffer[] = []
  for await (const part of decodeText(source.bytes(), found, source.label)) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

describe('decoding', () => {
  test.each(legacy)('$encoding is read as Python writes it', ({ encoding, names, nameBytes }) => {
    expect(nameBytes.map((bytes) => decodeLegacy(bytes, encoding as 'latin1'))).toEqual(names)
  })

  test('windows-1252 has signs and letters from 0x80 to 0x9f, but for five', () => {
    const upper = Array.from({ length: 32 }, (_, index) =>
      decodeLegacy(Buffer.from([0x80 + index]), 'windows-1252'),
    )
    expect(upper.map((char) => char ?? '.').join('')).toBe('€.‚ƒ„…†‡ˆ‰Š‹Œ.Ž..‘’“”•–—˜™š›œ.žŸ')
    const letters = Buffer.from(Array.from({ length: 96 }, (_, index) => 0xa0 + index))
    expect(decodeLegacy(letters, 'windows-1252')).toBe(letters.toString('latin1'))
  })

  test('latin1 has the control characters of ISO 8859-1 where windows-1252 has nothing', () => {
    expect(decodeLegacy(Buffer.from([0x80, 0x81, 0x9d, 0xfc]), 'latin1')).toBe('€\x81\x9dü')
  })

  describe('Korean', () => {
    const pairs = (leads: [number, number], trails: readonly [number, number][]) => {
      const found: number[][] = []
      for (let lead = leads[0]; lead <= leads[1]; lead++) {
        for (const [from, to] of trails)
          for (let trail = from; trail <= to; trail++) found.push([lead, trail])
      }
      return found
    }
    const letters: readonly [number, number][] = [
      [0x41, 0x5a],
      [0x61, 0x7a],
    ]
    const decode = (pair: readonly number[]) => decodeLegacy(Buffer.from(pair), 'euc-kr')
    const standard = pairs([0xb0, 0xc8], [[0xa1, 0xfe]]).map(decode)
    const added = [
      ...pairs([0x81, 0xa0], [...letters, [0x81, 0xfe]]),
      ...pairs([0xa1, 0xc5], [...letters, [0x81, 0xa0]]),
      ...pairs([0xc6, 0xc6], [[0x41, 0x52]]),
    ].map(decode)

    test('the 8,822 syllables beyond KS X 1001 are there, in the order of Unicode', () => {
      expect(added).toHaveLength(8822)
      expect(added).toEqual([...added].sort())
      expect(new Set([...added, ...standard])).toEqual(
        new Set(Array.from({ length: 11_172 }, (_, index) => String.fromCharCode(0xac00 + index))),
      )
    })

    test.each([
      ['갂', '8141'],
      ['똠', '8c63'],
      ['뷁', '94ee'],
      ['펲', 'bc84'],
      ['힣', 'c652'],
      ['€', 'a2e6'],
      ['®', 'a2e7'],
    ])('%s is at %s', (char, hex) => {
      expect(decodeLegacy(Buffer.from(hex, 'hex'), 'euc-kr')).toBe(char)
    })

    test('a pair that is beyond the last syllable, or half of one, is none', () => {
      for (const hex of ['c653', 'c741', '8130', '81', 'b0']) {
        expect(decodeLegacy(Buffer.from(hex, 'hex'), 'euc-kr')).toBeNull()
      }
    })
  })

  test.each(['shift_jis', 'gbk', 'big5', 'euc-jp', 'euc-kr'] as const)(
    'half a character of %s is none',
    (encoding) => {
      const [name] = listIn(encoding).nameBytes
      expect(decodeLegacy(name?.subarray(0, 1) ?? Buffer.alloc(0), encoding)).toBeNull()
    },
  )

  test.each(['windows-1250', 'windows-1253', 'windows-1254', 'windows-1257', 'windows-874'] as const)(
    'a byte that %s leaves out is no control character',
    (encoding) => {
      const decoded = Array.from({ length: 128 }, (_, index) =>
        decodeLegacy(Buffer.from([128 + index]), encoding),
      )
      expect(decoded.some((char) => char === null)).toBe(true)
      expect(decoded.filter((char) => char !== null && /[\x80-\x9f]/.test(char))).toEqual([])
    },
  )
})

test.each(['iso-8859-2', 'iso-8859-5', 'iso-8859-6', 'iso-8859-7', 'iso-8859-15'] as const)(
  'text of DOS is not read as %s: it would have control characters',
  (encoding) => {
    const { nameBytes } = listIn('cp852')
    expect(nameBytes.map((bytes) => decodeLegacy(bytes, encoding))).toContain(null)
  },
)

describe('guessing', () => {
  const signs = [
    'ŠKODA AUTO',
    'Œuvre Žižka',
    'Bob’s “Bar”',
    'Straße – Nord',
    'Müller • Söhne',
    'Société Générale …',
  ]
  test.each([
    ['windows-1252', 'Société Salinière;à relancer;Hôtel Colbert'],
    ['windows-1252', 'Immobilière du Château;réglé;près du marché'],
    ['windows-1252', 'Construção Civil;São Vicente;fundações'],
    ['windows-1252', 'Società Immobiliare;attività;più'],
  ])('the usual words of a short list decide for %s: %s', (encoding, text) => {
    const sample = Buffer.from(`${text.replaceAll(';', '\n')}\n`, 'latin1')
    expect(judgeGuess(sample, encoding)).toMatchObject({ kind: 'sure', reading: { encoding } })
  })

  test.each([
    'Mutuário;NIPC',
    'Denominação;NIF',
    'Name;Município',
    'Razón social;NIF',
    'Name;Département',
    'Name;Postort;Län',
    "Name;Country;Larkmoor;Côte d'Ivoire",
  ])('a known header or country alone decides: %s', (text) => {
    const sample = Buffer.from(`${text}\nLarkmoor;4711\nNorvane;4712\n`, 'latin1')
    const judgement = judgeGuess(sample, guessEncoding(sample))
    expect(judgement).toMatchObject({ kind: 'sure', reading: { encoding: 'windows-1252' } })
  })

  test.each(signs)('A reading with control characters is no rival of windows-1252: %s', (sign) => {
    const bytes = (text: string) =>
      Buffer.from(
        Array.from(text, (char) => {
          const at = upperSigns.indexOf(char)
          return at < 0 ? char.charCodeAt(0) : 0x80 + at
        }),
      )
    const towns = [
      'Köln',
      'Müllheim',
      'Düren',
      'Fürth',
      'Lörrach',
      'Völklingen',
      'Würselen',
      'Bünde',
      'Löhne',
      'Düsseldorf',
    ]
    const lines = [
      'name,city',
      ...towns.flatMap((town) => [`Bäckerei,${town}`, `Tischlerei,${town}`]),
      'Förster,Görlitz',
      'Schäfer,Güstrow',
      `${sign},Zürich`,
    ]
    const sample = Buffer.concat(lines.map((line) => bytes(`${line}\n`)))
    const judgement = judgeGuess(sample, guessEncoding(sample))
    const readings = judgement.kind === 'sure' ? [judgement.reading] : judgement.readings
    expect(
      readings
        .map(({ encoding }) => decodeLegacy(sample, encoding))
        .filter((text) => text === null || /[\x80-\x9f]/.test(text)),
    ).toEqual([])
    expect(readings[0]?.encoding).toBe('windows-1252')
  })

  const judged = (names: readonly Buffer[]) => {
    const sample = linesAround(names, (index) => `${index},"`, '"\n')
    return judgeGuess(sample, guessEncoding(sample))
  }
  const read = (names: readonly Buffer[]) => {
    const judgement = judged(names)
    return judgement.kind === 'sure' ? judgement.reading.encoding : judgement.kind
  }

  // Detectors do not know macintosh and DOS; ISO 8859-15 differs from windows-1252 in eight signs.
  const unsure = ['macintosh', 'iso-8859-15', 'cp850', 'cp852']
  test.each(legacy.filter(({ encoding }) => !unsure.includes(encoding)))(
    'a list in $encoding is read right, and not doubted',
    ({ names, nameBytes }) => {
      const judgement = judged(nameBytes)
      const encoding = judgement.kind === 'sure' ? judgement.reading.encoding : 'utf-8+windows-1252'
      expect(nameBytes.map((bytes) => decodeLegacy(bytes, encoding as 'latin1'))).toEqual(names)
    },
  )

  test.each(unsure)(
    'a list in %s is not taken for another, and the right one is among the choices',
    (encoding) => {
      const judgement = judged(listIn(encoding as 'macintosh').nameBytes)
      expect(judgement.kind).toBe('unsure')
      if (judgement.kind === 'unsure')
        expect(judgement.readings.map((reading) => reading.encoding)).toContain(encoding)
    },
  )

  test.each<[string, string]>([
    ['Müller', 'windows-1252'],
    ['Köln', 'windows-1252'],
    ['Société Générale', 'windows-1252'],
    ['GRÜNWALD MÜHLE', 'windows-1252'],
  ])('%s reads the same wherever it is a name, and is not doubted', (name, encoding) => {
    expect(read([Buffer.from(name, 'latin1')])).toBe(encoding)
  })

  test.each(['Crème', 'Ørsted', 'Señor', 'São João'])(
    '%s alone could be two names, and is doubted',
    (name) => {
      const judgement = judged([Buffer.from(name, 'latin1')])
      expect(judgement.kind).toBe('unsure')
      if (judgement.kind === 'unsure') {
        expect(judgement.readings[0]).toEqual({ encoding: 'windows-1252', excerpts: [name] })
        expect(judgement.readings.length).toBeGreaterThan(1)
      }
    },
  )

  test.each([
    ['Bærum Næring', 'Tromsø Rør', 'Ålesund Bygg', 'Sørøya Fisk'],
    ['Compañía Eléctrica', 'Muñoz y Núñez', 'Señal Córdoba', 'Ibáñez'],
    ['São Paulo', 'João Água', 'Razón Córdoba'],
  ])(
    'a short list of one language is read right where another encoding gives letters of several: %s',
    (...names) => {
      expect(read(names.map((name) => Buffer.from(name, 'latin1')))).toBe('windows-1252')
    },
  )

  const encodeDouble = (encoding: LegacyEncoding, text: string) => {
    const bytesOf = new Map<string, Buffer>()
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) {
        const bytes = Buffer.from([lead, trail])
        const character = decodeLegacy(bytes, encoding)
        if (character !== null) bytesOf.set(character, bytes)
      }
    return Buffer.concat(Array.from(text, (one) => bytesOf.get(one) ?? Buffer.from(one, 'ascii')))
  }

  test.each<[LegacyEncoding, string[]]>([
    ['gbk', ['客户名称,城市', '华为技术有限公司,深圳', '贵州茅台酒股份有限公司,仁怀']],
    ['gb18030', ['客户名称,城市', '䶮华科技有限公司,深圳', '腾讯集团,深圳']],
    ['big5', ['公司名稱,城市', '聯發科技股份有限公司,新竹', '鴻海精密工業股份有限公司,新北']],
    ['shift_jis', ['会社名,市', '大和工業株式会社,姫路', '株式会社日立製作所,東京']],
    ['euc-kr', ['회사명,도시', '삼성전자 주식회사,수원', '현대자동차 주식회사,서울']],
  ])('a list of two companies in %s is read right', (encoding, lines) => {
    const found = judged(lines.map((line) => encodeDouble(encoding, line)))
    expect(found.kind).toBe('sure')
    if (found.kind !== 'sure') return
    const bytes = encodeDouble(encoding, lines.join('\n'))
    expect(decodeLegacy(bytes, found.reading.encoding)).toBe(lines.join('\n'))
  })

  test('gbk has the characters of GB 18030 of four bytes, and of two that it lacks', () => {
    expect(decodeLegacy(Buffer.from('fe9f', 'hex'), 'gbk')).toBe('䶮')
    expect(decodeLegacy(Buffer.from('81308436', 'hex'), 'gbk')).toBe('¥')
  })

  test('every start of every list is read right or doubted', () => {
    for (const { encoding, names, nameBytes } of legacy) {
      for (let count = 1; count <= nameBytes.length; count++) {
        const judgement = judged(nameBytes.slice(0, count))
        if (judgement.kind === 'unsure') continue
        const found = judgement.reading.encoding
        const decoded = nameBytes.slice(0, count).map((bytes) => decodeLegacy(bytes, found))
        expect(decoded, `${count} of ${encoding}, read as ${found}`).toEqual(names.slice(0, count))
      }
    }
  })

  const short: readonly (readonly [LegacyEncoding, string])[] = [
    [
      'windows-1252',
      'Hôtel Évêché,Nîmes|Crèmerie Béarnaise,Béziers|Boulangerie Père,Mâcon|Forêts de l’Est,Saint-Étienne|Garage Lefèvre,Châteauroux',
    ],
    [
      'windows-1252',
      'Åkerströms Möbler,Västerås|Skåne Kött,Malmö|Sjö & Hav,Göteborg|Ängå Verkstäder,Örebro|Håkansson Bygg,Norrköping',
    ],
    [
      'windows-1252',
      'Müller Söhne,Köln|Bäckerei Groß,Düren|Gebrüder Weiß,Fürth|Schröder,Würzburg|Mühlenbräu,Nürnberg',
    ],
    [
      'windows-1252',
      'Kärkkäinen,Ylöjärvi|Höyläämö,Jyväskylä|Mäkelän Pyörä,Hämeenlinna|Sähkötyö,Äänekoski|Ylönen,Mäntsälä',
    ],
    [
      'windows-1250',
      'Pekařství Novák,Děčín|Žďárské strojírny,Žďár|Stavby Šťastný,Plzeň|Mlékárna,Příbram|Kovovýroba Dvořák,Ústí',
    ],
    [
      'windows-1250',
      'Spółdzielnia,Łódź|Usług Więcej,Gdańsk|Stolarz Wójcik,Kraków|Żabieniec Drób,Poznań|Cegielnia Jasień,Jasło',
    ],
    [
      'windows-1250',
      'Első Magyar Sütöde,Győr|Kőbányai Sörgyár,Pécs|Gép Művek,Hódmezővásárhely|Zöldség,Székesfehérvár|Fűszer Kereskedő,Szűcsi',
    ],
    [
      'windows-1250',
      'Pekáreň Ľubica,Ľubotín|Železiarne,Košice|Štúdio Kňaz,Žilina|Mäso Čierny,Čadca|Stavby Hôrka,Trenčín',
    ],
    [
      'windows-1257',
      'Tõnu Köök,Võru|Õlle Tööstus,Pärnu|Mööbel ja Köök,Jõhvi|Põhja Lääne,Jõgeva|Väike Tööriist,Põlva',
    ],
  ]
  const encode = (encoding: LegacyEncoding, text: string) => {
    const byteOf = new Map(
      Array.from({ length: 256 }, (_, byte) => [decodeLegacy(Buffer.from([byte]), encoding), byte]),
    )
    return Buffer.from(Array.from(text, (letter) => byteOf.get(letter) ?? 0x3f))
  }

  test.each(short)(
    'five rows in %s are read right if no other encoding gives letters of a language: %s',
    (encoding, list) => {
      const names = list.split('|')
      const judgement = judged(names.map((name) => encode(encoding, name)))
      expect(judgement.kind).toBe('sure')
      if (judgement.kind !== 'sure') return
      const found = judgement.reading.encoding
      expect(names.map((name) => decodeLegacy(encode(encoding, name), found))).toEqual(names)
    },
  )

  test.each<[LegacyEncoding, string, string]>([
    ['windows-1252', 'België', 'Peeters'],
    ['windows-1252', 'Zürich', 'Muster'],
    ['windows-1252', 'Österreich', 'Muster'],
    ['windows-1252', 'México', 'Lozano'],
    ['windows-1250', 'Łódź', 'Nowak'],
    ['windows-1250', 'Plzeň', 'Novak'],
    ['windows-1251', 'Москва', 'Ромашка'],
    ['koi8-r', 'Москва', 'Ромашка'],
    ['iso-8859-5', 'Москва', 'Ромашка'],
    ['windows-1251', 'София', 'Ромашка'],
    ['windows-1253', 'Αθήνα', 'Παπαδόπουλος'],
    ['windows-1254', 'Eskişehir', 'Yilmaz'],
    ['windows-1255', 'חיפה', 'כרמל'],
    ['windows-1256', 'القاهرة', 'النور'],
    ['windows-1257', 'Rīga', 'Berzins'],
    ['windows-874', 'กรุงเทพ', 'สยาม'],
  ])('%s: one place that is known by its name tells the encoding: %s', (encoding, place, name) => {
    for (const text of [`${name},${place}`, place]) {
      const judgement = judged([encode(encoding, text)])
      expect(judgement.kind).toBe('sure')
      if (judgement.kind === 'sure')
        expect(decodeLegacy(encode(encoding, text), judgement.reading.encoding)).toBe(text)
    }
  })

  test('rows of two languages are read right or doubted', () => {
    for (const [encoding, one] of short)
      for (const [other, another] of short) {
        if (other !== encoding) continue
        const [ours, theirs] = [one.split('|'), another.split('|')]
        for (let count = 1; count <= ours.length; count++) {
          const names = [...ours.slice(0, count), ...theirs.slice(count - 1)]
          const judgement = judged(names.map((name) => encode(encoding, name)))
          if (judgement.kind === 'unsure') continue
          const found = judgement.reading.encoding
          expect(names.map((name) => decodeLegacy(encode(encoding, name), found))).toEqual(names)
        }
      }
  })

  test('every encoding that can be named is one that is tried', () => {
    const tried = new Set<string>(everyEncoding.map(({ encoding }) => encoding))
    const others = ['utf-16le', 'utf-16be', 'windows-1258', 'iso-8859-1', 'iso-2022-jp']
    const alone = encodingNames.filter((name) => !name.startsWith('utf-8+'))
    expect(alone.filter((name) => !tried.has(name)).sort()).toEqual(others.sort())
  })
})

describe('lists of East Asia', () => {
  const lists: readonly (readonly [LegacyEncoding, string[]])[] = [
    [
      'shift_jis',
      [
        '仕入先名,カナ,郵便番号,住所',
        '㈱東海精密,ﾄｳｶｲｾｲﾐﾂ,471-8571,愛知県豊田市栄町1',
        '有限会社山本製作所,ﾔﾏﾓﾄｾｲｻｸｼｮ,451-0001,愛知県名古屋市西区',
        '株式会社中央運輸,ﾁｭｳｵｳｳﾝﾕ,460-0001,名古屋市中区',
        '合同会社青葉商店,ｱｵﾊﾞｼｮｳﾃﾝ,980-0001,宮城県仙台市青葉区',
      ],
    ],
    [
      'shift_jis',
      [
        '取引先名,住所',
        '株式会社青葉商店,宮城県仙台市',
        '有限会社山本製作所,名古屋市',
        '北陸電機株式会社,石川県金沢市',
      ],
    ],
    [
      'gbk',
      [
        '公司名称,地址',
        '青岛海天机械有限公司,山东省青岛市',
        '上海新光贸易有限公司,上海市浦东新区',
        '北京中科电子股份有限公司,北京市',
      ],
    ],
    [
      'big5',
      [
        '公司名稱,地址',
        '台灣新光機械股份有限公司,台北市信義區',
        '高雄海天貿易有限公司,高雄市',
        '新竹電子股份有限公司,新竹市',
      ],
    ],
    [
      'euc-kr',
      ['회사명,주소', '주식회사 한빛기계,서울시 강남구', '대한상사,부산시', '유한회사 청솔전자,대구시 중구'],
    ],
  ]

  test.each(lists)('%s is detected in its first lines, and in many', (encoding, lines) => {
    const encode = createEncoder(encoding)
    const judge = (texts: readonly string[]) => {
      const sample = encode(`${texts.join('\n')}\n`)
      return judgeGuess(sample, guessEncoding(sample))
    }
    for (let count = 2; count <= lines.length; count++)
      expect([count, judge(lines.slice(0, count))]).toMatchObject([
        count,
        { kind: 'sure', reading: { encoding } },
      ])
    const many = Array.from({ length: 200 }, () => lines.slice(1)).flat()
    expect(judge([lines[0] ?? '', ...many])).toMatchObject({ kind: 'sure', reading: { encoding } })
  })
})

describe('bytes that are valid UTF-8 by chance', () => {
  const encode = (encoding: LegacyEncoding, text: string) => {
    const byteOf = new Map(
      Array.from({ length: 256 }, (_, byte) => [decodeLegacy(Buffer.from([byte]), encoding), byte]),
    )
    return Buffer.from(Array.from(text, (letter) => byteOf.get(letter) ?? 0x3f))
  }
  const words: readonly (readonly [LegacyEncoding, string])[] = [
    ['windows-1250', 'MEDIKOR SPÓŁKA Z O.O.'],
    ['windows-1250', 'WÓŁ'],
    ['windows-1250', 'ÓŁA I SYNOWIE'],
    ['windows-1250', 'TĚŠNOV'],
    ['windows-1250', 'BĚŽEC'],
    ['windows-1250', 'LŮŽKO'],
    ['windows-1250', 'VÝŠKA'],
    ['windows-1250', 'LÍŠKA'],
    ['windows-1250', 'TÚŽBA'],
    ['iso-8859-2', 'SPÓŁKA'],
    ['iso-8859-2', 'LÍŠKA'],
    ['windows-1252', 'CAFÉ’S'],
    ['windows-1252', 'CAFÉ”'],
    ['windows-1252', 'NESTLÉ®'],
    ['windows-1252', 'CAFÉ BAR'.replace(' ', '\u00a0')],
    ['windows-1252', 'MÜ–BAU'],
    ['windows-1254', 'KURULUŞ’UN'],
    ['macintosh', 'L’ÉCOLE'],
    ['macintosh', '“ÉCOLE'],
  ]

  test.each(words)(
    'a file whose only letters beyond ASCII are of %s is not read as UTF-8: %s',
    async (encoding, name) => {
      const bytes = encode(encoding, `name;city\n${name};ROMA\n`)
      expect(Buffer.from(bytes.toString('utf8'))).toEqual(bytes)
      // It is read right or doubted, however it is cut into chunks.
      for (const chunkBytes of [1, 7, 4096]) {
        const text = await read(bytes, undefined, chunkBytes).catch(
          (error: unknown) => (error as { code: string }).code,
        )
        expect(['INPUT_ENCODING_UNSURE', decodeLegacy(bytes, encoding)]).toContain(text)
      }
      expect(await read(bytes, encoding)).toBe(decodeLegacy(bytes, encoding))
    },
  )

  test.each(words.filter(([encoding]) => encoding === 'windows-1250' || encoding === 'windows-1252'))(
    'such a line in a file in %s, and in one of mixed encodings: %s',
    async (encoding, name) => {
      const towns =
        encoding === 'windows-1250'
          ? 'Łódź;Kraków;Gdańsk;Poznań;Wrocław'
          : 'Nîmes;Besançon;Orléans;Béziers;Mâcon'
      const legacy = `name;city\n${name};ROMA\n${towns.replaceAll(';', ';x\n')};x\n`
      const found = await read(encode(encoding, legacy)).catch(
        (error: unknown) => (error as { code: string }).code,
      )
      expect([legacy, 'INPUT_ENCODING_UNSURE']).toContain(found)
      const mixed = Buffer.concat([Buffer.from(`${towns}\n`), encode(encoding, name)])
      await expect(read(mixed)).rejects.toMatchObject({ code: 'INPUT_ENCODING_MIXED' })
      expect(await read(mixed, `utf-8+${encoding}` as Encoding)).toBe(`${towns}\n${name}`)
    },
  )

  test.each([
    'Яндекс N.V.',
    '3М',
    'β-Tech',
    'TNFα',
    'NF-κB',
    'μTorrent',
    'LABλ',
    'ОOО Ромашка',
    'Cтрой',
    'iСтрой',
    'Eλλάδα',
    'TOYS Я US',
    'KOЯN',
    'Azәrbaycan',
    'AZəRBAYCAN NEFT',
    'BAKIDə',
    'ŞİRKƏTİ',
    'Қazaqstan',
    'ҮKIMET',
    'Công ty Đầu Tư',
    'TƯ VẤN',
    'SƯ',
    'Ţara',
    'ȚARA',
    'Brașov',
    'KAʻANAPALI',
    'NUKUʼALOFA',
    'Kɔkɔ',
    'Lomɔ',
    'ɗan Kasuwa',
    'ɖoe',
    'Ƴar',
    'Kɔ',
    'Ƙasuwa',
    'Lǚ',
    'Łódź',
    'SPÓŁKA',
    'SPółKA',
    'MüLLER',
    'KOVAč',
    'Kőbányai',
    'Þór',
    'ĐAKOVO',
    'ΟTE',
    'הIBM',
    'وIBM',
    'ABC، XYZ',
    'ABC؛',
    'الراجحي Bank',
    'ՍՊԸ Ararat',
    'Bob’s “Bar”',
    '№ 5',
    '🙂 Ltd',
    'PLZEŇ'.normalize('NFD'),
    'ÅLBORG'.normalize('NFD'),
    'Việt Nam'.normalize('NFD'),
    'ÂÊÎ'.normalize('NFD'),
    'ЎЗБЕКИСТОН',
    'Тоҷикистон',
    'Қазақстан',
    'Éclair™',
    'CAFÉ®',
    'STRAßE',
    'Groß–Gerau',
    'บริษัท',
    '有限公司',
    '주식회사',
    'カナ',
    'ﾄｳｶｲ',
    'Ñandú',
    'Çelik',
    'Ýr',
    'Õlle',
    'Žalgiris',
    'Œuvre',
    'İstanbul',
  ])('UTF-8 stays UTF-8: %s', async (name) => {
    const text = `name;city\n${name};ROMA\n${name.toUpperCase()};X\nACME ${name};X\n`
    expect(await read(Buffer.from(text))).toBe(text)
    expect(await read(Buffer.from(text), 'utf-8+windows-1250')).toBe(text)
  })

  test('no list of words in UTF-8 is judged otherwise, and none can be read in another encoding', async () => {
    for (const { names } of everyEncoding) {
      for (const name of names.flatMap((one) => [
        one,
        one.toUpperCase(),
        one.toLowerCase(),
        one.normalize('NFD'),
      ])) {
        expect(await read(Buffer.from(name))).toBe(name)
        if (/[^\p{ASCII}]/u.test(name))
          await expect(read(Buffer.from(name), 'windows-1250')).rejects.toMatchObject({
            code: 'INPUT_ENCODING_WRONG',
          })
      }
    }
  })

  test('a word that both encodings could have is UTF-8, unless its encoding is named', async () => {
    const bytes = encode('windows-1250', 'PAMÄŤ NÁRODA'.replace('Á', 'A'))
    expect(await read(bytes)).toBe('PAMč NARODA')
    expect(await read(bytes, 'windows-1250')).toBe('PAMÄŤ NARODA')
    await expect(read(Buffer.from('MüLLER'), 'windows-1250')).rejects.toMatchObject({
      code: 'INPUT_ENCODING_WRONG',
    })
  })
})

describe('letters beyond ASCII in bytes of ASCII', () => {
  const codeOf = createEncoder('euc-jp')
  /** ISO-2022-JP: sequences tell which characters the bytes are. */
  const encodeJis = (text: string) => {
    let [set, bytes] = ['(B', '']
    const select = (next: string) => {
      if (next !== set) bytes += `\x1b${next}`
      set = next
    }
    for (const char of text) {
      const [lead = 0, trail] = codeOf(char)
      select(trail === undefined ? '(B' : lead === 0x8e ? '(I' : '$B')
      const codes = lead === 0x8e ? [trail ?? 0] : trail === undefined ? [lead] : [lead, trail]
      bytes += String.fromCharCode(...codes.map((code) => code % 128))
    }
    select('(B')
    return Buffer.from(bytes, 'latin1')
  }
  const lines = '会社名,カナ,〒,住所\n㈱東海精密,ﾄｳｶｲｾｲﾐﾂ,471-8571,"愛知県, 豊田市"\n青葉商店,ｱｵﾊﾞ,,仙台市\n'

  test.each([1, 2, 3, 7, 65_536])('ISO-2022-JP is read in chunks of %i bytes', async (chunkBytes) => {
    for (const text of [
      lines,
      `name\n${'Norvane Ltd\n'.repeat(9_000)}${lines}`,
      lines.slice(0, 4),
      'ﾄｳｶｲ\n',
    ]) {
      const bytes = encodeJis(text)
      const found = await detectEncoding(sourceOf(bytes, chunkBytes), undefined)
      expect([found?.encoding, found?.notice]).toEqual(['iso-2022-jp', expect.stringContaining('escape')])
      expect(await read(bytes, undefined, chunkBytes)).toBe(text)
      expect(await read(bytes, 'iso-2022-jp', chunkBytes)).toBe(text)
      if (bytes.length < 1000)
        await expect(read(bytes, 'shift_jis')).rejects.toMatchObject({ code: 'INPUT_ENCODING_WRONG' })
    }
  })

  test.each([
    [
      'ISO-2022-KR',
      'GyQpQw5IODtnOG0PLA5BVjxSDwoOQVY9REg4O2cPIA5HUTp7MWIwaA8sDjwtP289Qw8KDjRrR1E7cztnDywOOk47aj1DDwo=',
    ],
    ['HZ', 'fns5K0s+Q3szRn59LH57NVhWN359Cn57R2A1OjojTGw7elA1U1BPXjkrSz5+fSx+e0k9NitKIUdgNTpKUH59Cg=='],
    [
      'UTF-7',
      'K1R4cDVQbFFOLCtUMDlpUUENCithQ3BmRDA4YWVUNW5jVzEzZkw1YnhnLCtZUnQzNVhjTWpFcDFNRjRDYUFSMU9nLTENCg==',
    ],
    [
      'UTF-7',
      'TmFtZSxPcnQKTStBUHctbGxlciBHbWJILEsrQVBZLWxuCkIrQU9RLWNrZXIgJiBTK0FQWS1obmUsTitBUHctcm5iZXJnCg==',
    ],
    [
      'UTF-7',
      'K0JCMEVNQVEzQkRJRU1BUTlCRGdFTlE7K0JCTUVQZ1JBQkQ0RU5BCitCQjRFSGdRZSArQkIwRVBnUkFCRElFTlFRNUJEMDsrQkJ3Cg==',
    ],
  ])('%s is refused, with the way to convert it', async (name, base64) => {
    const bytes = Buffer.from(base64, 'base64')
    for (const chunkBytes of [1, 65_536])
      await expect(read(bytes, undefined, chunkBytes)).rejects.toMatchObject({
        code: 'INPUT_ENCODING_WRONG',
        hint: expect.stringContaining(`iconv -f ${name} -t UTF-8`) as string,
      })
    // A wrong guess can be overridden.
    expect(await read(bytes, 'utf-8')).toBe(bytes.toString('latin1'))
  })

  test.each([
    'name,phone\nNorvane Ltd,+4915123456784\nLarkmoor Ltd,+441134960000-12\nVelsor,+12025550148\n',
    'name\nGoogle+ Partners\nA+B Trading\nC++ School\nOne+One Ltd\nBody+Soul\nSalt+Pepper Ltd\nBlack+Decker\n',
    'name,mail\nNorvane,info+sales@norvane.com\nLarkmoor,jo+billing@larkmoor.com\n',
    'name\n~{Norvane}\n~~ Larkmoor ~~\n$B Ltd\n(J) Larkmoor\n',
    '\x1b[31mname\x1b[0m\nNorvane\x1b(B\n',
  ])('other texts of ASCII are ASCII: %j', async (text) => {
    expect(await read(Buffer.from(text))).toBe(text)
  })
})

describe('Shift JIS', () => {
  const encode = createEncoder('shift_jis')
  const rows = ['会社名,都道府県', '田商店,京都府', '㈱ミヤコ,京都府', '山本製作所,大阪府']

  test.each([0xf040, 0xf0fc, 0xf4a0, 0xf9fc])(
    'with a character that a user has drawn is read: %i',
    async (code) => {
      const own = Buffer.from([code >> 8, code & 0xff])
      for (const count of [1, 50]) {
        const text = `${Array.from({ length: count }, () => rows)
          .flat()
          .join('\n')}\n`
        const bytes = Buffer.concat([Buffer.from(encode(text)), own, encode('林商会,奈良県\n')])
        expect(await read(bytes)).toMatch(/[\ue000-\ue757]林商会,奈良県\n$/)
      }
    },
  )

  test('mixed with UTF-8 is not said to be of single bytes', async () => {
    for (const text of ['山本製作所,大阪府\n', 'ｱｵﾊﾞ商店,仙台市\n山本製作所,大阪府\n']) {
      const mixed = Buffer.concat([encode(text), encode(text), Buffer.from(`${rows.join('\n')}\n`)])
      await expect(read(mixed)).rejects.toMatchObject({
        code: 'INPUT_ENCODING_MIXED',
        message: expect.stringMatching(/as shift_jis, line 1 has "(?:山本製作所|ｱｵﾊﾞ商店)"/) as string,
        hint: expect.stringMatching(/^these lines seem to be shift_jis: split/) as string,
      })
    }
  })
})

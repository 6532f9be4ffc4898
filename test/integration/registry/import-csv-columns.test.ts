import { describe, expect, it, test } from 'vitest'
import { formatLoadProgress } from '../../../src/cli/terminal/progress-text.js'
import { formatImport } from '../../../src/cli/terminal/registry-text.js'
import headerWords from '../../../src/core/headers.json' with { type: 'json' }
import { listNumberKeys } from '../../../src/core/header-words.js'
import { taxHeaders } from '../../../src/core/identifiers.js'
import { rankInHeaders } from '../../../src/core/text.js'
import { proposeMap } from '../../../src/registry/import/propose-map.js'
import {
  createFieldReader,
  importCsvText,
  type ImportCsvOptions,
} from '../../../src/registry/import/import-csv.js'
import { dateOrders, type DateOrder } from '../../../src/core/file-formats.js'
import { readRow, resolveColumns, type ImportField } from '../../../src/registry/import/csv-row.js'
import { findHeaderField, findStatus } from '../../../src/registry/reference/registers.js'
import registerWords from '../../../src/registry/reference/register-words.json' with { type: 'json' }
import { openRegistry } from '../../../src/registry/registry.js'
import { importContent, lei, levelOne, levelOneCsv, registrationsOf } from '../../support/register-files.js'
import { errorWith } from '../../support/error-with.js'

const open = () => openRegistry(':memory:')

async function importRows(text: string, options: Partial<ImportCsvOptions>, registry = open()) {
  const result = await importContent(registry, 'csv', text, { fileName: 'rows.csv', ...options })
  return { registry, result, held: registrationsOf(registry) as Record<string, Record<string, unknown>> }
}

describe('industry codes', () => {
  const uk = { idType: 'registration_id', map: { id: 'no', name: 'name', sic: 'sic' }, jurisdiction: 'gb' }

  it('five digits of a British company are UK SIC 2007, kept under their own scheme', async () => {
    const { result, held } = await importRows(
      'no,name,sic\n00000001,A Ltd,46730\n00000002,B Ltd,"1110, 46740"\n00000003,C Ltd,\n',
      uk,
    )
    expect(result.droppedCount).toBe(0)
    expect(Object.values(held).map(({ sic, industry_codes }) => [sic, industry_codes])).toEqual([
      [null, 'uk_sic_2007:46730'],
      [null, 'uk_sic_2007:01110 46740'],
      [null, null],
    ])
  })

  it('four digits of a registrant of the SEC are American, wherever it is registered', async () => {
    const map = { id: 'cik', name: 'name', sic: 'sic', jurisdiction: 'home' }
    const { held } = await importRows('cik,name,home,sic\n1,A plc,GB,1311\n', { idType: 'cik', map })
    expect(Object.values(held)).toMatchObject([{ sic: '1311', industry_codes: null }])
  })
})

describe('columns', () => {
  it.each([
    ['Dénomination sociale FR', 'Maatschappelijke benaming NL'],
    ['Naam NL', 'Nom FR'],
  ])('of the names %s and %s, the fuller column is the name', (few, many) => {
    const rows = [
      ['1', '', 'Larkmoor Handel'],
      ['2', 'Norvane Commerce', 'Norvane Handel'],
      ['3', '', 'Velmora Handel'],
    ]
    const { map } = proposeMap(['id', few, many], rows)
    expect(map.name).toBe(`${many},${few}`)
  })

  it.each(
    `Maatschappelijke naam=name|Maatschappelijke benaming=name|Benaming=name|Officiële benaming=name
    Vroegere benaming=former_names|Begindatum=founding_date|Datum stopzetting=dissolution_date|Viloyat=region
    Tuman (shahar)=city|Shahar (tuman)=city|Tuman=city|Район/Город=city|Yuridik manzil=formatted_address`
      .split(/[|\n]\s*/)
      .map((one) => one.split('=')),
  )('the header %s is of the field %s', (header = '', field = '') => {
    const cell = /date/.test(field) ? '2001-05-07' : 'Larkmoor'
    const map: Readonly<Record<string, string | undefined>> = proposeMap([header], [[cell], [cell]]).map
    expect(map[field]).toBe(header)
  })

  it.each([
    [
      'inactive',
      'Overname door fusie|Fusion par absorption|Arrêté|Clôture de liquidation|Sluiting van vereffening',
    ],
    [
      'inactive',
      'Clôture de faillite|Тугатилган|Faoliyatsiz|Harakatsiz|Reestrdan chiqarilgan|Бездействующий',
    ],
    [
      'inactive',
      'Fusione per incorporazione|Fusión por absorción|Verschmelzung durch Aufnahme|Chiusura della liquidazione',
    ],
    ['restructuring', 'Gerechtelijke reorganisatie|Réorganisation judiciaire|Qayta tashkil etish jarayonida'],
    ['liquidation', 'Тугатиш жараёнида|Tugatish bosqichida|En liquidation|In vereffening'],
    ['active', "Фаол|Faoliyat ko'rsatmoqda|Faoliyat koʻrsatmoqda"],
    ['suspended', "Faoliyati vaqtincha to'xtatilgan|Фаолияти вақтинча тўхтатилган"],
  ])('the status %s of %s', (status, texts) => {
    for (const text of texts.split('|')) expect(findStatus(text, null), text).toBe(status)
  })

  it('a row without the first of two names has the second', async () => {
    const rows = 'id,NL,FR\n1,Larkmoor Handel,Larkmoor Commerce\n2,,Norvane Commerce\n3,Velmora Handel,\n'
    const { held, result } = await importRows(rows, { map: { id: 'id', name: 'NL,FR' } })
    expect(result.rejectedCount).toBe(0)
    expect(Object.values(held).map((row) => row.name ?? row.legal_name)).toEqual([
      'Larkmoor Handel',
      'Norvane Commerce',
      'Velmora Handel',
    ])
  })

  it('a word that is no type does not refuse a small file', async () => {
    const rows = 'id,name,type\n1,Larkmoor A,business\n2,Norvane B,business\n3,Zephal C,cooperative\n'
    const { result } = await importRows(rows, { map: { id: 'id', name: 'name', type: 'type' } })
    expect(result.droppedCount).toBe(1)
  })

  const kinds: readonly [what: string, values: readonly string[]][] = [
    ['categories of GLEIF', ['GENERAL', 'FUND', 'BRANCH']],
    ['kinds of the SEC', ['operating', 'other', 'investment']],
  ]
  test.each(kinds)('%s are refused as types, with the values that are allowed', async (_, values) => {
    const rows = values.map((value, index) => `${index},Acme ${index},${value}\n`).join('')
    const importing = importRows(`id,name,kind\n${rows}`, { map: { id: 'id', name: 'name', type: 'kind' } })
    await expect(importing).rejects.toMatchObject(
      errorWith('REGISTRY_IMPORT_INVALID', {
        message: 'column kind is mapped to type and holds',
        hint: 'business, nonprofit, government',
      }),
    )
  })

  test.each([
    [
      'active',
      'Active|In business|aktiv|Ενεργή|ΕΝΕΡΓΗ|פעילה|نشطة|действует|Зареєстровано|存续|正常|активан|ATIVA|faal',
    ],
    [
      'active',
      'ACTV|存续（在营、开业、在册）|在营（开业）企业|Live Company|Active - Proposal to Strike off|Normale toestand',
    ],
    [
      'inactive',
      'Dissolved|gelöscht|radiée|megszűnt|לא פעילה|ликвидировано|注销|폐업|เลิก|เสร็จการชำระบัญชี|брисан',
    ],
    [
      'inactive',
      'Easy Exit|Struck off|STOF|AMAL|CLLP|BAIXADA|吊销，未注销|閉鎖|izbrisan|KAPALI|TERKİN|Cancelled (Non-Renewal)|Converted/Closed',
    ],
    [
      'liquidation',
      'ULQD|In Liquidation|v likvidaci|u likvidaciji|W likwidacji|清算中|Active, in liquidation',
    ],
    ['suspended', 'Suspended|SUSPENSA|INAPTA|휴업|停業|zawieszona'],
    // A dormant company exists, and trades not.
    ['active', 'Dormant|DORMANT|DRMT|Dormant under section 455|En sommeil|vilande|hvilende|slapend'],
    ['inactive', 'Dormant - Struck Off|Struck off (dormant)|Inactive (dormant)'],
    ['administration', 'in administration|In Administration/Receiver Manager|EXAD'],
    ['active', 'نشيطة|نشيط|في طور النشاط|تمارس نشاطها|مسجلة|عاملة'],
    ['inactive', 'غير نشيطة|لا تمارس نشاطها|غير مسجلة|محلولة|تم التشطيب'],
    ['strike-off in progress', 'قيد التشطيب|في طور التشطيب'],
    ['restructuring', 'في طور التسوية القضائية'],
  ])('words and codes of many registers mean %s', async (meaning, words) => {
    const texts = words.split('|')
    const rows = texts.map((word, at) => `${at},Acme ${at},"${word}"\n`).join('')
    const { held, result } = await importRows(`id,name,status\n${rows}`, {})
    expect(Object.values(held).map(({ status }) => status)).toEqual(texts.map(() => meaning))
    expect(result.droppedCount).toBe(0)
  })

  test.each([
    ['FR', 'A|C', ['active', 'inactive']],
    ['EE', 'R|K|N', ['active', 'inactive', 'bankruptcy']],
    ['BE', 'AC', ['active']],
    ['BR', '02|08', ['active', 'inactive']],
  ])('short codes have their meaning in %s only', async (country, codes, meanings) => {
    const rows = codes.split('|').map((code, at) => `${at},Acme ${at},${code}\n`)
    const read = async (options: object) => {
      const { held } = await importRows(`id,name,status\n${rows.join('')}`, options)
      return Object.values(held).map(({ status }) => status)
    }
    expect(await read({ country })).toEqual(meanings)
    expect(await read({ country: 'US' })).toEqual(meanings.map(() => null))
  })

  test.each(['בהליכים', 'Delinquent', 'not dissolved', 'A', 'constructor', '--', 'Reorganizuojamas'])(
    'an unknown status says nothing: %s',
    async (word) => {
      const { held, result } = await importRows(`id,name,status\n1,A,${word}\n2,B,active\n`, {})
      expect(Object.values(held).map(({ status }) => status)).toEqual([null, 'active'])
      expect(result).toMatchObject({ droppedCount: 1, drops: [{ line: 2 }] })
    },
  )

  test.each([
    [
      'nonprofit',
      'Larkmoor Relief ASBL|Larkmoor Relief V.Z.W.|Larkmoor e.V.|Stichting Larkmoor|Fundación Larkmoor|一般社団法人ラークムア',
      '',
    ],
    [
      'nonprofit',
      'Larkmoor',
      'ASBL|Asociación civil|Vereniging|eingetragener Verein|VZW|Stowarzyszenie|公益財団法人|Udruženje',
    ],
    [
      'business',
      'Stiftung Larkmoor GmbH|Larkmoor National Association|Larkmoor Foundation Repair LLC|GIE Larkmoor|Larkmoor eG',
      '',
    ],
    ['business', 'Larkmoor', 'GmbH|Cooperative association|SA|Company limited by shares|VVaG'],
  ])('the form of a row without a type makes it %s', async (type, names, forms) => {
    const rows = names.split('|').flatMap((name) => forms.split('|').map((form) => `${name},${form}`))
    const { held } = await importRows(
      `id,name,legal_form\n${rows.map((row, at) => `${at},${row}\n`).join('')}`,
      {},
    )
    const found = Object.values(held).map((row, at) => [rows[at], row.type])
    expect(found).toEqual(rows.map((row) => [row, type]))
    const { held: stated } = await importRows(`id,name,type,legal_form\n1,Larkmoor ASBL,business,ASBL\n`, {})
    expect(Object.values(stated)[0]).toMatchObject({ type: 'business' })
  })

  test.each([
    ['Romanian', 'DENUMIRE,CUI,LOCALITATE,COD POSTAL,STARE', 'Dacia SA,160796,Mioveni,115400,activă'],
    ['Hebrew', 'שם חברה,מספר חברה,עיר,כתובת,סטטוס חברה', 'Teva Ltd,520013954,Petah Tikva,Basel 5,פעילה'],
    ['Chinese', '統一編號,營業人名稱,城市,營業地址,登記現況', '22099131,台積電,新竹,力行六路8號,核准設立'],
    ['Greek', 'Επωνυμία,Αρ. ΓΕΜΗ,Πόλη,Διεύθυνση,Κατάσταση', 'Jumbo AE,121653960000,Μοσχάτο,Κύπρου 9,Ενεργή'],
    ['Polish', 'Nazwa,Numer KRS,Miejscowość,Kod pocztowy,Status', 'Orlen SA,0000028860,Płock,09-411,aktywna'],
    ['Ukrainian', 'Найменування,Код ЄДРПОУ,Місто,Адреса,Стан', 'Агро,14360570,Київ,Хрещатик 1,зареєстровано'],
  ])('headers of a register in %s are understood', (_, headers, row) => {
    const columns = headers.split(',')
    const rows = [1, 2, 3].map((last) =>
      row.split(',').map((cell) => (/^\d{6,}$/.test(cell) ? `${cell.slice(0, -1)}${last}` : cell)),
    )
    const { idType, map } = proposeMap(columns, rows)
    expect(idType).toBe('registration_id')
    expect(Object.keys(map).sort()).toEqual(expect.arrayContaining(['city', 'id', 'name', 'status']))
    expect(new Set(Object.values(map)).size).toBeGreaterThanOrEqual(4)
  })

  test.each([
    ['Nazwa;Numer KRS;Ulica;Miejscowość;Województwo;Adres strony internetowej', 'mazowieckie'],
    ['Název;IČO;Ulice;Město;Okres;Webová stránka', 'Praha'],
    ['Denumire;CUI;Strada;Localitate;Județ;Pagină web', 'Cluj'],
    ['Nome;Partita IVA;Via;Comune;Provincia;Sito web', 'Torino'],
    ['Nombre;CIF;Calle;Municipio;Provincia;Página web', 'Sevilla'],
    ['Name;Registernummer;Straße;Ort;Bundesland;Webadresse', 'Bayern'],
    ['Cégnév;Cégjegyzékszám;Utca;Település;Megye;Honlap címe', 'Pest'],
  ])('region and website are found next to street and town, by the words of lists: %s', (headers, region) => {
    const columns = headers.split(';')
    const rows = [1, 2, 3].map((at) => [
      `Acme ${at}`,
      `1234567${at}`,
      'Main 1',
      'Town',
      region,
      `acme${at}.eu`,
    ])
    expect(proposeMap(columns, rows).map).toMatchObject({ region: columns[4], website: columns[5] })
  })

  test.each([
    [{ jurisdiction: 'cn' }, 'CN'],
    [{ jurisdiction: 'us_de' }, 'US'],
    [{ jurisdiction: 'ky', country: 'HK' }, 'HK'],
  ])('rows without a country have that of %j', async (options, home) => {
    const map = { id: 'no', name: 'name', city: 'city', country: 'land' }
    const rows = 'no,name,city,land\n1,A,X,\n2,B,Y,France\n'
    const { held } = await importRows(rows, { idType: 'registration_id', map, ...options })
    expect(Object.values(held).map(({ country_code: code }) => code)).toEqual([home, 'FR'])
  })

  const cins = ['L17110MH1973PLC019786', 'U74999DL2010PTC200001', 'U72900KA2015PTC300002']
  const uscc = ['91440300708461136T', '91310000132278496W', '911100001000129278']
  test.each([
    [
      'China',
      '公司名称,统一社会信用代码,曾用名,登记状态,企业类型,省份,注册地址,成立日期',
      'A,#,B,存续,有限责任公司,广东省,深圳市X路,2001-02-03',
      uscc,
      'cn',
      'name former_names status legal_form region formatted_address founding_date',
    ],
    [
      'India',
      'CORPORATE_IDENTIFICATION_NUMBER,COMPANY_NAME,COMPANY_STATUS,COMPANY_CLASS,COMPANY_CATEGORY,DATE_OF_REGISTRATION,REGISTERED_STATE,REGISTERED_OFFICE_ADDRESS',
      '#,A,ACTV,Public,Company limited by Shares,01-02-2003,Delhi,X',
      cins,
      'in',
      'name status legal_form region formatted_address founding_date',
    ],
    ['India', 'CIN,Company Name,Registered_Office_Address', '#,A,X', cins, 'in', 'name formatted_address'],
    [
      'Serbia',
      'Матични број,Пословно име,Статус,Правна форма,Општина,Датум оснивања',
      '#,A,Активан,ДОО,Земун,01.02.2003',
      ['07000001', '07000002', '07000003'],
      'rs',
      'name status legal_form city founding_date',
    ],
    [
      'Belgium',
      'EnterpriseNumber,Denomination,JuridicalForm,Status,StartDate,Zipcode,MunicipalityNL,MunicipalityFR,StreetNL,HouseNumber',
      '#,A,VZW,AC,09-08-1960,1000,Brussel,Bruxelles,Wetstraat,1',
      ['0403.170.701', '0403.199.702', '0417.497.106'],
      'be',
      'name status legal_form city founding_date postal_code street_address',
    ],
    [
      'Korea',
      '회사명,사업자등록번호,법인등록번호,주소,설립일,홈페이지주소,상태',
      '라크 주식회사,#,#,서울특별시 중구 라크로 1,2001-02-03,www.larkmoor.example,계속사업자',
      ['110111-0000018', '110111-0000026', '110111-0000034'],
      'kr',
      'name registration_id formatted_address founding_date website status',
    ],
    [
      'Korea',
      'bzno,crno,corpNm,corpEnsnNm,enpBsadr,enpOzpno,enpHmpgUrl,enpEstbDt,sicNm,enpRprFnm',
      '#,#,라크 주식회사,Larkmoor Co. Ltd.,서울특별시 중구 라크로 1,04500,www.larkmoor.example,20010203,제조업,김라크',
      ['1101110000018', '1101110000026', '1101110000034'],
      'kr',
      'name other_names registration_id formatted_address postal_code website founding_date',
    ],
    [
      'Georgia',
      'ID Code,Name,Legal Form,Address,Status',
      '#,ლარკმური,შპს,თბილისი,აქტიური',
      ['404000012', '204000023', '400000034'],
      'ge',
      'name legal_form formatted_address status',
    ],
    [
      'Thailand',
      'เลขทะเบียนนิติบุคคล,ชื่อนิติบุคคล,สถานะนิติบุคคล,อำเภอ,จังหวัด',
      '#,A,ยังดำเนินกิจการอยู่,บางรัก,กรุงเทพ',
      ['0105544000123', '0105544000131', '0105544000140'],
      'th',
      'name status city region',
    ],
    [
      'Brazil',
      'CNPJ,Razão social,Situação cadastral,Município,UF',
      '#,A,ATIVA,São Paulo,SP',
      ['33000167000101', '60746948000112', '33592510000154'],
      'br',
      'name status city region',
    ],
  ])('the map of a register of %s has its fields: %s', (_country, columns, row, numbers, home, fields) => {
    const proposal = proposeMap(
      columns.split(','),
      numbers.map((number) => row.replaceAll('#', number).split(',')),
    )
    expect(proposal).toMatchObject({ idType: 'registration_id', jurisdiction: home, doubts: [] })
    expect(Object.keys(proposal.map).sort()).toEqual(['id', ...fields.split(' ')].sort())
    expect(proposal.map.legal_form).not.toBe('COMPANY_CATEGORY')
  })

  test.each([
    ['1101110000018', '1101110000026', '1101110000034'],
    ['110111-0000018', '110111-0000026', '110111-0000034'],
  ])('the number of a company is the id before that of its taxes, in any order: %s', (...numbers) => {
    const rows = numbers.map((number, at) => [`104810000${at}`, number, '라크 주식회사'])
    expect(proposeMap(['사업자등록번호', '법인등록번호', '상호'], rows).map).toMatchObject({
      id: '법인등록번호',
      registration_id: '사업자등록번호',
    })
  })

  test.each([
    [
      'a file with LEIs',
      ['LEI', 'ID Code', 'Name'],
      (at: number) => [Object.values(lei)[at] ?? '', `40400001${at}`, 'ლარკმური'],
    ],
    ['numbers of several forms', ['ID Code', 'Name'], (at: number) => ['404000012'.slice(at), 'ლარკმური']],
    ['short numbers', ['ID Code', 'Name'], (at: number) => [`100${at}`, 'ლარკმური']],
    ['other letters', ['ID Code', 'Name'], (at: number) => [`40400001${at}`, 'Larkmoor']],
  ])('a column of codes is no number of companies next to %s', (_, columns, row) => {
    const proposal = proposeMap(columns, [1, 2, 3].map(row))
    expect(proposal.idType === 'registration_id' ? proposal.jurisdiction : null).toBeNull()
    expect(proposal.map.registration_id).toBeUndefined()
  })

  describe('headers of company numbers are those that lists know', () => {
    const { earlier, added } = headerWords
    const lists = [...Object.values(earlier.numbers), ...Object.values(added.countryNumbers).flat()]
    const known = [...earlier.anyNumbers, ...added.numbers, ...lists].flatMap((list) => list.split('|'))
    const variants = (header: string) => {
      const base = header.replace(/[\s.]*(?:number|no|nr|#)\.?$/i, '')
      const isNumbered = base !== header && base.length > 3
      const written = ['Number', 'No.', 'No', 'Nr.', 'N°', '#'].map((word) => `${base} ${word}`)
      return [
        header,
        header.toUpperCase(),
        ...(isNumbered ? [...written, ...written.map((one) => one.toUpperCase())] : []),
      ]
    }
    const all = [...new Set(known)].map((header) => [header, variants(header)] as const)

    test.each(all)('%s', (_, headers) => {
      const numbers = ['A 1234-X', 'B 2345-Y', 'C 3456-Z']
      const unknown = headers.filter((header) => {
        const { idType, map } = proposeMap(
          [header, 'Company Name'],
          numbers.map((number) => [number, 'Acme']),
        )
        return idType !== 'registration_id' || map.id !== header
      })
      expect(unknown).toEqual([])
    })

    it('numbers of local courts are ids together with the name, and the country is that of the header', () => {
      const rows = [
        ['Sonasid', '12345', 'Nador'],
        ['Baraka', '12345', 'Casablanca'],
        ['Atlas', '777', 'Tanger'],
      ]
      expect(proposeMap(['Raison sociale', 'Numéro RC', 'Tribunal'], rows)).toMatchObject({
        idType: 'registration_id',
        map: { id: 'Numéro RC', registration_court: 'Tribunal' },
        jurisdiction: 'ma',
        doubts: [],
      })
    })

    it.each([
      ['CIK', ['0000320193', '0000789019', '0001652044'], null],
      ['NEQ', ['1142301543', '3342400004', '2242300396'], null],
      [
        'Entity Number',
        ['320193', '789019', '1652044'],
        /^3 company numbers .* may belong to several companies/,
      ],
    ])('ids below %s are told as ambiguous only if they are company numbers', (column, ids, ambiguous) => {
      const rows = ids.map((id) => [id, `Larkmoor ${id} Inc`, column === 'NEQ' ? 'CA' : 'US'])
      const found = proposeMap([column, 'Name', 'Jurisdiction'], rows).ambiguous
      expect(found).toEqual(ambiguous === null ? null : expect.stringMatching(ambiguous))
    })

    it.each([
      ['MA', '000145221000064', '48211'],
      ['TN', '1234567A/A/M/000', '48211'],
      ['DZ', '099916000123456', '48211'],
      ['BR', '33.000.167/0001-01', '4821'],
      ['ES', 'A28015865', '48211'],
      ['CO', '899.999.068-1', '48211'],
      ['MX', 'BSC940905F38', '48211'],
      ['PE', '20100070970', '48211'],
      ['AR', '30-67332056-9', '48211'],
      ['RO', 'RO14399840', null],
      ['HU', '10773381-2-44', '48211'],
      ['HU', 'HU10773381', '48211'],
      ['TR', '0123456789012345', '48211'],
      ['SN', '0012345672G3', '48211'],
      ['CI', '0312345 K', '48211'],
      ['CM', 'M012345678901A', '48211'],
      ['EG', '200-123-456', '48211'],
      ['IT', '00905811006', '48211'],
    ])(
      'next to courts, only the local numbers of %s may be those of several: %s, not %s',
      (country, national, local) => {
        const propose = (number: string, court: string) =>
          proposeMap(
            ['Company number', 'Name', 'Country', 'Court'],
            ['A', 'B', 'C'].map((end) => [number, `Larkmoor ${end}`, country, court]),
          ).ambiguous
        expect([national, propose(national, 'Norvane')]).toEqual([national, null])
        if (local !== null) expect(propose(local, '')).toContain('may belong to several companies')
      },
    )

    it.each(
      headerWords.added.courts
        .flatMap((list) => list.split('|'))
        .filter((one) => one !== 'registro mercantil'),
    )('the court of a number is below %s', (court) => {
      const rows = [
        ['12345', 'Sonasid', 'Nador', '001524628000078'],
        ['12345', 'Baraka', 'Casablanca', '001523987000042'],
      ]
      expect(proposeMap(['Numéro RC', 'Raison sociale', court, 'ICE'], rows).map).toMatchObject({
        id: 'Numéro RC',
        registration_court: court,
        registration_id: 'ICE',
      })
      const numbers = rows.map(([number = '', name = '', , ice = '']) => [number, name, number, ice])
      expect(proposeMap(['Numéro RC', 'Raison sociale', court, 'ICE'], numbers).map.registration_court).toBe(
        undefined,
      )
    })

    it.each([
      [
        'رقم السجل التجاري',
        'تسمية الشركة',
        'المحكمة',
        'التعريف الموحد للمقاولة',
        'وضعية الشركة',
        'تاريخ الإحداث',
      ],
      [
        'السجل التجاري',
        'تسمية المقاولة',
        'محكمة التسجيل',
        'المعرف الموحد للمقاولة',
        'الوضعية',
        'تاريخ الإنشاء',
      ],
    ])('in the words of the Maghreb: %s, %s, %s, %s, %s, %s', (id, name, court, ice, status, date) => {
      const rows = [
        ['12345', 'صوناسيد', 'Nador', '001524628000078', 'نشيطة', '14/03/1986'],
        ['12345', 'البركة', 'Casablanca', '001523987000042', 'غير نشيطة', '02/05/2004'],
      ]
      expect(proposeMap([id, name, court, ice, status, date], rows).map).toEqual({
        id,
        name,
        registration_court: court,
        registration_id: ice,
        status,
        founding_date: date,
      })
    })

    it.each([
      ['Nama Perseroan', 'Kecamatan', 'Kabupaten/Kota', 'Jenis Badan Hukum'],
      ['Nazwa', 'Gmina', 'Miejscowość', 'Forma prawna'],
      ['Razón social', 'Parroquia', 'Ciudad', 'Tipo de sociedad'],
      ['Naam', 'Gemeente', 'Plaats', 'Rechtsvorm'],
    ])('below %s, %s is no town next to %s; %s is the form', (name, part, town, form) => {
      const rows = [['Larkmoor', 'Norvane', 'Velmora', '123456', 'x']]
      const { map } = proposeMap([name, part, town, 'Company number', form], rows)
      expect(map).toMatchObject({ name, city: town, legal_form: form })
      expect(proposeMap([name, part, 'Company number'], [['Larkmoor', 'Norvane', '123456']]).map.city).toBe(
        part,
      )
    })

    it.each([
      ['NIF', 'N° RCS', 'Tribunal'],
      ['NIF', 'RCCM', 'Greffe'],
      ['Partita IVA', 'REA', 'CCIAA'],
    ])('next to courts, the id is not %s but %s', (taxed, number, court) => {
      const rows = [
        ['STAR', '2000000123', '1953 B 00045', 'Antananarivo'],
        ['Batelage', '2000002999', '1953 B 00045', 'Toamasina'],
      ]
      expect(proposeMap(['Name', taxed, number, court], rows).map).toMatchObject({
        id: number,
        registration_id: taxed,
        registration_court: court,
      })
    })

    it('a number of several rows is a doubt, and the proposal names its column', () => {
      const rows = [
        ['Sonasid', '12345'],
        ['Baraka', '12345'],
      ]
      const { map, doubts } = proposeMap(['Company Name', 'Company Number'], rows)
      expect(map.id).toBe('Company Number')
      expect(doubts[0]).toBe('several rows have the same number in Company Number')
    })
  })

  it('numbers of rows in another country are not those of the country of the header', () => {
    const rows = cins.map((cin) => [cin, 'A', 'Romania'])
    expect(proposeMap(['CIN', 'Company Name', 'Country'], rows).jurisdiction).toBeNull()
  })

  it('a column of states with the words of statuses has the status', () => {
    const rows = cins.map((cin) => [cin, 'A', 'Active'])
    expect(proposeMap(['CIN', 'Company Name', 'State'], rows).map).toMatchObject({ status: 'State' })
  })

  it('digits of other scripts and years of the Buddhist era are read', async () => {
    const map = { id: 'no', name: 'name', founding_date: 'since' }
    const rows =
      'no,name,since\n๐๑๐๕๕๔๔๐๐๐๑๒๓,A,๐๑/๑๐/๒๕๔๔\n0105544000131,B,2544-10-02\n0105544000140,C,2001-10-03\n0105544000158,D,9999-12-31\n'
    const { held } = await importRows(rows, { idType: 'registration_id', country: 'th', map })
    expect(Object.values(held).map(({ formed_on }) => formed_on)).toEqual([
      '2001-10-01',
      '2001-10-02',
      '2001-10-03',
      '9999-12-31',
    ])
    expect(JSON.stringify(held)).toContain('0105544000123')
  })

  it.each(['1998', '١٩٩٨', 'March 1998'])(
    'a founding date that is no whole date is reported: %j',
    async (since) => {
      const rows = `id,name,founding_date\n1,A,${since}\n2,B,1998-03-01\n3,C,\n`
      const { result } = await importRows(rows, {})
      expect(result).toMatchObject({ importedCount: 3, droppedCount: 1, drops: [{ line: 2 }] })
    },
  )

  describe('order of day and month', () => {
    const toText = (day: number, month: number, order: DateOrder, sign: string) =>
      [...(order === 'dmy' ? [day, month] : [month, day]), 1978]
        .map((part) => String(part).padStart(2, '0'))
        .join(sign)
    const importDates = async (texts: readonly string[], options: Partial<ImportCsvOptions> = {}) => {
      const notices: string[] = []
      const rows = texts.map((text, at) => `${at},Acme ${at},${text}\n`).join('')
      const { result, held } = await importRows(`id,name,founding_date\n${rows}`, {
        onNotice: (text) => void notices.push(text),
        ...options,
      })
      return { result, notices, days: Object.values(held).map(({ formed_on }) => formed_on) }
    }
    const orders = dateOrders.flatMap((order) => ['/', '-', '.', ''].map((sign) => [order, sign] as const))

    test.each(orders)(
      'one day above 12 shows it for all rows, wherever it is: %s with "%s"',
      async (order, sign) => {
        for (const at of [0, 1, 2]) {
          const days = [3, 4, 5].map((day, index) => (index === at ? 21 : day))
          const found = await importDates(days.map((day) => toText(day, 11, order, sign)))
          expect(found.days).toEqual(days.map((day) => `1978-11-${String(day).padStart(2, '0')}`))
          expect(found.notices).toEqual([])
        }
      },
    )

    it('also if the first thousands of rows do not show it', async () => {
      const texts = [...Array<string>(3_000).fill('01/11/1978'), '08/21/1913']
      expect(new Set((await importDates(texts)).days)).toEqual(new Set(['1978-01-11', '1913-08-21']))
    })

    it('dates of the other order are dropped and named', async () => {
      const { result } = await importDates(['08/21/1913', '08/22/1913', '21/08/1913'])
      const reason = 'founding date "21/08/1913" has the day first; its column has the month first'
      expect(result).toMatchObject({ droppedCount: 1, drops: [{ line: 4, reason }] })
    })

    it.each([
      ['US', 'mdy'],
      ['PH', 'mdy'],
      ['GB', 'dmy'],
      ['MA', 'dmy'],
      ['KE', 'dmy'],
      [undefined, 'dmy'],
    ] as const)(
      'without such a day, the country decides and a notice says so: %s',
      async (country, order) => {
        const day = order === 'mdy' ? '1978-01-11' : '1978-11-01'
        const { days, notices } = await importDates(['01/11/1978'], { country })
        expect(days).toEqual([day])
        expect(notices).toMatchObject([expect.stringContaining(`01/11/1978 is ${day}`) as string])
        const other = order === 'mdy' ? 'dmy' : 'mdy'
        const stated = await importDates(['01/11/1978'], { country, dates: other })
        expect(stated).toMatchObject({ days: [order === 'mdy' ? '1978-11-01' : '1978-01-11'], notices: [] })
      },
    )

    it('another column of dates decides before the country', async () => {
      const text = 'id,name,founding_date,dissolution_date\n1,A,01/11/1978,01/31/2001\n'
      expect((await importRows(text, {})).held).toMatchObject({ 'id:1': { formed_on: '1978-01-11' } })
    })

    it('a register with the month first has a founding date in the proposed map', () => {
      const rows = cins.map((cin, at) => [cin, 'A', `08/2${at}/1913`])
      expect(
        proposeMap(['CIN', 'Company Name', 'Date of Registration'], rows).map.founding_date,
      ).toBeDefined()
    })
  })

  it('a type that is none among others is dropped with its line', async () => {
    const { result } = await importRows('id,name,type\n1,A,business\n2,B,nonprofit\n3,C,busines\n', {})
    expect(result).toMatchObject({ importedCount: 3, droppedCount: 1, drops: [{ line: 4 }] })
  })

  it('without a map that fits, the columns are listed and a map is proposed', async () => {
    await expect(importRows(`Company Name,Town,LEI\nFord,Dearborn,${lei.ford}\n`, {})).rejects.toMatchObject({
      message: 'without --map, the file needs a column named "name"; it has: Company Name, Town, LEI',
      hint: expect.stringMatching(
        /^check the columns\. Then run: enrich registry import csv \S+ --id-type lei --map 'name=Company Name,city=Town,id=LEI'$/,
      ) as string,
    })
  })

  it('of a map that cannot be proposed whole, what is missing is named', async () => {
    await expect(importRows('Foo,Bar\nx1,1\n', {})).rejects.toMatchObject({
      message: 'without --map, the file needs a column named "name"; it has: Foo, Bar',
      hint: expect.stringMatching(
        /^no column has names of companies; replace COLUMN and CODE \(the country of the register, two letters\) in this command.* --id-type registration_id --map id=COLUMN,name=COLUMN --jurisdiction CODE$/,
      ) as string,
    })
  })

  it('the proposed command keeps --id-type, --map and the place', async () => {
    const hint = (text: string, options: Partial<ImportCsvOptions>) =>
      importRows(text, options).catch((error: unknown) => (error as { hint: string }).hint)
    const numbers = 'company_number,name,town\n1,Ford,Dearborn\n'
    expect(await hint(numbers, { idType: 'kunde', country: 'DE', jurisdiction: 'de' })).toMatch(
      /; replace COLUMN in this command\. Then run: .* --id-type kunde --map id=COLUMN,name=name,city=town,registration_id=company_number --country DE --jurisdiction de$/,
    )
    expect(await hint('kunde,title\n1,Ford\n', { idType: 'kunde' })).toMatch(
      /^check the columns.* Then run: .* --id-type kunde --map name=title,id=kunde$/,
    )
    expect(await hint('number,title\n1,Ford\n', { map: { id: 'number' } })).toMatch(
      /^check the columns.* Then run: .* --id-type id --map id=number,name=title$/,
    )
    expect(await hint('number,what\n1,Ford\n', { map: { id: 'number' } })).toMatch(
      /; replace COLUMN in this command; not used: what\. Then run: .* --id-type id --map name=COLUMN,id=number$/,
    )
  })

  it('leading zeros of British company numbers are restored', async () => {
    const { registry } = await importRows('id,name\n519500,Tesco Ltd\n00445790,Acme Ltd\n', {
      idType: 'registration_id',
      jurisdiction: 'gb',
    })
    const other = 'id,name,registration_id,country\na,Tesco Ltd,00519500,GB\nb,Tesco GmbH,519500,DE\n'
    const { held } = await importRows(other, { sourceName: 'other' }, registry)
    expect(registry.info().entityCount).toBe(3)
    expect(Object.keys(held)).toEqual(
      expect.arrayContaining(['registration_id:gb:00445790', 'registration_id:gb:00519500']),
    )
  })

  it('a column of states of companies is no region', async () => {
    const hint = async (state: string) => {
      const text = `Firm Id,Title,Town,State\n1,Ford,Dearborn,${state}\n`
      return importRows(text, {}).catch((error: unknown) => (error as { hint: string }).hint)
    }
    expect(await hint('active')).not.toContain('region=')
    expect(await hint('Michigan')).toContain('region=State')
  })

  it('rows that share an LEI are one company, be it what they are known by or not', async () => {
    const text = `id,name,lei\n1,Ford Motor Company,${lei.ford}\n2,Blue Oval Works,${lei.ford}\n`
    for (const options of [{}, { idType: 'lei', map: { id: 'lei', name: 'name' } }]) {
      const { registry } = await importRows(text, options)
      expect(registry.info().entityCount).toBe(1)
      const found = ['Ford Motor Company', 'Blue Oval Works'].map(
        (name) => registry.resolve({ name, location: null, context: null }).entity?.id,
      )
      expect(found[0]).toBeDefined()
      expect(found[1]).toBe(found[0])
    }
  })
})

describe('the report of an import', () => {
  const ofRegister = { registryPath: null, isOwnList: false }
  const map = `LEI,BIC\n${lei.ford},FORDUS33XXX\n${lei.ford},FORDGB22\n${lei.aecom},AECMUS33XXX\n`

  it('of a map into an empty registry says that its rows are kept for later, and counts each row once', async () => {
    const registry = open()
    const result = await importContent(registry, 'gleif-bic', map)
    expect(result).toMatchObject({ rowCount: 3, updatedCount: 0, keptCount: 3, waitingCount: 2 })
    expect(formatImport(result, 'map', ofRegister)).toContain(
      'waiting   3   (rows about companies that are not loaded yet; they wait for a file with these companies; 2 companies)',
    )
  })

  it("of a register's own file asks nobody to fix its rows; of a list of one's own it does", () => {
    const result = {
      rowCount: 2,
      importedCount: 1,
      updatedCount: 0,
      rejectedCount: 1,
      skippedCount: 0,
      skips: { ended: 0, outside: 0, excluded: 0, repeated: 0, superseded: 0 },
      keptCount: 0,
      rejections: [{ line: 3, reason: 'it has no name' }],
      droppedCount: 0,
      drops: [],
      renamedCount: 0,
      togetherCount: 0,
      joinedCount: 0,
      newerFileDate: null,
      newKeyCount: 0,
      vanishedCount: 0,
      changedCount: 0,
      statusLostCount: 0,
      waitingCount: 0,
      unchanged: false,
    }
    expect(formatImport(result, 'golden.csv', ofRegister)).toMatch(/line 3: it has no name\n$/)
    const said = (skips: object, newerFileDate: string | null = null) => {
      const counts = { ...result.skips, ...skips }
      const skippedCount = Object.values(counts).reduce((sum, count) => sum + count, 0)
      const text = formatImport(
        { ...result, skippedCount, skips: counts, newerFileDate },
        'a.csv',
        ofRegister,
      )
      return /skipped .*/.exec(text)?.[0]
    }
    expect(said({})).toBeUndefined()
    expect(said({ excluded: 2 })).toMatch(/^skipped +2 {3}\(of a kind that is not imported [^;]*\)$/)
    expect(said({ outside: 1_200, ended: 3 })).toMatch(/1,203 {3}\(1,200 of other countries; 3 ended\)$/)
    expect(said({ superseded: 1 })).toContain('(repeated in the file, or stated with a later date)')
    expect(said({ superseded: 1, repeated: 2 }, '2026-01-02')).toMatch(/2 repeated in the file; 1 stated by/)
    const own = formatImport(result, 'own.csv', { registryPath: null, isOwnList: true })
    expect(own).toContain('Fix these rows and import the file again')
  })

  it('lists each dropped value once, the most frequent first, with its count and first lines', async () => {
    const cells = (count: number) =>
      Array.from({ length: count }, (_, at) => [
        at % 3 === 0 ? 'Zzyzx' : at === 1 ? 'Qqq' : 'active',
        at % 2 === 0 ? 'Atlantis' : 'DE',
        `2001-13-${at + 10}`,
      ])
    const rows = cells(60).map((row, at) => `${at},Name ${at} Ltd,${row.join(',')}`)
    const text = `id,name,status,country,founding_date\n${rows.join('\n')}\n`
    const { result } = await importRows(text, {})
    expect(result).toMatchObject({ importedCount: 60, droppedCount: 20 + 1 + 30 + 60 })
    expect(result.drops).toHaveLength(20)
    const report = formatImport(result, 'own.csv', { ...ofRegister, reasonsMax: 2 })
    expect(report).toContain(
      [
        'Values left out of rows that were kept:',
        '  30 times: country "Atlantis" is not known (lines 2, 4, 6, …)',
        '  20 times: status "Zzyzx" is not known (lines 2, 5, 8, …)',
        '  … and 61 more',
      ].join('\n'),
    )
  })

  it('while it goes on names the file with its size, and the time left where its rows are estimated', () => {
    const step = { path: '/data/golden.csv', bytes: 5_529_996, rowEstimate: 1_000 }
    expect(formatLoadProgress(step, 250, 10_000)).toBe(
      'golden.csv (5.5 MB): 250 of ~1,000 rows read · about 30s left',
    )
    expect(formatLoadProgress(step, 990, 10_000, true)).toBe('golden.csv (5.5 MB): 990 rows read')
    expect(formatLoadProgress(step, 1_001, 10_000)).toBe('golden.csv (5.5 MB): 1,001 rows read')
    expect(formatLoadProgress({ ...step, bytes: 900, rowEstimate: null }, 1, 10)).toBe(
      'golden.csv (1 kB): 1 row read',
    )
  })

  it('of an older file says so, and what to do if it is not', async () => {
    const registry = open()
    const newer = { fileName: 'lei-2026-05-01.csv' }
    await importContent(registry, 'gleif', levelOneCsv([levelOne.ford]), newer)
    const older = { fileName: 'lei-2026-04-01.csv' }
    const result = await importContent(registry, 'gleif', levelOneCsv([levelOne.ball]), older)
    expect(formatImport(result, 'file', ofRegister)).toMatch(
      /older than the one of 2026-05-01[^]*--date YYYY-MM-DD/,
    )
    const again = await importContent(registry, 'gleif', levelOneCsv([levelOne.ball]), older)
    expect(again.unchanged).toBe(true)
  })
})

/** Of registers in some forty languages. */
const headersOfFields: Readonly<Record<string, readonly string[]>> = {
  status:
    "Стан суб’єкта|Стан суб'єкта|Статус субъекта|estado_matricula|Estado de la empresa|situacao_cadastral|Situação da empresa|statut_entreprise|Statut juridique|Tình trạng hoạt động|Trạng thái doanh nghiệp|حالة الشركة|حالة السجل التجاري|وضعیت شرکت|şirket durumu|Sicil durumu|компания мәртебесі|Korxona holati|Статус организации|Состояние юридического лица|Стан субʼєкта|สถานะบริษัท|Status perusahaan|企业状态|登記狀態|会社の状態|기업상태|Hali ya kampuni|Katayuan ng Kumpanya|stav_spolecnosti|Stan podmiotu|Stare firmă|Statut RCCM|CompanyStatus|Firmenstatus|Bolagsstatus|Įmonės statusas|Κατάσταση εταιρείας|סטטוס החברה|სტატუსი|Staða félags".split(
      '|',
    ),
  legal_form:
    'organizacion_juridica|Forma jurídica|Tipo de sociedad|Naturaleza juridica|Natureza jurídica|Forme juridique|Loại hình doanh nghiệp|الشكل القانوني|نوع الشركة|Hukuki şekli|Şirket türü|Təşkilati hüquqi forması|Ұйымдық-құқықтық нысаны|Tashkiliy-huquqiy shakli|Организационно-правовая форма|ประเภทนิติบุคคล|Bentuk badan usaha|企业类型|会社形態|법인형태|Forma prawna|Právní forma|Typ společnosti|Νομική μορφή|Type de société|Aina ya kampuni|Félagsform|Uri ng Kumpanya|Uri ng Korporasyon'.split(
      '|',
    ),
  formatted_address:
    'Adresse du domicile|Dirección del domicilio|Domiziladresse|Adres zetel|Địa chỉ trụ sở chính|Dirección comercial|Domicilio legal|Domicilio social|Endereço da sede|Adresse du siège social|العنوان|عنوان الشركة|عنوان المركز الرئيسي|آدرس شرکت|Şirket adresi|Merkez adresi|Hüquqi ünvan|Заңды мекенжайы|Yuridik manzili|Юридический адрес|Адрес регистрации|ที่อยู่สำนักงานใหญ่|Alamat kantor pusat|Alamat perusahaan|注册地址|本店所在地|본점주소|Anwani ya kampuni|Adres siedziby|Geschäftsanschrift|Registered office address|Alamat berdaftar'.split(
      '|',
    ),
  other_names:
    'Autres noms utilisés|Version du nom dans une autre langue|Name in another language|Nombre en otro idioma|Altri nomi utilizzati|Name in anderer Sprache|Naam in een andere taal|Andra namn|Nazwa w innym języku|Název v cizím jazyce|Nimi muulla kielellä|Başka dilde unvan|sigla|Nombre comercial|Nombre de fantasía|Nome fantasia|Nom commercial|Sigle|Tên nước ngoài|Tên viết tắt|Tên giao dịch|Tên tiếng Anh|Tên doanh nghiệp viết bằng tiếng nước ngoài|الاسم المختصر|الاسم بالإنجليزية|Kısa unvan|Kısa adı|Қысқартылған атауы|Qisqa nomi|Сокращенное наименование|Краткое название|ชื่อภาษาอังกฤษ|Nama singkatan|Nama dagang|英文名称|公司简称|英文商号|영문명|Nazwa skrócona|Zkrácený název|Short name|Trade name|Kurzname'.split(
      '|',
    ),
  founding_date:
    "fecha_matricula|Fecha de constitución|Fecha de inicio de actividades|Data de abertura|Data de início de atividade|Date de création|Date d'immatriculation|Date immatriculation RCCM|Ngày cấp|Ngày thành lập|Ngày bắt đầu hoạt động|تاريخ التأسيس|تاريخ القيد|تاريخ الإصدار|تاریخ ثبت|Kuruluş tarihi|Sicil kayıt tarihi|Tescil tarihi|Qeydiyyat tarixi|Тіркеу күні|Roʻyxatdan oʻtgan sana|Дата регистрации|Дата создания компании|วันที่จดทะเบียน|Tanggal berdiri|Tanggal pendirian|Tarikh penubuhan|成立日期|登记日期|設立年月日|설립일자|Tarehe ya usajili|Data rejestracji|Datum zápisu|Stofndagur|Skráningardagur|Petsa ng Rehistro|Petsa ng Pagkakarehistro|Petsa ng Pagpaparehistro|Petsa ng Pagkakatatag".split(
      '|',
    ),
  dissolution_date:
    "fecha_cancelacion|Fecha de cierre|Fecha de baja|Data de encerramento|Data da baixa|Date de radiation|Date de cessation d'activité|Ngày chấm dứt hoạt động|Ngày giải thể|تاريخ الشطب|تاريخ الإلغاء|تاریخ انحلال|Kapanış tarihi|Terkin tarihi|Ləğv tarixi|Таратылған күні|Tugatilgan sana|Дата прекращения деятельности|Дата ликвидации|วันที่เลิก|Tanggal pembubaran|注销日期|解散日期|폐업일자|Data wykreślenia|Datum výmazu|Datum zániku|Löschungsdatum".split(
      '|',
    ),
  former_names:
    'Nombre anterior|Razón social anterior|Nome anterior|Ancienne dénomination|Tên cũ|الاسم السابق|Eski unvan|Əvvəlki adı|Бұрынғы атауы|Oldingi nomi|Прежнее наименование|ชื่อเดิม|Nama lama|曾用名|이전상호|Previous name|Dating Pangalan ng Kumpanya|Fyrri heiti|Fyrra nafn félags'.split(
      '|',
    ),
  none: 'Nom de la langue|Langue du nom|Name of language|estado_civil|fecha_nacimiento|fecha_renovacion|ultimo_ano_renovado|email|telefono|ciiu|Direccion electronica|codigo_camara|capital|Tipo de documento|representante_legal|Sector|Số điện thoại|Ngành nghề|vốn điều lệ|Người đại diện|id|no|state|Type|Categoria|tip|ad|address 2|data|fecha|Order date|Delivery address|Nota|cap|Fecha de pago|Start|tipo_id|Clase de riesgo|Legal representative'.split(
    '|',
  ),
}

const spellings: Readonly<Record<string, (header: string) => string>> = {
  plain: (header) => header,
  'with underscores': (header) => header.toLowerCase().replace(/[^\p{L}\p{M}\p{N}\u200c\u200d]+/gu, '_'),
  'in capitals': (header) => header.toUpperCase().replace(/[\s_]+/g, ' '),
  'without marks': (header) => header.normalize('NFKD').replace(/\p{M}/gu, ''),
}

/** Of registers in some forty languages. */
const statusTexts: Readonly<Record<string, string>> = {
  active:
    'مقيد|مقيدة|কার্যকর|Redovno poslovanje|Activa|En operación|Em funcionamento|Идэвхтэй|მოქმედი|Aktief|In besigheid|գործող|Fəaliyyət göstərir|សកម្ម|ກຳລັງດຳເນີນການ|မှတ်ပုံတင်ထားသည်|सक्रिय|ක්‍රියාත්මක|செயலில் உள்ளது|সক্রিয়|Inafanya kazi|ንቁ|I regjistruar|Регистриран|Wujud|Aktibo|Virkur|Starfandi|Faoliyat yuritmoqda|Тіркелген',
  inactive:
    "ANULADO|RECHAZADO|Disuelto|Fusionada por absorción|Cese de actividades|Revocada|Rejeitada|Encerrado|Annulée|Radiation d'office|Fusionnée|Respinta|Sciolta senza altro|Afgewezen|Odrzucony|Татан буугдсан|Идэвхгүй|შეწყვეტილი|Gederegistreer|ոչ ակտիվ|Ləğv olunub|រំលាយ|ຍຸບເລີກ|ပယ်ဖျက်ပြီး|खारेज|අවලංගු|கலைக்கப்பட்டது|বিলুপ্ত|Imefutwa|የተሰረዘ|E çregjistruar|Dibubarkan|Hindi aktibo|Nabuwag|Wala na|Sarado|Óvirkt|Sameinað|Slitið|Hætt starfsemi|Fèmen|Tugatilgan|Struck off|Rejected|غیر‌فعال|غیرفعال",
  suspended:
    "Привремени прекид|întrerupere temporară de activitate|SUSPENDIDO|CESE TEMPORAL|Cese temporal de actividades|Baja temporal|Suspensión provisional|Suspensa temporariamente|Paralisada|Suspendue|Cessation temporaire d'activité|Sospeso|Cessazione temporanea|Geschorst|Askıya alındı|Приостановлено|Temporarily closed|Түр зогссон|შეჩერებული|Opgeskort|կասեցված|Müvəqqəti dayandırılıb|ផ្អាក|ໂຈະ|ဆိုင်းငံ့ထားသည်|निलम्बित|අත්හිටුවා ඇත|இடைநிறுத்தப்பட்டது|স্থগিত|Imesimamishwa|የታገደ|I pezulluar|Суспендиран|Digantung|Sinuspinde|Stöðvað|Sispann|Тоқтатылған",
  liquidation:
    'En proceso de liquidación|En disolución|Em dissolução|In fase di liquidazione|Татан буугдаж байгаа|In likwidasie|լուծարման փուլում|Ləğvetmə prosesində|जम्मा परिसमापन में|অবসায়ন|Inafilisiwa|Në likuidim|Digulung|Í slitameðferð|An likidasyon',
  bankruptcy:
    'En quiebra|Дампуурсан|გაკოტრებული|սնանկ|Müflis|ក្ស័យធន|दिवालिया|দেউলিয়া|Imefilisika|I falimentuar|Bangkarote|Fayit',
  administration:
    'în insolvență|insolvabilitate|v insolvenci|insolvenční řízení|concurso de acreedores|concurso mercantil|CIRP|Intervenida|Sob intervenção|Amministrazione straordinaria|Administration provisoire',
  restructuring:
    'csődeljárás|concurso preventivo|reorganizare judiciară|En reestructuración|Plan de sauvegarde|Concordato preventivo|Besigheidsredding',
}

/** No status has these very words in the table. */
const wordedStatuses: Readonly<Record<string, string>> = {
  active:
    'Fəaliyyətdə|REACTIVACION|Reactivada por resolución|في حالة نشاط|بحالة نشاط|Société en activité|I drift|Юридическое лицо действующее|Empresa reativada|Görülüyor, faaliyette|مزاولة',
  inactive:
    'محو|محو قيد|تم المحو|ممحوة|অবলুপ্ত|অবলুপ্ত ঘোষিত|Pripojeno društvo|Престанак|NNT không hoạt động tại địa chỉ đã đăng ký|Struck off after a notice of strike-off|Final Gazette dissolved via compulsory strike-off|Radiation à la demande|Baja a solicitud|Výmaz na návrh|Wykreślenie na wniosek|Löschung auf Antrag|CANCELAC. DE INSC. ANOT. EN RM|Ləğv olunmuş|Fəaliyyətinə xitam verilmişdir|Radiée du RNE le 3 mai|Extinción de la sociedad|Clausura definitiva|CIERRE DEFINITIVO|Baja por oficio del registro|Pasivo|PASIVA|Прекращение деятельности юридического лица|Ликвидировано по решению суда|Недействующее юр. лицо|Припинення юридичної особи|Törölve a cégjegyzékből|Wykreślenie z rejestru|Zánik spoločnosti|Vymazaná z obchodného registra|Çökdürildi|Terkin edildi|Silindi|مشطوبة من السجل|تم شطب الشركة|منحلة قضائيا|登記抹消|職権抹消|登记注销|폐업신고|말소등기|Nu funcționează|منقضية|الشركة المنقضية بالتقادم|مفسوخة|Të çregjistruara|не действует с 2019 г|بدون نشاط|Dissolvierte Gesellschaft|Oppløsning vedtatt|Likvideeritud 2020|Inactivación',
  liquidation:
    'DISOLUC. LIQUIDAC. ANTIC. INSC. EN RM|DISOLUC. Y LIQUIDAC. OFICIO NO INSC. EN RM|Société mise en liquidation amiable|شركة في طور التصفية|Tasfiyeye girdi|Перебуває в процесі ліквідації|Ликвидационная комиссия|W trakcie likwidacji|Felszámolási eljárás|Under likvidasjon|LIQUID. VOLUNTARIA|청산절차|Në proces likuidimi|Ne proces likuidimi|Në likujdim',
  bankruptcy:
    'v konkurze|v úpadku|w upadłości|Faillite prononcée|Insolvenzverfahren eröffnet|Признано несостоятельным|W upadłości likwidacyjnej|İflas etmiş|تفليسة|법인파산|Quiebra decretada|Në proces falimentimi|NË PROCEDURË FALIMENTI|Ne proces falimentimi|Во стечајна постапка|У процесі банкрутства|در حال ورشکستگی|გაკოტრების პროცესში|ในกระบวนการล้มละลาย',
  restructuring:
    'csődeljárás alatt álló|v reštrukturalizácii|v reorganizaci|w restrukturyzacji|reorganizáció alatt|Mise en redressement judiciaire|Procédure de sauvegarde ouverte|Em recuperação judicial deferida|تسوية قضائية للشركة|Restrukturierung|회생절차 진행중|会社更生手続開始|Në riorganizim|قيد إعادة الهيكلة|تحت إعادة التنظيم|В процедуре реабилитации|Under rehabilitation since 2024|Σε εξυγίανση|อยู่ระหว่างฟื้นฟูกิจการ',
  suspended:
    'Privremena odjava|Привремена одјава|Dayandırılmışdır|Fəaliyyəti dayandırılmışdır|Clausura temporal|CIERRE PROVISIONAL|Приостановление деятельности|توقف مؤقت|営業停止|영업정지|Faaliyeti geçici durdurulmuştur',
  administration:
    'procedura insolvenței|procesul de insolvabilitate|In Receivership|Receiver appointed|Under administration|nútená správa|v nútenej správe|zarząd komisaryczny|Zwangsverwaltung',
  'strike-off in progress':
    'طلب محو القيد|قيد المحو|V prenehanju|Pending Strike Off|Strike-off pending|Strike off notice|Notice of strike-off|Under Strike Off|First gazette notice for compulsory strike-off|Application for striking off|Dissolution in progress|Deregistration pending|Löschung angekündigt|Löschung beantragt|Antrag auf Löschung|Radiation en cours|Disolución en trámite|Solicitud de baja|Demande de radiation|návrh na výmaz|wniosek o wykreślenie|w trakcie wykreślania|kényszertörlés alatt|En trámite de extinción|Принято решение о предстоящем исключении из ЕГРЮЛ|قيد الشطب',
  unknown:
    'Not dissolved|Nicht aufgelöst worden|未注销|Не ликвидировано|Sem informação|Annual return overdue|Limited company|Baku|Norvane|12|Category B|غير معروف|情報なし|Resident|Nicht gelöscht|Non radiée|Në lidhje|Ne faliment|Rehabilitada|В процессе реорганизации в форме присоединения',
}

describe('the words of statuses', () => {
  for (const [spelling, write] of Object.entries(spellings))
    test.each(Object.entries(statusTexts))(`of %s, ${spelling}`, (status, texts) => {
      const wrong = texts.split('|').filter((text) => findStatus(write(text), null) !== status)
      expect(wrong).toEqual([])
    })

  test.each(Object.entries(wordedStatuses))(
    'of %s in other endings, orders and abbreviations',
    (status, texts) => {
      const read = texts.split('|').map((text) => [text, findStatus(text, null) ?? 'unknown'])
      expect(read.filter(([, found]) => found !== status)).toEqual([])
    },
  )

  test('each has one meaning in all its spellings', () => {
    const all = Object.entries(registerWords.statuses).flatMap(([status, list]) =>
      list.split('|').map((text) => ({ status, text })),
    )
    for (const write of Object.values(spellings))
      expect(all.filter(({ status, text }) => findStatus(write(text), null) !== status)).toEqual([])
  })
})

describe('the words of headers', () => {
  for (const [spelling, write] of Object.entries(spellings))
    test.each(Object.entries(headersOfFields))(`of %s, ${spelling}`, (field, headers) => {
      const wrong = headers.filter((header) => (findHeaderField(write(header)) ?? 'none') !== field)
      expect(wrong).toEqual([])
    })

  const values: Readonly<Record<string, readonly string[]>> = {
    status: ['ACTIVA', 'CANCELADA', 'ACTIVA'],
    founding_date: ['14/6/2010', '2003/11/20', '2002-05-13'],
    dissolution_date: ['', '2015/3/4', '9999-12-31'],
  }
  test.each(Object.keys(headersOfFields).filter((field) => field !== 'none'))(
    'map columns of %s',
    (field) => {
      for (const header of headersOfFields[field] ?? []) {
        const cells = values[field] ?? ['Zorvex', 'Quorvex', 'Zambrell']
        const rows = cells.map((cell, at) => [`86002590${at}`, `Name ${at}`, cell])
        expect(proposeMap(['NIT', 'Company name', header], rows).map, header).toMatchObject({
          [field]: header,
        })
      }
    },
  )

  test.each(['დასახელება', 'Nama', 'Нэр', 'Maatskappynaam', 'სუბიექტის დასახელება'])(
    'names of companies are found in %s, by its header or its cells',
    (header) => {
      const rows = ['Quorvex LLC', 'Zambrell Ltd', 'Zorvex'].map((name, at) => [
        `86002590${at}`,
        name,
        'Alpha',
      ])
      expect(proposeMap(['NIT', header, 'Q7'], rows).map.name).toBe(header)
    },
  )

  test.each([
    [['Company name', 'Business name'], 'Business name'],
    [['NOM_ETRANGER_X', 'NOM_X'], 'NOM_X'],
  ])('of %s, the column with values in more rows has the names', (columns, expected) => {
    const rows = ['Quorvex', 'Zambrell', 'Mivolar', 'Zorvex'].map((name, at) => [
      `86002590${at}`,
      at === 0 ? `${name} Ltd` : '',
      at < 2 ? `${name} Ltd` : name,
    ])
    expect(proposeMap(['NIT', ...columns], rows).map.name).toBe(expected)
  })

  test.each([
    ['Скратен назив', 'Целосен назив на субјектот'],
    ['Kısa unvan', 'Tam unvanı'],
    ['Nazwa skrócona', 'Pełna nazwa podmiotu'],
    ['Сокращенное наименование', 'Полное наименование юридического лица'],
    ['Nom abrégé', 'Nom complet de la société'],
    ['Vroegere naam', 'Volledige naam'],
  ])('the full name comes before %s', (other, full) => {
    const rows = [
      ['860025900', 'Quorvex', 'Quorvex Holding LLC'],
      ['860025901', 'Zambrell', 'Zambrell Trading Ltd'],
    ]
    const { map } = proposeMap(['NIT', other, full], rows)
    expect([map.name, map.other_names ?? map.former_names]).toEqual([full, other])
  })

  test('a header of numbers gives no country if the rows or a tax number are of another', () => {
    const rows = ['Karachi', 'Lahore', 'Karachi'].map((city, at) => [
      `86002${at}`,
      `Name ${at}`,
      city,
      `7${at}`,
    ])
    expect(proposeMap(['CRO', 'Name', 'City', 'Q7'], rows).jurisdiction).toBeNull()
    const irish = rows.map((row, at) => row.with(2, ['Dublin', 'Cork', 'Galway'][at] ?? ''))
    expect(proposeMap(['CRO', 'Name', 'City', 'Q7'], irish).jurisdiction).toBe('ie')
    const placed = rows.map((row) => [...row.slice(0, 2), `${row[2] ?? ''}, Pakistan`, row[3] ?? ''])
    expect(proposeMap(['CRO', 'Name', 'City', 'Q7'], placed).jurisdiction).toBeNull()
  })

  test.each([
    ['VÖEN', 'az', '1401234561|1702345671|9900012341', ''],
    ['Vergi nömrəsi', 'az', '1401234561|1702345671|9900012341', ''],
    ['JIB', 'ba', '4200225150005|4201234560007|4400123450009', ''],
    ['Matricule fiscal', 'tn', '0012345A|1234567B|1098765C', ''],
    ['Matricule fiscal', null, 'B123451|B123452|B123453', ''],
    ['საგადასახადო ნომერი', 'ge', '204567891|405123456|406234567', ''],
    ['NIT', 'co', '9001234568|8001234572|9012345684', ''],
    ['NIT', 'bo', '1020304050|1023456027|123456021', 'Bolivia'],
    ['NIT', 'gt', '12345679|58012349|3300018', 'Guatemala'],
    ['NIT', 'sv', '06142803901121|06140101901122|06140202101013', 'El Salvador'],
    ['NIT', null, '1020304050|1023456027|123456021', ''],
  ])(
    'a tax number that is the number in the register gives the country: %s %s',
    (header, code, cells, country) => {
      const rows = cells.split('|').map((cell, at) => [cell, `Larkmoor ${at} Ltd`, country])
      const { idType, map, jurisdiction } = proposeMap([header, 'Name', 'Country'], rows)
      expect([idType, map.id, jurisdiction]).toEqual(['registration_id', header, code])
    },
  )

  test.each([
    ['ESTADO_CONTRIBUYENTE', ['ACTIVO', 'PASIVO'], 'status'],
    ['REGIÓN', ['COSTA', 'SIERRA'], undefined],
    ['REGION', ['COSTA', 'SIERRA'], undefined],
  ])('%s next to a province is no region', (header, cells, field) => {
    const rows = cells.map((cell, at) => [`179001167400${at}`, `LARKMOOR ${at} S.A.`, cell, 'PICHINCHA'])
    const { map } = proposeMap(['RUC', 'RAZON_SOCIAL', header, 'PROVINCIA'], rows)
    expect(map.region).toBe('PROVINCIA')
    if (field !== undefined) expect(map).toMatchObject({ [field]: header })
    const chilean = rows.map((row) => [...row, 'NORVANE'])
    if (header.startsWith('REGI'))
      expect(proposeMap(['RUT', 'NOMBRE', header, 'PROVINCIA', 'COMUNA'], chilean).map.region).toBe(header)
  })

  test.each(
    'Anciennes dénominations|Anciens noms|Denominaciones anteriores|Razones sociales anteriores|Denominazioni precedenti|Frühere Namen|Прежние наименования|Denumiri anterioare'.split(
      '|',
    ),
  )('%s has former names', (header) => {
    const rows = [1, 2, 3].map((at) => [`B12345${at}`, `LARKMOOR ${at} S.A.`, `NORVANE ${at} S.A.`])
    expect(proposeMap(['RCS', 'Dénomination', header], rows).map).toMatchObject({
      name: 'Dénomination',
      former_names: header,
    })
  })

  test.each([
    ['Матични број', 'ПИБ', '17000001|17000002|17000003', '104052135|100002887|101134702'],
    ['Matični broj', 'PIB', '17000001|17000002|17000003', '104052135|100002887|101134702'],
    ['Registration No', 'KRA PIN', 'PVT-AAAB12C|C.12345|PLC-AB12C', 'P051234567A|P051234568B|P051234569C'],
    ['IČO', 'DIČ', '31320155|35757442|31322832', '2020372640|2020273893|2020317068'],
    ['KRS', 'NIP', '0000012345|0000012346|0000012347', '5260001246|5270103391|7740001454'],
    [
      'رقم السجل التجاري',
      'الرقم الضريبي',
      '1010170011|1010170012|1010170013',
      '300123456700003|300123456800003|300123456900003',
    ],
    ['Ticaret Sicil No', 'Vergi Kimlik No', '123456|123457|123458', '1234567890|1234567891|1234567892'],
    [
      'NIB',
      'NPWP',
      '8120000000101|8120000000102|8120000000103',
      '01.010.000.0-010.000|02.010.313.1-011.000|03.010.626.2-012.000',
    ],
    ['Matrícula mercantil', 'NIT', '101234|101235|101236', '900.123.456-1|900.123.457-2|900.123.458-3'],
  ])('a tax number next to a register number is a second number: %s, %s', (own, tax, ids, taxes) => {
    const propose = (cells: readonly string[]) => {
      const rows = ids.split('|').map((id, at) => [`Larkmoor ${at} Ltd`, id, cells[at] ?? ''])
      return proposeMap(['Name', own, tax], rows).map
    }
    const { id, registration_id: second } = propose(taxes.split('|'))
    expect([id, second].sort()).toEqual([own, tax].sort())
    // The companies of a group for taxes share one number.
    const shared = propose(taxes.split('|').with(1, taxes.split('|')[0] ?? ''))
    expect(shared).toMatchObject({ id: own })
    expect(shared.registration_id).toBeUndefined()
  })

  test.each([
    ['Hali ya Usajili', 'Imesajiliwa|Imesajiliwa|Imesajiliwa|Haipo tena'],
    ['Hali', 'Imesajiliwa|Imevunjwa|Imefutwa|Neno jingine'],
    ['Status', 'Registered|Struck Off|Registered|Of the third kind'],
  ])('a column that is called %s has the status if most of its words are known', (header, cells) => {
    const rows = cells.split('|').map((cell, at) => [`PVT-AAA11${at}1`, `Name ${at}`, cell])
    expect(proposeMap(['Nambari ya Usajili', 'Jina la Kampuni', header], rows).map.status).toBe(header)
  })

  test.each(['PIN ya KRA', 'Nambari ya PIN ya KRA', 'PIN of KRA', 'Namba ya KRA'])(
    'a tax number with a word for "of" is a second number: %s',
    (header) => {
      const rows = ['A', 'B', 'C'].map((end, at) => [`PVT-AAA11${at}1`, `Name ${at}`, `P05111111${at}${end}`])
      const { map, jurisdiction } = proposeMap(['Nambari ya Usajili', 'Jina la Kampuni', header], rows)
      expect([map.registration_id, jurisdiction]).toEqual([header, 'ke'])
    },
  )

  test('a column that may have the status is named if it is not used', () => {
    const rows = ['zzz', 'yyy', 'xxx'].map((cell, at) => [`86002590${at}`, `Name ${at}`, cell, 'CANCELADA'])
    const { map, overlooked } = proposeMap(['NIT', 'Name', 'estado_matricula', 'Q7'], rows)
    expect(map.status).toBeUndefined()
    expect(overlooked).toEqual(['estado_matricula', 'Q7'])
  })

  test('a company with an end in the past is inactive, unless a status says otherwise', () => {
    const statuses = (content: string, map: Record<string, string>) => {
      const registry = openRegistry(':memory:')
      const settings = { idType: 'id', map: { id: 'id', name: 'name', ...map } }
      importCsvText(registry, Buffer.from(content), { ...settings, fileName: 'own.csv', fileDateMs: 0 })
      const { hits } = registry.search({ name: 'Quorvex', limit: 9 })
      registry.close()
      return hits.map(({ name, status }) => `${name} ${status}`).sort()
    }
    const rows =
      '1,Quorvex A,2015/3/4,\n2,Quorvex B,9999-12-31,\n3,Quorvex C,2015-03-04,active\n4,Quorvex D,,'
    expect(statuses(`id,name,end,state\n${rows}`, { dissolution_date: 'end', status: 'state' })).toEqual([
      'Quorvex A inactive',
      'Quorvex B null',
      'Quorvex C active',
      'Quorvex D null',
    ])
  })
})

/** Headers of registers by language: tax number, house number, two ends without the word for a date, and the date of the end. */
const headersByLanguage: Readonly<Record<string, readonly string[]>> = {
  lv: ['PVN numurs', 'Mājas nr.', 'Likvidēts', 'Izslēgts no reģistra', 'Likvidācijas datums'],
  lt: ['PVM mokėtojo kodas', 'Namo nr.', 'Likviduota', 'Išregistruota', 'Likvidavimo data'],
  et: ['KMKR number', 'Maja nr', 'Likvideeritud', 'Registrist kustutatud', 'Likvideerimise kuupäev'],
  fi: ['ALV-numero', 'Talon numero', 'Purkautunut', 'Poistettu rekisteristä', 'Purkamispäivä'],
  sv: ['Momsregistreringsnummer', 'Husnummer', 'Upplöst', 'Avregistrerad', 'Upplösningsdatum'],
  da: ['Momsnummer', 'Husnr.', 'Opløst', 'Slettet af registret', 'Opløsningsdato'],
  no: ['MVA-nummer', 'Husnummer', 'Oppløst', 'Slettet fra Enhetsregisteret', 'Oppløsningsdato'],
  de: ['USt-IdNr.', 'Hausnummer', 'Aufgelöst am', 'Aus dem Handelsregister gelöscht', 'Auflösungsdatum'],
  nl: ['BTW-nummer', 'Huisnummer', 'Ontbonden', 'Uitgeschreven uit handelsregister', 'Datum ontbinding'],
  fr: ['N° TVA', 'N° de voie', 'Dissoute le', 'Radiée le', 'Date de dissolution'],
  es: ['Número de IVA', 'Número de calle', 'Disuelta', 'Baja registral', 'Fecha de disolución'],
  it: ['Partita IVA', 'Numero civico', 'Sciolta', 'Cancellata dal registro', 'Data di scioglimento'],
  pt: ['N.º de IVA', 'N.º de porta', 'Dissolvida', 'Cancelada no registo', 'Data de dissolução'],
  ca: ["Número d'IVA", 'Número de carrer', 'Dissolta', 'Baixa registral', 'Data de dissolució'],
  pl: ['Numer VAT', 'Nr domu', 'Rozwiązana', 'Wykreślona z rejestru', 'Data rozwiązania'],
  cs: ['DIČ', 'Číslo popisné', 'Zanikla', 'Vymazáno z rejstříku', 'Datum zrušení'],
  sk: ['IČ DPH', 'Súpisné číslo', 'Zanikla', 'Vymazaná z registra', 'Dátum zrušenia'],
  hu: ['ÁFA-szám', 'Házszám', 'Megszűnt', 'Törölve a cégjegyzékből', 'Megszűnés dátuma'],
  ro: ['Cod TVA', 'Nr. stradal', 'Dizolvată', 'Radiată', 'Data dizolvării'],
  bg: ['ДДС номер', 'Номер на сграда', 'Ликвидирано', 'Заличено', 'Дата на прекратяване'],
  sl: ['ID za DDV', 'Hišna številka', 'Likvidirana', 'Izbrisana iz registra', 'Datum prenehanja'],
  hr: ['PDV broj', 'Kućni broj', 'Likvidirana', 'Brisana iz registra', 'Datum prestanka'],
  sr: ['ПДВ број', 'Кућни број', 'Ликвидирано', 'Брисано из регистра', 'Датум престанка'],
  el: ['ΑΦΜ ΦΠΑ', 'Αριθμός οδού', 'Λυθείσα', 'Διαγραμμένη', 'Ημερομηνία λύσης'],
  tr: ['KDV numarası', 'Kapı no', 'Feshedildi', 'Terkin', 'Fesih tarihi'],
  ru: ['ИНН', 'Номер дома', 'Ликвидировано', 'Исключено из реестра', 'Дата ликвидации'],
  uk: ['Номер платника ПДВ', 'Номер будинку', 'Ліквідовано', 'Виключено з реєстру', 'Дата припинення'],
  en: ['VAT number', 'House number', 'Dissolved', 'Struck off', 'Date of dissolution'],
  is: ['VSK-númer', 'Húsnúmer', 'Slitið', 'Afskráð', 'Dagsetning slita'],
  sq: ['TVSH', 'Numri i shtëpisë', 'Shpërbërë', 'Çregjistruar', 'Data e shpërbërjes'],
}

/** Headers by language: former name, other name, short name, legal form, registration and end. */
const moreHeadersByLanguage: Readonly<Record<string, readonly string[]>> = {
  fi: ['Aiemmat toiminimet', 'Aputoiminimi', 'Lyhyt nimi', 'Yritysmuoto', 'Rekisteröity', 'Lakkaamispäivä'],
  'fi, one': [
    'Edellinen toiminimi',
    'Rinnakkaistoiminimi',
    'Lyhenne',
    'Yhtiömuoto',
    'Rekisteröintipäivä',
    'Lakannut',
  ],
  sv: ['Tidigare firma', 'Bifirma', 'Förkortat namn', 'Juridisk form', 'Registrerad', 'Avregistreringsdatum'],
  'sv, other': ['Tidigare namn', 'Parallellfirma', 'Kortnamn', 'Bolagsform', 'Registreringsdatum', 'Upphört'],
  da: ['Tidligere navne', 'Binavne', 'Kort navn', 'Selskabsform', 'Registreret', 'Ophørsdato'],
  no: ['Tidligere navn', 'Bifirma', 'Kort navn', 'Selskapsform', 'Registrert', 'Opphørt'],
  hr: ['Prijašnja tvrtka', 'Ostali nazivi', 'Skraćena tvrtka', 'Pravni oblik', 'Upisano', 'Datum prestanka'],
  sl: [
    'Prejšnja firma',
    'Druga imena',
    'Skrajšana firma',
    'Pravnoorganizacijska oblika',
    'Vpisano',
    'Datum izbrisa',
  ],
  sr: [
    'Ранији назив',
    'Остали називи',
    'Скраћено пословно име',
    'Правна форма',
    'Датум уписа',
    'Датум престанка',
  ],
  et: [
    'Endine ärinimi',
    'Teised nimed',
    'Lühinimi',
    'Õiguslik vorm',
    'Registreeritud',
    'Kustutamise kuupäev',
  ],
  lv: [
    'Iepriekšējie nosaukumi',
    'Citi nosaukumi',
    'Saīsinātais nosaukums',
    'Juridiskā forma',
    'Dibināts',
    'Likvidēts',
  ],
  lt: [
    'Ankstesni pavadinimai',
    'Kiti pavadinimai',
    'Trumpas pavadinimas',
    'Teisinė forma',
    'Įsteigta',
    'Likviduota',
  ],
  pl: [
    'Poprzednia firma',
    'Inne nazwy',
    'Krótka nazwa',
    'Forma organizacyjna',
    'Data wpisu',
    'Data likwidacji',
  ],
  cs: ['Dřívější obchodní firma', 'Další názvy', 'Krátký název', 'Právní forma', 'Zapsáno', 'Datum zániku'],
  sk: [
    'Predošlé obchodné meno',
    'Ďalšie názvy',
    'Skrátené obchodné meno',
    'Právna forma',
    'Dátum vzniku',
    'Dátum výmazu',
  ],
  hu: [
    'Korábbi elnevezés',
    'Egyéb nevek',
    'Rövid név',
    'Gazdálkodási forma',
    'Bejegyzés kelte',
    'Megszűnés kelte',
  ],
  ro: [
    'Foste denumiri',
    'Alte denumiri',
    'Denumire scurtă',
    'Forma de organizare',
    'Data înființării',
    'Data radierii',
  ],
  bg: [
    'Предишни имена',
    'Други имена',
    'Кратко име',
    'Правна форма',
    'Дата на вписване',
    'Дата на прекратяване',
  ],
  el: [
    'Προηγούμενες επωνυμίες',
    'Άλλες επωνυμίες',
    'Σύντομη επωνυμία',
    'Νομική μορφή',
    'Ημερομηνία εγγραφής',
    'Ημερομηνία λύσης',
  ],
  tr: ['Önceki unvanlar', 'Diğer unvanlar', 'Kısa unvan', 'Şirket türü', 'Tescil tarihi', 'Terkin tarihi'],
  ru: [
    'Прежние наименования',
    'Другие наименования',
    'Краткое наименование',
    'ОПФ',
    'Дата регистрации',
    'Дата ликвидации',
  ],
  uk: [
    'Попередні назви',
    'Інші назви',
    'Коротка назва',
    'Організаційно-правова форма',
    'Зареєстровано',
    'Дата припинення',
  ],
  de: ['Frühere Firma', 'Nebenfirma', 'Kurzfirma', 'Rechtsform', 'Eingetragen am', 'Löschungsdatum'],
  nl: [
    'Vroegere namen',
    'Overige handelsnamen',
    'Korte naam',
    'Rechtsvorm',
    'Datum inschrijving',
    'Datum opheffing',
  ],
  fr: [
    'Anciennes dénominations',
    'Noms commerciaux',
    'Nom court',
    'Forme juridique',
    'Immatriculée le',
    'Date de radiation',
  ],
  es: [
    'Nombres anteriores',
    'Otros nombres',
    'Nombre corto',
    'Forma jurídica',
    'Fecha de alta',
    'Fecha de baja',
  ],
  it: [
    'Ex denominazione',
    'Nomi commerciali',
    'Nome breve',
    'Natura giuridica',
    'Data iscrizione',
    'Data cessazione',
  ],
  pt: [
    'Nomes anteriores',
    'Nome comercial',
    'Nome abreviado',
    'Forma jurídica',
    'Data de constituição',
    'Data da baixa',
  ],
  is: ['Fyrri nöfn', 'Önnur heiti', 'Stutt heiti', 'Félagaform', 'Skráningardagur', 'Afskráningardagur'],
  sq: [
    'Emrat e mëparshëm',
    'Emra të tjerë',
    'Emri i shkurtër',
    'Forma ligjore',
    'Data e regjistrimit',
    'Data e mbylljes',
  ],
  ca: [
    'Noms anteriors',
    'Altres noms',
    'Nom curt',
    'Forma jurídica',
    'Data de constitució',
    'Data de dissolució',
  ],
}

describe('headers of one register in many languages', () => {
  const streets = ['Zorvex', 'Quilon', 'Mivolar']
  const propose = (header: readonly string[], columns: readonly (readonly string[])[]) =>
    proposeMap(
      ['ID', 'Company name', 'City', 'Street', ...header],
      streets.map((street, at) => [
        `86002590${at}`,
        `Larkmoor ${at} Ltd`,
        'Zorvexstad',
        street,
        ...columns.map((cells) => cells[at] ?? ''),
      ]),
    )
  const [numbers, days] = [
    ['12', '7a', '103-105'],
    ['', '2019-03-04', '05.06.2020'],
  ]

  test.each(Object.entries(headersByLanguage))('%s', (_, [vat = '', house = '', ...ends]) => {
    const isTax = [vat, ...listNumberKeys(vat)].some((one) => rankInHeaders(one, taxHeaders) >= 0)
    expect(isTax, vat).toBe(true)
    for (const write of Object.values(spellings)) {
      expect(propose([write(house)], [numbers]).map.street_address).toBe(`Street,${write(house)}`)
      for (const end of ends.map(write)) expect(propose([end], [days]).map.dissolution_date, end).toBe(end)
    }
    const [one = '', other = ''] = ends
    const { map, unused } = propose([one, other, house], [days, days, numbers])
    expect(map.dissolution_date).toBe(`${one},${other}`)
    expect(Object.keys(map)).not.toContain('house_number')
    expect(unused).not.toContain(house)
  })

  test.each(Object.entries(moreHeadersByLanguage))(
    'former, other and short names, form, dates of %s',
    (_, [former = '', other = '', short = '', form = '', since = '', until = '']) => {
      const texts = ['Norvane', 'Velmora', 'Quiltrane']
      const columns = [texts, texts, texts, ['Xx Yy', 'Zz', 'Xx Yy'], days, days]
      const { map, unused } = propose([former, other, short, form, since, until], columns)
      expect(map.former_names).toBe(former)
      expect(map.other_names).toBe(`${other},${short}`)
      expect(map.legal_form).toBe(form)
      expect(map.founding_date).toBe(since)
      expect(map.dissolution_date).toBe(until)
      expect(unused).toEqual(['ID'])
    },
  )

  const seats = (
    'Sjedište|Sediste|Седиште|Sedež|Siedziba|Sídlo|Székhely|Sediul|Sitz|Siège|Sede|Seat|Zetel|Säte|Sete|Hjemsted|' +
    'Kotipaikka|Merkez|Έδρα|المقر|Седалище|Buveinė|Selia|Trụ sở'
  ).split('|')
  test.each(seats)('a column %s of towns is the city next to a street, not the street', (seat) => {
    const rows = streets.map((street, at) => [`8600259${at}`, `Larkmoor ${at}`, 'Zorvex', `${street} ${at}`])
    const { map } = proposeMap(['ID', 'Company name', seat, 'Ulica i kućni broj'], rows)
    expect(map).toMatchObject({ city: seat, street_address: 'Ulica i kućni broj' })
    const beside = proposeMap(['ID', 'Company name', seat, 'Adresa'], rows)
    expect([beside.map.city, beside.map.street_address, beside.unused]).toEqual([seat, 'Adresa', ['ID']])
    const lines = rows.map(([id = '', name = '', town = '', street = '']) => [id, name, `${street}, ${town}`])
    if (!/^(?:Kotipaikka|Seat|Sete)$/.test(seat))
      expect(proposeMap(['ID', 'Company name', seat], lines).map.formatted_address).toBe(seat)
  })

  test.each([
    ['Ulica sjedišta', 'Kućni broj sjedišta', 'Sjedište', 'Županija sjedišta'],
    ['ulica', 'kucni_broj', 'naziv_naselja', 'naziv_zupanije'],
    ['Улица', 'Кућни број седишта', 'Место седишта', 'Назив округа'],
  ])('%s, %s, %s and %s are the place of the seat', (street, house, town, region) => {
    const rows = [1, 2].map((at) => [`8600259${at}`, 'Larkmoor', 'Norvanska', `${at}`, 'Zorvex', 'Velmora'])
    const { map, unused } = proposeMap(['ID', 'Company name', street, house, town, region], rows)
    const { street_address: address, city, region: found } = map
    expect([address, city, found, unused]).toEqual([`${street},${house}`, town, region, ['ID']])
  })

  test('the address for letters counts only without another one, and that for bills never', () => {
    const cells = streets.map((street, at) => [
      `8600259${at}`,
      `Larkmoor ${at}`,
      `${street} ${at}, Zorvex`,
      'Norvex 1',
    ])
    const header = (mailing: string, other: string) => ['ID', 'Company name', mailing, other]
    const both = proposeMap(header('Postiosoite', 'Käyntiosoite'), cells).map
    expect([both.street_address, both.formatted_address]).toContain('Käyntiosoite')
    expect(Object.values(both)).not.toContain('Postiosoite')
    const one = proposeMap(header('Postiosoite', 'Laskutusosoite'), cells).map
    expect(one.formatted_address).toBe('Postiosoite')
    expect(Object.values(one)).not.toContain('Laskutusosoite')
  })

  test('the number in front of the street stays in front', () => {
    const { map } = proposeMap(
      ['ID', 'Company name', 'House number', 'Street', 'City'],
      streets.map((street, at) => [`86002590${at}`, `Larkmoor ${at} Ltd`, `${at + 1}`, street, 'Zorvexton']),
    )
    expect(map.street_address).toBe('House number,Street')
  })

  test('no end is read from flags, nor from words for records and orders', () => {
    for (const cells of [
      ['Jā', 'Nē', ''],
      ['1', '0', '0'],
      ['yes', 'no', ''],
    ])
      for (const header of ['Likvidēts', 'Dissolved', 'Aufgelöst', 'Ликвидировано'])
        expect(propose([header], [cells]).map.dissolution_date).toBeUndefined()
    for (const header of 'Gelöscht am|Deleted|Cancelled|Closed|Törölve|Cancelada|Slettet|Dado de baja|Excluded'.split(
      '|',
    ))
      expect(propose([header], [days]).map.dissolution_date, header).toBeUndefined()
  })

  test('no house number is read from floors and rooms, from other numbers, nor next to a whole street', () => {
    for (const header of [
      'Floor number',
      'Room no',
      'Phone number',
      'House',
      'Building',
      'Line number',
      'Hus',
      'Maja',
    ])
      expect(propose([header], [numbers]).map.street_address, header).toBe('Street')
    expect(propose(['House number'], [['86002590', '86002591', '86002592']]).map.street_address).toBe(
      'Street',
    )
    const whole = proposeMap(
      ['ID', 'Company name', 'Street', 'City', 'House number'],
      streets.map((street, at) => [
        `86002590${at}`,
        `Larkmoor ${at}`,
        `${street} ${at + 3}`,
        'Zorvexton',
        `${at + 3}`,
      ]),
    )
    expect(whole.map.street_address).toBe('Street')
  })
})

describe('a field with several columns', () => {
  const header = [
    'no',
    'dv',
    'title',
    'short',
    'foreign',
    'old',
    'street',
    'house',
    'tax',
    'reg',
    'a',
    'b',
    'x, y',
  ]
  const cells = [
    '860',
    '3',
    'Legal SA',
    'LSA',
    'Legal Inc',
    'Old SA',
    'Main St',
    '5',
    'T1',
    'R1',
    '',
    'active',
    'Z',
  ]
  const read = (map: Record<string, string>) => {
    const columns = resolveColumns(header, { id: 'no', name: 'title', ...map })
    return (field: ImportField) => createFieldReader(cells, columns)(field)
  }
  test.each([
    ['other_names', 'short,foreign', 'LSA|Legal Inc'],
    ['other_names', 'short, a, foreign', 'LSA|Legal Inc'],
    ['former_names', 'old,a', 'Old SA'],
    ['street_address', 'street,house', 'Main St 5'],
    ['formatted_address', 'street,house', 'Main St, 5'],
    ['registration_id', 'tax,reg', 'T1|R1'],
    ['id', 'no,dv', '860 3'],
    ['status', 'a,b', 'active'],
    ['city', 'x, y', 'Z'],
    ['name', 'title,short', 'Legal SA'],
  ] as const)('%s=%s', (field, columns, text) => {
    expect(read({ [field]: columns })(field)).toBe(text)
  })
  test('further names are other names', () => {
    expect(read({ name: 'title,short', other_names: 'foreign' })('other_names')).toBe(
      'Legal SA|LSA|Legal Inc',
    )
  })
  test('an unknown one is named', () => {
    expect(() => read({ other_names: 'short,nothing' })).toThrow('no column "nothing" for other_names')
  })
})

test.each([
  ['رقم التسجيل', 'الرقم الوطني للمنشأة'],
  ['Registration number', 'Establishment national ID'],
])(
  'of two columns of numbers, that of which no two companies have the same is the id: %s, %s',
  (first, second) => {
    const propose = (name: string, distinct: (at: number) => string) => {
      const names = ['Larkmoor Foods', 'Norvane Mills', name, 'Dunvale Tools']
      const numbers = ['51200', '71211', '51200', '80017']
      return proposeMap(
        ['Name', first, second],
        names.map((one, at) => [one, numbers[at] ?? '', distinct(at)]),
      ).map.id
    }
    expect(propose('Brevik Partners', (at) => `20013456${at}`)).toBe(second)
    // Branches of one company, and numbers that are no better.
    expect(propose('Larkmoor Foods', (at) => `20013456${at}`)).toBe(first)
    expect(propose('Brevik Partners', () => '200134567')).toBe(first)
    const branches = ['5120000011', '7121100011', '5120000012', '8001700011']
    expect(propose('Brevik Partners', (at) => branches[at] ?? '')).toBe(first)
  },
)

describe('a short form of the own country', () => {
  test.each([
    ['sk', 'SR', 'SK'],
    ['sk', 'CR', 'CR'],
    ['cz', 'ČR', 'CZ'],
    ['cz', 'CR', 'CZ'],
    ['lt', 'LR', 'LT'],
    ['sr', 'SR', 'SR'],
    ['us_de', 'SA', 'SA'],
  ])('in a register of %s, %s is %s', async (jurisdiction, text, country) => {
    const map = { id: 'no', name: 'name', city: 'town', country: 'state' }
    const rows = `no,name,town,state\n1,Larkmoor,Norvane,${text}\n`
    const { held } = await importRows(rows, { idType: 'registration_id', map, jurisdiction })
    expect(Object.values(held)).toMatchObject([{ country_code: country }])
  })
})

describe('columns of names with empty cells', () => {
  const rows = Array.from({ length: 12 }, (_, at) => [
    `MT/AA/2/000${at}/2002`,
    `Larkmoor ${at} PLC`,
    at % 3 === 0 ? `ላርክሙር ${at} ኃላፊነቱ የተወሰነ የግል ማህበር` : '',
  ])
  test.each([
    ['Trade Name (English)', 'የንግድ ስም (አማርኛ)'],
    ['Trade Name', 'Company Name'],
    ['Nombre de fantasía', 'Razón social'],
    ['Company Name (EN)', 'Company Name (FR)'],
  ])('the full column %s is the name, not %s', (full, sparse) => {
    const { map } = proposeMap(['Registration No', full, sparse], rows)
    expect(map.name?.split(',')[0]).toBe(full)
    expect([...(map.name?.split(',') ?? []), map.other_names]).toContain(sparse)
  })

  test('a full column of names stays the name', () => {
    const { map } = proposeMap(['Registration No', 'Company Name', 'Trade Name'], rows)
    expect(map).toMatchObject({ name: 'Company Name', other_names: 'Trade Name' })
  })
})

describe('headers of registers of Italy, Chile and Ethiopia', () => {
  test.each([
    [
      'Codice Fiscale Impresa=id|Denominazione Impresa=name|Data Iscrizione RI=founding_date|Comune Sede=city|Prov. Sede=region',
      '01234560157|Norvane S.r.l.|01/01/1970|LISSONE|MB',
    ],
    [
      'RUT=id|Razon Social=name|Comuna Tributaria=city|Region Tributaria=region|Codigo de sociedad=legal_form|Fecha de registro (ultima firma)=founding_date',
      '76543210-3|NORVANE SPA|CURICÓ|7|SpA|06-06-2026',
    ],
    [
      'Principal Registration No=id|Trade Name (English)=name|Town=city|Regional State=region|Registration Date (E.C.)=founding_date|License State=status',
      'MT/AA/2/0004037/2002|Norvane Share Company|Gondar|Amhara|02/02/2002|Renewed',
    ],
    [
      'የምዝገባ ቁጥር / Registration No=id|የድርጅቱ ስም / Company Name=name|ከተማ / City=city|Region (ክልል)=region|የምዝገባ ቀን / Registration Date=founding_date',
      'MT/AA/2/0004037/2002|Norvane Share Company|Gondar|Amhara|02/02/2002',
    ],
    [
      '법인등록번호 (Registration No)=id|업체 (Company Name)=name|도시 / City=city',
      '110111-0000001|Norvane|Seoul',
    ],
  ])('%s', (columns, cells) => {
    const wanted = columns.split('|').map((one) => one.split('='))
    const { map } = proposeMap(
      wanted.map(([header = '']) => header),
      [cells.split('|')],
    )
    expect(map).toMatchObject(Object.fromEntries(wanted.map(([header, field]) => [field, header])))
  })
})

test.each([
  ['Registration Date (E.C.)', '2015-11-22', 0],
  ['የምዝገባ ቀን (ዓ.ም.)', '2015-11-22', 0],
  ['Registration Date (G.C.)', '2008-03-12', 0],
  ['Registration Date (B.S.)', null, 1],
  ['تاريخ التسجيل (هـ)', null, 1],
])('the header %s tells the calendar of its dates', async (header, day, warned) => {
  const map = { id: 'No', name: 'Name', founding_date: header }
  const { held, result } = await importRows(`No,Name,${header}\n1,Larkmoor PLC,12/03/2008\n`, { map })
  expect(Object.values(held)).toMatchObject([{ formed_on: day }])
  expect(JSON.stringify(result).includes('may be of another calendar')).toBe(warned === 1)
})

describe('columns of registers', () => {
  const propose = (origin: string, number = 'Reg. No. (BRN)') =>
    proposeMap(
      [
        number,
        'TIN',
        'Company Name',
        'Entity Type',
        'Registered Office',
        'Postal Address',
        'Country of Origin',
      ],
      ['Larkmoor', 'Norvane', 'Brackwell', 'Ostrella'].map((name, at) => [
        `8002000123456${at}`,
        `100012345${at}`,
        `${name} Traders Ltd`,
        'Private Company',
        `Plot ${at + 4} Kira Road, Kampala`,
        `P.O. Box ${at + 762} Jinja`,
        at === 3 ? origin : 'Uganda',
      ]),
    )

  test.each(['Reg. No. (BRN)', 'Registration Number (BRN)', 'Company Reg. No. (CRN)'])(
    'with %s',
    (number) => {
      const { map, jurisdiction, unused } = propose('Uganda', number)
      expect(map).toMatchObject({
        id: number,
        legal_form: 'Entity Type',
        formatted_address: 'Registered Office',
        country: 'Country of Origin',
      })
      expect([jurisdiction, map.postal_code]).toEqual(['ug', undefined])
      expect(unused).toContain('Postal Address')
    },
  )

  test('the origin of a foreign branch is not where it is registered', () => {
    const { map, jurisdiction } = propose('Kenya')
    expect([map.country, jurisdiction]).toEqual([undefined, null])
  })

  test.each([
    ['IČO', 'Registrový súd', 'Mestský súd Bratislava III'],
    ['KRS', 'Sąd rejestrowy', 'Sąd Rejonowy w Gdańsku'],
    ['OIB', 'Trgovački sud', 'Trgovački sud u Zagrebu'],
  ])('%s needs no court', (number, court, text) => {
    const rows = ['36421928', '31322832', '35763469'].map((one, at) => [
      one,
      `Norvane ${'ABC'[at]} a.s.`,
      text,
    ])
    expect(proposeMap([number, 'Name', court], rows).map).toEqual({ id: number, name: 'Name' })
  })

  test.each(['Postal Code', 'Postcode', 'PSČ', 'PLZ'])('%s has a postal code', (header) => {
    for (const code of [
      '811 01',
      'SW1A 1AA',
      'D02 X285',
      '1234 AB',
      'LV-1010',
      '1000-205 Lisboa',
      '〒100-0001',
    ])
      expect([code, proposeMap(['LEI', 'Name', header], [['', 'Norvane', code]]).map.postal_code]).toEqual([
        code,
        header,
      ])
  })
})

test.each([
  ['Rīga, Larkmoora iela 12', 'formatted_address'],
  ['София, ул. Ларкмор 5', 'formatted_address'],
  ['東京都千代田区丸の内1-1', 'formatted_address'],
  ['Larkmoor Road 12', 'street_address'],
  ['12 Larkmoor Road, 4', 'street_address'],
])('an address next to a postal code alone has the town if it has several parts: %s', (line, field) => {
  const map = (header: string[], row: string[]) =>
    proposeMap(
      header,
      Array.from({ length: 12 }, (_, at) => ['', `Norvane ${at}`, ...row]),
    ).map
  const alone = map(['LEI', 'Name', 'Address', 'Postal code'], [line, '10110'])
  expect(Object.entries(alone).find(([, column]) => column === 'Address')?.[0]).toBe(field)
  const next = map(['LEI', 'Name', 'Address', 'City', 'Postal code'], [line, 'Norvanopolis', '10110'])
  expect(next.street_address).toBe('Address')
})

test.each([
  [
    'active',
    'I registret|Bez postupka|Brez postopka|Без поступка|Kaupparekisterissä|Zapsaný|Zapísaná|Bejegyzett|Upisan|Vpisana|Im Register',
  ],
  [
    'inactive',
    'Upphört|Odjavljen|Одјављена|Prestala s radom|Prenehala|Abgemeldet|Clôturée|Toiminta lopetettu|Lõpetatud|Mbyllur',
  ],
  [
    'inactive',
    'Brisan bez likvidacije|Dissolved without liquidation|Radiée sans liquidation|Disuelta sin liquidación|Likvidirana',
  ],
  [
    'restructuring',
    'U predstečajnoj nagodbi|Predstečajni postupak|Prisilna poravnava|Предстечајна нагодба|Yrityssaneeraus|In Nachlassstundung',
  ],
  ['bankruptcy', 'U stečaju|Stečajni postupak|Конкурсное производство'],
  [
    'strike-off in progress',
    'U postupku brisanja|U postupku brisanja iz registra|V postopku izbrisa|У поступку брисања|Во постапка на бришење',
  ],
  [
    'strike-off in progress',
    'Under avregistrering|Under sletning|Poistomenettelyssä|Kustutamisel|Išregistruojama|În curs de radiere|V řízení o výmazu',
  ],
  ['suspended', 'Privremeno odjavljen|Privremeno zatvorena|Keskeytynyt|Мирује'],
  ['active', 'SEDIA ADA|MASIH WUJUD|Dorman|Masih Berlaku|เปิดดำเนินการ|Còn hoạt động|Umiiral|Bukas'],
  [
    'inactive',
    'TAMAT TEMPOH|DIPOTONG|DITAMATKAN|Tidak Wujud|Berhenti Beroperasi|Tidak lagi beroperasi|Nonaktif',
  ],
  [
    'inactive',
    'Habis Masa Berlaku|เพิกถอน|ขีดชื่อออกจากทะเบียน|หยุดดำเนินกิจการ|Bị thu hồi|Đã sáp nhập|Hindi na umiiral',
  ],
  ['restructuring', 'PENGURUSAN KEHAKIMAN|Skim Pengaturan'],
  [
    'active',
    'Dormant|Imelala|En sommeil|Mise en veille|Latente|Dormente|Uśpiona|Spící|Спящая|Αδρανής|Uinuva|רדומה|Ngủ đông|Tidur',
  ],
  [
    'inactive',
    'Ceased trading|Imesitishwa|Imekoma|Imeondolewa kwenye rejista|Eingestellt|Gestaakt|Sin actividad|Faaliyeti durdu',
  ],
  ['liquidation', 'Under liquidator|Chini ya Mfilisi|Under tvangsoppløsning|समापन के अधीन'],
  [
    'administration',
    'Chini ya Mpokeaji|Chini ya Usimamizi|Onder bewind|Pod zarządem komisarycznym|În administrare|Kayyum yönetiminde|법정관리',
  ],
  ['suspended', 'Imesimamishwa kwa muda|Imefungwa kwa muda|Ruht|休業中|מוקפאת'],
  ['administration', 'Penerima dilantik|Di bawah penerima'],
  ['administration', 'Σε καθεστώς ειδικής διαχείρισης|ΥΠΟ ΕΙΔΙΚΗ ΔΙΑΧΕΙΡΙΣΗ|U izvanrednoj upravi'],
  ['restructuring', 'Υπό εξυγίανση|Σε διαδικασία εξυγίανσης'],
  ['liquidation', 'Υπό ειδική εκκαθάριση|Σε καθεστώς εκκαθάρισης'],
  ['bankruptcy', 'Σε καθεστώς πτώχευσης'],
  ['strike-off in progress', 'DALAM PROSES DIPOTONG|Dalam proses pembubaran'],
  ['liquidation', 'Tergulung|Sedang digulung|Đang thanh lý'],
  ['suspended', 'หยุดกิจการชั่วคราว|Đình chỉ hoạt động|Diblokir'],
  [
    'active',
    'Renewed|License Renewed|Licensed|In force|Renovada|En vigor|In vigore|In Kraft|Rinnovata|Продлена|Yenilendi|有效|የታደሰ',
  ],
  [
    'inactive',
    'Liquidata|Chiusa|Scaduta|Vencida|Con término de giro|Expirée|Abgelaufen|Wygasła|License Expired|已过期|ተሰርዟል',
  ],
  ['restructuring', 'რეორგანიზაციის პროცესში|რეაბილიტაციის რეჟიმი|회생절차|회생절차개시|기업회생|워크아웃'],
  ['bankruptcy', 'გადახდისუუნარობის პროცესში|გაკოტრების პროცესში|파산선고'],
  ['liquidation', 'ლიკვიდაციის პროცესში|청산중|청산인 선임'],
  ['suspended', '휴업|영업정지|영업 정지|휴면'],
  ['inactive', '폐업|직권폐업|해산|해산간주|청산종결|청산종결간주|등기폐쇄|영업종료'],
  ['active', '계속사업자|정상영업|영업 중|살아있는 등기'],
  [
    'inactive',
    'Non attiva|No activo|Ikke aktiv|Nie aktywna|Aktif değil|Δεν είναι ενεργή|Не активна|Not operational|Niet actief',
  ],
])('words of registers for %s: %s', (status, texts) => {
  for (const text of texts.split('|')) expect(findStatus(text, null), text).toBe(status)
})

/** Sentences of several languages around a process in one of its grammatical cases. */
const sentences: readonly (readonly [denied: string, stated: string, processes: string])[] = [
  [
    'not #|is not #|The company is not #',
    'is #|The company is #',
    'in liquidation|being dissolved|under strike off',
  ],
  [
    'nicht #|befindet sich nicht #|ist derzeit nicht #',
    'befindet sich #',
    'in Liquidation|im Insolvenzverfahren',
  ],
  ["pas #|n'est pas #|La société n'est pas #", 'est #', 'en liquidation|en cours de radiation'],
  ['no #|no está #|No se encuentra #', 'se encuentra #', 'en liquidación|en proceso de disolución'],
  ['não #|não está #|Não se encontra #', 'está #', 'em liquidação|em processo de baixa'],
  ['non #|non è #|La società non è #', 'è #', 'in liquidazione|in fase di scioglimento'],
  ['niet #|Verkeert niet #', 'verkeert #', 'in liquidatie|in staat van faillissement'],
  ['ikke #|er ikke #', 'er #', 'under konkurs|under likvidation'],
  ['ej #|är inte #', 'är #', 'i konkurs|i likvidation'],
  ['nie #|nie jest #|nie znajduje się #', 'jest #', 'w likwidacji|w upadłości|w trakcie likwidacji'],
  ['není #', 'je #', 'v likvidaci|v konkursu'],
  ['nie je #', 'je #', 'v likvidácii|v konkurze'],
  ['nije #|ni #', 'je #', 'u likvidaciji|u stečaju|v likvidaciji'],
  ['nu este #|nu se află #', 'este #|nu #', 'în lichidare|în faliment'],
  ['nem #|nem áll #', 'áll #', 'felszámolás alatt|végelszámolás alatt'],
  ['δεν είναι #|δεν τελεί #', 'είναι #', 'υπό εκκαθάριση|σε πτώχευση'],
  [
    'не #|Не перебуває #|Юридична особа не перебуває #',
    'Перебуває #',
    'в процесі припинення|у процесі ліквідації',
  ],
  ['не #|не находится #', 'находится #', 'в процессе ликвидации|в стадии банкротства'],
  ['не е #|не се намира #', 'е #', 'в ликвидация|в несъстоятелност'],
  ['# değil|# değildir', '#', 'tasfiye halinde|iflas halinde'],
  ['tidak #|tidak sedang #', 'sedang #', 'dalam likuidasi|dalam proses pembubaran'],
  ['không #|không phải #', 'đang #', 'đang làm thủ tục giải thể|đang làm thủ tục phá sản'],
]

test.each(sentences)(
  '%s: a denied process is that of an active company, others of one in it',
  (denied, stated, all) => {
    for (const process of all.split('|')) {
      const fill = (texts: string) => texts.split('|').map((text) => text.replace('#', process))
      for (const text of fill(denied).flatMap((one) => [one, one.toUpperCase()])) {
        expect([text, findStatus(text, null)]).toEqual([text, 'active'])
        expect([text, findStatus(`Dissolved, ${text}`, null)]).toEqual([text, 'inactive'])
      }
      for (const text of [...fill(stated), ...fill(denied).map((one) => `${one}; ${process}`)])
        expect([text, findStatus(text, null)]).not.toEqual([text, 'active'])
    }
  },
)

test('no denied process of the table is one', () => {
  const processes = Object.entries(registerWords.statuses).filter(
    ([status]) => !/^(?:active|inactive|suspended)$/.test(status),
  )
  const all = processes.flatMap(([, list]) => list.split('|'))
  const english = all.filter((text) => /^(?:under|in|being) /.test(text))
  expect(english.filter((text) => findStatus(`not ${text}`, null) !== 'active')).toEqual([])
  for (const [at, text] of all.entries()) {
    const lists = Object.keys(registerWords.denials.before)
    const not = lists[at % lists.length]?.split('|')[0] ?? ''
    expect(['active', null]).toContain(findStatus(`${not} ${text}`, null))
  }
})

test.each([
  ['Not renewed in liquidation', 'liquidation'],
  ['No: in liquidation', 'liquidation'],
  ['In liquidation, not dissolved', 'liquidation'],
  ['Nu in faillissement', 'bankruptcy'],
  ['Nu i likvidation', 'liquidation'],
  ['Dissolved without liquidation', 'inactive'],
  ['Зареєстровано, не перебуває в процесі припинення', 'active'],
])('a denial is of the words behind it: %s is %s', (text, status) => {
  expect(findStatus(text, null)).toBe(status)
})

test.each(
  'Not renewed|Due for renewal|Not licensed|Not in force|Non valida|Nicht verlängert|No renovada|ያልታደሰ|لم يجدد|غير مجدد'.split(
    '|',
  ),
)('%s says neither that a company is active nor that it has ended', (text) => {
  expect(findStatus(text, null)).toBeNull()
})

test.each([
  ['Not in good standing', 'active'],
  ['Maksātnespējīgs', 'bankruptcy'],
  ['Maksātnespējīga', 'bankruptcy'],
  ['Nemokus', 'bankruptcy'],
  ['Pankrotis', 'bankruptcy'],
])('the status %s is %s', (text, status) => {
  expect([text, text.toUpperCase()].map((one) => findStatus(one, null))).toEqual([status, status])
})

test.each(
  'Uzņēmējdarbības forma|Komercdarbības forma|প্রতিষ্ঠানের ধরন|কোম্পানির প্রকার|कंपनी का प्रकार'.split('|'),
)('%s is the legal form', (header) => {
  expect(findHeaderField(header)).toBe('legal_form')
})

test.each([
  ['Larkmoor Berhad; Norvane Sdn Bhd', ['Larkmoor Berhad', 'Norvane Sdn Bhd']],
  ['Larkmoor Berhad / Norvane Berhad', ['Larkmoor Berhad', 'Norvane Berhad']],
  ['Larkmoor GmbH\nNorvane AG', ['Larkmoor GmbH', 'Norvane AG']],
  ['Larkmoor Sdn. Bhd., Norvane Sdn. Bhd.', ['Larkmoor Sdn. Bhd.', 'Norvane Sdn. Bhd.']],
  ['PT Larkmoor; PT Norvane', ['PT Larkmoor', 'PT Norvane']],
  ['Larkmoor A/S / Norvane A/S', ['Larkmoor A/S', 'Norvane A/S']],
  ['Larkmoor Co., Ltd., Norvane Co., Ltd.', ['Larkmoor Co., Ltd.', 'Norvane Co., Ltd.']],
  ['Larkmoor Ltd | Norvane Trading', ['Larkmoor Ltd', 'Norvane Trading']],
  ['Larkmoor Co., Ltd.', ['Larkmoor Co., Ltd.']],
  ['Black/White Larkmoor Sdn Bhd', ['Black/White Larkmoor Sdn Bhd']],
  ['Larkmoor; Oak & Elm Ltd', ['Larkmoor; Oak & Elm Ltd']],
  ['Larkmoor Trading; Norvane Trading', ['Larkmoor Trading; Norvane Trading']],
])('the former names in %j are %j', (cell, expected) => {
  const fields: Readonly<Record<string, string>> = { id: '1', name: 'Velmora Ltd', former_names: cell }
  const { row } = readRow((field) => fields[field] ?? null, 1, {
    idType: 'id',
    keyWord: 'id',
    countryCode: null,
    jurisdiction: null,
  })
  expect(row?.names.flatMap(({ kind, name }) => (kind === 'former' ? [name] : []))).toEqual(expected)
})

test.each([
  ['کمپنی کا نام|رجسٹریشن نمبر|شہر|حیثیت', 'لارکمور لمیٹڈ|0044812|کراچی|فعال', 'name id city status'],
  [
    'کمپنی کا نام|کمپنی نمبر|پتہ|کمپنی کی قسم',
    'لارکمور لمیٹڈ|0044812|لارکمور روڈ، کراچی|نجی',
    'name id formatted_address legal_form',
  ],
  ['نام شرکت|شماره ثبت|شهر', 'لارکمور|448126|تهران', 'name id city'],
  ['اسم الشركة|رقم القيد|الحالة', 'لاركمور|448126|نشطة', 'name id status'],
])('headers in Arabic letters: %s', (columns, row, fields) => {
  const [header, cells] = [columns.split('|'), row.split('|')]
  const rows = [1, 2, 3].map((at) => cells.map((cell) => cell.replace(/\d$/, String(at))))
  const { map } = proposeMap(header, rows)
  expect(fields.split(' ').map((field) => [field, map[field as keyof typeof map]])).toEqual(
    fields.split(' ').map((field, at) => [field, header[at]]),
  )
})

test('of two columns of forms, the organization says more than the kind of company', () => {
  const header = ['nit', 'razon_social', 'tipo_sociedad', 'organizacion_juridica']
  const rows = [1, 2].map((at) => [
    `90012345${at}`,
    `LARKMOOR ${at} SAS`,
    'SOCIEDAD COMERCIAL',
    'SOCIEDAD ANÓNIMA',
  ])
  expect(proposeMap(header, rows).map.legal_form).toBe('organizacion_juridica')
})

test('the only country that the headers may be of is in the proposal, and stays a doubt', () => {
  const header = ['Company Name', 'Registration Number', 'KRA PIN']
  const numbers = ['P051616451X', 'A004412398K']
  const rows = numbers.map((number, at) => [`Larkmoor ${at} Limited`, `C.7721${at}`, number])
  const { jurisdiction, doubts } = proposeMap(header, rows)
  expect([jurisdiction, doubts]).toEqual(['ke', [expect.stringContaining('the headers are those of ke')]])
})

test('the numbers of every row are the ids, the other kinds are kept, and each may tell the country', () => {
  const header = ['Nazwa', 'NIP', 'KRS', 'REGON', 'Miejscowość']
  const rows = [
    ['LARKMOR SPÓŁKA AKCYJNA', '6260181591', '0000016295', '101661315', 'Warszawa'],
    ['Norwan Jan Nowak', '2390996036', '', '146281945', 'Kraków'],
    ['WELMORA SPÓŁKA JAWNA', '8865797544', '0000027128', '131948750', 'Gdynia'],
  ]
  const { idType, map, jurisdiction, unused } = proposeMap(header, rows)
  expect({ idType, id: map.id, others: map.registration_id, jurisdiction, unused }).toEqual({
    idType: 'registration_id',
    id: 'NIP',
    others: 'KRS,REGON',
    jurisdiction: 'pl',
    unused: [],
  })
})

test.each([
  ['SEC Registration No.', 'TIN', 'ph'],
  ['Numero ng Rehistro sa SEC', 'TIN', 'ph'],
  ['SEC Reg. No.', 'Tax ID', 'ph'],
  ['BRELA No', 'TIN', 'tz'],
  ['PACRA Registration No', 'Tax number', 'zm'],
  ['CUIN', 'VAT number', 'pk'],
])('the number %s of a register is the id, before the tax number %s', (number, tax, country) => {
  const rows = [1, 2, 3].map((at) => [`00${at}-153-79${at}-000`, `15274${at}`, `Larkmoor ${at} Trading Inc.`])
  const { map, jurisdiction } = proposeMap([tax, number, 'Company Name'], rows)
  expect([map.id, map.registration_id, jurisdiction]).toEqual([number, tax, country])
})

test.each(['Uri', 'Tipo', 'Jenis', 'Typ'])('a column %s of legal forms has the form', (header) => {
  const forms = ['Corporation', 'Limited Liability Company', 'Partnership']
  const propose = (cells: readonly string[]) =>
    proposeMap(
      ['No', 'Name', header],
      cells.map((cell, at) => [`${at + 1}`, `Larkmoor ${at}`, cell]),
    ).map.legal_form
  expect([propose(forms), propose(['Gold', 'Silver', 'Bronze'])]).toEqual([header, undefined])
})

test('a status of the register of one country is read for this country only: Delinquent', () => {
  expect([
    findStatus('Delinquent', 'PH'),
    findStatus('DELINQUENT', 'PH'),
    findStatus('Delinquent', 'US'),
  ]).toEqual(['active', 'active', null])
})

test('without a company number in some rows, the numbers of the rows are the ids', () => {
  const propose = (codes: readonly string[], records: readonly string[]) =>
    proposeMap(
      ['Номер запису', 'Найменування', 'Код ЄДРПОУ', 'Керівник'],
      codes.map((code, at) => [records[at] ?? '', `Ларкмур ${'абвг'[at]}`, code, 'ПЕТРЕНКО ІВАН']),
    )
  const records = ['1045215782824549066', '1085657725448833660', '1083571707707003981', '1037350961779620324']
  const codes = ['33582532', '26327075', '36560092', '']
  const { idType, map, jurisdiction } = propose(codes, records)
  expect({ idType, id: map.id, number: map.registration_id, jurisdiction }).toEqual({
    idType: 'record',
    id: 'Номер запису',
    number: 'Код ЄДРПОУ',
    jurisdiction: 'ua',
  })
  for (const others of [
    records.with(1, records[0] ?? ''),
    records.with(2, ''),
    records.map((one) => `+${one}`),
  ])
    expect(propose(codes, others).idType).toBeNull()
  expect(propose(codes.with(3, '36560113'), records).idType).toBe('registration_id')
})

test.each(['MB', 'МБ', 'Matični broj'])('%s next to PIB is the number of a register in Serbia', (header) => {
  const propose = (taxNumbers: readonly string[]) =>
    proposeMap(
      ['PIB', header, 'Naziv'],
      taxNumbers.map((number, at) => [number, `2010258${at}`, `LARKMOOR ${at} DOO`]),
    )
  const { map, jurisdiction, doubts } = propose(['104242447', '101134702', '103385127'])
  expect([map.id, map.registration_id, jurisdiction, doubts]).toEqual([header, 'PIB', 'rs', []])
  const open = propose(['104242440', '101134700', '103385120'])
  expect([open.jurisdiction, open.doubts]).toEqual([null, [expect.stringMatching(/those of me or rs$/)]])
})

test('a legal form that is not known is reported, as a status is; a known one and a code are not', async () => {
  const forms = [
    'Zweigniederlassung',
    'GmbH',
    'UG (haftungsbeschränkt)',
    'e.V.',
    'Einzelkaufmann',
    'AG',
    'X7',
    '',
  ]
  const rows = forms.map((form, at) => `${at},Larkmoor ${at},${form},DE\n`).join('')
  const map = { id: 'no', name: 'name', legal_form: 'form', country: 'country' }
  const { result } = await importRows(`no,name,form,country\n${rows}`, { map })
  expect([result.droppedCount, result.drops[0]?.reason]).toEqual([
    1,
    'legal form "Zweigniederlassung" is not known',
  ])
})

describe('names in English next to those of a register', () => {
  const rows = [
    ['1', 'Larkmoor Trading', 'لاركمور للتجارة'],
    ['2', 'Norvane Industries', 'نورفان للصناعة'],
  ]
  const english = (
    'الاسم بالإنجليزية|الاسم بالانجليزي|الاسم باللغة الإنجليزية|English name|Name in English|Name (EN)|ইংরেজি নাম|' +
    'Tên tiếng Anh|Naziv na engleskom|英文名称|영문 상호|ชื่อภาษาอังกฤษ|Name (English)|Nazwa angielska'
  ).split('|')
  const local =
    'السمة التجارية|الاسم التجاري|اسم المنشأة|الاسم|Naziv|商号|상호|ব্যবসার নাম|নাম|Tên doanh nghiệp|Firma'.split(
      '|',
    )
  test.each(local)('are other names next to %s', (header) => {
    for (const one of english) {
      const { map } = proposeMap(['id', one, header], rows)
      expect([one, map.name, map.other_names]).toEqual([one, header, one])
    }
  })

  test.each(english)('%s: an unknown column with other letters is named', (one) => {
    const { map, doubts } = proposeMap(['id', one, 'Xyzzy'], rows)
    expect([map.name, doubts[0]]).toEqual([
      one,
      expect.stringContaining('"Xyzzy" may have the registered ones'),
    ])
    const [id, name] = ['1', 'Larkmoor Trading']
    expect(proposeMap(['id', one, 'Xyzzy'], [[id, name, 'Norvane']]).doubts.join()).not.toContain('Xyzzy')
  })
})

test('a register of Viet Nam: dates, forms and districts', () => {
  const header = [
    'Mã số thuế',
    'Tên doanh nghiệp',
    'Ngày bắt đầu thành lập',
    'Loại hình DN',
    'Địa chỉ',
    'Huyện/Quận',
  ]
  const rows = [
    ['0100109106', 'CÔNG TY LARKMOOR', '12/03/2001', 'Công ty cổ phần', 'Đường Norvane', 'Đống Đa'],
  ]
  const { map, unused } = proposeMap(header, rows)
  const { founding_date: date, legal_form: form, street_address: street, city } = map
  expect([date, form, street, city, unused]).toEqual([...header.slice(2), []])
  expect(proposeMap([...header, 'Thành phố'], [[...(rows[0] ?? []), 'Hà Nội']]).map.city).toBe('Thành phố')
})

test('a whole line next to its town has the street, unless its town is another one', async () => {
  const rows =
    '1,A Ltd,"House 5, Norvane Road, Dhaka-1100",Dhaka,BD\n2,B Ltd,"House 5, Norvane Road, Dhaka",Sylhet,BD\n'
  const map = { id: 'no', name: 'name', formatted_address: 'line', city: 'town', country: 'country' }
  const { held } = await importRows(`no,name,line,town,country\n${rows}`, { map })
  const found = Object.values(held).map(({ street_address: street, city }) => [street, city])
  expect(found).toEqual([
    ['House 5, Norvane Road', 'Dhaka'],
    [null, 'Sylhet'],
  ])
})

test('a region that is a town is the town of a row without one; another region makes no street a town', async () => {
  const rows = [
    'Số 10, Đường Norvane, Phường Tân Mỹ|Thành phố Hồ Chí Minh',
    'phố Larkmoor, Phường Cầu Giấy|TP. Hà Nội',
    'KCN Norvane, Phường Phương Liễu|Tỉnh Bắc Ninh',
  ].map((row, at) => `${at},Larkmoor ${at},"${row.replace('|', '",')},VN\n`)
  const map = { id: 'no', name: 'name', formatted_address: 'line', region: 'province', country: 'country' }
  const { held } = await importRows(`no,name,line,province,country\n${rows.join('')}`, { map })
  expect(Object.values(held).map(({ street_address: street, city }) => [street, city])).toEqual([
    ['Số 10, Đường Norvane, Phường Tân Mỹ', 'Thành phố Hồ Chí Minh'],
    ['phố Larkmoor, Phường Cầu Giấy', 'TP. Hà Nội'],
    ['KCN Norvane', 'Phường Phương Liễu'],
  ])
})

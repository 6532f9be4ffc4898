import { expect, test } from 'vitest'
import {
  classifyFundOrTrust,
  isNonprofitForm,
  isNonprofitName,
  isSoleTraderForm,
  parseFormText,
} from '../../../src/registry/normalize/parsed-name.js'
import { isBusiness } from '../../../src/registry/reference/industry-codes.js'
import { findStatus } from '../../../src/registry/reference/registers.js'

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
  ['FIDEICOMISO MERCANTIL NORVANE', null, 'trust'],
  ['Norvane', 'FIDEICOMISO MERCANTIL', 'trust'],
  ['Patrimonio Autónomo Larkmoor', 'Patrimonio Autónomo', 'trust'],
  ['Norvane Obligations', 'Fonds commun de placement', 'fund'],
  ['Norvane Obligations', "Fonds d'investissement", 'fund'],
  ['Norvane Obligations', "Fonds d'investissement alternatif réservé", 'fund'],
  ['Norvane Obligations', 'Sondervermögen', 'fund'],
  ['Norvane Obbligazioni', 'Fondo comune di investimento', 'fund'],
  ['Norvane Renta', 'Fondo de inversión', 'fund'],
  ['Norvane Renda', 'FUNDO DE INVESTIMENTO', 'fund'],
  ['Norvane Akcji', 'Fundusz inwestycyjny zamknięty', 'fund'],
  ['Norvane', 'Podílový fond', 'fund'],
  ['Norvane Obligations FCP', null, 'fund'],
  ['Larkmoor Bond Fonds Commun de Placement', null, 'fund'],
  ['Norvane', "Société d'investissement à capital variable", null],
  ['Norvane Gestion', 'Société de gestion de fonds communs de placement', null],
  ['FCP Norvane SARL', null, null],
  ['Norvane Fondation', null, null],
  ['Fideicomisos y Servicios Norvane S.A.', null, null],
  ['Fiduciaria Norvane', null, null],
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
  'Samostojni podjetnik posameznik s.p.|Ditta individuale|Egyéni vállalkozó|Şahıs firması|JEDNOOSOBOWA DZIAŁALNOŚĆ GOSPODARCZA|UD|Entreprise individuelle|Sole Proprietorship|个体工商户|ФОП|' +
  'Jina la Biashara|Mfanyabiashara Binafsi|Biashara ya mtu mmoja|Sole owner|Single proprietorship|Individual trader|Proprietorship|प्रोप्राइटरशिप|' +
  'एकल स्वामित्व फर्म|प्राइवेट फर्म|Întreprinzător individual|Gerçek kişi tacir|Iisang nagmamay-ari|Hộ gia đình kinh doanh|Eenmansaak|' +
  'Commerçant individuel|Firma unipersonal|Empresária individual|Saimnieciskās darbības veicējs|Individuali veikla|شخص حقیقی|مالکیت انفرادی|' +
  'ΑΤΟΜΙΚΗ|Ατομική|ατομικη επιχειρηση|Φυσικό Πρόσωπο|ΦΥΣΙΚΟ ΠΡΟΣΩΠΟ|Ελεύθερος επαγγελματίας|Pessoa Fisica|Pessoa singular|Persona humana|' +
  'Libero professionista|Freiberufler|Natürliche Person|Raison individuelle|Natuurlijk persoon|Osoba fizyczna|Podnikateľ-fyzická osoba-nezapísaný v obchodnom registri|' +
  'Magánszemély|Fizička osoba|Fizična oseba|Физичко лице|Физическо лице|физ. лицо|Самозайнята особа|ფიზიკური პირი|Ֆիզիկական անձ|ŞAHIS|şahıs|個人事業主|個人|' +
  'Self-employed|Orang pribadi|Hộ cá thể|יחיד|شخص ذاتي|Fysisk person|Luonnollinen henkilö|Füüsiline isik|Fizinis asmuo|Fiziskā persona|' +
  'واحد ملکیت|تاجر|একমালিকানা|தனி உரிமையாளர்|තනි පුද්ගල ව්‍යාපාරය|የግለሰብ ነጋዴ|个体户|個人商店|개인|Хувиараа бизнес эрхлэгч|សហគ្រាសឯកបុគ្គល'

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

test.each(
  'GR ΦΠ|PT ENI|MX PFAE|FR EIRL|NL EZ|CZ FO|HU e.v.|RO I.I.|RS PR|RU КФХ|UA ФО|UZ ЯТТ|TW 行號|VN DNTN|PH DTI|SE EF|LV IK|KE BN'.split(
    '|',
  ),
)('%s is the form of a sole trader, but not in other countries', (text) => {
  const [country = '', form = ''] = text.split(/ (.*)/)
  expect(isSoleTraderForm(form, country)).toBe(true)
  for (const other of ['DE', 'GB', null]) expect(isSoleTraderForm(form, other)).toBe(false)
})

test.each([
  ['ΝΕΠΑ', 'stock'],
  ['Ν.Ε.', 'stock'],
  ['Ναυτική Εταιρεία', 'stock'],
  ['ΕΝΕ', 'stock'],
])('%s is the form of a company in a register of Greece', (form, formClass) => {
  expect(parseFormText(form).formClass).toBe(formClass)
})

test.each(
  'Ακύρωση σύστασης|ΑΚΥΡΩΣΗ ΣΥΣΤΑΣΗΣ|Ανάκληση άδειας|ΔΙΑΓΕΓΡΑΜΜΕΝΗ|Autorisation retirée|Zulassung widerrufen|лицензия отозвана|設立無効|撤销登记'.split(
    '|',
  ),
)('the status %s is that of a company that ended', (status) => {
  expect(findStatus(status, null)).toBe('inactive')
})

const nonprofitNames =
  'Fundación Norvane|Fundação Norvane|Fondazione Norvane|Fondation Norvane|Stiftung Norvane|Norvane Stiftung|Stichting Norvane|' +
  'Norvanen säätiö|Stiftelsen Norvane|Sihtasutus Norvane|Norvane Alapítvány|Nadace Norvane|Nadácia Norvane|Fundacja Norvane|' +
  'Fundația Norvane|Zaklada Norvane|Norvane Vakfı|Norvane Derneği|Фонд Норване|Фондация Норване|Ίδρυμα Νορβάνε|มูลนิธินอร์เวน|' +
  'Norvane e.V.|Norvane ry|Norvane ASBL|Norvane V.Z.W.|Asociación Norvane|Associação Norvane|Associazione Norvane|Norvane Foundation|' +
  'Norvane Association|The Norvane Foundation|Foundation for Norvane Studies|Vereniging Norvane|Norvane Egyesület|Asociația Norvane|诺凡基金会'

test.each(nonprofitNames.split('|'))('%j is an association or a foundation by its name', (name) => {
  expect(isNonprofitName(name)).toBe(true)
})

const companyNames =
  'Foundation Norvane Inc|Foundation Norvane|Stiftung Norvane Verlag GmbH|The Association Ltd|Stichting Norvane B.V.|Fundación Norvane S.A.|' +
  'Norvane Bank, National Association|Norvane Savings and Loan Association|Norvane Foundation Repair|Norvane|Foundation|Norvane EV|' +
  'Vereinsbank Norvane AG|Stiftungen Norvane|Norvane Fondation SARL|Fonds Norvane|Association|e.V.'

test.each(companyNames.split('|'))('%j is no association or foundation by its name', (name) => {
  expect(isNonprofitName(name)).toBe(false)
})

test.each(
  (
    'Félagasamtök|Sjálfseignarstofnun|Zapsaný spolek|Здружение|Общественное объединение|ONG|Fondacion|Shoqatë|Fondacija|Фондација|Σωματείο|' +
    'Ίδρυμα|İctimai birlik|Некоммерческая организация|חברה לתועלת הציבור|شركة غير ربحية|비영리법인|' +
    'Shirika lisilo la kiserikali|Asasi ya kiraia|Jumuiya|Non-Governmental Organisation|Self Help Group|Community Based Organization|Trade union|' +
    'गैर सरकारी संस्था|অলাভজনক প্রতিষ্ঠান|የበጎ አድራጎት ድርጅት|Lembaga Swadaya Masyarakat|Tổ chức phi chính phủ|非營利組織'
  ).split('|'),
)('the form %j is that of no company', (form) => {
  expect(isNonprofitForm(form)).toBe(true)
})

test.each(
  'Milikan Tunggal|PERNIAGAAN (MILIKAN TUNGGAL)|Pemilikan tunggal|Perusahaan Perorangan|Solong Pagmamay-ari|กิจการเจ้าของคนเดียว|Cá nhân kinh doanh'.split(
    '|',
  ),
)('%s is the form of a sole trader of South-East Asia', (form) => {
  expect([isSoleTraderForm(form, 'MY'), isNonprofitForm(form)]).toEqual([true, false])
})

test.each([
  ['SYARIKAT BERHAD MENURUT JAMINAN', 'limited', null],
  ['PERKONGSIAN', 'partnership', 'gp'],
  ['KOP.', 'cooperative', 'cooperative'],
  ['HTX', 'cooperative', 'cooperative'],
  ['Kooperatiba', 'cooperative', 'cooperative'],
  ['ห้างหุ้นส่วนสามัญ', 'partnership', 'gp'],
  ['SYARIKAT PERSENDIRIAN', 'limited', 'llc'],
  ['PERTUBUHAN', null, null],
  ['Kampuni ya Dhamana', 'limited', null],
  ['Kampuni ya Binafsi', 'limited', 'llc'],
  ['Company limited by guarantee without share capital', 'limited', null],
  ['Chama cha Ushirika', 'cooperative', 'cooperative'],
])('the form %s in a column is %s', (text, formClass, legalForm) => {
  expect(parseFormText(text)).toMatchObject({ formClass, legalForm })
})

test.each([
  'HỘ KINH DOANH NGUYỄN THỊ LAN|HKD Larkmoor|Larkmoor şahıs işletmesi|ИП Ларкмур Иван Петрович|ФОП Ларкмур Іван',
  'Индивидуальный предприниматель Ларкмур И.П.|Фізична особа-підприємець Ларкмур|Ditta individuale Larkmoor|Eenmanszaak Larkmoor',
  'Larkmoor entrepreneur individuel|Larkmoor egyéni vállalkozó|Larkmoor Sole Trader|OBRT ZA UGOSTITELJSTVO LARKMOOR|拉克摩尔个体工商户',
])('the name says that it is of a sole trader: %s', (list) => {
  for (const name of list.split('|')) {
    expect([name, isSoleTraderForm('', null, name)]).toEqual([name, true])
    expect([name, isSoleTraderForm('LLC', 'US', name)]).toEqual([name, false])
  }
})

test.each([
  'Công ty TNHH Hộ Kinh Doanh|DOANH NGHIỆP TƯ NHÂN THANH TÙNG|Larkmoor e.K.|ИП Белинвест|ИП ООО Ларкмур|Sole Trader Services Ltd|Obrtnik d.o.o.|HKD',
])('the name is of a company, or does not say it surely: %s', (list) => {
  for (const name of list.split('|')) expect([name, isSoleTraderForm('', null, name)]).toEqual([name, false])
})

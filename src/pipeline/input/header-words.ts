import { toPlainLetters } from '../../core/text.js'
import type { IdentifierHeaderKey } from '../../core/identifiers.js'
// Names of register numbers by country. Some names are used in two countries.
import numberHeaders from './number-headers.json' with { type: 'json' }
import placeHeaders from './place-headers.json' with { type: 'json' }
// Words that version 0.2.0 does not know. Lists that it looked up are also read without them.
import added from './added-headers.json' with { type: 'json' }

/**
 * Folds a header, without case, width, marks, spaces and signs: `Billing State/Province`, `billing_state_province` and
 * `BillingStateProvince` are equal, and so are `Razón social` and `razon_social`. Letters of every script stay.
 */
export function toHeaderKey(header: string): string {
  const letters = header.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')
  return toPlainLetters(letters).replace(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * Returns how well a header fits one of the keys, best 0: a key with a number at its end, as in `Ort 2`, fits worse than
 * any without, and a low number better than a high one. -1 if it fits none.
 */
export function rankInHeaders(header: string, keys: readonly string[]): number {
  const whole = toHeaderKey(header)
  const rank = keys.indexOf(whole)
  const { base, number } = rank < 0 ? splitNumber(whole) : noNumber
  if (number === 0) return rank
  const baseRank = keys.indexOf(base)
  return baseRank < 0 ? -1 : number * keys.length + baseRank
}

/** Splits a key into its text and the number at its end; 0 without a number of one or two digits. */
function splitNumber(key: string): { base: string; number: number } {
  const digits = /(?<!\p{N})\d{1,2}$/u.exec(key)?.[0] ?? ''
  return digits === '' ? noNumber : { base: key.slice(0, -digits.length), number: Number(digits) }
}

const noNumber = { base: '', number: 0 }

/** Returns the keys of headers separated by bars. */
export function toHeaderKeys(...lists: readonly string[]): string[] {
  return lists.flatMap((list) => list.split('|').map(toHeaderKey))
}

/** Folds the spelling of a header: `Company Name`, `company_name` and `COMPANY-NAME` are equal; marks count. */
export const toSpellingKey = (header: string): string =>
  header
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')

/** Headers that are accepted whatever their cells contain: names may consist of digits and signs. */
export const surelyNameHeaders: readonly string[] = toHeaderKeys(
  'company name|company|legal name|organization name|organisation name|organization|organisation|account name',
)

/** Headers of company names, best first. */
export const companyNameHeaders: readonly string[] = [
  ...surelyNameHeaders,
  ...toHeaderKeys(
    'business name|entity name|firm name|employer|customer name|vendor name|supplier name',
    'company legal name|legal entity name|registered name|registered company name|corporate name|name of company',
    'client name|debtor name|creditor name|merchant name|partner name|counterparty name|issuer name|borrower name',
    'employer name|institution name|account account name|company account|associated company|primary company|parent account name',
    'Firmenname|Firmenbezeichnung|Unternehmensname|Name des Unternehmens|Firmierung|Kundenname|Lieferantenname',
    'Debitorname|Debitorenname|Kreditorname|Kreditorenname|Name (Adressattyp Unternehmen)|Name der Firma|Name 1|Name1',
    'Bedrijfsnaam|Naam bedrijf|Ondernemingsnaam|Klantnaam|Statutaire naam|Handelsnaam|Firmanaam|Relatienaam',
    'Företagsnamn|Bolagsnamn|Kundnamn|Firmanamn|Virksomhedsnavn|Firmanavn|Selskabsnavn|Kundenavn|Selskapsnavn',
    'Bedriftsnavn|Foretaksnavn|Leverandørnavn|Organisasjonsnavn|Yrityksen nimi|Toiminimi|Asiakkaan nimi',
    "Nom de l'entreprise|Nom entreprise|Raison sociale|Nom de la société|Nom société|Dénomination sociale|Dénomination",
    'Nom du client|Nom client|Nom du fournisseur|Nom du compte|Nom commercial',
    'Razón social|Nombre de la empresa|Nombre empresa|Denominación social|Denominación|Nombre del cliente',
    'Nombre cliente|Nombre del proveedor|Nombre de la cuenta|Nombre comercial',
    'Ragione sociale|Nome azienda|Nome società|Denominazione sociale|Denominazione|Nome cliente|Nome account',
    'Razão social|Nome da empresa|Nome empresarial|Denominação social|Nome do cliente|Nome da conta|Nome fantasia',
    'Nume companie|Denumire firmă|Denumire companie|Nume firmă',
    'Nazwa firmy|Nazwa spółki|Nazwa klienta|Nazwa kontrahenta|Nazwa przedsiębiorstwa|Pełna nazwa',
    'Název firmy|Název společnosti|Obchodní firma|Obchodní název|Názov spoločnosti|Názov firmy|Obchodné meno',
    'Cégnév|Cég neve|Vállalat neve|Ügyfél neve|Şirket adı|Şirket ünvanı|Firma adı|Firma ünvanı|Ticaret unvanı',
    'Müşteri adı|Cari adı|Επωνυμία|Επωνυμία εταιρείας',
    'Название компании|Наименование компании|Наименование организации|Название организации|Полное наименование',
    'Наименование контрагента|Краткое наименование|Назва компанії|Назва організації',
    '会社名|企業名|法人名|法人名称|商号|商号又は名称|社名|取引先名|顧客名|得意先名|仕入先名|組織名|団体名|アカウント名',
    '公司名称|公司名稱|公司名|企业名称|企業名稱|客户名称|客戶名稱|单位名称|單位名稱|供应商名称|供應商名稱|机构名称|组织名称',
    '회사명|회사 이름|기업명|상호|상호명|법인명|업체명|고객사명|거래처명|고객명|사업자명',
    'اسم الشركة|שם החברה',
  ),
  // Roles of a company for the owner of the list.
  ...toHeaderKeys(
    'Firma|Unternehmen|Kunde|Lieferant|Debitor|Kreditor|Geschäftspartner|Gesellschaft|Auftraggeber|Arbeitgeber',
    'Entreprise|Société|Client|Fournisseur|Employeur|Empresa|Compañía|Sociedad|Cliente|Proveedor|Organización',
    'Azienda|Società|Impresa|Ditta|Fornitore|Fornecedor|Companhia|Sociedade|Companie|Furnizor',
    'Bedrijf|Onderneming|Klant|Leverancier|Organisatie|Företag|Bolag|Kund|Leverantör|Virksomhed|Selskab|Leverandør',
    'Selskap|Bedrift|Foretak|Yritys|Asiakas|Spółka|Przedsiębiorstwo|Klient|Kontrahent|Dostawca|Organizacja',
    'Společnost|Zákazník|Odběratel|Dodavatel|Spoločnosť|Cég|Vállalat|Şirket|Müşteri|Tedarikçi|Εταιρεία',
    'Компания|Организация|Фирма|Предприятие|Контрагент|Клиент|Заказчик|Поставщик|Юридическое лицо|Компанія',
    '会社|取引先|勤務先|公司|企业|客户|客戶|供应商|供應商|회사|고객사|거래처|공급업체',
    'customer|client|supplier|vendor|debtor|creditor|counterparty|merchant|issuer|borrower|account|business|firm',
  ),
]

const earlierPlainNames = toHeaderKeys(
  'name|full name|display name|title name|nom|nombre|nome|naam|namn|navn|nimi|nazwa|název|názov|név|nume',
  '名称|名稱|Наименование|Название',
)

/** Headers of names; of a person if the table also has a first or last name. */
export const plainNameHeaders: readonly string[] = [
  ...earlierPlainNames,
  ...toHeaderKeys(...added.plainNames),
]

const nameHeaders = [...companyNameHeaders, ...toHeaderKeys(...added.names, ...added.roles)]
const plainNames = new Set([...plainNameHeaders, ...toHeaderKeys('neve|adı|denumire|denumirea')])
/** Words for the company of a row, as its list calls it. */
export const owners: ReadonlySet<string> = new Set(toHeaderKeys(...added.owners))

/** Returns how well a header names company names, best 0; -1 if it does not. `Nazwa dłużnika`: a name with its owner. */
export function rankNameHeader(header: string): number {
  const rank = rankInHeaders(header, nameHeaders)
  if (rank >= 0) return rank
  const isNamed = listWithoutOwner(toHeaderKey(header)).some((rest) => plainNames.has(rest))
  return isNamed ? nameHeaders.length * 100 : -1
}

/** Lists a key without the word for an owner at its start or end: `website` for `supplierwebsite`. */
const listWithoutOwner = (key: string): string[] =>
  listSplits(key, (word) => owners.has(word)).flatMap(({ rests }) => rests)

interface Split {
  readonly word: string
  /** The other letters of the key, with and without a preposition at their end. */
  readonly rests: readonly string[]
}

/** More letters than any word has. */
const wordCharsMax = 40

/** Lists the words at the start or end of a key, the longest first. */
function listSplits(key: string, isWord: (text: string) => boolean): Split[] {
  const splits: Split[] = []
  for (let length = Math.min(key.length - 1, wordCharsMax); length > 0; length--) {
    const start = key.slice(0, length)
    const end = key.slice(-length)
    const front = key.slice(0, -length)
    if (isWord(start)) splits.push({ word: start, rests: [key.slice(length)] })
    if (isWord(end))
      splits.push({ word: end, rests: [front, ...prepositions.map((one) => front.replace(one, ''))] })
  }
  return splits
}

/** The second is not known to version 0.2.0. */
const prepositions = [
  /(?:de|di|da|do|of|del|della|dela|van|for)$/,
  /(?:du|des|der|dell|delle|dello|dos|das|na)$/,
]

export const personHeaders: readonly string[] = toHeaderKeys(
  ...added.persons,
  'first name|last name|given name|family name|surname|forename|middle name|Vorname|Nachname|Familienname|Prénom',
  'Nom de famille|Apellido|Apellidos|Cognome|Sobrenome|Apelido|Voornaam|Achternaam|Imię|Nazwisko|Förnamn|Efternamn',
  'Fornavn|Efternavn|Etternavn|Etunimi|Sukunimi|Jméno|Příjmení|Soyadı|Soyad|名|姓|Имя|Фамилия|salutation|Anrede',
)

/** A part of a company's place. `address` is a street, or the whole address on one line. */
export type PlacePart = 'city' | 'region' | 'postal' | 'country' | 'address'

/** Kinds of addresses, in order of preference. */
export const placeSets = ['registered', 'headquarters', 'plain', 'billing', 'mailing', 'shipping'] as const
export type PlaceSet = (typeof placeSets)[number]

const earlierWholePlaces = toHeaderKeys(...placeHeaders.whole)

/** Headers of a whole place in one column. */
export const wholePlaceHeaders: readonly string[] = [...earlierWholePlaces, ...toHeaderKeys(...added.whole)]

/** Words by key; `isAdded`: version 0.2.0 does not know them. */
type Words<Value> = Map<string, { readonly value: Value; readonly isAdded: boolean }>

function addWords<Value>(words: Words<Value>, value: Value, lists: readonly string[], isAdded = false): void {
  for (const key of toHeaderKeys(...lists)) if (!words.has(key)) words.set(key, { value, isAdded })
}

const parts: Words<PlacePart> = new Map()
const qualifiers: Words<PlaceSet> = new Map()
for (const [part, lists] of Object.entries(placeHeaders.parts)) addWords(parts, part as PlacePart, lists)
// Headers of the lines of an address have the number of the line behind them.
for (const key of toHeaderKeys(...placeHeaders.lines))
  for (const line of '123456') addWords(parts, 'address', [key + line])
for (const [set, lists] of Object.entries(placeHeaders.sets)) addWords(qualifiers, set as PlaceSet, lists)
for (const [part, lists] of Object.entries(added.places)) addWords(parts, part as PlacePart, lists, true)
for (const [set, lists] of Object.entries(added.sets)) addWords(qualifiers, set as PlaceSet, lists, true)
addWords(qualifiers, 'plain', added.owners, true)

/** A part and kind of place, with the number at the end of its header; 0 without one. */
export interface PlaceHeader {
  readonly part: PlacePart
  readonly set: PlaceSet
  readonly number: number
}

/** Returns the place that a header names; null if none. The whole header must match. `isEarlier`: with the words of 0.2.0. */
export function parsePlaceHeader(header: string, isEarlier = false): PlaceHeader | null {
  const key = toHeaderKey(header).replace(/^organi[sz]ation(?=.*ofaddress$)|ofaddress$/g, '')
  const whole = parsePlaceKey(key, isEarlier)
  const { base, number } = whole === null ? splitNumber(key) : noNumber
  const place = whole ?? parsePlaceKey(base, isEarlier) ?? (isEarlier ? null : parseJointHeader(header))
  return place && { ...place, number }
}

type Place = Omit<PlaceHeader, 'number'>

function parsePlaceKey(key: string, isEarlier: boolean): Place | null {
  const find = <Value>(words: Words<Value>, text: string): Value | undefined => {
    const found = words.get(text)
    return isEarlier && found?.isAdded === true ? undefined : found?.value
  }
  const plain = find(parts, key)
  if (plain !== undefined) return { part: plain, set: key.startsWith('registered') ? 'registered' : 'plain' }
  for (const { word, rests } of listSplits(key, (text) => find(qualifiers, text) !== undefined)) {
    const known = isEarlier ? rests.slice(0, 2) : rests
    // Two letters after another word have another meaning: `Ship by`.
    const part = known.filter((rest) => !/^[a-z]{1,2}$/.test(rest)).map((rest) => find(parts, rest))
    const set = find(qualifiers, word)
    const [first] = part.filter((one) => one !== undefined)
    if (first !== undefined && set !== undefined) return { part: first, set }
  }
  return null
}

/** The part that a column with several has, in the order of preference. */
const jointParts: readonly PlacePart[] = ['address', 'city', 'region', 'country', 'postal']

/** Reads a header of several parts: `Prov/State`, `PLZ, Ort`. All must be parts of a place. */
function parseJointHeader(header: string): Place | null {
  const texts = header
    .split(/[/|,&+]|\s(?:and|or|und|oder|et|ou|y|e|i|en|of)\s/iu)
    .filter((text) => /\p{L}/u.test(text))
  const [first, ...others] = texts.slice(0, jointMax).map((text) => parsePlaceKey(toHeaderKey(text), false))
  if (first === undefined || first === null || others.length === 0 || others.includes(null)) return null
  const part = jointParts.find((one) => [first, ...others].some((place) => place?.part === one))
  return part === undefined ? null : { ...first, part }
}

const jointMax = 5

/** Headers of tax and VAT numbers in version 0.2.0. */
export const earlierTaxHeaders = toHeaderKeys(
  'vat|vat number|vat id|vat no|vat registration number|vat reg no|tax id|tax number|tax id number|taxpayer id|tin',
  'USt-IdNr|UStID|USt-ID|Umsatzsteuer ID|EU UStID|Steuernummer|Steuernr|MwSt|MwSt Nr|MwSt Nummer|UID MwSt|numéro de TVA|TVA',
  'n TVA|TVA intracommunautaire|partita iva|p iva|piva|codice fiscale|nif|cif|nipc|nip|btw nummer|btw|btw nr|momsnummer',
  'identificación fiscal|número de identificación fiscal|moms|mva|kdv|vergi no|vergi numarası|dič|dic|ИНН',
)

const earlierIdentifiers: Readonly<Record<IdentifierHeaderKey, readonly string[]>> = {
  lei: toHeaderKeys('lei|lei code|legal entity identifier|lei number|lei id|company lei|entity lei'),
  cik: toHeaderKeys('cik|cik code|cik number|central index key|sec cik'),
  registration_id: [
    ...toHeaderKeys(
      'company number|company registration number|registration number|company reg no|crn|reg no|registration no',
      'registration id|company id number|registered number|company no|Handelsregister|Registernummer|HR Nummer|rcs',
      'business registration number|brn|br no|br number|cr no|cr number|rc number|cac number|corporate number|sos id|sos number|organization number|organisation number|cin|inschrijvingsnummer|corporation number',
    ),
    ...toHeaderKeys(...Object.values(numberHeaders)),
    ...earlierTaxHeaders,
  ],
  ein: toHeaderKeys('ein|fein|employer identification number|federal tax id|federal ein|irs ein'),
  bic: toHeaderKeys('bic|bic code|swift|swift code|bic swift|swift bic|swift bic code'),
  ticker: toHeaderKeys('ticker|ticker symbol|stock symbol|stock ticker|trading symbol|ticker code'),
  website: toHeaderKeys(
    'website|web site|company website|website url|company url|company website url|homepage|home page|web page|domain',
    'company domain|company domain name|domain name|web domain|website domain|web|url|www|webseite|internet|site web',
    'site internet|sitio web|página web|sito web|sito|strona www|hemsida|nettside|verkkosivu|сайт|ホームページ|网站|홈페이지',
  ),
  email: toHeaderKeys(
    'company email|email|e-mail|email address|business email|work email|contact email|mail|courriel|adresse email',
    'adresse mail|correo|correo electrónico|e-posta|sähköposti|adres email|indirizzo email|メールアドレス|邮箱|이메일',
  ),
  registration_country: toHeaderKeys(
    'registration country|country of registration|country of incorporation|incorporation country|register country',
    'jurisdiction|jurisdiction code|registration jurisdiction|company jurisdiction|legal jurisdiction|Registerland',
  ),
  registration_court: toHeaderKeys(
    'registration court|register court|Registergericht|Amtsgericht|Handelsregistergericht',
  ),
  exchange: toHeaderKeys(
    'exchange|stock exchange|exchange code|listing exchange|primary exchange|exchange name|Börse|Börsenplatz|bourse',
  ),
}

/** Headers of tax and VAT numbers, which contain the company number in some countries. */
export const taxHeaders: readonly string[] = [
  ...earlierTaxHeaders,
  ...toHeaderKeys(...Object.values(added.taxNumbers).flat()),
]

/** Headers of identifiers, best first. */
export const identifierHeaders: Readonly<Record<IdentifierHeaderKey, readonly string[]>> = {
  ...earlierIdentifiers,
  registration_id: [...earlierIdentifiers.registration_id, ...toHeaderKeys(...added.numbers), ...taxHeaders],
  website: [...earlierIdentifiers.website, ...toHeaderKeys(...added.website)],
  email: [...earlierIdentifiers.email, ...toHeaderKeys(...added.email)],
  registration_country: [
    ...earlierIdentifiers.registration_country,
    ...toHeaderKeys(...added.numberCountries),
  ],
}

/** Headers of exchange symbols if there is also an exchange: chemistry and currencies have symbols too. */
export const symbolHeaders: readonly string[] = toHeaderKeys('symbol')

/** Returns a header of a website or e-mail address without its owner: `Lieferanten-Website`; null for any other. */
export function findOwnersAddress(header: string): 'website' | 'email' | null {
  const rests = listWithoutOwner(toHeaderKey(header))
  return (
    (['website', 'email'] as const).find((key) =>
      rests.some((rest) => identifierHeaders[key].includes(rest)),
    ) ?? null
  )
}

const toKnownSet = (...lists: readonly (readonly string[])[]): ReadonlySet<string> => new Set(lists.flat())
let knownHeaders: ReadonlySet<string> | null = null
let earlierHeaders: ReadonlySet<string> | null = null

/** Whether a text is a known name of a column, without a number: of names, persons, places or identifiers. */
export function isKnownHeader(text: string): boolean {
  const identifiers = Object.values(identifierHeaders)
  knownHeaders ??= toKnownSet(nameHeaders, plainNameHeaders, personHeaders, wholePlaceHeaders, ...identifiers)
  return knownHeaders.has(toHeaderKey(text)) || parsePlaceHeader(text)?.number === 0
}

/** Whether a header names a part of a lookup, but not in the words of version 0.2.0. */
export function isAddedHeader(header: string): boolean {
  const identifiers = Object.values(earlierIdentifiers)
  earlierHeaders ??= toKnownSet(companyNameHeaders, earlierPlainNames, earlierWholePlaces, ...identifiers)
  const key = toHeaderKey(header)
  const { base } = splitNumber(key)
  if (earlierHeaders.has(key) || earlierHeaders.has(base) || parsePlaceHeader(header, true) !== null)
    return false
  const isKnown = isKnownHeader(key) || isKnownHeader(base) || parsePlaceHeader(header) !== null
  return isKnown || rankNameHeader(header) >= 0 || findOwnersAddress(header) !== null
}

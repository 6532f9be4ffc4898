import { toPlainLetters } from '../../core/text.js'
import type { IdentifierHeaderKey } from '../../core/identifiers.js'
// Names of register numbers by country. Some names are used in two countries.
import numberHeaders from './number-headers.json' with { type: 'json' }

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
  ...toHeaderKeys(
    'company name|company|legal name|organization name|organisation name|organization|organisation|account name',
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

/** Headers of names; of a person if the table also has a first or last name. */
export const plainNameHeaders: readonly string[] = toHeaderKeys(
  'name|full name|display name|title name|nom|nombre|nome|naam|namn|navn|nimi|nazwa|název|názov|név|nume',
  '名称|名稱|Наименование|Название',
)

export const personHeaders: readonly string[] = toHeaderKeys(
  'first name|last name|given name|family name|surname|forename|middle name|Vorname|Nachname|Familienname|Prénom',
  'Nom de famille|Apellido|Apellidos|Cognome|Sobrenome|Apelido|Voornaam|Achternaam|Imię|Nazwisko|Förnamn|Efternamn',
  'Fornavn|Efternavn|Etternavn|Etunimi|Sukunimi|Jméno|Příjmení|Soyadı|Soyad|名|姓|Имя|Фамилия|salutation|Anrede',
)

/** A part of a company's place. `address` is a street, or the whole address on one line. */
export type PlacePart = 'city' | 'region' | 'postal' | 'country' | 'address'

/** Kinds of addresses, in order of preference. */
export const placeSets = ['registered', 'headquarters', 'plain', 'billing', 'mailing', 'shipping'] as const
export type PlaceSet = (typeof placeSets)[number]

/** Headers of a whole place in one column. */
export const wholePlaceHeaders: readonly string[] = toHeaderKeys(
  'location|company location|headquarters|hq|hq location|headquarters location|Standort|Hauptsitz|Firmensitz',
  'siège|siège social|sede|sede legale|sede social|vestiging|siedziba|sídlo|merkez|lokalizacja|ubicación',
  '本社|本社所在地|总部|總部|본사|소재지|местоположение|местонахождение',
)

const partHeaders: Readonly<Record<PlacePart, readonly string[]>> = {
  city: toHeaderKeys(
    'city|town|city town|town city|city name|locality|municipality|post town|city town village locality|ort01',
    'Ort|Stadt|Gemeinde|Wohnort|ville|commune|localité|ciudad|localidad|municipio|población|città|comune|località',
    'cidade|município|localidade|plaats|stad|woonplaats|vestigingsplaats|plaatsnaam|gemeente|miasto|miejscowość',
    'postort|kommun|by|bynavn|poststed|kommune|sted|kaupunki|paikkakunta|postitoimipaikka|město|obec|mesto',
    'şehir|ilçe|kent|város|település|helység|oraș|localitate|πόλη|город|населенный пункт|місто',
    '市区町村|市町村|市区郡|都市|市|城市|所在城市|도시|시군구',
  ),
  region: toHeaderKeys(
    'state|region|province|state province|county|state region|state or province|province state|region state',
    'state code|state name|state province code|state province region|state county|prefecture|canton|regio',
    'Bundesland|Kanton|Provinz|Landkreis|région|département|estado|provincia|comunidad autónoma|región|departamento',
    'regione|uf|distrito|província|provincie|województwo|powiat|län|landskap|fylke|maakunta|okres|eyalet|bölge',
    'il|megye|județ|νομός|регион|область|штат|都道府県|都道府県名|県|州|省|省份|省市|地区|시도|지역',
  ),
  postal: toHeaderKeys(
    'zip|zip code|postcode|post code|postal code|zip postal code|postal zip code|zip postcode|postcode zip|pstlz',
    'postal|plz|Postleitzahl|code postal|cp|código postal|cod postal|codice postale|cap|cep|kod pocztowy',
    'postnummer|postnr|postinumero|psč|posta kodu|irányítószám|irsz|cod poștal|ταχυδρομικός κώδικας',
    'индекс|почтовый индекс|індекс|郵便番号|邮编|邮政编码|郵遞區號|郵編|우편번호',
  ),
  country: toHeaderKeys(
    'country|country code|country name|country region|country region code|country territory|country iso|country key|country region key|nation',
    'iso country code|country iso code|land1|Land|Staat|Länderkennzeichen|Ländercode|Landeskennzeichen|pays|code pays',
    'país|código país|codigo pais|paese|nazione|stato|landcode|kraj|landkod|landekode|maa|země|stát|krajina|ülke',
    'ország|țară|χώρα|страна|країна|国|国名|国家|國家|国别|국가|나라',
  ),
  address: toHeaderKeys(
    'street road name|full address|formatted address|registered address|address street|business address|company address|stras',
    'street|street address|street name|address|address line|addr|Straße|Strasse|Strasse und Hausnummer|Straße Hausnummer|Straße Nr|Anschrift|Adresse|rue|voie',
    'calle|dirección|domicilio|domicilio social|indirizzo|rua|endereço|morada|logradouro|straat|straatnaam',
    'adres|ulica|gata|gatuadress|adress|gade|vej|gate|gateadresse|besøgsadresse|katu|katuosoite|osoite|ulice|adresa',
    'sokak|cadde|cím|utca|strada|διεύθυνση|адрес|юридический адрес|улица|адреса|住所|所在地|番地|町名番地',
    '地址|详细地址|公司地址|注册地址|街道|주소|도로명주소',
  ),
}

/** Headers of the lines of an address, with the number of the line behind them. */
const addressLineHeaders = toHeaderKeys(
  'address line|address|line|addr|street|street address|street line|Adresszeile|Adresse|Anschrift|Straße|adresse ligne|ligne adresse',
  'ligne|dirección|línea|indirizzo|endereço|morada|adres|adresregel|adress|adressrad|adresselinje|osoite|adresa|ulica|cím|住所|地址|주소',
)

/** Words before or after a part that name the kind of address. */
const setWords: Readonly<Record<PlaceSet, readonly string[]>> = {
  registered: toHeaderKeys(
    'registered|registered office|registered address|reg address|legal|legal address|statutory|sede legale',
    'siège social|domicilio social|domicilio fiscal',
  ),
  headquarters: toHeaderKeys(
    'hq|headquarters|headquarter|head office|headquarters address|corporate|main office|Hauptsitz|siège|sede|本社',
  ),
  plain: toHeaderKeys(
    'company|organization|organisation|account|business|firm|office|main|primary|principal|physical|visiting|address',
    'address 1|entity|client|customer|vendor|supplier|location|site|Firma|Firmen|Unternehmen|Unternehmens|Kunden',
    'entreprise|société|empresa|azienda|bedrijf|bedrijfs|företag|företags|firmy|会社|公司|회사',
  ),
  billing: toHeaderKeys(
    'billing|billing address|bill to|bill|invoice|invoicing|Rechnung|Rechnungs|facturation|facturación|fatturazione',
    'faturamento|cobrança|factuur|facturatie|faktura|fakturerings|faktury|fatura|請求先|账单|청구',
  ),
  mailing: toHeaderKeys(
    'mailing|mailing address|postal|postal address|mail|correspondence|po|po address|Post|Postanschrift|Korrespondenz',
    'correspondance|correspondencia|postadres',
  ),
  shipping: toHeaderKeys(
    'shipping|shipping address|ship to|ship|delivery|delivery address|sa|sa address|Liefer|Lieferung|livraison|envío',
    'spedizione|entrega|aflever|lever|leverings|leverans|dostawy|teslimat|配送先|納品先|配送|배송',
  ),
}

const connectors = /(?:de|di|da|do|of|del|della|dela|van|for)$/
const parts = new Map<string, PlacePart>(
  Object.entries(partHeaders).flatMap(([part, keys]) => keys.map((key) => [key, part as PlacePart] as const)),
)
for (const key of addressLineHeaders) for (const line of '123456') parts.set(`${key}${line}`, 'address')
/** Longer words first: `registered office` before `registered`. */
const qualifiers = Object.entries(setWords)
  .flatMap(([set, keys]) => keys.map((key) => ({ key, set: set as PlaceSet })))
  .sort((one, other) => other.key.length - one.key.length)

/** A part and kind of place, with the number at the end of its header; 0 without one. */
export interface PlaceHeader {
  readonly part: PlacePart
  readonly set: PlaceSet
  readonly number: number
}

/** Returns the place that a header names; null if none. The whole header must match. */
export function parsePlaceHeader(header: string): PlaceHeader | null {
  const key = toHeaderKey(header).replace(/^organi[sz]ation(?=.*ofaddress$)|ofaddress$/g, '')
  const whole = parsePlaceKey(key)
  const { base, number } = whole === null ? splitNumber(key) : noNumber
  const place = whole ?? parsePlaceKey(base)
  return place && { ...place, number }
}

function parsePlaceKey(key: string): { part: PlacePart; set: PlaceSet } | null {
  const plain = parts.get(key)
  if (plain !== undefined) return { part: plain, set: key.startsWith('registered') ? 'registered' : 'plain' }
  for (const { key: word, set } of qualifiers) {
    const before = key.startsWith(word) ? key.slice(word.length) : ''
    const behind = key.endsWith(word) ? key.slice(0, -word.length) : ''
    const part =
      findQualifiedPart(before) ??
      findQualifiedPart(behind) ??
      findQualifiedPart(behind.replace(connectors, ''))
    if (part !== undefined) return { part, set }
  }
  return null
}

/** Two letters after another word have another meaning: `Ship by`. */
function findQualifiedPart(key: string): PlacePart | undefined {
  return /^[a-z]{1,2}$/.test(key) ? undefined : parts.get(key)
}

/** Whether a text is a known name of a column, without a number: of names, persons, places or identifiers. */
export function isKnownHeader(text: string): boolean {
  knownHeaders ??= new Set([
    ...companyNameHeaders,
    ...plainNameHeaders,
    ...personHeaders,
    ...wholePlaceHeaders,
    ...Object.values(identifierHeaders).flat(),
  ])
  const key = toHeaderKey(text)
  return knownHeaders.has(key) || parsePlaceHeader(text)?.number === 0
}

let knownHeaders: ReadonlySet<string> | null = null

/** Headers of tax and VAT numbers, which contain the company number in some countries. */
export const taxHeaders = toHeaderKeys(
  'vat|vat number|vat id|vat no|vat registration number|vat reg no|tax id|tax number|tax id number|taxpayer id|tin',
  'USt-IdNr|UStID|USt-ID|Umsatzsteuer ID|EU UStID|Steuernummer|Steuernr|MwSt|MwSt Nr|MwSt Nummer|UID MwSt|numéro de TVA|TVA',
  'n TVA|TVA intracommunautaire|partita iva|p iva|piva|codice fiscale|nif|cif|nipc|nip|btw nummer|btw|btw nr|momsnummer',
  'identificación fiscal|número de identificación fiscal|moms|mva|kdv|vergi no|vergi numarası|dič|dic|ИНН',
)

/** Headers of identifiers, best first. */
export const identifierHeaders: Readonly<Record<IdentifierHeaderKey, readonly string[]>> = {
  lei: toHeaderKeys('lei|lei code|legal entity identifier|lei number|lei id|company lei|entity lei'),
  cik: toHeaderKeys('cik|cik code|cik number|central index key|sec cik'),
  registration_id: [
    ...toHeaderKeys(
      'company number|company registration number|registration number|company reg no|crn|reg no|registration no',
      'registration id|company id number|registered number|company no|Handelsregister|Registernummer|HR Nummer|rcs',
      'business registration number|brn|br no|br number|cr no|cr number|rc number|cac number|corporate number|sos id|sos number|organization number|organisation number|cin|inschrijvingsnummer|corporation number',
    ),
    ...toHeaderKeys(...Object.values(numberHeaders)),
    ...taxHeaders,
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

/** Headers of exchange symbols if there is also an exchange: chemistry and currencies have symbols too. */
export const symbolHeaders: readonly string[] = toHeaderKeys('symbol')

/** Countries by the key of a name of their numbers. */
export const countriesOfHeader = new Map<string, string[]>()
for (const [country, list] of Object.entries(numberHeaders))
  for (const key of new Set(toHeaderKeys(list)))
    countriesOfHeader.set(key, [...(countriesOfHeader.get(key) ?? []), country])

/** Other tables have columns of this name too: their cells decide. */
export const ambiguousNumberHeaders: ReadonlySet<string> = new Set(
  toHeaderKeys(
    'UID|UID Nummer|IDE|IČ|kbo|bce|business id|registry code|enterprise number|FN|FN Nr|FN Nummer',
  ),
)

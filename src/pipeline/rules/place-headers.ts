import { headerKey, headerKeys } from './header-key.js'

/** A part of where a company is. `address` is a street, or all of it on one line. */
export type PlacePart = 'city' | 'region' | 'postal' | 'country' | 'address'

/** Whose place it is, in the order in which one set of columns is taken. */
export const placeSets = ['registered', 'headquarters', 'plain', 'billing', 'mailing', 'shipping'] as const
export type PlaceSet = (typeof placeSets)[number]

/** All of a place in one column. */
export const wholePlaceHeaders: readonly string[] = headerKeys(
  'location|company location|headquarters|hq|hq location|headquarters location|Standort|Hauptsitz|Firmensitz',
  'siège|siège social|sede|sede legale|sede social|vestiging|siedziba|sídlo|merkez|lokalizacja|ubicación',
  '本社|本社所在地|总部|總部|본사|소재지|местоположение|местонахождение',
)

const partHeaders: Readonly<Record<PlacePart, readonly string[]>> = {
  city: headerKeys(
    'city|town|city town|town city|city name|locality|municipality|post town|city town village locality|ort01',
    'Ort|Stadt|Gemeinde|Wohnort|ville|commune|localité|ciudad|localidad|municipio|población|città|comune|località',
    'cidade|município|localidade|plaats|stad|woonplaats|vestigingsplaats|plaatsnaam|gemeente|miasto|miejscowość',
    'postort|kommun|by|bynavn|poststed|kommune|sted|kaupunki|paikkakunta|postitoimipaikka|město|obec|mesto',
    'şehir|ilçe|kent|város|település|helység|oraș|localitate|πόλη|город|населенный пункт|місто',
    '市区町村|市町村|市区郡|都市|市|城市|所在城市|도시|시군구',
  ),
  region: headerKeys(
    'state|region|province|state province|county|state region|state or province|province state|region state',
    'state code|state name|state province code|state province region|state county|prefecture|canton|regio',
    'Bundesland|Kanton|Provinz|Landkreis|région|département|estado|provincia|comunidad autónoma|región|departamento',
    'regione|uf|distrito|província|provincie|województwo|powiat|län|landskap|fylke|maakunta|okres|eyalet|bölge',
    'il|megye|județ|νομός|регион|область|штат|都道府県|都道府県名|県|州|省|省份|省市|地区|시도|지역',
  ),
  postal: headerKeys(
    'zip|zip code|postcode|post code|postal code|zip postal code|postal zip code|zip postcode|postcode zip|pstlz',
    'postal|plz|Postleitzahl|code postal|cp|código postal|cod postal|codice postale|cap|cep|kod pocztowy',
    'postnummer|postnr|postinumero|psč|posta kodu|irányítószám|irsz|cod poștal|ταχυδρομικός κώδικας',
    'индекс|почтовый индекс|індекс|郵便番号|邮编|邮政编码|郵遞區號|郵編|우편번호',
  ),
  country: headerKeys(
    'country|country code|country name|country region|country region code|country territory|country iso|country key|country region key|nation',
    'iso country code|country iso code|land1|Land|Staat|Länderkennzeichen|Ländercode|Landeskennzeichen|pays|code pays',
    'país|código país|codigo pais|paese|nazione|stato|landcode|kraj|landkod|landekode|maa|země|stát|krajina|ülke',
    'ország|țară|χώρα|страна|країна|国|国名|国家|國家|国别|국가|나라',
  ),
  address: headerKeys(
    'street|street address|street name|street 1|address|address line|address line 1|address 1|line 1|addr|addr 1',
    'street road name|full address|formatted address|registered address|address street|business address|company address|stras',
    'Straße|Strasse|Strasse und Hausnummer|Straße Hausnummer|Straße Nr|Anschrift|Adresse|adresse 1|rue|voie',
    'calle|dirección|domicilio|domicilio social|indirizzo|rua|endereço|morada|logradouro|straat|straatnaam',
    'adres|ulica|gata|gatuadress|adress|gade|vej|gate|gateadresse|besøgsadresse|katu|katuosoite|osoite|ulice|adresa',
    'sokak|cadde|cím|utca|strada|διεύθυνση|адрес|юридический адрес|улица|адреса|住所|所在地|住所1|番地|町名番地',
    '地址|详细地址|公司地址|注册地址|街道|주소|도로명주소',
  ),
}

/** Words before or behind a part that say whose place it is. */
const setWords: Readonly<Record<PlaceSet, readonly string[]>> = {
  registered: headerKeys(
    'registered|registered office|registered address|reg address|legal|legal address|statutory|sede legale',
    'siège social|domicilio social|domicilio fiscal',
  ),
  headquarters: headerKeys(
    'hq|headquarters|headquarter|head office|headquarters address|corporate|main office|Hauptsitz|siège|sede|本社',
  ),
  plain: headerKeys(
    'company|organization|organisation|account|business|firm|office|main|primary|principal|physical|visiting|address',
    'address 1|entity|client|customer|vendor|supplier|location|site|Firma|Firmen|Unternehmen|Unternehmens|Kunden',
    'entreprise|société|empresa|azienda|bedrijf|bedrijfs|företag|företags|firmy|会社|公司|회사',
  ),
  billing: headerKeys(
    'billing|billing address|bill to|bill|invoice|invoicing|Rechnung|Rechnungs|facturation|facturación|fatturazione',
    'faturamento|cobrança|factuur|facturatie|faktura|fakturerings|faktury|fatura|請求先|账单|청구',
  ),
  mailing: headerKeys(
    'mailing|mailing address|postal|postal address|mail|correspondence|po|po address|Post|Postanschrift|Korrespondenz',
    'correspondance|correspondencia|postadres',
  ),
  shipping: headerKeys(
    'shipping|shipping address|ship to|ship|delivery|delivery address|sa|sa address|Liefer|Lieferung|livraison|envío',
    'spedizione|entrega|aflever|lever|leverings|leverans|dostawy|teslimat|配送先|納品先|配送|배송',
  ),
}

const connectors = /(?:de|di|da|do|of|del|della|dela|van|for)$/
const parts = new Map(
  Object.entries(partHeaders).flatMap(([part, keys]) => keys.map((key) => [key, part as PlacePart] as const)),
)
/** Longer words first: `registered office` before `registered`. */
const qualifiers = Object.entries(setWords)
  .flatMap(([set, keys]) => keys.map((key) => ({ key, set: set as PlaceSet })))
  .sort((one, other) => other.key.length - one.key.length)

/** What a header says of a place; null where it names none. The whole header has to say it: no part of a word counts. */
export function placeOfHeader(header: string): { part: PlacePart; set: PlaceSet } | null {
  const key = headerKey(header).replace(/^organi[sz]ation(?=.*ofaddress$)|ofaddress$/g, '')
  const plain = parts.get(key)
  if (plain !== undefined) return { part: plain, set: key.startsWith('registered') ? 'registered' : 'plain' }
  for (const { key: word, set } of qualifiers) {
    const before = key.startsWith(word) ? key.slice(word.length) : ''
    const behind = key.endsWith(word) ? key.slice(0, -word.length) : ''
    const part = qualified(before) ?? qualified(behind) ?? qualified(behind.replace(connectors, ''))
    if (part !== undefined) return { part, set }
  }
  return null
}

/** Two letters behind another word are a word of another kind: `Ship by`. */
function qualified(key: string): PlacePart | undefined {
  return /^[a-z]{1,2}$/.test(key) ? undefined : parts.get(key)
}

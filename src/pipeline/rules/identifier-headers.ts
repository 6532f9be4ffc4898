import { headerKeys } from './header-key.js'
import type { IdentifierKey, IdentifierPlaceKey } from './identifier-columns.js'

/** Headers that say what identifier stands below them, best first. */
export const identifierHeaders: Readonly<Record<IdentifierKey | IdentifierPlaceKey, readonly string[]>> = {
  lei: headerKeys('lei|lei code|legal entity identifier|lei number|lei id|company lei|entity lei'),
  cik: headerKeys('cik|cik code|cik number|central index key|sec cik'),
  registration_id: headerKeys(
    'company number|company registration number|registration number|company reg no|crn|reg no|registration no',
    'registration id|company id number|registered number|company no|Handelsregisternummer|Handelsregister|HRB|HRB Nummer',
    'Registernummer|siren|numéro siren|siret|numéro siret|kvk|kvk nummer|ondernemingsnummer|orgnr|organisationsnummer',
    'companies house number|business registration number|HRB Nr|HR Nummer|rcs',
    'organisasjonsnummer|org nr|organization number|organisation number|cvr|cvr nummer|y tunnus|ičo|krs|regon|cnpj|cui',
    'огрн|法人番号|统一社会信用代码|사업자등록번호|abn|acn|uen|cin',
  ),
  ein: headerKeys('ein|fein|employer identification number|federal tax id|federal ein|irs ein'),
  bic: headerKeys('bic|bic code|swift|swift code|bic swift|swift bic|swift bic code'),
  ticker: headerKeys('ticker|ticker symbol|stock symbol|stock ticker|trading symbol|ticker code'),
  website: headerKeys(
    'website|web site|company website|website url|company url|company website url|homepage|home page|web page|domain',
    'company domain|company domain name|domain name|web domain|website domain|web|url|www|webseite|internet|site web',
    'site internet|sitio web|página web|sito web|sito|strona www|hemsida|nettside|verkkosivu|сайт|ホームページ|网站|홈페이지',
  ),
  email: headerKeys(
    'company email|email|e-mail|email address|business email|work email|contact email|mail|courriel|adresse email',
    'adresse mail|correo|correo electrónico|e-posta|sähköposti|adres email|indirizzo email|メールアドレス|邮箱|이메일',
  ),
  registration_country: headerKeys(
    'registration country|country of registration|country of incorporation|incorporation country|register country',
    'jurisdiction|jurisdiction code|registration jurisdiction|company jurisdiction|legal jurisdiction|Registerland',
  ),
  exchange: headerKeys(
    'exchange|stock exchange|exchange code|listing exchange|primary exchange|exchange name|Börse|Börsenplatz|bourse',
  ),
}

/** A header that holds exchange symbols only where an exchange stands beside it: chemistry and currencies have symbols too. */
export const symbolHeaders: readonly string[] = headerKeys('symbol')

/** Registers of one country, by what their numbers are called there. */
const countryLists: Readonly<Record<string, string>> = {
  AU: 'abn|acn',
  BR: 'cnpj',
  CN: '统一社会信用代码',
  DE: 'Handelsregisternummer|HRB|HRB Nr|HRB Nummer',
  DK: 'cvr|cvr nummer',
  FI: 'y tunnus',
  FR: 'siren|siret|numéro siren|numéro siret',
  JP: '法人番号',
  KR: '사업자등록번호',
  NL: 'kvk|kvk nummer',
  NO: 'organisasjonsnummer',
  PL: 'krs|regon',
  RO: 'cui',
  RU: 'огрн',
  SE: 'organisationsnummer',
  SG: 'uen',
}
const countryOfHeader = new Map(
  Object.entries(countryLists).flatMap(([country, list]) =>
    headerKeys(list).map((key) => [key, country] as const),
  ),
)

/** The country whose register gives numbers of that name alone; null where several do. */
export const registerCountryOf = (key: string): string | null => countryOfHeader.get(key) ?? null

/** Identifiers that are not asked, but are named where they stand. */
export const otherIdentifierHeaders: readonly [kind: string, keys: readonly string[]][] = [
  ['DUNS', headerKeys('duns|duns number|duns no|d u n s number|duns id')],
  ['ISIN', headerKeys('isin|isin code')],
  ['ticker', symbolHeaders],
  [
    'VAT number',
    headerKeys(
      'vat|vat number|vat id|vat no|vat registration number|vat reg no|tax id|tax number|tax id number',
      'USt-IdNr|UStID|Umsatzsteuer ID|EU UStID|numéro de TVA|TVA|n TVA|TVA intracommunautaire|partita iva|p iva|piva|nif|cif|nip',
      'btw nummer|btw|momsnummer|moms|kdv|vergi no|vergi numarası|dič|dic|ИНН',
    ),
  ],
]

/** Another company than the row's, or a person of the list's own keeper. */
const otherPartyWords = headerKeys(
  'parent|ultimate|owner|manager|managing|group|holding|head office|successor|predecessor|guarantor|agent|custodian',
  'trustee|fund|branch|subsidiary|acquirer|investor|auditor|bank|partner|reseller|referrer|source|created|modified|updated',
  'assigned|user|support|logo|image|photo|avatar|profile|linkedin|facebook|twitter|instagram|crunchbase|youtube|record',
  'unsubscribe|privacy|terms|blog|careers|jobs|Mutter|Konzern|mère|matriz|controllante',
)

/**
 * Whether a header speaks of somebody else than the name's header does: `Parent LEI` beside `Company`, but not
 * `Fund LEI` beside `Fund Name`.
 */
export function isOtherParty(key: string, nameKey: string): boolean {
  return otherPartyWords.some((word) => key.includes(word) && !nameKey.includes(word))
}

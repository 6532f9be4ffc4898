/** Legal forms that mean the same, in the writings of lists, and the countries that have them. */
export interface FormClass {
  readonly countries: readonly string[]
  readonly short: readonly string[]
  readonly long: readonly string[]
}

function form(countries: string, short: string, long = ''): FormClass {
  const list = (text: string) => text.split('|').filter((one) => one !== '')
  return { countries: list(countries), short: list(short), long: list(long) }
}

export const formClasses: readonly FormClass[] = [
  form('US|CA', 'Inc|Inc.|INC', 'Incorporated'),
  form('US|CA', 'Corp|Corp.|Corpn', 'Corporation'),
  form('US', 'Co|Co.', 'Company'),
  form('GB|IE|IN|HK|CA|BM', 'Ltd|Ltd.|LTD', 'Limited'),
  form('GB|IE', 'plc|PLC|P.L.C.', 'Public Limited Company|Public Limited Co'),
  form('US', 'LLC|L.L.C.|Llc', 'Limited Liability Company|Limited Liability Co'),
  form('US|GB|KY', 'LP|L.P.', 'Limited Partnership'),
  form('US|GB', 'LLP|L.L.P.', 'Limited Liability Partnership'),
  form('US', 'N.A.|NA', 'National Association'),
  form('DE|AT|CH', 'GmbH|G.m.b.H.|Gesellschaft mbH|GesmbH', 'Gesellschaft mit beschränkter Haftung'),
  form('DE|CH|AT', 'AG', 'Aktiengesellschaft'),
  form('DE', 'eG|e.G.', 'eingetragene Genossenschaft'),
  form('DE|AT', 'KG|K.G.', 'Kommanditgesellschaft'),
  form('DE', 'KGaA', 'Kommanditgesellschaft auf Aktien'),
  form(
    'FR|LU|BE|CH|PT|PL|RO|GR|ES|BR|AR',
    'SA|S.A.',
    'Société Anonyme|Sociedad Anónima|Sociedade Anónima|Spółka Akcyjna',
  ),
  form('FR', 'SAS|S.A.S.', 'Société par actions simplifiée'),
  form('FR|LU|CH|BE', 'SARL|S.à r.l.|S.A.R.L.|Sàrl', 'Société à responsabilité limitée'),
  form('IT', 'SpA|S.p.A.|SPA', 'Società per Azioni'),
  form('IT', 'Srl|S.r.l.|SRL', 'Società a responsabilità limitata'),
  form('RO', 'S.R.L.|SRL', 'Societate cu răspundere limitată'),
  form('ES', 'SL|S.L.|SLU', 'Sociedad Limitada|Sociedad de Responsabilidad Limitada'),
  form('MX', 'SA de CV|S.A. de C.V.', 'Sociedad Anónima de Capital Variable'),
  form('NL|BE', 'NV|N.V.', 'Naamloze Vennootschap'),
  form('NL', 'BV|B.V.', 'Besloten Vennootschap'),
  form('SE|FI', 'AB|Ab', 'Aktiebolag|Aktiebolaget'),
  form('DK', 'A/S', 'Aktieselskab'),
  form('DK', 'ApS', 'Anpartsselskab'),
  form('NO', 'ASA', 'Allmennaksjeselskap'),
  form('NO', 'AS', 'Aksjeselskap'),
  form('FI', 'Oy', 'Osakeyhtiö'),
  form('FI', 'Oyj', 'Julkinen osakeyhtiö'),
  form('PL', 'Sp. z o.o.|Sp z oo', 'Spółka z ograniczoną odpowiedzialnością'),
  form('CZ|SK', 's.r.o.|sro', 'společnost s ručením omezeným'),
  form('CZ|SK', 'a.s.|as', 'akciová společnost'),
  form('HU', 'Kft|Kft.', 'Korlátolt Felelősségű Társaság'),
  form('HU', 'Zrt.|Nyrt.', 'Zártkörűen Működő Részvénytársaság'),
  form('SI|HR|RS', 'd.o.o.|doo', 'društvo s ograničenom odgovornošću'),
  form('RU|UA|KZ', 'OAO|OJSC|PAO|PJSC', 'Open Joint Stock Company|Public Joint Stock Company'),
  form('RU|UA|KZ', 'AO|JSC|ZAO|CJSC', 'Joint Stock Company|Closed Joint Stock Company'),
  form('RU|UA', 'OOO', 'Limited Liability Company'),
  form('BG', 'AD|EAD', 'Aktsionerno druzhestvo'),
  form('LT', 'UAB', 'Uždaroji akcinė bendrovė'),
  form('LV', 'SIA', 'Sabiedrība ar ierobežotu atbildību'),
  form('EE', 'OÜ', 'Osaühing'),
  form('TR', 'A.Ş.|AS', 'Anonim Şirketi'),
  form('AU|ZA', 'Pty Ltd|Pty. Ltd.', 'Proprietary Limited'),
  form('IN|SG|PK', 'Pvt Ltd|Pte Ltd|Pvt. Ltd.', 'Private Limited'),
  form('MY', 'Sdn Bhd|Sdn. Bhd.', 'Sendirian Berhad'),
  form('JP', 'K.K.|KK|Co., Ltd.', 'Kabushiki Kaisha'),
  form('', 'SE', 'Societas Europaea'),
]

/** Each single word of the short forms, without signs. */
export const formWords: ReadonlySet<string> = new Set(
  formClasses
    .flatMap(({ short, long }) => [...short, ...long.filter((text) => !text.includes(' '))])
    .flatMap((text) => [toPlain(text).replace(/[^a-z]/g, ''), ...toPlain(text).split(/[^a-z]+/)])
    .filter((word) => word.length > 1 && word !== 'de' && word !== 'mbh' && word !== 'lim')
    .concat('companies', 'pte', 'pty'),
)

function toPlain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

const bySpelling = new Map(
  formClasses.flatMap((one) => [...one.long, ...one.short].map((text) => [toSpelling(text), one] as const)),
)

function toSpelling(text: string): string {
  return toPlain(text).replace(/[^a-z]/g, '')
}

export interface StatedForm {
  /** Name without the form. */
  readonly base: string
  /** The form as the name writes it. */
  readonly text: string
  readonly form: FormClass
}

const formWordsMax = 6

/** Finds the legal form at the end of a name, the longest first; `null` if there is none. */
export function findForm(name: string): StatedForm | null {
  const words = name
    .replace(/\s*[/\\][A-Za-z]{2,5}[/\\]?\s*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
  for (let count = Math.min(formWordsMax, words.length - 1); count >= 1; count--) {
    const text = words.slice(-count).join(' ')
    const known = bySpelling.get(toSpelling(text))
    if (known !== undefined)
      return {
        base: words
          .slice(0, -count)
          .join(' ')
          .replace(/[,\s]+$/, ''),
        text,
        form: known,
      }
  }
  return null
}

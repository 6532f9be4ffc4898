import { isGenericWord, isLightWord, isNumberWord, isTradeWord } from '../normalize/normalize-name.js'
import { namesCountry } from '../../core/countries.js'

/**
 * Meaning of a word of a text that is not part of the company's name. `telling`: possibly another company.
 * `generic`: a trade or a shape. `body`: a body of its own near a company, such as a foundation. `host`: "care of". `light`: often added to names or dropped. `stop`: joins words. `mark`: "d/b/a".
 */
export type WordClass =
  | 'telling'
  | 'generic'
  | 'light'
  | 'form'
  | 'number'
  | 'percent'
  | 'date'
  | 'currency'
  | 'security'
  | 'department'
  | 'site'
  | 'body'
  | 'host'
  | 'mark'
  | 'former'
  | 'exchange'
  | 'code'
  | 'place'
  | 'letter'
  | 'web'
  | 'stop'

const listWords = (words: string): string[] => words.trim().split(/\s+/)

type Listed = readonly (readonly [wordClass: WordClass, words: string])[]

const toMap = (lists: Listed): ReadonlyMap<string, WordClass> =>
  new Map(lists.flatMap(([wordClass, words]) => listWords(words).map((word) => [word, wordClass] as const)))

/** Words that have this meaning wherever they stand. */
const classOfWord = toMap([
  [
    'stop',
    `of de la le les der die das des du y e for in on at del da do di van von fur a an to by zu el los las o and the und
    et og och im am dem den al fuer`,
  ],
  [
    'security',
    `stock shs cl ser ordinary ord ords adr adrs ads depositary receipt receipts depository uts warrant warrants wts rts
    preferred pfd pfds pref prf perp nts debenture debentures frn mtn emtn cert vtg inh inhaber inhaberaktien nam namens
    namensaktien namenaktien namensakt akt aktie aktien stammaktien vz vorzugsaktien vorzugsakt nominale porteur azioni azione
    az npv comn stk redeemable sponsored spon spons reit sbi navne aktier aandelen aand bearershares acciones accion
    isin wkn cusip dl lsf gdr gdrs anleihe schuldverschreibung obligationen titres`,
  ],
  ['currency', 'usd eur gbp chf jpy cad aud sek nok dkk inr cny hkd brl mxn pln czk zar sgd'],
  [
    'department',
    `payable receivable department dept attn attention accounting payroll procurement purchasing invoice invoices
    rechnung buchhaltung abteilung einkauf rechnungswesen kreditoren personalabteilung comptabilite achats
    contabilidad contabilidade inkoop crediteuren poststelle wareneingang ufficio facturation facturacion`,
  ],
  [
    'site',
    `headquarters hq zentrale niederlassung betriebsstatte zweigniederlassung filiale agence succursale vestiging filial
    sucursal bldg suite`,
  ],
  ['host', 'careof'],
  [
    'body',
    `foundation club pension pensions retirees alumni charity charities union auxiliary museum employees stiftung fondation
    fundacion fondazione pensionskasse unterstutzungskasse betriebsrat verein`,
  ],
  ['web', 'https http www com'],
  ['former', 'formerly previously former fka aka nka vormals ehemals anciennement frueher fruher'],
  ['mark', 'dba ta'],
  ['exchange', 'nyse nasdaq amex otc otcmkts xetra euronext'],
])

/** Words that have this meaning next to a word of `classOfWord`, or apart from the rest of the text. */
const classBesideOthers = toMap([
  [
    'security',
    `common stocks share shares sh class series american unit units right rights cumulative perpetual convertible conv note
    notes nt bond bonds senior sr sub subordinated secured unsecured fixed floating rate certificates registered reg regs
    vorzug stamm nom nominal actions action port par value beneficial interest representing each one etf bearer due
    maturity eo sk nk dk coupon callable obligation obligations tier new on nv of trust gtd guaranteed global`,
  ],
  ['currency', 'dollar dollars euro euros'],
  [
    'date',
    `jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september october
    november december januar marz juni juli oktober dezember janvier fevrier mars avril juin juillet aout septembre
    octobre novembre decembre`,
  ],
  [
    'department',
    `accounts division div ap ar treasury hr human resources customer vendor supplier careers jobs career external late
    vertrieb co legal tax it logistik service compras factures services finance center centre team desk`,
  ],
  [
    'site',
    `branch office plant site facility warehouse store stores location werk standort sede building floor room terminal
    campus depot lager kiosk outlet shop no nr park distribution center centre works lab labs`,
  ],
  ['web', 'info biz io uk de fr eu ch it co net org nl'],
  ['former', 'now known ex antes'],
  ['exchange', 'lse tsx asx ln gy gr fp ticker symbol us'],
])

/** Words that begin a description of a security: the words and numbers next to them belong to it. */
const bondClasses: ReadonlySet<WordClass> = new Set(['percent', 'date', 'security', 'currency'])
export const isOfSecurity = (wordClass: WordClass): boolean => bondClasses.has(wordClass)

const ordinal = /^\d+(?:st|nd|rd|th)?$/
const dateCode = /^\d{1,2}[a-z]{3}\d{2,4}$/
const hasLetterAndDigit = /^(?=.*[a-z]).*\d/

/** A day, a month and a year; or a month and a year. */
const writtenDate = /\b(?:\d{1,2} [a-z]{3,} \d{2,4}|[a-z]{3,} (?:\d{1,2} )?\d{4})\b/

/** Classifies a folded word that is no legal form. `placeWords`: words of the place that the query gives. */
export function classifyWord(word: string, placeWords: ReadonlySet<string>): WordClass {
  const listed = classOfWord.get(word)
  if (listed !== undefined) return listed
  if (ordinal.test(word)) return 'number'
  if (isNumberWord(word))
    return dateCode.test(word) ? 'date' : hasLetterAndDigit.test(word) ? 'code' : 'number'
  if (placeWords.has(word)) return 'place'
  if (isLightWord(word)) return 'light'
  if (word.length >= 4 && namesCountry(word)) return 'place'
  if (isGenericWord(word) || isTradeWord(word)) return 'generic'
  return word.length === 1 ? 'letter' : 'telling'
}

interface Classified {
  readonly text: string
  readonly wordClass: WordClass
  /** The punctuation before it separates parts of the text. */
  readonly isApart: boolean
}

const streetWords = new Set(
  listWords(
    `street st road rd avenue ave av boulevard blvd drive dr lane ln way highway hwy route rte parkway pkwy place pl plaza
    square sq court ct circle cir terrace box crescent strasse str platz weg allee rue via calle straat laan`,
  ),
)
const streetWordsMax = 5

/** Returns the place of a street's number, from which on the text is an address; -1 without one. */
function findAddress(words: readonly Classified[]): number {
  return words.findIndex(({ text }, at) => {
    if (at === 0) return false
    if (/^(?:po|p)$/.test(text)) return words.slice(at + 1, at + 3).some((word) => word.text === 'box')
    if (!/^\d{1,6}[a-z]?$/.test(text)) return false
    return words.slice(at + 2, at + 2 + streetWordsMax).some((word) => streetWords.has(word.text))
  })
}

/**
 * Returns the class of each word among the others: "american" describes a security before "depositary", and "plant" a site
 * after a dash. Runs of words that may be of one kind have it if one of them surely has, or if the run stands apart at the end.
 */
export function classifyBesideOthers(words: readonly Classified[]): WordClass[] {
  const classes = words.map(({ wordClass }) => wordClass)
  const address = findAddress(words)
  if (address > 0)
    for (let at = address; at < words.length; at++) if (classes[at] !== 'form') classes[at] = 'place'
  for (const kind of [
    'security',
    'date',
    'department',
    'site',
    'web',
    'former',
    'exchange',
    'currency',
  ] as const) {
    const mayBe = (at: number) => {
      const word = words[at]
      return (
        word !== undefined &&
        (classes[at] === kind || classBesideOthers.get(word.text) === kind || isFiller(at, kind))
      )
    }
    const isFiller = (at: number, of: WordClass) =>
      isOfSecurity(of)
        ? ['number', 'percent', 'letter', 'date', 'currency', 'code', 'security'].includes(classes[at] ?? '')
        : (of === 'department' || of === 'site') &&
          ['stop', 'number', 'letter', 'department', 'site'].includes(classes[at] ?? '')
    for (let from = 0; from < words.length;) {
      if (!mayBe(from)) {
        from++
        continue
      }
      let end = from
      while (
        end < words.length &&
        mayBe(end) &&
        (end === from || !(words[end]?.isApart ?? false) || kind === 'security')
      )
        end++
      const isSure = classes
        .slice(from, end)
        .some((one) => one === kind || (kind === 'security' && one === 'percent'))
      const isSetOff = (from > 0 && (words[from]?.isApart ?? false)) || (words[end]?.isApart ?? false)
      const isApart = isSetOff && (kind === 'department' || kind === 'site')
      const run = words.slice(from, end).map(({ text }) => text)
      const named = run.some((text) => classBesideOthers.get(text) === kind)
      const isDate = kind === 'date' && writtenDate.test(run.join(' '))
      if ((isSure || ((isApart || isDate) && named)) && end - from < words.length)
        for (let at = from; at < end; at++)
          if (classes[at] !== kind && classBesideOthers.get(words[at]?.text ?? '') === kind)
            classes[at] = kind
      from = end
    }
  }
  spreadSites(words, classes)
  return classes
}

/** After a sign, the words next to "niederlassung" or "payroll" name the site: "Larkmoor - Niederlassung Ulm". */
function spreadSites(words: readonly Classified[], classes: WordClass[]): void {
  for (let from = words.findIndex(({ isApart }, at) => at > 0 && isApart); from > 0 && from < words.length;) {
    let end = from + 1
    while (end < words.length && !(words[end]?.isApart ?? false)) end++
    const piece = classes.slice(from, end)
    const last = classBesideOthers.get(words[end - 1]?.text ?? '')
    const kind =
      piece.find((one) => one === 'site' || one === 'department') ??
      (last === 'site' || last === 'department' ? last : undefined)
    if (kind !== undefined && !piece.includes('form'))
      for (let at = from; at < end; at++)
        if (['telling', 'generic', 'light', 'letter', 'number'].includes(classes[at] ?? ''))
          classes[at] = kind
    from = end
  }
}

import { bare, number, pick, replacing, titled, withoutForm, words, type NameChange } from './name-pieces.js'

/** The short form at the end of a name, and what it is short for. */
const longForms: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\binc\.?$/i, ['Incorporated']],
  [/\bcorp\.?$/i, ['Corporation']],
  [/\bltd\.?$/i, ['Limited']],
  [/\bco\.?$/i, ['Company']],
  [/\bl\.?l\.?c\.?$/i, ['Limited Liability Company', 'Limited Liability Co']],
  [/\bplc\.?$/i, ['Public Limited Company']],
  [/\bl\.?l\.?p\.?$/i, ['Limited Liability Partnership']],
  [/\bl\.?p\.?$/i, ['Limited Partnership']],
  [/\bgmbh$/i, ['Gesellschaft mit beschränkter Haftung', 'Gesellschaft mbH']],
  [/\bag$/i, ['Aktiengesellschaft']],
  [/\bs\.?a\.?$/i, ['Société Anonyme', 'Sociedad Anónima']],
  [/\bn\.?v\.?$/i, ['Naamloze Vennootschap']],
  [/\bb\.?v\.?$/i, ['Besloten Vennootschap']],
  [/\bs\.?p\.?a\.?$/i, ['Società per Azioni']],
  [/\bs\.?r\.?l\.?$/i, ['Società a responsabilità limitata']],
  [/\bab$/i, ['Aktiebolag']],
  [/\ba\/s$/i, ['Aktieselskab']],
]
const briefForms: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bincorporated$/i, ['Inc', 'Inc.']],
  [/\bcorporation$/i, ['Corp', 'Corp.', 'Cp']],
  [/\bpublic limited company$/i, ['plc', 'P.L.C.']],
  [/\blimited liability company$/i, ['LLC', 'L.L.C.']],
  [/\blimited liability partnership$/i, ['LLP']],
  [/\blimited partnership$/i, ['LP', 'L.P.']],
  [/\blimited$/i, ['Ltd', 'Ltd.', 'LTD']],
  [/\bcompany$/i, ['Co', 'Co.']],
  [/\baktiengesellschaft$/i, ['AG']],
  [/\baktiebolag$/i, ['AB']],
]

const formWritten =
  (forms: typeof longForms): NameChange =>
  (name, fraction) => {
    const [short, others = []] = forms.find(([form]) => form.test(name)) ?? []
    return short === undefined ? null : name.replace(short, pick(others, fraction) ?? '')
  }

/** "GmbH Calder", "Ltd. Calder": the form before the name. */
const formInFront: NameChange = (name) => {
  const base = withoutForm(name)
  if (base === null) return null
  const form = name.slice(base.length).replace(/^[\s,]+/, '')
  return /^[/\\]/.test(form) || form.length < 2 ? null : `${form} ${base.replace(/,$/, '')}`
}

const articleChanged: NameChange = (name, fraction) => {
  if (/^the\s/i.test(name)) return fraction() < 0.5 ? name.slice(4) : `${name.slice(4)}, The`
  return (
    pick([`The ${name}`, `The ${bare(name)}`, `${bare(name)} (The)`, `${bare(name)}, The`], fraction) ?? null
  )
}

const keptEndings = /(?:ss|us|is|ics|ws)$/i

/** One word of four letters or more in the plural, or out of it; not the first, which may be a name. */
const numberOfWord: NameChange = (name, fraction) => {
  const parts = words(bare(name))
  const places = [...parts.keys()].filter((at) => at > 0 && /^[a-z]{4,}$/i.test(parts[at] ?? ''))
  const at = pick(places, fraction)
  const word = parts[at ?? 0] ?? ''
  if (at === undefined || keptEndings.test(word)) return null
  const lower = /ies$/i.test(word)
    ? `${word.slice(0, -3)}y`
    : /s$/i.test(word)
      ? word.slice(0, -1)
      : /[^aeiou]y$/i.test(word)
        ? `${word.slice(0, -1)}ies`
        : `${word}s`
  const other = word === word.toUpperCase() ? lower.toUpperCase() : lower
  return [...parts.slice(0, at), other, ...parts.slice(at + 1)].join(' ')
}

const ampersand: NameChange = (name, fraction) => {
  const parted = / (?:and|&|\+) /i
  if (!parted.test(name)) return null
  const signs = [' & ', ' and ', '&', ' + ', ' ', ' n ', ' AND '].filter((sign) => !name.includes(sign))
  return name.replace(parted, pick(signs, fraction) ?? ' ')
}

/** Capitals without signs, long words cut, as a column of thirty in a ledger has them. */
const erpCapitals: NameChange = (name, fraction) => {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
  const parts = words(plain.replace(/[^A-Z0-9 &]/g, ' '))
  const width = 5 + Math.floor(fraction() * 3)
  const cut = parts.map((word, at) => (at > 0 && word.length > width ? word.slice(0, width) : word))
  const text = cut.join(' ').slice(0, 30).trimEnd()
  return cut.every((word, at) => word === parts[at]) ? null : text
}

const givenNames = new Set(
  (
    'john james william robert george thomas charles david peter paul mark richard henry edward frank fred ' +
    'alfred arthur walter harry jack joe joseph samuel daniel michael martin simon andrew alan brian ian ' +
    'mary anna jane sarah elizabeth margaret laura emma karl hans fritz otto heinrich josef johann friedrich ' +
    'jean pierre louis antonio giovanni carlo luis jose manuel eli tommy ralph lee oscar hugo kenneth donald ' +
    'philip stephen steven scott ray roy sam tom tim jim ben max leo gary neil kevin keith colin'
  ).split(' '),
)

/** "John Calder & Sons" as "Calder, John & Sons" or "Calder John": how a card index sorts. */
const surnameFirst: NameChange = (name, fraction) => {
  const [given = '', surname = '', ...rest] = words(titled(name))
  const isGiven = givenNames.has(given.toLowerCase()) || /^(?:\p{Lu}\.){1,3}$/u.test(given)
  if (!isGiven || !/^\p{L}{4,},?$/u.test(surname) || /^u\.?s\.?$/i.test(given)) return null
  if (
    /^(?:bank|group|capital|street|place|fund|trust|energy|foods?|display|holdings?|corp|corporation|company|limited|partners|advisors|bancorp)$/i.test(
      surname,
    )
  )
    return null
  const sign = fraction() < 0.5 ? ',' : ''
  const end = fraction() < 0.5 ? rest : words(bare(rest.join(' ')))
  return [`${surname.replace(/,$/, '')}${sign}`, given, ...end].join(' ')
}

/** What a British group's company is called by its customers: without "(UK)" and without its form. */
const ukTradingName: NameChange = (name, fraction) => {
  const marks = /\s*\(?\b(?:uk|u\.k\.|gb|great britain|united kingdom|europe|england)\b\)?/i
  const base = bare(name)
  const traded = base.replace(marks, '').trim()
  if (traded === base || traded.length < 4 || /\b(?:of|in|the|and|&)$/i.test(traded)) return null
  return fraction() < 0.3 ? traded.toUpperCase() : titled(traded)
}

/** A year, a number of the list or of the customer. */
function numberAdded(name: string, fraction: () => number): string {
  const year = 2005 + number(fraction, 20)
  const count = number(fraction, 9000)
  const written = [
    `${name} (${year})`,
    `${name} ${year}`,
    `${name} - ${String(count).padStart(6, '0')}`,
    `${number(fraction, 400)}. ${name}`,
    `${String(count)} - ${name}`,
    `${name} [${count}]`,
    `${name} FY${String(year).slice(2)}`,
    `${name} / ${count}`,
    `${name} (since ${year})`,
    `${name} *`,
  ]
  return pick(written, fraction) ?? name
}

const domainEndings = ['.com', '.com', '.com', '.net', '.co.uk', '.org', '.io']

/** The name as its website: "calder.com", "www.calderfoods.com", "Calder.com Inc". */
const domainEnding: NameChange = (name, fraction) => {
  const parts = words(
    bare(name)
      .normalize('NFD')
      .replace(/[^A-Za-z0-9 ]/g, ''),
  )
  const label = parts.join('').toLowerCase()
  if (parts.length > 3 || label.length < 4 || label.length > 24) return null
  const ending = pick(domainEndings, fraction) ?? ''
  const written = [
    `${label}${ending}`,
    `www.${label}${ending}`,
    `${titled(parts.join(''))}${ending}`,
    `${bare(name)}${ending}`,
  ]
  return pick(written, fraction) ?? null
}

const numbersWritten: readonly (readonly [RegExp, string])[] = [
  [/\bfirst\b/i, '1st'],
  [/\bsecond\b/i, '2nd'],
  [/\bthird\b/i, '3rd'],
  [/\bfifth\b/i, '5th'],
  [/\bone\b/i, '1'],
  [/\btwo\b/i, '2'],
  [/\bthree\b/i, '3'],
  [/\bfour\b/i, '4'],
  [/\bfive\b/i, '5'],
  [/\bII\b/, '2'],
  [/\bIII\b/, '3'],
  [/\bIV\b/, '4'],
  [/\bVI\b/, '6'],
  [/\b21st\b/i, 'Twenty-First'],
]

/** A name that a form was filled in with twice, or beside its own short form. */
const repeated: NameChange = (name, fraction) =>
  pick(
    [`${name} ${name}`, `${name} - ${bare(name)}`, `${bare(name)} (${name})`, `${bare(name)} / ${name}`],
    fraction,
  ) ?? null

const smallWordsDropped: NameChange = (name) => {
  const parts = words(name)
  const kept = parts.filter(
    (word, at) => at === 0 || !/^(?:of|the|and|&|for|in|de|du|la|und|der|y|e)$/i.test(word),
  )
  return kept.length === parts.length || kept.length < 2 ? null : kept.join(' ')
}

/** "Bank of Calder" as "Calder Bank". */
const ofTurned: NameChange = (name) => {
  const [, head, rest] =
    /^(?:the )?(bank|university|college|port|city|diocese|institute|school|museum) of (.{4,})$/i.exec(
      bare(name),
    ) ?? []
  return head === undefined || rest === undefined ? null : `${rest} ${head}`
}

const punctuationLost: NameChange = (name) => {
  const plain = words(name.replace(/[^\p{L}\p{N} ]/gu, ' ')).join(' ')
  return plain === name ? null : plain
}

const titles = ['Messrs', 'M/s', 'M/S.', 'Firma', 'Fa.', 'The firm of', 'Company:', 'Client -', 'Customer:']

/** What lists put before a name. */
const titleInFront: NameChange = (name, fraction) => `${pick(titles, fraction) ?? ''} ${name}`

const branches = [
  'London Branch',
  'New York Branch',
  'UK Branch',
  'Singapore Branch',
  '(Branch)',
  'Niederlassung Frankfurt',
  'Succursale de Paris',
]

const branchAdded: NameChange = (name, fraction) =>
  `${name}${fraction() < 0.4 ? ', ' : ' '}${pick(branches, fraction) ?? ''}`

const remarks = [
  '(In Liquidation)',
  '(Closed)',
  '(do not use)',
  '- OLD',
  '(USD)',
  '(EUR account)',
  '(duplicate)',
  '- NEW',
  '(Vendor)',
  '(tbc)',
]

const remarkAdded: NameChange = (name, fraction) =>
  `${fraction() < 0.5 ? name : bare(name)} ${pick(remarks, fraction) ?? ''}`

/** Forms, order, numbers and signs as people and columns write them. By the name of the stratum. */
export const writingChanges: Readonly<Record<string, NameChange>> = {
  form_spelled_out: formWritten(longForms),
  form_shortened: formWritten(briefForms),
  form_in_front: formInFront,
  article_changed: articleChanged,
  number_of_word: numberOfWord,
  ampersand,
  erp_capitals: erpCapitals,
  surname_first: surnameFirst,
  uk_trading_name: ukTradingName,
  number_added: numberAdded,
  domain_ending: domainEnding,
  numbers_written: replacing(numbersWritten),
  repeated,
  small_words_dropped: smallWordsDropped,
  of_turned: ofTurned,
  punctuation_lost: punctuationLost,
  title_in_front: titleInFront,
  branch_added: branchAdded,
  remark_added: remarkAdded,
}

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Help, type Command } from 'commander'
import { createProgram } from '../../../src/cli/program.js'
import type { CliIo } from '../../../src/cli/terminal/command-io.js'
import { checkedCountries, kinds } from '../../../src/core/numbers/national-numbers.js'
import numberForms from '../../../src/core/numbers/number-forms.json' with { type: 'json' }
import { getPersonForms, personTests } from '../../../src/core/numbers/number-forms.js'
import headerWords from '../../../src/core/headers.json' with { type: 'json' }
import legalForms from '../../../src/registry/reference/legal-forms.json' with { type: 'json' }
import registerWords from '../../../src/registry/reference/register-words.json' with { type: 'json' }
import { findCountryName } from '../../../src/core/countries.js'
import { identifierNames, listSharing } from '../../../src/core/identifiers.js'
import { errorCodes, errorTable } from '../../../src/core/errors.js'
import { noneWords, yesWords } from '../../../src/review/exchange/line-verdicts.js'
import { errorExamples } from './error-examples.js'
import { formatNumbersPage } from './numbers-page.js'
import { formatTable, withLinksFrom } from './tables.js'

const reference = 'docs/reference'
const note = 'This page is generated from the code by `npm run docs`.'

/** The pages that are generated as a whole: path from the root of the project, and text. */
export async function generatePages(): Promise<ReadonlyMap<string, string>> {
  const program = await createProgram({} as CliIo)
  const pages = [
    [`${reference}/errors.md`, formatErrors()],
    [`${reference}/commands.md`, formatCommandIndex(program)],
    [`${reference}/headers.md`, formatHeaders()],
    [`${reference}/numbers.md`, formatNumbersPage(note)],
    [`${reference}/legal-forms.md`, formatLegalForms()],
    [`${reference}/verdicts.md`, formatVerdicts()],
    [`${reference}/statuses.md`, formatStatuses()],
    ['docs/decisions/README.md', formatDecisions()],
    ...program.commands.map((command) => [getPath(command), formatCommandPage(command)] as const),
  ] as const
  return new Map(pages.map(([path, text]) => [path, `${withLinksFrom(path, text)}\n`]))
}

const { earlier, added } = headerWords

/** The headers of columns that `enrich` knows. */
function formatHeaders(): string {
  const section = (title: string, text: string, rows: readonly (readonly string[])[]) =>
    [
      `## ${title}`,
      ...(text === '' ? [] : [text]),
      formatTable({ head: ['kind', 'headers'], rows }).trimEnd(),
    ].join('\n\n')
  const places = Object.entries(placeNames).map(([part, name]) => {
    const key = part as keyof typeof placeNames
    return [name, listHeaders(earlier.parts[key], added.places[key])]
  })
  const sets = Object.entries(earlier.sets).map(([set, lists]) => [
    set === 'plain' ? 'the company' : set,
    listHeaders(lists, moreSets[set] ?? []),
  ])
  const names = [earlier.surelyNames, earlier.companyNames, earlier.roles, added.names, added.roles]
  return [
    '# Column headers',
    note,
    '`enrich` knows these headers. Case, accents, spaces and punctuation do not matter, and a number may follow (`Ort 2`). Cells decide\n' +
      'too: see [Which columns are used](docs/manual/your-own-list.md#which-columns-are-used). To use a column with any other header,\n' +
      'name it: `--name-column`, `--location-columns` or `--id-columns`.',
    section('Names', '', [
      ['company', listHeaders(...names)],
      ['name, unless the file has a column of persons', listHeaders(earlier.plainNames, added.plainNames)],
      ['person, never used', listHeaders(earlier.persons, added.persons)],
    ]),
    section('Places', '', [
      ...places,
      ['several lines of an address, with a number', listHeaders(earlier.lines)],
      ['whole place', listHeaders(earlier.whole, added.whole)],
    ]),
    section('Several places', 'Before or behind the header of a place, such as `Billing City`:', sets),
    section('Identifiers', '', [
      ...Object.entries(earlier.identifiers).map(([key, lists]) => [
        { ...identifierNames, ...identifierPlaces }[key] ?? key,
        listHeaders(lists, moreHeaders[key] ?? []),
      ]),
    ]),
    section('Company numbers, by country', '', [
      ['words for "number", as in the headers below', listHeaders(added.numberWords)],
      ['any country', listHeaders(earlier.anyNumbers, added.numbers)],
      ...listCountries(earlier.numbers, added.countryNumbers).map((country) => [
        nameCountry(country) + nameSharing(country),
        listHeaders(
          [earlier.numbers, added.countryNumbers].flatMap((lists: Numbers) => lists[country] ?? []),
        ),
      ]),
    ]),
    section('Tax and VAT numbers', taxNumbersText, [
      ['any country', listHeaders(earlier.taxNumbers, added.taxNumbers.any)],
      ...Object.entries(added.taxNumbers)
        .filter(([country]) => country !== 'any')
        .map(([country, lists]) => [nameCountry(country), listHeaders(lists)]),
    ]),
    section(
      'Tax numbers that open registers do not have',
      'Used with a registry on your machine, which may have them from a file of yours:',
      [['tax number', listHeaders(headerWords.others['tax number'])]],
    ),
    formatNumberForms(),
    section('Check digits and numbers of persons', 'Countries of which these are known:', [
      ['check digits of company numbers', listNames(checkedCountries)],
      [
        'tax and identity numbers of persons, [withheld](docs/reference/numbers.md#numbers-of-persons-which-are-withheld)',
        listNames([...getPersonForms().keys(), ...personTests.keys(), 'us', 'fi', 'dk', 'cz', 'sk']),
      ],
    ]),
    section(
      'Identifiers that are not used',
      'The open registers have none of these numbers. `plan` lists their columns under `not used`:',
      Object.entries(headerWords.others)
        .filter(([kind]) => kind !== 'tax number')
        .map(([kind, lists]) => [kind, listHeaders(lists)]),
    ),
  ].join('\n\n')
}

const taxNumbersText =
  'Used if a cell contains the company number, such as that of Belgium. Other tax numbers, such as those of Greece, are used only with a registry on your machine:'

const placeNames = {
  city: 'city',
  region: 'region',
  postal: 'postal code',
  country: 'country',
  address: 'street or address',
} as const
const moreSets: Readonly<Record<string, readonly string[]>> = { ...added.sets, plain: added.owners }
const identifierPlaces: Readonly<Record<string, string>> = {
  registration_country: 'country of a company number',
  registration_court: 'court of a company number',
  exchange: 'exchange of a ticker',
}
const moreHeaders: Readonly<Record<string, readonly string[]>> = {
  website: added.website,
  email: added.email,
  registration_country: added.registries,
  registration_court: added.courts,
  exchange: added.exchange,
}

/** The words of verdicts in a spreadsheet. */
function formatVerdicts(): string {
  const rows = [
    ['`yes`: the only candidate', listHeaders([[...yesWords].join('|')])],
    ['`none`: no known company', listHeaders([[...noneWords].join('|')])],
    ['undecided, as an empty cell', listHeaders([headerWords.verdicts.open])],
  ]
  return [
    '# Words of verdicts',
    note,
    'A cell under `verdict` may have these words. Case and, where one meaning is left, accents do not matter.',
    formatTable({ head: ['verdict', 'words'], rows }).trimEnd(),
  ].join('\n\n')
}

/** The words of companies' states in files of registers. */
function formatStatuses(): string {
  return [
    '# Words of statuses',
    note,
    'In a file of a register, `status` may have these words. Case, accents and punctuation do not matter.',
    formatTable({
      head: ['`enrich_entity_status`', 'words'],
      rows: Object.entries(registerWords.statuses).map(([status, words]) => [status, listHeaders([words])]),
    }).trimEnd(),
    'The header of such a column has one of these words, alone or next to a word for companies or registers:',
    formatTable({
      head: ['column', 'words'],
      rows: [['status', listHeaders([registerWords.words.status])]],
    }).trimEnd(),
  ].join('\n\n')
}

/** The legal forms that the embedded service knows, by country. */
function formatLegalForms(): string {
  interface Entry {
    spellings: string
    countries: string
    also?: string
    legal_form: string | null
  }
  const findForms = (full: string) =>
    legalForms.forms.filter((form) =>
      form.spellings.split(', ').some((one) => one.replace(/^[<$]/, '') === full),
    )
  const entries: readonly Entry[] = [
    ...legalForms.forms,
    ...legalForms.scripts,
    ...legalForms.short.map(([countries = '', list = '', full = '']) => ({
      countries,
      spellings: list.replace(/[$+]/g, ''),
      legal_form: findForms(full)[0]?.legal_form ?? null,
    })),
    ...Object.entries(legalForms.written).flatMap(([spellings, full]) =>
      findForms(full).map((form) => ({ ...form, spellings, also: '' })),
    ),
  ]
  const forms = entries.flatMap(({ spellings, countries, also = '', legal_form: american }) =>
    `${countries} ${also}`
      .trim()
      .split(' ')
      .map((country) => ({
        country,
        american: american ?? '',
        spellings: spellings
          .replace(/(?<=^|, )[<$]/g, '')
          .replaceAll('*', '…')
          .replaceAll(' +', '')
          .replaceAll(', ', '|'),
      })),
  )
  const sortUnique = (all: readonly string[]) => [...new Set(all)].sort()
  const rows = sortUnique(forms.map(({ country }) => country)).flatMap((code) => {
    const own = forms.filter(({ country }) => country === code)
    const name = code === '' ? 'any country' : nameCountry(code)
    return sortUnique(own.map(({ american }) => american)).map((american) => [
      name,
      american === '' ? '' : `\`${american}\``,
      listHeaders(own.flatMap((form) => (form.american === american ? [form.spellings] : []))),
    ])
  })
  return [
    '# Legal forms',
    note,
    'The embedded service knows these legal forms, before, in or behind a name. Case, accents, points and spaces do not matter: `A.Ş.` is `as`.\n' +
      'Many Cyrillic and Greek forms are listed in Latin letters: `ООО` is `ooo`, `Α.Ε.` is `ae`. A short form in front of the form of\n' +
      'another country is a word of the name: `SAS` in `SAS Larkmoor Ltd`.',
    'Countries whose laws have one origin share forms: `ccc` is Welsh for `plc`, `opc private limited` is of India, and both are read in Kenya too.\n' +
      'In Ukraine, `ДП` is a state enterprise (`Державне підприємство`) or a subsidiary (`Дочірнє підприємство`).',
    'The second column is the American form in `enrich_legal_form`; without one, the column is empty.',
    formatTable({ head: ['country', '`enrich_legal_form`', 'forms'], rows }).trimEnd(),
  ].join('\n\n')
}

/** The known forms of company numbers: with `#` those with a name, else patterns. */
function formatNumberForms(): string {
  const { checks } = numberForms
  const [forms, taxForms, lettered] = [numberForms.forms, numberForms.taxForms, numberForms.lettered].map(
    (lists) => new Map(Object.entries<string | object>(lists)),
  ) as [Map<string, string>, Map<string, string>, Map<string, object>]
  const rules = new Map<string, readonly { readonly form: string }[]>(Object.entries(checks))
  const countries = [forms, taxForms, lettered, rules].flatMap((lists) => [...lists.keys()])
  const rows = [...new Set([...countries, ...Object.keys(kinds)])].sort().map((country) => {
    const named = (kinds[country] ?? []).map(({ names, form }) => [...names, `\`${form}\``].join(', '))
    const patterns = [forms.get(country) ?? [], taxForms.get(country) ?? []].flat()
    const others = [
      ...(rules.get(country) ?? []).map(({ form }) => form),
      ...Object.keys(lettered.get(country) ?? {}),
    ]
    const isClosed = named.length > 0 || forms.has(country) || lettered.has(country)
    const plain = named.length + patterns.length > 0 ? patterns : others
    const cells = [...named, ...plain.map((form) => `\`${simplifyForm(form)}\``)]
    return [nameCountry(country.toUpperCase()), cells.join('; '), isClosed ? '' : 'accepted']
  })
  return [
    '## Forms of company numbers',
    'A number fits a country if it has one of these forms, and right check digits if they are known. German numbers are like `HRB 501`. If\n' +
      'other forms are accepted, and in countries that are not in the table, all other numbers fit too. `#` and `\\d` are digits. Spaces,\n' +
      'points and dashes do not matter.',
    formatTable({ head: ['country', 'forms', 'other forms'], rows }).trimEnd(),
  ].join('\n\n')
}

/** Writes a pattern without the groups for its check digits, escaped for a cell. */
const simplifyForm = (form: string): string =>
  form
    .replace(/\((?!\?)([^()]*)\)/g, '$1')
    .replace(
      /\\d\{(\d+)\}((?:\\d)+)(?![{?])/g,
      (_, count: string, more: string) => `\\d{${Number(count) + more.length / 2}}`,
    )
    .replaceAll('|', '\\|')

type Numbers = Readonly<Record<string, string>>
const listCountries = (...lists: readonly Numbers[]): string[] =>
  [...new Set(lists.flatMap((one) => Object.keys(one)))].sort()

const nameSharing = (code: string): string =>
  listSharing(code).length === 0 ? '' : `; also in rows of ${listNames(listSharing(code))}`
const nameCountry = (code: string): string => `${findCountryName(code) ?? code} (${code})`

const listNames = (countries: readonly string[]): string =>
  [...new Set(countries)]
    .map((country) => nameCountry(country.toUpperCase()))
    .sort()
    .join(', ')

/** The headers of lists, each once, in the order of the Latin letters and then of the other scripts. */
const listHeaders = (...lists: readonly (readonly string[])[]): string => {
  const headers = lists.flat().flatMap((list) => list.split('|'))
  const unique = new Map(headers.map((header) => [header.toLowerCase(), header]))
  return [...unique.values()]
    .sort((a, b) => a.localeCompare(b, 'en'))
    .map((header) => `\`${header}\``)
    .join(', ')
}

const decisions = fileURLToPath(new URL('../../../docs/decisions/', import.meta.url))

function formatDecisions(): string {
  const names = readdirSync(decisions).filter((name) => /^\d/.test(name))
  const items = names.sort().map((name) => {
    const [, title = ''] = /^# (.*)$/m.exec(readFileSync(decisions + name, 'utf8')) ?? []
    return `- [${title}](${name})`
  })
  const intro = 'Each page has the context, the decision, its consequences, and measurements.'
  return ['# Decisions', note, intro, items.join('\n')].join('\n\n')
}

const getPath = (command: Command): string => `${reference}/commands/${command.name()}.md`

/** For each command, a line to type. */
const examples: Readonly<Record<string, string>> = {
  run: 'enrich companies.csv -o out.parquet',
  plan: 'enrich plan companies.csv',
  show: 'enrich show out.parquet --where status=inconclusive',
  status: 'enrich status --uncertain',
  runs: 'enrich runs --run 12',
  collect: 'enrich collect --job companies-2026-01-31 -o out/companies.parquet',
  export: 'enrich export companies.csv -o out.csv',
  diff: 'enrich diff 12..15 -o changes.csv',
  report: 'enrich report 12 -o run-12.html',
  review: 'enrich review companies.csv',
  'checkpoint verify': 'enrich checkpoint verify',
  'checkpoint repair': 'enrich checkpoint repair',
  'checkpoint compact': 'enrich checkpoint compact',
  'checkpoint migrate':
    'enrich checkpoint migrate .enrich/checkpoint.sqlite postgres://lookups_owner@db.example.com/enrich',
  reconcile: 'enrich reconcile ledger.csv --dry-run',
  retry: 'enrich retry companies.csv -o out.csv --status inconclusive,failed',
  serve: 'ENRICH_SERVE_API_KEY=rehearsal enrich serve --listen 127.0.0.1:8787',
  'accounts list': 'enrich accounts list',
  'accounts show': 'enrich accounts show crm',
  'accounts ledger': 'enrich accounts ledger crm --json > ledger.ndjson',
  'accounts add': 'enrich accounts add crm --credit 5000',
  'accounts set': 'enrich accounts set crm --monthly-units 1000',
  'accounts credit': 'enrich accounts credit crm add 500',
  'accounts keys add': 'enrich accounts keys add crm --label nightly',
  'accounts secrets show': 'enrich accounts secrets show crm',
  api: 'enrich api GET /v2/search --query name=Siemens --query country_code=DE',
  receive: 'enrich receive --webhook-listen 127.0.0.1:8788 --webhook-url https://hooks.example.com/enrich',
  mcp: 'enrich mcp --root lists --allow-run --max-lookups 500',
  'registry sources': 'enrich registry sources companies.csv',
  'registry get': 'enrich registry get gleif norway',
  'registry refresh': 'enrich registry refresh',
  'registry load': 'enrich registry load registers --dry-run',
  'registry import': 'enrich registry import csv register.csv --id-type registration_id --jurisdiction DE',
  'registry info': 'enrich registry info --linkage',
  'registry search': "enrich registry search 'ford motor'",
  'registry evaluate': 'enrich registry evaluate queries.csv --errors wrong.csv',
  init: 'enrich init companies.csv',
  completion: 'source <(enrich completion bash)',
  doctor: 'enrich doctor companies.csv',
}

const errorGroups: readonly [title: string, pattern: RegExp][] = [
  [
    'Commands, config and service',
    /^(?:USAGE|CONFIG|API|BASE|PROXY|WEBHOOK|BILLING|FAIL|NOTIFY|LISTEN|FAULTS)_/,
  ],
  ['Inputs', /^(?:INPUT|ADDRESS|CREDENTIALS|ACCESS|STORE|CLOCK|QUERY)_/],
  ['Outputs, disk and memory', /^(?:OUTPUT|DISK|FILE|FILES|NATIVE|MEMORY)_/],
  ['Checkpoint', /^(?:CHECKPOINT|LEDGER)_/],
  [
    'Early stops',
    /^(?:SERVICE_(?:REFUSED|UNREACHABLE|ANSWER_INVALID)|CREDIT_|PLAN_|LOOKUPS_|COST_|DURATION_)/,
  ],
  ['Runs, keys and partitions', /^(?:RUN_(?:NOT_FOUND|OUTPUT)|RUNS|HISTORY|ROW|PARTITION|JOB|PART|PARTS)_/],
  ['Review', /^(?:DECISIONS|REVIEW|CANDIDATES|VERDICTS)_/],
  ['Registry', /^(?:REGISTRY|REGISTER|REGISTERS|EVALUATION|DOMAIN)_/],
  ['Serving, accounts and assistants', /./],
]

function formatErrors(): string {
  const left = new Set(Object.keys(errorTable))
  const parts = errorGroups.map(([title, pattern]) => {
    const codes = [...left].filter((code) => pattern.test(code))
    for (const code of codes) left.delete(code)
    return [`## ${title}`, ...codes.map((code) => formatError(code as keyof typeof errorTable))].join('\n\n')
  })
  return [
    '# Errors',
    note,
    'Every error has a code, a message and a hint. With `--json`, it is also printed as a\n' +
      '[JSON event](docs/reference/scripting.md#json-events). The exit code is that before the first submission, see\n' +
      '[Exit codes](docs/reference/scripting.md#exit-codes).',
    ...parts,
  ].join('\n\n')
}

function formatError(code: keyof typeof errorTable): string {
  const { meaning, remedy } = errorTable[code]
  return [
    `### ${code}`,
    `\`\`\`text\nerror ${code}: ${errorExamples[code] ?? ''}\n\`\`\``,
    `- **Meaning:** ${meaning}.\n- **Remedy:** ${remedy}.\n- **Exit code:** ${errorCodes[code]}`,
  ].join('\n\n')
}

function formatCommandIndex(program: Command): string {
  const rows = program.commands.map((command) => [
    `[${command.name()}](${getPath(command)})`,
    escapeCell(command.description()),
  ])
  return [
    '# Commands',
    note,
    formatTable({ head: ['command', 'what it does'], rows }).trimEnd(),
    [
      '- Only `run`, `retry`, `review`, `doctor` and `api` send requests to the service.',
      '- `enrich FILE` is short for `enrich run FILE`. Without arguments, `enrich` runs the job of `pipeline.config.json`; without that',
      '  file, it ends with exit code 2.',
      '- `enrich COMMAND --help` prints the flags of a command, `enrich --version` the version.',
      '- `enrich run --help-all` also prints the environment variables and exit codes.',
    ].join('\n'),
  ].join('\n\n')
}

function formatCommandPage(command: Command): string {
  const isOfRun = command.name() === 'run' || command.name() === 'retry'
  return [
    `# enrich ${command.name()}`,
    note,
    ...formatCommand(command, command.name()),
    ...(isOfRun
      ? ['[Configuration](docs/reference/configuration.md) explains these flags and their config keys.']
      : []),
    ...formatInner(command, command.name()),
  ].join('\n\n')
}

/** The commands inside a command, at any depth. */
function formatInner(command: Command, path: string): string[] {
  return command.commands.flatMap((inner) => {
    const name = `${path} ${inner.name()}`
    return [`## enrich ${name}`, ...formatCommand(inner, name), ...formatInner(inner, name)]
  })
}

function formatCommand(command: Command, name: string): string[] {
  const help = new Help()
  const usage = help.commandUsage(command).replace(/^(?!enrich )/, 'enrich ')
  const items = [
    ...help
      .visibleArguments(command)
      .map((item) => [help.argumentTerm(item), help.argumentDescription(item)]),
    ...help
      .visibleOptions(command)
      .filter(({ long }) => long !== '--help')
      .map((option) => [help.optionTerm(option), help.optionDescription(option)]),
  ].map(([term = '', text = '']) => [`\`${term.replaceAll('|', '\\|')}\``, escapeCell(text)])
  const example = examples[name]
  const lines = [...(command.commands.length > 0 ? [] : [usage]), ...(example === undefined ? [] : [example])]
  return [
    `${capitalize(command.description())}.`,
    ...(lines.length === 0 ? [] : [`\`\`\`text\n${lines.join('\n')}\n\`\`\``]),
    ...(items.length === 0
      ? []
      : [formatTable({ head: ['argument or flag', 'meaning'], rows: items }).trimEnd()]),
  ]
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const escapeCell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '\\<').replace(/\s+/g, ' ')

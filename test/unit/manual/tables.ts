import { iso31661 } from 'iso-3166'
import { findCountryName } from '../../../src/core/countries.js'
import { findUniqueForm, hasLocalOffices } from '../../../src/core/numbers/court-numbers.js'
import { readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path/posix'
import { formatCount } from '../../../src/core/text.js'
import { z } from 'zod'
import { drawRooms } from './rooms.js'
import { isOption, listOptions, type CallFlag, type Option } from '../../../src/config/option.js'
import { environmentVariables } from '../../../src/cli/run-help.js'
import { callFlags, options } from '../../../src/config/options.js'
import { exitCodes, otherExitCodes } from '../../../src/core/errors.js'
import {
  columnKinds,
  type AnswerColumn,
  reviewColumns,
  getStageColumns,
} from '../../../src/pipeline/answers/column-kinds.js'
import { answerColumns } from '../../../src/pipeline/answers/columns.js'
import {
  reconciliationProperties,
  type PropertyUse,
  reconciliationTypes,
} from '../../../src/service/reconciliation/manifest.js'
import { noneWords, yesWords } from '../../../src/review/exchange/line-verdicts.js'
import { uncovered } from '../../../src/registry/load.js'
import { listSources } from '../../../src/registry/sources/source.js'
import { stageKinds } from '../../../src/core/lookup-state.js'

/** A table of the manual, made from one of the code's. */
type Table = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

/** What a marker in a page may name, with the words that follow it. */
export const tables: Readonly<Record<string, (words: readonly string[]) => Table>> = {
  options: (groups) => {
    const rows = groups.flatMap(optionRows)
    const head = ['flag', 'config key', 'meaning', 'default']
    // Where none has a flag, the column of flags is left out.
    const from = rows.every(([flag]) => flag === '') ? 1 : 0
    return { head: head.slice(from), rows: rows.map((row) => row.slice(from)) }
  },
  'call-flags': () => ({ head: ['flag', 'meaning', 'default'], rows: callFlags.map(callFlagRow) }),
  variables: () => ({
    head: ['variable', 'meaning'],
    rows: Object.entries(environmentVariables).map(([name, { help, manual }]) => [
      code(name),
      sentences(help, manual),
    ]),
  }),
  'exit-codes': () => ({
    head: ['code', 'meaning'],
    rows: [
      ...Object.entries<{ meaning?: string; manual?: string }>({ ...exitCodes }).map(
        ([exitCode, { meaning = '', manual = meaning }]) => [exitCode, withCode(manual)],
      ),
      ['other', otherExitCodes],
    ],
  }),
  columns: () => columnTable([...answerColumns.slice(0, -1), ...reviewColumns, ...answerColumns.slice(-1)]),
  'reconciliation-properties': () => ({
    head: ['property', 'name', 'in a query', 'description'],
    rows: reconciliationProperties.map(({ id, name, use, description }) => [
      code(id),
      name,
      propertyUses[use],
      description,
    ]),
  }),
  'verdict-words': () => ({
    head: ['verdict', 'words'],
    rows: [
      ['`yes`', listWords(yesWords)],
      ['`none`', listWords(noneWords)],
    ],
  }),
  'reconciliation-types': () => ({
    head: ['type', 'name'],
    rows: reconciliationTypes.map(({ id, name }) => [code(id), name]),
  }),
  registers: () => ({
    head: ['name', 'country', 'register', 'rows', 'rhythm', 'licence', 'tried with'],
    rows: registerRows(),
  }),
  'registers-missing': () => ({
    head: ['country', 'why there is no source'],
    rows: Object.entries(uncovered).map(([code, reason]) => [
      `${findCountryName(code) ?? code} (${code})`,
      reason,
    ]),
  }),
  'court-numbers': () => {
    const local = iso31661.map(({ alpha2 }) => alpha2).filter(hasLocalOffices)
    const isOfForm = (country: string) => findUniqueForm(country.toLowerCase(), '2000002750123') === 0
    const french = local.filter(isOfForm)
    const list = (codes: readonly string[]) =>
      codes
        .map((one) => findCountryName(one) ?? one)
        .sort()
        .join(', ')
    return {
      head: ['numbers that need their court or office', 'countries'],
      rows: [
        ['`HRB 501`, `VR 12`', 'Germany'],
        ['`1953 B 00045`, `RC 512`', list(french)],
        ['numbers of registers', list(local.filter((one) => one !== 'DE' && !french.includes(one)))],
      ],
    }
  },
  summary: () => ({
    head: ['member', 'content'],
    rows: Object.entries(summaryMembers).map(([path, content]) => {
      if (!isInSummary(path)) throw new Error(`the summary has no member ${path}`)
      return [code(`summary.${path}`), content]
    }),
  }),
  'stage-columns': (words) =>
    columnTable(stageKinds.filter((stage) => words.includes(stage)).flatMap(getStageColumns)),
}

/** The members of `summary` that a script needs most, by path. */
const summaryMembers = {
  rowCount: 'rows of the input',
  rowsByStatus: 'rows by `enrich_status`: `{"matched": 155, …}`; `{}` without an output',
  'review.rowCount':
    'doubtful rows that wait for a reviewer; `summary.review` is `null` after a stop without an output and without a report',
  'review.lookupCount': 'doubtful lookups: a reviewer decides each once',
  'review.rowsByStatus': 'doubtful rows by status',
  invalidRowCount: 'rows without a usable name, number or domain',
  lookupCount: 'lookups of the input; equal rows share one',
  cachedCount: 'lookups that were answered before the run',
  decidedCount: 'lookups that a reviewer decided',
  answeredCount: 'lookups that were answered in this run',
  billedCount:
    'lookups by name that the service accepted and bills; with the embedded service, they cost nothing',
  uncertainCount: 'lookups that may have been billed and have no answer',
  failedCount: 'lookups that the service ended without a result',
  rejectedCount: 'lookups that the service refused, which are not billed',
  pendingCount: 'lookups without an answer yet',
  outcomes: 'lookups that this run answered, by status, also after an early stop',
  'money.cost':
    'cost of this run, in units of the currency: `1.5` is EUR 1.50; `summary.money` is `null` without prices and with the embedded service',
  'money.isBilledAtMost': 'whether the cost is an upper bound',
  'money.uncertainCost': 'cost of the uncertain lookups of this run, in units of the currency',
  'money.currency': 'code of the currency, such as `EUR`; `null` if the prices have no currency',
  stages: 'one entry for each stage, with its counts',
  changes: 'changes since the previous output by kind: `{"lost_match": 2}`; missing without one',
  alarms:
    'met conditions of `--fail-on`: `condition`, `found`, `message`, and the first ten `names` of changed rows',
  outputPaths: 'the written files; `[]` after a stop without an output',
  stop: 'the reason of an early stop, in `kind`; otherwise `null`',
  service: '`embedded` or `hosted`',
  isDemo: 'whether the demo registry answered',
  elapsedMs: 'duration of the run in milliseconds',
}

interface ObjectSchema {
  readonly $ref?: string
  readonly anyOf?: readonly ObjectSchema[]
  readonly properties?: Readonly<Record<string, ObjectSchema>>
}

/** Returns whether the JSON Schema of the events has a member of the summary: `money.cost`. */
function isInSummary(path: string): boolean {
  const schemaUrl = new URL('../../../types/events.schema.json', import.meta.url)
  const { $defs } = JSON.parse(readFileSync(schemaUrl, 'utf8')) as { $defs: Record<string, ObjectSchema> }
  const resolve = ({ $ref, anyOf, ...schema }: ObjectSchema): ObjectSchema => {
    const inner =
      $ref === undefined ? anyOf?.find((one) => one.$ref !== undefined) : $defs[$ref.split('/').at(-1) ?? '']
    return inner === undefined ? schema : resolve(inner)
  }
  let found: ObjectSchema | undefined = $defs['RunSummary']
  for (const key of path.split('.'))
    found = found === undefined ? undefined : resolve(found).properties?.[key]
  return found !== undefined
}

const registerRows = () =>
  listSources().map(({ id, country, name, publisher, rows, rhythm, licence, certainty, files }) => [
    code(id),
    country === '*' ? 'all' : country,
    `${name}, ${publisher}`,
    rows < 100_000 ? formatCount(rows) : `${(rows / 1_000_000).toFixed(1)} M`,
    rhythm,
    licence.name,
    `${certainty}${files.length === 0 ? '; by hand' : ''}`,
  ])

const listWords = (words: ReadonlySet<string>): string =>
  [...words]
    .sort((a, b) => a.localeCompare(b, 'en'))
    .map(code)
    .join(', ')

const propertyUses = {
  place: 'place',
  identifier: 'identifier',
  identifier_place: 'place of an identifier',
  context: 'hint',
} as const satisfies Record<PropertyUse, string>

function columnTable(columns: readonly AnswerColumn[]): Table {
  const rows = columns.map(({ name, kind, meaning }) => [
    code(`enrich_${name}`),
    columnKinds[kind].word,
    meaning,
  ])
  return { head: ['column', 'type', 'meaning'], rows }
}

/** `<!-- table: NAME WORDS -->` or `<!-- picture: rooms FOLDER -->`, what was made, `<!-- end -->`. */
const marked = /(<!-- table: ([\w-]+)([^>]*?) -->\n)[\s\S]*?(?=<!-- end -->)/g
const pictured = /(<!-- picture: rooms ?([\w/]*) -->\n)[\s\S]*?(?=<!-- end -->)/g

/**
 * A page with its marked tables and pictures written again. `path` is that of the page: links of the code's texts begin with
 * `docs/`, and lead from this page. Throws if a marker names no table.
 */
export function withTables(page: string, path = 'docs/page.md'): string {
  const withPictures = page.replace(
    pictured,
    (_, marker: string, folder: string) => `${marker}${drawRooms(folder)}`,
  )
  return withPictures.replace(marked, (_, marker: string, name: string, words: string) => {
    const table = tables[name]
    if (table === undefined) throw new Error(`no table is called ${name}`)
    const written = formatTable(table(words.split(' ').filter((word) => word !== '')))
    return `${marker}${withLinksFrom(path, written)}`
  })
}

/** Lets links that begin with `docs/` lead from a page. */
export const withLinksFrom = (path: string, text: string): string =>
  text.replace(/\]\((docs\/[^)#]+)(#[^)]*)?\)/g, (_, target: string, anchor = '') => {
    const link = target === path ? '' : relative(dirname(path), target)
    return `](${link}${anchor})`
  })

/** The tables that the markers of pages name, with their words. */
export function markersOf(page: string): string[] {
  return [...page.matchAll(marked)].map(([, , name = '', words = '']) => `${name}${words}`)
}

/** pipeline.config.example.json: every key, with its example or else what holds for a hosted service. */
export function exampleConfig(): object {
  return exampleOf(options) as object
}

function exampleOf(node: object): unknown {
  if (isOption(node as never)) {
    const { example, defaults } = node as Option
    return example ?? defaults?.hosted
  }
  return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, exampleOf(inner as object)]))
}

export function formatTable({ head, rows }: Table): string {
  const cells = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`)
  return cells.join('').replaceAll('| --- ', '|---').replaceAll('---|\n', '---|\n')
}

function optionRows(group: string): string[][] {
  const found = listOptions(options).filter(({ path }) => path[0] === group)
  if (found.length === 0) throw new Error(`no options are under ${group}`)
  return found.map(({ path, option }) => {
    const key = path.join('.')
    const flag = key === 'input.paths' ? '(arguments)' : flagCell(option.flag?.names)
    return [flag, code(key), meaningOf(option), defaultOf(option)]
  })
}

const choicesMax = 6

function meaningOf(option: Option): string {
  const choices = option.choices ?? []
  const listed = choices.length > choicesMax ? '' : choiceText(choices)
  return [option.meaning ?? option.schema().description, listed, option.manual]
    .filter((text) => text)
    .join(' ')
}

function choiceText(choices: readonly string[]): string {
  const all = choices.map(code)
  return all.length === 0 ? '' : `${all.slice(0, -1).join(', ')} or ${all.at(-1) ?? ''}.`
}

function defaultOf(option: Option): string {
  const { defaults, unset } = option
  if (defaults === undefined) {
    if (unset !== undefined) return option.choices?.includes(unset) === true ? code(unset) : withCode(unset)
    return option.schema() instanceof z.ZodBoolean ? code('false') : 'none'
  }
  const { hosted, embedded } = defaults
  return hosted === embedded ? valueText(hosted) : `${valueText(hosted)}; embedded: ${valueText(embedded)}`
}

function valueText(value: unknown): string {
  if (value === null) return 'no limit'
  return typeof value === 'number'
    ? String(value)
    : code(typeof value === 'string' ? value : JSON.stringify(value))
}

function callFlagRow({ names, help, choices = [], manual = '', unset, ...flag }: CallFlag): string[] {
  const standing = unset ?? (flag.default === undefined ? '' : code(flag.default))
  return [flagCell(names), sentences(help, `${choiceText(choices)} ${manual}`.trim()), withCode(standing)]
}

/** `-o, --output <path>` as `-o`, `--output PATH`. */
function flagCell(names: string | undefined): string {
  if (names === undefined) return ''
  const shown = names.replace(/[<[][^>\]]*[>\]]/, (value) => value.replace(/[<>]/g, '').toUpperCase())
  return shown
    .split(/, (?=-)/)
    .map(code)
    .join(', ')
}

/** A line of `--help` as a sentence, and sentences after it. */
function sentences(line: string, after: string): string {
  const text = withCode(line)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}. ${after}`.trim()
}

/** Flags, files and commands as code, where they are not yet. */
function withCode(text: string): string {
  const found = /(?<![\w`/-])(?:--[a-z][a-z-]*|[\w./]+\.(?:json|sqlite)|"?enrich (?:receive|serve)"?)/g
  return text.replace(found, (word) => code(word.replaceAll('"', '')))
}

const code = (text: string) => `\`${text}\``

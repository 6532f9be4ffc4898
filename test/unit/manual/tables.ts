import { iso31661 } from 'iso-3166'
import { findCountryName } from '../../../src/core/countries.js'
import { findUniqueForm, hasLocalOffices } from '../../../src/core/numbers/court-numbers.js'
import { dirname, relative } from 'node:path/posix'
import { formatCount } from '../../../src/core/text.js'
import { z } from 'zod'
import { drawRooms } from './rooms.js'
import { listSummaryMembers } from './summary-members.js'
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
        ['REA without its province, `1234567`', 'Italy'],
        [
          'numbers of local registers, `34512` or `T-34512`',
          list(local.filter((one) => one !== 'DE' && one !== 'IT' && !french.includes(one))),
        ],
      ],
    }
  },
  summary: () => ({
    head: ['member', 'content'],
    rows: listSummaryMembers(),
  }),
  'stage-columns': (words) =>
    columnTable(stageKinds.filter((stage) => words.includes(stage)).flatMap(getStageColumns)),
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

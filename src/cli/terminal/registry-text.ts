import { defaultPaths } from '../../config/options.js'
import { findCountryName } from '../../core/countries.js'
import { formatCount, plural, quoteName } from '../../core/text.js'
import { hasSameLetters } from '../../core/numbers/registry-suffix.js'
import type { ImportFormat, ImportResult, LoadedFile, LoadPlan } from '../../registry/load.js'
import { formatTermList, quote } from './command-io.js'
import {
  apartReasons,
  formatLevels,
  type LinkageReport,
  type SearchHit,
} from '../../registry/read-registry.js'

type LoadStep = LoadPlan['steps'][number]

interface ImportTextOptions {
  /** `null`: without the next command. */
  readonly registryPath: string | null
  readonly isOwnList: boolean
  /** Number of rejected rows, and of dropped values, that are listed; defaults to all known ones. */
  readonly reasonsMax?: number
}

export function formatImport(
  result: ImportResult,
  file: string,
  { registryPath, isOwnList, reasonsMax = Infinity }: ImportTextOptions,
): string {
  if (result.unchanged) return `${file} was imported before, unchanged: nothing to do.\n`
  const lines = [`${file}: ${plural(result.rowCount, 'row')}`, ...formatImportCounts(result)]
  lines.push(...formatReasons(result, reasonsMax))
  // Users can fix their own lists, but not the files of a register.
  if (result.rejectedCount > 0 && isOwnList)
    lines.push('Fix these rows and import the file again: rows keep their ids.')
  if (registryPath !== null) lines.push(formatNext(registryPath))
  return `${lines.join('\n')}\n`
}

/** The next command after an import. */
export function formatNext(registryPath: string): string {
  return `Next: enrich FILE -o out.csv${formatRegistryFlag(registryPath)}`
}

/** Commands in this folder use the registry at the default path without a flag. */
export function formatRegistryFlag(registryPath: string): string {
  return registryPath === defaultPaths.registry ? '' : ` --registry ${quote(registryPath)}`
}

const skipTexts = {
  excluded: 'of a kind that is not imported from this register, like sole traders',
  outside: 'of other countries',
  ended: 'ended',
  repeated: 'repeated in the file',
  superseded: 'repeated in the file, or stated with a later date',
} as const

/** Says for each reason of skipped rows how many have it. */
function describeSkips({ skips, newerFileDate }: ImportResult): string {
  const superseded = newerFileDate === null ? skipTexts.superseded : 'stated by the newer file'
  const texts = Object.entries({ ...skipTexts, superseded })
  const said = texts.flatMap(([why, text]) => {
    const count = skips[why as keyof typeof skips]
    return count > 0 ? [{ count, text }] : []
  })
  return said
    .map(({ count, text }) => (said.length === 1 ? text : `${formatCount(count)} ${text}`))
    .join('; ')
}

/** One line for each count, explained if the word alone is unclear. */
function formatImportCounts(result: ImportResult): string[] {
  const line = (word: string, value: number, meaning = '') =>
    `  ${word.padEnd(9)} ${formatCount(value)}${meaning === '' ? '' : `   (${meaning})`}`
  const lineIf = (word: string, value: number, meaning: string) =>
    value > 0 ? [line(word, value, meaning)] : []
  const isOlder = result.newerFileDate !== null
  return [
    line('new', result.importedCount),
    line('updated', result.updatedCount),
    ...(result.updatedCount > 0
      ? [line('changed', result.changedCount, 'updated rows whose facts differ from those before')]
      : []),
    ...lineIf(
      'renamed',
      result.renamedCount,
      'updated rows with a new name; the old name stays as a former name',
    ),
    ...lineIf(
      'together',
      result.togetherCount,
      'updated rows of a company that an earlier row of this file has too',
    ),
    ...lineIf(
      'joined',
      result.joinedCount,
      'new companies that share a number with another company, and are one with it now',
    ),
    ...lineIf(
      'rekeyed',
      result.newKeyCount,
      'updated rows with a new id, because --id-type, --country or --jurisdiction has another value; the old id leads to the new one',
    ),
    line('rejected', result.rejectedCount),
    ...lineIf('skipped', result.skippedCount, describeSkips(result)),
    ...(result.keptCount > 0
      ? [
          line(
            'waiting',
            result.keptCount,
            `rows about companies that are not loaded yet; they wait for a file with these companies${result.waitingCount > 0 ? `; ${formatCount(result.waitingCount)} companies` : ''}`,
          ),
        ]
      : lineIf(
          'waiting',
          result.waitingCount,
          'rows counted above that also name a company that is not loaded yet; this part waits for a file with that company',
        )),
    ...lineIf(
      'removed',
      result.vanishedCount,
      isOlder
        ? 'not in the newer file; search still finds them, marked as no longer named'
        : 'in the previous file only; search still finds them, marked as no longer named',
    ),
    ...(!isOlder && result.vanishedCount > result.rowCount
      ? [
          '  More companies are gone than the file has. If it is only a part of the register, import the whole file: it brings them back.',
        ]
      : []),
    ...(!isOlder && result.vanishedCount > 0 && result.updatedCount === 0
      ? [
          '  No company of the previous file is in this one. If it should be: other values of --id-type, --map id, --country or --jurisdiction give every company another id. Import the file again with those of the previous import, then search finds each company once.',
        ]
      : []),
    ...(result.newerFileDate === null
      ? []
      : [
          `  This file is older than the one of ${result.newerFileDate.slice(0, 10)} that was imported before: it adds only rows that the newer file does not have.`,
          `  If that is wrong, pass its date: --date YYYY-MM-DD`,
        ]),
  ]
}

const formatTexts: Readonly<Record<ImportFormat, string>> = {
  csv: 'any CSV, with --map and --id-type',
  gleif: 'Level 1 golden copy of GLEIF, CSV or JSON (LEI-CDF 3.1)',
  'gleif-relationships': 'Level 2 golden copy of GLEIF, CSV (RR-CDF 2.1): who owns whom',
  'gleif-bic': 'LEI-to-BIC map of GLEIF, CSV',
  'gleif-isin': 'LEI-to-ISIN map of GLEIF, CSV',
  'lei-cik': 'LEI-to-CIK map, CSV: the two columns are detected by their content',
  'gleif-authorities': 'list of registration authorities of GLEIF, CSV: names for codes',
  'gleif-legal-forms': 'list of legal forms of GLEIF (ISO 20275), CSV: names for codes',
  'sec-tickers': 'company_tickers_exchange.json of the SEC',
  'sec-submissions': 'CIK##########.json of the SEC, or a zip of such files',
  'sec-sub': 'SUB table of the Financial Statement Data Sets of the SEC, or the zip of a quarter',
  'sec-names': 'former names of registrants, CSV: cik, alias, kind',
  domains: 'your list of domains, CSV: domain, company (an LEI, CIK or company number)',
  'companies-house': 'BasicCompanyData of Companies House, CSV',
  wikidata: 'result of a query of Wikidata, CSV or JSON: names, websites and tickers by LEI, CIK or number',
}

export function listFormats(): string {
  return formatTermList('Formats:', Object.entries(formatTexts))
}

/** Formats the reasons of an import for rejected rows and dropped values, each value once. */
export function formatReasons(
  { rejections, rejectedCount, drops, droppedCount }: ImportResult,
  reasonsMax: number,
): string[] {
  const rejected = rejections.map((one) => ({ ...one, count: 1, lines: [one.line] }))
  return [
    ...formatCounted('Rejected rows', rejected.slice(0, reasonsMax), rejectedCount),
    ...formatCounted('Values left out of rows that were kept', drops.slice(0, reasonsMax), droppedCount),
  ]
}

function formatCounted(title: string, reasons: ImportResult['drops'], total: number): string[] {
  if (total === 0) return []
  const restCount = reasons.reduce((rest, { count }) => rest - count, total)
  const more = restCount > 0 ? [`  … and ${formatCount(restCount)} more`] : []
  const format = ({ reason, count, lines }: ImportResult['drops'][number]) =>
    count === 1
      ? `  line ${lines[0] ?? ''}: ${reason}`
      : `  ${formatCount(count)} times: ${reason} (lines ${lines.join(', ')}${count > lines.length ? ', …' : ''})`
  return [`${title}:`, ...reasons.map(format), ...more]
}

export function formatHits(name: string, hits: readonly SearchHit[]): string {
  if (hits.length === 0) return `Nothing found for ${quoteName(name)}.\n`
  const lines = hits.map((hit) => {
    const place = [hit.city, hit.jurisdiction.jurisdictionCode].filter((part) => part !== null).join(', ')
    const shown = hasSameLetters(hit.name, hit.legalName) ? '' : ` (${hit.name})`
    return `${String(hit.score).padStart(3)}  ${hit.legalName}${shown}  ${place}  ${hit.status ?? ''}  ${hit.entityId}`
  })
  return `${lines.join('\n')}\n`
}

export function formatPlan({ steps, leftOut }: LoadPlan, registryPath: string): string {
  const lines =
    steps.length === 0
      ? []
      : [
          `To load into ${registryPath}, in this order:`,
          ...formatSteps(steps),
          ...formatColumnMaps(steps, registryPath),
        ]
  if (leftOut.length > 0) {
    lines.push('Skipped:')
    for (const { path, reason, command } of leftOut) {
      lines.push(`  ${path}: ${reason}`)
      if (command !== null)
        lines.push(`    after checking the file: ${command}${formatRegistryFlag(registryPath)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function formatSteps(steps: readonly LoadStep[]): string[] {
  const rows = [
    ['', 'format', 'rows', 'date', 'file'],
    ...steps.map((step, index) => [
      String(index + 1),
      step.source ?? step.format,
      step.rowEstimate === null ? '?' : `~${formatCount(step.rowEstimate)}`,
      step.fileDate.slice(0, 10),
      step.path,
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) => {
    const [at = '', format = '', count = '', day = '', file = ''] = row
    const [atWidth = 0, formatWidth = 0, countWidth = 0, dayWidth = 0] = widths
    return `  ${at.padStart(atWidth)}  ${format.padEnd(formatWidth)}  ${count.padStart(countWidth)}  ${day.padEnd(dayWidth)}  ${file}`
  })
}

/** Explains how a CSV of an unknown format is read by its headers. */
function formatColumnMaps(steps: readonly LoadStep[], registryPath: string): string[] {
  return steps.flatMap((step, index) => {
    if (step.proposal === null) return []
    const { idType, map, country, jurisdiction, unused, ambiguous } = step.proposal
    const fields = Object.entries(map).map(([field, column]) =>
      field === column ? field : `${field}=${column}`,
    )
    const number = idType === 'record' ? 'number of the row' : (idType ?? '').toUpperCase()
    const known = `the id is the ${idType === 'registration_id' ? `company number${country === null ? '' : ` (${country})`}` : number}`
    const home =
      jurisdiction === null
        ? ''
        : `; registered in ${findCountryName(jurisdiction.slice(0, 2).toUpperCase()) ?? ''} (${jurisdiction}) unless a row states another place`
    const left = unused.length === 0 ? '' : `; columns without a field: ${unused.join(', ')}`
    return [
      `  File ${index + 1}: CSV; ${known}; fields: ${fields.join(', ')}${home}${left}`,
      ...(ambiguous === null ? [] : [`    ${ambiguous}`]),
      ...step.notices.map((notice) => `    ${notice}`),
      ...step.overlooked.map(
        ({ column, command }) =>
          `    ${column} may have the status, and is not used, so companies that have ended are not known as such. To use it: ${command}${formatRegistryFlag(registryPath)}`,
      ),
    ]
  })
}

/** A load of many files shows the first reasons only; `registry import` and `--json` show more. */
export const reasonsOfLoadMax = 3

export function formatLoadedFile({ step, result, error }: LoadedFile): string {
  if (result === null) return `${step.path}: not loaded: ${error?.message ?? ''}\n`
  const isOwnList = step.format === 'csv'
  const options = { registryPath: null, isOwnList, reasonsMax: reasonsOfLoadMax }
  return formatImport(result, `${step.path} (${step.source ?? step.format})`, options)
}

export function formatFailures(failed: readonly LoadedFile[]): string {
  return failed.map(({ step, error }) => `${step.path} (${error?.message ?? ''})`).join('; ')
}

export function formatLoadSummary(
  files: readonly LoadedFile[],
  { leftOut }: LoadPlan,
  registryPath: string,
  elapsedMs: number,
): string {
  const results = files.flatMap(({ result }) => (result === null ? [] : [result]))
  const sum = (pick: (result: (typeof results)[number]) => number) =>
    formatCount(results.reduce((total, result) => total + pick(result), 0))
  const parts = [
    `${results.length} of ${files.length} files loaded`,
    `${sum(({ rowCount }) => rowCount)} rows`,
    `${sum(({ rejectedCount }) => rejectedCount)} rejected`,
    `${(elapsedMs / 1_000).toFixed(1)} s`,
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} skipped`]),
  ]
  return `${parts.join(', ')}\n${formatNext(registryPath)}\n`
}

type Joined = LinkageReport['joined'][number]
type Evidence = LinkageReport['apart'][number]['examples'][number]

const joinedTexts: Readonly<Record<Joined['reason'], string>> = {
  successor: 'a register names the successor',
  branch: 'a register names its head office',
  new_key: 'another option gave the row another id',
  lei: 'one LEI',
  registration_id: 'one number of one register',
  cik: 'one CIK',
  name: 'one name, confirmed by place and numbers',
}

const examplesShown = 3

/** Formats the linkage section of `registry info --linkage`. */
export function formatLinkage({ joined, apart }: LinkageReport): string {
  const lines = [
    `joined    ${sumCounts(joined)} registrations of one company, by`,
    ...joined.flatMap(({ reason, count, examples }) => [
      line(reason, count, joinedTexts[reason]),
      ...examples
        .slice(0, examplesShown)
        .map(({ legalName, evidence }) => `      ${formatJoin(legalName, evidence)}`),
    ]),
    `apart     ${sumCounts(apart)} pairs of one name in two sources, because`,
    ...apart.flatMap(({ reason, count, examples }) => [
      line(reason, count, apartReasons[reason]),
      ...examples.slice(0, examplesShown).map((evidence) => `      ${formatPair(evidence, 'and')}`),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

function sumCounts(counts: readonly { readonly count: number }[]): string {
  return formatCount(counts.reduce((sum, { count }) => sum + count, 0))
}

function line(reason: string, count: number, meaning: string): string {
  return `  ${reason.padEnd(16)} ${formatCount(count).padStart(7)}   ${meaning}`
}

function formatJoin(legalName: string, evidence: Evidence | null): string {
  return evidence === null ? legalName : formatPair(evidence, 'is')
}

function formatPair({ registrations, bits, levels }: Evidence, between: 'is' | 'and'): string {
  return `${registrations.map(({ name }) => name).join(` ${between} `)}: ${bits} bits (${formatLevels(levels)})`
}

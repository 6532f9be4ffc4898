import { findCountryName } from '../../core/countries.js'
import { formatBytes, formatCount, plural } from '../../core/text.js'
import { formatDuration } from '../../core/time.js'
import type { AnswerChanges } from '../../pipeline/history/read-history.js'
import type {
  findCoverage,
  GetOutcome,
  GetProgress,
  ImportResult,
  listRegisters,
} from '../../registry/load.js'
import { formatReasons, formatRegistryFlag, reasonsOfLoadMax } from './registry-text.js'
import { formatTableLines } from './screen.js'
import type { RegistryInfo } from '../../registry/read-registry.js'
import { quote, type CliIo } from './command-io.js'
import { buildSourcesCommand, getProgram, type UnmatchedCoverage } from './summary-text.js'

type Coverage = ReturnType<typeof findCoverage>
type ListedSource = ReturnType<typeof listRegisters>[number]

const gigabyte = 1_000_000_000

/** Downloads of registers have gigabytes. */
export const formatSize = (bytes: number): string =>
  bytes < gigabyte ? formatBytes(bytes) : `${formatCount(bytes / gigabyte, 1)} GB`

const nameCountry = (code: string): string =>
  code === '*' ? 'all countries' : (findCountryName(code) ?? code)

/** Formats `enrich registry info`. */
export function formatInfo(info: RegistryInfo): string {
  const sources = info.sources.map(
    (source) =>
      `  ${source.name} (${source.format}): ${plural(source.rowCount, 'row')}, ${formatCount(source.rejectedCount)} rejected, imported ${source.importedAt}`,
  )
  const lines = [
    `registry  ${info.path}`,
    `companies ${formatCount(info.entityCount)}`,
    `edition   ${info.edition}`,
    sources.length === 0
      ? `sources   none yet: enrich registry get NAME${formatRegistryFlag(info.path)}`
      : 'sources',
    ...sources,
  ]
  return `${lines.join('\n')}\n`
}

/** Formats `enrich registry sources`. */
export function formatSources(listed: readonly ListedSource[]): string {
  const rows = listed.map(({ source, loaded, state, loadedRows, isPart, diskBytes }) => [
    source.id,
    nameCountry(source.country),
    formatCount(source.rows),
    source.downloadMegabytes === undefined ? '' : formatSize(source.downloadMegabytes * 1_000_000),
    formatSize(diskBytes),
    source.rhythm,
    source.licence.name,
    isPart || state === 'imported' ? plural(loadedRows, 'row') : (loaded?.slice(0, 10) ?? ''),
  ])
  const header = ['name', 'country', 'rows', 'download', 'on disk', 'rhythm', 'licence', 'loaded']
  return [
    ...formatTableLines([header, ...rows], [20, 16, 12, 10, 10, 20, 34, 15], 155),
    '',
    'Get some: enrich registry get NAME...   For your list: enrich registry sources companies.csv',
    '',
  ].join('\n')
}

/** Formats the licences, with the texts to show. */
export function formatLicences(listed: readonly ListedSource[]): string {
  return listed
    .map(({ source: { id, publisher, licence, page } }) =>
      [
        `${id}: ${licence.name}${licence.url === undefined ? '' : ` (${licence.url})`}`,
        `  Show: ${licence.attribution}`,
        `  ${publisher}, ${page}`,
        '',
      ].join('\n'),
    )
    .join('')
}

/** Gaps of registers, which users of their country should know. */
const gaps: Readonly<Partial<Record<string, string>>> = {
  canada:
    'canada has the federal companies only: those of provinces and territories, as of Quebec and Ontario, are missing.',
}

/** Formats the sources for the rows of an input. `flags`: further flags of the commands. */
export function formatCoverage(input: string, coverage: Coverage, flags: readonly string[] = []): string {
  const { countries, loaded, imported, partial, names, costs, byHand, pages } = coverage
  const more = flags.map((flag) => ` ${flag}`).join('')
  const registry = flags.filter((flag) => flag.startsWith('--registry ')).map((flag) => ` ${flag}`)
  const refreshable = loaded.filter((id) => pages[id] === undefined)
  const manual = loaded.filter((id) => pages[id] !== undefined)
  const total = countries.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const isOpen = countries.some(isWithoutRegister)
  return [
    `${input}: ${plural(total, 'row')}`,
    `  ${'rows'.padStart(9)}  ${'country'.padEnd(20)}  registers`,
    ...countries.map(({ country, rowCount, sources, own, reason }) => {
      const name = country === null ? 'no known country' : nameCountry(country)
      const found =
        sources.length + own.length > 0
          ? [...sources, ...own].join(', ')
          : country === null
            ? ''
            : `no open register${reason === null ? ' known' : `: ${reason}`}`
      return `  ${formatCount(rowCount).padStart(9)}  ${name.padEnd(20)}  ${found}`
    }),
    ...countries.flatMap(({ sources }) => sources.flatMap((id) => gaps[id] ?? [])),
    ...(isOpen
      ? [
          'Companies without an open register may have an LEI (gleif), or are found by a hosted service (--base-url).',
        ]
      : []),
    ...(refreshable.length === 0
      ? []
      : [
          `Loaded already: ${refreshable.join(', ')} (enrich registry refresh${registry.join('')} brings them up to date)`,
        ]),
    ...manual.map((id) => `Loaded already: ${id} (download newer files yourself: ${pages[id] ?? ''})`),
    ...(imported.length === 0 ? [] : [`Loaded from your own files: ${imported.join(', ')}`]),
    ...partial.map(
      ({ id, loadedRows, rows }) =>
        `Loaded in part: ${id} (${formatCount(loadedRows)} of about ${plural(rows, 'row')})`,
    ),
    ...byHand.map(
      (id) =>
        `Download the files of ${id} yourself from ${pages[id] ?? ''}, then: enrich registry get ${id} --from PATH${registry.join('')}`,
    ),
    ...(names.length === 0
      ? []
      : [
          'Registers for this list:',
          ...costs.map(
            (cost) => `  ${cost.id.padEnd(16)}  for ${plural(cost.rowCount, 'row')}: ${formatCosts(cost)}`,
          ),
          `Together about ${formatCosts(coverage)}:`,
          `  enrich registry get ${names.join(' ')}${more}`,
          ...(names.length > 1 ? ['Leave out those that help too few rows.'] : []),
          ...listFilters(coverage),
        ]),
    '',
  ].join('\n')
}

const filterCountriesMax = 10

/** Says how to keep only the companies of the list's countries, for a register of all countries. */
function listFilters({ countries, names }: Coverage): string[] {
  const codes = countries.flatMap(({ country }) => country ?? [])
  const isFew = codes.length > 0 && codes.length <= filterCountriesMax
  return isFew && names.includes('gleif')
    ? [`With --country ${codes.join(',')}, gleif keeps only companies of these countries.`]
    : []
}

const formatCosts = ({ downloadBytes, diskBytes }: Pick<Coverage, 'downloadBytes' | 'diskBytes'>): string =>
  `${formatSize(downloadBytes)} to download, and ${formatSize(diskBytes)} on disk`

/** Builds the flags of `enrich registry get` for a registry (`null`: the default), with a contact if one is needed. */
export function buildGetFlags(
  { contact }: Coverage,
  registryPath: string | null,
  environment: CliIo['environment'],
): string[] {
  const hasContact = (environment['ENRICH_CONTACT'] ?? '').trim() !== ''
  return [
    ...(contact === null || hasContact ? [] : [`--contact "${contact}"`]),
    ...(registryPath === null ? [] : [`--registry ${quote(registryPath)}`]),
  ]
}

const isWithoutRegister = ({ country, sources, own }: Coverage['countries'][number]): boolean =>
  country !== null && sources.length + own.length === 0

const namedCountriesMax = 5
const namedRegistersMax = 3

const formatCountries = (countries: Coverage['countries']): string => {
  const named = countries
    .slice(0, namedCountriesMax)
    .map(({ country, rowCount }) => `${nameCountry(country ?? '')} ${formatCount(rowCount)}`)
  const more = countries.length - named.length
  return `${named.join(', ')}${more === 0 ? '' : ` and ${plural(more, 'more country', 'more countries')}`}`
}

/** Finds registers for rows without a company. `command`: command line of the run. `flags`: those of `buildGetFlags`. */
export function describeUnmatched(
  { countries, names, byHand, partial }: Coverage,
  command: string,
  flags: readonly string[],
): UnmatchedCoverage {
  const missing = countries.filter(({ sources }) => sources.some((id) => [...names, ...byHand].includes(id)))
  const without = countries.filter(isWithoutRegister)
  const isInPart = partial.some(({ id }) => names.includes(id))
  const isShort = byHand.length === 0 && names.length <= namedRegistersMax
  const places = missing.length === 0 ? '' : ` (${formatCountries(missing)})`
  const typed = isShort
    ? [getProgram(command), 'registry get', ...names, ...flags]
    : [buildSourcesCommand(command), ...flags.filter((flag) => flag.startsWith('--registry'))]
  return {
    without: without.length === 0 ? null : formatCountries(without),
    step:
      names.length + byHand.length === 0
        ? null
        : {
            text: `load ${isInPart ? 'whole registers' : 'registers'} for rows without a company${places}`,
            command: typed.join(' '),
            page: null,
          },
  }
}

/** Formats the progress of a download or of loading. */
export function formatStep({ source, step, done, total }: GetProgress, elapsedMs: number): string {
  if (step === 'load') return `${source.id}: ${plural(done, 'row')} read`
  const leftMs = total === null || done === 0 || done >= total ? null : (elapsedMs / done) * (total - done)
  const share = total === null ? '' : ` of ${formatSize(total)} ${formatBar(done / total)}`
  const left = leftMs === null ? '' : ` about ${formatDuration(Math.max(1_000, leftMs))} left`
  return `${source.id}: ${formatSize(done)}${share}${left}`
}

const barColumns = 20

function formatBar(share: number): string {
  const filled = Math.round(Math.min(1, share) * barColumns)
  return `[${'#'.repeat(filled)}${'.'.repeat(barColumns - filled)}]`
}

/** Formats what became of a source. */
export function formatOutcome(outcome: GetOutcome): string {
  const { source, result, error, isDelta, wholeBecause, edition } = outcome
  const { id } = source
  const day = edition === null ? '' : ` (edition of ${edition.slice(0, 10)})`
  if (error !== null)
    return `${id}: not loaded: ${error.message}${edition === null ? '' : `; the edition of ${edition.slice(0, 10)} stays`}\n`
  if (result === null && source.files.length === 0)
    return `${id}: not refreshed${day}: a program cannot download its files, see ${source.page}\n`
  const whole = wholeBecause === null ? '' : `  read the whole register: ${wholeBecause}\n`
  if (result === null || result.unchanged) return `${id}: nothing changed${day}\n${whole}`
  const parts = [
    `${formatCount(result.importedCount)} new`,
    `${formatCount(result.changedCount)} changed`,
    `${formatCount(result.vanishedCount)} left`,
    ...(result.rejectedCount > 0 ? [`${formatCount(result.rejectedCount)} rejected`] : []),
    ...(result.droppedCount > 0 ? [`${plural(result.droppedCount, 'value')} left out`] : []),
  ]
  const lines = [
    `${id}: ${plural(result.rowCount, 'row')}${isDelta ? ' of changes' : ''}: ${parts.join(', ')}${day}`,
  ]
  for (const { file, fields } of outcome.missing ?? []) {
    const names = fields.map((field) => field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    const lost = names.length === 0 ? '' : `: companies have no ${names.join(', ')} from it`
    lines.push(`  no file with "${file}" in its name was given${lost}`)
  }
  lines.push(...formatReasons(result, reasonsOfLoadMax).map((reason) => `  ${reason}`))
  return `${lines.join('\n')}\n${formatLostStatuses(result) ?? ''}${whole}`
}

/** Warns of companies whose end may stay unseen; `null` without any. */
export function formatLostStatuses({ statusLostCount, drops }: ImportResult): string | null {
  const unread = drops.flatMap(({ reason }) => /^status (".*") is not known$/su.exec(reason)?.[1] ?? [])
  if (statusLostCount === 0 || unread.length === 0) return null
  const words = unread.slice(0, reasonsOfLoadMax).join(', ')
  const companies = `${plural(statusLostCount, 'company', 'companies')} ${statusLostCount === 1 ? 'was' : 'were'}`
  return `Warning: ${companies} active, and no status is known now. Unknown status words of the file: ${words}${unread.length > reasonsOfLoadMax ? ', …' : ''}. No change is reported for an unknown status. Write active, inactive or liquidation in the file, or translate the words with "cases" in a source file (docs/reference/register-files.md).\n`
}

/** The facts of a source for `--json`. */
export function toReport({ source, loaded, loadedRows }: ListedSource): object {
  const { id, name, publisher, country, page, licence, rhythm, rows, downloadMegabytes, states, certainty } =
    source
  return {
    id,
    name,
    publisher,
    country,
    page,
    licence,
    rhythm,
    rows,
    downloadMegabytes,
    states,
    certainty,
    loaded,
    loadedRows,
  }
}

/** The same of what became of one. */
export function toOutcome({ source, error, ...outcome }: GetOutcome): object {
  const failure =
    error === null ? null : { code: error.code, message: error.message, hint: error.hint ?? null }
  return { source: source.id, ...outcome, error: failure }
}

/** Formats what loaded editions change in answers of earlier runs: counts, and the first changes. */
export function formatAnswerChanges(
  checkpointPath: string,
  { companyCount, changedCompanyCount, changedRowCount, kinds }: AnswerChanges['counts'],
  shown: { readonly table: string; readonly count: number },
): string {
  const companies = plural(companyCount, 'company', 'companies')
  if (changedCompanyCount === 0)
    return `Answers of earlier runs (${checkpointPath}): none of ${companies} changed\n`
  const total = Object.values(kinds).reduce((sum, count) => sum + count, 0)
  return [
    `Answers of earlier runs (${checkpointPath}): ${formatCount(changedCompanyCount)} of ${companies} changed, in ${plural(changedRowCount, 'row')} of the next run`,
    ...Object.entries(kinds).map(([kind, count]) => `  ${kind.padEnd(18)}  ${plural(count, 'row')}`),
    '',
    `${shown.table}${total > shown.count ? `  … and ${formatCount(total - shown.count)} more: --json prints all of them\n` : ''}\n`,
  ].join('\n')
}

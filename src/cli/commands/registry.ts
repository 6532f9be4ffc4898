import { InvalidArgumentError, Option, type Command } from 'commander'
import { createNumberParser } from '../../config/option.js'
import { defaultPaths } from '../../config/options.js'
import { chooseRegistry } from '../../app/registry-adapter.js'
import type { Registry } from '../../registry/read-registry.js'
import { dateOrders, encodingNames } from '../../core/file-formats.js'
import { createCommandConnectors, formatJsonLine, type CliIo } from '../terminal/command-io.js'
import { addEvaluate } from './registry-evaluate.js'
import { addImport, addLoad } from './registry-import.js'
import { readCompanyCountry, findCoverage, listRegisters, openSource } from '../../registry/load.js'
import {
  buildGetFlags,
  formatCoverage,
  formatInfo,
  formatLicences,
  formatSources,
  toReport,
} from '../terminal/sources-text.js'
import { countCountries } from '../../app/inspect-input.js'
import { redactAddresses } from '../../core/local-path.js'
import { resolveSettings } from '../../config/settings.js'
import {
  addConfigFlags,
  addReadingFlags,
  readConfig,
  sourcesColumnFlags,
  type ConfigFlags,
  getParsedValue,
} from '../config-flags.js'
import { addGet, addRefresh } from './registry-get.js'
import { formatLinkage, formatHits } from '../terminal/registry-text.js'

const registryPathDefault = defaultPaths.registry

interface SearchFlags {
  country?: string
  region?: string
  limit: number
  registry?: string
  json?: boolean
}

/** Adds `enrich registry sources|get|refresh|import|load|info|search|evaluate`. */
export function fillRegistryCommand(registry: Command, io: CliIo): void {
  const imports = {
    map: createMapOption(),
    encoding: createEncodingOption(),
    dates: createDatesOption(),
    registry: createRegistryOption(),
    registryPathDefault,
  }
  const gets = { registry: createRegistryOption(), registryPathDefault }
  addSources(registry, io, createRegistryOption())
  addGet(registry, io, gets)
  addRefresh(registry, io, gets)
  addImport(registry, io, imports)
  addLoad(registry, io, imports)
  registry.addHelpText(
    'after',
    '\nTo remove a source, load the files of the others into a new registry\n(docs/manual/registers.md).',
  )
  addEvaluate(registry, io, imports)
  registry
    .command('info')
    .description('show the contents of the registry')
    .option('--linkage', 'show which registrations are one company and why, and which are not')
    .addOption(createRegistryOption())
    .option('--json', 'print one JSON line')
    .action((flags: { linkage?: boolean; registry?: string; json?: boolean }) => {
      withRegistry(flags.registry, (opened) => {
        const info = opened.info()
        const linkage = flags.linkage === true ? opened.linkage() : null
        if (flags.json === true)
          io.out(formatJsonLine('registry', linkage === null ? info : { ...info, linkage }))
        else io.out(formatInfo(info) + (linkage === null ? '' : formatLinkage(linkage)))
      })
    })
  registry
    .command('search')
    .description('find companies by name')
    .argument('<name>', 'name, or part of it')
    .option('--country <code>', 'only companies of this country (GB, US, …)')
    .option('--region <code>', 'only companies of this state or province (US-DE, DE, …)')
    .addOption(new Option('--limit <n>', 'maximum number of results').argParser(parseLimit).default(10))
    .addOption(createRegistryOption())
    .option('--json', 'print one JSON line for each company')
    .action((name: string, flags: SearchFlags) => {
      withRegistry(flags.registry, (opened) => {
        search(opened, name, flags, io)
      })
    })
}

interface SourcesFlags extends ConfigFlags {
  show?: string
  licences?: boolean
  registry?: string
  json?: boolean
}

/** Adds `enrich registry sources [INPUTS]`. */
function addSources(registry: Command, io: CliIo, option: Option): void {
  const sources = registry
    .command('sources')
    .description('list the open registers that enrich knows; with a list of companies, those that hold them')
    .argument('[inputs...]', 'files with companies')
  addConfigFlags(sources, ['config'])
  addReadingFlags(sources, sourcesColumnFlags)
  sources
    .option('--licences', 'print the licences, and the texts that users of the data must show')
    .option('--show <name>', 'print the description of a source, for a source of your own')
    .addOption(option)
    .option('--json', 'print one JSON line for each source')
    .action(async (inputs: string[], flags: SourcesFlags) => {
      if (flags.show !== undefined) {
        io.out(`${JSON.stringify(await openSource(flags.show), null, 2)}\n`)
        return
      }
      const isOfList = inputs.length > 0 || flags.config !== undefined
      const settings = isOfList
        ? resolveSettings(readConfig(inputs, flags, io.environment), io.environment)
        : null
      const registryPath = settings?.service.registryPath ?? flags.registry ?? null
      const path = registryPath ?? registryPathDefault
      const listed = listRegisters(path)
      if (settings !== null) {
        const counts = await countCountries(settings, createCommandConnectors(io), readCompanyCountry)
        const coverage = findCoverage(counts, path)
        const more = buildGetFlags(coverage, registryPath, io.environment)
        if (flags.json === true) io.out(formatJsonLine('coverage', coverage))
        else io.out(formatCoverage(redactAddresses((settings.input.paths ?? []).join(', ')), coverage, more))
      } else if (flags.json === true) {
        for (const one of listed) io.out(formatJsonLine('source', toReport(one)))
      } else io.out(flags.licences === true ? formatLicences(listed) : formatSources(listed))
    })
}

function search(registry: Registry, name: string, flags: SearchFlags, io: CliIo): void {
  const { hits } = registry.search({
    name,
    limit: flags.limit,
    ...(flags.country === undefined ? {} : { countryCode: flags.country }),
    ...(flags.region === undefined ? {} : { regionCode: flags.region }),
  })
  if (flags.json !== true) io.out(formatHits(name, hits))
  else for (const hit of hits) io.out(formatJsonLine('hit', hit))
}

function createMapOption(): Option {
  return new Option(
    '--map <field=column,…>',
    'columns of the fields; a field may have several: other_names=a,other_names=b keeps both, street_address=a,street_address=b joins them',
  ).argParser(parseMap)
}

function createEncodingOption(): Option {
  return new Option('--encoding <name>', 'encoding of the file (default: detected)').choices(encodingNames)
}

function createDatesOption(): Option {
  return new Option(
    '--dates <order>',
    'csv: order of day and month in dates like 03/02/2001 (default: as the column shows)',
  ).choices(dateOrders)
}

function createRegistryOption(): Option {
  return new Option('--registry <path>', `path of the registry (default: ${registryPathDefault})`)
}

/** Opens the named registry, otherwise that of this folder, otherwise that of the package. */
function withRegistry(path: string | undefined, use: (registry: Registry) => void): void {
  const { registry } = chooseRegistry(path ?? null)
  try {
    use(registry)
  } finally {
    registry.close()
  }
}

function parseMap(text: string, previous: Record<string, string> | undefined): Record<string, string> {
  const map = { ...previous }
  let last = ''
  for (const pair of text.split(',')) {
    const [field, ...column] = pair.split('=')
    if (column.length > 0) last = field?.trim() ?? ''
    if (last === '') throw new InvalidArgumentError(`"${pair}" is not field=column`)
    const text = column.length > 0 ? column.join('=') : pair
    map[last] = (map[last] === undefined ? text : `${map[last]},${text}`).trim()
  }
  return map
}

const limitMax = 1_000

const parseLimit = (text: string): number => getParsedValue(createNumberParser(1, limitMax)(text))

import { Option, type Command } from 'commander'
import { countCountries } from '../../app/inspect-input.js'
import { findCountryCode } from '../../core/countries.js'
import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import {
  findCoverage,
  getRegisters,
  listLoaded,
  listRegisters,
  openSource,
  type GetProgress,
} from '../../registry/load.js'
import { createCommandConnectors, formatJsonLine, type CliIo } from '../terminal/command-io.js'
import {
  formatCoverage,
  formatLicences,
  formatOutcome,
  formatSize,
  formatSources,
  formatStep,
  toOutcome,
  toReport,
} from '../terminal/sources-text.js'
import { createProgress } from './registry-import.js'

type RegistryOptions = { readonly registry: Option; readonly registryPathDefault: string }

interface SourcesFlags {
  show?: string
  licences?: boolean
  registry?: string
  json?: boolean
}

/** Adds `enrich registry sources [INPUT]`. */
export function addSources(registry: Command, io: CliIo, options: RegistryOptions): void {
  registry
    .command('sources')
    .description('list the open registers that enrich knows; with a list of companies, those that hold them')
    .argument('[input]', 'file with companies')
    .option('--licences', 'print the licences, and the texts that users of the data must show')
    .option('--show <name>', 'print the description of a source, for a source of your own')
    .addOption(options.registry)
    .option('--json', 'print one JSON line for each source')
    .action(async (input: string | undefined, flags: SourcesFlags) => {
      if (flags.show !== undefined) {
        io.out(`${JSON.stringify(await openSource(flags.show), null, 2)}\n`)
        return
      }
      const listed = listRegisters(flags.registry ?? options.registryPathDefault)
      if (input !== undefined) {
        const coverage = findCoverage(
          await countCountries(input, io.environment, createCommandConnectors(io), findCountryCode),
        )
        io.out(flags.json === true ? formatJsonLine('coverage', coverage) : formatCoverage(input, coverage))
      } else if (flags.json === true) {
        for (const { source, loaded } of listed) io.out(formatJsonLine('source', toReport(source, loaded)))
      } else io.out(flags.licences === true ? formatLicences(listed) : formatSources(listed))
    })
}

interface GetFlags {
  country?: readonly string[]
  from?: readonly string[]
  contact?: string
  yes?: boolean
  registry?: string
  json?: boolean
}

/** Adds `enrich registry get NAME...`. */
export function addGet(registry: Command, io: CliIo, options: RegistryOptions): void {
  registry
    .command('get')
    .description('download registers from their publishers and load them')
    .argument('<names...>', 'sources, see enrich registry sources; or a file that describes one')
    .addOption(
      new Option('--country <codes>', 'keep only companies of these countries (DE,FR)').argParser(
        parseCountries,
      ),
    )
    .addOption(
      new Option('--from <address>', 'address or path of a file, if it moved; can be repeated').argParser(
        (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
      ),
    )
    .option('--contact <text>', 'your name and e-mail address, for publishers that want them')
    .option('--yes', 'download more than 500 MB without a question')
    .addOption(options.registry)
    .option('--json', 'print one JSON line for each source')
    .action(async (names: string[], flags: GetFlags) => {
      const { from = [] } = flags
      if (from.length > 0 && names.length > 1)
        throw new UserError('USAGE_INVALID', '--from is for one source at a time', {
          hint: 'name only this source',
        })
      await get(names, flags, io, { path: flags.registry ?? options.registryPathDefault, isRefresh: false })
    })
}

/** Adds `enrich registry refresh`. */
export function addRefresh(registry: Command, io: CliIo, options: RegistryOptions): void {
  registry
    .command('refresh')
    .description('bring the registers that "get" loaded up to date')
    .option('--contact <text>', 'your name and e-mail address, for publishers that want them')
    .option('--yes', 'download more than 500 MB without a question')
    .addOption(options.registry)
    .option('--json', 'print one JSON line for each source')
    .action(async (flags: GetFlags) => {
      const path = flags.registry ?? options.registryPathDefault
      const names = listLoaded(path).map(({ name }) => name)
      if (names.length === 0)
        throw new UserError('USAGE_INVALID', `${path} has no register that was loaded with "registry get"`, {
          hint: 'enrich registry get NAME; enrich registry sources lists the names',
        })
      await get(names, flags, io, { path, isRefresh: true })
    })
}

function parseCountries(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => {
      const code = findCountryCode(part.trim())
      if (code !== null) return code
      throw new UserError('USAGE_INVALID', `--country: "${part.trim()}" is not a country`, {
        hint: 'pass codes: DE,FR',
      })
    })
    .sort()
}

async function get(
  names: readonly string[],
  flags: GetFlags,
  io: CliIo,
  { path, isRefresh }: { path: string; isRefresh: boolean },
): Promise<void> {
  const { environment } = io
  let last: GetProgress | null = null
  let progress: ReturnType<typeof createProgress> | null = null
  const end = () => {
    progress?.end()
    progress = null
  }
  const outcomes = await getRegisters(
    { registryPath: path, names, countries: flags.country ?? null, from: flags.from ?? [], isRefresh },
    {
      environment,
      clock: systemClock,
      signal: io.interrupt,
      contact: flags.contact ?? readVariable(environment, 'ENRICH_CONTACT'),
      mirror: readVariable(environment, 'ENRICH_REGISTER_MIRROR'),
      accepts: (downloadBytes) => mayDownload(downloadBytes, flags, io),
      onProgress(step) {
        if (last?.source !== step.source || last.step !== step.step) {
          end()
          progress = createProgress(io, systemClock, (_, elapsedMs) => formatStep(last ?? step, elapsedMs))
        }
        last = step
        progress?.tell(step.done)
      },
      onDone(outcome) {
        end()
        io.out(flags.json === true ? formatJsonLine('register', toOutcome(outcome)) : formatOutcome(outcome))
      },
    },
  )
  if (flags.json !== true && outcomes.some(({ result }) => result !== null))
    io.out('Next: enrich companies.csv -o out.csv\n')
}

function readVariable(environment: CliIo['environment'], name: string): string | null {
  const text = environment[name]?.trim() ?? ''
  return text === '' ? null : text
}

async function mayDownload(
  downloadBytes: number,
  { yes = false, json = false }: GetFlags,
  io: CliIo,
): Promise<boolean> {
  if (yes) return true
  const size = formatSize(downloadBytes)
  const { stdin, stdout } = io as { stdin: { isTTY?: boolean }; stdout: { isTTY?: boolean } }
  if (json || stdin.isTTY !== true || stdout.isTTY !== true) {
    throw new UserError('USAGE_INVALID', `the files have ${size}, more than 500 MB`, {
      hint: 'pass --yes to download them',
    })
  }
  const prompts = await import('@clack/prompts')
  const answer = await prompts.confirm({ message: `Download ${size}?`, signal: io.interrupt })
  return answer === true
}

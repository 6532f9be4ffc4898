import { Option, type Command } from 'commander'
import { compareAnswers } from '../../app/inspect-input.js'
import { resolveSettings } from '../../config/settings.js'
import type { Change } from '../../core/alarms.js'
import { findCountryCode } from '../../core/countries.js'
import { UserError } from '../../core/errors.js'
import { toChangeRecord } from '../../pipeline/history/read-history.js'
import { systemClock } from '../../platform/clock.js'
import { getRegisters, listLoaded, type GetOutcome, type GetProgress } from '../../registry/load.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'
import {
  formatAnswerChanges,
  formatOutcome,
  formatSize,
  formatStep,
  toOutcome,
} from '../terminal/sources-text.js'
import { formatNext, formatRegistryFlag } from '../terminal/registry-text.js'
import { getTerminalColumns } from '../terminal/screen.js'
import { formatChangeTable, shownMax } from './diff.js'
import { createProgress } from './registry-import.js'

type RegistryOptions = { readonly registry: Option; readonly registryPathDefault: string }

interface GetFlags extends ConfigFlags {
  country?: readonly string[]
  from?: readonly string[]
  contact?: string
  yes?: boolean
  registry?: string
  json?: boolean
}

/** Adds `enrich registry get NAME...`. */
export function addGet(registry: Command, io: CliIo, options: RegistryOptions): void {
  const command = registry
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
        (text: string, before?: readonly string[]) => [...(before ?? []), text],
      ),
    )
    .action(async (names: string[], flags: GetFlags) => {
      if (flags.from !== undefined && names.length > 1)
        throw new UserError('USAGE_INVALID', '--from is for one source at a time', {
          hint: 'name only this source',
        })
      await get(names, flags, io, { path: flags.registry ?? options.registryPathDefault, isRefresh: false })
    })
  addCommonFlags(command, options)
}

function addCommonFlags(command: Command, options: RegistryOptions): void {
  command
    .option('--contact <text>', 'your name and e-mail address, for publishers that want them')
    .option('--yes', 'download more than 500 MB without a question')
    .addOption(options.registry)
    .option('--json', 'print one JSON line for each source, and for each changed answer')
  addConfigFlags(command, ['config', 'checkpoint'])
}

export function addRefresh(registry: Command, io: CliIo, options: RegistryOptions): void {
  const command = registry
    .command('refresh')
    .description('bring the registers that "get" loaded up to date')
    .action(async (flags: GetFlags) => {
      const path = flags.registry ?? options.registryPathDefault
      const names = listLoaded(path).map(({ name }) => name)
      if (names.length === 0)
        throw new UserError('USAGE_INVALID', `${path} has no register that was loaded with "registry get"`, {
          hint: `enrich registry get NAME${formatRegistryFlag(path)}; enrich registry sources lists the names`,
        })
      await get(names, flags, io, { path, isRefresh: true })
    })
  addCommonFlags(command, options)
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
  const checkpointPath = readCheckpointPath(flags, io.environment)
  const changed: GetOutcome[] = []
  let last: GetProgress | null = null
  let progress: ReturnType<typeof createProgress> | null = null
  const end = () => {
    progress?.end()
    progress = null
  }
  const getting = getRegisters(
    { registryPath: path, names, countries: flags.country ?? null, from: flags.from ?? [], isRefresh },
    {
      environment: io.environment,
      clock: systemClock,
      signal: io.interrupt,
      contact: flags.contact ?? readVariable(io.environment, 'ENRICH_CONTACT'),
      mirror: readVariable(io.environment, 'ENRICH_REGISTER_MIRROR'),
      accepts: (downloadBytes) => mayDownload(downloadBytes, flags, io),
      onProgress(step) {
        if (last?.source !== step.source || last.step !== step.step) {
          end()
          progress = createProgress(io, systemClock, (_, elapsedMs) => formatStep(last ?? step, elapsedMs))
        }
        last = step
        progress?.tell(step.done)
      },
      onNotice(text) {
        io.err(`${text}\n`)
      },
      onDone(outcome) {
        end()
        if (outcome.result?.unchanged === false) changed.push(outcome)
        io.out(flags.json === true ? formatJsonLine('register', toOutcome(outcome)) : formatOutcome(outcome))
      },
    },
  )
  try {
    await getting
  } finally {
    if (changed.length > 0) await showAnswerChanges({ checkpointPath, registryPath: path }, flags, io)
  }
  if (flags.json !== true && changed.length > 0) io.out(`${formatNext(path)}\n`)
}

/** Prints what the loaded editions change in answers of earlier runs. A checkpoint that cannot be read is a notice. */
async function showAnswerChanges(
  place: Parameters<typeof compareAnswers>[0],
  { json = false, checkpoint }: GetFlags,
  io: CliIo,
): Promise<void> {
  const first: Change[] = []
  try {
    await compareAnswers(place, io.environment, async (changes) => {
      for await (const batch of changes.batches) {
        io.interrupt.throwIfAborted()
        if (json) for (const change of batch) io.out(formatJsonLine('change', toChangeRecord(change, false)))
        else first.push(...batch.slice(0, shownMax - first.length))
      }
      // Answers of another registry are not compared.
      if (changes.counts.companyCount === 0) return
      if (json) io.out(formatJsonLine('answers', changes.counts))
      else {
        const table = formatChangeTable(first, getTerminalColumns(io))
        io.out(formatAnswerChanges(place.checkpointPath, changes.counts, { table, count: first.length }))
      }
    })
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    if (error.code === 'CHECKPOINT_NOT_FOUND' && checkpoint === undefined) return
    io.err(`The answers of earlier runs were not compared: ${error.message}\n`)
  }
}

/** Other flags of these commands have the names of settings of a run. */
function readCheckpointPath({ config, checkpoint }: GetFlags, environment: CliIo['environment']): string {
  const flags = { ...(config === undefined ? {} : { config }), checkpoint }
  return resolveSettings(readConfig([], flags, environment), environment).checkpoint.path
}

const readVariable = (environment: CliIo['environment'], name: string): string | null =>
  environment[name]?.trim() || null

async function mayDownload(
  downloadBytes: number,
  { yes = false, json = false }: GetFlags,
  io: CliIo,
): Promise<boolean> {
  if (yes) return true
  const size = formatSize(downloadBytes)
  if (json || [io.stdin, io.stdout].some((stream) => !('isTTY' in stream && stream.isTTY === true))) {
    throw new UserError('USAGE_INVALID', `the files have ${size}, more than 500 MB`, {
      hint: 'pass --yes to download them',
    })
  }
  const prompts = await import('@clack/prompts')
  return (await prompts.confirm({ message: `Download ${size}?`, signal: io.interrupt })) === true
}

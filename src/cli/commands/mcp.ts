import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Option, type Command } from 'commander'
import { costMax, SpendingCap } from '../../config/billing.js'
import { parseWholeNumber, type FlagGroup } from '../../config/option.js'
import { toAbsolute } from '../../connectors/connectors.js'
import { UserError } from '../../core/errors.js'
import { toMicros } from '../../core/money.js'
import { addConfigFlags, getParsedValue } from '../config-flags.js'
import type { CreateProgram } from '../mcp/workspace.js'
import type { CliIo } from '../terminal/command-io.js'

interface McpFlags {
  readonly root: string
  readonly allowRun?: boolean
  readonly maxLookups?: number
  readonly maxCost?: number
  readonly yes?: boolean
}

/** Groups of flags that the commands of the tools get too. */
const groups: readonly FlagGroup[] = ['config', 'checkpoint', 'decisions', 'service']

/** Adds `enrich mcp`. The tools run other commands of `createProgram`. */
export function fillMcpCommand(command: Command, io: CliIo, createProgram: CreateProgram): void {
  command
    .requiredOption('--root <folder>', 'folder whose files the assistant may use')
    .option('--allow-run', 'also offer the tools that submit lookups and propose decisions')
    .addOption(
      new Option('--max-lookups <n>', 'submit at most n lookups in all runs of this server').argParser(
        (text) => getParsedValue(parseWholeNumber(text)),
      ),
    )
    .addOption(
      new Option('--max-cost <amount>', 'highest cost of all runs of this server').argParser((text) =>
        getParsedValue(costMax.flag?.parse?.(text) ?? { fault: '' }),
      ),
    )
    .option('--yes', 'do not ask the user before a run')
  addConfigFlags(command, groups)
  command.action(async (flags: McpFlags) => {
    const passed = listPassedFlags(command)
    // Paths of tools, the config and the checkpoint are relative to the folder.
    process.chdir(findRoot(flags.root))
    const { Workspace } = await import('../mcp/workspace.js')
    const { assertLimited } = await import('../mcp/run-tool.js')
    const { serveTools } = await import('../mcp/server.js')
    const { allowRun: allowsRun = false, yes: skipsQuestions = false, maxLookups, maxCost } = flags
    const max = { lookups: maxLookups ?? null, costMicros: maxCost === undefined ? null : toMicros(maxCost) }
    const cap = new SpendingCap(max)
    const root = process.cwd()
    const workspace = new Workspace({
      io,
      createProgram,
      root,
      flags: passed,
      cap,
      allowsRun,
      skipsQuestions,
    })
    const limit = maxCost === undefined ? [] : ['--max-cost', String(maxCost)]
    const settings = workspace.readSettings([...workspace.toWords({}), ...limit])
    if (allowsRun) assertLimited(settings, max)
    await serveTools(workspace)
  })
}

/** The passed flags of other commands, with paths that stay valid in another folder. */
function listPassedFlags(command: Command): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName()
    const value: unknown = command.getOptionValue(name)
    const isOwn = ['root', 'allowRun', 'maxLookups', 'maxCost', 'yes'].includes(name)
    if (isOwn || typeof value !== 'string' || command.getOptionValueSource(name) !== 'cli') return []
    return [option.long ?? '', option.flags.includes('<path>') ? toAbsolute(value, resolve) : value]
  })
}

/** Throws USAGE_INVALID if it is not a folder. */
function findRoot(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return realpathSync(path)
  throw new UserError('USAGE_INVALID', `--root ${path} is not a folder`, { hint: 'name an existing folder' })
}

import type { Command, Option } from 'commander'
import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import { loadInto, planLoad, type LoadedFile } from '../../registry/import/load/load.js'
import { jsonLine, type CliIo } from '../terminal/io.js'
import { createProgress } from './registry-import.js'
import { loadProgressText } from '../terminal/registry-text.js'
import { failureText, loadedText, planText, summaryText } from '../terminal/registry-load-text.js'

interface LoadFlags {
  registry?: string
  dryRun?: boolean
  json?: boolean
}

/** `enrich registry load PATH…`; the registry is an option as the other commands have it. */
export function addLoad(
  registry: Command,
  io: CliIo,
  options: { registry: Option; registryPathDefault: string },
): void {
  registry
    .command('load')
    .description("read files and folders of registry data in: each file's format is told by what is in it")
    .argument('<paths...>', 'files or folders; packed files as they are')
    .option('--dry-run', 'show the plan and import nothing')
    .addOption(options.registry)
    .option('--json', 'JSON lines: the plan, then each file as it is loaded')
    .action(async (paths: string[], flags: LoadFlags) => {
      await runLoad(paths, flags, flags.registry ?? options.registryPathDefault, io)
    })
}

async function runLoad(
  paths: readonly string[],
  flags: LoadFlags,
  registryPath: string,
  io: CliIo,
): Promise<void> {
  const isJson = flags.json === true
  const plan = await planLoad(paths, io.interrupt)
  io.out(isJson ? jsonLine('plan', plan) : planText(plan, registryPath))
  if (plan.steps.length === 0) {
    throw new UserError('REGISTRY_IMPORT_INVALID', 'none of the files can be loaded', {
      hint: plan.leftOut[0] === undefined ? 'the folders are empty' : 'the plan says why of each',
    })
  }
  if (flags.dryRun === true) return
  let progress = createProgress(io, systemClock)
  const startedAtMs = systemClock.monotonicMs()
  const files = await loadInto(registryPath, plan, {
    signal: io.interrupt,
    onBegun: (step) => {
      const textOf = (rowCount: number, elapsedMs: number) => loadProgressText(step, rowCount, elapsedMs)
      progress = createProgress(io, systemClock, textOf)
      progress.tell(0)
    },
    onProgress: (rowCount) => {
      progress.tell(rowCount)
    },
    onLoaded: (file) => {
      progress.end()
      io.out(isJson ? jsonLine('loaded', reportOf(file)) : loadedText(file))
    },
  })
  const elapsedMs = Math.round(systemClock.monotonicMs() - startedAtMs)
  const failed = files.filter(({ error }) => error !== null)
  if (!isJson) io.out(summaryText(files, plan, registryPath, elapsedMs))
  else io.out(jsonLine('summary', { fileCount: files.length, failedCount: failed.length, elapsedMs }))
  if (failed.length > 0) throw failure(failed, files.length)
}

function reportOf({ step, result, error }: LoadedFile): object {
  const failed =
    error === null ? null : { code: error.code, message: error.message, hint: error.hint ?? null }
  return { path: step.path, format: step.format, result, error: failed }
}

function failure(failed: readonly LoadedFile[], fileCount: number): UserError {
  const what = failed.length === 1 ? '1 file' : `${failed.length} files`
  return new UserError(
    'REGISTRY_IMPORT_INVALID',
    `${what} of ${fileCount} could not be loaded: ${failureText(failed)}`,
    {
      hint: 'the others are loaded; fix or download the file again and run the same command: what is loaded is not read twice',
    },
  )
}

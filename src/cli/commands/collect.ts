import type { Command } from 'commander'
import { formatCount } from '../../core/text.js'
import { resolveSettings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import { collectJob } from '../../pipeline/export-rows.js'
import { assertNotOurs } from '../../pipeline/own-files.js'
import { systemClock } from '../../platform/clock.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'

type Flags = ConfigFlags & { output?: string; job?: string; json?: boolean }

export function fillCollectCommand(command: Command, io: CliIo): void {
  command
    .option('--job <name>', 'name of the job')
    .option('-o, --output <path>', 'also write one file with all rows, in the same format')
  addConfigFlags(command, ['config', 'checkpoint', 'service'])
  command.option('--json', 'print the result as one JSON line').action((flags: Flags) => collect(flags, io))
}

async function collect(flags: Flags, io: CliIo): Promise<void> {
  const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
  const { path } = settings.checkpoint
  const job = settings.job.name
  if (job === null) {
    throw new UserError('USAGE_INVALID', 'there is no job name', { hint: 'enrich collect --job NAME' })
  }
  if (!isPostgresUrl(path)) {
    throw new UserError('PARTITION_UNSUPPORTED', 'the checkpoint is a file, which cannot have parts', {
      hint: 'pass the --checkpoint postgres://… of the parts',
    })
  }
  if (flags.output !== undefined) assertNotOurs([flags.output], [])
  const collected = await collectJob({
    url: path,
    environment: io.environment,
    clock: systemClock,
    job,
    baseUrl: settings.service.baseUrl,
    signal: io.interrupt,
    output: flags.output === undefined ? null : { path: flags.output },
  })
  if (flags.json === true) io.out(formatJsonLine('collected', collected))
  else io.err(formatCollected(collected))
}

function formatCollected({
  job,
  partCount,
  rowCount,
  manifestPath,
  outputPaths,
  removed,
}: Awaited<ReturnType<typeof collectJob>>): string {
  return [
    `${job}: all ${formatCount(partCount)} partitions are published, ${formatCount(rowCount)} rows`,
    ...outputPaths.map((path) => `  written   ${path}`),
    `  written   ${manifestPath}`,
    ...(removed.length === 0 ? [] : [`  removed   ${formatCount(removed.length)} files of other attempts`]),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

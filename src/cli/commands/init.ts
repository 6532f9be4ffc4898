import { existsSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Command } from 'commander'
import { inputOptions } from '../../app/inspect-input.js'
import { excerptOf, proposeColumns } from '../../app/propose-columns.js'
import type { FileConfig } from '../../config/file-config.js'
import { defaultPaths } from '../../config/options.js'
import { resolveSettings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import { detectInputColumns, sampleColumns } from '../../pipeline/column-choice.js'
import { openInput, type Input } from '../../pipeline/input/input.js'
import type { AskingRule } from '../../pipeline/rules/asking-rule.js'
import type { ColumnSamples } from '../../pipeline/rules/column-content.js'
import { columnLines, reportColumns } from '../../pipeline/rules/column-report.js'
import type { AskedColumns, LookupColumns } from '../../pipeline/rules/detect-columns.js'
import { publishFile, temporaryPath } from '../../platform/durable-files.js'
import { addConfigFlags, configOfFlags, type ConfigFlags } from '../config-flags.js'
import { askerOf, type Asker } from '../terminal/asker.js'
import { jsonLine, quote, type CliIo } from '../terminal/io.js'
import { previewText } from '../terminal/preview-text.js'

type InitFlags = ConfigFlags & { yes?: boolean; force?: boolean; json?: boolean }

/** Looks at a file, asks what is unsure, shows five answered rows, writes the config. Nothing is billed. */
export function fillInitCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'output', 'input', 'service'])
  command.option('--yes', 'ask nothing: what was found is taken')
  command.option('--force', 'write over a config that is there')
  command.option('--json', 'what was found and written, as one JSON line; asks nothing')
  command.action(async (file: string, flags: InitFlags) => {
    try {
      await initJob(file, flags, io)
    } catch (error) {
      if (!isAbort(error) || io.interrupt.aborted) throw error
      io.err('Nothing was written.\n')
      io.setExitCode(130)
    }
  })
}

async function initJob(file: string, flags: InitFlags, io: CliIo): Promise<void> {
  const asker = flags.yes === true || flags.json === true ? null : await askerOf(io)
  const configPath = flags.config ?? defaultPaths.config
  if (!(await mayWrite(configPath, flags, asker))) {
    io.out(`${configPath} stays as it is.\n`)
    return
  }
  const given = configOfFlags([file], flags, io.environment)
  const settings = resolveSettings(given, io.environment)
  const input = await openInput(inputOptions(settings, io.stdin))
  try {
    const samples = await sampleColumns(input)
    const { identifierUse } = settings
    const asked = settings.input.columns
    const use = { identifierUse, readsNames: asked.identifiers !== 'none' }
    const columns = await settleColumns({ input, asked, samples, use }, asker)
    const report = reportColumns(input.columns, { columns, ...use }, samples, input.nested)
    const config = jobConfig(given, columns, file)
    const { previewRows } = await import('../../app/preview-rows.js')
    if (flags.json !== true) {
      for (const line of [...columnLines(report), ...input.notes()]) io.out(`${line}\n`)
      io.out('\n')
    }
    const preview = await previewRows(config, io.interrupt)
    if (flags.json !== true) io.out(previewText(preview, terminalColumns(io)))
    if (asker !== null && !(await asker.agrees(`Write ${configPath}?`, true))) {
      io.out('Nothing was written.\n')
      return
    }
    writeConfig(configPath, config)
    if (flags.json === true) io.out(jsonLine('init', { configPath, config, columns: report, preview }))
    else io.out(nextSteps(configPath, config))
  } finally {
    await input.close()
  }
}

async function mayWrite(path: string, { force = false }: InitFlags, asker: Asker | null): Promise<boolean> {
  if (!existsSync(path) || force) return true
  if (asker !== null) return asker.agrees(`${path} is there already. Write over it?`, false)
  throw new UserError('CONFIG_EXISTS', `there is a config at ${path} already`, {
    hint: 'pass --force to write over it, or --config with another path',
  })
}

interface Looked {
  readonly input: Input
  readonly asked: AskedColumns
  readonly samples: ColumnSamples
  readonly use: Omit<AskingRule, 'columns'>
}

/** What is sure is taken; where a person can be asked, what is not is asked. Throws INPUT_COLUMN_MISSING. */
async function settleColumns(
  { input, asked, samples, use }: Looked,
  asker: Asker | null,
): Promise<LookupColumns> {
  const { columns: header, nested } = input
  if (asker === null) return detectInputColumns(input, asked, samples)
  const choicesOf = (columns: readonly string[]) =>
    columns.map((value) => ({ value, hint: excerptOf(value, samples) }))
  let settled = asked
  let proposal = proposeColumns(header, settled, samples, use, nested)
  if (proposal.columns === null && input.sheetHint !== null) return detectInputColumns(input, asked, samples)
  if (proposal.columns === null || proposal.nameChoices.length > 1) {
    const standing = proposal.columns?.name ?? proposal.nameChoices[0] ?? ''
    const question = 'Which column holds the company names?'
    settled = { ...asked, name: await asker.chooseOne(question, choicesOf(proposal.nameChoices), standing) }
    proposal = proposeColumns(header, settled, samples, use, nested)
  }
  if (proposal.placeChoices.length === 0) return detectInputColumns(input, settled, samples)
  const location = await asker.chooseSome(
    'No place was found for sure. Which columns say where a company is?',
    choicesOf(proposal.placeChoices),
    [],
  )
  return detectInputColumns(input, { ...settled, location }, samples)
}

/** What was given and what was found; the rest keeps its default, also in versions to come. */
function jobConfig(given: FileConfig, columns: LookupColumns, file: string): FileConfig {
  const { name, location, context, identifiers } = columns
  return {
    ...given,
    input: {
      ...given.input,
      columns: {
        ...given.input?.columns,
        ...(name === null ? {} : { name }),
        location: [...location],
        ...(context.length === 0 ? {} : { context: [...context] }),
        ...(Object.keys(identifiers).length === 0 ? {} : { identifiers }),
      },
    },
    output: { ...given.output, path: given.output?.path ?? outputPathFor(file) },
  }
}

/** Beside the input, in its format: what people have opened the input with opens the output too. */
function outputPathFor(file: string): string {
  const packed = file.replace(/\.(?:gz|zst)$/i, '')
  const extension = extname(packed).toLowerCase()
  const stem = extension === '' ? packed : packed.slice(0, -extension.length)
  const kept = ['.csv', '.tsv', '.parquet', '.ndjson', '.jsonl', '.xlsx']
  return `${stem}.enriched${kept.includes(extension) ? extension : '.parquet'}`
}

const schemaPath = './node_modules/enrich/dist/config.schema.json'

function writeConfig(path: string, config: FileConfig): void {
  const schema = existsSync(schemaPath) ? { $schema: schemaPath } : {}
  const temporary = temporaryPath(path)
  try {
    writeFileSync(temporary, `${JSON.stringify({ ...schema, ...config }, null, 2)}\n`, { flag: 'wx' })
    publishFile(temporary, path)
  } catch (error) {
    throw new UserError('CONFIG_NOT_WRITABLE', `the config ${path} cannot be written`, {
      hint: 'check the folder and its permissions, or pass --config with another path',
      cause: error,
    })
  }
}

function nextSteps(configPath: string, { output }: FileConfig): string {
  const flag = configPath === defaultPaths.config ? '' : ` --config ${quote(configPath)}`
  return [
    `Wrote ${configPath}.`,
    `  enrich plan${flag}   what it would ask and cost; asks nobody`,
    `  enrich run${flag}    writes ${output?.path ?? ''}; the same command again resumes`,
    '',
  ].join('\n')
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

const terminalColumns = (io: CliIo): number => (io.stdout as Partial<NodeJS.WriteStream>).columns || 100

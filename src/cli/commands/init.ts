import { existsSync, writeFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Command } from 'commander'
import { buildInputOptions } from '../../app/inspect-input.js'
import type { FileConfig } from '../../config/file-config.js'
import { defaultPaths } from '../../config/options.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import { formatColumnLines } from '../terminal/lookup-text.js'
import { inspectColumns, type InputColumns } from '../../pipeline/inspect-rows.js'
import { buildTemporaryPath, publishFile } from '../../platform/files.js'
import type { PreviewRow } from '../../app/preview-rows.js'
import { parseTableAddress, readScheme } from '../../connectors/connector.js'
import { isTableAddress } from '../../connectors/connectors.js'
import { addConfigFlags, readConfigFromFlags, type ConfigFlags } from '../config-flags.js'
import { createCommandConnectors, formatJsonLine, quote, type CliIo } from '../terminal/command-io.js'
import { formatTableLines, getTerminalColumns } from '../terminal/screen.js'

type NamedColumns = Settings['input']['columns']
type LookupColumns = ReturnType<InputColumns['detect']>

interface Choice {
  readonly value: string
  /** Shown in place of the value. */
  readonly label?: string
  /** Shown next to the value, like an excerpt of its cells. */
  readonly hint?: string
}

/** Asks the user questions. The answers are among the choices. */
interface Asker {
  chooseOne(question: string, choices: readonly Choice[], standing: string): Promise<string>
  chooseSome(question: string, choices: readonly Choice[], standing: readonly string[]): Promise<string[]>
  agrees(question: string, standing: boolean): Promise<boolean>
}

/** Returns `null` without a terminal, because a question would block a scheduled job. */
async function createAsker(io: CliIo): Promise<Asker | null> {
  const { stdin, stdout } = io
  if (!isTerminal(stdin) || !isTerminal(stdout)) return null
  const prompts = await import('@clack/prompts')
  const shared = { input: stdin, output: stdout, signal: io.interrupt }
  const assertAnswered = <Value>(answer: Value | typeof prompts.CANCEL_SYMBOL): Value => {
    // Escape or Ctrl-C at a question interrupts the command.
    if (answer === prompts.CANCEL_SYMBOL)
      throw new DOMException('a question was left unanswered', 'AbortError')
    return answer
  }
  const toPromptOptions = (choices: readonly Choice[]) =>
    choices.map(({ value, label = value, hint }) => ({
      value,
      label,
      ...(hint === undefined ? {} : { hint }),
    }))
  return {
    chooseOne: async (message, choices, initialValue) =>
      assertAnswered(
        await prompts.select({ ...shared, message, options: toPromptOptions(choices), initialValue }),
      ),
    chooseSome: async (message, choices, standing) =>
      assertAnswered(
        await prompts.multiselect({
          ...shared,
          message,
          options: toPromptOptions(choices),
          initialValues: [...standing],
          required: false,
        }),
      ),
    agrees: async (message, initialValue) =>
      assertAnswered(await prompts.confirm({ ...shared, message, initialValue })),
  }
}

const isTerminal = (stream: object): stream is NodeJS.ReadStream & NodeJS.WriteStream =>
  (stream as { isTTY?: boolean }).isTTY === true

const header = ['status', '', 'registered name', 'place']

const widthsMax = [28, 13, 3, 34, 60]

/** Formats a few enriched rows as a table at most `columnCount` wide. */
function formatPreview(rows: readonly PreviewRow[], hasNames: boolean, columnCount: number): string {
  if (rows.length === 0) return ''
  const cells = rows.map(({ name, status, confidence, legalName, place, error }) => [
    name,
    status,
    confidence === null ? '' : String(confidence),
    legalName ?? error ?? '',
    place ?? '',
  ])
  return [
    rows.length === 1
      ? 'One row with the answer of the embedded service:'
      : `${rows.length} rows with the answers of the embedded service:`,
    ...formatTableLines([[hasNames ? 'name' : 'identifier', ...header], ...cells], widthsMax, columnCount),
    '',
    '',
  ].join('\n')
}

/** Returns a few distinct cells of a column. */
function getExcerpt(column: string, { samples }: InputColumns): string {
  const cells = [...new Set(samples.get(column) ?? [])].slice(0, 3)
  return cells.map((cell) => (cell.length > 30 ? `${cell.slice(0, 29)}…` : cell)).join(' · ')
}

type InitFlags = ConfigFlags & { yes?: boolean; force?: boolean; json?: boolean }

/** Adds `enrich init FILE`: detects columns, asks about unclear ones, shows five rows and writes the config. */
export function fillInitCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'output', 'input', 'service'])
  command.option('--yes', 'do not ask; use the detected columns')
  command.option('--force', 'overwrite an existing config')
  command.option('--json', 'print the result as one JSON line; do not ask')
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
  const asker = flags.yes === true || flags.json === true ? null : await createAsker(io)
  const configPath = flags.config ?? defaultPaths.config
  if (!(await mayWrite(configPath, flags, asker))) {
    io.out(`${configPath} is unchanged.\n`)
    return
  }
  const given = readConfigFromFlags([file], flags, io.environment)
  const settings = resolveSettings(given, io.environment)
  const access = { connectors: createCommandConnectors(io), stdin: io.stdin }
  const asked = settings.input.columns
  const source = { input: buildInputOptions(settings), columns: asked, identifierUse: settings.identifierUse }
  await inspectColumns(source, access, async ({ input, columns: found }) => {
    const columns = await settleColumns(input.layout.sheetHint, found, asked, asker)
    const report = found.report(columns)
    const config = buildConfig(given, columns, file)
    const { previewRows } = await import('../../app/preview-rows.js')
    if (flags.json !== true) {
      for (const line of [...formatColumnLines(report), ...input.listNotes()]) io.out(`${line}\n`)
      io.out('\n')
    }
    const preview = await previewRows(config, io.environment, io.interrupt)
    if (flags.json !== true) io.out(formatPreview(preview, columns.name !== null, getTerminalColumns(io)))
    if (asker !== null && !(await asker.agrees(`Write ${configPath}?`, true))) {
      io.out('Nothing was written.\n')
      return
    }
    writeConfig(configPath, config)
    if (flags.json === true) io.out(formatJsonLine('init', { configPath, config, columns: report, preview }))
    else io.out(formatNextSteps(configPath, config))
  })
}

async function mayWrite(path: string, { force = false }: InitFlags, asker: Asker | null): Promise<boolean> {
  if (!existsSync(path) || force) return true
  if (asker !== null) return asker.agrees(`${path} exists. Overwrite it?`, false)
  throw new UserError('CONFIG_EXISTS', `the config ${path} already exists`, {
    hint: 'pass --force to overwrite it, or --config with another path',
  })
}

/** Uses the sure columns, and asks the user about the others if possible. Throws INPUT_COLUMN_MISSING. */
async function settleColumns(
  sheetHint: string | null,
  found: InputColumns,
  asked: NamedColumns,
  asker: Asker | null,
): Promise<LookupColumns> {
  if (asker === null) return detectWithNames(found, asked)
  const toChoices = (columns: readonly string[]) =>
    columns.map((value) => ({ value, hint: getExcerpt(value, found) }))
  let settled = asked
  let proposal = found.propose()
  if (proposal.columns === null && sheetHint !== null) return found.detect()
  const { columns, nameChoices } = proposal
  const isUnread = columns?.name === null && nameChoices.length > 0
  if (columns === null || isUnread || nameChoices.length > 1) {
    const standing = columns?.name ?? nameChoices[0] ?? ''
    const question = 'Which column contains the company names?'
    const choices = [...toChoices(nameChoices), ...(isUnread ? [noNames] : [])]
    const chosen = await asker.chooseOne(question, choices, standing)
    if (chosen !== noNames.value) settled = { ...asked, name: chosen }
    proposal = found.propose(settled)
  }
  if (proposal.placeChoices.length === 0) return found.detect(settled)
  const location = await asker.chooseSome(
    'No column is surely a place. Which columns contain the place of a company?',
    toChoices(proposal.placeChoices),
    [],
  )
  return found.detect({ ...settled, location })
}

const noNames: Choice = { value: '', label: 'none', hint: 'rows are looked up by their identifiers' }

/**
 * Throws INPUT_COLUMN_MISSING if only the cells of a column look like names: a config would hide that doubt. With named
 * identifiers, the config has no names, and a run reports the doubt.
 */
function detectWithNames(found: InputColumns, asked: NamedColumns): LookupColumns {
  const columns = found.detect()
  const { nameChoices } = found.propose()
  const isByCells = found.findNamesByCells() !== null
  if (asked.identifiers !== undefined) return isByCells ? { ...columns, name: null } : columns
  if (!isByCells && (columns.name !== null || nameChoices.length === 0)) return columns
  const excerpts = nameChoices.map((column) => `${column} (${getExcerpt(column, found)})`)
  throw new UserError('INPUT_COLUMN_MISSING', 'it is unclear which column holds company names', {
    hint: `pass --name-column; likely are: ${excerpts.join(', ')}. If the list has no names, pass --id-columns`,
  })
}

/** The given settings and the detected columns. Other settings are omitted, so that they keep their defaults. */
function buildConfig(given: FileConfig, columns: LookupColumns, file: string): FileConfig {
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
    output: { ...given.output, path: given.output?.path ?? proposeOutput(file) },
  }
}

const schemaPath = './node_modules/enrich/dist/config.schema.json'

function writeConfig(path: string, config: FileConfig): void {
  const schema = existsSync(schemaPath) ? { $schema: schemaPath } : {}
  const temporary = buildTemporaryPath(path)
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

function formatNextSteps(configPath: string, { output }: FileConfig): string {
  const flag = configPath === defaultPaths.config ? '' : ` --config ${quote(configPath)}`
  return [
    `Wrote ${configPath}.`,
    `  enrich plan${flag}   shows lookups and cost; submits nothing`,
    `  enrich run${flag}    writes ${output?.path ?? ''}; the same command again resumes`,
    '',
  ].join('\n')
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

/** Proposes an output for an input: a table of its database, or a file or an object in its folder. */
export function proposeOutput(input: string): string {
  if (isTableAddress(input)) return proposeTable(input)
  // A web server takes no output.
  const path = readScheme(input) === 'https' ? basename(new URL(input).pathname) : input
  if (path === '') return 'companies.enriched.csv'
  const unpacked = path.replace(/\.(?:gz|zst)$/i, '')
  const extension = extname(unpacked).toLowerCase()
  if (unpacked.includes('*')) {
    // The pattern must not match the output when the job runs again.
    const folder = unpacked.slice(0, unpacked.lastIndexOf('/', unpacked.indexOf('*')) + 1)
    return `${folder}companies.enriched${extension === '.parquet' ? '.csv' : '.parquet'}`
  }
  const stem = extension === '' ? unpacked : unpacked.slice(0, -extension.length)
  return `${stem}.enriched${writable.includes(extension) ? extension : '.parquet'}`
}

/** Formats of inputs that are also formats of outputs. */
const writable = ['.csv', '.tsv', '.parquet', '.ndjson', '.jsonl', '.xlsx']

function proposeTable(input: string): string {
  const { table } = parseTableAddress(input)
  // A query names no table.
  if (table === null) return `${input}#companies_enriched`
  return input.endsWith('"') ? `${input.slice(0, -1)}_enriched"` : `${input}_enriched`
}

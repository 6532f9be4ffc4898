import { InvalidArgumentError, type Command } from 'commander'
import {
  viewRow,
  viewRows,
  type Condition,
  type RowsView,
  type ViewedRow,
  type ViewRequest,
} from '../../app/view-rows.js'
import { parseListOfSome, parsePositive } from '../../config/option.js'
import { resolveSettings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import {
  addReadingFlags,
  findConfigPath,
  getParsedValue,
  readConfig,
  readConfigFromFlags,
  type ConfigFlags,
} from '../config-flags.js'
import {
  createCommandConnectors,
  formatCommandLine,
  formatJsonLine,
  type CliIo,
} from '../terminal/command-io.js'
import { formatRow, formatRows } from '../terminal/show-text.js'
import { getTerminalColumns } from '../terminal/screen.js'

interface ShowFlags extends ConfigFlags {
  readonly columns?: string[]
  readonly where?: readonly Condition[]
  readonly limit: number
  readonly row?: number
  readonly json?: boolean
}

export function fillShowCommand(command: Command, io: CliIo): void {
  const parseNumber = (text: string) => getParsedValue(parsePositive(text))
  addReadingFlags(command)
  command
    .option('--columns <a,b>', 'columns to show, with or without their prefix', (text) =>
      getParsedValue(parseListOfSome(text)),
    )
    .option(
      '--where <condition>',
      'show and count only rows like status=inconclusive or "confidence<80"; operators: = != < > <= >= ~ (contains); if repeated, all must be met',
      (text, others?: readonly Condition[]) => [...(others ?? []), parseCondition(text)],
    )
    .option('--limit <n>', 'number of rows to show', parseNumber, 10)
    .option('--row <n>', 'show row n in full, with its evidence and sources; the first row is 1', parseNumber)
    .option('--json', 'print a JSON line for each row shown, then one with the counts')
    .action((file: string, flags: ShowFlags) => show(file, flags, io))
}

async function show(file: string, flags: ShowFlags, io: CliIo): Promise<void> {
  const { columns = null, where: conditions = [], limit: rowsMax, row } = flags
  if (row !== undefined && conditions.length > 0) {
    throw new UserError('USAGE_INVALID', '--row and --where cannot be combined', {
      hint: 'the number of a row counts all rows: omit one of the two flags',
    })
  }
  const asked = readConfigFromFlags([file], { ...flags, columns: undefined, limit: undefined }, {})
  const request: ViewRequest = {
    // Its own columns and limit are not those of a run.
    settings: resolveSettings(asked, {}),
    usualName: asked.input?.columns?.name === undefined ? readConfiguredName() : null,
    environment: io.environment,
    connectors: createCommandConnectors(io),
    stdin: io.stdin,
    columns,
    conditions,
    rowsMax,
    wantsObjects: flags.json === true,
  }
  const columnCount = getTerminalColumns(io)
  if (row !== undefined) {
    const view = await viewRow(request, row)
    tellNotes(view, io)
    if (flags.json !== true) io.out(formatRow(view))
    else io.out(formatJsonRow(view.row, `,"basis":${JSON.stringify(view.basis)}`))
    return
  }
  const view = await viewRows(request)
  tellNotes(view, io)
  if (flags.json === true) {
    for (const one of view.rows) io.out(formatJsonRow(one))
    io.out(formatJsonLine('rows', toCounts(view)))
    return
  }
  const argv = ['show', file, '--row', String(view.rows[0]?.number ?? 1)]
  io.out(formatRows(view, columnCount, formatCommandLine({ program: io.program, argv })))
}

/** The column of names in the config of the current folder; `null` if it names none. Throws CONFIG_*. */
function readConfiguredName(): string | null {
  if (findConfigPath({}) === null) return null
  return readConfig([], {}, {}).input?.columns?.name ?? null
}

function tellNotes({ notes }: { readonly notes: readonly string[] }, io: CliIo): void {
  for (const note of notes) io.err(`  note: ${note}\n`)
}

/** The values of a row keep their text, so that no digit of a number is lost. */
const formatJsonRow = ({ number, json }: ViewedRow, more = ''): string =>
  `{"type":"row","row":${number},"values":${json ?? '{}'}${more}}\n`

function toCounts({ label, rowCount, matchingCount, byStatus, byConfidence }: RowsView): object {
  const toObject = (counts: ReadonlyMap<string, number> | null) =>
    counts === null ? null : Object.fromEntries(counts)
  return {
    path: label,
    rowCount,
    matchingCount,
    byStatus: toObject(byStatus),
    byConfidence: toObject(byConfidence),
  }
}

const operators = ['=', '!=', '<', '>', '<=', '>=', '~']

/** Parses `status=inconclusive`, `confidence<80` or `company_name~apple`. Throws commander's error for other texts. */
function parseCondition(text: string): Condition {
  const [, column = '', operator = '', value = ''] = /^([^=!<>~]+)(!=|<=|>=|[=<>~])(.*)$/s.exec(text) ?? []
  if (column.trim() === '')
    throw new InvalidArgumentError(`It must be a column, one of ${operators.join(' ')}, and a value.`)
  return { column: column.trim(), isMet: createTest(operator, value) }
}

function createTest(operator: string, value: string): Condition['isMet'] {
  const wanted = value.toLowerCase()
  if (operator === '=') return (cell) => cell === value
  if (operator === '!=') return (cell) => cell !== value
  if (operator === '~') return (cell) => cell.toLowerCase().includes(wanted)
  return (cell) => {
    const order = compareCells(cell, value)
    if (order === 0) return operator.endsWith('=')
    return order !== null && operator.startsWith('>') === order > 0
  }
}

/** Compares with a number as numbers, and with another text as texts, which orders dates; `null` if it cannot. */
function compareCells(cell: string, value: string): number | null {
  if (cell === '') return null
  const [one, other] = [Number(cell), Number(value)]
  if (value.trim() === '' || Number.isNaN(other)) return cell < value ? -1 : Number(cell > value)
  return Number.isNaN(one) ? null : one - other
}

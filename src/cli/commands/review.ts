import { basename } from 'node:path'
import type { Command } from 'commander'
import { formatCount, plural } from '../../core/text.js'
import {
  findRunOfLookups,
  withKnownHistory,
  type RememberedRun,
} from '../../pipeline/history/read-history.js'
import type { OpenReview } from '../../app/open-review.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { isLoopback, isPostgresUrl } from '../../core/server-addresses.js'
import { getErrorStack, getErrorText, UserError } from '../../core/errors.js'
import { systemClock, systemRandom } from '../../platform/clock.js'
import type { QueueCounts, ReviewSession } from '../../review/review.js'
import { listFilesInUse } from '../../app/service-connection.js'
import { assertFileApart } from '../../pipeline/output/plain-table.js'
import { assertNotOurs } from '../../pipeline/own-files.js'
import {
  exportTodo,
  importVerdicts,
  assertTodoFormat,
  type ExportedTodo,
  type ImportedVerdicts,
} from '../../review/exchange/exchange.js'
import { addConfigFlags, findConfigPath, readConfig, type ConfigFlags } from '../config-flags.js'
import {
  formatCommandLine,
  formatJsonLine,
  waitForInterrupt,
  warnOfProblem,
  type CliIo,
  openSecretAddress,
} from '../terminal/command-io.js'
import { reviewFlagGroups, selectOutputFlags } from '../terminal/summary-text.js'

type ReviewFlags = FileFlags & { open: boolean }
interface ReviewCall {
  readonly flags: ReviewFlags
  readonly io: CliIo
}
type AskedRows = Pick<Parameters<typeof findRunOfLookups>[1], 'scope' | 'columns'>

export function fillReviewCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, reviewFlagGroups)
  command
    .option(
      '--export <path>',
      'write the doubtful lookups to a spreadsheet (.xlsx, .csv) instead of opening the page',
    )
    .option('--import <path>', 'import the verdicts of a completed spreadsheet instead of opening the page')
    .option('--no-open', 'do not open the page in a browser')
    .option('--json', 'print the URL and the final counts as JSON lines')
    .action((inputs: string[], flags: ReviewFlags) => review(inputs, flags, io))
}

async function review(inputs: string[], flags: ReviewFlags, io: CliIo): Promise<void> {
  const settings = resolveSettings(readConfig(inputs, flags, io.environment), io.environment)
  assertFileFlags(flags, settings, io)
  // Imported here, so that other commands do not load it.
  const { reviewFile } = await import('../../app/open-review.js')
  const { environment, stdin, interrupt: signal } = io
  const request = { settings, environment, stdin, signal, clock: systemClock }
  const format = async (found: AskedRows | null) =>
    formatRunCommand(settings, io, found === null ? null : await findReviewedRun(found, settings, io))
  await reviewFile({ ...request, formatRunCommand: format, onTrouble: createErrorPrinter(io) }, (opened) => {
    const { input, notes, store } = opened.input
    for (const note of [...input.listNotes(), ...[notes.columns ?? []].flat(), ...notes.rows])
      io.err(`  note: ${note}\n`)
    warnOfProblem(store.problem, io)
    if (flags.export !== undefined) return exportReview(opened, flags.export, settings, { flags, io })
    return flags.import === undefined
      ? servePage(opened, settings, { flags, io })
      : importReview(opened, flags.import, { flags, io })
  })
}

async function servePage(
  { session, service, runCommand }: OpenReview,
  settings: Settings,
  { flags, io }: ReviewCall,
): Promise<void> {
  const { startReviewServer } = await import('../../review/server/review-server.js')
  const { listen } = settings.review
  const decisionsPath = settings.decisions.path
  let removeOpened = () => {}
  const server = await startReviewServer({
    session,
    about: {
      input: (settings.input.paths ?? []).map((path) => basename(path)).join(', '),
      reviewer: session.reviewer,
      service,
      command: formatCommandLine(io),
      decisionsPath,
    },
    address: listen,
    clock: systemClock,
    random: systemRandom,
    onBug: (error) => {
      io.err(`This is a bug in enrich. Earlier decisions are saved.\n${getErrorStack(error)}\n`)
    },
    onEntered: () => {
      removeOpened()
    },
    onReused: (firstUsedAtMs) => {
      tellAddress()
      io.err(formatReused(firstUsedAtMs, session.countOwn(), server.url))
    },
  })
  const tellAddress = () => {
    if (flags.json !== true) return
    io.out(formatJsonLine('reviewing', { url: server.url, ...toShownCounts(session.getCounts()) }))
  }
  try {
    tellAddress()
    io.err(
      `${formatFound(session.getCounts(), session.isRunGoingOn)}\nReview at ${server.url}\n` +
        `  as ${session.reviewer}; the URL admits only the first browser that opens it; verdicts go to ${decisionsPath}; Ctrl-C ends it.\n` +
        (isLoopback(listen.host) || listen.host === '::1'
          ? ''
          : '  It is reachable from other machines, unencrypted: every user with the URL can decide.\n'),
    )
    if (flags.open && (io.stdout as { isTTY?: boolean }).isTTY === true)
      removeOpened = tryOpen(server.url, io)
    await waitForInterrupt(io)
  } finally {
    removeOpened()
    await server.close()
  }
  printEnd(session, runCommand, { flags, io })
}

/** The URL is printed too, so a failure to open it is only a note. */
function tryOpen(url: string, io: CliIo): () => void {
  try {
    return openSecretAddress(url)
  } catch (error) {
    io.err(`  note: the browser was not opened (${getErrorText(error)}); open the URL above.\n`)
    return () => {}
  }
}

const formatReused = (firstUsedAtMs: number, decidedCount: number, url: string): string =>
  `warning: two browsers opened the URL, the first of them at ${new Date(firstUsedAtMs).toISOString()}.\n` +
  '  If the first was not yours, another user of this machine may have reviewed in your name; ' +
  `decided so far: ${formatCount(decidedCount)}, listed on the page under "Decided", where each can be undone.\n` +
  `  Both sessions are closed, and that URL is no longer valid.\nReview at ${url}\n`

function printEnd(session: ReviewSession, runCommand: string, { flags, io }: ReviewCall): void {
  const [decided, counts] = [session.countOwn(), session.getCounts()]
  if (flags.json === true) io.out(formatJsonLine('reviewed', { decided, ...toShownCounts(counts) }))
  const left = counts.openCount === 0 ? 'none is left' : `${formatCount(counts.openCount)} left`
  io.err(`${formatCount(decided)} decided, ${left}.\n`)
  if (counts.decidedCount > 0) io.err(`Next: ${runCommand}   (decided lookups are not submitted again)\n`)
}

const toShownCounts = ({ openCount, openRowCount, decidedCount, unansweredCount }: QueueCounts) => ({
  doubtful: openCount,
  rows: openRowCount,
  decidedBefore: decidedCount,
  unanswered: unansweredCount,
})

function formatFound(counts: QueueCounts, isRunGoingOn: boolean): string {
  const { openCount, openRowCount, decidedCount, proposedCount, unansweredCount } = counts
  const proposed = proposedCount === 0 ? '' : `; ${formatCount(proposedCount)} proposed by an assistant`
  const decided = decidedCount === 0 ? '' : `; ${formatCount(decidedCount)} decided`
  const rest = unansweredCount === 0 ? '' : `; ${formatCount(unansweredCount)} not answered yet`
  const found =
    openCount === 0
      ? 'No doubtful lookups'
      : `${plural(openCount, 'doubtful lookup')}, ${plural(openRowCount, 'row')}`
  return `${found}${proposed}${decided}${rest}${isRunGoingOn ? '; a run is active and may add more' : ''}.`
}

/** Flags of `review` that `run` does not have. */
const flagsWithValue = ['--reviewer', '--listen', '--export', '--import']
const flagsWithout = ['--no-open', '--json']

/**
 * The run that applies the decisions: with the columns of the review, and the outputs of the last run that looked them
 * up. Without such a run, the output is that of the config.
 */
function formatRunCommand({ output }: Settings, io: CliIo, run: RememberedRun | null): string {
  const argv: string[] = []
  for (let at = 0; at < io.argv.length; at++) {
    const argument = io.argv[at] ?? ''
    const [name = ''] = argument.split('=', 1)
    if (at === io.argv.indexOf('review')) continue
    if (flagsWithValue.includes(name)) at += argument.includes('=') ? 0 : 1
    else if (!flagsWithout.includes(argument)) argv.push(argument)
  }
  const { summary = null, command = '' } = run?.record ?? {}
  const path = summary?.outputPaths[0] ?? null
  if (path !== null && path !== output.path) argv.push('-o', path)
  else if (output.path === undefined) argv.push('-o', 'out.parquet')
  return [formatCommandLine({ program: io.program, argv }), ...selectOutputFlags(command)].join(' ')
}

/** Returns null without a recorded run, or on a server, to which the command connects only once. */
async function findReviewedRun(
  { scope, columns }: AskedRows,
  { input, checkpoint: { path } }: Settings,
  io: CliIo,
): Promise<RememberedRun | null> {
  if (isPostgresUrl(path)) return null
  try {
    const runs = await withKnownHistory(path, io.environment, (history) => history.runs())
    return findRunOfLookups(runs, { paths: input.paths, scope, columns })
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

/** Returns a function that prints errors of background work; it omits a repeated error, and prints the stack of a bug. */
function createErrorPrinter(io: CliIo): (error: unknown) => void {
  let last = ''
  return (error) => {
    const text = error instanceof UserError ? `warning ${error.code}: ${error.message}` : getErrorStack(error)
    if (text !== last && !io.interrupt.aborted) io.err(`${text}\n`)
    last = text
  }
}

/** Formats the result of `enrich review --export`. */
function formatExported(
  { path, lookupCount, rowCount, missing }: ExportedTodo,
  importCommand: string,
): string {
  const lines = [
    `${plural(lookupCount, 'doubtful lookup')} (${plural(rowCount, 'row')})`,
    ...(missing === null
      ? []
      : [
          `  note: ${formatCount(missing.lookupCount)} without candidates: ${missing.reason}; the same command requests them again`,
        ]),
    `  written   ${path}`,
    ...(lookupCount === 0
      ? ['  nothing is left to decide']
      : [`Fill in the column verdict, then: ${importCommand}`]),
  ]
  return `${lines.join('\n')}\n`
}

/** Maximum number of listed replaced decisions. */
const replacedShownMax = 20

/** Formats the result of `enrich review --import`. */
function formatImported({ unit, replaced, ...imported }: ImportedVerdicts, runCommand: string): string {
  const { acceptedCount, noneCount, rowCount, unchangedCount, undecidedCount } = imported
  const { loneNoteCount, missingCount } = imported
  const decidedCount = acceptedCount + noneCount
  const head =
    decidedCount === 0
      ? 'Nothing changed.'
      : `${plural(decidedCount, 'lookup')} decided (${plural(rowCount, 'row')}): ${formatCount(acceptedCount)} accepted, ${formatCount(noneCount)} none of these`
  const shown = replaced
    .slice(0, replacedShownMax)
    .map(
      ({ number: at, before }) =>
        `    ${unit} ${at} (${before.name}): before, ${before.entityId ?? 'none of these'}`,
    )
  const lines = [
    head,
    ...(replaced.length === 0
      ? []
      : [`  of these ${formatCount(replaced.length)} replace a different decision of yours`]),
    ...shown,
    ...(shown.length < replaced.length
      ? [`    and ${formatCount(replaced.length - shown.length)} more`]
      : []),
    ...(unchangedCount === 0 ? [] : [`  ${formatCount(unchangedCount)} unchanged`]),
    ...(undecidedCount === 0 ? [] : [`  ${formatCount(undecidedCount)} without a verdict`]),
    ...(loneNoteCount === 0
      ? []
      : [`  of these, ${formatCount(loneNoteCount)} with a note, which is lost: a note needs a verdict`]),
    ...(missingCount === 0 ? [] : [`  ${plural(missingCount, 'open lookup')} not in the file`]),
    ...(decidedCount === 0 ? [] : [`Next: ${runCommand}   (decided lookups are not submitted again)`]),
  ]
  return `${lines.join('\n')}\n`
}

/** Flags that replace the page by a file. */
type FileFlags = ConfigFlags & { export?: string; import?: string; json?: boolean }

/**
 * Checks the files named by flags. Called before the input is read. Throws USAGE_INVALID, OUTPUT_FORMAT_UNKNOWN and
 * OUTPUT_IS_OURS.
 */
function assertFileFlags(flags: FileFlags, settings: Settings, io: CliIo): void {
  if (flags.export === undefined) return
  if (flags.import !== undefined) {
    throw new UserError('USAGE_INVALID', '--export and --import cannot be used together', {
      hint: 'import the verdicts first, then export the rest',
    })
  }
  assertTodoFormat(flags.export)
  assertNotOurs([flags.export], listFilesInUse(settings, findConfigPath(flags), io.environment))
}

/** Interval of progress lines of an export. */
const progressEveryMs = 10_000

async function exportReview(
  { session, input }: OpenReview,
  path: string,
  settings: Settings,
  { flags, io }: ReviewCall,
): Promise<void> {
  assertFileApart('--export', path, input.input.files)
  let toldAtMs = systemClock.monotonicMs()
  const exported = await exportTodo(session, path, {
    memory: settings.output.memory,
    listDelimiter: input.input.layout.delimiter,
    signal: io.interrupt,
    onProgress: (lookupCount, openCount) => {
      const nowMs = systemClock.monotonicMs()
      if (nowMs - toldAtMs < progressEveryMs) return
      toldAtMs = nowMs
      io.err(`  ${formatCount(lookupCount)} of ${formatCount(openCount)} lookups\n`)
    },
  })
  if (flags.json === true) io.out(formatJsonLine('exported', exported))
  io.err(formatExported(exported, formatImportCommand(io)))
}

async function importReview(
  { session, runCommand }: OpenReview,
  path: string,
  { flags, io }: ReviewCall,
): Promise<void> {
  const notes: string[] = []
  const onNotice = (text: string) => {
    notes.push(text)
    io.err(`  note: ${text}\n`)
  }
  const imported = await importVerdicts(session, path, { signal: io.interrupt, onNotice })
  if (flags.json === true) io.out(formatJsonLine('imported', { ...imported, notes }))
  io.err(formatImported(imported, runCommand))
}

/** The command that imports the file of this export. */
function formatImportCommand({ program, argv }: CliIo): string {
  const others = argv.filter((argument) => argument !== '--json')
  return formatCommandLine({
    program,
    argv: others.map((argument) => argument.replace(/^--export\b/, '--import')),
  })
}

import { basename } from 'node:path'
import type { Command } from 'commander'
import type { OpenReview } from '../../app/review-of-file.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { isLoopback } from '../../core/base-url.js'
import { errorStack } from '../../core/error-text.js'
import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import { systemRandom } from '../../platform/random.js'
import type { QueueCounts, ReviewSession } from '../../review/session.js'
import { addConfigFlags, configOf } from '../config-flags.js'
import { commandLine, grouped, interrupted, jsonLine, type CliIo } from '../terminal/io.js'
import { openBrowser } from '../terminal/open-browser.js'
import { warnOfStanding } from '../terminal/report-error.js'
import { assertFileFlags, exportReview, importReview, type FileFlags } from './review-files.js'

type ReviewFlags = FileFlags & { open: boolean }

export function fillReviewCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'input', 'checkpoint', 'decisions', 'service', 'review'])
  command
    .option(
      '--export <path>',
      'in place of the page: write the doubtful lookups to a spreadsheet (.xlsx, .csv)',
    )
    .option('--import <path>', 'in place of the page: take the verdicts of one that was filled in')
    .option('--no-open', 'do not open the page in a browser')
    .option('--json', 'where the page is, and what was decided in the end, as JSON lines')
    .action((inputs: string[], flags: ReviewFlags) => review(inputs, flags, io))
}

async function review(inputs: string[], flags: ReviewFlags, io: CliIo): Promise<void> {
  const settings = resolveSettings(configOf(inputs, flags, io.environment), io.environment)
  assertFileFlags(flags, settings, io)
  // Loaded here: no other command needs any of it.
  const { reviewOfFile } = await import('../../app/review-of-file.js')
  const request = { settings, environment: io.environment, stdin: io.stdin, signal: io.interrupt }
  const onTrouble = troubleTeller(io)
  await reviewOfFile({ ...request, clock: systemClock, onTrouble }, (opened) => {
    const { input, columnNote, rowNotes, problem } = opened.input
    for (const note of [...input.notes(), ...(columnNote === null ? [] : [columnNote]), ...rowNotes])
      io.err(`  note: ${note}\n`)
    warnOfStanding(problem, io)
    if (flags.export !== undefined) return exportReview(opened, flags.export, settings, { flags, io })
    if (flags.import !== undefined)
      return importReview(opened, flags.import, { flags, io, runCommand: runCommand(io) })
    return servePage(opened, settings, flags, io)
  })
}

async function servePage(
  { session, service }: OpenReview,
  settings: Settings,
  flags: ReviewFlags,
  io: CliIo,
): Promise<void> {
  const { startReviewServer } = await import('../../review/server/review-server.js')
  const { readPageAssets } = await import('../../review/page/assets.js')
  const { listen } = settings.review
  const decisionsPath = settings.decisions.path
  const server = await startReviewServer({
    session,
    about: {
      input: (settings.input.paths ?? []).map((path) => basename(path)).join(', '),
      ...{ reviewer: session.reviewer, service, command: commandLine(io), decisionsPath },
    },
    assets: readPageAssets(),
    ...{ address: listen, clock: systemClock, random: systemRandom },
    onBug: (error) => {
      io.err(`This is a bug in enrich; what was decided before is safe.\n${errorStack(error)}\n`)
    },
  })
  try {
    const counts = session.counts()
    if (flags.json === true) io.out(jsonLine('reviewing', { url: server.url, ...shownCounts(counts) }))
    io.err(
      `${foundText(counts, session.isRunGoingOn)}\nReview at ${server.url}\n` +
        `  as ${session.reviewer}; the address opens once; verdicts go to ${decisionsPath}; Ctrl-C ends it.\n` +
        (isLoopback(listen.host) || listen.host === '::1'
          ? ''
          : '  It listens beyond this machine, unencrypted: whoever sees the address may decide.\n'),
    )
    if (flags.open && (io.stdout as { isTTY?: boolean }).isTTY === true) openBrowser(server.url)
    await interrupted(io)
  } finally {
    await server.close()
  }
  tellEnd(session, flags, io)
}

function tellEnd(session: ReviewSession, flags: ReviewFlags, io: CliIo): void {
  const [decided, counts] = [session.ownCount(), session.counts()]
  if (flags.json === true) io.out(jsonLine('reviewed', { decided, ...shownCounts(counts) }))
  const left = counts.openCount === 0 ? 'none is left' : `${grouped(counts.openCount)} left`
  io.err(`${grouped(decided)} decided, ${left}.\n`)
  if (counts.decidedCount > 0)
    io.err(`Next: ${runCommand(io)}   (what is decided is neither asked nor billed again)\n`)
}

const shownCounts = ({ openCount, openRowCount, decidedCount, unansweredCount }: QueueCounts) => ({
  doubtful: openCount,
  rows: openRowCount,
  decidedBefore: decidedCount,
  unanswered: unansweredCount,
})

function foundText(counts: QueueCounts, isRunGoingOn: boolean): string {
  const { openCount, openRowCount, decidedCount, unansweredCount } = counts
  const decided = decidedCount === 0 ? '' : `; ${grouped(decidedCount)} decided`
  const rest = unansweredCount === 0 ? '' : `; ${grouped(unansweredCount)} not answered yet`
  const found =
    openCount === 0
      ? 'No doubtful lookups'
      : `${grouped(openCount)} doubtful lookup${openCount === 1 ? '' : 's'}, ${grouped(openRowCount)} row${openRowCount === 1 ? '' : 's'}`
  return `${found}${decided}${rest}${isRunGoingOn ? '; a run goes on, and more may come' : ''}.`
}

/** Flags that only reviewing has; a run with the others writes what was decided. */
const flagsWithValue = ['--reviewer', '--listen', '--export', '--import']
const flagsWithout = ['--no-open', '--json']

function runCommand(io: CliIo): string {
  const argv: string[] = []
  for (let at = 0; at < io.argv.length; at++) {
    const argument = io.argv[at] ?? ''
    const [name = ''] = argument.split('=', 1)
    if (argument === 'review' && argv.length === 0) continue
    if (flagsWithValue.includes(name)) at += argument.includes('=') ? 0 : 1
    else if (!flagsWithout.includes(argument)) argv.push(argument)
  }
  const isOutputNamed = argv.some((argument) => /^(-o|--output)\b/.test(argument))
  return commandLine({ program: io.program, argv: isOutputNamed ? argv : [...argv, '-o', 'out.parquet'] })
}

/** Says each thing once that goes wrong while nobody asks; a bug with its stack. */
function troubleTeller(io: CliIo): (error: unknown) => void {
  let last = ''
  return (error) => {
    const text = error instanceof UserError ? `warning ${error.code}: ${error.message}` : errorStack(error)
    if (text !== last && !io.interrupt.aborted) io.err(`${text}\n`)
    last = text
  }
}

import { formatCount, plural } from '../../core/text.js'
import { listFilesInUse } from '../../app/service-connection.js'
import type { OpenReview } from '../../app/open-review.js'
import type { Settings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import { assertOutputUsable, resolveMemoryBytes } from '../../pipeline/output/output-path.js'
import { assertNotOurs } from '../../pipeline/own-files.js'
import { systemClock } from '../../platform/clock.js'
import { exportTodo, parseTodoFormat, type ExportedTodo } from '../../review/exchange/export-todo.js'
import { importVerdicts, type ImportedVerdicts } from '../../review/exchange/import-verdicts.js'
import { findConfigPath, type ConfigFlags } from '../config-flags.js'
import { formatCommandLine, formatJsonLine, type CliIo } from '../terminal/command-io.js'

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
  const { acceptedCount, noneCount, rowCount, unchangedCount, undecidedCount, loneNoteCount } = imported
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
      : [`  of these ${formatCount(loneNoteCount)} with a note, which is only stored with a verdict`]),
    ...(decidedCount === 0 ? [] : [`Next: ${runCommand}   (decided lookups are not submitted again)`]),
  ]
  return `${lines.join('\n')}\n`
}

/** Flags that replace the page by a file. */
export type FileFlags = ConfigFlags & { export?: string; import?: string; json?: boolean }

/**
 * Checks the files named by flags. Called before the input is read. Throws USAGE_INVALID, OUTPUT_FORMAT_UNKNOWN and
 * OUTPUT_IS_OURS.
 */
export function assertFileFlags(flags: FileFlags, settings: Settings, io: CliIo): void {
  if (flags.export === undefined) return
  if (flags.import !== undefined) {
    throw new UserError('USAGE_INVALID', '--export and --import cannot be used together', {
      hint: 'import the verdicts first, then export the rest',
    })
  }
  parseTodoFormat(flags.export)
  assertNotOurs([flags.export], listFilesInUse(settings, findConfigPath(flags), io.environment))
}

/** Interval of progress lines of an export. */
const progressEveryMs = 10_000

export async function exportReview(
  { session, input }: OpenReview,
  path: string,
  settings: Settings,
  { flags, io }: { flags: FileFlags; io: CliIo },
): Promise<void> {
  assertOutputUsable(input.input.files, path, parseTodoFormat(path) === 'xlsx' ? 'xlsx' : 'ndjson')
  let toldAtMs = systemClock.monotonicMs()
  const exported = await exportTodo(session, path, {
    memoryBytes: resolveMemoryBytes(settings.output.memory),
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

export async function importReview(
  { session }: OpenReview,
  path: string,
  { flags, io, runCommand }: { flags: FileFlags; io: CliIo; runCommand: string },
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

import { formatCount } from '../../core/text.js'
import { filesInUse } from '../../app/embedded-service.js'
import type { OpenReview } from '../../app/review-of-file.js'
import type { Settings } from '../../config/settings.js'
import { UserError } from '../../core/errors.js'
import { assertOutputUsable } from '../../pipeline/output/output-path.js'
import { memoryBytesOf } from '../../pipeline/output/resolve-output.js'
import { assertNotOurs } from '../../pipeline/own-files.js'
import { systemClock } from '../../platform/clock.js'
import { exportTodo, todoFormat } from '../../review/exchange/export-todo.js'
import { importVerdicts } from '../../review/exchange/import-verdicts.js'
import { configPathOf, type ConfigFlags } from '../config-flags.js'
import { commandLine, jsonLine, type CliIo } from '../terminal/io.js'
import { exportedText, importedText } from '../terminal/review-exchange-text.js'

/** What a review does in place of its page. */
export type FileFlags = ConfigFlags & { export?: string; import?: string; json?: boolean }

/** Looked at before the input is read. Throws USAGE_INVALID, OUTPUT_FORMAT_UNKNOWN and OUTPUT_IS_OURS. */
export function assertFileFlags(flags: FileFlags, settings: Settings, io: CliIo): void {
  if (flags.export === undefined) return
  if (flags.import !== undefined) {
    throw new UserError('USAGE_INVALID', '--export and --import are two commands', {
      hint: 'import the verdicts first, then export what is left',
    })
  }
  todoFormat(flags.export)
  assertNotOurs([flags.export], filesInUse(settings, configPathOf(flags), io.environment))
}

/** Between two lines that say how far an export is. */
const progressEveryMs = 10_000

export async function exportReview(
  { session, input }: OpenReview,
  path: string,
  settings: Settings,
  { flags, io }: { flags: FileFlags; io: CliIo },
): Promise<void> {
  assertOutputUsable(input.input.files, path, todoFormat(path) === 'xlsx' ? 'xlsx' : 'ndjson')
  let toldAtMs = systemClock.monotonicMs()
  const exported = await exportTodo(session, path, {
    memoryBytes: memoryBytesOf(settings.output.memory),
    signal: io.interrupt,
    onProgress: (lookupCount, openCount) => {
      const nowMs = systemClock.monotonicMs()
      if (nowMs - toldAtMs < progressEveryMs) return
      toldAtMs = nowMs
      io.err(`  ${formatCount(lookupCount)} of ${formatCount(openCount)} lookups\n`)
    },
  })
  if (flags.json === true) io.out(jsonLine('exported', exported))
  io.err(exportedText(exported, importCommand(io)))
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
  if (flags.json === true) io.out(jsonLine('imported', { ...imported, notes }))
  io.err(importedText(imported, runCommand))
}

/** The command that takes what this one writes. */
function importCommand({ program, argv }: CliIo): string {
  const others = argv.filter((argument) => argument !== '--json')
  return commandLine({ program, argv: others.map((argument) => argument.replace(/^--export\b/, '--import')) })
}

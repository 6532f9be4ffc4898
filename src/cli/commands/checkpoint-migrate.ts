import type { Command } from 'commander'
import { formatCount, plural } from '../../core/text.js'
import { assertLocalPath } from '../../core/local-path.js'
import type { Move, MoveDeps } from '../../pipeline/moving/move-checkpoint.js'
import { systemClock } from '../../platform/clock.js'
import { systemRandom } from '../../platform/random.js'
import { resolveSettings } from '../../config/settings.js'
import { addConfigFlags, configOf, type ConfigFlags } from '../config-flags.js'
import { jsonLine, type CliIo } from '../terminal/io.js'

type Flags = ConfigFlags & { undo?: boolean; json?: boolean }

/** `enrich checkpoint migrate FROM TO`: between a file and PostgreSQL, either way. */
export function fillMigrateCommand(checkpoint: Command, io: CliIo): void {
  const command = checkpoint
    .command('migrate <from> <to>')
    .description('moves all that is known to another place: from a file to PostgreSQL, or back')
  addConfigFlags(command, ['config'])
  command
    .option('--undo', 'FROM was moved to TO, which was not used since: FROM is the checkpoint again')
    .option('--json', 'as one JSON line')
    .action(async (from: string, to: string, flags: Flags) => {
      for (const place of [from, to]) assertLocalPath(place, 'checkpoint')
      const { prices } = resolveSettings(configOf([], flags, io.environment), io.environment)
      const { moveCheckpoint, placeOf, undoMove } = await import('../../pipeline/moving/move-checkpoint.js')
      const deps: MoveDeps = {
        clock: systemClock,
        random: systemRandom,
        environment: io.environment,
        priceMicrosOf: (kind) => prices?.byKind[kind] ?? 0,
        notice: (text) => {
          io.err(`${text}\n`)
        },
      }
      if (flags.undo === true) {
        await undoMove(from, to, deps)
        const places = { from: placeOf(from), to: placeOf(to) }
        io.out(
          flags.json === true
            ? jsonLine('undone', places)
            : `${places.from} is the checkpoint again; ${places.to} is not used any more.\n`,
        )
        return
      }
      const move = await moveCheckpoint(from, to, deps)
      io.out(flags.json === true ? jsonLine('migration', move) : moveText(move))
    })
}

function moveText({ from, to, counts, staysBehind, isDone }: Move): string {
  if (isDone) return `${from} was moved to ${to} before; nothing was left to do.\n`
  if (counts === null) return `${from} is moved to ${to}: all of it was there already.\n`
  const { lookups = 0, submissions = 0, answers = 0, deliveries = 0, history_runs: runs = 0 } = counts
  return [
    `${from} is moved to ${to}, and is not used any more`,
    `  moved and compared: ${formatCount(lookups)} lookups, ${formatCount(submissions)} submissions, ${formatCount(answers)} answers, ${formatCount(deliveries)} webhooks${runs === 0 ? '' : `, ${plural(runs, 'run')}`}`,
    ...staysBehind.map((what) => `  stays behind: ${what}`),
    `  Next: the same commands as before, with --checkpoint ${to}`,
  ]
    .map((line) => `${line}\n`)
    .join('')
}

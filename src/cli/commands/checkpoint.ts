import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { LookupKind } from '../../core/lookup-state.js'
import { formatCount, plural } from '../../core/text.js'
import { createNoCheckpointError, UserError } from '../../core/errors.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import {
  compactCheckpoint,
  moveCheckpoint,
  repairCheckpoint,
  undoMove,
  verifyCheckpoint,
} from '../../pipeline/checkpoint/maintenance.js'
import { systemClock, systemRandom } from '../../platform/clock.js'
import { resolveSettings } from '../../config/settings.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'
import { assertLocalPath } from '../../core/local-path.js'

type Outcome<Action extends (...args: never[]) => unknown> = Awaited<ReturnType<Action>>
type Repair = Outcome<typeof repairCheckpoint>
type Verification = NonNullable<Outcome<typeof verifyCheckpoint>>

type MigrateFlags = ConfigFlags & { undo?: boolean; json?: boolean }

/** Adds `enrich checkpoint migrate FROM TO`, which moves a checkpoint between a file and PostgreSQL. */
function fillMigrateCommand(checkpoint: Command, io: CliIo): void {
  const command = checkpoint
    .command('migrate <from> <to>')
    .description('move the checkpoint from a file to PostgreSQL, or back')
  addConfigFlags(command, ['config'])
  command
    .option('--undo', 'undo a move: use FROM again, if TO has no new data')
    .option('--json', 'print one JSON line')
    .action(async (from: string, to: string, flags: MigrateFlags) => {
      for (const place of [from, to]) assertLocalPath(place, 'checkpoint')
      const { prices } = resolveSettings(readConfig([], flags, io.environment), io.environment)
      const deps = {
        clock: systemClock,
        random: systemRandom,
        environment: io.environment,
        priceMicrosOf: (kind: LookupKind) => prices?.byKind[kind] ?? 0,
        notice: (text: string) => {
          io.err(`${text}\n`)
        },
      }
      if (flags.undo === true) {
        const places = await undoMove(from, to, deps)
        io.out(
          flags.json === true
            ? formatJsonLine('undone', places)
            : `${places.from} is the checkpoint again; ${places.to} is no longer used.\n`,
        )
        return
      }
      const move = await moveCheckpoint(from, to, deps)
      io.out(flags.json === true ? formatJsonLine('migration', move) : formatMove(move))
    })
}

function formatMove({ from, to, counts, staysBehind, isDone }: Outcome<typeof moveCheckpoint>): string {
  if (isDone) return `${from} was moved to ${to} before; there is nothing to do.\n`
  if (counts === null) return `${from} is moved to ${to}, which already had all of its data.\n`
  const { lookups = 0, submissions = 0, answers = 0, deliveries = 0, history_runs: runs = 0 } = counts
  return [
    `${from} is moved to ${to}, and is no longer used`,
    `  moved and compared: ${formatCount(lookups)} lookups, ${formatCount(submissions)} submissions, ${formatCount(answers)} answers, ${formatCount(deliveries)} webhooks${runs === 0 ? '' : `, ${plural(runs, 'run')}`}`,
    ...staysBehind.map((what) => `  not moved: ${what}`),
    `  Next: the same commands as before, with --checkpoint ${to}`,
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/** Throws CHECKPOINT_SHARED_UNSUPPORTED if the checkpoint is on a server. */
function assertNotOnServer(path: string, what: string, hint: string): void {
  if (!isPostgresUrl(path)) return
  throw new UserError('CHECKPOINT_SHARED_UNSUPPORTED', `${what} is only for checkpoints in files`, { hint })
}

type Flags = ConfigFlags & { json?: boolean }

/** Hint for checkpoints on PostgreSQL; `null` if the command works there. */
const onServer = {
  verify: null,
  repair:
    'PostgreSQL protects its files itself: restore a backup of the database, then continue as after a failover (docs/manual/several-machines.md)',
  compact: 'PostgreSQL reuses free space itself; VACUUM FULL enrich.answers returns it to the disk',
} as const

/** Adds the commands of `enrich checkpoint`: verify, repair, compact and migrate. */
export function fillCheckpointCommand(checkpoint: Command, io: CliIo): void {
  const addCheckpointCommand = (
    name: keyof typeof onServer,
    description: string,
    action: (path: string, flags: Flags) => Promise<void>,
  ) => {
    const command = checkpoint.command(name).description(description)
    addConfigFlags(command, ['config', 'checkpoint'])
    command.option('--json', 'print one JSON line').action((flags: Flags) => {
      const { path } = resolveSettings(readConfig([], flags, io.environment), io.environment).checkpoint
      const hint = onServer[name]
      if (hint !== null) assertNotOnServer(path, `enrich checkpoint ${name}`, hint)
      return action(path, flags)
    })
  }
  addCheckpointCommand('verify', 'check the checkpoint for damage; changes nothing', async (path, flags) => {
    const found = await verifyCheckpoint(path, io)
    if (found === null) throw createNoCheckpointError(path)
    io.out(flags.json === true ? formatJsonLine('verification', found) : formatVerification(found))
    if (found.damage.length > 0 || found.problem !== null) io.setExitCode(2)
  })
  addCheckpointCommand(
    'repair',
    'build a new checkpoint from the undamaged part; keep the damaged file',
    async (path, flags) => {
      if ((await verifyCheckpoint(path, io)) === null) throw createNoCheckpointError(path)
      const repair = await repairCheckpoint(path, systemClock.nowMs())
      io.out(flags.json === true ? formatJsonLine('repair', { path, repair }) : formatRepair(path, repair))
    },
  )
  addCheckpointCommand(
    'compact',
    'return unused space of the checkpoint to the disk',
    async (path, flags) => {
      if (!existsSync(path)) throw createNoCheckpointError(path)
      const compaction = await compactCheckpoint(path, systemClock.nowMs())
      io.out(flags.json === true ? formatJsonLine('compaction', compaction) : formatCompaction(compaction))
    },
  )
  fillMigrateCommand(checkpoint, io)
}

function formatVerification({ path, damage, problem }: Verification): string {
  if (damage.length === 0 && problem === null) return `${path} is undamaged.\n`
  const lines = damage.map((one) => `  ${formatDamage(one)}\n`)
  const standing =
    problem === null ? '' : `  ${problem.code}: ${problem.message}\n    hint: ${problem.hint ?? ''}\n`
  const repairs = !isPostgresUrl(path)
  const next =
    damage.length > 0 && repairs ? 'Next: enrich checkpoint repair keeps the undamaged part.\n' : ''
  return `${path} is damaged or outdated:\n${lines.join('')}${standing}${next}`
}

function formatDamage({ where, what, count, examples }: Verification['damage'][number]): string {
  const shown =
    examples.length === 0 ? '' : ` (${examples.join(', ')}${count > examples.length ? ', …' : ''})`
  return `${where}: ${formatCount(count)} × ${what}${shown}`
}

function formatCompaction({
  path,
  bytesBefore,
  bytesAfter,
  isRead,
}: Outcome<typeof compactCheckpoint>): string {
  const sizes = `${path}: ${formatMegabytes(bytesBefore)} before, ${formatMegabytes(bytesAfter)} now\n`
  return isRead ? `${sizes}Another process reads it: the rest is freed when that process ends.\n` : sizes
}

const formatMegabytes = (bytes: number) => `${formatCount(bytes / 1e6, 1)} MB`

const namesShown = 10

function formatRepair(path: string, repair: Repair): string {
  if (repair === null) return `${path} is undamaged; nothing was changed.\n`
  const { lookupCount, submissionCount, answerCount, fetchedAgain, lostSubmissionCount } = repair
  const formatNames = (names: readonly string[]) =>
    ` (${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ', …' : ''})`
  return [
    `${path} was rebuilt; the damaged file is ${repair.damagedPath}`,
    `  kept: ${formatCount(lookupCount)} lookups, ${formatCount(submissionCount)} submissions, ${formatCount(answerCount)} answers`,
    ...(fetchedAgain.length === 0
      ? []
      : [
          `  ${formatCount(fetchedAgain.length)} were billed, and are fetched again by the next run at no cost${formatNames(fetchedAgain)}`,
        ]),
    ...(lostSubmissionCount === 0
      ? []
      : [
          `  ${plural(lostSubmissionCount, 'submission')} of unknown lookups ${lostSubmissionCount === 1 ? 'is' : 'are'} lost, and may have been billed.`,
          '  Next: enrich reconcile LEDGER.csv, or a run with --accept-rollback.',
        ]),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

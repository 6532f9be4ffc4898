import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { isPostgresUrl } from '../../core/postgres-address.js'
import { compactCheckpoint, type Compaction } from '../../pipeline/checkpoint/compact.js'
import type { Damage } from '../../pipeline/checkpoint/find-damage.js'
import { repairCheckpoint, type Repair } from '../../pipeline/checkpoint/repair.js'
import { blamingDamage, verifyCheckpoint, type Verification } from '../../pipeline/checkpoint/verify.js'
import { systemClock } from '../../platform/clock.js'
import { resolveSettings } from '../../config/settings.js'
import { assertNotOnServer } from '../../config/shared-checkpoint.js'
import { fillMigrateCommand } from './checkpoint-migrate.js'
import { addConfigFlags, configOf, type ConfigFlags } from '../config-flags.js'
import { jsonLine, type CliIo } from '../terminal/io.js'

type Flags = ConfigFlags & { json?: boolean }

/** Of a checkpoint on PostgreSQL, what these do is the server's own; null: it is done there as well. */
const onServer = {
  verify: null,
  repair:
    'PostgreSQL keeps its own files sound: put a backup of the database back, then go on as after a failover (docs/several-machines.md)',
  compact: 'PostgreSQL uses free room again by itself; VACUUM FULL enrich.answers gives it back to the disk',
} as const

/** `enrich checkpoint …`: whether what is known can be believed, and what to do where it cannot. */
export function fillCheckpointCommand(checkpoint: Command, io: CliIo): void {
  const leaf = (
    name: keyof typeof onServer,
    description: string,
    action: (path: string, flags: Flags) => void | Promise<void>,
  ) => {
    const command = checkpoint.command(name).description(description)
    addConfigFlags(command, ['config', 'checkpoint'])
    command.option('--json', 'as one JSON line').action((flags: Flags) => {
      const { path } = resolveSettings(configOf([], flags, io.environment), io.environment).checkpoint
      const hint = onServer[name]
      if (hint !== null) assertNotOnServer(path, `enrich checkpoint ${name}`, hint)
      return isPostgresUrl(path)
        ? action(path, flags)
        : blamingDamage(path, async () => {
            await action(path, flags)
          })
    })
  }
  leaf(
    'verify',
    'says what in the checkpoint is not as it was written; changes nothing',
    async (path, flags) => {
      const found = (await verified(path, io)) ?? throwNone(path)
      io.out(flags.json === true ? jsonLine('verification', found) : verificationText(found))
      if (found.damage.length > 0 || found.problem !== null) io.setExitCode(2)
    },
  )
  leaf('repair', 'makes a new checkpoint of what is sound; keeps the damaged file', (path, flags) => {
    if (verifyCheckpoint(path) === null) throwNone(path)
    const repair = repairCheckpoint(path, systemClock.nowMs())
    io.out(flags.json === true ? jsonLine('repair', { path, repair }) : repairText(path, repair))
  })
  leaf('compact', 'gives the disk back what the checkpoint no longer needs; loses nothing', (path, flags) => {
    if (!existsSync(path)) throwNone(path)
    const compaction = compactCheckpoint(path, systemClock.nowMs())
    io.out(flags.json === true ? jsonLine('compaction', compaction) : compactionText(compaction))
  })
  fillMigrateCommand(checkpoint, io)
}

async function verified(path: string, { environment }: CliIo): Promise<Verification | null> {
  if (!isPostgresUrl(path)) return verifyCheckpoint(path)
  const { verifyShared } = await import('../../pipeline/checkpoint/postgres/verify-shared.js')
  return verifyShared(path, { environment })
}

function throwNone(path: string): never {
  throw new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
    hint: 'a run makes it: enrich companies.csv -o out.parquet',
  })
}

function verificationText({ path, damage, problem }: Verification): string {
  if (damage.length === 0 && problem === null) return `${path} is sound.\n`
  const lines = damage.map((one) => `  ${damageLine(one)}\n`)
  const standing =
    problem === null ? '' : `  ${problem.code}: ${problem.message}\n    hint: ${problem.hint ?? ''}\n`
  const repairs = !isPostgresUrl(path)
  const next = damage.length > 0 && repairs ? 'Next: enrich checkpoint repair keeps what is sound.\n' : ''
  return `${path} is not sound:\n${lines.join('')}${standing}${next}`
}

function damageLine({ where, what, count, examples }: Damage): string {
  const shown =
    examples.length === 0 ? '' : ` (${examples.join(', ')}${count > examples.length ? ', …' : ''})`
  return `${where}: ${formatCount(count)} × ${what}${shown}`
}

function compactionText({ path, bytesBefore, bytesAfter, isRead }: Compaction): string {
  const sizes = `${path}: ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now\n`
  return isRead ? `${sizes}Another process reads it: the rest is given back when it ends.\n` : sizes
}

const megabytes = (bytes: number) => `${formatCount(bytes / 1e6, 1)} MB`

const namesShown = 10

function repairText(path: string, repair: Repair | null): string {
  if (repair === null) return `${path}: nothing in it is damaged; it was left as it is.\n`
  const { lookupCount, submissionCount, answerCount, uncertain, fetchedAgain, lostSubmissionCount } = repair
  const listed = (names: readonly string[]) =>
    ` (${names.slice(0, namesShown).join(', ')}${names.length > namesShown ? ', …' : ''})`
  return [
    `${path} was made anew; the damaged file is ${repair.damagedPath}`,
    `  kept: ${formatCount(lookupCount)} lookups, ${formatCount(submissionCount)} submissions, ${formatCount(answerCount)} answers`,
    ...(fetchedAgain.length === 0
      ? []
      : [
          `  ${formatCount(fetchedAgain.length)} paid for, and fetched again by the next run at no cost${listed(fetchedAgain)}`,
        ]),
    ...(uncertain.length === 0
      ? []
      : [
          `  ${formatCount(uncertain.length)} became uncertain: they may have been billed${listed(uncertain)}`,
        ]),
    ...(lostSubmissionCount === 0
      ? []
      : [
          `  ${formatCount(lostSubmissionCount)} submissions are lost, and nobody can tell of which lookups: they may have been billed.`,
          '  Next: enrich reconcile LEDGER.csv, or a run with --accept-rollback.',
        ]),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

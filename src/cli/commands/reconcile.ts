import type { Command } from 'commander'
import { formatCount } from '../../core/text.js'
import { settleCharges } from '../../pipeline/checkpoint/maintenance.js'
import { systemClock, systemRandom } from '../../platform/clock.js'
import { resolveSettings } from '../../config/settings.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'

type ChargesReport = Awaited<ReturnType<typeof settleCharges>>
type Flags = ConfigFlags & { complete?: boolean; dryRun?: boolean; json?: boolean }

export function fillReconcileCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint', 'service'])
  command
    .option(
      '--complete',
      'the list has every charge so far; submissions that are not in it were never created',
    )
    .option('--dry-run', 'print the result without changing anything')
    .option('--json', 'print one JSON line')
    .action(async (path: string, flags: Flags) => {
      const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
      const report = await settleCharges({
        path: settings.checkpoint.path,
        ledgerPath: path,
        isComplete: flags.complete === true,
        scope: settings.service.baseUrl,
        isDryRun: flags.dryRun === true,
        clock: systemClock,
        random: systemRandom,
        environment: io.environment,
      })
      io.out(
        flags.json === true ? formatJsonLine('reconciliation', report) : formatReconcileReport(report, flags),
      )
      if (isAttentionNeeded(report)) io.setExitCode(3)
    })
}

/** Returns whether the list left something unsettled, or the user should contact the service. */
function isAttentionNeeded(report: ChargesReport): boolean {
  const { charged, billedTwice, unknown, leftUncertain, problem } = report
  return (
    charged.length + billedTwice.length + unknown.length + leftUncertain.length > 0 ||
    problem?.isSettled === false
  )
}

const shownMax = 10

function formatReconcileReport(report: ChargesReport, { dryRun, complete }: Flags): string {
  const line = (list: readonly unknown[], text: string) =>
    list.length === 0
      ? []
      : [
          `${formatCount(list.length).padStart(9)}  ${text}`,
          ...list.slice(0, shownMax).map((one) => `           ${String(one)}`),
          ...(list.length > shownMax ? ['           …'] : []),
        ]
  const lines = [
    ...line(report.restored, 'were missing here, and are in the list: restored'),
    ...line(report.accepted, 'charged: the next run fetches their answers, at no cost'),
    ...line(report.charged, 'charged, but the list has no run of theirs: held'),
    ...line(report.notCreated, 'never created: the next run submits them'),
    ...line(
      report.leftUncertain,
      complete === true
        ? 'still uncertain: submitted after the list was written'
        : 'still uncertain: not in the list; pass --complete if it has every charge',
    ),
    ...line(report.billedTwice, 'ALARM: billed more than once for one submission'),
    ...line(
      report.severalCharged,
      'lookups charged for several submissions, by retry, --max-age or --resubmit-uncertain',
    ),
    ...line(report.unknown, 'ALARM: charges with custom_ids of this checkpoint that it does not have'),
    ...formatProblem(report),
  ]
  const head = dryRun === true ? 'Nothing was changed. It would change:' : 'Reconciled:'
  const others =
    report.otherCount === 0 ? '' : `${formatCount(report.otherCount)} charges belong to other checkpoints.\n`
  return lines.length === 0
    ? `Nothing to settle.\n${others}`
    : `${head}\n${lines.map((text) => `${text}\n`).join('')}${others}`
}

function formatProblem({ problem }: ChargesReport): string[] {
  if (problem === null) return []
  return problem.isSettled
    ? [`${problem.code} is settled: the next run continues.`]
    : [
        `${problem.code} is not settled: the list does not have all missing submissions. Pass --complete if the rest was never charged.`,
      ]
}

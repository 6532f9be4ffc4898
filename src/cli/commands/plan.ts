import { createRowPlanner, type RowPlan } from '../../pipeline/plan-rows.js'
import type { Command } from 'commander'
import type { ErrorCode } from '../../core/errors.js'
import { formatCount, plural } from '../../core/text.js'
import { formatColumnLines, formatLookupNoun, planWords, formatKindCount } from '../terminal/lookup-text.js'
import { formatDuration } from '../../core/time.js'
import { formatSpending } from '../../core/planned-spending.js'
import { inspectInput } from '../../app/inspect-input.js'
import type { RowInspection } from '../../pipeline/inspect-rows.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { addConfigFlags, findConfigPath, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatCommandLine, formatJsonLine, warnOfProblem, type CliIo } from '../terminal/command-io.js'
import { formatAmount } from '../../core/money.js'

type LookupPlan = keyof RowPlan['plan']
type StagePlan = RowPlan['stages'][number]
type FirstPlan = NonNullable<RowPlan['first']>
type PlannedSpending = RowPlan['spending']

export function fillPlanCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['output', 'config', 'input', 'checkpoint', 'decisions', 'service', 'asking'])
  command
    .option('--json', 'print one JSON line')
    .action(async (inputs: string[], flags: ConfigFlags & { json?: boolean }) => {
      const settings = resolveSettings(readConfig(inputs, flags, io.environment), io.environment)
      const { stages, limits, onLost, prices, budget, job } = settings
      const rows = {
        stages,
        limits,
        maxAgeMs: settings.checkpoint.maxAgeMs,
        onLost,
        isHosted: settings.service.baseUrl !== null,
        prices,
        budget,
        job: job.name,
      }
      const planner = await createRowPlanner(rows, Date.now())
      try {
        const output = await prepareNamedOutput(settings, findConfigPath(flags), io)
        await inspectInput(
          {
            settings,
            stdin: io.stdin,
            signal: io.interrupt,
            environment: io.environment,
            askFirst: settings.first === null ? null : (await import('../../app/enrich.js')).askFirst,
            onBatch: planner.onBatch,
          },
          async (found) => {
            await output?.assertUsable(found.input, found.index.rowCount)
            const plan = describePlan(found, planner.plan(found), settings)
            io.out(flags.json === true ? formatJsonLine('plan', plan) : formatPlanReport(plan, io))
            warnOfProblem(found.store.problem, io)
          },
        )
      } finally {
        planner.close()
      }
    })
}

/** The output of the run, which it would refuse if unusable; `null` if none is named, or for a part. */
async function prepareNamedOutput(settings: Settings, configPath: string | null, io: CliIo) {
  const { output, job } = settings
  if (output.path === undefined || output.path === '-' || job.partition !== null) return null
  const { prepareOutput } = await import('./export.js')
  return prepareOutput(settings, configPath, io)
}

interface PlanReport {
  rowCount: number
  invalidRowCount: number
  lookupCount: number
  domainCount: number
  plan: Record<LookupPlan, number>
  /** Maximum number of row lookups that this run submits; the budget may allow fewer than `plan.submit`. */
  billedMax: number
  stages: readonly StagePlan[]
  /** Missing unless an own registry answers first. */
  first?: FirstPlan
  isHosted: boolean
  /** Cost without a budget; `null` if lookups are free or no price is configured. */
  cost: PlannedSpending['cost']
  /** The point at which the budget stops this run, or `null`. */
  budgetStop: PlannedSpending['stop']
  /** The same in one sentence. */
  costText: string
  durationMs: { min: number; max: number }
  /** Duration with webhooks instead of polls; `null` if it is hardly shorter, or webhooks are set up. */
  withWebhooksMs: number | null
  outputPath: string | null
  /** The error that would stop the run with this checkpoint. */
  problem: { readonly code: ErrorCode; readonly message: string } | null
  columns: RowInspection['columns']
  /** Why the input may be read wrongly. */
  doubts: readonly string[]
  /** Whether a run would stop because of the doubts. */
  stopsOnDoubts: boolean
  /** Without the doubts. */
  notes: readonly string[]
}

/** Typical duration of a run at a hosted service: one to five minutes (interface: "Limits"), or by the time before the first poll. */
function estimateRunMs({ firstAfterMs }: Settings['polling']): { min: number; max: number } {
  const min = firstAfterMs === 0 ? 60_000 : firstAfterMs
  return { min, max: 5 * min }
}

function describePlan(found: RowInspection, planned: RowPlan, settings: Settings): PlanReport {
  const { plan, domainCount, billedMax, stages, first, spending, limitMs } = planned
  const isHosted = settings.service.baseUrl !== null
  const open = billedMax + plan.poll
  // The service works on the last run after the last submission.
  const tail = isHosted && open > 0 ? estimateRunMs(settings.polling) : { min: 0, max: 0 }
  const stageMs = Math.max(0, ...stages.map((stage) => stage.limitMs.max))
  const { submissionsPerWindow: perWindow, windowMs } = settings.limits
  const submitMs = perWindow === null ? 0 : (billedMax / perWindow) * windowMs
  const withWebhooksMs = Math.max(submitMs + tail.max, stageMs)
  const isPolled = isHosted && settings.webhook.url === null
  return {
    rowCount: found.index.rowCount,
    invalidRowCount: found.index.invalidCount,
    lookupCount: Object.values(plan).reduce((sum, count) => sum + count, 0),
    domainCount,
    plan,
    billedMax,
    stages,
    ...(first === null ? {} : { first }),
    isHosted,
    cost: spending.cost,
    budgetStop: spending.stop,
    costText: isHosted ? formatSpending(spending) : 'nothing: the embedded service is free',
    durationMs: {
      min: Math.max(limitMs, tail.min, ...stages.map((stage) => stage.limitMs.min)),
      max: Math.max(limitMs + tail.max, stageMs),
    },
    withWebhooksMs: isPolled && withWebhooksMs < limitMs / 2 ? withWebhooksMs : null,
    outputPath: settings.output.path ?? null,
    problem:
      found.store.problem === null
        ? null
        : { code: found.store.problem.code, message: found.store.problem.message },
    columns: found.columns,
    doubts: found.notes.doubts,
    stopsOnDoubts:
      isHosted && plan.submit > 0 && found.notes.doubts.length > 0 && !settings.input.acceptDoubtful,
    notes: [
      ...found.input.listNotes(),
      ...(found.notes.columns === null ? [] : [found.notes.columns]),
      ...found.notes.rows,
    ].filter((note) => !found.notes.doubts.includes(note)),
  }
}

function formatPlanReport(report: PlanReport, io: CliIo): string {
  const [asked = '', ...unused] = formatColumnLines(report.columns)
  const width = formatCount(report.rowCount).length
  const line = (count: number, text: string) => `  ${formatCount(count).padStart(width)}  ${text}`
  const { min, max } = report.durationMs
  const time = [...new Set([min, max].map((ms) => formatDuration(ms)))].join(' to ')
  const { withWebhooksMs: ms } = report
  const webhooks = ms === null ? '' : `, or ${formatDuration(ms)} with webhooks (--webhook-listen)`
  return `${[
    `Plan (nothing is submitted): ${asked}`,
    ...unused.map((line) => `  ${line}`),
    line(report.rowCount, report.rowCount === 1 ? 'row' : 'rows'),
    ...(report.invalidRowCount === 0
      ? []
      : [
          line(
            report.invalidRowCount,
            'of them without a usable company name, number or domain: not looked up',
          ),
        ]),
    line(report.lookupCount, `${formatLookupNoun(report)}, of which`),
    ...Object.entries(report.plan)
      .filter(([name, count]) => count > 0 || name === 'submit')
      .map(([name, count]) => line(count, `  ${planWords[name] ?? name}`)),
    ...(report.first === undefined ? [] : formatFirstPlan(report.first)),
    ...(report.stages.length === 0 ? [] : ['After the answers, each once:']),
    ...report.stages.map(formatStagePlan),
    ...report.notes.map((note) => `  note: ${note}`),
    ...report.doubts.map((doubt) => `  doubtful: ${doubt}`),
    ...formatDoubtfulStop(report),
    `Cost: ${report.costText}`,
    `Time: ${report.isHosted ? `about ${time}${webhooks}` : 'as fast as this machine allows'}`,
    `Next: ${formatRunCommand(report, io)}`,
  ].join('\n')}\n`
}

const formatDoubtfulStop = ({ stopsOnDoubts }: PlanReport): string[] =>
  stopsOnDoubts
    ? [
        'A run would stop before the first submission; if the input is read right, pass --accept-doubtful-input',
      ]
    : []

/** The command of the planned run; adds an output path if none is given. */
function formatRunCommand({ outputPath }: PlanReport, io: CliIo): string {
  const command = formatCommandLine(io)
    .replace(/\benrich plan$/, 'enrich run')
    .replace(/\benrich plan\b/, 'enrich')
    .replace(/ --json\b/, '')
  return outputPath === null ? `${command} -o out.parquet` : command
}

const words: Readonly<Record<LookupPlan, string>> = {
  answered: 'known',
  poll: 'running',
  submit: 'to request',
  decided: 'decided by reviewers',
  failed: 'failed before',
  uncertain: 'uncertain (held)',
  invalid: 'rejected before as invalid',
}

/** Formats the plan of a stage: `  entity     40 known, 12 to request; at most 300 companies more, which the run may find` */
export function formatStagePlan({ kind, plan, moreMax }: StagePlan): string {
  const known = (Object.keys(words) as LookupPlan[]).flatMap((name) =>
    plan[name] === 0 && name !== 'submit' ? [] : [`${formatCount(plan[name])} ${words[name]}`],
  )
  const more = moreMax === 0 ? '' : `; at most ${formatKindCount(moreMax, kind)} more, which the run may find`
  return `  ${kind.padEnd(9)}  ${known.join(', ')}${more}`
}

export function formatFirstPlan({ registry, accept, saved, byAccept, ...plan }: FirstPlan): string[] {
  const amount = saved === null ? '' : `, ${formatAmount(saved.amount, saved.currency)} saved`
  const sample =
    plan.sampleCount === 0
      ? ''
      : `; ${formatCount(plan.sampleCount)} of them are also submitted, which the table leaves out`
  const rows = byAccept.map((one) => [
    `${one.accept}${one.accept === accept ? ' *' : '  '}`,
    formatCount(one.lookupCount),
    formatCount(one.submitCount),
    ...(one.cost === null ? [] : [formatAmount(one.cost.amount, one.cost.currency)]),
  ])
  const titles = ['accept  ', 'answered', 'to submit', 'cost'].slice(0, rows[0]?.length)
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')}`.trimEnd()
  return [
    `Own registry: ${registry} answers ${plural(plan.lookupCount, 'lookup')}, free of charge${amount}${sample}`,
    ...[titles, ...rows].map(line),
  ]
}

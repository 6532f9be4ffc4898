import type { Command } from 'commander'
import type { ErrorCode } from '../../core/errors.js'
import { formatCount } from '../../core/text.js'
import { formatColumnLines, type ColumnReport } from '../../pipeline/input/columns.js'
import { formatDuration } from '../../core/time.js'
import {
  createEmptyPlan,
  planLookup,
  type LookupPlan,
  type PlanPolicy,
} from '../../pipeline/checkpoint/lookup-state.js'
import type { LookupKind } from '../../core/lookup-kinds.js'
import { buildStagePolicy } from '../../pipeline/scheduler/scheduling.js'
import {
  formatSpending,
  planSpending,
  type PlannedSpending,
} from '../../pipeline/history/planned-spending.js'
import { estimateEtaMs } from '../../pipeline/history/progress.js'
import { inspectInput } from '../../app/inspect-input.js'
import type { RowInspection } from '../../pipeline/inspect-rows.js'
import { nameJob } from '../../pipeline/input/input.js'
import type { CheckpointReader, KeyedLookup, LookupId } from '../../pipeline/checkpoint/checkpoint.js'
import type { DecidedLookups } from '../../pipeline/decisions/decided-lookups.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { addConfigFlags, findConfigPath, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatCommandLine, formatJsonLine, warnOfProblem, type CliIo } from '../terminal/command-io.js'
import { formatLookupNoun, planWords } from '../terminal/lookup-text.js'
import {
  DistinctKeys,
  formatFirstPlan,
  formatStagePlan,
  planFirst,
  StagePlanCounter,
  type FirstPlan,
  type StagePlan,
} from './plan-stages.js'

/** Typical duration of a run at a hosted service (interface: "Limits"). */
const runMs = { min: 60_000, max: 300_000 }

/** Imported only for stages, because it contains the list of public suffixes of domains. */
const loadStageAnswers = () => import('../../pipeline/answers/stage-answers.js')

export function fillPlanCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['output', 'config', 'input', 'checkpoint', 'decisions', 'service', 'asking'])
  command
    .option('--json', 'print one JSON line')
    .action(async (inputs: string[], flags: ConfigFlags & { json?: boolean }) => {
      const settings = resolveSettings(readConfig(inputs, flags, io.environment), io.environment)
      const policy = {
        nowMs: Date.now(),
        maxAgeMs: settings.checkpoint.maxAgeMs,
        onLost: settings.onLost,
        knowsEarlierRuns: settings.service.baseUrl !== null,
      }
      const answersOf =
        settings.stages.asked.length === 0 ? null : (await loadStageAnswers()).readStageAnswers
      const getPolicy = (kind: LookupKind): PlanPolicy =>
        kind === 'resolution' ? policy : buildStagePolicy(kind, settings.stages, policy)
      const stages = new StagePlanCounter({ settings, getPolicy, answersOf })
      const counter = new PlanCounter(getPolicy, stages)
      try {
        const output = await prepareNamedOutput(settings, findConfigPath(flags), io)
        const onBatch = counter.onBatch.bind(counter)
        await inspectInput(
          {
            settings,
            stdin: io.stdin,
            signal: io.interrupt,
            environment: io.environment,
            askFirst: settings.first === null ? null : (await import('../../app/enrich.js')).askFirst,
            onBatch,
          },
          async (found) => {
            await output?.assertUsable(found.input, found.index.rowCount)
            const plan = describePlan(found, counter, stages.listPlans(counter.openCount), settings)
            io.out(flags.json === true ? formatJsonLine('plan', plan) : formatPlanReport(plan, io))
            warnOfProblem(found.store.problem, io)
          },
        )
      } finally {
        counter.close()
        stages.close()
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

/** Counts distinct lookups by the action of a run. */
class PlanCounter {
  readonly plan = createEmptyPlan()
  /** Lookups by domain instead of by name. */
  domainCount = 0
  /** Number of them that are still to be submitted. */
  domainSubmitCount = 0
  /** Number of row lookups that may still get an answer from which further lookups follow. */
  openCount = 0
  readonly #seen = new DistinctKeys()

  constructor(
    private readonly getPolicy: (kind: LookupKind) => PlanPolicy,
    private readonly stages: StagePlanCounter,
  ) {}

  onBatch(
    lookups: readonly KeyedLookup[],
    ids: readonly LookupId[],
    reader: CheckpointReader | null,
    decided: DecidedLookups,
  ): void {
    const known = reader?.readAnswers(ids) ?? []
    const fresh = this.#seen.add(lookups.map(({ key }) => key))
    for (const index of fresh) {
      const lookup = known[index] ?? null
      const { kind = 'resolution', isDecided = false, isCheck = false } = lookups[index] ?? {}
      const planned = isDecided
        ? 'decided'
        : lookup === null
          ? 'submit'
          : planLookup(lookup, this.getPolicy(kind))
      this.plan[planned]++
      if (!isCheck && ['submit', 'poll', 'uncertain'].includes(planned)) this.openCount++
      if (kind !== 'domain') continue
      this.domainCount++
      if (planned === 'submit') this.domainSubmitCount++
    }
    const isSettled = (index: number) =>
      lookups[index]?.isCheck !== true &&
      (known[index]?.state === 'answered' || lookups[index]?.isDecided === true)
    this.stages.add(
      fresh.filter(isSettled).map((index) => ids[index] ?? 0),
      reader,
      (id) => decided.findById(id),
    )
  }

  close(): void {
    this.#seen.close()
  }
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
  columns: ColumnReport
  /** Why the input may be read wrongly. */
  doubts: readonly string[]
  /** Whether a run would stop because of the doubts. */
  stopsOnDoubts: boolean
  /** Without the doubts. */
  notes: readonly string[]
}

function describePlan(
  found: RowInspection,
  counter: Pick<PlanCounter, 'plan' | 'domainCount' | 'domainSubmitCount'>,
  stages: readonly StagePlan[],
  settings: Settings,
): PlanReport {
  const { plan, domainCount } = counter
  const isHosted = settings.service.baseUrl !== null
  const spending = describeSpending(found, counter, stages, settings)
  const billedMax = Math.min(plan.submit, spending.stop?.lookupCount ?? plan.submit)
  const open = billedMax + plan.poll
  const limitMs =
    estimateEtaMs({
      toSubmit: billedMax,
      running: plan.poll,
      pollsPerAnswer: 1,
      runs: null,
      answersPerMs: 0,
      ...settings.limits,
    }) ?? 0
  // The service works on the last run after the last submission.
  const tail = isHosted && open > 0 ? runMs : { min: 0, max: 0 }
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
    ...(found.first === null ? {} : { first: planFirst(found.first, plan.submit, settings.prices) }),
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
      : [line(report.invalidRowCount, 'of them without a usable company name: not looked up')]),
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

/** Calculates the cost of the run without a budget, and the point at which the budget stops it. */
function describeSpending(
  { reader, input }: RowInspection,
  { plan, domainSubmitCount }: Pick<PlanCounter, 'plan' | 'domainSubmitCount'>,
  stages: readonly StagePlan[],
  { prices, budget, job }: Settings,
): PlannedSpending {
  const byKind = reader?.read('spent_of_job', nameJob(input, job.name)) ?? new Map<LookupKind, number>()
  const demands = stages.map(({ kind, plan, submitMax }) => ({
    kind,
    certain: Math.min(plan.submit, submitMax),
    atMost: submitMax,
  }))
  return planSpending(
    { byName: plan.submit - domainSubmitCount, byDomain: domainSubmitCount, stages: demands },
    {
      prices,
      lookupsMax: budget.lookupsMax,
      cost: budget.cost ?? null,
      spent: { byKind, byRows: byKind.get('resolution') ?? 0 },
    },
  )
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
    .replace(/\benrich plan\b/, 'enrich')
    .replace(/ --json\b/, '')
  return outputPath === null ? `${command} -o out.parquet` : command
}

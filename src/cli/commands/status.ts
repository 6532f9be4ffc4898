import type { Command } from 'commander'
import { withKnownHistory, type RememberedRun } from '../../pipeline/history/read-history.js'
import { at, toText } from '../../core/json.js'
import { omittedText } from '../../core/local-path.js'
import { formatCount, plural } from '../../core/text.js'
import { createNoCheckpointError, UserError } from '../../core/errors.js'
import type { LookupKind } from '../../core/lookup-state.js'
import { readStatus, type CheckpointStatus, type DecidedCounts } from '../../pipeline/read-status.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { quote, formatJsonLine, type CliIo, warnOfProblem } from '../terminal/command-io.js'
import {
  formatCommand,
  formatCounts,
  formatInbox,
  formatSharedStatus,
  formatSubmissions,
  formatUncertain,
  formatWhen,
} from '../terminal/lookup-text.js'
import { buildRetryCommand, buildRunCommand, suggestNextSteps } from '../terminal/summary-text.js'

type ScopeCounts = CheckpointStatus['scopes'][number]

type StatusFlags = ConfigFlags & { uncertain?: boolean; json?: boolean }

const listedMax = 1_000

export function fillStatusCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint', 'decisions'])
  command
    .option('--uncertain', 'list submissions that may have been billed and have no answer')
    .option('--json', 'print one JSON line')
    .action((flags: StatusFlags) => {
      const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
      return showStatus(settings, flags, io)
    })
}

async function showStatus(settings: Settings, flags: StatusFlags, io: CliIo): Promise<void> {
  const { checkpoint, decisions } = settings
  const { path } = checkpoint
  const status = await readStatus(
    { path, decisions, uncertainMax: flags.uncertain === true ? listedMax : null },
    io.environment,
  )
  if (status === null) throw createNoCheckpointError(path)
  const { place, scopes, decided, uncertain, inbox, shared, problem } = status
  // Invalid decisions stop a run, but not the status.
  if (decided instanceof UserError) warnOfProblem(decided, io)
  const decidedCounts = decided instanceof UserError ? new Map<string, DecidedCounts>() : decided
  if (flags.json === true) {
    const shown = problem === null ? null : { code: problem.code, message: problem.message }
    const verdicts = Object.fromEntries(
      [...decidedCounts].map(([scope, { accepted, none }]) => [scope, { accepted, none }] as const),
    )
    const value =
      shared === null
        ? { path: place, scopes, decided: verdicts, uncertain, inbox, problem: shown }
        : { path: place, scopes, uncertain, inbox, ...shared, problem: shown }
    io.out(formatJsonLine('status', value))
  } else {
    const text = formatStatus(place, scopes, decidedCounts, await readRuns(settings, io))
    const processes = shared === null ? '' : formatSharedStatus(shared, Date.now())
    io.out(text + formatInbox(inbox) + processes)
    if (uncertain !== null) io.out(formatUncertain(uncertain))
  }
  warnOfProblem(problem, io)
}

/** Returns the recorded runs, newest first; none if the history cannot be read. */
const readRuns = (
  { checkpoint: { path } }: Settings,
  { environment }: CliIo,
): Promise<readonly RememberedRun[]> =>
  withKnownHistory(path, environment, (history) => history.runs()).catch(() => [])

/** Returns the flag of the runs at a service whose lookups an own registry answers first, or of that registry; else ''. */
function findFirstFlag(base: string, runs: readonly RememberedRun[]): string {
  const own = runs.filter(({ record }) => record?.scope === base)
  const readRegistry = ({ record }: RememberedRun) => toText(at(record?.settings, 'first', 'registry'))
  const isOwnRegistry = isEmbedded(base) && own.length === 0
  const registry = (isOwnRegistry ? runs : own.slice(0, 1)).flatMap((run) => readRegistry(run) ?? [])[0]
  return registry === undefined ? '' : ` --first ${quote(registry)}`
}

const isEmbedded = (base: string): boolean => base.startsWith('embedded:')

function formatStatus(
  path: string,
  scopes: readonly ScopeCounts[],
  decided: ReadonlyMap<string, DecidedCounts>,
  runs: readonly RememberedRun[],
): string {
  if (scopes.length === 0) return `${path}: nothing was submitted yet.\nNext: enrich FILE -o out.parquet\n`
  const texts = groupByService(scopes, decided).map((service) =>
    formatService(service, decided.get(service.base), runs),
  )
  return `${path}\n${texts.join('')}`
}

/** Lookups at one service: those of companies by name, and those of other kinds. */
interface ServiceScopes {
  readonly base: string
  readonly resolutions: ScopeCounts | null
  readonly others: readonly ScopeCounts[]
}

function groupByService(
  scopes: readonly ScopeCounts[],
  decided: ReadonlyMap<string, DecidedCounts>,
): ServiceScopes[] {
  return [...new Set(scopes.map(({ scope }) => scope))].map((base) => {
    const own = scopes
      .filter(({ scope }) => scope === base)
      .map((scope) => withoutDecided(scope, decided.get(base)))
    return {
      base,
      resolutions: own.find(({ kind }) => kind === 'resolution') ?? null,
      others: own.filter(({ kind }) => kind !== 'resolution'),
    }
  })
}

/** Returns the counts without decided lookups among those that are not submitted yet: no run submits them. */
function withoutDecided(scope: ScopeCounts, decided: DecidedCounts | undefined): ScopeCounts {
  const { states, kind } = scope
  const open = Math.max(0, states.new - (decided?.unsubmitted[kind] ?? 0))
  return { ...scope, states: { ...states, new: open } }
}

function formatService(
  { base, resolutions, others }: ServiceScopes,
  decided: DecidedCounts | undefined,
  runs: readonly RememberedRun[],
): string {
  const firstFlag = findFirstFlag(base, runs)
  const all = [...(resolutions === null ? [] : [resolutions]), ...others]
  return `${[
    isEmbedded(base)
      ? `${firstFlag === '' ? 'Embedded service, registry' : `Own registry of${firstFlag},`} edition ${base.slice('embedded:'.length, 'embedded:'.length + 12)}`
      : base,
    formatSubmissionLine(all),
    ...(resolutions === null ? [] : formatStates(resolutions)),
    ...formatDecided(decided),
    ...others.map(formatKind),
    `  next: ${suggestNextStep(all, firstFlag, findRunCommand(base, runs), findReviewStep(base, runs, decided))}`,
  ].join('\n')}\n`
}

/** Submissions of all kinds, as `enrich runs` counts them. */
function formatSubmissionLine(scopes: readonly ScopeCounts[]): string {
  const listTimes = (getMs: (scope: ScopeCounts) => number | null): number[] =>
    scopes
      .map(getMs)
      .filter((ms) => ms !== null)
      .sort((one, other) => one - other)
  const firstMs = listTimes((scope) => scope.firstSubmittedAtMs)[0] ?? null
  const lastMs = listTimes((scope) => scope.lastAnsweredAtMs).at(-1) ?? null
  const submissions = scopes.map(({ kind, submissions: submittedCount }) => ({ kind, submittedCount }))
  const estimated = scopes.some(({ isEstimated }) => isEstimated === true)
    ? '; the checkpoint is large: the counts of finished and new lookups are estimates'
    : ''
  return `  since ${formatWhen(firstMs)}, last answer ${formatWhen(lastMs)}, ${formatSubmissions(submissions)}${estimated}`
}

function formatStates(scope: ScopeCounts): string[] {
  const { states } = scope
  const line = (count: number, text: string) =>
    count === 0 ? [] : [`  ${formatCount(count).padStart(9)}  ${text}`]
  return [
    ...line(states.answered, `answered (${formatOutcomes(scope)})`),
    ...line(states.failed, 'failed: billed, without a result'),
    ...line(states.running, 'running: submitted, the answer is not fetched yet'),
    ...line(states.new, 'not submitted yet'),
    ...line(states.uncertain + states.intended, 'uncertain: may have been billed; held, not submitted again'),
    ...line(states.invalid, 'invalid: the service rejects them'),
  ]
}

function formatDecided(decided: DecidedCounts | undefined): string[] {
  const { accepted, none } = decided ?? { accepted: 0, none: 0 }
  if (accepted + none === 0) return []
  return [
    `  ${formatCount(accepted + none).padStart(9)}  of them decided by reviewers (accepted ${formatCount(accepted)} · none ${formatCount(none)}): not submitted again`,
  ]
}

function formatOutcomes({ outcomes }: ScopeCounts): string {
  // Failed ones have a line of their own.
  return formatCounts(
    Object.fromEntries(Object.entries(outcomes).filter(([outcome]) => outcome !== 'failed')),
  )
}

/** One line for a stage, or for lookups by domain. */
function formatKind(scope: ScopeCounts): string {
  const { states, kind } = scope
  const some = (count: number, text: string) => (count === 0 ? [] : [`${formatCount(count)} ${text}`])
  const parts = [
    ...some(states.answered, `answered (${formatOutcomes(scope)})`),
    ...some(states.failed, 'failed'),
    ...some(states.running, 'running'),
    ...some(states.new, 'not submitted yet'),
    ...some(states.uncertain + states.intended, 'uncertain'),
    ...some(states.invalid, 'refused as invalid'),
  ]
  return `  ${kindWords[kind]}: ${parts.join(' · ') || 'nothing'}`
}

const kindWords: Readonly<Record<LookupKind, string>> = {
  resolution: 'lookups',
  entity: 'records of companies',
  hierarchy: 'owners of companies',
  domain: 'domains',
}

/** Suggests to review the rows that the newest run left doubtful and undecided; `null` without any. */
function findReviewStep(
  base: string,
  runs: readonly RememberedRun[],
  decided: DecidedCounts | undefined,
): string | null {
  const run = runs.find(({ record }) => record?.scope === base && record.summary !== null)
  const { summary = null, command = '' } = run?.record ?? {}
  if (run === undefined || summary === null) return null
  // Another edition of the registry answered the same input since.
  if (runs.find(({ series }) => series === run.series) !== run) return null
  const [step] = suggestNextSteps({ ...summary, isDemo: false }, command)
  const sinceCount = decided?.decidedAtMs.filter((atMs) => atMs > (run.endedAtMs ?? Infinity)).length ?? 0
  const leftCount = (summary.review?.lookupCount ?? 0) - sinceCount
  if (step === undefined || leftCount <= 0) return null
  const what = sinceCount === 0 ? step.text : plural(leftCount, 'doubtful lookup')
  return `${what} after run ${run.number}: ${step.command}`
}

/** Returns the command of the newest run at a service; `null` if it is not recorded in full, or reads standard input. */
function findRunCommand(base: string, runs: readonly RememberedRun[]): string | null {
  const command = runs.find(({ record }) => record?.scope === base)?.record?.command ?? ''
  return command === '' || command.includes(omittedText) || / -(?= |$)/.test(command)
    ? null
    : buildRunCommand(command)
}

function suggestNextStep(
  scopes: readonly ScopeCounts[],
  firstFlag: string,
  runCommand: string | null,
  reviewStep: string | null,
): string {
  const lastInputs = scopes[0]?.lastInputs ?? []
  const states = { running: 0, new: 0, uncertain: 0, intended: 0, failed: 0 }
  for (const scope of scopes) for (const state of getKeys(states)) states[state] += scope.states[state]
  const enrich = (command: string, flags = '') =>
    `${formatCommand(command, lastInputs)} -o …${firstFlag}${flags}`
  const again = runCommand ?? enrich('enrich')
  if (states.running + states.new > 0)
    return `${again}   (the same command submits and fetches only what is missing)`
  if (states.uncertain + states.intended > 0) {
    return `enrich status --uncertain   (lists them; enrich reconcile LEDGER.csv settles them by the list of charges, free; ${again} --resubmit-uncertain submits them again)`
  }
  if (states.failed > 0)
    return `${runCommand === null ? enrich('enrich retry', ' --status failed') : buildRetryCommand(runCommand)}   (submits them again; billed again)`
  return reviewStep ?? `nothing left; ${again} writes the output`
}

const getKeys = <Key extends string>(counts: Record<Key, number>) => Object.keys(counts) as Key[]

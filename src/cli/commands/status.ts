import type { Command } from 'commander'
import { withKnownHistory } from '../../app/run-history.js'
import { at, toText } from '../../core/json.js'
import { formatCount, plural } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import { diagnoseDamage, findProblem } from '../../pipeline/checkpoint/sqlite/verify.js'
import type { ScopeCounts } from '../../pipeline/checkpoint/checkpoint.js'
import { openCheckpointReader } from '../../pipeline/checkpoint/sqlite/reader.js'
import { type LookupKind, firstKinds } from '../../core/lookup-kinds.js'
import { readInboxCounts } from '../../pipeline/scheduler/inbox.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { quote, formatJsonLine, type CliIo, warnOfProblem } from '../terminal/command-io.js'
import {
  formatCommand,
  formatInbox,
  formatSharedStatus,
  formatSubmissions,
  formatUncertain,
  formatWhen,
} from '../terminal/lookup-text.js'
import { suggestNextSteps } from '../terminal/summary-text.js'
import { readStandingDecisions } from '../../pipeline/decisions/decision-sync.js'
import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import { getDecisionService, type Verdict } from '../../pipeline/answers/decision.js'

type StatusFlags = ConfigFlags & { uncertain?: boolean; json?: boolean }

const listedMax = 1_000

export function fillStatusCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint', 'decisions'])
  command
    .option('--uncertain', 'list submissions that may have been billed and have no answer')
    .option('--json', 'print one JSON line')
    .action((flags: StatusFlags) => {
      const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
      if (isPostgresUrl(settings.checkpoint.path)) return showSharedStatus(settings, flags, io)
      return diagnoseDamage(settings.checkpoint.path, () => showStatus(settings, flags, io))
    })
}

/** Hosted services bill lookups. */
const isHosted = ({ scope }: ScopeCounts): boolean => /^https?:/.test(scope)

async function showStatus(settings: Settings, flags: StatusFlags, io: CliIo): Promise<void> {
  const { path } = settings.checkpoint
  const reader = openCheckpointReader(path, null)
  if (reader === null) throw createNotFound(path)
  try {
    const scopes = reader.read('counts')
    const uncertain = flags.uncertain === true ? reader.read('uncertain', { limit: listedMax }) : null
    const inbox = readInboxCounts(path)
    const decided = await countDecided(settings, [...new Set(scopes.map(({ scope }) => scope))]).catch(
      (error: unknown) => {
        if (!(error instanceof UserError)) throw error
        // Invalid decisions stop a run, but not the status.
        warnOfProblem(error, io)
        return new Map<string, DecidedCounts>()
      },
    )
    const problem = findProblem(path, scopes.some(isHosted))
    if (flags.json === true) {
      const shown = problem === null ? null : { code: problem.code, message: problem.message }
      io.out(
        formatJsonLine('status', {
          path,
          scopes,
          decided: Object.fromEntries(
            [...decided].map(([scope, { accepted, none }]) => [scope, { accepted, none }]),
          ),
          uncertain,
          inbox,
          problem: shown,
        }),
      )
    } else {
      io.out(formatStatus(path, scopes, decided, await readRuns(settings, io)) + formatInbox(inbox))
      if (uncertain !== null) io.out(formatUncertain(uncertain))
    }
    warnOfProblem(problem, io)
  } finally {
    reader.close()
  }
}

const createNotFound = (path: string) =>
  new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
    hint: 'check --checkpoint and the current folder. A run creates a checkpoint: enrich companies.csv -o out.parquet',
  })

/** Shows the status of a shared checkpoint, with its processes. */
async function showSharedStatus(settings: Settings, flags: StatusFlags, io: CliIo): Promise<void> {
  const { openSharedToRead } = await import('../../pipeline/checkpoint/postgres/open-database.js')
  const { readSharedCounts, readSharedStatus, readSharedUncertain } =
    await import('../../pipeline/checkpoint/postgres/status.js')
  const shared = await openSharedToRead(settings.checkpoint.path, io)
  if (shared === null) throw createNotFound(settings.checkpoint.path)
  const { postgres, url, problem } = shared
  try {
    const scopes = await readSharedCounts(postgres)
    const status = await readSharedStatus(postgres)
    const { readSharedInboxCounts } = await import('../../pipeline/scheduler/shared-inbox.js')
    const inbox = await readSharedInboxCounts(postgres)
    const uncertain = flags.uncertain === true ? await readSharedUncertain(postgres, listedMax) : null
    if (flags.json === true) {
      const shown = problem === null ? null : { code: problem.code, message: problem.message }
      io.out(formatJsonLine('status', { path: url, scopes, uncertain, inbox, ...status, problem: shown }))
    } else {
      const text = formatStatus(url, scopes, new Map(), await readRuns(settings, io))
      io.out(text + formatInbox(inbox) + formatSharedStatus(status, Date.now()))
      if (uncertain !== null) io.out(formatUncertain(uncertain))
    }
    warnOfProblem(problem, io)
  } catch (error) {
    throw shared.explain(error)
  } finally {
    await shared.close()
  }
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
  if (scopes.length === 0)
    return `${path}: nothing was submitted yet.\nNext: enrich companies.csv -o out.parquet\n`
  const texts = groupByService(scopes).map((service) =>
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

function groupByService(scopes: readonly ScopeCounts[]): ServiceScopes[] {
  return [...new Set(scopes.map(({ scope }) => scope))].map((base) => {
    const own = scopes.filter(({ scope }) => scope === base)
    return {
      base,
      resolutions: own.find(({ kind }) => kind === 'resolution') ?? null,
      others: own.filter(({ kind }) => kind !== 'resolution'),
    }
  })
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
    `  next: ${suggestNextStep(all, firstFlag, findReviewStep(base, runs, decided))}`,
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
  return Object.entries(outcomes)
    .filter(([outcome]) => outcome !== 'failed') // on a separate line
    .map(([outcome, count]) => `${outcome} ${formatCount(count)}`)
    .join(' · ')
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

/**
 * Suggests to review the rows that were doubtful after the newest run of a series, without those decided since;
 * `null` if nothing is left to review.
 */
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

function suggestNextStep(
  scopes: readonly ScopeCounts[],
  firstFlag: string,
  reviewStep: string | null,
): string {
  const lastInputs = scopes[0]?.lastInputs ?? []
  const states = { running: 0, new: 0, uncertain: 0, intended: 0, failed: 0 }
  for (const scope of scopes) for (const state of getKeys(states)) states[state] += scope.states[state]
  const enrich = (command: string, flags = '') =>
    `${formatCommand(command, lastInputs)} -o …${firstFlag}${flags}`
  if (states.running + states.new > 0)
    return `${enrich('enrich')}   (the same command submits and fetches only what is missing)`
  if (states.uncertain + states.intended > 0) {
    return `enrich status --uncertain   (lists them; ${enrich('enrich', ' --resubmit-uncertain')} submits them again)`
  }
  if (states.failed > 0)
    return `${enrich('enrich retry', ' --status failed')}   (submits them again; billed again)`
  return reviewStep ?? `nothing left; ${enrich('enrich')} writes the output`
}

const getKeys = <Key extends string>(counts: Record<Key, number>) => Object.keys(counts) as Key[]

/** Numbers of decided lookups by verdict. */
interface DecidedCounts extends Readonly<Record<Verdict, number>> {
  readonly decidedAtMs: readonly number[]
}

/** Counts decided lookups by service. Throws DECISIONS_* and REVIEW_STORE_*. */
async function countDecided(
  { checkpoint: { path }, decisions }: Pick<Settings, 'checkpoint' | 'decisions'>,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, DecidedCounts>> {
  const counts = new Map<string, DecidedCounts>()
  for (const scope of scopes) {
    const service = getDecisionService(scope.startsWith('embedded:') ? null : scope)
    const { byLookup } = await readStandingDecisions({ ...decisions, checkpointPath: path, service })
    const reader = openCheckpointReader(path, scope)
    try {
      const keys = [...byLookup.keys()].map((lookup) => Buffer.from(lookup, 'hex'))
      const found = firstKinds.map((kind) => reader?.find(kind, keys) ?? [])
      const known = [...byLookup.values()].filter((_, at) => found.some((ids) => (ids[at] ?? 0) !== 0))
      const countVerdict = (verdict: Verdict) => known.filter((one) => one.verdict === verdict).length
      counts.set(scope, {
        accepted: countVerdict('accepted'),
        none: countVerdict('none'),
        decidedAtMs: known.map(({ decidedAtMs }) => decidedAtMs),
      })
    } finally {
      reader?.close()
    }
  }
  return counts
}

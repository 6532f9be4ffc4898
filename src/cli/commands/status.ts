import { existsSync } from 'node:fs'
import { basename, relative } from 'node:path'
import type { Command } from 'commander'
import { withKnownHistory } from '../../app/run-history.js'
import { isAddress } from '../../connectors/connectors.js'
import { at, toText } from '../../core/json.js'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import { diagnoseDamage, findProblem } from '../../pipeline/checkpoint/sqlite/verify.js'
import type { ScopeCounts, UncertainLookup } from '../../pipeline/checkpoint/checkpoint.js'
import { openCheckpointReader } from '../../pipeline/checkpoint/sqlite/reader.js'
import { standardInputLabel } from '../../pipeline/input/sources.js'
import { type LookupKind, firstKinds } from '../../pipeline/lookups/lookup-kind.js'
import { readInboxCounts, type InboxCounts } from '../../pipeline/inbox/inbox.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { quote, formatJsonLine, type CliIo, warnOfProblem } from '../terminal/command-io.js'
import { formatSharedStatus } from '../terminal/lookup-text.js'
import { readStandingDecisions } from '../../pipeline/decisions/decision-sync.js'
import type { RememberedRun } from '../../pipeline/history/remembered-runs.js'
import { getDecisionService, type Verdict } from '../../pipeline/lookups/decision.js'

type StatusFlags = ConfigFlags & { uncertain?: boolean; json?: boolean }

const listedMax = 1_000
const shownInputsMax = 3

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
    const scopes = reader.readCounts()
    const uncertain = flags.uncertain === true ? reader.listUncertain(listedMax) : null
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
          decided: Object.fromEntries(decided),
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
    const { readSharedInboxCounts } = await import('../../pipeline/inbox/shared-inbox.js')
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

type DecidedByScope = ReadonlyMap<string, DecidedCounts>

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
  decided: DecidedByScope,
  runs: readonly RememberedRun[],
): string {
  if (scopes.length === 0)
    return `${path}: nothing was submitted yet.\nNext: enrich companies.csv -o out.parquet\n`
  const texts = groupByService(scopes).map((service) =>
    formatService(service, decided.get(service.base), findFirstFlag(service.base, runs)),
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
  firstFlag: string,
): string {
  const all = [...(resolutions === null ? [] : [resolutions]), ...others]
  return `${[
    isEmbedded(base)
      ? `${firstFlag === '' ? 'Embedded service, registry' : `Own registry of${firstFlag},`} edition ${base.slice('embedded:'.length, 'embedded:'.length + 12)}`
      : base,
    ...(resolutions === null ? [] : formatScope(resolutions)),
    ...formatDecided(decided),
    ...others.map(formatKind),
    `  next: ${suggestNextStep(all, firstFlag)}`,
  ].join('\n')}\n`
}

function formatScope(scope: ScopeCounts): string[] {
  const { states } = scope
  const line = (count: number, text: string) =>
    count === 0 ? [] : [`  ${formatCount(count).padStart(9)}  ${text}`]
  return [
    `  since ${formatWhen(scope.firstSubmittedAtMs)}, last answer ${formatWhen(scope.lastAnsweredAtMs)}, ${formatCount(scope.submissions)} submissions${scope.isEstimated === true ? '; the checkpoint is large: the counts of finished and new lookups are estimates' : ''}`,
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

function formatInbox(inbox: InboxCounts | null): string {
  if (inbox === null) return ''
  const parts = [
    [inbox.taken, 'processed'],
    [inbox.waiting, 'waiting for the next run'],
    [inbox.unclaimed, 'unclaimed: the checkpoint has no such submission'],
    [inbox.quarantined, 'in quarantine: contradicting ids, or unreadable'],
  ] as const
  const shown = parts.flatMap(([count, text]) => (count === 0 ? [] : `${formatCount(count)} ${text}`))
  return `Webhooks: ${shown.join(' · ') || 'none yet'}\n`
}

function suggestNextStep(scopes: readonly ScopeCounts[], firstFlag: string): string {
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
  return `nothing left; ${enrich('enrich')} writes the output`
}

/** Adds the inputs to a command. Standard input must be piped again, with its format. */
function formatCommand(command: string, inputs: readonly string[]): string {
  if (inputs.some(isStandardInput)) return `… | ${command} - --input-format …`
  const files = inputs.map((path) => quote(shortenPath(path)))
  return `${command} ${files.length === 0 || files.length > shownInputsMax ? '…' : files.join(' ')}`
}

/** Standard input is recorded by its label, like the path of a file. */
const isStandardInput = (path: string): boolean => basename(path) === standardInputLabel && !existsSync(path)

const getKeys = <Key extends string>(counts: Record<Key, number>) => Object.keys(counts) as Key[]

/** Makes a path below the current folder relative. Addresses stay as they are. */
function shortenPath(path: string): string {
  if (isAddress(path)) return path
  const below = relative('.', path)
  return below.startsWith('..') ? path : below
}

function formatUncertain(uncertain: readonly UncertainLookup[]): string {
  if (uncertain.length === 0) return 'No submission is uncertain.\n'
  const lines = uncertain.map(
    ({ name, location, customId, intendedAtMs, reason, kind }) =>
      `  ${formatWhen(intendedAtMs)}  ${kind === 'resolution' ? '' : `${kind} `}${name}${location === null ? '' : ` (${location})`}  ${customId}  ${reason ?? ''}\n`,
  )
  return `Uncertain submissions (the service's records name them by custom_id):\n${lines.join('')}`
}

function formatWhen(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().replace('T', ' ').slice(0, 16)
}

/** Numbers of decided lookups by verdict. */
type DecidedCounts = Readonly<Record<Verdict, number>>

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
      counts.set(scope, { accepted: countVerdict('accepted'), none: countVerdict('none') })
    } finally {
      reader?.close()
    }
  }
  return counts
}

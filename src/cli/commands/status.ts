import { relative } from 'node:path'
import type { Command } from 'commander'
import { formatCount } from '../../core/text.js'
import { UserError } from '../../core/errors.js'
import { isPostgresUrl } from '../../core/server-addresses.js'
import { blamingDamage, problemOf } from '../../pipeline/checkpoint/sqlite/verify.js'
import type { ScopeCounts, UncertainLookup } from '../../pipeline/checkpoint/checkpoint.js'
import { openCheckpointReader } from '../../pipeline/checkpoint/sqlite/reader.js'
import { type LookupKind, firstKinds } from '../../pipeline/lookups/lookup-kind.js'
import { readInboxCounts, type InboxCounts } from '../../pipeline/inbox/inbox.js'
import { resolveSettings, type Settings } from '../../config/settings.js'
import { addConfigFlags, configOf, type ConfigFlags } from '../config-flags.js'
import { quote, jsonLine, type CliIo, warnOfStanding } from '../terminal/command-io.js'
import { sharedStatusText } from '../terminal/shared-status-text.js'
import { readStandingDecisions } from '../../pipeline/decisions/decisions-book.js'
import { decisionService, type Verdict } from '../../pipeline/lookups/decision.js'

type StatusFlags = ConfigFlags & { uncertain?: boolean; json?: boolean }

const listedMax = 1_000
const shownInputsMax = 3

export function fillStatusCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint', 'decisions'])
  command
    .option('--uncertain', 'list submissions that may have been billed and have no answer')
    .option('--json', 'print one JSON line')
    .action((flags: StatusFlags) => {
      const settings = resolveSettings(configOf([], flags, io.environment), io.environment)
      if (isPostgresUrl(settings.checkpoint.path)) return showSharedStatus(settings, flags, io)
      return blamingDamage(settings.checkpoint.path, () => showStatus(settings, flags, io))
    })
}

/** Answers of a service at an address were billed. */
const isHosted = ({ scope }: ScopeCounts): boolean => /^https?:/.test(scope)

async function showStatus(settings: Settings, flags: StatusFlags, io: CliIo): Promise<void> {
  const { path } = settings.checkpoint
  const reader = openCheckpointReader(path, null)
  if (reader === null) throw notFound(path)
  try {
    const scopes = reader.counts()
    const uncertain = flags.uncertain === true ? reader.uncertain(listedMax) : null
    const inbox = readInboxCounts(path)
    const decided = await decidedCountsOf(settings, [...new Set(scopes.map(({ scope }) => scope))]).catch(
      (error: unknown) => {
        if (!(error instanceof UserError)) throw error
        // What is wrong with decisions stops a run, and hides nothing of what is known.
        warnOfStanding(error, io)
        return new Map<string, DecidedCounts>()
      },
    )
    const problem = problemOf(path, scopes.some(isHosted))
    if (flags.json === true) {
      const shown = problem === null ? null : { code: problem.code, message: problem.message }
      io.out(
        jsonLine('status', {
          path,
          scopes,
          decided: Object.fromEntries(decided),
          uncertain,
          inbox,
          problem: shown,
        }),
      )
    } else {
      io.out(statusText(path, scopes, decided) + inboxText(inbox))
      if (uncertain !== null) io.out(uncertainText(uncertain))
    }
    warnOfStanding(problem, io)
  } finally {
    reader.close()
  }
}

const notFound = (path: string) =>
  new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
    hint: 'a run makes it: enrich companies.csv -o out.parquet',
  })

/** The same of one that several processes share, and who they are. */
async function showSharedStatus(settings: Settings, flags: StatusFlags, io: CliIo): Promise<void> {
  const { openSharedToRead } = await import('../../pipeline/checkpoint/postgres/open-database.js')
  const { readSharedCounts, readSharedStatus, readSharedUncertain } =
    await import('../../pipeline/checkpoint/postgres/status.js')
  const shared = await openSharedToRead(settings.checkpoint.path, io)
  if (shared === null) throw notFound(settings.checkpoint.path)
  const { postgres, url, problem } = shared
  try {
    const scopes = await readSharedCounts(postgres)
    const status = await readSharedStatus(postgres)
    const { readSharedInboxCounts } = await import('../../pipeline/inbox/shared-inbox.js')
    const inbox = await readSharedInboxCounts(postgres)
    const uncertain = flags.uncertain === true ? await readSharedUncertain(postgres, listedMax) : null
    if (flags.json === true) {
      const shown = problem === null ? null : { code: problem.code, message: problem.message }
      io.out(jsonLine('status', { path: url, scopes, uncertain, inbox, ...status, problem: shown }))
    } else {
      io.out(statusText(url, scopes, new Map()) + inboxText(inbox) + sharedStatusText(status, Date.now()))
      if (uncertain !== null) io.out(uncertainText(uncertain))
    }
    warnOfStanding(problem, io)
  } catch (error) {
    throw shared.explain(error)
  } finally {
    await shared.close()
  }
}

type DecidedByScope = ReadonlyMap<string, DecidedCounts>

function statusText(path: string, scopes: readonly ScopeCounts[], decided: DecidedByScope): string {
  if (scopes.length === 0)
    return `${path}: nothing was asked yet.\nNext: enrich companies.csv -o out.parquet\n`
  const texts = byService(scopes).map((service) => serviceText(service, decided.get(service.base)))
  return `${path}\n${texts.join('')}`
}

/** What was asked of one service: the scope of resolutions, and those of other kinds, where there are any. */
interface ServiceScopes {
  readonly base: string
  readonly resolutions: ScopeCounts | null
  readonly others: readonly ScopeCounts[]
}

function byService(scopes: readonly ScopeCounts[]): ServiceScopes[] {
  return [...new Set(scopes.map(({ scope }) => scope))].map((base) => {
    const own = scopes.filter(({ scope }) => scope === base)
    return {
      base,
      resolutions: own.find(({ kind }) => kind === 'resolution') ?? null,
      others: own.filter(({ kind }) => kind !== 'resolution'),
    }
  })
}

function serviceText(
  { base, resolutions, others }: ServiceScopes,
  decided: DecidedCounts | undefined,
): string {
  const all = [...(resolutions === null ? [] : [resolutions]), ...others]
  return `${[
    base.startsWith('embedded:')
      ? `Embedded service, registry edition ${base.slice('embedded:'.length, 'embedded:'.length + 12)}`
      : base,
    ...(resolutions === null ? [] : scopeLines(resolutions)),
    ...decidedLines(decided),
    ...others.map(kindLine),
    `  next: ${nextStep(all)}`,
  ].join('\n')}\n`
}

function scopeLines(scope: ScopeCounts): string[] {
  const { states } = scope
  const line = (count: number, text: string) =>
    count === 0 ? [] : [`  ${formatCount(count).padStart(9)}  ${text}`]
  return [
    `  since ${when(scope.firstSubmittedAtMs)}, last answer ${when(scope.lastAnsweredAtMs)}, ${formatCount(scope.submissions)} submissions${scope.isEstimated === true ? '; too many to be counted: counts of what is done or new are estimates' : ''}`,
    ...line(states.answered, `answered (${outcomesOf(scope)})`),
    ...line(states.failed, 'failed: paid for, without a result'),
    ...line(states.running, 'running: submitted, the answer is still to be fetched'),
    ...line(states.new, 'not submitted yet'),
    ...line(states.uncertain + states.intended, 'uncertain: may have been billed; held, not submitted again'),
    ...line(states.invalid, 'invalid: the service will not take them as they are'),
  ]
}

function decidedLines(decided: DecidedCounts | undefined): string[] {
  const { accepted, none } = decided ?? { accepted: 0, none: 0 }
  if (accepted + none === 0) return []
  return [
    `  ${formatCount(accepted + none).padStart(9)}  of them decided by people (accepted ${formatCount(accepted)} · none ${formatCount(none)}): not asked again`,
  ]
}

function outcomesOf({ outcomes }: ScopeCounts): string {
  return Object.entries(outcomes)
    .filter(([outcome]) => outcome !== 'failed') // on a line of its own
    .map(([outcome, count]) => `${outcome} ${formatCount(count)}`)
    .join(' · ')
}

/** What was asked after the answers, or by a domain, on a line each. */
function kindLine(scope: ScopeCounts): string {
  const { states, kind } = scope
  const some = (count: number, text: string) => (count === 0 ? [] : [`${formatCount(count)} ${text}`])
  const parts = [
    ...some(states.answered, `answered (${outcomesOf(scope)})`),
    ...some(states.failed, 'failed'),
    ...some(states.running, 'running'),
    ...some(states.new, 'not asked yet'),
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

function inboxText(inbox: InboxCounts | null): string {
  if (inbox === null) return ''
  const parts = [
    [inbox.taken, 'taken'],
    [inbox.waiting, 'wait for the next run'],
    [inbox.unclaimed, 'unclaimed: of no run that is known here'],
    [inbox.quarantined, 'in quarantine: their ids contradict each other, or they cannot be read'],
  ] as const
  const shown = parts.flatMap(([count, text]) => (count === 0 ? [] : `${formatCount(count)} ${text}`))
  return `Webhooks: ${shown.join(' · ') || 'none yet'}\n`
}

function nextStep(scopes: readonly ScopeCounts[]): string {
  const lastInputs = scopes[0]?.lastInputs ?? []
  const states = { running: 0, new: 0, uncertain: 0, intended: 0, failed: 0 }
  for (const scope of scopes) for (const state of objectKeys(states)) states[state] += scope.states[state]
  const files = lastInputs.map((path) => quote(shorter(path)))
  const same = files.length === 0 || files.length > shownInputsMax ? '…' : files.join(' ')
  if (states.running + states.new > 0)
    return `enrich ${same} -o …   (the same command: it submits and fetches only what is missing)`
  if (states.uncertain + states.intended > 0) {
    return `enrich status --uncertain   (lists them; enrich ${same} -o … --resubmit-uncertain submits them again)`
  }
  if (states.failed > 0) return `enrich retry ${same} -o … --status failed   (asks again; billed again)`
  return `nothing to ask; enrich ${same} -o … writes the output from what is known`
}

const objectKeys = <Key extends string>(counts: Record<Key, number>) => Object.keys(counts) as Key[]

/** As it would be typed here, where it lies below this folder. */
function shorter(path: string): string {
  const below = relative('.', path)
  return below.startsWith('..') ? path : below
}

function uncertainText(uncertain: readonly UncertainLookup[]): string {
  if (uncertain.length === 0) return 'No submission is uncertain.\n'
  const lines = uncertain.map(
    ({ name, location, customId, intendedAtMs, reason, kind }) =>
      `  ${when(intendedAtMs)}  ${kind === 'resolution' ? '' : `${kind} `}${name}${location === null ? '' : ` (${location})`}  ${customId}  ${reason ?? ''}\n`,
  )
  return `Uncertain submissions (custom_id is what the service's records name them by):\n${lines.join('')}`
}

function when(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().replace('T', ' ').slice(0, 16)
}

/** Lookups of a checkpoint that people decided, by what they said. */
type DecidedCounts = Readonly<Record<Verdict, number>>

/** Of lookups that were asked of each service. Throws DECISIONS_* and REVIEW_STORE_*. */
async function decidedCountsOf(
  { checkpoint: { path }, decisions }: Pick<Settings, 'checkpoint' | 'decisions'>,
  scopes: readonly string[],
): Promise<ReadonlyMap<string, DecidedCounts>> {
  const counts = new Map<string, DecidedCounts>()
  for (const scope of scopes) {
    const service = decisionService(scope.startsWith('embedded:') ? null : scope)
    const { byLookup } = await readStandingDecisions({ ...decisions, checkpointPath: path, service })
    const reader = openCheckpointReader(path, scope)
    try {
      const keys = [...byLookup.keys()].map((lookup) => Buffer.from(lookup, 'hex'))
      const found = firstKinds.map((kind) => reader?.find(kind, keys) ?? [])
      const known = [...byLookup.values()].filter((_, at) => found.some((ids) => (ids[at] ?? 0) !== 0))
      const countOf = (verdict: Verdict) => known.filter((one) => one.verdict === verdict).length
      counts.set(scope, { accepted: countOf('accepted'), none: countOf('none') })
    } finally {
      reader?.close()
    }
  }
  return counts
}

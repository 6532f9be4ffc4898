import { relative } from 'node:path'
import type { Command } from 'commander'
import { UserError } from '../../core/errors.js'
import { blamingDamage } from '../../pipeline/checkpoint/verify.js'
import type { ScopeCounts, UncertainLookup } from '../../pipeline/checkpoint/checkpoint.js'
import { problemOf } from '../../pipeline/checkpoint/verify.js'
import { openCheckpointReader } from '../../pipeline/checkpoint/reader.js'
import { readInboxCounts, type InboxCounts } from '../../pipeline/inbox/inbox.js'
import { resolveSettings } from '../../config/settings.js'
import { addConfigFlags, configOf, type ConfigFlags } from '../config-flags.js'
import { quote, jsonLine, type CliIo } from '../terminal/io.js'
import { warnOfStanding } from '../terminal/report-error.js'

type StatusFlags = ConfigFlags & { uncertain?: boolean; json?: boolean }

const listedMax = 1_000
const shownInputsMax = 3

export function fillStatusCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint'])
  command
    .option('--uncertain', 'list the submissions that may have been billed and have no answer')
    .option('--json', 'as one JSON line')
    .action((flags: StatusFlags) => {
      const { path } = resolveSettings(configOf([], flags, io.environment), io.environment).checkpoint
      return blamingDamage(path, () => {
        showStatus(path, flags, io)
        return Promise.resolve()
      })
    })
}

/** Answers of a service at an address were billed. */
const isHosted = ({ scope }: ScopeCounts): boolean => /^https?:/.test(scope)

function showStatus(path: string, flags: StatusFlags, io: CliIo): void {
  const reader = openCheckpointReader(path, null)
  if (reader === null) {
    throw new UserError('CHECKPOINT_NOT_FOUND', `there is no checkpoint at ${path}`, {
      hint: 'a run makes it: enrich companies.csv -o out.parquet',
    })
  }
  try {
    const scopes = reader.counts()
    const uncertain = flags.uncertain === true ? reader.uncertain(listedMax) : null
    const inbox = readInboxCounts(path)
    const problem = problemOf(path, scopes.some(isHosted))
    if (flags.json === true) {
      const shown = problem === null ? null : { code: problem.code, message: problem.message }
      io.out(jsonLine('status', { path, scopes, uncertain, inbox, problem: shown }))
    } else {
      io.out(statusText(path, scopes) + inboxText(inbox))
      if (uncertain !== null) io.out(uncertainText(uncertain))
    }
    warnOfStanding(problem, io)
  } finally {
    reader.close()
  }
}

function statusText(path: string, scopes: readonly ScopeCounts[]): string {
  if (scopes.length === 0)
    return `${path}: nothing was asked yet.\nNext: enrich companies.csv -o out.parquet\n`
  return `${path}\n${scopes.map(scopeText).join('')}`
}

const kindWords = {
  entity: 'records of companies',
  hierarchy: 'owners of companies',
  domain: 'domains',
} as const

function scopeText(scope: ScopeCounts): string {
  const { states } = scope
  const number = (value: number) => value.toLocaleString('en-US')
  const line = (count: number, text: string) =>
    count === 0 ? [] : [`  ${number(count).padStart(9)}  ${text}`]
  const outcomes = Object.entries(scope.outcomes)
    .filter(([outcome]) => outcome !== 'failed') // on a line of its own
    .map(([outcome, count]) => `${outcome} ${number(count)}`)
    .join(' · ')
  const asked = scope.kind === 'resolution' ? '' : `, ${kindWords[scope.kind]}`
  return `${[
    (scope.scope.startsWith('embedded:')
      ? `Embedded service, registry edition ${scope.scope.slice('embedded:'.length, 'embedded:'.length + 12)}`
      : scope.scope) + asked,
    `  since ${when(scope.firstSubmittedAtMs)}, last answer ${when(scope.lastAnsweredAtMs)}, ${number(scope.submissions)} submissions`,
    ...line(states.answered, `answered (${outcomes})`),
    ...line(states.failed, 'failed: paid for, without a result'),
    ...line(states.running, 'running: submitted, the answer is still to be fetched'),
    ...line(states.new, 'not submitted yet'),
    ...line(states.uncertain + states.intended, 'uncertain: may have been billed; held, not submitted again'),
    ...line(states.invalid, 'invalid: the service will not take them as they are'),
    `  next: ${nextStep(scope)}`,
  ].join('\n')}\n`
}

function inboxText(inbox: InboxCounts | null): string {
  if (inbox === null) return ''
  const parts = [
    [inbox.taken, 'taken'],
    [inbox.waiting, 'wait for the next run'],
    [inbox.unclaimed, 'unclaimed: of no run that is known here'],
    [inbox.quarantined, 'in quarantine: their ids contradict each other, or they cannot be read'],
  ] as const
  const shown = parts.flatMap(([count, text]) =>
    count === 0 ? [] : `${count.toLocaleString('en-US')} ${text}`,
  )
  return `Webhooks: ${shown.join(' · ') || 'none yet'}\n`
}

function nextStep({ states, lastInputs }: ScopeCounts): string {
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

/** As it would be typed here, where it lies below this folder. */
function shorter(path: string): string {
  const below = relative('.', path)
  return below.startsWith('..') ? path : below
}

function uncertainText(uncertain: readonly UncertainLookup[]): string {
  if (uncertain.length === 0) return 'No submission is uncertain.\n'
  const lines = uncertain.map(
    ({ name, location, customId, intendedAtMs, reason }) =>
      `  ${when(intendedAtMs)}  ${name}${location === null ? '' : ` (${location})`}  ${customId}  ${reason ?? ''}\n`,
  )
  return `Uncertain submissions (custom_id is what the service's records name them by):\n${lines.join('')}`
}

function when(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString().replace('T', ' ').slice(0, 16)
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { withKnownHistory } from '../../pipeline/history/read-history.js'
import { createPriceMissing, type Allowance } from '../../config/billing.js'
import { resolveApiKey, type Settings } from '../../config/settings.js'
import { UserError, type ErrorCode } from '../../core/errors.js'
import { printable, plural } from '../../core/text.js'
import { countBilled, formatAmount, listSubmissions, toMicros, toUnits } from '../../core/money.js'
import type { Progress, RunSummary } from '../../pipeline/history/run-figures.js'
import type { InputArguments, JsonLine, Workspace } from './workspace.js'

export interface RunArguments extends InputArguments {
  readonly output?: string | undefined
  readonly max_lookups?: number | undefined
  readonly max_cost?: number | undefined
  readonly accept_doubtful_input?: boolean | undefined
}

export interface RunCall {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  /** Asks the user. Throws RUN_NOT_CONFIRMED. */
  readonly confirm: (question: string) => Promise<void>
}

/** Throws USAGE_INVALID and BILLING_PRICE_MISSING if runs with these settings could cost more than the server's limits. */
export function assertLimited({ service, stages, prices }: Settings, max: Allowance): void {
  if (service.baseUrl === null) return
  if (max.lookups === null && max.costMicros === null) {
    throw new UserError('USAGE_INVALID', '--allow-run at a hosted service needs a limit of all runs', {
      hint: 'pass --max-lookups, or --max-cost if billing.unitPrice is set',
    })
  }
  const isPaid = stages.asked.length > 0 || (prices?.byKind.entity ?? 0) > 0
  if (isPaid && max.costMicros === null) {
    throw new UserError('USAGE_INVALID', '--max-lookups does not limit the stages of the config', {
      hint: 'pass --max-cost too, or remove the stages',
    })
  }
  const unpriced = stages.asked.find((kind) => prices?.byKind[kind] === undefined)
  if (unpriced !== undefined) throw createPriceMissing(`the stage ${unpriced}`)
}

const nothing: Allowance = { lookups: 0, costMicros: 0 }

/** Runs `enrich run` within the budget of the call and the limit of the server. */
export async function runWithin(args: RunArguments, workspace: Workspace, call: RunCall): Promise<object> {
  const { max_lookups: lookups = null, max_cost: cost = null } = args
  if (lookups === null && cost === null) {
    throw new UserError('USAGE_INVALID', 'a run needs a budget', {
      hint: 'pass max_lookups, or max_cost if prices are configured; plan shows what the run needs',
    })
  }
  const asked = { lookups, costMicros: cost === null ? null : toMicros(cost) }
  const unlimited = toRunWords({ ...args, max_lookups: undefined, max_cost: undefined }, workspace)
  const settings = workspace.readSettings([...unlimited, ...toFlags(asked)])
  const { cap } = workspace.deps
  const granted = cap.reserve(asked, settings.prices?.currency ?? null)
  let spent = nothing as Allowance | null
  try {
    const words = [...unlimited, ...toFlags(granted)]
    const question = await buildQuestion(settings, granted, words, { workspace, signal: call.signal })
    if (question !== null) await call.confirm(question)
    call.signal.throwIfAborted()
    const finished: JsonLine[] = []
    await workspace.run(['run', ...words], call.signal, (line) => {
      // Lookups are submitted after this line. Their number is unknown until the end of the run.
      if (line.type === 'planned') spent = null
      if (line.type === 'progress') call.onProgress(line['progress'] as Progress)
      if (line.type !== 'finished') return
      finished.push(line)
      spent = countSpent(line['summary'] as RunSummary)
    })
    return { ...finished[0], resume: workspace.formatCommand(['run', ...words]) }
  } catch (error) {
    // Exit code 2 states that nothing was submitted.
    if (error instanceof UserError && error.exitCode === 2) spent = nothing
    throw error
  } finally {
    if (spent !== null) cap.settle(granted, spent)
  }
}

export function toRunWords(
  { output, max_lookups: lookups, max_cost: cost, accept_doubtful_input: accepts, ...input }: RunArguments,
  workspace: Workspace,
): string[] {
  return [
    ...workspace.toWords(input),
    ...(output === undefined ? [] : ['-o', workspace.resolveOutput(output)]),
    ...(accepts === true ? ['--accept-doubtful-input'] : []),
    ...toFlags({ lookups: lookups ?? null, costMicros: cost === undefined ? null : toMicros(cost) }),
  ]
}

function toFlags({ lookups, costMicros }: Allowance): string[] {
  return [
    ...(lookups === null ? [] : ['--max-lookups', String(lookups)]),
    ...(costMicros === null ? [] : ['--max-cost', String(toUnits(costMicros))]),
  ]
}

/** Lookups by name and by domain, with those whose response was lost. */
function countSpent(summary: RunSummary): Allowance {
  const { money } = summary
  const { count, uncertainCount } = countBilled(listSubmissions(summary))
  return {
    lookups: count + uncertainCount,
    costMicros: money === null ? 0 : toMicros(money.cost + money.uncertainCost),
  }
}

/** The question to the user; `null` if nothing can be billed and no other program's file is replaced. */
async function buildQuestion(
  settings: Settings,
  { lookups, costMicros }: Allowance,
  words: readonly string[],
  { workspace, signal }: { readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<string | null> {
  const { baseUrl } = settings.service
  const output = settings.output.path ?? ''
  // A file name must not add lines to the question.
  const show = (path: string) => JSON.stringify(printable(path)).slice(1, -1)
  const isReplaced = existsSync(output) && !(await isOutputOfRun(output, settings, workspace))
  const isBilled = baseUrl !== null && lookups !== 0
  if (!isBilled && !isReplaced) return null
  // The user is not asked about a run that would be refused.
  if (baseUrl !== null) resolveApiKey(workspace.deps.io.environment)
  const [plan] = await workspace.collect(['plan', ...words], signal)
  const problem = plan?.['problem'] as { readonly code: ErrorCode; readonly message: string } | null
  if (problem !== null) throw new UserError(problem.code, problem.message)
  const most =
    costMicros === null ? null : formatAmount(toUnits(costMicros), settings.prices?.currency ?? null)
  const limits = [
    ...(lookups === null ? [] : [`submits at most ${plural(lookups, 'lookup')}`]),
    ...(most === null ? [] : [`costs at most ${most}`]),
  ]
  return [
    isBilled
      ? `Submit lookups of ${(settings.input.paths ?? []).map(show).join(', ')} to ${baseUrl}?`
      : `Replace ${show(output)}?`,
    ...(isBilled ? [`Plan: ${String(plan?.['costText'])}.`, `This run ${limits.join(' and ')}.`] : []),
    ...(isBilled
      ? ((plan?.['doubts'] ?? []) as string[]).map((doubt) => `Doubtful: ${printable(doubt)}.`)
      : []),
    ...(isBilled && most === null ? [formatHighestCost(settings, lookups ?? 0)] : []),
    `It writes ${show(output)}${isReplaced ? ', and replaces the file that is there' : ''}.`,
  ].join('\n')
}

function formatHighestCost({ prices }: Settings, lookups: number): string {
  if (prices === null) return 'Its cost is unknown, because no price is configured.'
  const price = Math.max(prices.byKind.resolution ?? 0, prices.byKind.domain ?? 0)
  return `It costs at most ${formatAmount(toUnits(lookups * price), prices.currency)}.`
}

/** Whether an earlier run wrote the file. */
async function isOutputOfRun(
  output: string,
  { checkpoint }: Settings,
  { deps: { io } }: Workspace,
): Promise<boolean> {
  const path = resolve(output)
  const isWritten = withKnownHistory(checkpoint.path, io.environment, async (history) =>
    (await history.runs()).some(({ record }) =>
      record?.summary?.outputPaths.some((one) => resolve(one) === path),
    ),
  )
  return isWritten.catch((error: unknown) => {
    if (error instanceof UserError) return false
    throw error
  })
}

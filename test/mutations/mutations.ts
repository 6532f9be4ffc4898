/** One fault in one rule: `from` stands once in the file, and the tests must notice `to`. */
export interface Mutation {
  readonly file: string
  /** The promise that breaks. */
  readonly breaks: string
  readonly from: string
  readonly to: string
}

/** The most important rules: states, money, pacing, identity, columns, order of the output, decisions. */
export const mutations: readonly Mutation[] = [
  {
    file: 'src/core/lookup-state.ts',
    breaks: 'a submission whose answer was lost is not submitted again',
    from: "lose: 'uncertain'",
    to: "lose: 'new'",
  },
  {
    file: 'src/pipeline/checkpoint/transitions.ts',
    breaks: 'a run of another submission is not that of a lookup',
    from: '!isTaken || reply.runId === null',
    to: 'isTaken || reply.runId === null',
  },
  {
    file: 'src/pipeline/scheduler/outcome.ts',
    breaks: 'a request that may have been sent may have been billed',
    from: "exchange.sent === 'no' ? 'not_sent'",
    to: "exchange.sent !== 'yes' ? 'not_sent'",
  },
  {
    file: 'src/pipeline/scheduler/outcome.ts',
    breaks: 'a 500 may have billed the submission',
    from: "serverErrorMeans === 'unknown' ? 'unknown'",
    to: "serverErrorMeans !== 'unknown' ? 'unknown'",
  },
  {
    file: 'src/pipeline/checkpoint/misdirected.ts',
    breaks: 'an answer that bears another custom_id is not written',
    from: 'asked.customId !== null && customId !== asked.customId',
    to: 'asked.customId === null && customId !== asked.customId',
  },
  {
    file: 'src/pipeline/checkpoint/transitions.ts',
    breaks: 'a submission has one run',
    from: "named.runId === runId ? 'known' : 'conflict'",
    to: "named.runId === runId ? 'known' : 'known'",
  },
  {
    file: 'src/pipeline/scheduler/budgets.ts',
    breaks: 'a job submits at most as many lookups as its budget allows',
    from: 'this.#reservedCount >= this.lookupsMax',
    to: 'this.#reservedCount > this.lookupsMax',
  },
  {
    file: 'src/pipeline/scheduler/budgets.ts',
    breaks: 'a job costs at most its budget',
    from: 'if (this.#left < price) return false',
    to: 'if (this.#left < 0n) return false',
  },
  {
    file: 'src/pipeline/scheduler/budgets.ts',
    breaks: 'a submission that was not billed gives its share of the budget back',
    from: 'if (isOfRow === 1) this.#deps.jobBudget.giveBack()\n    this.#deps.budget?.giveBack()',
    to: 'this.#deps.budget?.giveBack()',
  },
  {
    file: 'src/core/pacing.ts',
    breaks: 'where others use the key too, requests are slower',
    from: 'Math.max(evenMs, budget.slowSpacingMs)',
    to: 'Math.min(evenMs, budget.slowSpacingMs)',
  },
  {
    file: 'src/core/pacing.ts',
    breaks: 'a refusal stretches the window',
    from: 'getMarginMs(budget, nowMs) * 1.5',
    to: 'getMarginMs(budget, nowMs) * 0.5',
  },
  {
    file: 'src/platform/pace.ts',
    breaks: 'one start after another, evenly',
    from: 'nextStartMs = startMs + getSpacingMs(budget, nowMs)',
    to: 'nextStartMs = startMs',
  },
  {
    file: 'src/core/lookup-identity.ts',
    breaks: 'names that differ in case, width and spaces alone are one lookup',
    from: "text.normalize('NFKC').toLowerCase()",
    to: "text.normalize('NFKC')",
  },
  {
    file: 'src/core/lookup-identity.ts',
    breaks: 'companies of one name in two places are two lookups',
    from: '    foldText(lookup.location),\n',
    to: '    foldText(null),\n',
  },
  {
    file: 'src/pipeline/input/detect-columns.ts',
    breaks: "a person's name is not asked as a company",
    from: 'if (plain !== undefined && !isPersons)',
    to: 'if (plain !== undefined)',
  },
  {
    file: 'src/pipeline/input/detect-columns.ts',
    breaks: 'of two columns with one header the first is asked',
    from: 'new Map([...header].reverse().map(',
    to: 'new Map([...header].map(',
  },
  {
    file: 'src/pipeline/output/joined-rows.ts',
    breaks: 'each row keeps its place and its answer',
    from: 'const rows = batch.slice(start, start + writerLimits.answerRows)',
    to: 'const rows = batch.slice(start, start + writerLimits.answerRows).reverse()',
  },
  {
    file: 'src/pipeline/answers/decision.ts',
    breaks: 'a company that was merged since it was decided is told',
    from: 'into !== null && into !== entityId',
    to: 'into !== null && into === entityId',
  },
  {
    file: 'src/pipeline/answers/decided-answer.ts',
    breaks: 'a decision that there is no company is written',
    from: "if (decision.verdict === 'none')\n    return answer('no_match'",
    to: "if (decision.verdict === 'none')\n    return answer('matched'",
  },
  {
    file: 'src/core/lookup-state.ts',
    breaks: 'an answer at the threshold is not doubtful',
    from: "outcome === 'matched' && confidence !== null && confidence < threshold",
    to: "outcome === 'matched' && confidence !== null && confidence <= threshold",
  },
]

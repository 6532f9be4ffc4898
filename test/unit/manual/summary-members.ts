import { readFileSync } from 'node:fs'

/** The members of `summary` by path: each has a text, or one of its own members has. */
const summaryMembers = {
  rowCount: 'rows of the input',
  rowsByStatus: 'rows by `enrich_status`: `{"matched": 155, …}`; `{}` without an output',
  'review.rowCount':
    'doubtful rows that wait for a reviewer; `summary.review` is `null` if a run stopped early and wrote neither output nor report',
  'review.lookupCount': 'doubtful lookups: a reviewer decides each once',
  'review.rowsByStatus': 'doubtful rows by status',
  invalidRowCount: 'rows without a usable name, number or domain',
  lookupCount: 'lookups of the input; equal rows share one',
  cachedCount: 'lookups that were answered before the run',
  decidedCount: 'lookups that a reviewer decided',
  answeredCount: 'lookups that were answered in this run',
  billedCount:
    'lookups by name that the service accepted and bills; with the embedded service, they cost nothing',
  uncertainCount: 'lookups that may have been billed and have no answer',
  failedCount: 'lookups that the service ended without a result',
  rejectedCount: 'lookups that the service refused, which are not billed',
  pendingCount: 'lookups without an answer yet',
  outcomes: 'lookups that this run answered, by status, also after an early stop',
  'money.cost':
    'cost of this run, in units of the currency: `1.5` is EUR 1.50; `summary.money` is `null` without prices and with the embedded service',
  'money.isBilledAtMost': 'whether the cost is an upper bound',
  'money.uncertainCost': 'cost of the uncertain lookups of this run, in units of the currency',
  'money.currency': 'code of the currency, such as `EUR`; `null` if the prices have no currency',
  stages: 'one entry for each stage, with its counts',
  changes: 'changes since the previous output by kind: `{"lost_match": 2}`; missing without one',
  alarms:
    'met conditions of `--fail-on`: `condition`, `found`, `message`, and the first ten `names` of changed rows',
  outputPaths: 'the written files; `[]` after a stop without an output',
  stop: 'the reason of an early stop, in `kind`; otherwise `null`',
  service: '`embedded` or `hosted`',
  isDemo: 'whether the demo registry answered',
  elapsedMs: 'duration of the run in milliseconds',
  submissionsPerMinute: 'submissions by name a minute, while the run submitted and polled',
  notes: 'sentences for the user, which the run also prints; they change between versions: do not parse them',
  domainCount: 'lookups by domain instead of a name; their other counts are in `summary.stages`',
  submissions: 'submissions of this run, one entry for each kind of lookup',
  lostCount: 'submissions without a response, only in records of earlier versions',
  claimedCount: 'uncertain lookups by name whose run a webhook named: they are no longer uncertain',
  pollCount: 'requests for the state of a submitted lookup by name',
  pollsPerResult: 'polls for each answer, on average; `null` without an answer',
  rateLimitedCount: 'requests for lookups by name that the service answered with 429',
  misdirectedCount: 'responses for another lookup than the requested one; none was written',
  heldCount: 'lookups whose last response was for another lookup, and that have no answer yet',
  contradictionCount: 'second answers to one submission that differ from the first, which is kept',
  deliveries: 'webhooks of this run by use: `taken`, `unclaimed`, `quarantined`',
  budgetEnd: 'the budget that ended the run; otherwise `null`',
  unmatchedByCountry:
    'rows without a company: `country` and `rowCount`; missing without any, with a hosted service and with the demo registry',
  first: 'figures of an own registry that answered first; missing without one',
  schemaDeviations: 'deviations of answers from the documented form, by deviation; never an error',
  basisLineCount: 'lines of the basis file; 0 without one',
}

/** Throws if a text has no member, or a member has no text. */
export function listSummaryMembers(): [string, string][] {
  const paths = Object.keys(summaryMembers)
  const explained = new Set(paths.map((path) => path.split('.')[0]))
  const silent = listKeysInSummary().filter((key) => !explained.has(key))
  const unknown = paths.filter((path) => !isInSummary(path))
  if (silent.length > 0) throw new Error(`members of the summary without a text: ${silent.join(', ')}`)
  if (unknown.length > 0) throw new Error(`the summary has no member ${unknown.join(', ')}`)
  return Object.entries(summaryMembers).map(([path, content]) => [`\`summary.${path}\``, content])
}

interface ObjectSchema {
  readonly $ref?: string
  readonly anyOf?: readonly ObjectSchema[]
  readonly properties?: Readonly<Record<string, ObjectSchema>>
}

function readEventSchemas(): Record<string, ObjectSchema> {
  const schemaUrl = new URL('../../../types/events.schema.json', import.meta.url)
  return (JSON.parse(readFileSync(schemaUrl, 'utf8')) as { $defs: Record<string, ObjectSchema> }).$defs
}

const listKeysInSummary = (): string[] => Object.keys(readEventSchemas()['RunSummary']?.properties ?? {})

/** Returns whether the JSON Schema of the events has a member of the summary: `money.cost`. */
function isInSummary(path: string): boolean {
  const $defs = readEventSchemas()
  const resolve = ({ $ref, anyOf, ...schema }: ObjectSchema): ObjectSchema => {
    const inner =
      $ref === undefined ? anyOf?.find((one) => one.$ref !== undefined) : $defs[$ref.split('/').at(-1) ?? '']
    return inner === undefined ? schema : resolve(inner)
  }
  let found: ObjectSchema | undefined = $defs['RunSummary']
  for (const key of path.split('.'))
    found = found === undefined ? undefined : resolve(found).properties?.[key]
  return found !== undefined
}

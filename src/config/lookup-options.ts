import * as z from 'zod'
import { UserError } from '../core/errors.js'
import type { FirstRegistry } from '../pipeline/run.js'
import { matchedConfidenceMin, rateLimits } from '../contract/limits.js'
import { stageKinds, type StageKind } from '../core/lookup-state.js'
import {
  createDurationSchema,
  createLimitSchema,
  option,
  parseList,
  useForBoth,
  type FilledOf,
  type Option,
  type Parsed,
} from './option.js'

const maxAge = (of: string, example: string) =>
  option({
    schema: () => createDurationSchema().describe(`Request ${of} again when it is older than this.`),
    unset: 'none; kept permanently',
    example,
  })
const lookupsMax = (of: string) =>
  option({ schema: () => z.int().min(0).describe(`Request at most this many ${of}.`), example: 1_000 })
const limit = (of: string, hosted: number): Option<number, number | null> =>
  option({
    schema: () => createLimitSchema(of),
    defaults: { hosted, embedded: null },
  })

/** Requests that follow the answers. A stage runs if its key is set, or if `with` names it. */
export const stages = {
  with: option({
    schema: () =>
      z
        .array(z.enum(stageKinds))
        .refine((list) => new Set(list).size === list.length, { error: 'a stage is named twice' })
        .describe(
          'Further data to request for each matched company. Defaults to the stages with a key here.',
        ),
    flag: {
      names: '--with <stages>',
      group: 'output',
      help: `request more data for each matched company: ${stageKinds.join(', ')}`,
      parse: parseStages,
    },
    meaning: 'Request more data for each matched company: `entity`, `hierarchy`, `domain`.',
    unset: 'the stages in the config',
    manual: 'An empty list disables all. See [Stages](docs/manual/what-the-columns-mean.md#stages).',
    example: [],
  }),
  entity: {
    maxAge: maxAge('a record', '90d'),
    lookupsMax: lookupsMax('records'),
    perMinute: limit('entity reads', rateLimits.entityReadsPerMinute),
  },
  hierarchy: {
    maxAge: maxAge('a hierarchy', '180d'),
    lookupsMax: lookupsMax('hierarchies'),
    submitPerMinute: limit('hierarchy submissions', rateLimits.submissionsPerMinute),
    pollPerMinute: limit('hierarchy polls', rateLimits.pollsPerMinute),
  },
  domain: {
    maxAge: maxAge('a domain', '90d'),
    lookupsMax: lookupsMax('domains, each of which is billed'),
    perMinute: limit('domain requests of all kinds', rateLimits.domainReadsPerMinute),
  },
}

/** `entity,hierarchy`: each once. */
function parseStages(text: string): Parsed<StageKind[]> {
  const { value: names } = parseList(text)
  const kinds = names.map((name) => stageKinds.find((kind) => kind === name))
  const unknown = names[kinds.indexOf(undefined)]
  const listed = stageKinds.join(', ')
  if (kinds.includes(undefined)) return { fault: `There is no stage ${unknown ?? ''}; there are ${listed}.` }
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return { fault: `${twice} is named twice.` }
  if (names.length === 0) return { fault: `It must name at least one of ${listed}.` }
  return { value: kinds.flatMap((kind) => kind ?? []) }
}

/** The value of `first.registry` that stands for the registry of `--registry`, or the default one. */
const ownRegistry = 'registry'

/** An own registry that answers lookups before a hosted service is paid for them. */
export const first = {
  registry: option({
    schema: () =>
      z
        .string()
        .describe(
          'The own registry that answers each lookup before it is submitted: a path, or `registry` for that of `service.registry`. Empty: none.',
        ),
    flag: {
      names: '--first <registry>',
      group: 'service',
      help: 'let your own registry answer first, and submit only the rest: "registry" for that of --registry, or a path',
    },
    path: 'registry',
    unset: 'none',
    meaning: 'The own registry that answers each lookup before it is submitted.',
    manual:
      'A path, or `registry` for that of `service.registry`. See [Own registers first](docs/manual/money-and-limits.md#own-registers-first).',
    example: '',
  }),
  accept: option({
    schema: () =>
      z
        .int()
        .min(matchedConfidenceMin)
        .max(100)
        .describe('Confidence from which a match of the own registry is the answer, in percent.'),
    flag: {
      names: '--accept <percent>',
      group: 'service',
      help: 'smallest confidence of an answer of --first',
      parse: parsePercent,
    },
    manual: '`enrich plan` shows the cost at 80, 90, 95 and 99.',
    defaults: useForBoth(95),
  }),
  prefer: option({
    schema: () =>
      z
        .enum(['earlier', 'registry', 'service'])
        .describe('The answer that a lookup keeps if both the own registry and the service have one.'),
    choices: ['earlier', 'registry', 'service'],
    flag: {
      names: '--prefer <side>',
      group: 'service',
      help: 'side to use if both --first and the service have an answer',
    },
    manual: '`earlier`: the older answer, so that an answer that was paid for is not replaced.',
    defaults: useForBoth('earlier'),
  }),
  checkSample: option({
    schema: () =>
      z
        .number()
        .positive()
        .max(100)
        .describe('Also submit this share of the lookups that the own registry answered, in percent.'),
    flag: {
      names: '--check-sample <percent>',
      group: 'service',
      help: 'also submit a random share of the lookups that --first answers, like 2%',
      parse: parseShare,
    },
    meaning: 'The share of the lookups answered by the own registry that are submitted as well, in percent.',
    manual: 'The run reports how often both name the same company. The sample is billed.',
    unset: 'none',
    example: 2,
  }),
  sampleSeed: option({
    schema: () => z.int().min(0).describe('Seed of the sample; another seed selects other lookups.'),
    defaults: useForBoth(1),
  }),
  stages: option({
    schema: () =>
      z.boolean().describe('Whether the own registry also answers the stages of the rows that it answered.'),
    defaults: useForBoth(true),
  }),
}

function parsePercent(text: string): Parsed<number> {
  const value = Number(/^(\d{1,3})%?$/.exec(text)?.[1] ?? 0)
  return value >= matchedConfidenceMin && value <= 100
    ? { value }
    : { fault: `It must be a percentage from ${matchedConfidenceMin} to 100, like 95.` }
}

function parseShare(text: string): Parsed<number> {
  const value = Number(/^(\d{1,3}(?:\.\d{1,3})?)%?$/.exec(text)?.[1] ?? 0)
  return value > 0 && value <= 100
    ? { value }
    : { fault: 'It must be a percentage above 0 and up to 100, like 2%.' }
}

export interface FirstSettings extends Omit<FirstRegistry, 'scheduling'> {
  readonly registryPath: string
}

/** Returns `null` without a registry. Throws USAGE_INVALID if there is nothing that it would come before. */
export function resolveFirst(
  { registry = '', accept, prefer, checkSample, sampleSeed, stages }: FilledOf<typeof first>,
  asked: { readonly registry?: string | undefined; readonly checkSample?: unknown },
  {
    baseUrl,
    registryPath,
    doubtThreshold,
  }: { readonly baseUrl: string | null; readonly registryPath: string; readonly doubtThreshold: number },
): FirstSettings | null {
  if (registry === '') {
    if (asked.checkSample === undefined || asked.registry === '') return null
    throw new UserError('USAGE_INVALID', '--check-sample without --first', {
      hint: 'pass --first registry, or remove --check-sample: it checks the answers of that registry',
    })
  }
  if (baseUrl === null) {
    throw new UserError('USAGE_INVALID', '--first without --base-url', {
      hint: 'pass the URL of the hosted service that answers the rest, or --registry to use the registry alone',
    })
  }
  if (accept < doubtThreshold) {
    throw new UserError(
      'USAGE_INVALID',
      `--accept ${accept} is below the threshold of doubtful answers, ${doubtThreshold}`,
      { hint: 'raise --accept, or lower review.threshold: a doubtful answer is not accepted' },
    )
  }
  const sample = checkSample === undefined ? null : { percent: checkSample, seed: sampleSeed }
  return {
    registryPath: registry === ownRegistry ? registryPath : registry,
    accept,
    prefer,
    sample,
    stages,
  }
}

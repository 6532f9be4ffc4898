import * as z from 'zod'
import { rateLimits } from '../contract/limits.js'
import { parseDurationMs } from '../core/time.js'
import { stageKinds, type StageKind } from '../pipeline/lookups/lookup-kind.js'
import { option, parseList, type Option, type Parsed } from './option.js'

const duration = () =>
  z
    .string()
    .refine((text) => parseDurationMs(text) !== null, { error: 'a number and s, m, h or d, like 30d' })
const perWindow = () => z.int().positive().max(1_000_000)

const maxAge = (of: string, example: string) =>
  option({
    schema: () => duration().describe(`Ask again when ${of} is older than this.`),
    unset: 'kept for good',
    example,
  })
const lookupsMax = (of: string) =>
  option({ schema: () => z.int().min(0).describe(`Ask for no more than this many ${of}.`), example: 1_000 })
const limit = (of: string, hosted: number): Option<number, number | null> =>
  option({ schema: () => perWindow().describe(`${of} a window.`), defaults: { hosted, embedded: null } })

/** What is asked after the answers; a stage is asked where its key is there, or where `with` names it. */
export const stages = {
  with: option({
    schema: () =>
      z
        .array(z.enum(stageKinds))
        .refine((list) => new Set(list).size === list.length, { error: 'a stage is named twice' })
        .describe('What is asked of each company after its answer; if left out, the stages with a key here.'),
    flag: {
      names: '--with <stages>',
      group: 'output',
      help: `asked of each company after its answer: ${stageKinds.join(', ')}`,
      parse: parseStages,
    },
    meaning: 'What is asked of each company after its answer: `entity`, `hierarchy`, `domain`.',
    unset: 'those with a key of their own under stages',
    manual: 'An empty list: none. See [Stages](stages.md).',
    example: [],
  }),
  entity: {
    maxAge: maxAge('a record', '90d'),
    lookupsMax: lookupsMax('records'),
    perMinute: limit('Reads of records', rateLimits.entityReadsPerMinute),
  },
  hierarchy: {
    maxAge: maxAge('a hierarchy', '180d'),
    lookupsMax: lookupsMax('hierarchies'),
    submitPerMinute: limit('Requests for research', rateLimits.submissionsPerMinute),
    pollPerMinute: limit('Reads of hierarchies', rateLimits.pollsPerMinute),
  },
  domain: {
    maxAge: maxAge('what is known of a domain', '90d'),
    lookupsMax: lookupsMax('domains; each is billed'),
    perMinute: limit('Requests about domains, all together,', rateLimits.domainReadsPerMinute),
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

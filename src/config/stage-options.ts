import * as z from 'zod'
import { rateLimits } from '../contract/limits.js'
import { stageKinds, type StageKind } from '../pipeline/lookups/lookup-kind.js'
import {
  createDurationSchema,
  createLimitSchema,
  option,
  parseList,
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
    manual: 'An empty list disables all. See [Stages](stages.md).',
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

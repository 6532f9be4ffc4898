import { domainCompiler } from './domains/domain-build.js'
import type { DomainLists } from './domains/domain-lists.js'
import type { WebsiteCheck } from './domains/website-check.js'
import type { Knowledge } from '../knowledge.js'
import { domainEventData } from './domains/domain-reply.js'
import type { Compiler } from './builds/build.js'
import { createBuilds, type Builds, type BuildsOptions } from './builds/builds.js'
import { entityCompiler, entityEventData } from './builds/entity-build.js'

interface Surroundings extends Omit<BuildsOptions, 'compilers' | 'eventData' | 'edition'> {
  readonly knowledge: Knowledge
  readonly lists: DomainLists
  readonly checkWebsite: WebsiteCheck | null
  readonly hierarchy: Compiler
}

/** The builds of a service: what each kind is compiled from, and what its events tell. */
export function openBuilds({ knowledge, lists, checkWebsite, hierarchy, ...rest }: Surroundings): Builds {
  return createBuilds({
    ...rest,
    edition: () => knowledge.edition?.() ?? null,
    compilers: {
      entity: entityCompiler(knowledge),
      domain: domainCompiler({ knowledge, lists, checkWebsite }),
      hierarchy,
    },
    eventData: { entity: entityEventData(knowledge), domain: domainEventData },
  })
}

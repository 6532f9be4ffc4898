import { existsSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestions, type MatcherStart } from '../../src/app/matcher-protocol.js'
import { createKnowledge } from '../../src/app/registry-adapter.js'
import { UserError } from '../../src/core/errors.js'
import { openRegistry } from '../../src/registry/registry.js'

/** The thread of a matcher, in which some names are not matched: their first word says what happens instead. */
const start = workerData as MatcherStart
const registry = openRegistry(start.registryPath ?? '', { readonly: true })
const knowledge = createKnowledge(registry)

const idle = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const happenings: Readonly<Record<string, (rest: string) => void>> = {
  HANG: () => {
    for (;;) idle(1_000)
  },
  /** Until there is a file, which its rest names. */
  AWAIT: (path) => {
    while (!existsSync(path)) idle(10)
  },
  DIE: () => process.exit(3),
  /** Its rest is a file that remembers that it happened. */
  DIEONCE: (path) => {
    if (existsSync(path)) return
    writeFileSync(path, '')
    process.exit(3)
  },
  FILL: () => {
    const held: number[][] = []
    for (;;) held.push(new Array<number>(1_000_000).fill(held.length))
  },
  REFUSE: () => {
    throw new UserError('REGISTRY_INVALID', 'the file is damaged', { hint: 'import it again' })
  },
  BREAK: () => {
    throw Object.assign(new Error('disk gone'), { code: 'SQLITE_IOERR' })
  },
}

answerQuestions(parentPort, start, {
  ...knowledge,
  atOnce: (answer) => {
    if (existsSync(`${start.registryPath ?? ''}.locked`))
      throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    return knowledge.atOnce(answer)
  },
  ask: (query) => {
    const [what = '', ...rest] = query.name.split(' ')
    happenings[what]?.(rest.join(' '))
    return knowledge.ask(query)
  },
})

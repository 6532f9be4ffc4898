import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Postgres, PostgresStatements } from '../../src/platform/postgres/postgres.js'
import { systemClock } from '../../src/platform/clock.js'
import { connectTo, runPart, type PartRun } from '../support/part-run.js'
import { watchFiles } from './file-steps.js'
import { Life } from './mortality.js'

/** A process that publishes a part, and is killed on its way, or waits. */
interface PartChild extends PartRun {
  /** The how manyeth step of publishing ends it; null: none does. */
  readonly dieAt: number | null
  /** Before the first step of this name it says so, and waits for the file `go` in its folder. */
  readonly waitBefore: string | null
}

/** What it says when it has come to its end. */
export interface PartEnded {
  readonly steps: readonly string[]
  readonly notices: readonly string[]
  readonly outputPaths: readonly string[]
}

const child = JSON.parse(process.argv[2] ?? '{}') as PartChild
const real = connectTo(child.url)
// Nothing after it runs: not even what clears up.
const life = new Life(child.dieAt ?? Infinity, () => process.kill(process.pid, 'SIGKILL'))
let isPublishing = false

const around = async <Result>(label: string, call: () => Promise<Result>): Promise<Result> => {
  if (!isPublishing) return call()
  if (child.waitBefore === label && !existsSync(join(child.folder, 'go'))) {
    process.stdout.write('waiting\n')
    while (!existsSync(join(child.folder, 'go'))) await systemClock.sleep(20)
  }
  return life.around(label, call)
}

const stepped = (statements: PostgresStatements): PostgresStatements => ({
  query: (text, values) => around(/\w+/.exec(text)?.[0] ?? '', () => statements.query(text, values)),
})
const postgres: Postgres = {
  ...stepped(real),
  transaction: (work) => around('transaction', () => real.transaction((one) => work(stepped(one)))),
  close: () => real.close(),
}

const { summary, notices } = await (async () => {
  const notices: string[] = []
  const ran = await runPart(child, postgres, {
    observe: (event) => {
      if (event.type === 'notice') notices.push(event.text)
      if (event.type !== 'publishing') return
      isPublishing = true
      watchFiles(child.folder, life)
    },
  })
  return { summary: ran.summary, notices }
})()
const ended: PartEnded = { steps: [...life.steps], notices, outputPaths: summary.outputPaths }
process.stdout.write(`${JSON.stringify(ended)}\n`)
await real.close()

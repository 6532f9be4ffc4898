/** The matcher alone, in a process of its own: each distinct question once. Argument: `MatcherWork`; prints `MatcherFigures`. */
import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'

export interface MatcherWork {
  /** Of the built package: the peer runs what is measured. */
  readonly registryModule: string
  readonly registry: string
  readonly input: string
}

export interface MatcherFigures {
  readonly questionCount: number
  readonly wallMs: number
  readonly cpuMs: number
}

interface Question {
  readonly name: string
  readonly location: string
  readonly context: null
}

const { registryModule, registry: path, input } = JSON.parse(process.argv[1] ?? '') as MatcherWork
const { openRegistry } = (await import(registryModule)) as {
  openRegistry: (path: string, options: { readonly: true }) => { resolve: (question: Question) => unknown }
}
const questions = new Map<string, Question>()
const rows = createReadStream(input).pipe(parse({ columns: true }))
for await (const row of rows as AsyncIterable<Record<'company_name' | 'city' | 'country', string>>) {
  const question = { name: row.company_name, location: `${row.city}, ${row.country}`, context: null }
  questions.set(JSON.stringify(question).toLowerCase(), question)
}
const registry = openRegistry(path, { readonly: true })
const cpuFrom = process.cpuUsage()
const fromMs = performance.now()
// The answer as it is sent, too: it is a part of the matcher's work.
for (const question of questions.values()) JSON.stringify(registry.resolve(question))
const { user, system } = process.cpuUsage(cpuFrom)
const figures: MatcherFigures = {
  questionCount: questions.size,
  wallMs: performance.now() - fromMs,
  cpuMs: (user + system) / 1000,
}
process.stdout.write(JSON.stringify(figures))

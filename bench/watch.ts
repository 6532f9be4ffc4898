import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runMetered, type Metered } from './metered.js'
import { diskFolder, grouped, ratio, type Say } from './support.js'

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const port = 18_790
const rounds = 3
const modes = ['none', 'served', 'open'] as const
type Mode = (typeof modes)[number]

/** The same run on the embedded service without a page, with one that nobody looks at, and with one that is open. */
export async function reportWatch(say: Say, rowCount = 5_000): Promise<void> {
  if (!existsSync(main)) throw new Error('dist/cli/main.js is missing: `npm run build` makes it')
  const folder = mkdtempSync(join(diskFolder(), 'enrich-bench-watch-'))
  try {
    const rows = Array.from(
      { length: rowCount },
      (_, index) => `Made Up ${index.toString(36)} Works Ltd,Leeds`,
    )
    writeFileSync(join(folder, 'in.csv'), `company_name,city\n${rows.join('\n')}\n`)
    const best: Partial<Record<Mode, Metered>> = {}
    // In turn, so that what else the machine does falls on all alike.
    for (let round = 0; round < rounds; round++) {
      for (const mode of modes) {
        const run = await runOnce(folder, mode, `${mode}-${round}`)
        if (run.cpuMs < (best[mode]?.cpuMs ?? Infinity)) best[mode] = run
      }
    }
    const { none, served, open } = best
    if (none === undefined || served === undefined || open === undefined) throw new Error('nothing was run')
    say(`  ${grouped(rowCount)} rows, the best of ${rounds} by CPU: ${grouped(none.cpuMs)} ms without a page`)
    say(`  a page that nobody looks at: ${ratiosOf(served, none)}`)
    say(`  a page that is open: ${ratiosOf(open, none)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ratiosOf = (run: Metered, bare: Metered): string =>
  `${ratio(run.cpuMs / bare.cpuMs)} of the CPU, ${ratio(run.wallMs / bare.wallMs)} of the time`

async function runOnce(folder: string, mode: Mode, name: string): Promise<Metered> {
  const watch = mode === 'none' ? [] : ['--watch', `127.0.0.1:${port}`]
  const over = new AbortController()
  const seen = mode === 'open' ? lookAt(over.signal) : Promise.resolve(1)
  const files = ['in.csv', '-o', `${name}.csv`, '--checkpoint', `${name}.sqlite`]
  const run = await runMetered([main, ...files, '--quiet', ...watch], { cwd: folder }).finally(() => {
    over.abort()
  })
  if ((await seen) === 0) throw new Error('the page was never seen')
  return run
}

/** What the script of the page does: asks for the next state as soon as it has one. Returns how many it had. */
async function lookAt(over: AbortSignal): Promise<number> {
  let tag = ''
  let count = 0
  while (!over.aborted) {
    try {
      const reply = await fetch(`http://127.0.0.1:${port}/live?after=${tag}`, { signal: over })
      await reply.text()
      tag = reply.headers.get('x-state') ?? tag
      count++
    } catch {
      // Not there yet, or not any more.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return count
}

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import { quote } from '../../src/cli/terminal/command-io.js'
import { canary, mainPath, surroundings, type CliPlace } from './cli.js'

export interface PtyOptions {
  readonly env?: Readonly<Record<string, string>>
  /** 0 by 0: what a terminal says of itself that nobody told its size. */
  readonly columns?: number
  readonly rows?: number
}

/** The command line on a pseudo-terminal of the system, seen through a terminal's eyes. */
export interface Pty {
  /** What stands on the screen and above it, without the empty lines at its end. */
  screen(): Promise<string[]>
  /** Where the cursor is: column, and row of what `screen` gives. */
  cursor(): Promise<[column: number, row: number]>
  /** Lines that the terminal broke itself, since they were wider: each whole. */
  brokenLines(): Promise<string[]>
  /** Every byte that came, as it came. */
  raw(): string
  /** The screen as it first matched. Later, it may show something else. */
  sees(pattern: RegExp): Promise<string[]>
  /** Keys that are pressed; `\x03` is Ctrl-C. */
  types(keys: string): void
  resize(columns: number): void
  readonly ended: Promise<number | null>
}

/** Of util-linux: runs a command on a pseudo-terminal of its own. */
const ptyMaker = 'script'
/** How long a terminal is looked at before what it should show is given up. */
const patienceMs = 20_000

export function startInPty(
  place: CliPlace,
  args: readonly string[],
  options: PtyOptions = {},
  whenFinished: typeof onTestFinished = onTestFinished,
): Pty {
  const { columns = 80, rows = 24 } = options
  const ttyPath = `${place.temporaryFolder}/tty-${Math.random()}`
  const command = [process.execPath, mainPath, ...args].map(quote).join(' ')
  // Under `script` a terminal has no size until it is given one.
  const whole = `stty cols ${columns} rows ${rows}; tty > ${quote(ttyPath)}; exec ${command}`
  const child = spawn(ptyMaker, ['-qfec', whole, '/dev/null'], {
    cwd: place.folder,
    env: {
      ...surroundings,
      TMPDIR: place.temporaryFolder,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      ENRICH_API_KEY: canary,
      ...options.env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const view = new xterm.Terminal({
    cols: columns || 80,
    rows: rows || 24,
    scrollback: 2_000,
    allowProposedApi: true,
  })
  const bytes: Buffer[] = []
  const raw = () => Buffer.concat(bytes).toString('utf8')
  let look = (): unknown => undefined
  child.stdout.on('data', (chunk: Buffer) => {
    bytes.push(chunk)
    for (const text of splitAtReturns(chunk)) {
      view.write(text, () => {
        look()
      })
    }
  })
  child.stdin.on('error', () => undefined)
  whenFinished(() => {
    child.kill('SIGKILL')
    view.dispose()
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const settled = () =>
    new Promise<void>((resolve) => {
      view.write('', resolve)
    })
  const lines = () => {
    const buffer = view.buffer.active
    const all: string[] = []
    for (let row = 0; row < buffer.length; row++) all.push(buffer.getLine(row)?.translateToString(true) ?? '')
    while (all.at(-1) === '') all.pop()
    return all
  }
  const brokenLines = () => {
    const { active } = view.buffer
    const whole: { text: string; isBroken: boolean }[] = []
    for (let row = 0; row < active.length; row++) {
      const line = active.getLine(row)
      const last = whole.at(-1)
      if (line === undefined) continue
      if (!line.isWrapped || last === undefined)
        whole.push({ text: line.translateToString(), isBroken: false })
      else whole[whole.length - 1] = { text: last.text + line.translateToString(), isBroken: true }
    }
    return whole.filter(({ isBroken }) => isBroken).map(({ text }) => text.trimEnd())
  }
  return {
    raw,
    ended,
    brokenLines: async () => {
      await settled()
      return brokenLines()
    },
    screen: async () => {
      await settled()
      return lines()
    },
    cursor: async () => {
      await settled()
      const { cursorX, cursorY, baseY } = view.buffer.active
      return [cursorX, baseY + cursorY]
    },
    types: (keys) => child.stdin.write(keys),
    resize: (to) => {
      view.resize(to, rows || 24)
      if (!existsSync(ttyPath)) throw new Error('the terminal is not there yet')
      execFileSync('stty', [
        '-F',
        readFileSync(ttyPath, 'utf8').trim(),
        'cols',
        String(to),
        'rows',
        String(rows),
      ])
    },
    sees: (pattern) =>
      new Promise((resolve, reject) => {
        const isThere = (): boolean => {
          const shown = lines()
          const found = pattern.test(shown.join('\n'))
          if (found) resolve(shown)
          return found
        }
        look = isThere
        isThere()
        const fail = (why: string) => () => {
          void settled().then(() => {
            if (!isThere()) reject(new Error(`${why} without ${String(pattern)}:\n${lines().join('\n')}`))
          })
        }
        const timer = setTimeout(fail('gave up'), patienceMs)
        void ended.then(() => {
          clearTimeout(timer)
          fail('ended')()
        })
      }),
  }
}

/** A line that is drawn over begins with a return: each of them is looked at, also if several are read at once. */
function splitAtReturns(chunk: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  let start = 0
  for (let next = chunk.indexOf(0x0d, 1); next !== -1; next = chunk.indexOf(0x0d, next + 1)) {
    pieces.push(chunk.subarray(start, next))
    start = next
  }
  return [...pieces, chunk.subarray(start)]
}

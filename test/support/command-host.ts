import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { childrenVariable } from './child-process.js'

/** A command to run: its folder, all of its environment, its arguments, and its whole standard input. */
export interface CommandOrder {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly stdin: Buffer | string
}

export interface CommandResult {
  readonly code: number
  readonly stdoutBytes: Buffer
  readonly stderr: string
}

/** Then a new process takes over, so that what commands leave in memory stays small. */
const commandsPerProcess = 100

/**
 * A process that runs commands of the built program one after another: loading the program takes ten times as long as
 * most commands. Only the process is shared: each command has its own folder, environment and standard streams.
 */
export class CommandHost {
  #child: ChildProcess | null = null
  #commandCount = 0
  #isBusy = false

  constructor(readonly programPath: string) {}

  /** Returns null if the process is busy: commands that run at once need processes of their own. */
  async run(order: CommandOrder): Promise<CommandResult | null> {
    if (this.#isBusy) return null
    this.#isBusy = true
    try {
      const child = this.#getChild()
      child.send(order)
      this.#commandCount += 1
      const ended = new AbortController()
      const options = { signal: ended.signal }
      try {
        return await Promise.race([
          once(child, 'message', options).then(([result]) => result as CommandResult),
          once(child, 'exit', options).then(([code, signal]) => {
            throw new Error(
              `the process of the commands ended with ${String(code ?? signal)}: ${order.args.join(' ')}`,
            )
          }),
        ])
      } finally {
        ended.abort()
      }
    } finally {
      this.#isBusy = false
    }
  }

  #getChild(): ChildProcess {
    if (this.#commandCount >= commandsPerProcess) this.#child?.disconnect()
    if (this.#child?.connected === true) return this.#child
    const folder = process.env[childrenVariable]
    if (folder === undefined) throw new Error('the programs of the tests are not bundled')
    this.#commandCount = 0
    this.#child = fork(join(folder, 'command-host-child.js'), [this.programPath], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    // Does not keep the process of the tests; ends with it.
    this.#child.unref()
    return this.#child
  }
}

import type { CliIo } from './io.js'

interface Choice {
  readonly value: string
  /** Beside the value: what its cells look like, say. */
  readonly hint?: string
}

/** Asks a person one thing at a time; each answer is one of the choices. */
export interface Asker {
  chooseOne(question: string, choices: readonly Choice[], standing: string): Promise<string>
  chooseSome(question: string, choices: readonly Choice[], standing: readonly string[]): Promise<string[]>
  agrees(question: string, standing: boolean): Promise<boolean>
}

/** Null where nobody can be asked: a question that is never answered would hold a scheduler's job for ever. */
export async function askerOf(io: CliIo): Promise<Asker | null> {
  const { stdin, stdout } = io
  if (!isTerminal(stdin) || !isTerminal(stdout)) return null
  const prompts = await import('@clack/prompts')
  const shared = { input: stdin, output: stdout, signal: io.interrupt }
  const answered = <Value>(answer: Value | typeof prompts.CANCEL_SYMBOL): Value => {
    // Escape or Ctrl-C at a question: as if the command had been interrupted.
    if (answer === prompts.CANCEL_SYMBOL)
      throw new DOMException('a question was left unanswered', 'AbortError')
    return answer
  }
  const listed = (choices: readonly Choice[]) =>
    choices.map(({ value, hint }) => ({ value, ...(hint === undefined ? {} : { hint }) }))
  return {
    chooseOne: async (message, choices, initialValue) =>
      answered(await prompts.select({ ...shared, message, options: listed(choices), initialValue })),
    chooseSome: async (message, choices, standing) =>
      answered(
        await prompts.multiselect({
          ...shared,
          message,
          options: listed(choices),
          initialValues: [...standing],
          required: false,
        }),
      ),
    agrees: async (message, initialValue) =>
      answered(await prompts.confirm({ ...shared, message, initialValue })),
  }
}

const isTerminal = (stream: object): stream is NodeJS.ReadStream & NodeJS.WriteStream =>
  (stream as { isTTY?: boolean }).isTTY === true

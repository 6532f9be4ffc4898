import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema, type Progress } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { canary, mainPath, surroundings, type CliPlace } from './cli.js'

/** The answer of a tool; an error has `code`. */
export type ToolAnswer = Record<string, unknown> & { readonly code?: string }

export interface AssistantOptions {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What the user answers to a question; without it, the client cannot ask. */
  readonly answer?: (question: string) => 'accept' | 'decline' | 'cancel' | Promise<'accept' | 'decline'>
}

/** An assistant's client, connected to `enrich mcp` in the folder of a place. */
export interface Assistant {
  readonly client: Client
  readonly transport: StdioClientTransport
  /** All questions to the user. */
  readonly questions: readonly string[]
  /** All answers as JSON. */
  answers(): string
  /** All answers, and the standard error of the server. */
  seen(): string
  call(name: string, args?: object, options?: CallOptions): Promise<ToolAnswer>
  close(): Promise<void>
}

interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: Progress) => void
}

/** The official client, with the built command as its server. */
export async function startAssistant(
  place: Pick<CliPlace, 'folder' | 'temporaryFolder'>,
  { flags = [], env = {}, answer }: AssistantOptions = {},
  whenFinished: typeof onTestFinished = onTestFinished,
): Promise<Assistant> {
  const capabilities = answer === undefined ? {} : { elicitation: {} }
  const client = new Client({ name: 'test-client', version: '1' }, { capabilities })
  const questions: string[] = []
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params: { message } }) => {
      questions.push(message)
      return { action: await answer(message), content: {} }
    })
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [mainPath, 'mcp', '--root', place.folder, ...flags],
    // The folder of the client is another one than that of the files.
    cwd: '/',
    env: {
      ...surroundings,
      TMPDIR: place.temporaryFolder,
      XDG_STATE_HOME: process.env['XDG_STATE_HOME'] ?? '',
      ENRICH_API_KEY: canary,
      ...env,
    },
    stderr: 'pipe',
  })
  let [answers, errors] = ['', '']
  transport.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  whenFinished(() => client.close())
  await client.connect(transport)
  return {
    client,
    transport,
    questions,
    answers: () => answers,
    seen: () => answers + errors,
    call: async (name, args = {}, options = {}) => {
      const result = await client.callTool({ name, arguments: { ...args } }, undefined, {
        timeout: 110_000,
        ...options,
      })
      const text = (result.content as { readonly text: string }[])[0]?.text ?? ''
      answers += JSON.stringify(result)
      if (result.structuredContent === undefined) throw new Error(text)
      return result.structuredContent as ToolAnswer
    },
    close: () => client.close(),
  }
}

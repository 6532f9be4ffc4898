import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { routes, type Route } from '../../contract/routes.js'
import { rateLimitHeaders } from '../../contract/limits.js'
import { UserError } from '../../core/errors.js'
import { stripByteOrderMark } from '../../core/text.js'
import type { Exchange } from '../../core/http-exchange.js'
import type { TransportRequest } from '../../client/transport.js'
import { connectTo } from '../../app/enrich.js'
import { resolveSettings } from '../../config/settings.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { formatJsonLine, type CliIo } from '../terminal/command-io.js'

interface ApiFlags extends ConfigFlags {
  query?: Record<string, string> | undefined
  body?: string
  json?: boolean
}

/** Adds `enrich api METHOD PATH`, which sends one request without retries and prints the response. */
export function fillApiCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint', 'service'])
  command
    .option('--query <name=value>', 'query parameter; can be repeated', addPair)
    .option('--body <json>', 'body of a POST: JSON, or @FILE')
    .option('--json', 'print status, limits and body as one JSON line')
    .action(async (method: string, path: string, { query, ...flags }: ApiFlags) => {
      const request = buildApiRequest(method.toUpperCase(), path, { ...flags, query })
      const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
      const connection = await connectTo(settings, io.environment, () => undefined)
      try {
        show(await connection.client.exchange(request), flags.json === true, io)
      } finally {
        await connection.close()
      }
    })
}

/** Builds a request of the contract. Throws USAGE_INVALID if the contract has no such route. */
function buildApiRequest(method: string, path: string, { query = {}, body }: ApiFlags): TransportRequest {
  const bare = path.split('?', 1)[0] ?? ''
  const fitting = Object.values<Route>(routes).filter((route) => toPattern(route).test(bare))
  const route = fitting.find((candidate) => candidate.method === method)
  if (route === undefined) {
    const others = fitting.map((candidate) => `${candidate.method} ${candidate.path}`)
    throw new UserError('USAGE_INVALID', `the interface has no ${method} ${bare}`, {
      hint:
        others.length > 0
          ? `use ${others.join(' or ')}`
          : `its paths are ${[...new Set(Object.values<Route>(routes).map((one) => one.path))].join(', ')}`,
    })
  }
  const search = new URLSearchParams(query).toString()
  const whole = search === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${search}`
  if (route.body === null) {
    if (body !== undefined) throw new UserError('USAGE_INVALID', `${method} ${bare} takes no body`)
    return { method: route.method, path: whole, headers: {} }
  }
  const headers = { 'content-type': 'application/json' }
  return { method: route.method, path: whole, headers, body: readBodyText(body ?? '{}') }
}

function toPattern({ path }: Route): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
}

function readBodyText(given: string): string {
  try {
    const text = stripByteOrderMark(given.startsWith('@') ? readFileSync(given.slice(1), 'utf8') : given)
    JSON.parse(text)
    return text
  } catch (error) {
    throw new UserError('USAGE_INVALID', 'the body is not JSON, or its file cannot be read', {
      hint: `quote it for the shell, like --body '{"name": "Siemens"}', or --body @FILE`,
      cause: error,
    })
  }
}

function show(exchange: Exchange, isJson: boolean, io: CliIo): void {
  if (exchange.kind === 'no_reply') {
    const { hint = 'check --base-url and the network' } = exchange
    throw new UserError('SERVICE_UNREACHABLE', `no answer came from the service: ${exchange.reason}`, {
      hint:
        exchange.sent === 'no'
          ? `nothing was sent: ${hint}`
          : 'the service may have received the request, and billed it if the route is billed',
    })
  }
  const limits = Object.values(rateLimitHeaders).filter((name) => exchange.headers[name] !== undefined)
  io.err(`${exchange.status}${limits.map((name) => `  ${name}: ${exchange.headers[name] ?? ''}`).join('')}\n`)
  if (isJson) {
    const byName = Object.fromEntries(limits.map((name) => [name, exchange.headers[name]]))
    io.out(formatJsonLine('answer', { status: exchange.status, limits: byName, body: exchange.body ?? null }))
  } else if (exchange.body !== undefined) io.out(`${JSON.stringify(exchange.body, null, 2)}\n`)
  else if (exchange.bodyFault !== null && exchange.status !== 202) io.err(`${exchange.bodyFault}\n`)
  if (exchange.status === 401 || exchange.status === 403) io.setExitCode(4)
  else if (exchange.status >= 300) io.setExitCode(5)
}

function addPair(text: string, previous: Record<string, string> | undefined): Record<string, string> {
  const [name = '', ...value] = text.split('=')
  if (name === '' || value.length === 0) {
    throw new UserError('USAGE_INVALID', `${JSON.stringify(text)} is not name=value`, {
      hint: 'write a query parameter like --query name=Siemens',
    })
  }
  return { ...previous, [name]: value.join('=') }
}

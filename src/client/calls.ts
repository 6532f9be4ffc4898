import type { z } from 'zod'
import { routes, type Route, type RouteName } from '../contract/routes.js'
import type { Exchange } from '../core/exchange.js'
import type { TransportRequest } from './transport.js'

/** A part of a call: left out where nothing in it is required. */
type Part<Name extends string, Shape> =
  Record<string, never> extends Shape ? Partial<Record<Name, Shape>> : Readonly<Record<Name, Shape>>

/** What a call of a route is made of, in the types of the contract. */
type CallInput<R extends Route> = Part<'params', z.input<R['params']>> &
  Part<'query', z.input<R['query']>> &
  (R['body'] extends z.ZodType ? { readonly body: z.input<R['body']> } : unknown)

/**
 * One typed function a route of the contract, under the route's name. None of them throws for what a server
 * or a network does, and none repeats a request: whoever calls a billed route decides that by himself.
 */
export type Calls = {
  readonly [Name in RouteName]: (input: CallInput<(typeof routes)[Name]>) => Promise<Exchange>
}

interface LooseInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

/** `exchange` sends one request; it adds the key. */
export function createCalls(exchange: (request: TransportRequest) => Promise<Exchange>): Calls {
  const calls = Object.entries<Route>(routes).map(([name, route]) => {
    return [name, (input: LooseInput) => exchange(requestOf(route, input))] as const
  })
  return Object.fromEntries(calls) as unknown as Calls
}

/** The request of a call. The input was checked by the compiler; the server judges the values. */
export function requestOf(route: Route, { params = {}, query = {}, body }: LooseInput): TransportRequest {
  const request = { method: route.method, path: pathOf(route, params, query) }
  if (route.body === null || body === undefined) return { ...request, headers: {} }
  return { ...request, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

function pathOf(
  route: Route,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string | undefined>>,
): string {
  // A server may have made the id: half a surrogate pair in it must not throw.
  const encode = (_: string, name: string) => encodeURIComponent((params[name] ?? '').toWellFormed())
  const path = route.path.replace(/\{(\w+)\}/g, encode)
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const search = new URLSearchParams(given).toString()
  return search === '' ? path : `${path}?${search}`
}

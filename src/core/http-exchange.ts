/**
 * What one HTTP call came to, before anybody judges it. `no_reply` with `sent: 'no'` is certain: no byte of
 * the request reached the service. `'maybe'` is everything else, a time-out and a reset included.
 */
export type Exchange =
  | {
      kind: 'reply'
      status: number
      /** Names in lower case. */
      headers: Readonly<Record<string, string>>
      /** The parsed JSON, or undefined when there was none to parse; `bodyFault` then says why. */
      body: unknown
      bodyFault: string | null
    }
  | { kind: 'no_reply'; sent: 'no' | 'maybe'; reason: string }

/** Whether any of the request may have reached the service. */
export const mayHaveArrived = (exchange: Exchange): boolean =>
  exchange.kind === 'reply' || exchange.sent === 'maybe'

/** The `error.type` and message of an error body, whichever of the service's shapes it has. */
export function errorOf(body: unknown): { type: string | null; message: string | null } {
  if (!isObject(body)) return { type: null, message: null }
  const error = body['error']
  if (isObject(error)) return { type: textOf(error['type']), message: textOf(error['message']) }
  return { type: textOf(error) ?? textOf(body['code']), message: textOf(body['message']) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Messages of a server are untrusted text: one line, bounded. */
const textCharsMax = 300
function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // eslint-disable-next-line no-control-regex -- control characters are what must not reach a terminal
  return value.replace(/[\x00-\x1f\x7f-\x9f\s]+/g, ' ').slice(0, textCharsMax)
}

/**
 * The result of one HTTP call. `no_reply` with `sent: 'no'` is certain: no byte of the request reached the service.
 * `'maybe'` is every other failure, including time-outs and resets.
 */
export type Exchange =
  | {
      kind: 'reply'
      status: number
      /** Header names are lower case. */
      headers: Readonly<Record<string, string>>
      /** The parsed JSON; undefined if it could not be parsed (see `bodyFault`). */
      body: unknown
      bodyFault: string | null
      /** The body as text, from a service in this process. */
      text?: string
    }
  | { kind: 'no_reply'; sent: 'no' | 'maybe'; reason: string }

/** Whether any part of the request may have reached the service. */
export const mayHaveArrived = (exchange: Exchange): boolean =>
  exchange.kind === 'reply' || exchange.sent === 'maybe'

/** Returns the `error.type` and message of an error body, in any of the service's forms. */
export function readError(body: unknown): { type: string | null; message: string | null } {
  if (!isObject(body)) return { type: null, message: null }
  const error = body['error']
  if (isObject(error)) return { type: toBoundedText(error['type']), message: toBoundedText(error['message']) }
  return {
    type: toBoundedText(error) ?? toBoundedText(body['code']),
    message: toBoundedText(body['message']),
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Longest text taken from a server's message, which is untrusted. */
const textCharsMax = 300
function toBoundedText(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // oxlint-disable-next-line no-control-regex -- control characters are what must not reach a terminal
  return value.replace(/[\x00-\x1f\x7f-\x9f\s]+/g, ' ').slice(0, textCharsMax)
}

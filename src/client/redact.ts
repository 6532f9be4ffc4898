import type { Exchange } from '../core/exchange.js'

const mark = '[secret]'

/** A shorter key would be found in every other word, and what was asked for would be lost with it. */
const keyCharsMin = 8

/**
 * An exchange in which a key that the server sent back stands nowhere: what comes from a server is shown,
 * stored and put into the paths of further requests.
 */
export function withoutKey(exchange: Exchange, apiKey: string): Exchange {
  if (exchange.kind === 'no_reply' || apiKey.length < keyCharsMin) return exchange
  const clean = cleaner(apiKey)
  return {
    ...exchange,
    headers: clean(exchange.headers) as Readonly<Record<string, string>>,
    body: clean(exchange.body),
  }
}

/** Goes as deep as the value nests, which the transport has bounded. What holds no key is given back as it is. */
function cleaner(apiKey: string): (value: unknown) => unknown {
  const inUrl = encodeURIComponent(apiKey)
  const cleanText = (text: string) => text.replaceAll(apiKey, mark).replaceAll(inUrl, mark)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return sameOr(value, value.map(clean))
    const entries = Object.entries(value)
    const cleaned = entries.map(([key, member]) => [cleanText(key), clean(member)] as const)
    const isSame = cleaned.every(([key, member], at) => key === entries[at]?.[0] && member === entries[at][1])
    // `fromEntries` makes own members of every name, `__proto__` too.
    return isSame ? value : Object.fromEntries(cleaned)
  }
  return clean
}

function sameOr(list: readonly unknown[], cleaned: readonly unknown[]): unknown {
  return cleaned.every((member, at) => member === list[at]) ? list : cleaned
}

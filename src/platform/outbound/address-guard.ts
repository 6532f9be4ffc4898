import { Resolver } from 'node:dns/promises'
import {
  isAddressLiteral,
  isPublicAddress,
  isPublicName,
  judgeWebhookUrl,
} from '../../core/server-addresses.js'

/** Limits of requests to user-supplied addresses: name resolution, connection, and response size. */
export const outboundLimits = {
  /** Timeout of one name resolution attempt, and number of attempts. */
  resolveTryMs: 2_000,
  resolveTriesMax: 2,
  /** Timeout for one address of a receiver; then the next is tried. */
  connectMsMax: 5_000,
  /** Bytes read of a receiver's response body. */
  receiverAnswerBytesMax: 64 * 1024,
} as const

/** Returns all addresses of a name, of both families; none if the name does not exist. */
export type HostResolver = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

export type AddressCheck =
  /** Connect only to these: a second resolution may return others. */
  | { readonly kind: 'allowed'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** Checks that a name resolves to public addresses only. Never throws; an abort is a refusal. */
export async function checkAddress(
  target: string | URL,
  resolve: HostResolver,
  signal: AbortSignal,
): Promise<AddressCheck> {
  const hostname = typeof target === 'string' ? target : target.hostname
  if (isAddressLiteral(hostname)) return refuse('it is an address and no name')
  if (!isPublicName(hostname)) return refuse('it is no name of the internet')
  const addresses = await resolveWithin(hostname, resolve, signal)
  if (addresses.length === 0) return refuse('it does not resolve')
  if (!addresses.every(isPublicAddress)) return refuse('it leads to an address that is not public')
  return { kind: 'allowed', addresses }
}

const refuse = (reason: string) => ({ kind: 'refused', reason }) as const

async function resolveWithin(
  hostname: string,
  resolve: HostResolver,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (signal.aborted) return []
  let giveUp: () => void = () => undefined
  const aborted = new Promise<[]>((give) => {
    giveUp = () => {
      give([])
    }
    signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([resolve(hostname, signal).catch(() => []), aborted])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/**
 * Creates a resolver that queries name servers (the system's by default), never the hosts file: local names are not
 * public. Node's own lookup would share four threads, which a few dead name servers could block.
 */
export function createResolver(servers?: readonly string[]): HostResolver {
  return async (hostname, signal) => {
    const resolver = new Resolver({
      timeout: outboundLimits.resolveTryMs,
      tries: outboundLimits.resolveTriesMax,
    })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => {
      resolver.cancel()
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const families = [resolver.resolve4(hostname), resolver.resolve6(hostname)]
      const answers = await Promise.all(families.map((family) => family.catch(() => [])))
      return answers.flat()
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}

export const systemResolver = createResolver()

type DestinationCheck =
  | { readonly kind: 'allowed'; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** Checks webhook URLs, when they are set and again at each delivery. */
export interface AddressGuard {
  /** The reason repeats no part of the URL, which may contain a token. */
  judge(webhookUrl: string, signal: AbortSignal): Promise<DestinationCheck>
}

interface AddressGuardDeps {
  readonly resolve: HostResolver
  /** Allows receivers on this machine, also by http: for tests and local use. */
  readonly allowsLocal: boolean
  /** Name of the address in reasons; optional, defaults to `webhook URL`. */
  readonly called?: string
}

export function createAddressGuard({
  resolve,
  allowsLocal,
  called = 'webhook URL',
}: AddressGuardDeps): AddressGuard {
  return {
    judge: async (webhookUrl, signal) => {
      const verdict = judgeWebhookUrl(webhookUrl, {
        allowsLoopback: allowsLocal,
        allowsAddresses: false,
        called,
      })
      if (verdict.kind === 'refused') return verdict
      const { url, isLocal } = verdict
      if (isLocal) return { kind: 'allowed', url, addresses: listLoopbackAddresses(url.hostname) }
      const check = await checkAddress(url, resolve, signal)
      if (check.kind === 'allowed') return { ...check, url }
      return refuse(`the host of the ${called} cannot be used: ${check.reason}`)
    },
  }
}

/** Local names are not resolved by name servers. */
function listLoopbackAddresses(hostname: string): readonly string[] {
  return hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')]
}

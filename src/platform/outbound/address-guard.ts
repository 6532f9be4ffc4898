import { Resolver } from 'node:dns/promises'
import { isAddressLiteral, isPublicAddress, isPublicName, judgeWebhookUrl } from '../../core/public-url.js'

/** Of requests to addresses that users name: looking a name up, connecting, and what is read of the answer. */
export const outboundLimits = {
  /** Looking a receiver's name up: a try, and their number. */
  resolveTryMs: 2_000,
  resolveTriesMax: 2,
  /** One address of a receiver; the next is tried after it. */
  connectMsMax: 5_000,
  /** What is read of a receiver's answer behind the status. */
  receiverAnswerBytesMax: 64 * 1024,
} as const

/** Every address of a name, of both families; none where there is no such name. */
export type HostResolver = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>

export type AddressCheck =
  /** Connect to one of these and to nothing else: asked again, the name may lead elsewhere. */
  | { readonly kind: 'allowed'; readonly addresses: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Whether a name leads to the internet alone: one address that is private, loopback, link-local or reserved
 * refuses it, however many others there are. Never throws; an abort is a refusal.
 */
export async function checkAddress(
  target: string | URL,
  resolve: HostResolver,
  signal: AbortSignal,
): Promise<AddressCheck> {
  const hostname = typeof target === 'string' ? target : target.hostname
  if (isAddressLiteral(hostname)) return refused('it is an address and no name')
  if (!isPublicName(hostname)) return refused('it is no name of the internet')
  const addresses = await resolveWithin(hostname, resolve, signal)
  if (addresses.length === 0) return refused('it does not resolve')
  if (!addresses.every(isPublicAddress)) return refused('it leads to an address that is not public')
  return { kind: 'allowed', addresses }
}

const refused = (reason: string) => ({ kind: 'refused', reason }) as const

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
 * Asks name servers, those of the system unless others are given, and never its hosts file: a name that only
 * this machine knows is none of the internet. Node's own lookup would share four threads, and a few dead name
 * servers would hold them all.
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

/** Where a delivery may go: judged when the address is given, and again at each delivery. */
export interface AddressGuard {
  /** The reason repeats nothing of the text, which may hold a token. */
  judge(webhookUrl: string, signal: AbortSignal): Promise<DestinationCheck>
}

interface AddressGuardDeps {
  readonly resolve: HostResolver
  /** Receivers on this machine, http too: for rehearsals, and for the user's own. */
  readonly allowsLocal: boolean
  /** What the address is called in reasons; `webhook URL` if left out. */
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
      if (isLocal) return { kind: 'allowed', url, addresses: loopbackAddresses(url.hostname) }
      const check = await checkAddress(url, resolve, signal)
      if (check.kind === 'allowed') return { ...check, url }
      return refused(`the host of the ${called} cannot be used: ${check.reason}`)
    },
  }
}

/** What this machine's own names mean is not asked of anybody. */
function loopbackAddresses(hostname: string): readonly string[] {
  return hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')]
}

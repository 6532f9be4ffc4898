import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { buildConnector } from 'undici'
import { UserError } from '../../core/errors.js'
import { explainNetworkError, ExplainedNetworkError } from '../../core/http-exchange.js'
import { isLoopback, listProxyVariables } from '../../core/server-addresses.js'

/** Undici's connector: TCP, and TLS for https. */
type Connect = ReturnType<typeof buildConnector>

type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/** The other end of a connection. */
interface Destination {
  /** With its colon. */
  readonly protocol: string
  /** IPv6 addresses may be in brackets. */
  readonly hostname: string
  /** Empty for the port of the protocol. */
  readonly port: string
}

/** A proxy for https connections. Its user and password are shown nowhere. */
export class Proxy {
  readonly #url: URL

  constructor(
    url: URL,
    readonly variable: string,
  ) {
    this.#url = url
  }

  /** The address without user and password. */
  get origin(): string {
    return this.#url.origin
  }

  get isLocal(): boolean {
    return isLoopback(this.#url.hostname)
  }

  get hasCredentials(): boolean {
    return this.#url.username !== '' || this.#url.password !== ''
  }

  /** Headers of the request for a tunnel. */
  createHeaders(): Record<string, string> {
    if (!this.hasCredentials) return {}
    const pair = `${decodeURIComponent(this.#url.username)}:${decodeURIComponent(this.#url.password)}`
    return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` }
  }
}

const readVariable = (environment: ProxyEnvironment, name: string): string => environment[name]?.trim() ?? ''

/**
 * Finds the proxy for a connection as curl does: by the variable of its protocol, else `ALL_PROXY`; lower case takes
 * precedence, and `NO_PROXY` lists exceptions. Plain http is permitted to this machine only, and may carry a key: so it
 * uses a proxy on this machine only. Null without a proxy. Throws PROXY_INVALID, which does not repeat the value.
 */
export function findProxy(destination: Destination, environment: ProxyEnvironment): Proxy | null {
  const variable = listProxyVariables(destination.protocol).find(
    (name) => readVariable(environment, name) !== '',
  )
  if (variable === undefined || isExempt(destination, environment)) return null
  if (destination.protocol === 'http:' && !isLoopback(destination.hostname)) return null
  const proxy = parseProxy(readVariable(environment, variable), variable)
  return destination.protocol === 'http:' && !proxy.isLocal ? null : proxy
}

/** Returns the variable that lists exceptions, if it matches; null otherwise. */
export function findExemption(destination: Destination, environment: ProxyEnvironment): string | null {
  return isExempt(destination, environment) ? getExemptionVariable(environment) : null
}

const getExemptionVariable = (environment: ProxyEnvironment): string =>
  readVariable(environment, 'no_proxy') === '' ? 'NO_PROXY' : 'no_proxy'

function parseProxy(text: string, variable: string): Proxy {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null
  const hint = `write ${variable} like http://user:password@proxy.example.com:3128, or unset it`
  if (url === null || url.hostname === '' || !isDecodable(url)) {
    throw new UserError('PROXY_INVALID', `${variable} is not the address of a proxy`, { hint })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const scheme = url.protocol.slice(0, -1)
    throw new UserError(
      'PROXY_INVALID',
      `${variable} names a proxy of the kind ${scheme}, which is not supported`,
      {
        hint: `set it to an http or https proxy, or list the host in NO_PROXY`,
      },
    )
  }
  return new Proxy(url, variable)
}

function isDecodable({ username, password }: URL): boolean {
  try {
    return !/[\r\n\0]/.test(decodeURIComponent(username) + decodeURIComponent(password))
  } catch {
    return false
  }
}

const defaultPorts: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/**
 * Whether `NO_PROXY` lists the host: `*`, a name with its subdomains (`.example.com` and `*.example.com` are the same),
 * an address, or a range like `10.0.0.0/8`; each may have a port.
 */
function isExempt({ protocol, hostname, port }: Destination, environment: ProxyEnvironment): boolean {
  const host = normalizeHost(hostname)
  const ownPort = port === '' ? defaultPorts[protocol] : port
  return readVariable(environment, getExemptionVariable(environment))
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const [, name = entry, entryPort] = /^(\[[^\]]*\]|[^:]*):(\d+)$/.exec(entry) ?? []
      if (entryPort !== undefined && entryPort !== ownPort) return false
      const listed = normalizeHost(name)
      if (ipaddr.isValid(host)) return matchesAddress(host, listed)
      const domain = listed.replace(/^\*?\./, '')
      return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
    })
}

const normalizeHost = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')

function matchesAddress(host: string, listed: string): boolean {
  const address = ipaddr.process(host)
  if (ipaddr.isValidCIDR(listed)) {
    const [range, bits] = ipaddr.parseCIDR(listed)
    return range.kind() === address.kind() && address.match(range, bits)
  }
  return ipaddr.isValid(listed) && ipaddr.process(listed).toString() === address.toString()
}

export interface TunnelOptions {
  /** Time limit of each step: the connection to the proxy, and its answer. */
  readonly connectMsMax: number
  /** Certificates of authorities; optional, defaults to those of Node.js. */
  readonly ca?: readonly string[] | undefined
}

/**
 * Creates a connector that uses the proxy which `find` returns for a connection, and otherwise `direct`. Nothing of a
 * request is sent before the tunnel stands: an error here means that it was not sent.
 */
export function createProxyConnect(
  find: (destination: Destination) => Proxy | null,
  direct: Connect,
  options: TunnelOptions,
): Connect {
  return (target, callback) => {
    const connect = async () => {
      const hostname = target.hostname.includes(':')
        ? `[${target.hostname.replace(/^\[|\]$/g, '')}]`
        : target.hostname
      const destination = { protocol: target.protocol, hostname, port: target.port }
      const proxy = find(destination)
      if (proxy === null) {
        direct(target, callback)
        return
      }
      const socket = await openTunnel(proxy, destination, options)
      if (target.protocol !== 'https:') callback(null, socket)
      else direct({ ...target, httpSocket: socket }, callback)
    }
    connect().catch((error: unknown) => {
      callback(error instanceof Error ? error : new Error('no tunnel', { cause: error }), null)
    })
  }
}

/** Opens a connection through a proxy. Throws ExplainedNetworkError. */
async function openTunnel(
  proxy: Proxy,
  { hostname, protocol, port }: Destination,
  { connectMsMax, ca }: TunnelOptions,
): Promise<Socket> {
  const { Client } = await import('undici')
  const client = new Client(proxy.origin, {
    connect: { timeout: connectMsMax, ...(ca === undefined ? {} : { ca: [...ca] }) },
    headersTimeout: 0,
  })
  const name = `the proxy ${proxy.origin}`
  const progress = { isSlow: false }
  // Covers both steps, because a proxy may accept the connection and stay silent.
  const timer = setTimeout(() => {
    progress.isSlow = true
    client.destroy().catch(() => undefined)
  }, connectMsMax * 2)
  const host = `${hostname}:${port === '' ? (defaultPorts[protocol] ?? '') : port}`
  try {
    const { statusCode, socket } = await client.connect({
      path: host,
      headers: { host, ...proxy.createHeaders() },
    })
    if (statusCode >= 200 && statusCode < 300) return socket as Socket
    socket.on('error', () => undefined).destroy()
    throw explainRefusal(statusCode, name, proxy)
  } catch (error) {
    client.destroy().catch(() => undefined)
    if (error instanceof ExplainedNetworkError) throw error
    const { reason, isPermanent, hint } = explainNetworkError(error, name)
    throw progress.isSlow
      ? new ExplainedNetworkError(`${name} gave no answer in time`, createHint(proxy), { cause: error })
      : new ExplainedNetworkError(reason, `${createHint(proxy)}; ${hint}`, { isPermanent, cause: error })
  } finally {
    clearTimeout(timer)
  }
}

const createHint = ({ variable }: Proxy): string => `check ${variable}, or list the host in NO_PROXY`

function explainRefusal(status: number, name: string, proxy: Proxy): ExplainedNetworkError {
  if (status === 407) {
    const reason = proxy.hasCredentials
      ? `${name} refused the user and the password`
      : `${name} requires a user and a password`
    const hint = `write them into ${proxy.variable}, like http://user:password@host:port, percent-encoded`
    return new ExplainedNetworkError(`${reason} (407)`, hint, { isPermanent: true })
  }
  const isTemporary = status === 429 || status >= 500
  return new ExplainedNetworkError(
    isTemporary
      ? `${name} could not connect (status ${status})`
      : `${name} did not permit the connection (status ${status})`,
    isTemporary
      ? createHint(proxy)
      : `${createHint(proxy)}; the proxy must permit CONNECT to this host and port`,
    { isPermanent: !isTemporary },
  )
}

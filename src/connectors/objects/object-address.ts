import { UserError } from '../../core/errors.js'
import { isLoopback } from '../../core/server-addresses.js'
import type { Place } from '../connector.js'
import type { ObjectInfo } from './object-store.js'

const forms = {
  s3: 's3://bucket/folder/companies.csv',
  gs: 'gs://bucket/folder/companies.csv',
  az: 'az://account/container/folder/companies.csv',
  https: 'https://host/folder/companies.csv',
} as const

export interface ObjectAddress {
  /** Bucket, or account and container. */
  readonly containers: readonly string[]
  /** Name of the object, or a pattern with `*`; taken literally, without decoding. */
  readonly key: string
}

/** Parses an address of an object in a bucket. Throws ADDRESS_INVALID and ADDRESS_HAS_SECRET. */
export function parseObjectAddress(address: string, scheme: 's3' | 'gs' | 'az'): ObjectAddress {
  assertWithoutSecret(address, scheme)
  const parts = address.slice(scheme.length + '://'.length).split('/')
  const containers = parts.splice(0, scheme === 'az' ? 2 : 1)
  const key = parts.join('/')
  const refuse = (reason: string) => createAddressError(scheme, reason)
  if (address.slice(scheme.length, scheme.length + 3) !== '://')
    throw refuse('the address has no // after its scheme')
  if (!containers.every((name) => /^[a-z0-9$][a-z0-9._-]{1,254}$/i.test(name))) {
    throw refuse(`the address names no valid ${scheme === 'az' ? 'account and container' : 'bucket'}`)
  }
  if (key === '') throw refuse('the address names no object')
  if (Buffer.byteLength(key) > 1_024) throw refuse('the name of the object has more than 1,024 bytes')
  if (/\0/.test(key) || !key.isWellFormed()) throw refuse('the name of the object is not valid text')
  if (!isRequestable(key))
    throw refuse('the name of the object has a part . or .., which requests cannot contain')
  return { containers, key }
}

/** Whether the key survives in a URL, where parts `.` and `..` are removed. */
export const isRequestable = (key: string): boolean => !key.split('/').some((part) => /^\.\.?$/.test(part))

const secretNames =
  /^(?:sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|(?:access|auth|id|refresh|sas|session)?[-_]?token|auth|authorization|(?:api|access|secret|account|private)?[-_]?key|password|passwd|pwd|(?:client[-_]?)?secret)$/i

/** Throws ADDRESS_HAS_SECRET for user information, or a parameter that is named like a secret. */
export function assertWithoutSecret(address: string, scheme: keyof typeof forms): void {
  const [, authority = ''] = /^[a-z0-9]+:\/\/([^/?#]*)/i.exec(address) ?? []
  const names = [...address.matchAll(/[?&;#]([^=&;#?]+)=/g)].map(([, name = '']) => name)
  if (!authority.includes('@') && !names.some((name) => secretNames.test(name))) return
  throw new UserError(
    'ADDRESS_HAS_SECRET',
    `the ${scheme} address contains a password, a key or a signature`,
    { hint: `set credentials in the environment, and write the address like ${forms[scheme]}` },
  )
}

export function createAddressError(scheme: keyof typeof forms, reason: string): UserError {
  return new UserError('ADDRESS_INVALID', reason, { hint: `write it like ${forms[scheme]}` })
}

/** Encodes a key for the path of a URL. */
export const encodeKey = (key: string): string => key.split('/').map(encodeText).join('/')

/** Percent-encodes everything except letters, digits and `-._~`. */
export const encodeText = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Returns the query of a URL. */
export const encodeQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map((pair) => pair.map(encodeText).join('='))
    .join('&')

/** Start of the names under which outputs are tried; patterns never match them. */
export const trialPrefix = '.enrich-try-'

/** A pattern of keys: `*` matches inside a part of the key, `**` over several. */
export interface KeyPattern {
  /** Text before the first `*`. */
  readonly prefix: string
  matches(key: string): boolean
}

/** Returns null for a key without `*`. */
export function parsePattern(key: string): KeyPattern | null {
  if (!key.includes('*')) return null
  const source = key
    .split(/(\*\*\/|\*+)/)
    .map((piece) => {
      if (piece === '**/') return '(?:.*/)?'
      if (piece === '*') return '[^/]*'
      return piece.startsWith('**') ? '.*' : piece.replace(/[\\^$.|?+()[\]{}]/g, '\\$&')
    })
    .join('')
  const pattern = new RegExp(`^${source}$`, 's')
  return {
    prefix: key.slice(0, key.indexOf('*')),
    matches: (candidate) =>
      !candidate.endsWith('/') && !`/${candidate}`.includes(`/${trialPrefix}`) && pattern.test(candidate),
  }
}

/**
 * Returns the origin and path of an endpoint from a setting, without a slash at its end. It is https, or http to this
 * machine. Throws ADDRESS_INVALID and ADDRESS_HAS_SECRET, which name the setting and do not repeat its value.
 */
export function parseEndpoint(text: string, setting: string, alsoHttp: readonly string[] = []): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const hint = `write it like https://host:port in ${setting}; http is allowed on this machine only`
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UserError('ADDRESS_INVALID', `the endpoint in ${setting} is not an https address`, { hint })
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    throw new UserError(
      'ADDRESS_HAS_SECRET',
      `the endpoint in ${setting} has more than host, port and path`,
      { hint },
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !alsoHttp.includes(url.hostname)) {
    throw new UserError('ADDRESS_INVALID', `the endpoint in ${setting} is http and not on this machine`, {
      hint,
    })
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

const amazonHost = /^(?:(.+)\.)?s3(?:[.-][a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/
const googleHost = /^(?:storage\.cloud\.google|commondatastorage\.googleapis)\.com$/

/**
 * Returns the places of the object with a URL. Its bucket may be in the path or in front of the host. Stores that take
 * similar keys for the same name show it by the same version: `info`, if known, becomes a place too.
 */
export function listObjectPlaces(url: string, info: ObjectInfo | null): readonly Place[] {
  const { hostname, port, pathname } = new URL(url)
  const path = decodePath(pathname)
  const [, bucket = ''] = amazonHost.exec(hostname) ?? []
  const places = amazonHost.test(hostname)
    ? [`s3.amazonaws.com${bucket === '' ? '' : `/${bucket}`}${path}`]
    : listHostPlaces(hostname, port, path)
  const version =
    info === null || info.etag === null
      ? null
      : JSON.stringify([info.etag, info.byteCount, info.modifiedAtMs])
  const versions = places.map(
    (place) => `${place.replace(/\/+/g, '/').normalize('NFC').toLowerCase()} ${version}`,
  )
  return [...places, ...(version === null ? [] : versions)].map((place) => `object ${place}`)
}

function listHostPlaces(hostname: string, port: string, path: string): readonly string[] {
  const suffix = port === '' ? '' : `:${port}`
  if (isLoopback(hostname)) return [`localhost${suffix}${path}`]
  const host = googleHost.test(hostname) ? 'storage.googleapis.com' : hostname
  const [first = '', ...rest] = host.split('.')
  const inFront = rest.length < 2 ? [] : [`${rest.join('.')}${suffix}/${first}${path}`]
  return [host + suffix + path, ...inFront]
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

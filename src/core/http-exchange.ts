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
  | {
      kind: 'no_reply'
      sent: 'no' | 'maybe'
      reason: string
      /** Remedy of a failure of the network. */
      hint?: string
    }

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

export interface NetworkFailure {
  /** One clause, with the code of the error in brackets. Contains nothing of the request. */
  readonly reason: string
  readonly hint: string
  /** Whether a retry is useless. */
  readonly isPermanent: boolean
}

/** A failure that is explained at its origin, as by a proxy. */
export class ExplainedNetworkError extends Error implements NetworkFailure {
  override readonly name = 'ExplainedNetworkError'
  readonly isPermanent: boolean

  constructor(
    readonly reason: string,
    readonly hint: string,
    { isPermanent = false, cause }: { isPermanent?: boolean; cause?: unknown } = {},
  ) {
    super(reason, cause === undefined ? undefined : { cause })
    this.isPermanent = isPermanent
  }
}

/** Explains an error of Node.js, OpenSSL or the HTTP client. `subject` names the other side. */
export function explainNetworkError(error: unknown, subject = 'it'): NetworkFailure {
  const explained = findExplained(error)
  return explained ?? explainNetworkCode(findNetworkCode(error), subject)
}

/** The same for a code; null: the error has none. */
export function explainNetworkCode(code: string | null, subject = 'it'): NetworkFailure {
  const { text, hint, isPermanent = false } = networkFailures[code ?? ''] ?? findGroup(code ?? '')
  const possessive = subject === 'it' ? 'its' : `${subject}'s`
  const words = text.replaceAll('{it}', subject).replaceAll('{its}', possessive)
  return { reason: code === null ? words : `${words} (${code})`, hint, isPermanent }
}

function findExplained(error: unknown): ExplainedNetworkError | null {
  let current = error
  for (let depth = 0; depth < causesMax && current instanceof Error; depth++) {
    if (current instanceof ExplainedNetworkError) return current
    current = current.cause
  }
  return null
}

const causesMax = 5

/** Returns the code of an error, or of the first error inside it that has one; null without one. */
export function findNetworkCode(error: unknown): string | null {
  let current = error
  for (let depth = 0; depth < causesMax && current instanceof Error; depth++) {
    // Its code is a message in some cases.
    if (current.name === 'HTTPParserError') return 'UND_ERR_HTTP_PARSER'
    const code = (current as Error & { code?: unknown }).code
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_/]{1,79}$/.test(code)) return code
    current = current instanceof AggregateError ? (current.errors as unknown[])[0] : current.cause
  }
  return null
}

interface FailureText {
  readonly text: string
  readonly hint: string
  readonly isPermanent?: boolean
}

const checkNetwork = 'check the address, the network and the firewall'
const nameHint = 'check the name in the address, and the name server and network of this machine'
const failsOften = 'if it happens often, check the network, and proxies or load balancers on the way'
const notHttp = 'check the address and its port: another program may answer there'
const brokeOff: FailureText = { text: 'the connection broke before an answer came', hint: failsOften }
const unresolved: FailureText = { text: '{its} name does not resolve', hint: nameHint }
const unanswered: FailureText = { text: 'no connection could be established in time', hint: checkNetwork }
const noRoute: FailureText = { text: 'no route leads to {it}', hint: checkNetwork }
const blocked: FailureText = {
  text: 'this machine does not permit the connection',
  hint: 'check the firewall and the rights of this process',
}
const exhausted: FailureText = {
  text: 'this machine has no more free connections',
  hint: 'close other programs that use the network, or raise the limits of this machine',
}
const stopped: FailureText = { text: 'the request was ended before an answer came', hint: failsOften }
const malformed: FailureText = { text: '{it} sent no valid HTTP', hint: notHttp }
const untrusted: FailureText = {
  text: 'no trusted authority signed {its} certificate',
  hint: 'check the address; for a private authority, set NODE_EXTRA_CA_CERTS to its PEM file',
  isPermanent: true,
}
const clockHint = 'check the clock of this machine; else renew the certificate of the server'
const badCertificate: FailureText = {
  text: '{its} certificate is not valid',
  hint: 'let the server send a valid certificate with its whole chain',
  isPermanent: true,
}
const otherName: FailureText = {
  text: '{its} certificate is for another name',
  hint: 'use the host name that the certificate contains',
  isPermanent: true,
}
const noTls: FailureText = {
  text: '{it} does not speak TLS at this port',
  hint: 'check the port: it may expect plain http, or a proxy may answer there',
  isPermanent: true,
}
const oldTls: FailureText = {
  text: '{it} and this machine share no version or cipher of TLS',
  hint: 'let the server accept TLS 1.2 or 1.3',
  isPermanent: true,
}
const wantsCertificate: FailureText = {
  text: '{it} requires a certificate of the client, which enrich does not send',
  hint: 'use an address that accepts a key, or a proxy that adds the certificate',
  isPermanent: true,
}
const otherTls: FailureText = {
  text: '{it} does not speak TLS as expected',
  hint: 'check the address and its port, and proxies on the way',
  isPermanent: true,
}

/** Failures by the codes of Node.js, OpenSSL, c-ares and undici. */
export const networkFailures: Readonly<Record<string, FailureText>> = {
  ENOTFOUND: unresolved,
  ENODATA: unresolved,
  ENONAME: unresolved,
  EBADNAME: unresolved,
  EAI_AGAIN: { text: 'the name server gave no answer about {its} name', hint: nameHint },
  EAI_FAIL: { text: 'the name server failed', hint: nameHint },
  EAI_NODATA: unresolved,
  EAI_NONAME: unresolved,
  EAI_MEMORY: exhausted,
  ESERVFAIL: { text: 'the name server failed', hint: nameHint },
  EREFUSED: { text: 'the name server refused to answer', hint: nameHint },
  ETIMEOUT: { text: 'the name server gave no answer in time', hint: nameHint },
  ECONNREFUSED: {
    text: '{it} refused the connection',
    hint: 'check the address and its port, and that the server runs',
  },
  ECONNRESET: { text: 'the connection was reset before an answer came', hint: failsOften },
  ECONNABORTED: brokeOff,
  ENETRESET: brokeOff,
  ENOTCONN: brokeOff,
  EPIPE: brokeOff,
  ESHUTDOWN: brokeOff,
  ETIMEDOUT: unanswered,
  EHOSTUNREACH: noRoute,
  EHOSTDOWN: noRoute,
  ENETUNREACH: noRoute,
  ENETDOWN: { text: 'the network of this machine is down', hint: 'check the network of this machine' },
  EADDRNOTAVAIL: exhausted,
  EADDRINUSE: exhausted,
  EAGAIN: exhausted,
  ENOBUFS: exhausted,
  ENOMEM: exhausted,
  EMFILE: { text: 'too many open files', hint: 'run ulimit -n 2048, then the same command again' },
  ENFILE: { text: 'too many open files', hint: 'close other programs, then run the same command again' },
  EACCES: blocked,
  EPERM: blocked,
  EAFNOSUPPORT: {
    text: 'this machine does not support this kind of address',
    hint: 'use a name, or an IPv4 address',
    isPermanent: true,
  },
  EINVAL: { text: 'this machine cannot connect to this address', hint: checkNetwork },
  EPROTO: otherTls,
  UND_ERR_CONNECT_TIMEOUT: unanswered,
  UND_ERR_HEADERS_TIMEOUT: { text: 'no answer came in time', hint: failsOften },
  UND_ERR_BODY_TIMEOUT: { text: 'the answer stopped in the middle', hint: failsOften },
  UND_ERR_SOCKET: brokeOff,
  UND_ERR_INFO: stopped,
  UND_ERR_ABORT: stopped,
  UND_ERR_ABORTED: stopped,
  UND_ERR_CLOSED: stopped,
  UND_ERR_DESTROYED: stopped,
  UND_ERR_HEADERS_OVERFLOW: { text: '{it} sent too many headers', hint: notHttp },
  UND_ERR_HTTP_PARSER: malformed,
  UND_ERR_INVALID_ARG: {
    text: 'the request contains something that HTTP does not allow',
    hint: 'remove line ends and other control characters from keys and addresses',
    isPermanent: true,
  },
  UND_ERR_RESPONSE: malformed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: {
    text: '{it} sent another number of bytes than it announced',
    hint: failsOften,
  },
  UND_ERR_RES_EXCEEDED_MAX_SIZE: { text: '{its} answer is too large', hint: notHttp },
  UND_ERR_PRX_TLS: otherName,
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  HOSTNAME_MISMATCH: otherName,
  ERR_TLS_CERT_ALTNAME_FORMAT: badCertificate,
  ERR_TLS_HANDSHAKE_TIMEOUT: { text: 'the TLS handshake took too long', hint: checkNetwork },
  CERT_HAS_EXPIRED: { text: '{its} certificate has expired', hint: clockHint, isPermanent: true },
  CERT_NOT_YET_VALID: { text: '{its} certificate is not valid yet', hint: clockHint, isPermanent: true },
  CERT_REVOKED: {
    text: '{its} certificate was revoked',
    hint: 'let the server use another certificate',
    isPermanent: true,
  },
  CERT_UNTRUSTED: untrusted,
  CERT_REJECTED: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_SSL_HTTP_REQUEST: noTls,
  ERR_SSL_HTTPS_PROXY_REQUEST: noTls,
  ERR_SSL_UNKNOWN_PROTOCOL: noTls,
  ERR_SSL_RECORD_TOO_SMALL: noTls,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldTls,
  ERR_SSL_VERSION_TOO_LOW: oldTls,
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: oldTls,
  ERR_SSL_NO_SHARED_CIPHER: oldTls,
  ERR_SSL_DH_KEY_TOO_SMALL: oldTls,
  ERR_SSL_EE_KEY_TOO_SMALL: oldTls,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: oldTls,
  ERR_SSL_TLSV1_ALERT_INSUFFICIENT_SECURITY: oldTls,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: oldTls,
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE': oldTls,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: wantsCertificate,
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: {
    text: '{it} does not know this host name',
    hint: 'check the host name in the address',
    isPermanent: true,
  },
  ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME: {
    text: '{it} does not know this host name',
    hint: 'check the host name in the address',
    isPermanent: true,
  },
}

/** Explains the other codes by their group. */
function findGroup(code: string): FailureText {
  if (code.startsWith('HPE_')) return malformed
  if (/^ERR_(SSL|TLS)_/.test(code)) return otherTls
  if (/^(CERT|CRL|UNABLE_TO|ERROR_IN_CERT|INVALID_(CA|PURPOSE)|PATH_LENGTH)/.test(code)) return badCertificate
  if (/^EAI_/.test(code)) return unresolved
  return { text: 'the connection failed', hint: checkNetwork }
}

/**
 * Decodes JSON of another program: UTF-8 or UTF-16, with or without a byte order mark, else the charset of its content
 * type. Returns null for bytes that are no such text: a replacement character would damage a name.
 */
export function decodeJson(bytes: Uint8Array, contentType = ''): string | null {
  const encodings = [detectUtf16(bytes) ?? 'utf-8', /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]]
  for (const encoding of encodings) {
    try {
      // It removes a byte order mark.
      if (encoding !== undefined) return new TextDecoder(encoding, { fatal: true }).decode(bytes)
    } catch {
      // The next one.
    }
  }
  return null
}

/** JSON starts with two ASCII characters, so that a zero byte tells the order of bytes. */
function detectUtf16([first, second]: Uint8Array): string | null {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || first === 0 ? 'utf-16be' : null
}

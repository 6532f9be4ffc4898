import { constants } from 'node:os'
import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import { explainNetworkError, networkFailures } from '../../../src/core/http-exchange.js'

const withCode = (code: string) => Object.assign(new Error(`library wording of ${code}`), { code })

/** Codes of certificates that Node.js passes on from OpenSSL (its documentation of TLS lists them). */
const certificateCodes = [
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'CERT_SIGNATURE_FAILURE',
  'CRL_SIGNATURE_FAILURE',
  'CERT_NOT_YET_VALID',
  'CERT_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_HAS_EXPIRED',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
  'INVALID_CA',
  'PATH_LENGTH_EXCEEDED',
  'INVALID_PURPOSE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'HOSTNAME_MISMATCH',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]
const tlsCodes = [
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_UNSUPPORTED_PROTOCOL',
  'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
  'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
  'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
  'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC',
  'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
  'EPROTO',
]
const nameCodes = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME', 'ESERVFAIL', 'ETIMEOUT']
const networkErrnos = Object.keys(constants.errno).filter((code) =>
  /^E(CONN|NET|HOST|ADDR|AFNO|TIMEDOUT|PIPE|NOTCONN|NOBUFS|MFILE|NFILE|ACCES|PERM|PROTO$|INVAL)/.test(code),
)
const undiciCodes = Object.values(errors)
  .map((Type) => {
    try {
      const error = new (Type as new () => Error & { code?: string })()
      return error.code
    } catch {
      return undefined
    }
  })
  .filter((code): code is string => code?.startsWith('UND_ERR_') === true)

const all = [
  ...new Set([
    ...Object.keys(networkFailures),
    ...certificateCodes,
    ...tlsCodes,
    ...nameCodes,
    ...networkErrnos,
    ...undiciCodes,
  ]),
]

describe('a failure of the network is a sentence of ours, with its code in brackets and a hint', () => {
  test('the list has the codes of this machine and of the HTTP client', () => {
    expect(networkErrnos).toEqual(expect.arrayContaining(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH']))
    expect(undiciCodes).toEqual(expect.arrayContaining(['UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT']))
    expect(all.length).toBeGreaterThan(80)
  })

  test.for(all)('%s', (code) => {
    const { reason, hint } = explainNetworkError(withCode(code), 'the service')
    expect(reason).toMatch(/^[a-z][a-z ,.'A-Z]+ \([A-Z0-9_/]+\)$/)
    expect(reason.slice(0, reason.indexOf('('))).not.toContain(code)
    expect(reason).toContain(`(${code})`)
    expect(reason + hint).not.toMatch(/library wording|[{}]/)
    expect(hint.length).toBeGreaterThan(20)
  })

  test.for([...certificateCodes, ...tlsCodes])('%s is permanent: no retry helps', (code) => {
    expect(explainNetworkError(withCode(code)).isPermanent).toBe(true)
  })

  test.for([...nameCodes, 'ECONNREFUSED', 'ETIMEDOUT', 'UND_ERR_SOCKET'])('%s may pass', (code) => {
    expect(explainNetworkError(withCode(code)).isPermanent).toBe(false)
  })

  test('the first code inside another error counts, and texts of libraries are never shown', () => {
    const several = new AggregateError([withCode('ENETUNREACH'), withCode('ECONNREFUSED')], 'several')
    expect(explainNetworkError(new Error('outer', { cause: several })).reason).toBe(
      'no route leads to it (ENETUNREACH)',
    )
    for (const strange of [new Error('planted'), withCode('User callback error'), 'planted', null, undefined])
      expect(explainNetworkError(strange).reason).toBe('the connection failed')
  })
})

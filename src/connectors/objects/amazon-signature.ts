import { AwsV4Signer } from 'aws4fetch'
import type { StoreRequest } from './http-client.js'

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  /** Unix time in milliseconds; null: they do not expire. */
  readonly expiresAtMs: number | null
}

/** Returns null if a part is missing. */
export const toAwsCredentials = (
  accessKeyId: string | null | undefined,
  secretAccessKey: string | null | undefined,
  sessionToken: string | null = null,
  expiresAtMs: number | null = null,
): AwsCredentials | null =>
  accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken, expiresAtMs } : null

interface Scope {
  readonly region: string
  readonly service: 's3' | 'sts'
  readonly nowMs: number
}

/** Signs a request of Amazon or a compatible service, by Signature Version 4. */
export async function signForAmazon(
  request: StoreRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
  { region, service, nowMs }: Scope,
): Promise<StoreRequest> {
  // Proxies may change this header, so that it is not signed.
  const { 'accept-encoding': encoding, ...headers } = request.headers
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
    service,
    region,
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  })
  const signed = await signer.sign()
  return {
    ...request,
    headers: {
      ...Object.fromEntries(signed.headers),
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
    },
  }
}

import { UserError } from '../../core/errors.js'
import { signForAmazon, type AwsCredentials } from './amazon-signature.js'
import {
  readTokenFile,
  readVariable,
  requestCredentials,
  type CredentialContext,
} from './credential-request.js'
import type { StoreRequest } from './http-client.js'
import { encodeQuery, parseEndpoint } from './object-address.js'
import { toBody } from './object-store.js'
import { findChild, findText, parseXml } from './xml.js'

interface Role {
  readonly roleArn: string
  readonly region: string
  readonly sessionName: string | null
}

/** Exchanges a token, for example of Kubernetes, for the credentials of a role. */
export async function assumeRoleByToken(
  context: CredentialContext,
  { tokenPath, ...role }: Role & { readonly tokenPath: string },
): Promise<AwsCredentials> {
  const token = readTokenFile(tokenPath, 'AWS_WEB_IDENTITY_TOKEN_FILE')
  const request = buildRequest(context, role, {
    Action: 'AssumeRoleWithWebIdentity',
    WebIdentityToken: token,
  })
  return readRole(await requestCredentials(context, request, 'the token service (STS)'))
}

/** Exchanges the credentials of a user for those of a role. */
export async function assumeRole(
  context: CredentialContext,
  { base, externalId, ...role }: Role & { readonly base: AwsCredentials; readonly externalId: string | null },
): Promise<AwsCredentials> {
  const request = buildRequest(context, role, {
    Action: 'AssumeRole',
    ...(externalId === null ? {} : { ExternalId: externalId }),
  })
  const signed = await signForAmazon(request, base, {
    region: role.region,
    service: 'sts',
    nowMs: context.platform.clock.nowMs(),
  })
  return readRole(await requestCredentials(context, signed, 'the token service (STS)'))
}

/** The parameters are in the body: URLs may be logged on the way. */
function buildRequest(
  { options: { environment } }: CredentialContext,
  { roleArn, region, sessionName }: Role,
  parameters: Readonly<Record<string, string>>,
): StoreRequest {
  const setting = ['AWS_ENDPOINT_URL_STS', 'AWS_ENDPOINT_URL'].find(
    (name) => readVariable(environment, name) !== null,
  )
  const endpoint =
    setting === undefined
      ? `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
      : parseEndpoint(environment[setting] ?? '', setting)
  const form = encodeQuery({
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName ?? 'enrich',
    ...parameters,
  })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', url: `${endpoint}/`, headers, body: toBody(form) }
}

function readRole(text: string): AwsCredentials {
  const root = parseXml(text)
  const result = root?.children.find(({ name }) => name.endsWith('Result')) ?? null
  const credentials = findChild(result, 'Credentials')
  const accessKeyId = findText(credentials, 'AccessKeyId')
  const secretAccessKey = findText(credentials, 'SecretAccessKey')
  const expiresAtMs = Date.parse(findText(credentials, 'Expiration') ?? '')
  if (accessKeyId === null || secretAccessKey === null || Number.isNaN(expiresAtMs)) {
    throw new UserError('CREDENTIALS_MISSING', 'the token service (STS) answered without credentials', {
      hint: 'check AWS_ENDPOINT_URL_STS and AWS_ENDPOINT_URL',
    })
  }
  return { accessKeyId, secretAccessKey, sessionToken: findText(credentials, 'SessionToken'), expiresAtMs }
}

import { AwsV4Signer } from 'aws4fetch'
import { UserError } from '../../core/errors.js'
import { toText } from '../../core/json.js'
import {
  readTokenFile,
  readVariable,
  requestCredentials,
  type AwsCredentials,
  type CredentialContext,
  parseRecord,
  toAwsCredentials,
} from './credential-request.js'
import { type StoreRequest, ConnectionFault } from './http-client.js'
import { encodeQuery, parseEndpoint } from './object-address.js'
import { toBody } from './object-store.js'
import { findChild, findText, parseXml } from '../../platform/xml.js'

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
  const find = (name: string) => findText(credentials, name)
  const expiresAtMs = Date.parse(find('Expiration') ?? '')
  const found = toAwsCredentials(
    find('AccessKeyId'),
    find('SecretAccessKey'),
    find('SessionToken'),
    expiresAtMs,
  )
  if (found !== null && !Number.isNaN(expiresAtMs)) return found
  throw new UserError('CREDENTIALS_MISSING', 'the token service (STS) answered without credentials', {
    hint: 'check AWS_ENDPOINT_URL_STS and AWS_ENDPOINT_URL',
  })
}

/** Addresses of the agents of ECS and EKS, which have no TLS. */
const agentHosts = ['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]']
const instanceHosts = ['169.254.169.254', '[fd00:ec2::254]']

/** Requests the credentials of a container; null if its variables are not set. */
export async function loadContainerCredentials(context: CredentialContext): Promise<AwsCredentials | null> {
  const { environment } = context.options
  const relative = readVariable(environment, 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI')
  const full = readVariable(environment, 'AWS_CONTAINER_CREDENTIALS_FULL_URI')
  if (relative === null && full === null) return null
  const [url, setting] =
    relative === null
      ? ([full ?? '', 'AWS_CONTAINER_CREDENTIALS_FULL_URI'] as const)
      : ([`http://169.254.170.2${relative}`, 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] as const)
  const tokenPath = readVariable(environment, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
  const token =
    tokenPath === null
      ? readVariable(environment, 'AWS_CONTAINER_AUTHORIZATION_TOKEN')
      : readTokenFile(tokenPath, 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE')
  const headers = { accept: 'application/json', ...(token === null ? {} : { authorization: token }) }
  const address = parseEndpoint(url, setting, agentHosts)
  const name = 'the credential service of the container'
  return readCredentials(
    await requestCredentials(context, { method: 'GET', url: address, headers }, name),
    name,
  )
}

/** Requests the credentials of an EC2 instance; null if this is no such machine, or it has no role. */
export async function loadInstanceCredentials(context: CredentialContext): Promise<AwsCredentials | null> {
  const { environment } = context.options
  const setting = 'AWS_EC2_METADATA_SERVICE_ENDPOINT'
  if (readVariable(environment, 'AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true') return null
  const endpoint = parseEndpoint(
    readVariable(environment, setting) ?? 'http://169.254.169.254',
    setting,
    instanceHosts,
  )
  const name = 'the metadata service of the instance'
  const send = (method: 'GET' | 'PUT', path: string, headers: Readonly<Record<string, string>>) =>
    requestCredentials(context, { method, url: `${endpoint}/latest/${path}`, headers }, name)
  let token: string
  try {
    token = await send('PUT', 'api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' })
  } catch (error) {
    if (error instanceof ConnectionFault || error instanceof UserError) return null
    throw error
  }
  const headers = { 'x-aws-ec2-metadata-token': token }
  const path = 'meta-data/iam/security-credentials/'
  const [role = ''] = (await send('GET', path, headers)).trim().split('\n')
  if (!/^[\w+=,.@-]+$/.test(role)) return null
  return readCredentials(await send('GET', path + role, headers), name)
}

function readCredentials(text: string, name: string): AwsCredentials {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = parseRecord(text)
  const expiresAtMs = Date.parse(toText(Expiration) ?? '')
  const found = toAwsCredentials(
    toText(AccessKeyId),
    toText(SecretAccessKey),
    toText(Token),
    Number.isNaN(expiresAtMs) ? null : expiresAtMs,
  )
  if (found !== null) return found
  throw new UserError('CREDENTIALS_MISSING', `${name} answered without credentials`, {
    hint: 'check the role of this machine, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
  })
}

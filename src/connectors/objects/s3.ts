import { readFileSync } from 'node:fs'
import { UserError } from '../../core/errors.js'
import type { Connector, Environment } from '../connector.js'
import { createBucketConnector } from './bucket-connector.js'
import { type StoreRequest, systemPlatform, type StorePlatform } from './http-client.js'
import { encodeText, parseEndpoint } from './object-address.js'
import { readS3Failure, S3Store } from './s3-store.js'
import { StoreClient, type StoreFailure, type StoreService } from './store-client.js'
import {
  assumeRole,
  assumeRoleByToken,
  loadContainerCredentials,
  loadInstanceCredentials,
  signForAmazon,
} from './amazon-access.js'
import {
  findHomePath,
  readVariable,
  RenewedValue,
  toAwsCredentials,
  type AwsCredentials,
  type CredentialContext,
} from './credential-request.js'

/** Signs requests to a bucket. URLs of requests are relative to the bucket, and start with a slash. */
export class S3Service implements StoreService {
  readonly label: string
  #region: string | null = null

  constructor(
    private readonly bucket: string,
    private readonly access: AwsAccess,
    private readonly platform: StorePlatform,
  ) {
    this.label = `s3://${bucket}`
  }

  async sign(request: StoreRequest): Promise<StoreRequest> {
    const { access } = this
    const region = this.#region ?? access.region
    const credentials = await access.credentials.get()
    const nowMs = this.platform.clock.nowMs()
    const url = this.buildUrl(request.url)
    return signForAmazon({ ...request, url }, credentials, { region, service: 's3', nowMs })
  }

  readonly readFailure = readS3Failure

  async adapt({ code, region }: StoreFailure): Promise<boolean> {
    if (this.#region === null && region !== null && region !== this.access.region && isRegion(region)) {
      this.#region = region
      return true
    }
    return code === 'ExpiredToken' && (await this.access.credentials.renew())
  }

  buildUrl(path: string): string {
    const { bucket } = this
    const { endpoint } = this.access
    const region = this.#region ?? this.access.region
    const name = encodeText(bucket)
    // The list of a bucket has no slash before its query.
    const rest = path.replace(/^\/\?/, '?')
    if (endpoint !== null) return `${endpoint}/${name}${rest}`
    const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
    // The certificate of Amazon covers one label in front of its name.
    return /^[a-z0-9][a-z0-9-]*$/.test(bucket)
      ? `https://${bucket}.${host}${path}`
      : `https://${host}/${name}${rest}`
  }
}

/** Creates the connector for Amazon S3 and compatible stores. `platform` is for tests. */
export function createS3Connector(platform: StorePlatform = systemPlatform): Connector {
  return createBucketConnector('s3', platform, ([bucket = ''], context, use) => {
    const service = new S3Service(bucket, readAwsAccess(context), platform)
    // Without it, Amazon does not send the checksum of an object.
    return new S3Store(new StoreClient(service, context), use, { 'x-amz-checksum-mode': 'ENABLED' })
  })
}

/** Whether a text can become a part of a host name. */
const isRegion = (text: string): boolean => /^[a-z0-9-]{1,40}$/.test(text)

/** The settings of requests to Amazon S3 or a compatible store. */
interface AwsAccess {
  /** Without a slash at its end; null: Amazon. */
  readonly endpoint: string | null
  readonly region: string
  readonly credentials: RenewedValue<AwsCredentials>
}

/** Reads the settings from the environment and the shared files. Makes no request. Throws ADDRESS_INVALID. */
export function readAwsAccess(context: CredentialContext): AwsAccess {
  const { environment } = context.options
  const files = readAwsFiles(environment)
  const profile = files.findProfile(files.profileName) ?? {}
  const setting = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find(
    (name) => readVariable(environment, name) !== null,
  )
  const endpoint = setting === undefined ? profile['endpoint_url'] : environment[setting]
  const region =
    readVariable(environment, 'AWS_REGION') ??
    readVariable(environment, 'AWS_DEFAULT_REGION') ??
    profile['region'] ??
    'us-east-1'
  if (!isRegion(region)) {
    throw new UserError('ADDRESS_INVALID', 'the region is not a name of letters, digits and hyphens', {
      hint: 'correct AWS_REGION, or the region of the profile, for example eu-central-1',
    })
  }
  return {
    endpoint:
      endpoint === undefined ? null : parseEndpoint(endpoint, setting ?? 'endpoint_url of the profile'),
    region,
    credentials: new RenewedValue(() => loadCredentials(context, files, region), context.platform),
  }
}

async function loadCredentials(
  context: CredentialContext,
  files: AwsFiles,
  region: string,
): Promise<AwsCredentials> {
  const { environment } = context.options
  const read = (name: string) => readVariable(environment, name)
  const [id, secret, token] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].map(read)
  const own = toAwsCredentials(id, secret, token)
  if (own !== null) return own
  const [tokenPath, roleArn] = [read('AWS_WEB_IDENTITY_TOKEN_FILE'), read('AWS_ROLE_ARN')]
  if (tokenPath !== null && roleArn !== null) {
    return assumeRoleByToken(context, {
      roleArn,
      tokenPath,
      region,
      sessionName: read('AWS_ROLE_SESSION_NAME'),
    })
  }
  const found =
    (await loadProfile(context, files, files.profileName, region)) ??
    (await loadContainerCredentials(context)) ??
    (await loadInstanceCredentials(context))
  if (found !== null) return found
  throw createMissingError(
    `no credentials for S3: searched AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, profile "${files.profileName}" in ${files.paths.join(' and ')}, the container (AWS_CONTAINER_CREDENTIALS_*) and the instance`,
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  )
}

/** Returns null if no file has the profile, unless the user named it. `depth` counts source profiles. */
async function loadProfile(
  context: CredentialContext,
  files: AwsFiles,
  name: string,
  region: string,
  depth = 0,
): Promise<AwsCredentials | null> {
  const profile = files.findProfile(name)
  if (profile === null) {
    if (name === 'default') return null
    throw createMissingError(`profile "${name}" is not in ${files.paths.join(' or ')}`, 'correct AWS_PROFILE')
  }
  const roleArn = profile['role_arn']
  if (roleArn !== undefined) {
    const sessionName = profile['role_session_name'] ?? null
    const tokenPath = profile['web_identity_token_file']
    if (tokenPath !== undefined)
      return assumeRoleByToken(context, { roleArn, tokenPath, region, sessionName })
    const sourceName = profile['source_profile']
    if (sourceName === undefined || depth > 4 || profile['mfa_serial'] !== undefined) {
      throw createUnsupportedError(name, 'a role without source_profile, or with mfa_serial')
    }
    // A profile may name itself as the source of its own keys.
    const base =
      sourceName === name
        ? readKeys(profile)
        : await loadProfile(context, files, sourceName, region, depth + 1)
    if (base === null)
      throw createMissingError(`profile "${name}" has no usable source_profile`, 'correct the profile')
    const externalId = profile['external_id'] ?? null
    return assumeRole(context, { roleArn, base, region, sessionName, externalId })
  }
  const keys = readKeys(profile)
  if (keys !== null) return keys
  const unsupported = [
    'credential_process',
    'sso_session',
    'sso_start_url',
    'login_session',
    'credential_source',
  ]
  const reason = unsupported.find((key) => profile[key] !== undefined)
  if (reason !== undefined) throw createUnsupportedError(name, reason)
  return null
}

const readKeys = (profile: Section): AwsCredentials | null =>
  toAwsCredentials(
    profile['aws_access_key_id'],
    profile['aws_secret_access_key'],
    profile['aws_session_token'],
  )

function createUnsupportedError(name: string, reason: string): UserError {
  return createMissingError(
    `profile "${name}" uses ${reason}, which enrich does not support`,
    `put temporary keys into the environment: eval "$(aws configure export-credentials --profile ${name} --format env)"`,
  )
}

const createMissingError = (message: string, hint: string): UserError =>
  new UserError('CREDENTIALS_MISSING', message, { hint })

type Section = Readonly<Record<string, string>>

/** The shared config and credential files of Amazon's tools. */
interface AwsFiles {
  /** Paths, for messages. */
  readonly paths: readonly string[]
  readonly profileName: string
  /** Returns the settings of a profile from both files; null if neither has it. */
  findProfile(name: string): Section | null
}

/** Reads the files; missing ones are empty. */
function readAwsFiles(environment: Environment): AwsFiles {
  const configPath =
    readVariable(environment, 'AWS_CONFIG_FILE') ?? findHomePath(environment, '.aws', 'config')
  const credentialsPath =
    readVariable(environment, 'AWS_SHARED_CREDENTIALS_FILE') ??
    findHomePath(environment, '.aws', 'credentials')
  const config = parseSections(readIfPresent(configPath))
  const credentials = parseSections(readIfPresent(credentialsPath))
  return {
    paths: [credentialsPath, configPath],
    profileName:
      readVariable(environment, 'AWS_PROFILE') ??
      readVariable(environment, 'AWS_DEFAULT_PROFILE') ??
      'default',
    findProfile: (name) => {
      const inConfig = config.get(`profile ${name}`) ?? (name === 'default' ? config.get(name) : undefined)
      const inCredentials = credentials.get(name)
      return inConfig === undefined && inCredentials === undefined ? null : { ...inConfig, ...inCredentials }
    },
  }
}

function readIfPresent(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function parseSections(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Record<string, string>>()
  let current: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const [, header] = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line) ?? []
    if (header !== undefined) {
      const name = header.replace(/^profile\s+/, 'profile ').replace(/["']/g, '')
      current = sections.get(name) ?? {}
      sections.set(name, current)
      continue
    }
    // Indented lines belong to nested settings, and `#` or `;` start comments.
    const [, key, value] = /^([A-Za-z_][\w-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) current[key.toLowerCase()] = value
  }
  return sections
}

import { readFileSync } from 'node:fs'
import type { Environment } from '../connector.js'
import { findHomePath, readVariable } from './credential-request.js'

type Section = Readonly<Record<string, string>>

/** The shared config and credential files of Amazon's tools. */
export interface AwsFiles {
  /** Paths, for messages. */
  readonly paths: readonly string[]
  /** Name of the chosen profile. */
  readonly profileName: string
  /** Returns the settings of a profile from both files; null if neither has it. */
  findProfile(name: string): Section | null
}

/** Reads the files; missing ones are empty. */
export function readAwsFiles(environment: Environment): AwsFiles {
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

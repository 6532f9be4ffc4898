import { defaultPaths } from '../config/options.js'
import { embeddedDataFolder } from './embedded-service.js'
import { assertCheckpointApart, checkpointFiles, registryFiles, type OwnFile } from '../pipeline/own-files.js'
import type { Settings } from '../config/settings.js'

/** What people decided about rows; read and written by name, in the folder that commands run in. */
const decisionsPath = 'enrich.decisions.csv'

/**
 * Every file of ours that a run with these settings has in use, or that another command in this folder may have.
 * Throws CHECKPOINT_INVALID where the checkpoint is one of the others.
 */
export function filesInUse(settings: Settings, configPath: string | null): readonly OwnFile[] {
  const checkpointPath = settings.checkpoint.path
  const others: readonly OwnFile[] = [
    ...registryFiles(settings.service.registryPath ?? defaultPaths.registry),
    { path: configPath ?? defaultPaths.config, what: 'the config' },
    { path: decisionsPath, what: 'the decisions' },
  ]
  assertCheckpointApart(checkpointPath, others)
  return [
    ...checkpointFiles(checkpointPath),
    ...others,
    { path: embeddedDataFolder(checkpointPath), what: "the embedded service's data", isFolder: true },
    { path: defaultPaths.serviceData, what: "the service's data", isFolder: true },
  ]
}

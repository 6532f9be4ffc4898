/** Errors of the registry and of evaluations. */
export const registryErrors = {
  REGISTRY_NOT_FOUND: {
    meaning: 'no registry exists at that path',
    remedy: 'run `enrich registry load FOLDER`, or correct `--registry`',
  },
  REGISTRY_INVALID: {
    meaning: 'the file is not a registry, is damaged, or has another version',
    remedy: 'import its sources into a new file',
  },
  REGISTRY_UNWRITABLE: {
    meaning: 'the registry cannot be written',
    remedy: 'check the folder and its permissions',
  },
  REGISTRY_IMPORT_INVALID: {
    meaning: 'the file cannot be imported: it has no names or no ids, or `--map` is wrong',
    remedy: 'read the hint; correct `--map`',
  },
  EVALUATION_INVALID: {
    meaning:
      'the labelled queries cannot be read: names or expected ids are missing, or the kind of an id is unknown',
    remedy: 'read the hint; correct `--map` or `--id-type`',
  },
  DOMAIN_LIST_INVALID: {
    meaning: 'a list of domains for `serve` cannot be read; the message names the line',
    remedy: 'fix the line, or remove the flag',
  },
} as const

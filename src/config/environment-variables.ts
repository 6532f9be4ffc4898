/** Environment variables: a line for `--help`, and further text for the manual. */
export const environmentVariables = {
  ENRICH_API_KEY: {
    help: 'API key of a hosted service',
    manual:
      'There is no flag and no config key: process lists show arguments, and config files are committed.',
  },
  ENRICH_API_KEY_FILE: {
    help: 'file that contains only the API key',
    manual: 'Used if `ENRICH_API_KEY` is not set.',
  },
  ENRICH_BASE_URL: { help: 'URL of a hosted service, like --base-url', manual: '' },
  ENRICH_WEBHOOK_SECRET: {
    help: 'signing secret of webhooks (whsec_…)',
    manual:
      'You find it in the settings of the service. While you replace a secret, set both, separated by a space. There is no flag and no config key.',
  },
  ENRICH_NOTIFY_URL: {
    help: 'URL that receives a summary when a run ends, like --notify',
    manual: 'It may contain a token, and is never printed.',
  },
  ENRICH_HTTPS_AUTHORIZATION: {
    help: 'header Authorization for an input from https',
    manual:
      'The whole value, sent to the host of the address only. See [Credentials](databases-and-stores.md#credentials).',
  },
  ENRICH_PARTITION: { help: 'partition of the job that a process runs, like --partition', manual: '' },
  ENRICH_SERVE_API_KEY: { help: 'API key that clients of "enrich serve" send', manual: '' },
} as const

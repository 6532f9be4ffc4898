/** Errors of the command line, the config and the environment. */
export const settingErrors = {
  USAGE_INVALID: {
    meaning: 'the command line is not valid',
    remedy: 'read the hint, or run `enrich --help`',
  },
  CONFIG_NOT_FOUND: { meaning: 'the file given with `--config` cannot be read', remedy: 'check the path' },
  CONFIG_NOT_JSON: { meaning: 'the config file is not JSON', remedy: 'remove comments and trailing commas' },
  CONFIG_EXISTS: {
    meaning: '`enrich init` would overwrite an existing config file',
    remedy: 'pass `--force`, or another path with `--config`',
  },
  CONFIG_NOT_WRITABLE: {
    meaning: 'the config file cannot be written',
    remedy: 'check the permissions of the folder',
  },
  CONFIG_INVALID: {
    meaning: 'the config has an unknown key or a wrong value; the message names it',
    remedy: 'compare the file with `pipeline.config.example.json`',
  },
  API_KEY_MISSING: {
    meaning: 'a base URL is set without an API key, or `serve` has no key',
    remedy: 'set `ENRICH_API_KEY` or `ENRICH_API_KEY_FILE`; for `serve` set `ENRICH_SERVE_API_KEY`',
  },
  API_KEY_INVALID: {
    meaning: 'the API key contains characters that are not allowed in an HTTP header',
    remedy: 'remove spaces, quotes and line breaks from it',
  },
  BASE_URL_INVALID: {
    meaning:
      'the base URL is not https (or http to this machine), or it has more than scheme, host, port and path',
    remedy: 'correct `--base-url`; the API key was not sent',
  },
  PROXY_INVALID: {
    meaning: 'a variable like `HTTPS_PROXY` is not the address of an http or https proxy',
    remedy: 'correct or unset the variable that the message names; its value is not repeated',
  },
  WEBHOOK_URL_INVALID: {
    meaning:
      'the webhook URL is not a public https address, its port is neither 443 nor above 1024, or it contains a user',
    remedy: 'correct `--webhook-url`',
  },
  WEBHOOK_SECRET_MISSING: {
    meaning: 'webhooks are enabled without a signing secret',
    remedy: 'set `ENRICH_WEBHOOK_SECRET`',
  },
  WEBHOOK_SECRET_INVALID: {
    meaning: 'a webhook secret is not `whsec_` followed by base64 of 24 to 64 bytes',
    remedy: 'copy the whole secret again',
  },
  BILLING_PRICE_MISSING: {
    meaning: '`--max-cost`, or a cost condition of `--fail-on`, is set without a price',
    remedy: 'set `billing.unitPrice` in the config',
  },
  FAIL_ON_INVALID: {
    meaning: 'a condition of `--fail-on` cannot be parsed; the message names it',
    remedy: 'write it like `lost_match>5%, failed>0`; the hint lists the names you can use',
  },
  NOTIFY_URL_INVALID: {
    meaning: 'the URL of `--notify` is neither https to a public host nor http to this machine',
    remedy: 'correct it; the message does not repeat the URL',
  },
  PATH_IS_ADDRESS: {
    meaning:
      'a local path is required, and the value is an address such as `s3://…`, `https://…`, `postgres://…` or `duckdb:…`',
    remedy: 'the hint shows how to copy or pipe the data',
  },
} as const

import type { Command } from 'commander'
import { isLoopback } from '../../core/server-addresses.js'
import { UserError } from '../../core/errors.js'
import { systemClock, systemRandom } from '../../platform/clock.js'
import type { ReceiverCounts } from '../../pipeline/receiver.js'
import { resolveSettings, resolveWebhookKeys } from '../../config/settings.js'
import { addConfigFlags, readConfig, type ConfigFlags } from '../config-flags.js'
import { waitForInterrupt, formatJsonLine, type CliIo } from '../terminal/command-io.js'

type ReceiveFlags = ConfigFlags & { json?: boolean }

export function fillReceiveCommand(command: Command, io: CliIo): void {
  addConfigFlags(command, ['config', 'checkpoint', 'webhook'])
  command.option('--json', 'print the URL and the final counts as JSON lines')
  command.action((flags: ReceiveFlags) => receive(flags, io))
}

async function receive(flags: ReceiveFlags, io: CliIo): Promise<void> {
  const settings = resolveSettings(readConfig([], flags, io.environment), io.environment)
  const { url, listen } = settings.webhook
  if (listen === null) {
    throw new UserError('USAGE_INVALID', 'there is no address to listen on', {
      hint: 'enrich receive --webhook-listen 127.0.0.1:8788',
    })
  }
  const keys = resolveWebhookKeys(io.environment)
  const { withReceiver } = await import('../../pipeline/receiver.js')
  const path = url === null ? null : new URL(url).pathname
  const tell = (type: string, value: object) => {
    if (flags.json === true) io.out(formatJsonLine(type, value))
  }
  const { environment } = io
  const system = { clock: systemClock, random: systemRandom, environment }
  const counts = await withReceiver(
    { checkpointPath: settings.checkpoint.path, listen, path, keys, ...system },
    async ({ url, inboxPath }) => {
      tell('receiving', { url, path, inboxPath })
      io.err(
        `Receiving webhooks at ${url}${path ?? ' (on any path)'}, into ${inboxPath}.\n` +
          (isLoopback(listen.host) ? '' : 'It is reachable from other machines: use a TLS proxy.\n'),
      )
      await waitForInterrupt(io)
    },
  )
  tell('received', counts)
  io.err(`${formatReceiverCounts(counts)}\n`)
}

function formatReceiverCounts({
  received,
  duplicate,
  unsigned,
  forged,
  stale,
  malformed,
}: ReceiverCounts): string {
  const refused = Object.entries({ unsigned, 'with a wrong signature': forged, 'too old': stale, malformed })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
  return [
    `Received ${received} webhooks`,
    ...(duplicate === 0 ? [] : [`${duplicate} of them duplicates`]),
    ...(refused.length === 0 ? [] : [`refused ${refused.join(', ')}`]),
  ].join('; ')
}

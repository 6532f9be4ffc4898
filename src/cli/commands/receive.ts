import type { Command } from 'commander'
import { isLoopback, isPostgresUrl } from '../../core/server-addresses.js'
import { UserError } from '../../core/errors.js'
import { systemClock } from '../../platform/clock.js'
import { createMovedError } from '../../pipeline/checkpoint/checkpoint-errors.js'
import { readMoveTarget } from '../../pipeline/checkpoint/sqlite/open-database.js'
import { getInboxPath, openInbox, type Inbox } from '../../pipeline/scheduler/inbox.js'
import type { ReceiverCounts } from '../../pipeline/scheduler/receiver.js'
import { resolveSettings, resolveWebhookKeys } from '../../config/settings.js'
import { systemRandom } from '../../platform/random.js'
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
  const { startReceiver } = await import('../../pipeline/scheduler/receiver.js')
  const path = url === null ? null : new URL(url).pathname
  const { inbox, place, close } = await openReceiverInbox(settings.checkpoint.path, io)
  try {
    const receiver = await startReceiver({ listen, path, keys, inbox, clock: systemClock })
    const tell = (type: string, value: object) => {
      if (flags.json === true) io.out(formatJsonLine(type, value))
    }
    tell('receiving', { url: receiver.url, path, inboxPath: place })
    io.err(
      `Receiving webhooks at ${receiver.url}${path ?? ' (on any path)'}, into ${place}.\n` +
        (isLoopback(listen.host) ? '' : 'It is reachable from other machines: use a TLS proxy.\n'),
    )
    await waitForInterrupt(io)
    await receiver.close()
    tell('received', receiver.counts())
    io.err(`${formatReceiverCounts(receiver.counts())}\n`)
  } finally {
    await close()
  }
}

interface OpenedInbox {
  readonly inbox: Inbox
  /** Path or URL to print. */
  readonly place: string
  readonly close: () => void | Promise<void>
}

/** Opens the inbox next to a checkpoint in a file, or in the database of a shared one. */
async function openReceiverInbox(checkpointPath: string, { environment }: CliIo): Promise<OpenedInbox> {
  if (!isPostgresUrl(checkpointPath)) {
    const to = readMoveTarget(checkpointPath)
    if (to !== null) throw createMovedError(checkpointPath, to)
    const inbox = openInbox(checkpointPath, systemClock.nowMs())
    const close = () => {
      inbox.close()
    }
    return { inbox, place: getInboxPath(checkpointPath), close }
  }
  const { openShared } = await import('../../pipeline/checkpoint/postgres/open-database.js')
  const { openSharedInbox } = await import('../../pipeline/scheduler/shared-inbox.js')
  const system = { clock: systemClock, random: systemRandom }
  const database = await openShared(checkpointPath, { ...system, environment })
  try {
    const inbox = await openSharedInbox({ ...system, database, owner: null })
    const close = async () => {
      await inbox.close()
      await database.close()
    }
    return { inbox, place: database.url, close }
  } catch (error) {
    await database.close()
    throw error
  }
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

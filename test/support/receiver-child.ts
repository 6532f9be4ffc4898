import { parseWebhookSecrets } from '../../src/core/webhooks.js'
import { openFileInbox } from '../../src/pipeline/checkpoint/sqlite/inbox-rows.js'
import { startReceiver } from '../../src/pipeline/receiver.js'
import { systemClock } from '../../src/platform/clock.js'

/**
 * A receiver in a process of its own, which says where it listens and then `durable` after each commit.
 * `hang` never answers: what is killed then was durable and was not acknowledged.
 */
export async function main(checkpointPath: string, secret: string, manner: 'hang' | 'answer'): Promise<void> {
  const inbox = openFileInbox(checkpointPath, systemClock.nowMs())
  const receiver = await startReceiver({
    listen: { host: '127.0.0.1', port: 0 },
    path: null,
    keys: parseWebhookSecrets(secret),
    clock: systemClock,
    inbox: {
      receive: async (eventId, body, nowMs) => {
        const isNew = await inbox.receive(eventId, body, nowMs)
        process.stdout.write(`durable ${isNew ? 'new' : 'known'}\n`)
        return manner === 'hang' ? new Promise<never>(() => undefined) : isNew
      },
    },
  })
  process.stdout.write(`${receiver.url}\n`)
}

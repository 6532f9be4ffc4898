import { parseWebhookSecrets } from '../../src/core/webhooks.js'
import { openShared } from '../../src/pipeline/checkpoint/postgres/open-database.js'
import { startReceiver } from '../../src/pipeline/receiver.js'
import { openSharedInbox } from '../../src/pipeline/checkpoint/postgres/inbox-rows.js'
import { systemClock, systemRandom } from '../../src/platform/clock.js'

/** A receiver for a shared checkpoint, that says where it listens. Arguments: the checkpoint, the secret, a port. */
const [url = '', secret = '', port = ''] = process.argv.slice(2)

const system = { clock: systemClock, random: systemRandom }
const database = await openShared(url, system)
const receiver = await startReceiver({
  listen: { host: '127.0.0.1', port: Number(port) },
  path: null,
  keys: parseWebhookSecrets(secret),
  clock: systemClock,
  inbox: await openSharedInbox({ ...system, database, owner: null }),
})
process.stdout.write(`${receiver.url}\n`)

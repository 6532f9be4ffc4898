import { z } from 'zod'
import { domainReply } from './domain.js'
import { entityReply } from './entity.js'
import { runId } from './ids.js'

/**
 * The run object of a read that came before its record was built: `data.object` of its event, and what a poll
 * of its `run_id` answers (interface: "Events"). `data` is what the read would have answered at the end of the
 * build, so that the event names its entity or domain; null while the build goes on.
 */
export const recordRunObject = z.strictObject({
  run_id: runId,
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED']),
  data: z.union([entityReply, domainReply]).nullable(),
})
export type RecordRunObject = z.infer<typeof recordRunObject>

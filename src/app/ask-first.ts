import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerFirst } from '../pipeline/answer-first.js'
import { openBackend } from '../pipeline/open-backend.js'
import { openRunCheckpoint } from '../pipeline/open-run.js'
import { systemClock } from '../platform/clock.js'
import { buildPipelineDeps } from './enrich.js'
import type { AskFirst } from './inspect-input.js'

/**
 * Lets the own registry answer in a temporary checkpoint, for a plan; `closeLater` removes it. Returns `null` without
 * such a registry. Throws like `answerFirst`.
 */
export const askFirst: AskFirst = async ({ settings, environment, signal, ...asked }, closeLater) => {
  const folder = mkdtempSync(join(tmpdir(), 'enrich-plan-'))
  closeLater(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const checkpoint = { path: join(folder, 'checkpoint.sqlite'), maxAgeMs: settings.checkpoint.maxAgeMs }
  const pipeline = buildPipelineDeps({
    settings: { ...settings, checkpoint },
    environment,
    options: { signal },
    observe: () => undefined,
    clock: systemClock,
    command: 'plan',
  })
  const backend = await openBackend(pipeline, closeLater)
  return answerFirst({
    ...asked,
    deps: pipeline,
    backend,
    openCheckpoint: (connection) => openRunCheckpoint(pipeline, backend, asked.input, connection),
  })
}

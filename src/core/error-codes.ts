import { assistantErrors } from './error-codes/assistants.js'
import { checkpointErrors } from './error-codes/checkpoint.js'
import { historyErrors } from './error-codes/history.js'
import { hostedServiceErrors } from './error-codes/hosted-service.js'
import { inputErrors } from './error-codes/inputs.js'
import { outputErrors } from './error-codes/outputs.js'
import { ownServiceErrors } from './error-codes/own-service.js'
import { partErrors } from './error-codes/parts.js'
import { registryErrors } from './error-codes/registry.js'
import { reviewErrors } from './error-codes/review.js'
import { settingErrors } from './error-codes/settings.js'
import { sharedCheckpointErrors } from './error-codes/shared-checkpoint.js'
import { storeErrors } from './error-codes/stores.js'

/**
 * Every error code that a user can see, with its meaning and what to do; one file for each subject. `exitCode` defaults
 * to 2, which states that nothing was submitted.
 */
export const errorTable = {
  ...settingErrors,
  ...assistantErrors,
  ...inputErrors,
  ...storeErrors,
  ...outputErrors,
  ...checkpointErrors,
  ...reviewErrors,
  ...sharedCheckpointErrors,
  ...historyErrors,
  ...partErrors,
  ...registryErrors,
  ...ownServiceErrors,
  ...hostedServiceErrors,
} as const

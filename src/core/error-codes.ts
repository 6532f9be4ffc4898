import { checkpointErrors } from './error-codes/checkpoint.js'
import { commandErrors } from './error-codes/commands.js'
import { tableErrors } from './error-codes/inputs-and-outputs.js'
import { serviceErrors } from './error-codes/services.js'

/**
 * Every error code that a user can see, with its meaning and what to do; one file for each subject. `exitCode` defaults
 * to 2, which states that nothing was submitted.
 */
export const errorTable = {
  ...commandErrors,
  ...tableErrors,
  ...checkpointErrors,
  ...serviceErrors,
} as const

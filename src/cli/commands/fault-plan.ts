import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { UserError } from '../../core/errors.js'
import { faultPlan, type FaultPlan } from '../../service/faults.js'

/** Reads the plan of `--faults FILE`. Throws FAULTS_INVALID, which names the key. */
export function readFaultPlan(path: string): FaultPlan {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UserError('FAULTS_INVALID', `the plan of faults ${path} cannot be read as JSON`, {
      hint: 'it looks like {"seed": 1, "requests": [{"fault": "error", "rate": 0.01}]}',
      cause: error,
    })
  }
  const parsed = faultPlan.safeParse(value)
  if (parsed.success) return parsed.data
  throw new UserError('FAULTS_INVALID', `the plan of faults ${path}: ${z.prettifyError(parsed.error)}`, {
    hint: 'rates are from 0 to 1; faults are limited, error, reset and lost_answer',
  })
}

import { UserError } from '../../core/errors.js'

export const moved = (path: string, to: string): UserError =>
  new UserError('CHECKPOINT_MOVED', `the checkpoint ${path} was moved to ${to}`, {
    hint: 'go on with that one; enrich checkpoint migrate FROM TO --undo makes this one usable again, where that one was not used since',
  })

export const arriving = (path: string, from: string): UserError =>
  new UserError('CHECKPOINT_ARRIVING', `not all of ${from} is moved to ${path} yet`, {
    hint: 'the same enrich checkpoint migrate FROM TO ends it; until then the other one is the checkpoint',
  })

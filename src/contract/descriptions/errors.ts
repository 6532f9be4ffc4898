import {
  entityErrorBody,
  errorBody,
  errorBodyV1,
  keyErrorBody,
  messageErrorBody,
  reasonErrorBody,
} from '../errors.js'
import { describeFields, name } from './describe.js'

const message = 'What went wrong, in a sentence'
const type = 'Kind of error: branch on it and on the status, never on the message'

name('Error', errorBody, 'An error of v3.', { error: 'What went wrong' })
describeFields(errorBody.shape.error, { type, message })
name('ErrorV1', errorBodyV1, 'An error of v1 and v2.', { error: 'What went wrong' })
describeFields(errorBodyV1.shape.error, { type, message })
name('KeyError', keyErrorBody, 'v1 and v2: the key is missing or wrong.', {
  message,
  request_id: 'Id of this call, req_…',
})
name('ReasonError', reasonErrorBody, 'v2: credit, plan or billing are in the way.', {
  error: 'The reason: insufficient_credits, monthly_limit_reached, …',
  message,
})
name('MessageError', messageErrorBody, 'v2: the limit of a minute is reached.', { message })
name('EntityError', entityErrorBody, 'v1: there is no such company.', { message, code: 'entity_not_found' })

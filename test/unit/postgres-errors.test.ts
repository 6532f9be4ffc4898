import { expect, test } from 'vitest'
import { UserError } from '../../src/core/errors.js'
import { parsePostgresUrl } from '../../src/core/server-addresses.js'
import { explainFailure } from '../../src/platform/postgres/connect.js'
import { ConnectionLostError, isServerTrouble, StatementError } from '../../src/platform/postgres/postgres.js'

const place = {
  address: parsePostgresUrl('postgres://worker@127.0.0.1:5432/jobs'),
  words: {
    grantsHint: 'see the grants',
    foreign: (url: string) =>
      new UserError('CHECKPOINT_DATABASE_FOREIGN', `${url} is foreign`, { hint: 'another' }),
  },
}
const ofServer = (code: string) =>
  explainFailure(place, Object.assign(new Error('said by the server'), { severity: 'ERROR', code }))

test.each([
  ['25006', 'CHECKPOINT_SERVER_READ_ONLY', 5],
  ['0A000', 'CHECKPOINT_SERVER_READ_ONLY', 5],
  ['55000', 'CHECKPOINT_SERVER_READ_ONLY', 5],
  ['57P01', 'CHECKPOINT_UNREACHABLE', 5],
  ['57P02', 'CHECKPOINT_UNREACHABLE', 5],
  ['57P03', 'CHECKPOINT_UNREACHABLE', 5],
  ['08006', 'CHECKPOINT_UNREACHABLE', 5],
  ['57014', 'CHECKPOINT_SERVER_BUSY', 5],
  ['55P03', 'CHECKPOINT_SERVER_BUSY', 5],
  ['40001', 'CHECKPOINT_SERVER_BUSY', 5],
  ['40P01', 'CHECKPOINT_SERVER_BUSY', 5],
  ['53100', 'CHECKPOINT_SERVER_FULL', 5],
  ['53200', 'CHECKPOINT_SERVER_FULL', 5],
  ['53300', 'CHECKPOINT_CONNECTIONS_EXHAUSTED', 5],
  ['58030', 'CHECKPOINT_SERVER_FAILED', 5],
  ['XX001', 'CHECKPOINT_SERVER_FAILED', 5],
  ['42501', 'CHECKPOINT_GRANTS_MISSING', 2],
  ['28000', 'CHECKPOINT_LOGIN_REFUSED', 2],
  ['28P01', 'CHECKPOINT_LOGIN_REFUSED', 2],
  ['3D000', 'CHECKPOINT_DATABASE_MISSING', 2],
  ['57P04', 'CHECKPOINT_DATABASE_MISSING', 2],
  ['42P01', 'CHECKPOINT_DATABASE_FOREIGN', 2],
  ['42601', 'CHECKPOINT_STATEMENT_REFUSED', 1],
  ['23505', 'CHECKPOINT_STATEMENT_REFUSED', 1],
] as const)('SQLSTATE %s is %s, and its exit code is %i', (sqlState, code, exitCode) => {
  const error = ofServer(sqlState)
  expect(error).toBeInstanceOf(UserError)
  expect(error).toMatchObject({ code, exitCode })
  expect((error as UserError).hint).toBeTruthy()
  expect((error as UserError).message).toContain('postgres://worker@127.0.0.1:5432/jobs')
})

test('every SQLSTATE has a code and a hint', () => {
  const classes =
    '00 01 02 03 08 09 0A 20 21 22 23 24 25 26 27 28 2B 2D 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0 HV P0 XX ZZ'
  for (const first of classes.split(' ')) {
    for (const rest of ['000', '001', 'P01', '030']) {
      const error = ofServer(first + rest)
      expect(error instanceof StatementError || error instanceof ConnectionLostError).toBe(true)
      expect((error as UserError).hint).toBeTruthy()
    }
  }
})

test('a conflict, and a statement that is wrong, are no trouble of the server', () => {
  expect(['40001', '23505', '42601'].map((state) => isServerTrouble(ofServer(state)))).toEqual([
    false,
    false,
    false,
  ])
  expect(['25006', '53100', '57P01'].map((state) => isServerTrouble(ofServer(state)))).toEqual([
    true,
    true,
    true,
  ])
})

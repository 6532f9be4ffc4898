import { describe, expect, test } from 'vitest'
import {
  judgeStanding,
  type DatabaseFacts,
  type FilePlace,
  type FoundHead,
  type Head,
} from '../../../src/pipeline/checkpoint/checkpoint-standing.js'

const place: FilePlace = { host: 'a', device: '1', inode: '7', bornNs: '1700000000123456789' }
const head: Head = {
  version: 4,
  checkpointId: 'c',
  generation: 0,
  sequence: 20,
  submissionCount: 5,
  chain: 'five',
  submittedAtMs: 500,
  expectedChangeMs: 1_700_000_000_987,
  place,
}
const facts: DatabaseFacts = {
  checkpointId: 'c',
  generation: 0,
  sequence: 20,
  submissionCount: 5,
  submittedAtMs: 500,
  chainAtHead: 'five',
  hasHadHead: true,
  closedHeadNs: null,
  place,
}
const changedNs = '1700000000987654321'
const found = (change: Partial<Head> = {}): FoundHead => ({
  kind: 'found',
  head: { ...head, ...change },
  changedNs,
})
const moved = (change: Partial<FilePlace>) => ({ ...facts, place: { ...place, ...change } })

describe('a checkpoint and its head', () => {
  test.each<[string, FoundHead, DatabaseFacts | null, string]>([
    ['agree', found(), facts, 'ok'],
    [
      'the head lags, as after a power cut',
      found({ sequence: 12, submissionCount: 3, chain: 'three' }),
      { ...facts, chainAtHead: 'three' },
      'ok',
    ],
    ['neither is there', { kind: 'missing' }, null, 'ok'],
    ['the database never had a head', { kind: 'missing' }, { ...facts, hasHadHead: false }, 'ok'],
    ['the head is gone', { kind: 'missing' }, facts, 'head_missing'],
    ['the head cannot be read', { kind: 'unreadable' }, facts, 'head_missing'],
    ['the head cannot be read, and there is no database', { kind: 'unreadable' }, null, 'head_missing'],
    ['the database is gone, nothing was submitted', found({ submissionCount: 0 }), null, 'ok'],
    ['the database is gone', found(), null, 'behind'],
    ['a submission is missing', found(), { ...facts, submissionCount: 4 }, 'behind'],
    ['a commit is missing', found(), { ...facts, sequence: 19 }, 'behind'],
    ['another history of the same length', found(), { ...facts, chainAtHead: 'other' }, 'diverged'],
    ['another checkpoint', found(), { ...facts, checkpointId: 'd' }, 'diverged'],
    [
      'another inode, and no time of birth',
      found({ place: { ...place, bornNs: null } }),
      moved({ inode: '8' }),
      'copied',
    ],
    ['born at another time, at the same inode', found(), moved({ bornNs: '1700000001123456789' }), 'copied'],
    ['another host', found(), moved({ host: 'b' }), 'ok'],
    ['another device', found(), moved({ device: '9' }), 'ok'],
    ['another inode, born at the same time: a mount that numbers anew', found(), moved({ inode: '8' }), 'ok'],
    ['closed, and the head is as it was', found(), { ...facts, closedHeadNs: changedNs }, 'ok'],
    [
      'closed, and the head was put there since',
      found(),
      { ...facts, closedHeadNs: '1700000000111111111' },
      'copied',
    ],
    [
      'closed, on a file system of microseconds',
      found(),
      { ...facts, closedHeadNs: '1700000000987654000' },
      'ok',
    ],
    ['closed, on a file system of seconds', found(), { ...facts, closedHeadNs: '1700000000000000000' }, 'ok'],
    [
      'closed another second, on a file system of seconds',
      found(),
      { ...facts, closedHeadNs: '1700000001000000000' },
      'copied',
    ],
    [
      'killed, and the head has the time of its last write',
      found({ expectedChangeMs: 1_700_000_000_900 }),
      facts,
      'ok',
    ],
    ['killed, on a file system of two seconds', found({ expectedChangeMs: 1_699_999_998_987 }), facts, 'ok'],
    [
      'killed, and the head was written by another program since',
      found({ expectedChangeMs: 1_699_999_998_000 }),
      facts,
      'copied',
    ],
    ['killed, and the head does not say when', found({ expectedChangeMs: null }), facts, 'ok'],
  ])('%s', (_, head, database, kind) => {
    expect(judgeStanding(head, database).kind).toBe(kind)
  })

  test('what is missing is counted, and between which times it left', () => {
    expect(judgeStanding(found(), { ...facts, submissionCount: 2, sequence: 9, submittedAtMs: 200 })).toEqual(
      {
        kind: 'behind',
        lostSubmissionCount: 3,
        lostCommitCount: 11,
        afterMs: 200,
        untilMs: 500,
        isAbsent: false,
      },
    )
  })
})

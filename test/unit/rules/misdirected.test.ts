import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { followMerge, judgeKickoff, judgePoll } from '../../../src/pipeline/scheduler/outcome.js'
import { isSameName, explainMismatch } from '../../../src/pipeline/scheduler/misdirected.js'
import { forAll } from '../../support/properties.js'

const asked = { runId: 'run_1', customId: 'enr_1', name: 'Müller & Söhne GmbH' }
const answer = (head: object, query?: object | null) => ({
  run_id: 'run_1',
  status: 'COMPLETED',
  data: { status: 'matched', ...(query === undefined ? {} : { metadata: { query } }) },
  ...head,
})
const reply = (body: unknown) => ({ kind: 'reply', status: 200, headers: {}, body, bodyFault: null }) as const

describe('whose answer it is', () => {
  const own: [string, object, (object | null)?][] = [
    ['everything echoed', { custom_id: 'enr_1' }, { name: 'Müller & Söhne GmbH' }],
    ['a custom_id in another case', { custom_id: 'ENR_1' }, { name: asked.name }],
    ['nothing echoed', {}],
    ['nulls', { custom_id: null }, { name: null }],
    ['no query', { custom_id: 'enr_1' }, null],
    ['empty texts', { custom_id: '' }, { name: ' ' }],
    ['a name that is no text', {}, { name: { text: 'Other' } }],
    ['another location alone: places are rewritten', {}, { name: 'Müller & Söhne GmbH', location: 'DE' }],
    ['another case, trimmed', {}, { name: '  MÜLLER & SÖHNE GMBH ' }],
    ['decomposed letters', {}, { name: 'Müller & Söhne GmbH'.normalize('NFD') }],
    ['without marks and signs', {}, { name: 'muller sohne gmbh' }],
    ['escaped for HTML', {}, { name: 'Müller &amp; Söhne GmbH' }],
    ['spaces folded', {}, { name: 'Müller\u00a0&\n Söhne  GmbH' }],
    ['cut, and marked as cut', {}, { name: 'Müller & Sö…' }],
  ]
  test.each(own)('its own: %s', (_, head, query) => {
    expect(explainMismatch(answer(head, query), asked)).toBeNull()
    expect(judgePoll(reply(answer(head, query)), asked, 0).kind).toBe('finished')
  })

  const others: [string, object, object?][] = [
    ['run_id', { run_id: 'run_2' }],
    ['run_id, though the rest is right', { run_id: 'run_2', custom_id: 'enr_1' }, { name: asked.name }],
    ['custom_id', { custom_id: 'enr_2' }],
    ['custom_id, though the name is right', { custom_id: 'enr_2' }, { name: asked.name }],
    ['another attempt', { custom_id: 'enr_10' }],
    ['another attempt, in another case', { custom_id: 'ENR_10' }],
    ['name', {}, { name: 'Globex AG' }],
    ['name, though the ids are right', { custom_id: 'enr_1' }, { name: 'Müller & Sohn GmbH' }],
    ['a shorter name, not marked as cut', {}, { name: 'Müller' }],
    ['a longer name', {}, { name: 'Müller & Söhne GmbH 2' }],
  ]
  test.each(others)("another's: by its %s", (_, head, query) => {
    expect(explainMismatch(answer(head, query), asked)).toMatch(/^the service answered /)
    expect(judgePoll(reply(answer(head, query)), asked, 0).kind).toBe('misdirected')
    const pending = { ...answer(head, query), status: 'PENDING' }
    expect(judgePoll(reply(pending), asked, 0)).toMatchObject({ kind: 'misdirected' })
  })

  test('what is not known is no evidence', () => {
    const unknown = { runId: 'run_1', customId: null, name: null }
    expect(explainMismatch(answer({ custom_id: 'enr_2' }, { name: 'Globex' }), unknown)).toBeNull()
  })

  test('the reason is one line and bounded, whatever a server sends', () => {
    forAll({ seed: 7 }, [fc.string({ unit: 'binary', maxLength: 5_000 })], (name) => {
      const reason = explainMismatch(answer({}, { name: `Globex \u001b[2J\n${name}` }), asked) ?? ''
      expect(reason.length).toBeLessThan(600)
      // oxlint-disable-next-line no-control-regex -- what must not reach a terminal
      expect(reason).not.toMatch(/[\x00-\x1f]/)
    })
  })
})

describe('an echoed name', () => {
  const long = 'The Northern and Southern Shipping Company of Hamburg GmbH & Co. KG'
  test.each([
    [long.slice(0, 30), long, true],
    [`${long.slice(0, 12)}...`, long, true],
    [long.slice(0, 12), long, false],
    ['Company 1', 'Company 10', false],
    ['Company 10', 'Company 1', false],
    ['株式会社アクメ', '㈱アクメ', false],
    ['ｱｸﾒ株式会社', 'アクメ株式会社', true],
    ['3M', '3m', true],
    ['!!', '??', false],
    ['…', 'Acme', false],
    ['ООО Ромашка', 'ООО «Ромашка»', true],
  ])('%j for %j: %s', (echoed, name, isSame) => {
    expect(isSameName(echoed, name)).toBe(isSame)
  })

  test('any name is itself, in every form of Unicode and in any case', () => {
    forAll({ seed: 11 }, [fc.string({ unit: 'grapheme', minLength: 2, maxLength: 600 })], (name) => {
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const) {
        expect(isSameName(` ${name.normalize(form)} `, name)).toBe(true)
      }
      expect(isSameName(name.toLowerCase(), name)).toBe(true)
    })
  })
})

test.each([
  [{ run_id: 'run_1', custom_id: 'enr_1' }, 'accepted'],
  [{ run_id: 'run_1' }, 'accepted'],
  [{ run_id: 'run_1', custom_id: null }, 'accepted'],
  [{ run_id: 'run_1', custom_id: 7 }, 'accepted'],
  [{ run_id: 'run_1', custom_id: 'enr_2' }, 'misdirected'],
  [{ custom_id: 'enr_2' }, 'unknown'],
])('The reply %j to a submission is %s', (body, kind) => {
  expect(judgeKickoff(reply(body), 0, 'unknown', 'enr_1').kind).toBe(kind)
})

describe('the record of an entity', () => {
  const read = (body: object) => followMerge(['siq_1', 'siq_2'], reply(body)).kind
  test.each([
    [{ status: 'matched', entity: { id: 'siq_2' } }, 'end'],
    [{ status: 'matched', entity: {} }, 'end'],
    [{ status: 'matched' }, 'end'],
    [{ status: 'matched', entity: { id: null } }, 'end'],
    [{ status: 'matched', entity: { id: 77 } }, 'end'],
    [{ status: 'matched', entity: { id: 'siq_9' } }, 'misdirected'],
    [{ entity: { id: 'siq_1' } }, 'misdirected'],
    // The record of a merged id is that of the one it was merged into.
    [{ status: 'merged', merged_into: 'siq_3', entity: { id: 'siq_3' } }, 'next'],
    [{ status: 'merged', merged_into: 'siq_1', entity: { id: 'siq_1' } }, 'circle'],
  ])('%j: %s', (body, kind) => {
    expect(read(body)).toBe(kind)
  })
})

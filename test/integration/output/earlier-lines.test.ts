import { afterEach, expect, test } from 'vitest'
import { RowIndex } from '../../../src/pipeline/input/row-index.js'
import { createAnswerLines } from '../../../src/pipeline/output/answer-lines.js'
import { sliceLine } from '../../../src/pipeline/answers/joined-line.js'
import { answerColumns } from '../../../src/pipeline/answers/columns.js'
import { answerTo, checkpointFolder, keyed } from '../checkpoint/support.js'

const folder = checkpointFolder()
afterEach(() => {
  folder.remove()
})

const factor = {
  code: 'name_close_match',
  type: 'strength',
  description: 'The name is that of "Acme Ltd", registered name.',
  impact: 'high',
}
const body = {
  run_id: 'run_1',
  status: 'COMPLETED',
  data: {
    status: 'matched',
    match_confidence: 97,
    entity: { id: 'siq_1', legal_name: 'Acme Ltd' },
    factors: [factor],
    metadata: { query: { name: 'ACME LTD' } },
  },
}

test('an answer whose line was stored before a column existed has that column, made of what the service sent', async () => {
  const checkpoint = folder.open()
  const [id = 0] = await checkpoint.store.register(keyed('ACME LTD'))
  const { customId } = await checkpoint.intend(id, 0)
  await checkpoint.apply({ event: 'accept', lookupId: id, customId, runId: 'run_1', nowMs: 0 })
  const earlier = { line: '{"status":"matched","confidence":97,"basis":[]}', lineVersion: 1 }
  await checkpoint.apply({
    event: 'answer',
    lookupId: id,
    answer: answerTo('run_1', { ...earlier, body: JSON.stringify(body) }),
  })
  folder.close()

  const index = new RowIndex()
  index.add(id)
  const review = { decidedOf: () => null, threshold: 80, urlOf: () => null, candidates: null }
  const [line = ''] = createAnswerLines({ index, reader: folder.read(), stages: [], review }).read(0, 1)
  const values = sliceLine(line)
  const valueOf = (name: string) => values[answerColumns.findIndex((column) => column.name === name)]
  expect(valueOf('legal_name')).toBe('"Acme Ltd"')
  expect(valueOf('matched_name')).toBe('"Acme Ltd"')
  expect(valueOf('matched_name_kind')).toBe('"legal"')
  expect(valueOf('reason')).toBe(JSON.stringify(factor.description))
  expect(valueOf('source_url')).toBe('null')
})

import { describe, expect, test } from 'vitest'
import { notifyFormats } from '../../../src/core/alarms.js'
import { renderNotification, type NotifiedRun } from '../../../src/pipeline/history/notify-message.js'
import { runEnd, summary } from '../../integration/ending/run-ends.js'

const hostile =
  '<!channel> **x** [y](https://evil.example) & <https://evil.example|click>\n\u202eabc\u0000 *_~`'

const notified = (parts: Partial<NotifiedRun> = {}): NotifiedRun => ({
  ...runEnd(),
  startedAt: '2026-11-21T02:00:00.000Z',
  endedAt: '2026-11-21T02:01:30.500Z',
  output: 'out.csv',
  hasNames: false,
  ...parts,
})

interface Slack {
  text: string
  mrkdwn: boolean
}
interface Card {
  type: string
  attachments: {
    contentType: string
    content: {
      type: string
      version: string
      body: { type: string; inlines: { type: string; text: string }[] }[]
    }
  }[]
}
const slackOf = (run: NotifiedRun) => JSON.parse(renderNotification(run, 'slack')) as Slack
const cardOf = (run: NotifiedRun) => JSON.parse(renderNotification(run, 'teams')) as Card
const linesOfCard = (card: Card) =>
  card.attachments[0]?.content.body.map(({ inlines }) => inlines.map(({ text }) => text).join('')) ?? []

describe('for people', () => {
  test('Slack gets a text of lines that says how it ended, what was found and what it cost', () => {
    expect(slackOf(notified()).text.split('\n')).toEqual([
      'enrich: Run 7 of nightly is done, with 1 alarm',
      'Alarm: failed&gt;0: 1 of 200 rows',
      'Rows: matched 150, no_match 49, failed 1',
      'Changes: lost_match 3, renamed 1',
      'Cost: EUR 4.10, and EUR 0.10 that may have been billed',
      'Output: out.csv',
      'Time: 1m31s, exit code 6',
    ])
  })

  test('Teams gets a card of plain text in the envelope that its workflows take', () => {
    const card = cardOf(notified())
    expect(card).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: { type: 'AdaptiveCard', version: '1.4' },
        },
      ],
    })
    expect(linesOfCard(card)[1]).toBe('Alarm: failed>0: 1 of 200 rows')
    expect(linesOfCard(card)).toHaveLength(7)
  })

  test.each<[number, string]>([
    [0, 'is done'],
    [3, 'is done, and some rows need attention'],
    [6, 'is done, with 1 alarm'],
    [8, 'did not finish'],
    [130, 'did not finish'],
  ])('exit code %i: it %s', (exitCode, says) => {
    const run = notified({ exitCode: exitCode as NotifiedRun['exitCode'] })
    expect(slackOf(run).text.split('\n')[0]).toBe(`enrich: Run 7 of nightly ${says}`)
  })

  test('of a run without a number and by an error', () => {
    const failure = { code: 'DISK_FULL', message: 'the disk is full' }
    const run = notified({
      run: null,
      summary: null,
      changes: null,
      alarms: [],
      output: null,
      failure,
      exitCode: 5,
    })
    expect(slackOf(run).text.split('\n').slice(0, 2)).toEqual([
      'enrich: A run of nightly did not finish',
      'DISK_FULL: the disk is full',
    ])
  })
})

test('names of changed rows are sent only where the config says so: the message says how to see them', () => {
  const alarm = { condition: 'renamed>0', found: 1, message: 'renamed>0: 1 of 9 rows', names: ['Larkmoor'] }
  const run = notified({ alarms: [alarm] })
  for (const format of notifyFormats) expect(renderNotification(run, format)).not.toContain('Larkmoor')
  expect(slackOf(run).text).toContain('\nTo see the changed rows: enrich diff\n')
  expect(slackOf(notified({})).text).not.toContain('enrich diff')
  const named = { ...run, hasNames: true }
  for (const format of notifyFormats) expect(renderNotification(named, format)).toContain('Larkmoor')
  expect(JSON.parse(renderNotification(named, 'json'))).toMatchObject({ alarms: [alarm] })
})

describe('a hostile name', () => {
  const run = notified({
    series: hostile,
    output: hostile,
    failure: { code: 'X', message: hostile },
    summary: { ...summary, rowsByStatus: { [hostile]: 1 } },
    alarms: Array.from({ length: 50 }, () => ({ condition: 'a>0', found: 1, message: hostile.repeat(20) })),
  })

  test('mentions nobody in Slack, links nothing, and makes no line of its own', () => {
    const { text, mrkdwn } = slackOf(run)
    expect(mrkdwn).toBe(false)
    expect(text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
    // The headline, the failure, twenty alarms and how many more, rows, changes, cost, output, time.
    expect(text.split('\n')).toHaveLength(28)
  })

  test('is plain text in Teams: nothing in the card reads Markdown', () => {
    const card = cardOf(run)
    const body = card.attachments[0]?.content.body ?? []
    expect(new Set(body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']))
    expect(new Set(body.flatMap(({ inlines }) => inlines.map(({ type }) => type)))).toEqual(
      new Set(['TextRun']),
    )
    for (const line of linesOfCard(card)) {
      expect(line).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
      expect(line.length).toBeLessThanOrEqual(300)
    }
  })

  test('is whole in JSON, where nothing reads it as anything', () => {
    expect(JSON.parse(renderNotification(run, 'json'))).toMatchObject({ job: hostile, output: hostile })
  })
})

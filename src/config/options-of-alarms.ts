import * as z from 'zod'
import { notifyFormats, notifyTimes } from '../pipeline/rules/notify-message.js'
import { oneOf, option, same } from './option.js'

const text = () => z.string().min(1).max(2_000)

/** What makes a run fail though its output is written, and who hears of it. */
export const alarms = {
  failOn: option({
    schema: () => text().describe('Conditions on what the run came to, like `lost_match>5%, failed>0`.'),
    flag: {
      names: '--fail-on <conditions>',
      group: 'reporting',
      help: 'exit code 6 where one is met, like "lost_match>5%, failed>0"; the output is written',
    },
    manual:
      'Where one is met, the exit code is 6; the output is written all the same. See [Alarms](alarms.md).',
    example: 'failed>5%',
  }),
  notify: option({
    schema: () => z.string().max(2_000).describe('Where a message is sent to when the run has ended.'),
    flag: { names: '--notify <url>', group: 'reporting', help: 'sent a message when the run has ended' },
    variable: 'ENRICH_NOTIFY_URL',
    unset: 'nobody',
    manual:
      'https, or http to this machine. It may hold a token: it is never shown. See [Alarms](alarms.md#notify).',
    example: '',
  }),
  notifyFormat: option({
    ...oneOf(notifyFormats, 'The form of that message.'),
    defaults: same('json'),
  }),
  notifyWhen: option({
    ...oneOf(
      notifyTimes,
      'When it is sent: after every run, or after those that end with another code than 0.',
    ),
    defaults: same('always'),
  }),
}

/** The run's figures, for Prometheus. */
export const metrics = {
  file: option({
    schema: () =>
      z.string().min(1).describe("Where the run's figures are written in Prometheus' text format."),
    flag: {
      names: '--metrics-file <path>',
      group: 'reporting',
      help: "the run's figures for Prometheus, as the node exporter reads them",
    },
    path: 'output',
    manual: 'Its name ends in `.prom`. See [Alarms](alarms.md#metrics).',
    example: 'enrich.prom',
  }),
}

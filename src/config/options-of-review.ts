import * as z from 'zod'
import { parseListenAddress } from '../core/listen-address.js'
import { option, parseListen, same } from './option.js'

/** Used where it is there, and made by those who decide. */
export const defaultDecisionsPath = 'enrich.decisions.csv'

export const decisions = {
  path: option({
    schema: () =>
      z.string().describe("The file of people's decisions, which teams commit; empty: the one by its name."),
    meaning: "The file of people's decisions, which teams commit.",
    flag: { names: '--decisions <path>', group: 'decisions', help: "people's decisions, which are honoured" },
    path: 'file',
    unset: `${defaultDecisionsPath} if it exists`,
    manual:
      'What a person decided of a lookup is neither asked nor billed again. A file that is named has to be there. ' +
      'See [Review](review.md).',
    example: '',
  }),
}

export const review = {
  threshold: option({
    schema: () => z.int().min(0).max(100).describe('Matches below this confidence are doubtful.'),
    meaning: 'A match whose confidence is below this is doubtful: it is put before reviewers.',
    defaults: same(80),
  }),
  reviewer: option({
    schema: () =>
      z
        .string()
        .max(200)
        .refine((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), { error: 'text of one line' })
        .describe('Who decides; empty: the system user.'),
    flag: { names: '--reviewer <name>', group: 'review', help: 'who decides' },
    meaning: 'The name that decisions made here bear.',
    unset: 'the name of the system user',
    example: '',
  }),
  listen: option({
    schema: () =>
      z
        .string()
        .refine((text) => parseListenAddress(text) !== null, { error: 'host:port, like 127.0.0.1:8791' })
        .describe('Where the review page is served; port 0 is any free one.'),
    flag: {
      names: '--listen <host:port>',
      group: 'review',
      help: 'where the review page is served',
      parse: parseListen,
    },
    defaults: same('127.0.0.1:0'),
  }),
}

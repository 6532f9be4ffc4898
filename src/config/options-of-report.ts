import * as z from 'zod'
import { parseListenAddress } from '../core/listen-address.js'
import { option, parseListen } from './option.js'

/** What the report of a run shows besides what it always does. */
export const report = {
  by: option({
    schema: () => z.string().min(1).describe('A column by whose values the report counts matched rows.'),
    flag: {
      names: '--report-by <column>',
      group: 'reporting',
      help: "a column of the input by whose values the report counts what's matched",
    },
    meaning: 'A column of the input: the report counts matched rows for each of its values.',
    manual: 'Few values are of use: a source, a team, a segment. The largest groups are kept.',
    example: 'owner',
  }),
}

/** Any free port of this machine. */
const watchDefault = '127.0.0.1:0'

export const watch = {
  listen: option({
    schema: () =>
      z
        .string()
        .refine((text) => text === '' || parseListenAddress(text) !== null, {
          error: 'host:port, like 127.0.0.1:8790',
        })
        .describe('Where the live page of a run is served, like 127.0.0.1:8790; port 0 is any free one.'),
    flag: {
      names: '--watch [host:port]',
      group: 'reporting',
      help: 'serve a live page while the run goes on; at a free port of this machine, or where it is said',
      preset: watchDefault,
      parse: parseListen,
    },
    unset: 'no page',
    meaning: 'Where the live page of a run is served.',
    manual:
      'Behind the inputs, or as `--watch=HOST:PORT`. The address is printed. Beyond this machine, everybody who reaches it ' +
      'sees names and counts. See [The live page](report.md#the-live-page).',
    example: '',
  }),
}

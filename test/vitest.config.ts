import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

/** What `enrich` keeps of a user outside a checkpoint's folder, and what Node.js has compiled. */
const stateFolder = mkdtempSync(join(tmpdir(), 'enrich-state-'))
const environment = {
  XDG_STATE_HOME: stateFolder,
  XDG_CACHE_HOME: stateFolder,
  NODE_COMPILE_CACHE: join(stateFolder, 'compiled'),
}
process.once('exit', () => {
  rmSync(stateFolder, { recursive: true, force: true })
})

const parts = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts']
/** Run in both tiers, in the full one with PostgreSQL and LibreOffice too. */
const both = ['test/**/*.both.test.ts']
const full = ['test/**/*.full.test.ts']

/** The longest files whose subjects shorter ones test too. `TEST_QUARTER` (0 to 3) selects a quarter of them; all run without it. */
const long = [
  'cli/counts',
  'cli/damaged-replies',
  'cli/databases-and-stores',
  'cli/early-reader',
  'cli/examples',
  'cli/formats',
  'cli/hostile-tables',
  'cli/installed',
  'cli/large-registers',
  'cli/library',
  'cli/mcp',
  'cli/money',
  'cli/money-history',
  'cli/own-registers-first',
  'cli/own-registers-kills',
  'cli/own-registers-postgres',
  'cli/pages',
  'cli/proxies-and-stores',
  'cli/resume',
  'cli/review',
  'cli/review-foreign',
  'cli/review-keyboard',
  'cli/same-place',
  'cli/show',
  'cli/stages',
  'cli/terminal',
  'crash/changes',
  'crash/every-crash-point',
  'crash/part-publishing',
  'crash/torn-checkpoint',
  'crash/torn-output',
  'damage/backups',
  'hostile/canary',
  'hostile/server-memory',
  'integration/checkpoint/packing',
  'integration/checkpoint/several-processes',
  'integration/connectors/file-database-kills',
  'integration/connectors/postgres',
  'integration/connectors/postgres-faults',
  'integration/inbox/several-processes',
  'integration/moving/move',
  'integration/output/publish',
  'integration/output/round-trip',
  'integration/output/xlsx',
  'integration/parts/collect',
  'integration/pipeline/stage-kills',
  'integration/pipeline/wide',
  'integration/postgres/server-trouble',
  'integration/registry/get-faults',
  'integration/registry/get-kills',
  'integration/registry/import',
  'integration/report/live-page',
  'integration/report/report-page',
  'integration/review/exchange',
  'integration/review/long-queue',
  'integration/review/page',
  'integration/service/docs-page',
  'integration/service/matchers',
  'integration/tables/encodings',
  'rehearsal/embedded-nights',
  'rehearsal/hosted-nights',
  'types/types',
  'unit/tables/record-readers',
].map((name) => `test/${name}.full.test.ts`)
const quarter = process.env['TEST_QUARTER']
const leftOut = quarter === undefined ? [] : long.filter((_, at) => at % 4 !== Number(quarter))

type Servers = 'refused' | 'absent' | 'used'

const project = (
  name: string,
  servers: Servers,
  test: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration => ({
  extends: true,
  test: { name, env: { ...environment, TEST_SERVERS: servers }, ...test },
})

/** `npm test` is the fast tier; `--mode full` is the full one. CONTRIBUTING.md says what each holds. */
export default defineConfig(({ mode }) => {
  const isFull = mode === 'full'
  return {
    test: {
      // Tests wait for events. On a busy machine, the slowest test takes three times its usual 40 seconds.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      // An event that is polled for has as long as its test.
      expect: { poll: { timeout: 300_000 } },
      // Two cores, and tests that wait for processes, leases and limits a good part of their time.
      maxWorkers: 3,
      globalSetup: [
        'test/support/bundled-children.ts',
        ...(isFull ? ['test/support/shared-servers.ts'] : []),
      ],
      projects: [
        // Nothing of these outlives its test: files share what is loaded, which takes half of their time otherwise.
        project('parts', 'refused', { include: parts, exclude: full, isolate: false }),
        project('whole', 'refused', {
          include: ['test/**/*.test.ts'],
          exclude: [...parts, ...both, ...full],
          isolate: false,
        }),
        project('both', isFull ? 'used' : 'absent', { include: both }),
        ...(isFull ? [project('full', 'used', { include: full, exclude: leftOut, isolate: false })] : []),
      ],
    },
  }
})

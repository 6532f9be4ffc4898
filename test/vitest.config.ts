import { defineConfig } from 'vitest/config'

const parts = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts']

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores: a process a core, so that spawned command lines still get a share.
    maxWorkers: 2,
    projects: [
      // Nothing of these outlives its test: files share what is loaded, which takes half of their time otherwise.
      { extends: true, test: { name: 'parts', include: parts, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: parts } },
    ],
  },
})

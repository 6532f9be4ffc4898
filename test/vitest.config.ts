import { defineConfig } from 'vitest/config'

const parts = ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts']

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Two cores, and tests that wait for processes, leases and limits a good part of their time.
    maxWorkers: 3,
    projects: [
      // Nothing of these outlives its test: files share what is loaded, which takes half of their time otherwise.
      { extends: true, test: { name: 'parts', include: parts, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: parts } },
    ],
  },
})

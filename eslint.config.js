import js from '@eslint/js'
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const literalSpreads = [
  {
    selector:
      'SpreadElement > :matches(ArrayExpression, ObjectExpression).argument, ' +
      'SpreadElement > TSAsExpression > :matches(ArrayExpression, ObjectExpression).expression',
    message: 'A spread of a literal only saves lines: write its members.',
  },
]

export default defineConfig(
  // The example is JavaScript for a project of its own, and is run by a test.
  { ignores: ['dist/', 'node_modules/', 'coverage/', 'examples/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  { rules: { 'no-restricted-syntax': ['error', ...literalSpreads] } },
  {
    // Decisions take time and chance as arguments.
    files: [
      'src/core/**',
      'src/contract/**',
      'src/pipeline/{answers,figures,lookups,pace}/**',
      'src/pipeline/checkpoint/transitions.ts',
      'src/pipeline/history/{changes,prune-runs,output-figures}.ts',
      'src/registry/match/**',
      'src/registry/normalize/**',
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'fetch',
        'process',
        'performance',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random' },
        { object: 'Date', property: 'now' },
      ],
      'no-restricted-syntax': [
        'error',
        "NewExpression[callee.name='Date'][arguments.length=0]",
        ...literalSpreads,
      ],
    },
  },
  {
    // vitest's matchers are typed loosely, and a test may look at anything.
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
    },
  },
  { files: ['bench/**'], rules: { 'no-console': 'off' } },
  { files: ['build.js', 'eslint.config.js'], extends: [tseslint.configs.disableTypeChecked] },
)

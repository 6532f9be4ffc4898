import { parentPort, workerData } from 'node:worker_threads'
import { openRegistry } from '../registry/registry.js'
import { openShippedRegistry } from '../registry/shipped.js'
import { answerQuestions, type MatcherStart } from './matcher-protocol.js'
import { createKnowledge } from './registry-adapter.js'

// Entry point of a matcher thread.
const start = workerData as MatcherStart
const { registryPath, cacheKibibytes } = start
const registry =
  registryPath === null
    ? openShippedRegistry()
    : openRegistry(registryPath, { readonly: true, cacheKibibytes })
answerQuestions(parentPort, start, createKnowledge(registry))

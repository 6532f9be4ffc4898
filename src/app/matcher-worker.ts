import { parentPort, workerData } from 'node:worker_threads'
import { readRegistry } from '../registry/read-registry.js'
import { answerQuestions, type MatcherStart } from './matcher-protocol.js'
import { createKnowledge } from './registry-adapter.js'

// Entry point of a matcher thread.
const start = workerData as MatcherStart
const { registryPath, cacheKibibytes } = start
const registry = readRegistry(registryPath, cacheKibibytes)
answerQuestions(parentPort, start, createKnowledge(registry))

import type { Model } from './model.js'

/** Weights fitted by bench/fit-model.ts on labelled and made-up names. */
export const fittedModel: Model = { company: { always: -4, equalShare: 6, exactWhole: 3, cost: -1 }, decision: { score: 1 } }

import type { AnswerColumn } from './column-kinds.js'

/**
 * Columns of what people decided, and of what they may choose from, in the order of the output: between `error` and
 * those of stages. Lines have the members of a group only where there is something to say.
 */
const groups = [
  [
    { name: 'decision', kind: 'text', meaning: 'what a person decided: `accepted`, `none`' },
    { name: 'decided_by', kind: 'text', meaning: 'who did' },
    { name: 'decided_at', kind: 'timestamp', meaning: 'when' },
  ],
  [
    {
      name: 'candidates',
      kind: 'candidates',
      meaning:
        'companies that a doubtful row may mean: `entity_id`, `name`, `legal_name`, `place`, `confidence`, `url`',
    },
  ],
] as const satisfies readonly (readonly AnswerColumn[])[]

export const reviewColumnGroups: readonly (readonly AnswerColumn[])[] = groups

export const reviewColumns: readonly AnswerColumn[] = groups.flat()

export type ReviewColumnName = (typeof groups)[number][number]['name']

import { plural } from '../../../core/text.js'
import type { QueueFilter } from '../../page-data.js'
import type { QueueCounts } from './queue-counts.js'

export interface EmptyWords {
  readonly title: string
  readonly text: string
  /** Filters hide what there is. */
  readonly isFiltered: boolean
}

/** Why the queue shows no row. */
export function emptyWords(filters: QueueFilter, { open, decided, isRunGoingOn }: QueueCounts): EmptyWords {
  const later = isRunGoingOn ? ' The run goes on: what is doubtful comes here by itself.' : ''
  if (filters.text !== '' || filters.statuses.length > 0)
    return { title: 'No lookup is like that', text: 'The filters leave none of the queue.', isFiltered: true }
  if (filters.view === 'decided') return { title: 'Nothing is decided yet', text: '', isFiltered: true }
  if (open === 0 && decided > 0)
    return {
      title: 'All is settled',
      text: `${plural(decided, 'lookup')} decided, none open. The next run takes the verdicts, and asks and bills nothing for them.${later}`,
      isFiltered: false,
    }
  return {
    title: isRunGoingOn ? 'Nothing is doubtful yet' : 'Nothing is doubtful',
    text: `No answer waits for a person.${later}`,
    isFiltered: false,
  }
}

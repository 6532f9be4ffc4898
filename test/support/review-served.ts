import { systemClock, systemRandom } from '../../src/platform/clock.js'
import { startReviewServer, type ReviewServer } from '../../src/review/server/review-server.js'
import type { OpenedReview } from './review-place.js'

/** The page of a review that is open, as the command serves it; `bugs` are what nobody foresaw. */
export async function servePage(
  { session, service }: OpenedReview,
  port = 0,
): Promise<ReviewServer & { readonly bugs: readonly unknown[] }> {
  const bugs: unknown[] = []
  const server = await startReviewServer({
    session,
    clock: systemClock,
    random: systemRandom,
    about: {
      input: 'companies.csv',
      reviewer: session.reviewer,
      service,
      command: 'enrich review companies.csv',
      decisionsPath: 'enrich.decisions.csv',
    },
    address: { host: '127.0.0.1', port },
    onBug: (error) => bugs.push(error),
  })
  return { ...server, bugs }
}

import type { Tally } from './tally.js'

/**
 * Answers of other lookups are held and asked for again. Whoever looks is told at the first one, and each time there
 * are twice as many; one proxy that mixes everything up must not fill the screen.
 */
export function watchMisdirected(
  tally: Readonly<Pick<Tally, 'misdirected' | 'held'>>,
  tell: (sentence: string) => void,
): () => void {
  let nextNoticeCount = 1
  return () => {
    const { misdirected, held } = tally
    if (misdirected < nextNoticeCount) return
    nextNoticeCount = misdirected * 2
    const answers = misdirected === 1 ? '1 answer' : `${misdirected.toLocaleString('en-US')} answers`
    tell(
      `ALARM: the service sent ${answers} of another lookup than was asked for: not written, and asked for again. ` +
        `${held.size.toLocaleString('en-US')} lookups are held at the moment; does a cache or a proxy mix them up?`,
    )
  }
}

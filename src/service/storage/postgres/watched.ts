import { errorText } from '../../../core/error-text.js'
import { isServerTrouble, type Postgres } from '../../../platform/postgres/postgres.js'

export interface WatchDeps {
  /** As it may be shown. */
  readonly url: string
  /** What an error says to people. */
  readonly explain: (error: unknown) => unknown
  readonly log: (line: string) => void
}

/** The same, and one line of the log when the server is away, and one when it is back; not one a request. */
export function watched(postgres: Postgres, { url, explain, log }: WatchDeps): Postgres {
  let isAway = false
  const watch = async <Result>(working: Promise<Result>): Promise<Result> => {
    try {
      const result = await working
      if (isAway) log(`${url} answers again`)
      isAway = false
      return result
    } catch (error) {
      if (isServerTrouble(error) && !isAway) {
        isAway = true
        log(`requests are refused until the database is back: ${errorText(explain(error))}`)
      }
      throw error
    }
  }
  return {
    query: (text, values) => watch(postgres.query(text, values)),
    transaction: (work) => watch(postgres.transaction(work)),
    close: () => postgres.close(),
  }
}

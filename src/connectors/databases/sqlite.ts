import type { Connector } from '../connector.js'
import { openSqliteSource } from './sqlite-source.js'
import { openSqliteTarget } from './sqlite-target.js'

/** Tables and queries of SQLite: `sqlite:FILE#table`. */
export const sqliteConnector: Connector = {
  fileFormat: 'parquet',
  openSource: openSqliteSource,
  openTarget: openSqliteTarget,
}

import type { Connector } from '../connector.js'
import { openDuckDbSource } from './duckdb-source.js'
import { openDuckDbTarget } from './duckdb-target.js'

/** Tables and queries of DuckDB: `duckdb:FILE#schema.table`. */
export const duckDbConnector: Connector = {
  fileFormat: 'parquet',
  openSource: openDuckDbSource,
  openTarget: openDuckDbTarget,
}

import type { Connector } from '../connector.js'
import { openPostgresSource } from './postgres-source.js'
import { openPostgresTarget } from './postgres-target.js'

/** Tables and queries of PostgreSQL: `postgres://user@host/database#schema.table`. */
export const postgresConnector: Connector = {
  fileFormat: 'parquet',
  openSource: openPostgresSource,
  openTarget: openPostgresTarget,
}

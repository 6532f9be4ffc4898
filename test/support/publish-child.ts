import type { Connector, WriteMode } from '../../src/connectors/connector.js'
import * as duckDbConnector from '../../src/connectors/databases/duckdb.js'
import * as postgresConnector from '../../src/connectors/databases/postgres.js'
import * as sqliteConnector from '../../src/connectors/databases/sqlite.js'

const connectors: Readonly<Record<string, Connector>> = {
  postgres: postgresConnector,
  sqlite: sqliteConnector,
  duckdb: duckDbConnector,
}

/** Publishes a file, and says when it begins and when it has ended. Arguments: address, file, mode. */
const [address = '', path = '', mode = 'replace'] = process.argv.slice(2)
const target = connectors[address.split(':', 1)[0] ?? '']!.openTarget(address, {
  environment: {},
  mode: mode as WriteMode,
  keyColumn: 'id',
  notice: () => undefined,
})
process.stdout.write('begun\n')
await target.publish(path)
process.stdout.write('done\n')

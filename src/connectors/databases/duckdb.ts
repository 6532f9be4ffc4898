// Tables and queries of DuckDB: `duckdb:FILE#schema.table`.
export { openDuckDbSource as openSource } from './duckdb-source.js'
export { openDuckDbTarget as openTarget } from './duckdb-target.js'

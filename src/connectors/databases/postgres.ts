// Tables and queries of PostgreSQL: `postgres://user@host/database#schema.table`.
export { openPostgresSource as openSource } from './postgres-source.js'
export { openPostgresTarget as openTarget } from './postgres-target.js'

// Tables and queries of SQLite: `sqlite:FILE#table`.
export { openSqliteSource as openSource } from './sqlite-source.js'
export { openSqliteTarget as openTarget } from './sqlite-target.js'

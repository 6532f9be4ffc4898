/** See `intend` in schema-steps.ts. */
export const intendSql = `
  SELECT lookup_id AS "lookupId", custom_id AS "customId", attempt, was_free AS "wasFree", is_alive AS "isAlive",
    rows_left AS "rowsLeft", kind_left AS "kindLeft"
  FROM enrich.intend_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

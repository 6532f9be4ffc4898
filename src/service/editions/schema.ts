/** What the replicas of a service answer from: one edition at a time. */
export const servedEdition = `
   CREATE TABLE enrich_service.served_edition (
     is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
     edition text NOT NULL,
     -- By the clock of the server; '-infinity' for the first of all.
     since timestamptz NOT NULL DEFAULT '-infinity'
   )`

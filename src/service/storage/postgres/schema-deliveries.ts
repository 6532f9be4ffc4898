/**
 * Who delivers the events of an account. The limits and the order of deliveries are those of accounts and their lanes, so
 * that they hold over all replicas where one replica at a time has an account.
 */
export const deliveryClaims = `
   CREATE TABLE enrich_service.delivery_claims (
     account_number bigint PRIMARY KEY REFERENCES enrich_service.accounts,
     claimed_by text NOT NULL,
     -- By the clock of the server; another replica may take it after.
     claimed_until timestamptz NOT NULL
   ) WITH (fillfactor = 50)`
/** What the replicas of a service answer from: one edition at a time. */
export const servedEdition = `
   CREATE TABLE enrich_service.served_edition (
     is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
     edition text NOT NULL,
     -- By the clock of the server; '-infinity' for the first of all.
     since timestamptz NOT NULL DEFAULT '-infinity'
   )`

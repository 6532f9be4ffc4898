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

/**
 * Migrations of the service's tables on PostgreSQL, in the schema `enrich_service`, which several replicas share.
 * They correspond to `schema.ts` of SQLite. Times in milliseconds since 1970 are by the clock of the writer, except
 * `due_at_ms` of runs. That time and `timestamptz` columns are by the server's clock; claims and windows use no
 * other.
 */
export const serviceMigrations: readonly string[] = [
  `CREATE TABLE enrich_service.service (
     id text PRIMARY KEY,
     schema_version integer NOT NULL,
     created_at_ms bigint NOT NULL
   );

   CREATE TABLE enrich_service.accounts (
     account_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     name text NOT NULL UNIQUE,
     v3_enabled boolean NOT NULL,
     -- Beside the ledger's sums; null where there is no limit.
     credit_units bigint,
     -- How many units may be charged in a calendar month; null where the plan has no such limit.
     monthly_units_max bigint,
     created_at_ms bigint NOT NULL
   );
   CREATE TABLE enrich_service.api_keys (
     key_hash text PRIMARY KEY,
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     label text,
     created_at_ms bigint NOT NULL,
     -- A key given at the start of the service is replaced at the next start.
     given_at_start boolean NOT NULL DEFAULT false
   );
   CREATE INDEX api_keys_by_account ON enrich_service.api_keys (account_number);
   -- Secrets are kept as they are: one cannot sign with a hash. Null never expires.
   CREATE TABLE enrich_service.webhook_secrets (
     secret_id text PRIMARY KEY,
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     -- In the order in which they were made.
     secret_number bigint GENERATED ALWAYS AS IDENTITY,
     secret text NOT NULL,
     label text,
     created_at_ms bigint NOT NULL,
     expires_at_ms bigint
   );
   CREATE INDEX webhook_secrets_by_account ON enrich_service.webhook_secrets (account_number);

   CREATE TABLE enrich_service.runs (
     run_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     run_id text NOT NULL,
     job_id text,
     request_id text,
     call_id text NOT NULL,
     custom_id text,
     -- JSON of name, location and context: a text of PostgreSQL takes no U+0000.
     query text NOT NULL,
     with_basis boolean NOT NULL,
     surface text NOT NULL CHECK (surface IN ('v3', 'v2')),
     webhook_url text,
     status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'COMPLETED', 'FAILED')),
     created_at_ms bigint NOT NULL,
     due_at_ms bigint NOT NULL,
     -- The replica that researches it, until then. Only whoever claims it looks at these.
     claimed_by text,
     claimed_until timestamptz
   ) WITH (fillfactor = 80);
   CREATE UNIQUE INDEX runs_by_run_id ON enrich_service.runs (account_number, run_id);
   CREATE UNIQUE INDEX runs_by_job_id ON enrich_service.runs (account_number, job_id) WHERE job_id IS NOT NULL;
   CREATE UNIQUE INDEX runs_by_request_id ON enrich_service.runs (account_number, request_id)
     WHERE request_id IS NOT NULL;
   CREATE INDEX runs_open ON enrich_service.runs (due_at_ms) WHERE status = 'PENDING';
   -- A row is the end of its run: a second one is nothing.
   CREATE TABLE enrich_service.results (
     run_number bigint PRIMARY KEY REFERENCES enrich_service.runs,
     finished_at_ms bigint NOT NULL,
     result text NOT NULL,
     basis text
   );

   CREATE TABLE enrich_service.ledger (
     entry_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     run_number bigint REFERENCES enrich_service.runs,
     kind text NOT NULL CHECK (kind IN ('charge', 'refund', 'grant')),
     units bigint NOT NULL CHECK (units > 0),
     created_at_ms bigint NOT NULL
   );
   CREATE INDEX ledger_by_account ON enrich_service.ledger (account_number, entry_number);
   -- A run is charged once, and refunded once at most.
   CREATE UNIQUE INDEX ledger_by_run ON enrich_service.ledger (run_number, kind) WHERE run_number IS NOT NULL;
   -- The ledger's sums by account and UTC month, kept by the ledger itself. A refund counts in the month of its charge.
   CREATE TABLE enrich_service.usage (
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     month text NOT NULL,
     charged_units bigint NOT NULL DEFAULT 0,
     refunded_units bigint NOT NULL DEFAULT 0,
     granted_units bigint NOT NULL DEFAULT 0,
     PRIMARY KEY (account_number, month)
   ) WITH (fillfactor = 50);
   CREATE FUNCTION enrich_service.add_up_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO enrich_service.usage AS u (account_number, month, charged_units, refunded_units, granted_units)
     SELECT account_number, month,
       coalesce(sum(units) FILTER (WHERE kind = 'charge'), 0),
       coalesce(sum(units) FILTER (WHERE kind = 'refund'), 0),
       coalesce(sum(units) FILTER (WHERE kind = 'grant'), 0)
     FROM (
       SELECT a.account_number, a.kind, a.units, to_char(to_timestamp((
         CASE WHEN a.kind = 'refund' THEN (SELECT c.created_at_ms FROM enrich_service.ledger c
           WHERE c.run_number = a.run_number AND c.kind = 'charge') ELSE a.created_at_ms END
       ) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') AS month
       FROM added a
     ) AS entries
     GROUP BY account_number, month ORDER BY account_number, month
     ON CONFLICT (account_number, month) DO UPDATE SET
       charged_units = u.charged_units + excluded.charged_units,
       refunded_units = u.refunded_units + excluded.refunded_units,
       granted_units = u.granted_units + excluded.granted_units;
     RETURN NULL;
   END $$;
   CREATE TRIGGER ledger_is_added_up AFTER INSERT ON enrich_service.ledger
     REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION enrich_service.add_up_ledger();

   -- What each key, or account, used of a route in the calendar minute that it called in last, by the server's clock.
   CREATE TABLE enrich_service.rate_windows (
     key text PRIMARY KEY,
     minute bigint NOT NULL,
     used_count integer NOT NULL,
     -- Of the last statement: what it asked for and the most it may have, and what it got.
     asked_count integer NOT NULL,
     count_max integer NOT NULL,
     granted_count integer NOT NULL
   ) WITH (fillfactor = 50);

   -- The outbox: an event is written in the transaction of what it tells of. No next attempt: it is over.
   CREATE TABLE enrich_service.events (
     event_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     event_id text NOT NULL UNIQUE,
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     type text NOT NULL,
     webhook_url text NOT NULL,
     -- The account, the host and a hash of the path: each lane is delivered on its own.
     lane text NOT NULL,
     run_id text NOT NULL,
     created_at_ms bigint NOT NULL,
     -- The bytes of every attempt; dropped when there is none to come.
     body text,
     attempt_count integer NOT NULL DEFAULT 0,
     next_attempt_at_ms bigint,
     delivered_at_ms bigint,
     last_failure text,
     -- The replica that delivers it, until then.
     claimed_by text,
     claimed_until timestamptz
   );
   CREATE INDEX events_by_lane ON enrich_service.events (lane, next_attempt_at_ms)
     WHERE next_attempt_at_ms IS NOT NULL;
   CREATE INDEX events_open ON enrich_service.events (next_attempt_at_ms) WHERE next_attempt_at_ms IS NOT NULL;
   -- A request has one terminal state, and tells of it once.
   CREATE UNIQUE INDEX events_by_run ON enrich_service.events (run_id);

   -- Feedback about answers, as it came: JSON text.
   CREATE TABLE enrich_service.reports (
     report_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     call_id text NOT NULL,
     body text NOT NULL,
     created_at_ms bigint NOT NULL
   );
   CREATE INDEX reports_by_account ON enrich_service.reports (account_number, report_number);

   -- What is compiled on first demand, for all accounts alike: records of entities and domains, hierarchies.
   CREATE TABLE enrich_service.builds (
     build_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     kind text NOT NULL CHECK (kind IN ('entity', 'domain', 'hierarchy')),
     subject text NOT NULL,
     state text NOT NULL CHECK (state IN ('building', 'refreshing', 'complete', 'failed')),
     started_at_ms bigint NOT NULL,
     due_at_ms bigint NOT NULL,
     -- The last end, good or bad; and when the result was made, which an ill-fated refresh leaves as it is.
     finished_at_ms bigint,
     updated_at_ms bigint,
     result text,
     failure text,
     -- What was known at the last end, as the knowledge calls it.
     edition text,
     -- The replica that builds it, until then.
     claimed_by text,
     claimed_until timestamptz,
     UNIQUE (kind, subject)
   );
   CREATE INDEX builds_by_due ON enrich_service.builds (due_at_ms) WHERE state IN ('building', 'refreshing');
   -- Who asked for an event at the end of a build. One event each; its object stays to be polled.
   CREATE TABLE enrich_service.build_waiters (
     waiter_number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     build_number bigint NOT NULL REFERENCES enrich_service.builds,
     account_number bigint NOT NULL REFERENCES enrich_service.accounts,
     run_id text NOT NULL,
     call_id text NOT NULL,
     webhook_url text NOT NULL,
     created_at_ms bigint NOT NULL,
     object text
   );
   CREATE INDEX build_waiters_by_build ON enrich_service.build_waiters (build_number) WHERE object IS NULL;
   CREATE UNIQUE INDEX build_waiters_by_run_id ON enrich_service.build_waiters (account_number, run_id);
   -- Who delivers the events of an account. The limits and the order of deliveries are those of accounts and their lanes,
   -- so that they hold over all replicas where one replica at a time has an account.
   CREATE TABLE enrich_service.delivery_claims (
     account_number bigint PRIMARY KEY REFERENCES enrich_service.accounts,
     claimed_by text NOT NULL,
     -- By the clock of the server; another replica may take it after.
     claimed_until timestamptz NOT NULL
   ) WITH (fillfactor = 50);
   -- What the replicas of a service answer from: one edition at a time.
   CREATE TABLE enrich_service.served_edition (
     is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
     edition text NOT NULL,
     -- By the clock of the server; '-infinity' for the first of all.
     since timestamptz NOT NULL DEFAULT '-infinity'
   )`,
  `-- Research takes turns among the accounts.
   CREATE INDEX runs_open_by_account ON enrich_service.runs (account_number, due_at_ms) WHERE status = 'PENDING';
   -- The account that requested the build; 0 if unknown.
   ALTER TABLE enrich_service.builds ADD COLUMN account_number bigint NOT NULL DEFAULT 0;
   CREATE INDEX builds_open_by_account ON enrich_service.builds (account_number, due_at_ms)
     WHERE state IN ('building', 'refreshing')`,
]

/** SQL of a recursive table `open_accounts` with the accounts that have open rows; skips through a partial index. */
export const openAccountsSql = (
  table: 'runs' | 'builds',
  isOpen: string,
): string => `RECURSIVE open_accounts AS (
    (SELECT account_number FROM enrich_service.${table} WHERE ${isOpen} ORDER BY account_number LIMIT 1)
    UNION ALL
    SELECT next.account_number FROM open_accounts o CROSS JOIN LATERAL (
      SELECT t.account_number FROM enrich_service.${table} t
      WHERE t.${isOpen} AND t.account_number > o.account_number ORDER BY t.account_number LIMIT 1
    ) AS next
  )`

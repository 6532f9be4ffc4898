/**
 * A process that was fenced, and lives, goes on in its next term, with what it wants as it was. What those want that do not
 * come back is forgotten after a while.
 */
export const termsOfWorkers = `
  ALTER TABLE enrich.workers
    ADD COLUMN term integer NOT NULL DEFAULT 1,
    -- It does not come back: it ended, or was away for too long. What it wants is removed.
    ADD COLUMN is_over boolean NOT NULL DEFAULT false,
    -- All of that is removed.
    ADD COLUMN is_forgotten boolean NOT NULL DEFAULT false;
  CREATE INDEX workers_to_forget ON enrich.workers (worker_id) WHERE is_fenced AND NOT is_forgotten`

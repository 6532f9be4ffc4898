/**
 * What a checkpoint that is moved between a file and a server needs. `generation`: as in a file, how often names of
 * submissions began anew. `moving_…`: a process moves it away, or fills it, until then by the clock of the server.
 * `arriving_from`: it is being filled, and is nobody's before that has ended. `moved_to`: it has moved, and nobody goes
 * on with it.
 */
export const movingMigration = `
  ALTER TABLE enrich.checkpoint
    ADD COLUMN generation integer NOT NULL DEFAULT 0,
    ADD COLUMN moving_id text,
    ADD COLUMN moving_to text,
    ADD COLUMN moving_until timestamptz,
    ADD COLUMN arriving_from text,
    ADD COLUMN moved_to text,
    ADD COLUMN moved_at timestamptz;
  -- Of a kind that had a job of its own in a file: its number there, and when it began.
  ALTER TABLE enrich.job_kinds
    ADD COLUMN own_job_id bigint,
    ADD COLUMN own_started_at_ms bigint`

import { UserError } from '../../core/errors.js'
import { openOwn, readOwn, type OwnSqlite } from '../../platform/own-sqlite.js'
import { getSqliteCode, NotOursError, readSchemaVersion, type Sqlite } from '../../platform/sqlite.js'
import { toNumberKey, unpackInstant } from './registration-columns.js'

/** Lookups read pages all over the file: the default cache of 2 MB is too small. */
const usualCacheKibibytes = 65_536

/**
 * `staging`: a new file that no other process opens and that is discarded if an import is interrupted. It is written
 * without waiting for the disk; the process that publishes it syncs it.
 */
export type StoreMode = 'readonly' | 'shared' | 'staging'

/**
 * Opens the file of a registry and creates it if it is missing, unless `readonly`. Errors: REGISTRY_NOT_FOUND,
 * REGISTRY_INVALID (not a registry, or of a version that this one cannot read).
 */
export function openStore(
  path: string,
  mode: StoreMode,
  cacheKibibytes: number = usualCacheKibibytes,
): Sqlite {
  const explain = (error: unknown) => asUserError(error, path)
  const registry: OwnSqlite = { path, applicationId, migrations, explain }
  const setUp = (database: Sqlite) => {
    const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
    if (readSchemaVersion(database) === 1 && !isEmpty) throw new NotOursError('older_version', 'version 1')
    database.pragma(`cache_size = -${cacheKibibytes}`)
  }
  if (mode === 'readonly') return readOwn(registry, { versions: 'current', setUp })
  if (mode === 'shared') return openOwn(registry, { synchronous: 'NORMAL', setUp })
  return openOwn(registry, { synchronous: 'OFF', journal: 'DELETE', setUp })
}

const fill = 'load its files with enrich registry get NAME, or enrich registry load FOLDER'
/** Throws REGISTRY_EMPTY for a registry that would answer every lookup with no match. `path`: `null` for the demo registry. */
export function requireCompanies(database: Sqlite, path: string | null): void {
  if (database.prepare('SELECT 1 FROM legal_entities LIMIT 1').get() !== undefined) return
  const again = 'run it again when no build or installation of the package is running'
  throw new UserError('REGISTRY_EMPTY', `${path ?? 'the demo registry'} has no companies`, {
    hint: `${path === null ? again : fill}, or pass another one with --registry`,
  })
}

function asUserError(error: unknown, path: string): unknown {
  if (error instanceof UserError) return error
  if (error instanceof NotOursError && error.fault === 'other_kind') {
    return new UserError('REGISTRY_INVALID', `${path} is a database, but not a registry`, {
      hint: 'point --registry at a file that enrich registry load made',
    })
  }
  if (error instanceof NotOursError) {
    const isOlder = error.fault === 'older_version'
    const which = isOlder ? 'an older' : 'another'
    return new UserError('REGISTRY_INVALID', `the registry ${path} was made by ${which} version of enrich`, {
      hint: isOlder ? `delete it, then ${fill}` : 'import its sources again into a new file',
      cause: error,
    })
  }
  const code = getSqliteCode(error)
  if (/^(EROFS|EACCES|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) {
    return new UserError('REGISTRY_UNWRITABLE', `the registry ${path} cannot be written`, {
      hint: 'check its folder and permissions, or pass --registry with another path',
      cause: error,
    })
  }
  if (code === 'SQLITE_CANTOPEN' || (error instanceof TypeError && error.message.includes('directory'))) {
    return new UserError('REGISTRY_NOT_FOUND', `there is no registry at ${path}`, {
      hint: 'create one with enrich registry get NAME, enrich registry load FOLDER, or enrich registry import csv FILE',
      cause: error,
    })
  }
  if (code === null && !(error instanceof Error && 'code' in error)) return error
  return new UserError('REGISTRY_INVALID', `${path} cannot be read as a registry`, {
    hint: 'the file is damaged, locked or in another format; import its sources again into a new file',
    cause: error,
  })
}

/** "enrg": distinguishes a registry from other SQLite files. */
const applicationId = 0x656e7267

/**
 * Schema migrations; a released one never changes. An `entities` row is a company, a `legal_entities` row a
 * registration of it; a company may have several. Rows missing from a source are marked `removed_from_source`, not
 * deleted, so that published ids and names still work. A `key` is the binary part of an id. Frequent values of
 * `packed_` columns are numbers (`registration-columns.ts` packs them); read the columns without `packed_`.
 */
const migrations = [
  // Registries of version 1 are loaded again, not converted.
  '',
  `
  PRAGMA application_id = ${applicationId};

  CREATE TABLE sources (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    format TEXT NOT NULL,
    settings_json TEXT NOT NULL,
    file_name TEXT NOT NULL,
    file_date TEXT NOT NULL,
    file_sha256 TEXT NOT NULL,
    derivation INTEGER NOT NULL,
    import_sequence INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    rejected_count INTEGER NOT NULL,
    imported_at TEXT NOT NULL,
    coverage TEXT NOT NULL DEFAULT 'whole'
  ) STRICT;

  CREATE TABLE entities (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    merged_into TEXT,
    id TEXT AS ('siq_' || lower(hex(key))) VIRTUAL
  ) STRICT;
  CREATE UNIQUE INDEX entities_by_key ON entities (key);

  CREATE TABLE legal_entities (
    number INTEGER PRIMARY KEY,
    key BLOB NOT NULL,
    entity_number INTEGER NOT NULL REFERENCES entities (number),
    source_number INTEGER NOT NULL REFERENCES sources (number),
    packed_key TEXT NOT NULL,
    source_line INTEGER NOT NULL,
    import_sequence INTEGER NOT NULL,
    removed_from_source INTEGER NOT NULL DEFAULT 0,
    legal_name TEXT NOT NULL,
    other_display_name TEXT,
    packed_type ANY NOT NULL,
    packed_subtype ANY NOT NULL,
    packed_status ANY,
    legal_form TEXT,
    jurisdiction TEXT,
    packed_authority ANY,
    website TEXT,
    sic TEXT,
    naics TEXT,
    parent_key TEXT,
    source_url TEXT,
    -- The registrable domain of the website.
    domain TEXT,
    industry_codes TEXT,
    formed_on TEXT,
    successor_key TEXT,
    -- Of what it was written from: an unchanged row of a newer file is not written again.
    content_hash BLOB,
    -- How many identifiers are left out.
    identifiers_omitted INTEGER NOT NULL DEFAULT 0,
    -- The day the row was stated, and the first day on which its source stated the name that it states now.
    packed_stated_on ANY,
    packed_named_on ANY,
    -- The company that it goes back to when a join by name no longer holds.
    joined_from_number INTEGER REFERENCES entities (number),
    id TEXT AS ('le_' || lower(hex(key))) VIRTUAL,
    source_key TEXT AS (CASE substr(packed_key, 1, 1) WHEN '#' THEN 'registration_id:' || substr(packed_key, 2)
      ELSE packed_key END) VIRTUAL,
    display_name TEXT AS (coalesce(other_display_name, legal_name)) VIRTUAL,
    type TEXT AS (CASE packed_type WHEN 1 THEN 'business' ELSE packed_type END) VIRTUAL,
    subtype TEXT AS (CASE packed_subtype WHEN 1 THEN 'incorporated_entity' ELSE packed_subtype END) VIRTUAL,
    status TEXT AS (CASE packed_status WHEN 1 THEN 'active' WHEN 0 THEN 'inactive' ELSE packed_status END) VIRTUAL,
    registration_authority TEXT AS (CASE typeof(packed_authority) WHEN 'integer' THEN printf('RA%06d', packed_authority)
      ELSE packed_authority END) VIRTUAL,
    stated_on TEXT AS (${unpackInstant('packed_stated_on')}) VIRTUAL,
    named_on TEXT AS (${unpackInstant('packed_named_on')}) VIRTUAL
  ) STRICT;
  CREATE UNIQUE INDEX legal_entities_by_key ON legal_entities (key);
  CREATE INDEX legal_entities_by_entity ON legal_entities (entity_number);
  CREATE INDEX legal_entities_by_domain ON legal_entities (domain) WHERE domain IS NOT NULL;
  CREATE INDEX legal_entities_with_successor ON legal_entities (number) WHERE successor_key IS NOT NULL;
  CREATE INDEX legal_entities_with_parent ON legal_entities (source_number) WHERE parent_key IS NOT NULL;
  CREATE INDEX legal_entities_joined_by_name ON legal_entities (joined_from_number)
    WHERE joined_from_number IS NOT NULL;

  CREATE TABLE names (
    number INTEGER PRIMARY KEY,
    legal_entity_number INTEGER NOT NULL REFERENCES legal_entities (number),
    packed_kind ANY NOT NULL,
    name TEXT NOT NULL,
    tokens TEXT NOT NULL,
    -- What the full key has after the core key; after '=', the whole full key.
    full_key_end TEXT NOT NULL,
    form_class TEXT,
    acronym TEXT NOT NULL,
    -- Of a former name, the day on which it ended, and the source whose files bore it and no longer do.
    ended_on TEXT,
    ended_source TEXT,
    kind TEXT AS (CASE packed_kind WHEN 1 THEN 'legal' WHEN 0 THEN 'other' ELSE packed_kind END) VIRTUAL,
    core_key TEXT AS (replace(tokens, ' ', '')) VIRTUAL,
    full_key TEXT AS (CASE substr(full_key_end, 1, 1) WHEN '=' THEN substr(full_key_end, 2)
      ELSE replace(tokens, ' ', '') || full_key_end END) VIRTUAL
  ) STRICT;
  CREATE INDEX names_by_legal_entity ON names (legal_entity_number);
  CREATE INDEX names_by_core_key ON names (core_key);
  CREATE INDEX names_by_full_key ON names (full_key);
  CREATE INDEX names_by_acronym ON names (acronym) WHERE acronym <> '';
  CREATE INDEX names_by_tokens ON names (tokens);

  CREATE TABLE identifiers (
    legal_entity_number INTEGER NOT NULL REFERENCES legal_entities (number),
    position INTEGER NOT NULL,
    packed_type ANY NOT NULL,
    value TEXT NOT NULL,
    jurisdiction TEXT NOT NULL,
    -- Where a ticker is traded.
    exchange TEXT,
    type TEXT AS (CASE packed_type WHEN 1 THEN 'registration_id' WHEN 0 THEN 'lei' ELSE packed_type END) VIRTUAL,
    -- Numbers of registers, however they are spaced: "927 523 000" is "927523000", "00445790" is "445790".
    search_key TEXT AS (CASE packed_type WHEN 1 THEN ${toNumberKey('value')} ELSE value END) VIRTUAL,
    PRIMARY KEY (legal_entity_number, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identifiers_by_search_key ON identifiers (search_key);
  CREATE INDEX identifiers_of_listed ON identifiers (legal_entity_number) WHERE packed_type = 'ticker';

  CREATE TABLE addresses (
    legal_entity_number INTEGER PRIMARY KEY REFERENCES legal_entities (number),
    street_address TEXT,
    city TEXT,
    region TEXT,
    postal_code TEXT,
    country_code TEXT,
    formatted_address TEXT,
    -- NULL: as derived below.
    own_region_code TEXT,
    own_city_key TEXT,
    own_postal_key TEXT,
    street_number TEXT,
    sub_premise TEXT,
    region_code TEXT AS (coalesce(own_region_code, country_code || '-' || region, '')) VIRTUAL,
    city_key TEXT AS (coalesce(own_city_key, lower(replace(city, ' ', '')), '')) VIRTUAL,
    postal_key TEXT AS (coalesce(own_postal_key, lower(replace(postal_code, ' ', '')), '')) VIRTUAL
  ) STRICT;

  CREATE VIRTUAL TABLE name_index USING fts5(tokens, content='', detail=none, columnsize=0, tokenize='ascii');
  CREATE VIRTUAL TABLE name_vocabulary USING fts5vocab('name_index', 'row');

  -- From the child's side, as GLEIF's relationship records are. Dates are as exact as they are known; an end
  -- means that it holds no longer. Where a record can be looked up, the address says where.
  CREATE TABLE relationships (
    number INTEGER PRIMARY KEY,
    source_number INTEGER NOT NULL REFERENCES sources (number),
    child_number INTEGER NOT NULL REFERENCES legal_entities (number),
    parent_number INTEGER NOT NULL REFERENCES legal_entities (number),
    type TEXT NOT NULL CHECK (type IN ('IS_DIRECTLY_CONSOLIDATED_BY', 'IS_ULTIMATELY_CONSOLIDATED_BY',
      'IS_INTERNATIONAL_BRANCH_OF', 'IS_FUND-MANAGED_BY', 'IS_SUBFUND_OF', 'IS_FEEDER_TO', 'IS_CONTROLLED_BY')),
    percentage REAL CHECK (percentage BETWEEN 0 AND 100),
    from_date TEXT,
    to_date TEXT,
    source_url TEXT,
    UNIQUE (source_number, child_number, parent_number, type)
  ) STRICT;
  CREATE INDEX relationships_by_child ON relationships (child_number);
  CREATE INDEX relationships_by_parent ON relationships (parent_number);

  -- What each source states of a registration that several sources tell of, or that none names yet. The
  -- registration itself is composed of them. One that a single source tells of has no statement: its row is it.
  CREATE TABLE claims (
    number INTEGER PRIMARY KEY,
    registration_id TEXT NOT NULL,
    source_number INTEGER NOT NULL REFERENCES sources (number),
    import_sequence INTEGER NOT NULL,
    stated_on TEXT,
    row_json TEXT NOT NULL,
    named_on TEXT,
    UNIQUE (registration_id, source_number)
  ) STRICT;
  CREATE INDEX claims_by_source ON claims (source_number);

  -- Relationships by the ids of registrations that may not be held yet.
  CREATE TABLE stated_relationships (
    source_number INTEGER NOT NULL REFERENCES sources (number),
    child_id TEXT NOT NULL,
    parent_id TEXT NOT NULL,
    type TEXT NOT NULL,
    percentage REAL,
    from_date TEXT,
    to_date TEXT,
    source_url TEXT,
    import_sequence INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (source_number, child_id, parent_id, type)
  ) STRICT, WITHOUT ROWID;

  -- Lists of codes: registration authorities, legal forms.
  CREATE TABLE listed_codes (
    source_number INTEGER NOT NULL REFERENCES sources (number),
    scheme TEXT NOT NULL,
    code TEXT NOT NULL,
    facts_json TEXT NOT NULL,
    import_sequence INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (scheme, code)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE securities (
    isin TEXT NOT NULL,
    registration_id TEXT NOT NULL,
    source_number INTEGER NOT NULL REFERENCES sources (number),
    import_sequence INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (isin, registration_id)
  ) STRICT, WITHOUT ROWID;

  -- Why two companies were found to be one. The younger's id leads to the older's from then on.
  CREATE TABLE entity_merges (
    entity_number INTEGER PRIMARY KEY REFERENCES entities (number),
    into_number INTEGER NOT NULL REFERENCES entities (number),
    reason TEXT NOT NULL,
    import_sequence INTEGER NOT NULL,
    -- What a join by name rests on.
    evidence_json TEXT
  ) STRICT;

  -- One row: the words of all names in order, in how many names each stands, and the order of the words read
  -- backwards. Numbers have 32 bits, little-endian. Made by the last import.
  CREATE TABLE word_lists (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    name_count INTEGER NOT NULL,
    words BLOB NOT NULL,
    counts BLOB NOT NULL,
    backward BLOB NOT NULL
  ) STRICT;

  -- Every file that was imported of a source: the newest is what the source states.
  CREATE TABLE source_files (
    number INTEGER PRIMARY KEY,
    source_number INTEGER NOT NULL REFERENCES sources (number),
    file_name TEXT NOT NULL,
    file_date TEXT NOT NULL,
    file_sha256 TEXT NOT NULL,
    settings_json TEXT NOT NULL,
    derivation INTEGER NOT NULL,
    import_sequence INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    rejected_count INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX source_files_by_source ON source_files (source_number, file_date);

  -- Names that a source gave a registration, and no longer does.
  CREATE TABLE stated_names (
    registration_id TEXT NOT NULL,
    source_number INTEGER NOT NULL REFERENCES sources (number),
    name TEXT NOT NULL,
    first_on TEXT NOT NULL,
    last_on TEXT NOT NULL,
    PRIMARY KEY (registration_id, source_number, name)
  ) STRICT, WITHOUT ROWID;
  `,
] as const

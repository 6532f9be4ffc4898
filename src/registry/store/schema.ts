/** "enrg": tells a registry from any other SQLite file. */
export const applicationId = 0x656e7267

/**
 * Steps of the schema; a step once released is never changed.
 * A company of the world is an `entities` row; each registration of it a `legal_entities` row; one
 * company may have several. Nothing is deleted when a source stops naming it: it is marked `vanished`, so
 * that an id given out once can always be read.
 */
export const migrations = [
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
    imported_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE entities (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    merged_into TEXT
  ) STRICT;

  CREATE TABLE legal_entities (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    entity_number INTEGER NOT NULL REFERENCES entities (number),
    source_number INTEGER NOT NULL REFERENCES sources (number),
    source_key TEXT NOT NULL,
    source_line INTEGER NOT NULL,
    import_sequence INTEGER NOT NULL,
    vanished INTEGER NOT NULL DEFAULT 0,
    legal_name TEXT NOT NULL,
    display_name TEXT NOT NULL,
    type TEXT NOT NULL,
    subtype TEXT NOT NULL,
    status TEXT,
    legal_form TEXT,
    jurisdiction TEXT,
    registration_authority TEXT,
    website TEXT,
    sic TEXT,
    naics TEXT,
    parent_key TEXT,
    source_url TEXT
  ) STRICT;
  CREATE INDEX legal_entities_by_entity ON legal_entities (entity_number);
  CREATE INDEX legal_entities_by_source ON legal_entities (source_number, source_key);

  CREATE TABLE names (
    number INTEGER PRIMARY KEY,
    legal_entity_number INTEGER NOT NULL REFERENCES legal_entities (number),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    tokens TEXT NOT NULL,
    core_key TEXT NOT NULL,
    full_key TEXT NOT NULL,
    form_class TEXT,
    acronym TEXT NOT NULL
  ) STRICT;
  CREATE INDEX names_by_legal_entity ON names (legal_entity_number);
  CREATE INDEX names_by_core_key ON names (core_key);
  CREATE INDEX names_by_full_key ON names (full_key);
  CREATE INDEX names_by_acronym ON names (acronym) WHERE acronym <> '';

  CREATE TABLE identifiers (
    type TEXT NOT NULL,
    value TEXT NOT NULL,
    jurisdiction TEXT NOT NULL,
    legal_entity_number INTEGER NOT NULL REFERENCES legal_entities (number),
    position INTEGER NOT NULL,
    PRIMARY KEY (type, value, jurisdiction, legal_entity_number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identifiers_by_legal_entity ON identifiers (legal_entity_number);

  CREATE TABLE addresses (
    legal_entity_number INTEGER NOT NULL REFERENCES legal_entities (number),
    kind TEXT NOT NULL,
    street_address TEXT,
    city TEXT,
    region TEXT,
    postal_code TEXT,
    country_code TEXT,
    formatted_address TEXT,
    region_code TEXT NOT NULL,
    city_key TEXT NOT NULL,
    postal_key TEXT NOT NULL,
    PRIMARY KEY (legal_entity_number, kind)
  ) STRICT, WITHOUT ROWID;

  CREATE VIRTUAL TABLE name_index USING fts5(tokens, content='', detail=none, columnsize=0, tokenize='ascii');
  CREATE VIRTUAL TABLE name_vocabulary USING fts5vocab('name_index', 'row');
  `,
] as const

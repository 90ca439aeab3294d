/** "TBUS", in the header of every database of this store. */
export const APPLICATION_ID = 0x54425553;

/** Every change of the tables raises the version. The store refuses a database with another version. */
export const SCHEMA_VERSION = 1;

/** Times are milliseconds since 1970, and values are JSON text. A REAL column can store every JavaScript number. */
export const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE shards (shard TEXT PRIMARY KEY, commits INTEGER NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE documents (
    key TEXT PRIMARY KEY, version INTEGER NOT NULL, value TEXT NOT NULL, expires_at REAL, op TEXT, op_commit INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX documents_by_expiry ON documents (expires_at) WHERE expires_at IS NOT NULL;
  -- No release uses this table any more (decision 0083). It is still created, because an earlier release that opens the file reads it.
  CREATE TABLE counters (counter TEXT PRIMARY KEY, sum REAL NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE timers (
    service TEXT NOT NULL, shard TEXT NOT NULL, id TEXT NOT NULL, due REAL NOT NULL, PRIMARY KEY (service, shard, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timers_by_due ON timers (service, due);
  CREATE TABLE outbox (
    service TEXT NOT NULL, shard TEXT NOT NULL, id TEXT NOT NULL, due REAL NOT NULL, topic TEXT NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (service, shard, id)
  ) STRICT;
  CREATE INDEX outbox_by_due ON outbox (service, due);

  CREATE TABLE logs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL, expires_at REAL) STRICT;
  CREATE INDEX logs_by_expiry ON logs (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE entries (
    log INTEGER NOT NULL, sequence INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (log, sequence)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE members (
    name TEXT NOT NULL, shard TEXT NOT NULL, member TEXT NOT NULL, score REAL NOT NULL, PRIMARY KEY (name, shard, member)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX members_by_score ON members (name, score, member);

  CREATE TABLE blobs (hash TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
`;

extension Schema {
  /// What was imported, and what each import changed.
  static let synchronising = """
    CREATE TABLE imports (
      id INTEGER PRIMARY KEY,
      imported_utc TEXT NOT NULL DEFAULT (datetime('now')),
      source TEXT NOT NULL,
      added INTEGER NOT NULL DEFAULT 0,
      changed INTEGER NOT NULL DEFAULT 0,
      unchanged INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE inputs (
      id INTEGER PRIMARY KEY,
      import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
      file TEXT NOT NULL,
      sha256 TEXT NOT NULL
    ) STRICT;

    -- A value that an import replaced. The row is a UUID, or the name of a subject.
    CREATE TABLE changes (
      id INTEGER PRIMARY KEY,
      import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
      table_name TEXT NOT NULL,
      row TEXT NOT NULL,
      column_name TEXT NOT NULL,
      old_value ANY,
      new_value ANY
    ) STRICT;
    """
}

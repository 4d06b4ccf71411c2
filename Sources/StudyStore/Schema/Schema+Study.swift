extension Schema {
  /// What a study holds.
  ///
  /// Times and heights are kept in the units of the model, so that no digit is lost; the views have
  /// them in the units of study files. (Computed columns would cost an import a third of its speed.)
  static let study = """
    PRAGMA application_id = \(applicationID);

    CREATE TABLE instruments (
      id INTEGER PRIMARY KEY,
      name TEXT,
      resolution REAL,
      relative_accuracy REAL,
      limit_of_detection REAL,
      mouth_alcohol_window_h REAL
    ) STRICT;
    -- What took a reading of which nobody says.
    INSERT INTO instruments (id) VALUES (0);

    CREATE TABLE study (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      name TEXT NOT NULL,
      title TEXT,
      instrument_id INTEGER REFERENCES instruments (id)
    ) STRICT;

    CREATE TABLE subjects (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      sex TEXT CHECK (sex IN ('male', 'female')),
      age_y REAL,
      date_of_birth TEXT,
      height_m REAL,
      weight_kg REAL
    ) STRICT;

    CREATE TABLE covariates (
      subject_id INTEGER NOT NULL REFERENCES subjects (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (subject_id, name)
    ) WITHOUT ROWID, STRICT;

    -- What a subject drank and what was measured, on one occasion. Measures are those of the
    -- subject then, where they are known to be others than in subjects.
    CREATE TABLE series (
      id INTEGER PRIMARY KEY,
      subject_id INTEGER NOT NULL REFERENCES subjects (id) ON DELETE CASCADE,
      occasion TEXT,
      starts_utc TEXT,
      day TEXT,
      age_y REAL,
      height_m REAL,
      weight_kg REAL
    ) STRICT;
    CREATE UNIQUE INDEX series_names
      ON series (subject_id, occasion IS NULL, ifnull(occasion, ''));

    CREATE TABLE units (
      unit TEXT PRIMARY KEY,
      matrix TEXT NOT NULL CHECK (matrix IN ('blood', 'serum', 'breath'))
    ) WITHOUT ROWID, STRICT;
    INSERT INTO units (unit, matrix) VALUES
      ('bac_g_per_kg', 'blood'), ('bac_g_per_l', 'blood'), ('bac_mg_per_100ml', 'blood'),
      ('bac_g_per_100ml', 'blood'), ('serum_g_per_l', 'serum'), ('brac_mg_per_l', 'breath'),
      ('brac_ug_per_100ml', 'breath'), ('brac_g_per_210l', 'breath');

    -- ordinal tells apart what happened at the same time.
    CREATE TABLE drinks (
      series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
      time_h REAL NOT NULL,
      ordinal INTEGER NOT NULL,
      duration_h REAL NOT NULL,
      ethanol_g REAL,
      ethanol_g_per_kg REAL,
      uuid BLOB NOT NULL CHECK (length(uuid) = 16),
      is_uuid_given INTEGER NOT NULL DEFAULT 0 CHECK (is_uuid_given IN (0, 1)),
      source TEXT,
      CHECK ((ethanol_g IS NULL) <> (ethanol_g_per_kg IS NULL)),
      PRIMARY KEY (series_id, time_h, ordinal)
    ) WITHOUT ROWID, STRICT;
    CREATE UNIQUE INDEX drinks_given ON drinks (uuid) WHERE is_uuid_given = 1;

    -- value and limit_of_detection are in the unit, which is in units; the instrument is in
    -- instruments. That this is so, and the length of UUIDs, is left to the writer: to check it row
    -- by row would take a third of an import.
    CREATE TABLE readings (
      series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
      time_h REAL NOT NULL,
      unit TEXT NOT NULL,
      ordinal INTEGER NOT NULL,
      value REAL NOT NULL,
      limit_of_detection REAL,
      is_excluded INTEGER NOT NULL DEFAULT 0,
      instrument_id INTEGER NOT NULL DEFAULT 0,
      uuid BLOB NOT NULL,
      is_uuid_given INTEGER NOT NULL DEFAULT 0,
      source TEXT,
      PRIMARY KEY (series_id, time_h, unit, ordinal)
    ) WITHOUT ROWID, STRICT;
    CREATE UNIQUE INDEX readings_given ON readings (uuid) WHERE is_uuid_given = 1;

    CREATE TABLE findings (
      id INTEGER PRIMARY KEY,
      series_id INTEGER REFERENCES series (id) ON DELETE CASCADE,
      code TEXT NOT NULL,
      file TEXT NOT NULL,
      line INTEGER,
      column_number INTEGER,
      message TEXT NOT NULL,
      remedy TEXT NOT NULL
    ) STRICT;
    CREATE INDEX findings_of_series ON findings (series_id);

    CREATE VIEW drink_list AS
      SELECT subjects.name AS subject, series.occasion, round(time_h * 60, 6) AS time_min,
        round(duration_h * 60, 6) AS duration_min, ethanol_g, ethanol_g_per_kg, source
      FROM drinks JOIN series ON series.id = drinks.series_id
        JOIN subjects ON subjects.id = series.subject_id;

    CREATE VIEW reading_list AS
      SELECT subjects.name AS subject, series.occasion, round(time_h * 60, 6) AS time_min, value,
        readings.unit, units.matrix, readings.limit_of_detection, is_excluded,
        instruments.name AS instrument, source
      FROM readings LEFT JOIN units ON units.unit = readings.unit
        LEFT JOIN instruments ON instruments.id = readings.instrument_id
        JOIN series ON series.id = readings.series_id
        JOIN subjects ON subjects.id = series.subject_id;

    CREATE VIEW series_summary AS
      SELECT subjects.name AS subject, series.occasion, series.day, subjects.sex,
        (SELECT count(*) FROM drinks WHERE series_id = series.id) AS drinks,
        (SELECT sum(ethanol_g) FROM drinks WHERE series_id = series.id) AS ethanol_g,
        (SELECT count(*) FROM readings WHERE series_id = series.id) AS readings,
        (SELECT round(min(time_h) * 60, 6) FROM readings WHERE series_id = series.id)
          AS first_min,
        (SELECT round(max(time_h) * 60, 6) FROM readings WHERE series_id = series.id) AS last_min
      FROM series JOIN subjects ON subjects.id = series.subject_id
      ORDER BY series.subject_id, series.id;
    """
}

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

  /// Serum and plasma in the units of laboratories.
  static let serumUnits = """
    INSERT OR IGNORE INTO units (unit, matrix) VALUES
      ('serum_mg_per_100ml', 'serum'), ('serum_g_per_100ml', 'serum');
    """

  /// Which way a dose takes into the blood.
  static let routes = """
    ALTER TABLE drinks ADD COLUMN route TEXT NOT NULL DEFAULT 'oral'
      CHECK (route IN ('oral', 'iv'));
    DROP VIEW drink_list;
    CREATE VIEW drink_list AS
      SELECT subjects.name AS subject, series.occasion, round(time_h * 60, 6) AS time_min,
        round(duration_h * 60, 6) AS duration_min, ethanol_g, ethanol_g_per_kg, route, source
      FROM drinks JOIN series ON series.id = drinks.series_id
        JOIN subjects ON subjects.id = series.subject_id;
    """
}

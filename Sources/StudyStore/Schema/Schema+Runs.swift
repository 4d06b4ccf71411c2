extension Schema {
  /// What was computed from the study, with how it was made.
  static let runs = """
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY,
      made_utc TEXT NOT NULL DEFAULT (datetime('now')),
      command TEXT NOT NULL,
      version TEXT NOT NULL,
      blood_density_kg_per_l REAL NOT NULL,
      blood_breath_ratio REAL NOT NULL,
      serum_blood_ratio REAL NOT NULL
    ) STRICT;

    -- Values are JSON.
    CREATE TABLE run_options (
      run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      name TEXT NOT NULL,
      value TEXT NOT NULL,
      PRIMARY KEY (run_id, position)
    ) WITHOUT ROWID, STRICT;

    CREATE TABLE run_inputs (
      run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      file TEXT NOT NULL,
      sha256 TEXT NOT NULL,
      PRIMARY KEY (run_id, position)
    ) WITHOUT ROWID, STRICT;

    -- A row of the run's results: a series, and the method if there are several.
    CREATE TABLE results (
      run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      position INTEGER NOT NULL,
      subject TEXT NOT NULL,
      occasion TEXT,
      method TEXT,
      status TEXT NOT NULL,
      reason TEXT,
      PRIMARY KEY (run_id, position)
    ) WITHOUT ROWID, STRICT;
    CREATE INDEX results_of_subjects ON results (subject, occasion, method);

    -- low and high are the ends of the interval; is_identifiable is null if it was not examined.
    CREATE TABLE fits (
      run_id INTEGER NOT NULL,
      position INTEGER NOT NULL,
      parameter TEXT NOT NULL,
      unit TEXT NOT NULL,
      value REAL NOT NULL,
      standard_error REAL,
      low REAL,
      high REAL,
      is_identifiable INTEGER CHECK (is_identifiable IN (0, 1)),
      is_estimated INTEGER NOT NULL CHECK (is_estimated IN (0, 1)),
      PRIMARY KEY (run_id, position, parameter),
      FOREIGN KEY (run_id, position) REFERENCES results (run_id, position) ON DELETE CASCADE
    ) WITHOUT ROWID, STRICT;

    -- The unit of a metric is in its name.
    CREATE TABLE metrics (
      run_id INTEGER NOT NULL,
      position INTEGER NOT NULL,
      metric TEXT NOT NULL,
      value REAL NOT NULL,
      PRIMARY KEY (run_id, position, metric),
      FOREIGN KEY (run_id, position) REFERENCES results (run_id, position) ON DELETE CASCADE
    ) WITHOUT ROWID, STRICT;

    -- The estimates of the last run that has any, per subject, occasion and parameter.
    CREATE VIEW latest_fit AS
      SELECT results.subject, results.occasion, fits.parameter, fits.unit, fits.value,
        fits.standard_error, fits.low, fits.high, fits.is_identifiable, fits.is_estimated,
        max(fits.run_id) AS run_id
      FROM fits JOIN results USING (run_id, position)
      GROUP BY results.subject, results.occasion, fits.parameter;

    -- What a run's methods come to, over subjects.
    CREATE VIEW method_summary AS
      SELECT results.run_id, runs.command, results.method, metrics.metric,
        count(*) AS n, avg(metrics.value) AS mean, min(metrics.value) AS lowest,
        max(metrics.value) AS highest, avg(abs(metrics.value)) AS mean_absolute
      FROM metrics JOIN results USING (run_id, position) JOIN runs ON runs.id = results.run_id
      GROUP BY results.run_id, results.method, metrics.metric;
    """

  /// A parameter at its search limit has no value, only limits.
  static let searchLimits = """
    DROP VIEW latest_fit;
    CREATE TABLE parameters (
      run_id INTEGER NOT NULL,
      position INTEGER NOT NULL,
      parameter TEXT NOT NULL,
      unit TEXT NOT NULL,
      value REAL,
      standard_error REAL,
      low REAL,
      high REAL,
      is_identifiable INTEGER CHECK (is_identifiable IN (0, 1)),
      is_estimated INTEGER NOT NULL CHECK (is_estimated IN (0, 1)),
      PRIMARY KEY (run_id, position, parameter),
      FOREIGN KEY (run_id, position) REFERENCES results (run_id, position) ON DELETE CASCADE
    ) WITHOUT ROWID, STRICT;
    INSERT INTO parameters SELECT run_id, position, parameter, unit, value, standard_error, low, high,
      is_identifiable, is_estimated FROM fits;
    DROP TABLE fits;
    ALTER TABLE parameters RENAME TO fits;
    CREATE VIEW latest_fit AS
      SELECT results.subject, results.occasion, fits.parameter, fits.unit, fits.value,
        fits.standard_error, fits.low, fits.high, fits.is_identifiable, fits.is_estimated,
        max(fits.run_id) AS run_id
      FROM fits JOIN results USING (run_id, position)
      GROUP BY results.subject, results.occasion, fits.parameter;
    """
}

--# The schema, as a list of steps. Steps are only ever added: a database that somebody has holds the names of
--# those it went through. Behind --## stands the name of a step; lines that begin with --# are in no step.

--## 1-study
--# What a study holds.
--#
--# Times and heights are kept in the units of the model, so that no digit is lost; the views have
--# them in the units of study files. (Computed columns would cost an import a third of its speed.)
PRAGMA application_id = 1349676396;

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

--## 2-synchronising
--# What was imported, and what each import changed.
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

--## 3-runs
--# What was computed from the study, with how it was made.
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

--## 6-routes
--# Which way a dose takes into the blood.
ALTER TABLE drinks ADD COLUMN route TEXT NOT NULL DEFAULT 'oral'
  CHECK (route IN ('oral', 'iv'));
DROP VIEW drink_list;
CREATE VIEW drink_list AS
  SELECT subjects.name AS subject, series.occasion, round(time_h * 60, 6) AS time_min,
    round(duration_h * 60, 6) AS duration_min, ethanol_g, ethanol_g_per_kg, route, source
  FROM drinks JOIN series ON series.id = drinks.series_id
    JOIN subjects ON subjects.id = series.subject_id;

--## 7-search-limits
--# A parameter at its search limit has no value, only limits.
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

--## 9-serum-units
--# Serum and plasma in the units of laboratories.
INSERT OR IGNORE INTO units (unit, matrix) VALUES
  ('serum_mg_per_100ml', 'serum'), ('serum_g_per_100ml', 'serum');

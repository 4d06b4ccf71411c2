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

--## 4-vitals
--# Vital signs, and what the researcher says of their kinds.
-- least and most are what can be true; below and above are thresholds of the daily mean.
-- All are in the unit.
CREATE TABLE vital_kinds (
  kind TEXT PRIMARY KEY,
  unit TEXT NOT NULL,
  least REAL NOT NULL,
  most REAL NOT NULL,
  importance INTEGER NOT NULL DEFAULT 3 CHECK (importance BETWEEN 1 AND 5),
  below REAL,
  above REAL
) WITHOUT ROWID, STRICT;
INSERT INTO vital_kinds (kind, unit, least, most) VALUES
  ('HeartRate', 'count/min', 20, 300),
  ('BodyTemperature', 'degC', 30, 45),
  ('BloodGlucose', 'mmol/L', 0.5, 60),
  ('RespiratoryRate', 'count/min', 2, 100),
  ('DietaryWater', 'mL', 0, 20000),
  ('StepCount', 'count', 0, 200000),
  ('DistanceWalkingRunning', 'km', 0, 500),
  ('DistanceCycling', 'km', 0, 1500),
  ('DistanceSwimming', 'km', 0, 100),
  ('ActiveEnergyBurned', 'kcal', 0, 30000),
  ('BasalEnergyBurned', 'kcal', 0, 20000),
  ('BodyMass', 'kg', 20, 400),
  ('Height', 'cm', 50, 260);

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value REAL NOT NULL
) WITHOUT ROWID, STRICT;
INSERT INTO settings (name, value) VALUES ('span_days', 7);

-- value is in the unit of the kind, given_value in given_unit, as the source had it. day is
-- that of the start on the clock of the place.
CREATE TABLE vitals (
  subject_id INTEGER NOT NULL REFERENCES subjects (id) ON DELETE CASCADE,
  kind TEXT NOT NULL REFERENCES vital_kinds (kind),
  start_utc TEXT NOT NULL,
  end_utc TEXT NOT NULL,
  source TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  day TEXT NOT NULL,
  value REAL NOT NULL,
  given_value REAL NOT NULL,
  given_unit TEXT NOT NULL,
  uuid BLOB NOT NULL CHECK (length(uuid) = 16),
  import_id INTEGER NOT NULL REFERENCES imports (id),
  PRIMARY KEY (subject_id, kind, start_utc, end_utc, source, ordinal)
) WITHOUT ROWID, STRICT;

CREATE VIEW vitals_by_day AS
  {{dailyMeans}};

--## 5-vital-uuids
--# UUIDs that vital signs came with.
ALTER TABLE vitals ADD COLUMN is_uuid_given INTEGER NOT NULL DEFAULT 0
  CHECK (is_uuid_given IN (0, 1));
CREATE UNIQUE INDEX vitals_given ON vitals (uuid) WHERE is_uuid_given = 1;

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

--## 8-study-day
--# The study day: events, accounts with their permissions, and bookings.
--#
--# Clock times are whole milliseconds since 1970 in UTC. Values of entries, and what an event changed, are JSON
--# with sorted keys.
-- Everything that ever changed, in order; hash is the SHA-256 of previous and of the other columns. No
-- name, contact or token of a person is in it.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  uuid BLOB NOT NULL UNIQUE CHECK (length(uuid) = 16),
  at_ms INTEGER NOT NULL,
  device_ms INTEGER,
  clock_offset_ms INTEGER,
  actor TEXT NOT NULL,
  station TEXT,
  action TEXT NOT NULL,
  subject TEXT,
  record BLOB,
  old TEXT,
  new TEXT,
  reason TEXT,
  previous BLOB NOT NULL CHECK (length(previous) = 32),
  hash BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;
CREATE INDEX events_of_records ON events (record) WHERE record IS NOT NULL;
CREATE INDEX events_of_subjects ON events (subject) WHERE subject IS NOT NULL;
CREATE TRIGGER events_follow BEFORE INSERT ON events
  WHEN NEW.seq <> (SELECT ifnull(max(seq), 0) + 1 FROM events)
  BEGIN SELECT RAISE(ABORT, 'events are numbered without gaps'); END;
CREATE TRIGGER events_stay BEFORE UPDATE ON events
  BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;

CREATE TABLE sites (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  address TEXT,
  is_public INTEGER NOT NULL DEFAULT 0 CHECK (is_public IN (0, 1)),
  closed_ms INTEGER
) STRICT;

CREATE TABLE labs (
  id INTEGER PRIMARY KEY,
  site_id INTEGER NOT NULL REFERENCES sites (id),
  name TEXT NOT NULL,
  closed_ms INTEGER,
  UNIQUE (site_id, name)
) STRICT;

CREATE TABLE session_types (
  id INTEGER PRIMARY KEY,
  lab_id INTEGER NOT NULL REFERENCES labs (id),
  name TEXT NOT NULL,
  length_min INTEGER NOT NULL CHECK (length_min BETWEEN 1 AND 10080),
  reading_interval_min INTEGER NOT NULL CHECK (reading_interval_min BETWEEN 1 AND 1440),
  capacity INTEGER NOT NULL CHECK (capacity BETWEEN 1 AND 1000),
  release_limit_g_per_kg REAL NOT NULL CHECK (release_limit_g_per_kg BETWEEN 0.01 AND 2),
  food TEXT NOT NULL CHECK (food IN ('fasted', 'fed')),
  closed_ms INTEGER,
  UNIQUE (lab_id, name)
) STRICT;

CREATE TABLE slots (
  id INTEGER PRIMARY KEY,
  session_type_id INTEGER NOT NULL REFERENCES session_types (id),
  starts_ms INTEGER NOT NULL,
  capacity INTEGER NOT NULL CHECK (capacity BETWEEN 1 AND 1000),
  closed_ms INTEGER,
  UNIQUE (session_type_id, starts_ms)
) STRICT;
CREATE INDEX slots_by_time ON slots (starts_ms);

-- The day of one person: a series with its clock and its limits.
CREATE TABLE sessions (
  series_id INTEGER PRIMARY KEY REFERENCES series (id) ON DELETE CASCADE,
  session_type_id INTEGER REFERENCES session_types (id),
  slot_id INTEGER REFERENCES slots (id),
  starts_ms INTEGER NOT NULL,
  reading_interval_min INTEGER NOT NULL,
  release_limit_g_per_kg REAL NOT NULL,
  food TEXT NOT NULL CHECK (food IN ('fasted', 'fed')),
  state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'released', 'ended')),
  decision_seq INTEGER REFERENCES events (seq)
) STRICT;

-- What was entered, as it is now; version is the event that made it so.
CREATE TABLE entries (
  uuid BLOB PRIMARY KEY CHECK (length(uuid) = 16),
  kind TEXT NOT NULL CHECK (kind IN ('reading', 'drink', 'vital', 'note')),
  series_id INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  at_ms INTEGER NOT NULL,
  value TEXT NOT NULL,
  first_seq INTEGER NOT NULL REFERENCES events (seq),
  version INTEGER NOT NULL REFERENCES events (seq),
  state TEXT NOT NULL CHECK (state IN ('current', 'conflict', 'void'))
) STRICT;
CREATE INDEX entries_of_series ON entries (series_id, at_ms);

-- Two changes of one entry that did not know of each other; seq_b came later.
CREATE TABLE conflicts (
  entry BLOB NOT NULL REFERENCES entries (uuid) ON DELETE CASCADE,
  seq_a INTEGER NOT NULL REFERENCES events (seq),
  seq_b INTEGER NOT NULL REFERENCES events (seq),
  resolved_seq INTEGER REFERENCES events (seq),
  PRIMARY KEY (entry, seq_b)
) STRICT;

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 80),
  role TEXT NOT NULL CHECK (role IN ('owner', 'investigator', 'operator', 'viewer', 'participant')),
  subject_id INTEGER REFERENCES subjects (id),
  made_ms INTEGER NOT NULL,
  revoked_ms INTEGER
) STRICT;

-- hash is the SHA-256 of the token; the token itself is nowhere.
CREATE TABLE tokens (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('invitation', 'session', 'station')),
  label TEXT,
  made_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  used_ms INTEGER,
  revoked_ms INTEGER
) STRICT;

-- Who people are: in no export, report or event.
CREATE TABLE people (
  subject_id INTEGER PRIMARY KEY REFERENCES subjects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  contact TEXT NOT NULL,
  consent_ms INTEGER NOT NULL,
  no_shows INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE bookings (
  uuid BLOB PRIMARY KEY CHECK (length(uuid) = 16),
  slot_id INTEGER NOT NULL REFERENCES slots (id),
  subject_id INTEGER NOT NULL REFERENCES subjects (id),
  state TEXT NOT NULL
    CHECK (state IN ('booked', 'cancelled', 'checked-in', 'no-show', 'released')),
  series_id INTEGER REFERENCES series (id),
  made_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX bookings_once ON bookings (slot_id, subject_id)
  WHERE state IN ('booked', 'checked-in', 'released');
CREATE INDEX bookings_of_subjects ON bookings (subject_id);
CREATE TRIGGER bookings_fit BEFORE INSERT ON bookings
  WHEN NEW.state IN ('booked', 'checked-in', 'released')
    AND (SELECT count(*) FROM bookings
      WHERE slot_id = NEW.slot_id AND state IN ('booked', 'checked-in', 'released'))
      >= (SELECT capacity FROM slots WHERE id = NEW.slot_id)
  BEGIN SELECT RAISE(ABORT, 'the slot is full'); END;
CREATE TRIGGER bookings_stay_fit BEFORE UPDATE OF state, slot_id ON bookings
  WHEN NEW.state IN ('booked', 'checked-in', 'released')
    AND (SELECT count(*) FROM bookings WHERE slot_id = NEW.slot_id AND uuid <> NEW.uuid
      AND state IN ('booked', 'checked-in', 'released'))
      >= (SELECT capacity FROM slots WHERE id = NEW.slot_id)
  BEGIN SELECT RAISE(ABORT, 'the slot is full'); END;
CREATE TRIGGER slots_stay_wide BEFORE UPDATE OF capacity ON slots
  WHEN NEW.capacity < (SELECT count(*) FROM bookings
    WHERE slot_id = NEW.id AND state IN ('booked', 'checked-in', 'released'))
  BEGIN SELECT RAISE(ABORT, 'more places of the slot are held'); END;

CREATE TABLE waiting (
  slot_id INTEGER NOT NULL REFERENCES slots (id),
  subject_id INTEGER NOT NULL REFERENCES subjects (id),
  priority INTEGER NOT NULL DEFAULT 0,
  since_ms INTEGER NOT NULL,
  PRIMARY KEY (slot_id, subject_id)
) WITHOUT ROWID, STRICT;

CREATE TABLE favourites (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  slot_id INTEGER NOT NULL REFERENCES slots (id),
  PRIMARY KEY (account_id, slot_id)
) WITHOUT ROWID, STRICT;

--## 9-serum-units
--# Serum and plasma in the units of laboratories.
INSERT OR IGNORE INTO units (unit, matrix) VALUES
  ('serum_mg_per_100ml', 'serum'), ('serum_g_per_100ml', 'serum');

--## 10-entries
--# Values and times of entries stand in the log alone.
DROP INDEX entries_of_series;
ALTER TABLE entries DROP COLUMN value;
ALTER TABLE entries DROP COLUMN at_ms;
CREATE INDEX entries_of_series ON entries (series_id);

--## 11-choices
--# What people choose for themselves, as JSON: favourite drinks, when to be reminded.
CREATE TABLE choices (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (account_id, name)
) WITHOUT ROWID, STRICT;

--## 12-thresholds
--# Blood pressure and oxygen, and thresholds where nobody set any: a single score of 3 in NEWS2 (Royal College of
--# Physicians, 2017); a temperature of 2, as there is none; diastolic from 110 mmHg, a crisis by the guideline of
--# the European Society of Cardiology (2018).
INSERT INTO vital_kinds (kind, unit, least, most) VALUES
  ('BloodPressureSystolic', 'mmHg', 30, 300),
  ('BloodPressureDiastolic', 'mmHg', 10, 200),
  ('OxygenSaturation', '%', 30, 100);
WITH usual (name, low, high) AS (VALUES ('HeartRate', 41, 130), ('BodyTemperature', 35.1, 39),
  ('RespiratoryRate', 9, 24), ('BloodPressureSystolic', 91, 219),
  ('BloodPressureDiastolic', NULL, 109), ('OxygenSaturation', 92, NULL))
UPDATE vital_kinds SET below = low, above = high FROM usual
  WHERE kind = name AND below IS NULL AND above IS NULL;

--## 13-calls
--# The numbers of the call board, of a day on the server's clock.
CREATE TABLE calls (
  day TEXT NOT NULL,
  number INTEGER NOT NULL,
  subject_id INTEGER REFERENCES subjects (id),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'called', 'done', 'left')),
  made_ms INTEGER NOT NULL,
  called_ms INTEGER,
  place TEXT,
  PRIMARY KEY (day, number)
) WITHOUT ROWID, STRICT;

--## 14-letters
--# What people are written to about, who chose it (written: kinds with a blank between), and what waits to be sent.
ALTER TABLE people ADD COLUMN written TEXT;
CREATE TABLE letters (
  id INTEGER PRIMARY KEY,
  subject_id INTEGER NOT NULL REFERENCES subjects (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('mail', 'webhook')),
  about TEXT NOT NULL,
  text TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
  made_ms INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  UNIQUE (subject_id, kind, way, about)
) STRICT;
CREATE INDEX letters_due ON letters (next_ms) WHERE state = 'waiting';

--## 15-changed
--# What changed of a session since, and the vital signs of a time, are found without reading all.
DROP INDEX entries_of_series;
CREATE INDEX entries_of_series ON entries (series_id, version);
CREATE INDEX vitals_by_time ON vitals (start_utc);

--## 16-push
--# How browsers are notified: the key that push services know the study by, once somebody switched that on, and
--# the devices of people, which end with their tokens. A letter may be for one device.
CREATE TABLE push (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  private_key BLOB NOT NULL CHECK (length(private_key) = 32),
  contact TEXT,
  services TEXT NOT NULL
) STRICT;
CREATE TABLE push_devices (
  token_id INTEGER PRIMARY KEY REFERENCES tokens (id),
  endpoint TEXT NOT NULL UNIQUE,
  public_key BLOB NOT NULL CHECK (length(public_key) = 65),
  secret BLOB NOT NULL CHECK (length(secret) = 16),
  made_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER push_ends_with_tokens AFTER UPDATE OF revoked_ms ON tokens
  WHEN NEW.revoked_ms IS NOT NULL
  BEGIN DELETE FROM push_devices WHERE token_id = NEW.id; END;
CREATE TRIGGER push_ends_with_accounts AFTER UPDATE OF revoked_ms ON accounts
  WHEN NEW.revoked_ms IS NOT NULL
  BEGIN
    DELETE FROM push_devices
      WHERE token_id IN (SELECT id FROM tokens WHERE account_id = NEW.id);
  END;
ALTER TABLE letters RENAME TO letters_before;
CREATE TABLE letters (
  id INTEGER PRIMARY KEY,
  subject_id INTEGER NOT NULL REFERENCES subjects (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('mail', 'webhook', 'push')),
  device INTEGER NOT NULL DEFAULT 0,
  about TEXT NOT NULL,
  text TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
  made_ms INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  UNIQUE (subject_id, kind, way, device, about)
) STRICT;
INSERT INTO letters
  SELECT id, subject_id, kind, way, 0, about, text, state, made_ms, next_ms, tries
  FROM letters_before;
DROP TABLE letters_before;
CREATE INDEX letters_due ON letters (next_ms) WHERE state = 'waiting';

--## 17-no-push
--# Browsers are no longer notified.
DROP TRIGGER push_ends_with_tokens;
DROP TRIGGER push_ends_with_accounts;
DROP TABLE push_devices;
DROP TABLE push;
DELETE FROM letters WHERE way = 'push' AND state = 'waiting';

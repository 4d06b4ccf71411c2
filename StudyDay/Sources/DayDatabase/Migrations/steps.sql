--# What a study day adds to the schema of studies, after its steps. Steps are only ever added: a database that somebody
--# has holds the names of those it went through. The names of new ones begin with "day-", by which the toolkit tells
--# them from its own; it lists the older ones. Behind --## stands the name of a step; lines that begin with --# are in no
--# step.

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

--## day-17-issuers
--# Who issued the link or the token by which somebody was signed in: of tokens, and of the changes made with them.
ALTER TABLE tokens ADD COLUMN issued_by TEXT;
ALTER TABLE events ADD COLUMN issuer TEXT;

--## day-18-staff
--# Screens on a wall, codes by which staff are known again, what staff choose to be told of outside a page, and
--# calibration checks of instruments, which stand in the log alone.
-- A screen on a wall has the role viewer here, and sees less.
ALTER TABLE accounts ADD COLUMN is_wall INTEGER NOT NULL DEFAULT 0 CHECK (is_wall IN (0, 1));
-- The recovery code signs the owner in once; a signing code is asked for before a release. hash is that of salt and
-- code.
CREATE TABLE codes (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('recovery', 'signing')),
  salt BLOB NOT NULL,
  hash BLOB NOT NULL CHECK (length(hash) = 32),
  made_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, kind)
) WITHOUT ROWID, STRICT;
-- kinds with a blank between. The address is in no event.
CREATE TABLE alerts (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  kinds TEXT NOT NULL,
  address TEXT
) STRICT;
-- A letter is for a subject, or for an account; then the subject is whom it is about, if it is about anybody.
ALTER TABLE letters RENAME TO letters_before;
CREATE TABLE letters (
  id INTEGER PRIMARY KEY,
  subject_id INTEGER REFERENCES subjects (id) ON DELETE CASCADE,
  account_id INTEGER REFERENCES accounts (id),
  kind TEXT NOT NULL,
  way TEXT NOT NULL CHECK (way IN ('mail', 'webhook', 'push')),
  about TEXT NOT NULL,
  text TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed')),
  made_ms INTEGER NOT NULL,
  next_ms INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  CHECK (subject_id IS NOT NULL OR account_id IS NOT NULL)
) STRICT;
INSERT INTO letters
  SELECT id, subject_id, NULL, kind, way, about, text, state, made_ms, next_ms, tries
  FROM letters_before;
DROP TABLE letters_before;
CREATE INDEX letters_due ON letters (next_ms) WHERE state = 'waiting';
CREATE UNIQUE INDEX letters_once
  ON letters (ifnull(subject_id, 0), ifnull(account_id, 0), kind, way, about);
CREATE INDEX events_of_instruments ON events (seq) WHERE action = 'instrument.check';

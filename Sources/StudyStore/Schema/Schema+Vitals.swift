extension Schema {
  /// Vital signs, and what the researcher says of their kinds.
  static let vitals = """
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
      \(dailyMeans);
    """

  /// What the view of daily means holds: views are for people with other tools, and nothing here looks
  /// through one.
  package static let dailyMeans = """
    SELECT subjects.name AS subject, vitals.day, vitals.kind, vital_kinds.unit,
        vital_kinds.importance, count(*) AS n, avg(vitals.value) AS mean,
        min(vitals.value) AS lowest, max(vitals.value) AS highest
      FROM vitals JOIN subjects ON subjects.id = vitals.subject_id
        JOIN vital_kinds ON vital_kinds.kind = vitals.kind
      GROUP BY vitals.subject_id, vitals.day, vitals.kind
    """
}

extension Schema {
  /// Blood pressure and oxygen, and thresholds where nobody set any: a single score of 3 in NEWS2 (Royal College of
  /// Physicians, 2017); a temperature of 2, as there is none; diastolic from 110 mmHg, a crisis by the guideline of
  /// the European Society of Cardiology (2018).
  static let thresholds = """
    INSERT INTO vital_kinds (kind, unit, least, most) VALUES
      ('BloodPressureSystolic', 'mmHg', 30, 300),
      ('BloodPressureDiastolic', 'mmHg', 10, 200),
      ('OxygenSaturation', '%', 30, 100);
    WITH usual (name, low, high) AS (VALUES ('HeartRate', 41, 130), ('BodyTemperature', 35.1, 39),
      ('RespiratoryRate', 9, 24), ('BloodPressureSystolic', 91, 219),
      ('BloodPressureDiastolic', NULL, 109), ('OxygenSaturation', 92, NULL))
    UPDATE vital_kinds SET below = low, above = high FROM usual
      WHERE kind = name AND below IS NULL AND above IS NULL;
    """
}

extension Schema {
  /// UUIDs that vital signs came with.
  static let vitalUUIDs = """
    ALTER TABLE vitals ADD COLUMN is_uuid_given INTEGER NOT NULL DEFAULT 0
      CHECK (is_uuid_given IN (0, 1));
    CREATE UNIQUE INDEX vitals_given ON vitals (uuid) WHERE is_uuid_given = 1;
    """
}

extension Schema {
  /// UUIDs that vital signs came with.
  static let vitalUUIDs = """
    ALTER TABLE vitals ADD COLUMN is_uuid_given INTEGER NOT NULL DEFAULT 0
      CHECK (is_uuid_given IN (0, 1));
    CREATE UNIQUE INDEX vitals_given ON vitals (uuid) WHERE is_uuid_given = 1;
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

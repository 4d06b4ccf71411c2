extension Schema {
  /// UUIDs that vital signs came with.
  static let vitalUUIDs = """
    ALTER TABLE vitals ADD COLUMN is_uuid_given INTEGER NOT NULL DEFAULT 0
      CHECK (is_uuid_given IN (0, 1));
    CREATE UNIQUE INDEX vitals_given ON vitals (uuid) WHERE is_uuid_given = 1;
    """
}

package import Foundation

/// Exports of Apple Health, made by hand in the form of real ones.
package enum HealthText {
  /// The declaration of the document type, with what real ones have: required attributes without a
  /// default, which end Foundation's parser on Linux, quotes, comments and brackets.
  package static let prolog = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 13 > "quote -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
    <!ATTLIST HealthData
      locale CDATA #REQUIRED
    >
    <!ATTLIST Record unit CDATA #IMPLIED type CDATA "a > b">
    ]>

    """

  package static func export(_ records: [String]) -> String {
    prolog + """
      <HealthData locale="en_GB">
       <ExportDate value="2024-06-01 09:00:00 +0200"/>
       <Me HKCharacteristicTypeIdentifierDateOfBirth="1990-05-02" \
      HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale"/>
      \(records.joined(separator: "\n"))
      </HealthData>

      """
  }

  package static func record(
    _ type: String, _ value: String, _ unit: String, at start: String, to end: String? = nil,
    source: String = "Watch"
  ) -> String {
    """
     <Record type="HKQuantityTypeIdentifier\(type)" sourceName="\(source)" unit="\(unit)" \
    creationDate="\(start)" startDate="\(start)" endDate="\(end ?? start)" value="\(value)"/>
    """
  }

  /// An evening: two drinks noted for one minute, another over the midnight, two readings.
  package static let evening = [
    record("BodyMass", "132.277357310928", "lb", at: "2024-04-01 07:00:00 +0200"),
    record("BodyMass", "70", "kg", at: "2024-05-20 07:00:00 +0200"),
    record("Height", "1.65", "m", at: "2020-01-01 07:00:00 +0100"),
    record(
      "NumberOfAlcoholicBeverages", "1", "count", at: "2024-05-01 20:00:00 +0200",
      to: "2024-05-01 20:30:00 +0200"),
    record(
      "NumberOfAlcoholicBeverages", "1", "count", at: "2024-05-01 20:00:00 +0200",
      to: "2024-05-01 20:30:00 +0200"),
    record("NumberOfAlcoholicBeverages", "1.5", "count", at: "2024-05-02 00:15:00 +0200"),
    record("BloodAlcoholContent", "0.0006", "%", at: "2024-05-01 21:30:00 +0200"),
    record("BloodAlcoholContent", "0.0002", "%", at: "2024-05-02 02:30:00 +0200"),
  ]

  package static func stream(_ text: String) -> InputStream {
    InputStream(data: Data(text.utf8))
  }
}

/// The published r-factor methods.
public enum RFactorMethods {
  /// The five methods in the order tables show them.
  ///
  /// - Parameter bloodWater: The water content of blood, for the methods built on body water.
  public static func all(bloodWater: BloodWater = .perLitre) -> [any RFactorMethod] {
    [Widmark(), Watson(bloodWater: bloodWater), Forrest(), Seidl(), Ulrich()]
  }

  /// The method of that name, or nil.
  ///
  /// Upper and lower case are the same, and Nacar's spelling `seidel` is accepted for `seidl`.
  public static func named(
    _ name: String, bloodWater: BloodWater = .perLitre
  ) -> (any RFactorMethod)? {
    let canonical = name.lowercased() == "seidel" ? "seidl" : name.lowercased()
    return all(bloodWater: bloodWater).first { $0.name == canonical }
  }
}

/// Why and where a descriptor cannot be understood.
struct DescriptorProblem: Error, Equatable {
  var place: Place
  var message: String
}

/// A JSON value and where it stands.
///
/// Foundation's decoders do not say where a file goes wrong on every platform; findings must.
struct JSONNode {
  /// The kinds of value.
  enum Value {
    case object([Member])
    case array([JSONNode])
    case string(String)
    case number(Double)
    case bool(Bool)
    case null
  }

  /// A name and its value in an object.
  struct Member {
    var name: String
    var place: Place
    var node: JSONNode
  }

  var value: Value
  var place: Place

  /// The members of an object; nil for anything else.
  var members: [Member]? {
    guard case .object(let members) = value else { return nil }
    return members
  }
}

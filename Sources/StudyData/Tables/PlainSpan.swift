/// How much of a text has been read.
struct PlainSpan {
  var bytes = 0
  var rows = 0
}

# One subject, one question.

ask_case <- function(question, options) {
  answer <- run(c("case", question, "--format=json", flags(options)))
  warn_of(answer$findings)
  result(answer)
}

#' Answer one question about one subject
#'
#' \code{pm_case_back} answers what the concentration was before a measurement, \code{pm_case_forward} what it will be
#' after drinks or a measurement, \code{pm_case_drinks} how much was drunk, \code{pm_case_later} what would have been
#' measured without later drinks, and \code{pm_case_sober} when a limit is reached.
#'
#' @param ... Options of \code{promille case}, with underscores: \code{measured = 95, unit = "bac_mg_per_100ml",
#'   measured_at = "02:30+1", drinking_ended = "22:00", at = "00:30+1"}. Vectors are options that are repeated.
#' @return A \code{\link{pm_result}}; \code{frame} has the answer, with its likeliest value and its limits.
#' @examples
#' \dontrun{
#' pm_case_back(
#'   measured = 95, unit = "bac_mg_per_100ml", measured_at = "02:30+1",
#'   drinking_ended = "22:00", at = "00:30+1"
#' )
#' }
#' @name pm_case
NULL

#' @rdname pm_case
#' @export
pm_case_back <- function(...) ask_case("back", list(...))

#' @rdname pm_case
#' @export
pm_case_forward <- function(...) ask_case("forward", list(...))

#' @rdname pm_case
#' @export
pm_case_drinks <- function(...) ask_case("drinks", list(...))

#' @rdname pm_case
#' @export
pm_case_later <- function(...) ask_case("later", list(...))

#' @rdname pm_case
#' @export
pm_case_sober <- function(...) ask_case("sober", list(...))

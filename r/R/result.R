# What the command answers with.

# Makes a result of what the command wrote as JSON; the values of its figures come from `draw`, if it has some.
result <- function(answer, draw = NULL) {
  value <- jsonlite::fromJSON(answer$output, simplifyVector = TRUE)
  tables <- Filter(is.data.frame, value)
  told <- c(names(tables), "provenance", "schema_version", "answer", "text")
  structure(
    class = "pm_result",
    list(
      answer = value$answer,
      frame = if (length(tables)) tables[[1]] else data.frame(),
      tables = tables,
      values = value[setdiff(names(value), told)],
      text = value$text,
      provenance = value$provenance,
      findings = answer$findings,
      draw = draw,
      # Another command may read it as the file that it is.
      file = function() {
        path <- tempfile("promille-", fileext = ".json")
        writeLines(answer$output, path, useBytes = TRUE)
        path
      }
    )
  )
}

#' Results of the command
#'
#' A result is a list with \code{answer}, the first sentence of what the command says; \code{frame}, its first table;
#' \code{tables}, all of them by name; \code{values}, what is in no table; \code{provenance}, with version, options,
#' digests of the inputs and conversion factors; and \code{findings}, with severity, code, message, place and remedy.
#' Printed it is what the command shows on a terminal. A result of \code{\link{pm_population}} or
#' \code{\link{pm_prior}} can be the \code{prior} of \code{\link{pm_fit}} and \code{\link{pm_forecast}}.
#'
#' \code{plot} draws the figure of \code{promille plot} from its values: of fits everybody, of times to sobriety and
#' comparisons the errors of the methods.
#'
#' @param x A result.
#' @param chart One subject, as \code{"p03"} or \code{"p03/1"} with the occasion, or another figure: \code{"people"},
#'   \code{"parameters"}, \code{"methods"}, \code{"residuals"}, \code{"sobriety-errors"}, \code{"bland-altman"}. The
#'   error for an unknown name lists them.
#' @param row.names,optional,... Ignored.
#' @return \code{as.data.frame} returns the first table; \code{print} and \code{plot} return \code{x}, invisibly.
#' @name pm_result
NULL

#' @rdname pm_result
#' @export
print.pm_result <- function(x, ...) {
  if (!is.null(x$text)) {
    cat(x$text)
  } else {
    # Of long results the command writes no text.
    cat(x$answer, "\n\n", sep = "")
    print(utils::head(x$frame, 20L), ...)
    cat("and", nrow(x$frame) - 20L, "more rows\n")
  }
  invisible(x)
}

#' @rdname pm_result
#' @export
as.data.frame.pm_result <- function(x, row.names = NULL, optional = FALSE, ...) x$frame

#' @rdname pm_result
#' @export
plot.pm_result <- function(x, chart = NULL, ...) {
  if (!is.null(x$draw)) {
    draw_figure(x$draw(chart, x$frame))
  } else if (!is.null(x$tables$forecast_curve)) {
    curve <- x$tables$forecast_curve
    names <- ifelse(is.na(curve$occasion), curve$subject, paste(curve$subject, curve$occasion, sep = "/"))
    chart <- chart %||% names[1]
    if (!chart %in% names) no_chart(chart, unique(names))
    draw_curve(
      curve[names == chart, ], "time_min", "median_g_per_kg", paste0("low_", c(95, 80, 50), "_g_per_kg"),
      paste0("high_", c(95, 80, 50), "_g_per_kg"), "time since the first drink, min", "blood alcohol, g/kg"
    )
  } else if (!is.null(x$tables$band)) {
    band <- x$tables$band
    draw_curve(band, "time_h", "likeliest", "low", "high", "time, h", unit_label(band$unit[1]))
  } else {
    stop_with(finding("error", "E_CHART", "this result has no figure"))
  }
  invisible(x)
}

no_chart <- function(chart, known) {
  stop_with(finding(
    "error", "E_CHART", paste0("there is no chart \"", chart, "\""), paste("choose from", paste(known, collapse = ", "))
  ))
}

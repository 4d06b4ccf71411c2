# What the command answers with.

# Makes a result of what the command wrote as JSON; its figures come from `draw`, if it has some.
result <- function(answer, draw = NULL) {
  value <- jsonlite::fromJSON(answer$output, simplifyVector = TRUE)
  tables <- Filter(is.data.frame, value)
  structure(
    class = "pm_result",
    list(
      frame = if (length(tables)) tables[[1]] else data.frame(),
      tables = tables,
      values = value[setdiff(names(value), c(names(tables), "provenance", "schema_version"))],
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
#' A result is a list with \code{frame}, its first table; \code{tables}, all of them by name; \code{values}, what is in
#' no table; \code{provenance}, with version, options, digests of the inputs and conversion factors; and
#' \code{findings}, with severity, code, message, place and remedy. A result of \code{\link{pm_population}} can be the
#' \code{prior} of \code{\link{pm_fit}} and \code{\link{pm_forecast}}.
#'
#' @param x A result.
#' @param chart The name of a chart, such as \code{"curve-1"}; the first one unless given. \code{names(x$draw())} lists
#'   them.
#' @param row.names,optional Ignored.
#' @param ... Ignored, or passed on to \code{plot}.
#' @return \code{as.data.frame} returns the first table; \code{print} and \code{plot} return \code{x}, invisibly.
#' @name pm_result
NULL

#' @rdname pm_result
#' @export
print.pm_result <- function(x, ...) {
  frame <- x$frame
  # Columns without any value say nothing here.
  shown <- vapply(frame, function(column) is.list(column) || !all(is.na(column)), NA)
  print(frame[shown], ...)
  for (found in x$findings) if (found$severity == "remark") cat(found$message, "\n", sep = "")
  invisible(x)
}

#' @rdname pm_result
#' @export
as.data.frame.pm_result <- function(x, row.names = NULL, optional = FALSE, ...) x$frame

#' @rdname pm_result
#' @export
plot.pm_result <- function(x, chart = NULL, ...) {
  if (is.null(x$draw)) stop_with(finding("error", "E_CHART", "this result has no figure"))
  charts <- x$draw()
  chart <- chart %||% names(charts)[1]
  if (!chart %in% names(charts)) {
    stop_with(finding(
      "error", "E_CHART", paste0("there is no chart \"", chart, "\""),
      paste("choose from", paste(names(charts), collapse = ", "))
    ))
  }
  draw_chart(charts[[chart]], ...)
  invisible(x)
}

# The values of the figures that a command draws into a folder, as data frames.
drawn <- function(line, option, study) {
  folder <- tempfile("promille-figures")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  end <- length(line) - 1:0
  run(c(line[-end], paste0(option, "=", folder), line[end]), placed = function(found) placed(found, study))
  files <- list.files(folder, "[.]csv$", full.names = TRUE)
  charts <- lapply(files, utils::read.csv, encoding = "UTF-8")
  names(charts) <- sub("[.]csv$", "", basename(files))
  charts
}

# Draws the layers of a chart: spans and lines first, then curves, then points.
draw_chart <- function(values, ...) {
  first <- function(column) values[[column]][!is.na(values[[column]]) & nzchar(values[[column]])][1]
  graphics::plot(
    range(values$x, if (anyNA(values$y)) c(values$low, values$high), na.rm = TRUE),
    range(values$y, if (!anyNA(values$y)) c(values$low, values$high), na.rm = TRUE),
    type = "n", xlab = first("x_label"), ylab = first("y_label"), ...
  )
  for (layer in unique(values$layer)) {
    rows <- values[values$layer == layer, ]
    if (all(is.na(rows$y))) {
      graphics::abline(v = rows$x, col = "grey60", lty = 2)
    } else if (all(is.na(rows$x))) {
      graphics::abline(h = rows$y, col = "grey60", lty = 2)
    } else if (grepl("band", layer)) {
      graphics::polygon(
        c(rows$x, rev(rows$x)), c(rows$low, rev(rows$high)), col = band_colour, border = NA
      )
    } else if (!all(is.na(rows$low)) && !all(is.na(rows$high))) {
      graphics::segments(rows$low, rows$y, rows$high, rows$y)
      graphics::points(rows$x, rows$y, pch = 19)
    } else if (startsWith(layer, "reading") || nrow(rows) < 3L) {
      graphics::points(rows$x, rows$y, pch = 19, cex = 0.7)
    } else {
      graphics::lines(rows$x, rows$y)
    }
  }
}

# A light grey that what lies behind shows through.
band_colour <- "#88888844"

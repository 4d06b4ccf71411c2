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
      drawn = new.env(),
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
#' @param chart The name of a chart, such as \code{"curve-1"}; the first one unless given. The error for an unknown
#'   name lists them.
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
  charts <- charts_of(x)
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

# The charts of a result: the command draws them once.
charts_of <- function(x) {
  if (is.null(x$drawn$charts)) x$drawn$charts <- x$draw()
  x$drawn$charts
}

# The values of the figures that a command draws into a folder, as data frames.
drawn <- function(line, option, study) {
  folder <- tempfile("promille-figures")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  end <- length(line) - 1:0
  run(c(line[-end], paste0(option, "=", folder), line[end]), placed = function(found) placed(found, study))
  files <- list.files(folder, "[.]csv$", full.names = TRUE)
  texts <- c(chart = "character", layer = "character", x_label = "character", y_label = "character")
  charts <- lapply(files, utils::read.csv, encoding = "UTF-8", colClasses = texts)
  names(charts) <- sub("[.]csv$", "", basename(files))
  charts
}

# Draws a chart: panels side by side, one for each part and pair of axes.
draw_chart <- function(values, ...) {
  key <- paste(values$chart, values$x_label, values$y_label, sep = "\r")
  panels <- split(values, factor(key, unique(key)))
  if (length(panels) > 1L) {
    old <- graphics::par(mfrow = c(1L, min(length(panels), 5L)))
    on.exit(graphics::par(old))
  }
  for (panel in panels) draw_panel(panel, ...)
}

# Draws the layers of a panel in their order.
draw_panel <- function(values, ...) {
  ends <- function(rows) {
    rows <- rows[!is.na(rows$low) & !is.na(rows$high), ]
    is_across <- all(rows$low <= rows$x & rows$x <= rows$high)
    list(rows = rows, is_across = nrow(rows) > 0L && isTRUE(is_across), is_up = nrow(rows) > 0L && !isTRUE(is_across))
  }
  layers <- split(values, factor(values$layer, unique(values$layer)))
  limits <- lapply(layers, ends)
  of <- function(way) unlist(lapply(limits, function(limit) if (limit[[way]]) c(limit$rows$low, limit$rows$high)))
  graphics::plot(
    range(values$x, of("is_across"), finite = TRUE), range(values$y, of("is_up"), finite = TRUE),
    type = "n", xlab = values$x_label[1], ylab = values$y_label[1], main = values$chart[1], ...
  )
  for (layer in names(layers)) {
    rows <- layers[[layer]]
    limit <- limits[[layer]]
    is_points <- grepl("^(reading|limit|drink)", layer) || nrow(rows) < 3L
    if (all(is.na(rows$y)) && !limit$is_up) {
      graphics::abline(v = rows$x, col = "grey60", lty = 2)
    } else if (all(is.na(rows$x))) {
      graphics::abline(h = rows$y, col = "grey60", lty = 2)
    } else {
      if (limit$is_across) {
        graphics::segments(limit$rows$low, limit$rows$y, limit$rows$high, limit$rows$y)
        graphics::points(limit$rows$x, limit$rows$y, pch = 19, cex = 0.7)
        rows <- rows[is.na(rows$low) | is.na(rows$high), ]
      } else if (limit$is_up && is_points) {
        graphics::segments(limit$rows$x, limit$rows$low, limit$rows$x, limit$rows$high)
      } else if (limit$is_up) {
        graphics::polygon(
          c(limit$rows$x, rev(limit$rows$x)), c(limit$rows$low, rev(limit$rows$high)),
          col = band_colour, border = NA
        )
      }
      if (is_points) graphics::points(rows$x, rows$y, pch = 19, cex = 0.7) else graphics::lines(rows$x, rows$y)
    }
  }
}

# A light grey that what lies behind shows through.
band_colour <- "#88888844"

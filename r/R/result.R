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
#' \code{findings}, with severity, code, message, place and remedy. A result of \code{\link{pm_population}} or
#' \code{\link{pm_prior}} can be the \code{prior} of \code{\link{pm_fit}} and \code{\link{pm_forecast}}.
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
  texts <- c(
    chart = "character", layer = "character", shape = "character", x_label = "character", y_label = "character",
    row = "character"
  )
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
  across <- grepl("-across$", values$shape)
  ends <- function(rows) c(rows$low, rows$high)
  named <- !is.na(values$row) & nzchar(values$row) & values$y == round(values$y)
  graphics::plot(
    range(values$x, ends(values[across, ]), finite = TRUE), range(values$y, ends(values[!across, ]), finite = TRUE),
    type = "n", xlab = values$x_label[1], ylab = values$y_label[1], main = values$chart[1],
    yaxt = if (any(named, na.rm = TRUE)) "n" else "s", ...
  )
  if (any(named, na.rm = TRUE)) {
    graphics::axis(2, unique(values$y[which(named)]), unique(values$row[which(named)]), las = 1, cex.axis = 0.8)
  }
  # A curve and its marks may have one name.
  layer <- paste(values$layer, values$shape)
  for (rows in split(values, factor(layer, unique(layer)))) draw_layer(rows, graphics::par("usr"))
}

# Draws marks of one kind; an end without a limit is at the edge of the panel.
draw_layer <- function(rows, edges) {
  shape <- sub("-across$", "", rows$shape[1])
  across <- shape != rows$shape[1]
  edge <- if (across) edges[1:2] else edges[3:4]
  low <- ifelse(is.na(rows$low), edge[1], rows$low)
  high <- ifelse(is.na(rows$high), edge[2], rows$high)
  barred <- !(is.na(rows$low) & is.na(rows$high))
  if (shape == "line") {
    graphics::lines(rows$x, rows$y)
  } else if (shape == "rule") {
    graphics::abline(v = rows$x[!is.na(rows$x)], h = rows$y[!is.na(rows$y)], col = "grey60", lty = 2)
  } else if (shape == "band") {
    graphics::polygon(c(rows$x, rev(rows$x)), c(low, rev(high)), col = band_colour, border = NA)
  } else if (shape == "boxes") {
    # Two rows each: the left side and the right one.
    one <- seq(1, nrow(rows), 2)
    left <- ifelse(is.na(rows$x[one]), edges[1], rows$x[one])
    right <- ifelse(is.na(rows$x[one + 1]), edges[2], rows$x[one + 1])
    graphics::rect(left, low[one], right, high[one], col = band_colour, border = NA)
  } else {
    if (any(barred) && across) graphics::segments(low[barred], rows$y[barred], high[barred], rows$y[barred])
    if (any(barred) && !across) graphics::segments(rows$x[barred], low[barred], rows$x[barred], high[barred])
    if (shape == "points") graphics::points(rows$x, rows$y, pch = 19, cex = 0.7)
  }
}

# A light grey that what lies behind shows through.
band_colour <- "#88888844"

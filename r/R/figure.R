# Draws what the command computed and how it draws it: nothing is computed here.

# The values of the figures that a command draws into a folder, as data frames.
drawn <- function(line, option, study) {
  folder <- tempfile("promille-figures")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  end <- length(line) - 1:0
  run(c(line[-end], paste0(option, "=", folder), line[end]), placed = function(found) placed(found, study))
  files <- list.files(folder, "[.]csv$", full.names = TRUE)
  figures <- lapply(files, values_of)
  names(figures) <- sub("[.]csv$", "", basename(files))
  figures
}

# Reads the values of a figure, which are texts but for these.
values_of <- function(file, ...) {
  values <- utils::read.csv(file, ..., encoding = "UTF-8", colClasses = "character", na.strings = NULL)
  numbers <- c("x", "y", "low", "high", "width")
  values[numbers] <- lapply(values[numbers], as.numeric)
  values
}

# Symbols of the command's figures: those of R, and how large they are.
symbols <- list(
  dot = c(19, 0.9), cross = c(4, 0.9), triangle = c(6, 0.9), drink = c(17, 1.1), point = c(20, 0.6), speck = c(4, 0.4),
  wedge = c(6, 0.5), tick = c(124, 0.6), block = c(15, 0.4), plus = c(3, 0.5), hollow = c(1, 0.4), lozenge = c(5, 0.4)
)
symbol_of <- function(name) if (name %in% names(symbols)) symbols[[name]] else c(NA, 1)

# Draws a figure; of several charts those with the same labels have common axes, and one label for all.
draw_figure <- function(values) {
  key <- paste(values$chart, values$x_label, values$y_label, sep = "\r")
  panels <- split(values, factor(key, unique(key)))
  if (length(panels) == 1L) {
    names <- rows_of(values)
    left <- max(4.1, 1.5 + 0.5 * max(0, nchar(names)))
    entries <- legend_of(values)
    entries <- entries[!entries$label %in% names, ]
    old <- graphics::par(mar = c(4.1, left, 1.1 + ceiling(nrow(entries) / 2), 1.1), mgp = c(2.6, 0.7, 0))
    on.exit(graphics::par(old))
    draw_chart(values)
    graphics::title(values$chart[1], xlab = values$x_label[1], ylab = values$y_label[1])
    # Above the area of the curves.
    draw_legend(entries, "bottomleft", 2L, inset = c(0, 1), xpd = NA)
    return(invisible())
  }
  labels <- unique(values[c("x_label", "y_label")])
  is_common <- nrow(labels) == 1L
  is_small <- is_common && length(panels) > 5L
  columns <- min(length(panels), if (is_small) 6L else 3L)
  entries <- legend_of(values)
  top <- 1.2 * ceiling(nrow(entries) / 4) + 0.5
  old <- graphics::par(no.readonly = TRUE)
  on.exit(graphics::par(old))
  graphics::par(
    mfrow = c(ceiling(length(panels) / columns), columns), oma = if (is_common) c(2, 2, top, 0) else c(0, 0, top, 0),
    mar = if (is_small) c(1.6, 2, 1.6, 0.6) else c(4.1, 4.1, 1.6, 0.6), mgp = if (is_small) c(2, 0.4, 0) else c(2.6, 0.7, 0),
    tcl = if (is_small) -0.2 else -0.4
  )
  for (panel in panels) {
    draw_chart(panel, is_small)
    graphics::title(panel$chart[1], adj = 0, line = 0.4)
    if (!is_common) graphics::title(xlab = panel$x_label[1], ylab = panel$y_label[1])
  }
  if (is_common) {
    graphics::mtext(labels$x_label, 1, outer = TRUE, line = 0.6, cex = 0.8)
    graphics::mtext(labels$y_label, 2, outer = TRUE, line = 0.6, cex = 0.8)
  }
  graphics::par(fig = c(0, 1, 0, 1), oma = c(0, 0, 0, 0), mar = c(0, 0, 0, 0), new = TRUE)
  graphics::plot.new()
  draw_legend(entries, "topleft", 4L)
}

# The names of rows by their places: all of an axis, or what is below zero.
rows_of <- function(values) {
  is_row <- !is.na(values$y) & nzchar(values$row) & (values$y < 0 | values$y == round(values$y))
  rows <- values[is_row & !duplicated(values$y), ]
  stats::setNames(rows$row, rows$y)
}

# Draws a chart between the ends of the command's axes, layer by layer.
draw_chart <- function(values, is_small = FALSE) {
  corners <- values[values$shape == "frame", ]
  graphics::plot(
    NULL, xlim = corners$x, ylim = corners$y, xaxs = "i", yaxs = "i", axes = FALSE, ann = FALSE,
    log = if (corners$x_scale[1] == "log") "x" else ""
  )
  names <- rows_of(values)
  places <- as.numeric(names(names))
  numbers <- graphics::axTicks(2)
  numbers <- if (!length(places)) numbers else if (min(places) < 0) numbers[numbers >= 0] else numeric()
  graphics::abline(v = graphics::axTicks(1), h = c(numbers, if (!is_small) places), col = "grey92")
  graphics::axis(1, col = "grey40")
  if (nzchar(values$y_label[1]) || length(places)) graphics::axis(2, numbers, las = 1, col = "grey40")
  if (length(places) && !is_small) graphics::axis(2, places, names, las = 1, tick = FALSE, cex.axis = 0.85)
  values <- values[values$shape != "frame", ]
  # A curve and its marks may have one name.
  layer <- paste(values$layer, values$shape)
  for (rows in split(values, factor(layer, unique(layer)))) draw_layer(rows, corners)
}

# Draws marks of one kind; an end without a limit is an arrow at the edge.
draw_layer <- function(rows, corners) {
  shape <- sub("-across$", "", rows$shape[1])
  across <- shape != rows$shape[1]
  edge <- if (across) corners$x else corners$y
  colour <- rows$color[1]
  area <- grDevices::adjustcolor(colour, 0.2)
  low <- ifelse(is.na(rows$low), edge[1], pmax(rows$low, edge[1]))
  high <- ifelse(is.na(rows$high), edge[2], pmin(rows$high, edge[2]))
  barred <- !(is.na(rows$low) & is.na(rows$high))
  look <- list(col = colour, lwd = rows$width[1], lty = dashes_of(rows$dashes[1]))
  if (shape == "line") {
    do.call(graphics::lines, c(list(rows$x, rows$y), look))
  } else if (shape == "rule") {
    do.call(graphics::abline, c(list(v = rows$x[!is.na(rows$x)], h = rows$y[!is.na(rows$y)]), look))
  } else if (shape == "band") {
    graphics::polygon(c(rows$x, rev(rows$x)), c(low, rev(high)), col = area, border = NA)
  } else if (shape == "boxes") {
    # Two rows each: the left side and the right one.
    one <- seq(1, nrow(rows), 2)
    left <- ifelse(is.na(rows$x[one]), corners$x[1], rows$x[one])
    right <- ifelse(is.na(rows$x[one + 1]), corners$x[2], rows$x[one + 1])
    graphics::rect(left, low[one], right, high[one], col = area, border = NA)
  } else {
    draw_bars(rows[barred, ], low[barred], high[barred], edge, across, look)
    if (shape == "points") {
      symbol <- symbol_of(rows$symbol[1])
      # Below the axis, so that it hides no curve.
      down <- if (rows$symbol[1] %in% c("drink", "tick")) 0.5 * graphics::par("cxy")[2] else 0
      graphics::points(rows$x, rows$y - down, pch = symbol[1], cex = symbol[2], col = colour, xpd = NA)
    }
  }
}

draw_bars <- function(rows, low, high, edge, across, look) {
  if (!nrow(rows)) return(invisible())
  beside <- if (across) rows$y else rows$x
  ends <- if (across) list(low, beside, high, beside) else list(beside, low, beside, high)
  do.call(graphics::segments, c(ends, look))
  tips <- function(at, is_open, pch) {
    if (!any(is_open)) return(invisible())
    place <- rep(at, sum(is_open))
    x <- if (across) place else beside[is_open]
    y <- if (across) beside[is_open] else place
    graphics::points(x, y, pch = pch, cex = 0.5, col = look$col, xpd = NA)
  }
  tips(edge[1], is.na(rows$low) | rows$low < edge[1], if (across) "<" else 6)
  tips(edge[2], is.na(rows$high) | rows$high > edge[2], if (across) ">" else 2)
}

# Dashes in pixels as R writes them: a hexadecimal digit each.
dashes_of <- function(dashes) {
  if (!nzchar(dashes)) return("solid")
  paste(sprintf("%X", as.integer(strsplit(dashes, " ", fixed = TRUE)[[1]])), collapse = "")
}

# A row for each label, as it looks.
legend_of <- function(values) {
  values <- values[values$shape != "frame", ]
  rows <- values[!duplicated(values$layer), ]
  is_area <- rows$shape %in% c("band", "boxes")
  is_point <- grepl("^points", rows$shape)
  symbols <- vapply(rows$symbol, symbol_of, c(0, 0))
  data.frame(
    label = sub("\n.*", "", rows$layer), color = ifelse(is_area, grDevices::adjustcolor(rows$color, 0.3), rows$color),
    pch = ifelse(is_area, 15, symbols[1, ]), cex = ifelse(is_area, 2, symbols[2, ]),
    lty = ifelse(is_area | is_point, "blank", vapply(rows$dashes, dashes_of, "")),
    lwd = ifelse(is.na(rows$width), 1, rows$width)
  )
}

draw_legend <- function(entries, place, columns, ...) {
  if (!nrow(entries)) return(invisible())
  graphics::legend(
    place, entries$label, col = entries$color, pch = entries$pch, pt.cex = entries$cex, lty = entries$lty,
    lwd = entries$lwd, ncol = min(columns, nrow(entries)), bty = "n", cex = 0.8, ...
  )
}

# Draws one curve with bands, the widest first.
draw_curve <- function(table, x, y, lows, highs, x_label, y_label) {
  known <- lows %in% names(table)
  heights <- unlist(table[c(y, lows[known], highs[known])])
  graphics::plot(
    range(table[[x]]), range(0, heights, finite = TRUE), type = "n", xlab = x_label, ylab = y_label, bty = "l", las = 1
  )
  for (band in which(known)) {
    graphics::polygon(
      c(table[[x]], rev(table[[x]])), c(table[[lows[band]]], rev(table[[highs[band]]])),
      col = grDevices::adjustcolor("#035181", 0.2), border = NA
    )
  }
  graphics::lines(table[[x]], table[[y]], lwd = 2, col = "#035181")
}

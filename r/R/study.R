#' Name a study that lies in a file or folder
#'
#' @param path A folder with \code{subjects.csv}, \code{drinks.csv} and \code{readings.csv}; a spreadsheet; a database;
#'   or a table of events in NONMEM's layout.
#' @param ... Options of the command that say how it is read, for example \code{map = c("Weight" = "weight_kg")}.
#' @return A study, for \code{\link{pm_fit}} and the other verbs.
#' @examples
#' study <- pm_read_study("datasets/made-up-24")
#' @export
pm_read_study <- function(path, ...) {
  if (is.data.frame(path)) {
    stop_with(finding(
      "error", "E_FRAME", "this is a data frame, where the path of a study is wanted",
      "pm_study(subjects, drinks, readings) makes a study of data frames"
    ))
  }
  stopifnot(is.character(path), length(path) == 1L)
  structure(list(path = path.expand(path), frames = NULL, options = list(...)), class = "pm_study")
}

#' Make a study of data frames
#'
#' Columns are those of the files of a study, with units in their names.
#'
#' @param subjects A data frame with \code{subject}, and \code{sex}, \code{age_y}, \code{height_cm}, \code{weight_kg}
#'   as far as they are known. Other columns are covariates.
#' @param drinks A data frame with \code{subject}, \code{time_min}, a dose (\code{ethanol_g}, or
#'   \code{ethanol_g_per_kg}, or \code{volume_ml} and \code{abv_percent}), and as needed \code{occasion} and
#'   \code{duration_min}.
#' @param readings A data frame with \code{subject}, \code{time_min}, one concentration whose name is its unit, such as
#'   \code{bac_g_per_kg} or \code{brac_mg_per_l}, and as needed \code{occasion}, \code{lod} and \code{exclude}. May be
#'   left out for predictions.
#' @param time_zone Where the clocks are if drinks and readings have \code{datetime}, dates with times, instead of
#'   \code{time_min}: \code{"Europe/Berlin"}.
#' @param unit The unit of the readings if their column is called \code{value} or \code{concentration}:
#'   \code{"mg/100 ml"} of blood, \code{"serum g/L"}, \code{"breath mg/L"}, or the name of a column.
#' @return A study. Its files are kept until R ends. An error of class \code{promille_error} if something is wrong in a
#'   data frame, with the name of the row and of the column in \code{place}.
#' @examples
#' \dontrun{
#' study <- pm_study(
#'   subjects = data.frame(subject = "a", sex = "male", age_y = 30, height_cm = 180, weight_kg = 80),
#'   drinks = data.frame(subject = "a", time_min = 0, ethanol_g = 40),
#'   readings = data.frame(subject = "a", time_min = c(30, 60, 120), bac_g_per_kg = c(0.5, 0.6, 0.5))
#' )
#' }
#' @export
pm_study <- function(subjects, drinks, readings = NULL, time_zone = NULL, unit = NULL) {
  frames <- list(subjects = subjects, drinks = drinks, readings = readings)
  if (!is.null(unit)) frames$readings <- with_unit(readings, unit)
  frames <- frames[!vapply(frames, is.null, NA)]
  if (is.null(frames$readings)) {
    frames$readings <- data.frame(subject = character(), time_min = numeric(), bac_g_per_kg = numeric())
  }
  path <- tempfile("promille-study")
  dir.create(path)
  for (name in names(frames)) write_frame(frames[[name]], name, file.path(path, paste0(name, ".csv")))
  options <- if (is.null(time_zone)) list() else list(time_zone = time_zone)
  study <- structure(list(path = path, frames = frames, options = options), class = "pm_study")
  found <- run(line_of("check", study, list()), c(0L, 1L, 65L), function(found) placed(found, study))
  errors <- Filter(function(found) found$severity == "error", found$findings)
  if (length(errors)) stop_with(errors[[1]], found$findings)
  study
}

# The readings with the name of their unit, which is that of the column.
with_unit <- function(readings, unit) {
  column <- unit_column(unit)
  values <- names(readings) %in% c("value", "concentration")
  if (sum(values) != 1L || any(names(readings) %in% names(units_known()))) {
    stop_with(finding(
      "error", "E_COLUMN_AMBIGUOUS", "unit is for one column, value or concentration, of the readings",
      "name one column so, or leave out unit", "readings"
    ))
  }
  names(readings)[values] <- column
  readings
}

# The columns of concentrations with what a unit may be called instead.
units_known <- function() {
  fields <- Filter(function(row) !nzchar(row[6]), unit_rows())
  words <- lapply(fields, function(row) {
    paste0(if (row[2] != "blood") paste0(row[2], " "), sub("*", "", strsplit(row[10], "|", fixed = TRUE)[[1]], fixed = TRUE))
  })
  names(words) <- vapply(fields, `[`, "", 1L)
  words
}

# The rows of the command's own table of units.
unit_rows <- function() {
  lines <- readLines(system.file("units.tsv", package = "promille"), encoding = "UTF-8")
  strsplit(grep("^#", lines, invert = TRUE, value = TRUE), "\t", fixed = TRUE)
}

# What an axis says of a column of concentrations.
unit_label <- function(column) {
  row <- Filter(function(row) row[1] == column, unit_rows())
  if (length(row)) paste0(row[[1]][2], " alcohol, ", row[[1]][5]) else column
}

# The column of a unit, which may be written as "mg/100 ml" or "breath mg/L".
unit_column <- function(unit) {
  known <- units_known()
  text <- gsub("[\u00b5\u03bc]", "u", tolower(trimws(unit)))
  if (text %in% names(known)) return(text)
  matrix <- sub("^(blood|serum|plasma|breath) .*$", "\\1", text)
  rest <- gsub(" ", "", sub("^(blood|serum|plasma|breath) ", "", text), fixed = TRUE)
  wanted <- switch(matrix, serum = , plasma = paste("serum", rest), breath = paste("breath", rest), rest)
  found <- names(known)[vapply(known, function(words) wanted %in% words, NA)]
  if (length(found)) return(found[1])
  stop_with(finding(
    "error", "E_COLUMN_MISSING", paste0("there is no unit \"", unit, "\""),
    paste0("choose one of ", paste(names(known), collapse = ", "), ", or write it as \"mg/100 ml\" for blood, \"serum g/L\" or \"breath mg/L\"")
  ))
}

write_frame <- function(frame, name, path) {
  if (!is.data.frame(frame) || !nrow(frame) && name != "readings") {
    stop_with(finding("error", "E_FRAME", paste(name, "is not a data frame with rows")))
  }
  for (column in names(frame)) {
    values <- frame[[column]]
    if (is.factor(values)) values <- as.character(values)
    if (column == "datetime" && inherits(values, "POSIXt")) values <- format(values, "%Y-%m-%d %H:%M:%S")
    if (inherits(values, c("POSIXt", "Date", "difftime")) || !is.atomic(values)) {
      stop_with(finding(
        "error", "E_FRAME", paste0("column ", column, " holds ", class(values)[1]),
        "give numbers or text; times are minutes", name
      ))
    }
    bad <- if (is.numeric(values)) is.nan(values) | is.infinite(values) else grepl("[\r\n]", values)
    if (any(bad)) {
      row <- which(bad)[1]
      stop_with(finding(
        "error", "E_FRAME", paste("there is", if (is.numeric(values)) values[row] else "a line end"),
        "correct the value, or use NA for one that is missing", name, rownames(frame)[row], column
      ))
    }
    frame[[column]] <- if (is.logical(values)) tolower(values) else text(values)
  }
  utils::write.csv(frame, path, row.names = FALSE, na = "", fileEncoding = "UTF-8")
}

# Writes the predictions of models that are data frames into files, which are kept until R ends.
#
# predictions: A list of data frames and paths with the names of the models, or a path.
#
# Returns a list of `files`, the paths with the names of the models, and `frames`, the data frames by path.
models_of <- function(predictions) {
  if (is.character(predictions) && is.null(names(predictions))) {
    return(list(files = path.expand(predictions), frames = list()))
  }
  models <- names(predictions)
  if (is.data.frame(predictions) || is.null(models) || !is.vector(predictions)) {
    stop_with(finding(
      "error", "E_FRAME", "these predictions have no name", "write predictions = list(\"My app\" = frame)"
    ))
  }
  if (any(!nzchar(trimws(models)) | grepl("=", models, fixed = TRUE))) {
    stop_with(finding(
      "error", "E_OPTION", "a model has no name, or = in its name", "write predictions = list(\"My app\" = frame)"
    ))
  }
  frames <- list()
  files <- vapply(seq_along(models), function(number) {
    given <- predictions[[number]]
    if (is.character(given) && length(given) == 1L) return(path.expand(given))
    path <- tempfile("promille-predictions-", fileext = ".csv")
    source <- paste("predictions", models[number])
    write_frame(given, source, path)
    frames[[path]] <<- list(source = source, frame = given)
    path
  }, "")
  list(files = structure(files, names = models), frames = frames)
}

# Writes the predictions among the options into files, and lets the study know which data frames they are.
with_models <- function(study, options) {
  if (!is.null(options$predictions)) {
    models <- models_of(options$predictions)
    options$predictions <- models$files
    study$models <- models$frames
    study$given <- unname(models$files)
  }
  list(study = study, options = options)
}

# Gives a finding about a file the place in the data frame that the file was made of.
placed <- function(found, study) {
  path <- found$place$source %||% ""
  model <- if (path %in% names(study$models)) study$models[[path]]
  # A file of predictions may be called like one of the study.
  if (is.null(model) && path %in% study$given) return(found)
  name <- model$source %||% sub("[.]csv$", "", basename(path))
  frame <- if (is.null(model)) study$frames[[name]] else model$frame
  if (is.null(frame)) return(found)
  if (is.null(model)) path <- file.path(study$path, paste0(name, ".csv"))
  row <- found$place$row
  column <- found$place$column
  place <- list(source = name)
  if (!is.null(row) && row > 1L) place$row <- rownames(frame)[row - 1L]
  # What is missing has no column.
  if (!is.null(row) && !is.null(column) && found$code != "E_COLUMN_MISSING") {
    line <- readLines(path, row, encoding = "UTF-8")[row]
    # A finding about a table of predictions has the number of the field.
    place$column <- names(frame)[if (is.null(model)) field_at(line, column) else column]
  }
  found$place <- place
  found
}

# The number of the field that the command's column, the position of a character, lies in.
field_at <- function(line, position) {
  before <- strsplit(substr(line, 1L, position - 1L), "")[[1]]
  is_quoted <- cumsum(before == "\"") %% 2 == 1
  1L + sum(before == "," & !is_quoted)
}

`%||%` <- function(value, other) if (is.null(value)) other else value

line_of <- function(command, study, options) {
  stopifnot(inherits(study, "pm_study"))
  c(command, flags(c(study$options, options)), "--", study$path)
}

#' @export
print.pm_study <- function(x, ...) {
  where <- if (is.null(x$frames)) {
    x$path
  } else {
    paste(vapply(names(x$frames), function(name) paste(nrow(x$frames[[name]]), name), ""), collapse = ", ")
  }
  cat("<promille study: ", where, ">\n", sep = "")
  invisible(x)
}

// Tables of CSV, read and written as whole numbers, without strtod and printf: for the C programs beside this.
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { most_rows = 1000, longest_row = 256, decimals = 12 };

static void fail(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(1);
}

// A file whose rows begin with a subject's name; where it is being read.
typedef struct {
  const char *at, *end;
} table;

static table opened(const char *folder, const char *file) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  int descriptor = open(path, O_RDONLY);
  struct stat about;
  if (descriptor < 0 || fstat(descriptor, &about) != 0) fail("cannot open a file of the folder");
  const char *start = mmap(NULL, about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (start == MAP_FAILED) fail("cannot read a file of the folder");
  const char *head = memchr(start, '\n', about.st_size);
  if (!head || start[about.st_size - 1] != '\n') fail("a file ends within a line");
  return (table){head + 1, start + about.st_size};
}

static void skip_field(table *t) {
  while (*t->at != ',' && *t->at != '\n') t->at++;
  t->at++;
}

// The name that the next row begins with, which is not ended by a zero; goes behind it.
static const char *read_name(table *t, size_t *length) {
  const char *name = t->at;
  skip_field(t);
  *length = t->at - name - 1;
  if (*length > longest_row / 2) fail("name too long");
  return name;
}

// Reads a number, exactly as strtod does, and goes behind its comma or line.
static double number(table *t) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  int64_t whole = 0;
  int digits = 0, places = 0;
  for (; (unsigned)(*t->at - '0') < 10; t->at++, digits++) whole = 10 * whole + (*t->at - '0');
  if (*t->at == '.') {
    for (t->at++; (unsigned)(*t->at - '0') < 10; t->at++, places++) whole = 10 * whole + (*t->at - '0');
  }
  if ((*t->at != ',' && *t->at != '\n') || digits + places > 15 || places > 9) fail("not a short decimal number");
  t->at++;
  return whole / powers[places];
}

// Whether the next row is this subject's; if so, goes behind its name.
static bool enters_row(table *t, const char *name, size_t length) {
  if (t->at + length >= t->end || memcmp(t->at, name, length) != 0 || t->at[length] != ',') return false;
  t->at += length + 1;
  return true;
}

// A drink or a reading of somebody.
typedef struct {
  // Since the one before, in h.
  double gap;
  // In g per kg of body weight; 0 of a reading.
  double dose;
  // In g/kg; of a reading.
  double value;
  bool is_reading;
} happening;

// Reads what somebody drank and showed, in order of time, zeros after the first left out; how much there is.
static inline int read_happenings(table *drinks, table *readings, const char *name, size_t length, double weight, happening *to) {
  static double starts[most_rows], doses[most_rows], times[most_rows], values[most_rows];
  int drink_count = 0, count = 0;
  for (; enters_row(drinks, name, length); drink_count++) {
    if (drink_count == most_rows) fail("too many drinks");
    starts[drink_count] = number(drinks);
    doses[drink_count] = number(drinks) / weight;
  }
  while (enters_row(readings, name, length)) {
    if (count == most_rows - 1) fail("too many readings");
    times[count] = number(readings);
    values[count] = number(readings);
    if (count == 0 || values[count] != 0 || values[count - 1] != 0) count++;
  }
  if (drink_count == 0 || count < 3) fail("too few rows");
  double last = starts[0];
  for (int i = 0, drink = 0, reading = 0; i < drink_count + count; i++) {
    bool is_drink = drink < drink_count && (reading == count || starts[drink] <= times[reading]);
    double time = is_drink ? starts[drink] : times[reading];
    to[i] = is_drink ? (happening){(time - last) / 60, doses[drink++], 0, false}
                     : (happening){(time - last) / 60, 0, values[reading++], true};
    last = time;
  }
  return drink_count + count;
}

static char *write_digits(char *to, uint64_t value, int least) {
  char digits[24];
  int count = 0;
  for (; value || count < least; value /= 10) digits[count++] = '0' + value % 10;
  while (count) *to++ = digits[--count];
  return to;
}

static char *write_field(char *to, double value) {
  const uint64_t unit = 1000000000000;
  *to++ = ',';
  if (!(value < 1e6)) return to + sprintf(to, "%.17g", value);
  uint64_t scaled = value * unit + 0.5;
  to = write_digits(to, scaled / unit, 1);
  *to++ = '.';
  return write_digits(to, scaled % unit, decimals);
}

#!/usr/bin/env python3
"""Cuts ICU's data in a program to what it needs: trim_icu.py PROGRAM

Foundation's data of all languages and countries are 34 MB of a statically linked program that writes English alone, and
most of a package. They are one object of an archive of the Swift toolchain. Here a smaller package takes their place
inside the program: what is independent of languages (time zones, calendars, characters), and the data of English. The
rest of the place is filled with zeros, which packages compress to nothing. Other locales fall back to the root
locale, as they do for every language that ICU does not know."""

import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

# The locales that are kept, in every folder of the data.
LOCALES = {"root", "en", "en_001", "en_US", "en_US_POSIX", "pool", "res_index", "ucadata"}
SUFFIX = ".res"


def items(data):
    """The items of an ICU data package, by name: user guide of ICU, "ICU Data", and ucmndata.h."""
    start = struct.unpack_from("<H", data)[0]
    count = struct.unpack_from("<I", data, start)[0]
    entries = [struct.unpack_from("<II", data, start + 4 + 8 * number) for number in range(count)]
    ends = [offset for _, offset in entries[1:]] + [len(data) - start]
    for (name, offset), end in zip(entries, ends, strict=True):
        first = start + name
        yield data[first : data.index(b"\0", first)].decode(), data[start + offset : start + end]


def is_locale(name):
    """Whether an item of the top folder is about a language, as `de`, `sr_Latn` or `en_150`."""
    stem = name.removesuffix(SUFFIX)
    return name.endswith(SUFFIX) and len(stem.split("_")[0]) in (2, 3) and stem.split("_")[0].islower()


def is_kept(name):
    package, _, rest = name.partition("/")
    folder, _, item = rest.rpartition("/")
    stem = item.rsplit(".", 1)[0]
    if folder == "" and not is_locale(item):
        # Conversions of old encodings, and the names of characters, are not used.
        return not item.endswith(".cnv") and item != "unames.icu"
    if folder == "brkitr" and not item.endswith(SUFFIX):
        return stem in {"char", "word", "sent", "line"}
    return folder != "translit" and stem in LOCALES


def package(header, kept):
    """An ICU data package of items, which are sorted by name."""
    names, places, content = b"", [], b""
    table = 4 + 8 * len(kept)
    for name, _ in kept:
        places.append(table + len(names))
        names += name.encode() + b"\0"
    start = (table + len(names) + 15) // 16 * 16
    entries = b""
    for (_, item), place in zip(kept, places, strict=True):
        entries += struct.pack("<II", place, start + len(content))
        content += item + bytes(-len(item) % 16)
    toc = struct.pack("<I", len(kept)) + entries + names
    return header + toc + bytes(start - len(toc)) + content


def toolchain_data():
    """The data as the toolchain has them."""
    swift = pathlib.Path(shutil.which("swift")).resolve()
    archive = swift.parents[1] / "lib/swift_static/linux/lib_FoundationICU.a"
    with tempfile.TemporaryDirectory() as folder:
        member = "icu_packaged_data.cpp.o"
        subprocess.run(["ar", "x", archive, member], cwd=folder, check=True)
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", member, "all.dat"], cwd=folder, check=True)
        return pathlib.Path(folder, "all.dat").read_bytes()


def main():
    path = pathlib.Path(sys.argv[1])
    program, data = path.read_bytes(), toolchain_data()
    if program.count(data) != 1:
        sys.exit(f"{path} does not have the toolchain's data of ICU once")
    kept = [(name, item) for name, item in items(data) if is_kept(name)]
    trimmed = package(data[: struct.unpack_from("<H", data)[0]], kept)
    path.write_bytes(program.replace(data, trimmed + bytes(len(data) - len(trimmed))))
    print(f"{path}: {len(trimmed):,} of {len(data):,} bytes of ICU's data are kept")


if __name__ == "__main__":
    main()

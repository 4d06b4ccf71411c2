#!/usr/bin/env python3
"""Writes an object file with the part of ICU's data that the programs need: trim_icu.py OUTPUT.o

Foundation's data of all languages and countries are 34 MB of a program that writes English alone, and most of a
package. They are one symbol of an archive of the Swift toolchain. An object with the same symbol, linked before the
archive, takes its place: it has what is independent of languages (time zones, calendars, characters), and the
data of English. Other locales fall back to the root locale, as they do for every language that ICU does not know."""

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


def main():
    output = pathlib.Path(sys.argv[1]).absolute()
    swift = pathlib.Path(shutil.which("swift")).resolve()
    archive = swift.parents[1] / "lib/swift_static/linux/lib_FoundationICU.a"
    with tempfile.TemporaryDirectory() as folder:
        member = "icu_packaged_data.cpp.o"
        subprocess.run(["ar", "x", archive, member], cwd=folder, check=True)
        table = subprocess.run(["nm", member], cwd=folder, check=True, capture_output=True, text=True).stdout
        [symbol] = [line.split()[2] for line in table.splitlines() if line.endswith("_dat")]
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", member, "all.dat"], cwd=folder, check=True)
        data = pathlib.Path(folder, "all.dat").read_bytes()
        kept = [(name, item) for name, item in items(data) if is_kept(name)]
        trimmed = package(data[: struct.unpack_from("<H", data)[0]], kept)
        pathlib.Path(folder, "kept.dat").write_bytes(trimmed)
        pathlib.Path(folder, "kept.s").write_text(
            f'.section .rodata\n.globl {symbol}\n.balign 16\n.type {symbol}, @object\n{symbol}:\n.incbin "kept.dat"\n'
            f'.size {symbol}, . - {symbol}\n.section .note.GNU-stack,"",@progbits\n')
        subprocess.run(["as", "-o", output, "kept.s"], cwd=folder, check=True)
    print(f"{output.name}: {len(kept)} items of ICU's data, {len(trimmed):,} of {len(data):,} bytes")


if __name__ == "__main__":
    main()

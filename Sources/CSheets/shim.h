#ifndef PROMILLE_CSHEETS_SHIM_H
#define PROMILLE_CSHEETS_SHIM_H

// What a workbook is made of: XML in a zip. Nothing else in the package includes these headers.

#include <expat.h>
#include <zlib.h>

#endif

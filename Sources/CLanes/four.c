#define LANES 4
#include "lanes.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#define OF_WIDTH(name) name##_four
#include "all.h"
#pragma clang attribute pop
#endif

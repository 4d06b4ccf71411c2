#define LANES 2
#include "lanes.h"

#define OF_WIDTH(name) name##_two
#include "all.h"

// SPDX-License-Identifier: MIT
#include "drape/io.h"

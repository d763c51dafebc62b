// SPDX-License-Identifier: MIT
#include "contact/filter.h"

drapeFilter drapeDefaultFilter(void)
{
	return (drapeFilter){.category = 1, .mask = UINT64_MAX};
}

bool drapeFilter_Touches(drapeFilter a, drapeFilter b)
{
	return Filters_Touch(a, b);
}

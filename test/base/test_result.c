// SPDX-License-Identifier: MIT
#include "support.h"

static void EveryResultHasAName(void** state)
{
	(void)state;
	for (int i = 0; i <= drape_errorBlocked; ++i)
		assert_string_not_equal(drapeResult_GetText((drapeResult)i), "unknown result");
	assert_string_equal(drapeResult_GetText((drapeResult)999), "unknown result");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(EveryResultHasAName)};
	return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}

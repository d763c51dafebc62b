// SPDX-License-Identifier: MIT
#include "api.h"

static void RefuseDefinitions(Api* api)
{
	drapeColumnDef good = drapeDefaultColumnDef(), def = {0};
	drapeColumnId column;
	good.name = "dirt";
	BAD_HANDLE(drapeCreateColumn, drapeClothId, cloth, drapeCreateColumn(cloth, &good, &column));
	REFUSED(drapeCreateColumn, column, "there is nowhere to write the handle of the column to",
	        drapeCreateColumn(api->cloth, &good, NULL));
	REFUSED(drapeCreateColumn, def, "the definition of the column is not initialised, expected drapeDefaultColumnDef",
	        drapeCreateColumn(api->cloth, NULL, &column));
	REFUSED(drapeCreateColumn, def, "the definition of the column is not initialised, expected drapeDefaultColumnDef",
	        drapeCreateColumn(api->cloth, &def, &column));
#define CREATE(sentence, ...)                                                                                          \
	do                                                                                                                 \
	{                                                                                                                  \
		def = good;                                                                                                    \
		def.__VA_ARGS__;                                                                                               \
		REFUSED(drapeCreateColumn, def, sentence, drapeCreateColumn(api->cloth, &def, &column));                       \
	} while (0)
	CREATE("name is NULL, expected 1 to 63 bytes that do not begin with \"drape.\"", name = NULL);
	CREATE("name is \"\", expected 1 to 63 bytes that do not begin with \"drape.\"", name = "");
	CREATE("name is \"drape.own\", expected 1 to 63 bytes", name = "drape.own");
	CREATE("name is \"0123456789012345678901234567890123456789012345678901234567890123\", expected 1 to 63 bytes",
	       name = "0123456789012345678901234567890123456789012345678901234567890123");
	CREATE("the cloth has a column \"wetness\" already", name = "wetness");
	CREATE("componentCount is 0, expected 1 to 16", componentCount = 0);
	CREATE("componentCount is 17, expected 1 to 16", componentCount = DRAPE_MAX_COLUMN_COMPONENTS + 1);
	CREATE("inherit is 99, expected one of mean|nearestParent|zero", inherit = (drapeColumnInherit)99);
#undef CREATE
}

static void RefuseMoreColumns(Api* api)
{
	drapeColumnDef def = drapeDefaultColumnDef();
	drapeColumnId columns[17], more;
	char name[2] = "a";
	uint32_t count = 0;
	def.name = name;
	for (; count < 17 && drapeCreateColumn(api->second, &def, &columns[count]) == drape_ok; ++count)
		name[0]++;
	assert_int_equal(count, 16);
	FAILED(drapeCreateColumn, def, drape_errorLimit, "the cloth has 16 columns already, expected fewer",
	       drapeCreateColumn(api->second, &def, &more));
	while (count > 0)
		assert_int_equal(drapeDestroyColumn(columns[--count]), drape_ok);
}

void Rows_Column(Api* api)
{
	CANNOT_FAIL(drapeDefaultColumnDef, ALL, "it returns constants");
	CANNOT_FAIL(drapeColumn_SetUserData, userData, "the library does not read it");
	RefuseDefinitions(api);
	RefuseMoreColumns(api);
	BAD_DESTROY(drapeDestroyColumn, drapeColumnId, column);
	for (uint32_t bad = 0; bad < apiBadCount; ++bad)
	{
		drapeColumnId column;
		Api_BadHandle(api, apiKindColumn, bad, &column);
		ACCEPTED(drapeColumn_IsValid, column, !drapeColumn_IsValid(column));
	}
	BAD_ZERO(drapeColumn_GetCloth, drapeColumnId, column, drapeColumn_GetCloth(column));
	BAD_ZERO(drapeCloth_FindColumn, drapeClothId, cloth, drapeCloth_FindColumn(cloth, "wetness"));
	REFUSED_VALUE(drapeCloth_FindColumn, name, "name is NULL", DRAPE_IS_NULL(drapeCloth_FindColumn(api->cloth, NULL)));
	ACCEPTED(drapeCloth_FindColumn, name, DRAPE_IS_NULL(drapeCloth_FindColumn(api->cloth, "nothing")));
	BAD_ZERO(drapeColumn_GetComponentCount, drapeColumnId, column, drapeColumn_GetComponentCount(column));
	BAD_ZERO(drapeColumn_GetName, drapeColumnId, column, drapeColumn_GetName(column));
	BAD_ZERO(drapeColumn_GetValues, drapeColumnId, column, drapeColumn_GetValues(column));
	BAD_HANDLE(drapeColumn_SetUserData, drapeColumnId, column, drapeColumn_SetUserData(column, NULL));
	BAD_ZERO(drapeColumn_GetUserData, drapeColumnId, column, drapeColumn_GetUserData(column));
}

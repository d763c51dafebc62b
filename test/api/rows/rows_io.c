// SPDX-License-Identifier: MIT
#include "api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "drape/io.h"

// Functions of drape_io have no world: the sentence is in the message. They do not assert.
#define IO_REFUSED(function, parameter, sentence, call)                                                                \
	FAILED_TO(function, parameter, drape_errorArgument, sentence, call)

static const char missing[] = "no such folder/file";

static void RefuseReading(Api* api)
{
	drapeObj obj;
	IO_REFUSED(drapeObj_Read, path, "path is NULL", drapeObj_Read(NULL, &obj, api->message));
	IO_REFUSED(drapeObj_Read, obj, "obj is NULL", drapeObj_Read("test/data/square.obj", NULL, api->message));
	FAILED_TO(drapeObj_Read, path, drape_errorFile,
	          "no such folder/file: cannot open: ", drapeObj_Read(missing, &obj, api->message));
	FAILED_TO(drapeObj_Read, path, drape_errorData, "test/data/index_out_of_range.obj:",
	          drapeObj_Read("test/data/index_out_of_range.obj", &obj, api->message));
	IO_REFUSED(drapeObj_Parse, text, "text is NULL, but size is 4",
	           drapeObj_Parse(NULL, 4, "name", &obj, api->message));
	IO_REFUSED(drapeObj_Parse, name, "name is NULL", drapeObj_Parse("f 1 2 3", 7, NULL, &obj, api->message));
	IO_REFUSED(drapeObj_Parse, obj, "obj is NULL", drapeObj_Parse("f 1 2 3", 7, "name", NULL, api->message));
	FAILED_TO(drapeObj_Parse, text, drape_errorData, "name:1: face names vertex 1, but there are only 0",
	          drapeObj_Parse("f 1 2 3", 7, "name", &obj, api->message));
	FAILED_TO(drapeObj_Parse, size, drape_errorData, "name: file is empty",
	          drapeObj_Parse(NULL, 0, "name", &obj, api->message));
	ACCEPTED(drapeObj_Free, obj, (drapeObj_Free(NULL), true));
}

static void RefuseWritingObj(Api* api)
{
	drapeMesh mesh = api->mesh;
	drapeObjPart parts[2] = {{0, 16, NULL, NULL, NULL}, {17, 15, NULL, NULL, NULL}};
	drapeObjWriteDef def = {.mesh = &mesh};
	IO_REFUSED(drapeObj_Write, path, "path is NULL", drapeObj_Write(NULL, &def, api->message));
	IO_REFUSED(drapeObj_Write, def, "def is NULL", drapeObj_Write(missing, NULL, api->message));
	def.mesh = NULL;
	IO_REFUSED(drapeObj_Write, def, "mesh is NULL", drapeObj_Write(missing, &def, api->message));
	def.mesh = &mesh;
	FAILED_TO(drapeObj_Write, path, drape_errorFile,
	          "no such folder/file: cannot write: ", drapeObj_Write(missing, &def, api->message));
	mesh.positions = NULL;
	IO_REFUSED(drapeObj_Write, def, "mesh.positions is NULL, but vertexCount is 25",
	           drapeObj_Write(missing, &def, api->message));
	mesh = api->mesh;
	mesh.triangles = NULL;
	IO_REFUSED(drapeObj_Write, def, "mesh.triangles is NULL, but triangleCount is 32",
	           drapeObj_Write(missing, &def, api->message));
	mesh = api->mesh;
	def.partCount = 2;
	def.parts = parts;
	IO_REFUSED(drapeObj_Write, def, "no such folder/file: part 2 does not follow the part before it",
	           drapeObj_Write(missing, &def, api->message));
	parts[1].firstTriangle = 16;
	IO_REFUSED(drapeObj_Write, def, "no such folder/file: parts cover 31 of 32 triangles",
	           drapeObj_Write(missing, &def, api->message));
	parts[1].triangleCount = 16;
	parts[1].group = "two\nlines";
	FAILED_TO(drapeObj_Write, def, drape_errorData, "no such folder/file: part 2 has a name that OBJ cannot hold",
	          drapeObj_Write(missing, &def, api->message));
}

static void RefuseClothMeshes(Api* api)
{
	const drapeClothView view = drapeCloth_GetView(api->cloth);
	drapeClothView wrong = view;
	const drapeObj pattern = {.mesh = api->mesh};
	drapeClothMesh mesh;
	IO_REFUSED(drapeClothMesh_Create, mesh, "mesh is NULL", drapeClothMesh_Create(NULL, &view, &pattern, api->message));
	IO_REFUSED(drapeClothMesh_Create, view, "view is NULL", drapeClothMesh_Create(&mesh, NULL, &pattern, api->message));
	IO_REFUSED(drapeClothMesh_Create, pattern, "pattern is NULL",
	           drapeClothMesh_Create(&mesh, &view, NULL, api->message));
	wrong.normals = NULL;
	IO_REFUSED(drapeClothMesh_Create, view, "view.normals is NULL",
	           drapeClothMesh_Create(&mesh, &wrong, &pattern, api->message));
	IO_REFUSED(drapeClothMesh_Weld, mesh, "mesh is NULL", drapeClothMesh_Weld(NULL, api->message));
	ACCEPTED(drapeClothMesh_Free, mesh, (drapeClothMesh_Free(NULL), true));
	assert_int_equal(drapeClothMesh_Create(&mesh, &view, &pattern, NULL), drape_ok);
	IO_REFUSED(drapeClothMesh_WriteObj, mesh, "mesh is NULL",
	           drapeClothMesh_WriteObj(NULL, NULL, NULL, missing, api->message));
	IO_REFUSED(drapeClothMesh_WriteObj, path, "path is NULL",
	           drapeClothMesh_WriteObj(&mesh, NULL, NULL, NULL, api->message));
	FAILED_TO(drapeClothMesh_WriteObj, materialLibrary, drape_errorData,
	          "no such folder/file: material library has a name that OBJ cannot hold",
	          drapeClothMesh_WriteObj(&mesh, "two\nlines", NULL, missing, api->message));
	FAILED_TO(drapeClothMesh_WriteObj, comment, drape_errorFile, "no such folder/file: cannot write: ",
	          drapeClothMesh_WriteObj(&mesh, NULL, "any text is good", missing, api->message));
	drapeClothMesh_Free(&mesh);
}

static void RefuseWritingPly(Api* api)
{
	const drapePlyWriteDef good = {.positions = api->mesh.positions,
	                               .vertexCount = api->mesh.vertexCount,
	                               .triangles = api->mesh.triangles,
	                               .triangleCount = api->mesh.triangleCount};
	const drapeVec3 notFinite = {NAN, 0.0f, 0.0f};
	drapePlyWriteDef def = good;
	IO_REFUSED(drapePly_Write, path, "path is NULL", drapePly_Write(NULL, &def, api->message));
	IO_REFUSED(drapePly_Write, def, "def is NULL", drapePly_Write(missing, NULL, api->message));
	def.positions = NULL;
	IO_REFUSED(drapePly_Write, def, "positions is NULL, but vertexCount is 25",
	           drapePly_Write(missing, &def, api->message));
	def = good;
	def.triangles = NULL;
	IO_REFUSED(drapePly_Write, def, "triangles is NULL, but triangleCount is 32",
	           drapePly_Write(missing, &def, api->message));
	def = good;
	def.comment = "two\nlines";
	IO_REFUSED(drapePly_Write, def, "no such folder/file: the comment has more than one line",
	           drapePly_Write(missing, &def, api->message));
	def = good;
	def.vertexCount = 3;
	FAILED_TO(drapePly_Write, def, drape_errorData, "no such folder/file: triangle 1 names vertex",
	          drapePly_Write(missing, &def, api->message));
	def = (drapePlyWriteDef){.positions = &notFinite, .vertexCount = 1};
	FAILED_TO(drapePly_Write, def, drape_errorData, "no such folder/file: a vertex is not finite",
	          drapePly_Write(missing, &def, api->message));
	FAILED_TO(drapePly_Write, path, drape_errorFile,
	          "no such folder/file: cannot write: ", drapePly_Write(missing, &good, api->message));
}

static void RefuseOtherFiles(Api* api)
{
	const drapePc2Sample good = {.points = api->mesh.positions, .pointCount = api->mesh.vertexCount};
	drapePc2Sample sample = good;
	IO_REFUSED(drapePc2_Append, path, "path is NULL", drapePc2_Append(NULL, &sample, api->message));
	IO_REFUSED(drapePc2_Append, sample, "sample is NULL", drapePc2_Append(missing, NULL, api->message));
	sample.points = NULL;
	IO_REFUSED(drapePc2_Append, sample, "points is NULL", drapePc2_Append(missing, &sample, api->message));
	sample = good;
	sample.pointCount = 0;
	IO_REFUSED(drapePc2_Append, sample, "pointCount is 0, expected at least 1",
	           drapePc2_Append(missing, &sample, api->message));
	sample = good;
	sample.firstFrame = NAN;
	IO_REFUSED(drapePc2_Append, sample, "firstFrame is nan, expected a finite number",
	           drapePc2_Append(missing, &sample, api->message));
	sample = good;
	sample.index = 1;
	FAILED_TO(drapePc2_Append, path, drape_errorFile,
	          "no such folder/file: cannot write: ", drapePc2_Append(missing, &sample, api->message));
	IO_REFUSED(drapeFile_Write, path, "path is NULL", drapeFile_Write(NULL, "", 0, api->message));
	IO_REFUSED(drapeFile_Write, data, "data is NULL, but size is 4", drapeFile_Write(missing, NULL, 4, api->message));
	FAILED_TO(drapeFile_Write, size, drape_errorFile,
	          "no such folder/file: cannot write: ", drapeFile_Write(missing, NULL, 0, api->message));
}

static void RefuseReadingPc2(Api* api)
{
	drapePc2Info info;
	drapeVec3 point;
	IO_REFUSED(drapePc2_GetInfo, path, "path is NULL", drapePc2_GetInfo(NULL, &info, api->message));
	IO_REFUSED(drapePc2_GetInfo, info, "info is NULL", drapePc2_GetInfo(missing, NULL, api->message));
	FAILED_TO(drapePc2_GetInfo, path, drape_errorFile,
	          "no such folder/file: cannot open: ", drapePc2_GetInfo(missing, &info, api->message));
	FAILED_TO(drapePc2_GetInfo, path, drape_errorData,
	          "test/data/square.obj: ", drapePc2_GetInfo("test/data/square.obj", &info, api->message));
	IO_REFUSED(drapePc2_Read, path, "path is NULL", drapePc2_Read(NULL, 0, &point, 1, api->message));
	IO_REFUSED(drapePc2_Read, points, "points is NULL, but pointCount is 1",
	           drapePc2_Read(missing, 0, NULL, 1, api->message));
	const drapePc2Sample sample = {.points = api->mesh.positions, .pointCount = 3};
	char path[] = "test_api_XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(drapePc2_Append(path, &sample, NULL), drape_ok);
	char sentence[96];
	snprintf(sentence, sizeof sentence, "%s: sample 1 of 3 points was asked for, but there are 1 of 3", path);
	drapeVec3 points[3];
	IO_REFUSED(drapePc2_Read, index, sentence, drapePc2_Read(path, 1, points, 3, api->message));
	snprintf(sentence, sizeof sentence, "%s: sample 0 of 2 points was asked for, but there are 1 of 3", path);
	IO_REFUSED(drapePc2_Read, pointCount, sentence, drapePc2_Read(path, 0, points, 2, api->message));
	unlink(path);
}

static void RefuseFrameNames(Api* api)
{
	drapeFrameRange range;
	char path[16];
	uint32_t frame = 7;
	ACCEPTED(drapeFrameName_IsSequence, pattern, !drapeFrameName_IsSequence(NULL));
	ACCEPTED(drapeFrameName_IsValid, pattern, !drapeFrameName_IsValid(NULL));
	ACCEPTED(drapeFrameName_Format, pattern, drapeFrameName_Format(NULL, 1, path, sizeof path) == 0 && path[0] == '\0');
	ACCEPTED(drapeFrameName_Format, path, drapeFrameName_Format("$F", 1, NULL, 4) == 0);
	ACCEPTED(drapeFrameName_Format, capacity, drapeFrameName_Format("$F", 12, NULL, 0) == 2);
	ACCEPTED(drapeFrameName_Format, frame, drapeFrameName_Format("$F", UINT32_MAX, path, sizeof path) == 10);
	ACCEPTED(drapeFrameName_Parse, pattern, !drapeFrameName_Parse(NULL, "1", &frame) && frame == 7);
	ACCEPTED(drapeFrameName_Parse, path, !drapeFrameName_Parse("$F", NULL, &frame) && frame == 7);
	ACCEPTED(drapeFrameName_Parse, frame, !drapeFrameName_Parse("$F", "1", NULL));
	IO_REFUSED(drapeFrameName_FindRange, pattern, "pattern is NULL",
	           drapeFrameName_FindRange(NULL, 0, &range, api->message));
	IO_REFUSED(drapeFrameName_FindRange, pattern,
	           "body.obj: the name of the file has no variable, expected one such as",
	           drapeFrameName_FindRange("body.obj", 0, &range, api->message));
	FAILED_TO(drapeFrameName_FindRange, pattern, drape_errorFile, "no such folder/$F.obj: its folder cannot be read",
	          drapeFrameName_FindRange("no such folder/$F.obj", 0, &range, api->message));
	IO_REFUSED(drapeFrameName_FindRange, range, "range is NULL",
	           drapeFrameName_FindRange("$F.obj", 0, NULL, api->message));
	ACCEPTED(drapeFrameName_FindRange, from,
	         drapeFrameName_FindRange("test/data/$F.obj", UINT32_MAX, &range, NULL) == drape_ok && range.count == 0);
}

void Rows_Io(Api* api)
{
	RefuseReadingPc2(api);
	RefuseFrameNames(api);
	RefuseReading(api);
	RefuseWritingObj(api);
	RefuseClothMeshes(api);
	RefuseWritingPly(api);
	RefuseOtherFiles(api);
}

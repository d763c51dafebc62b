// SPDX-License-Identifier: MIT
#include "support.h"

#include "drape/scene.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- running the program ---

typedef struct Run
{
	int code; // exit code, or -1 when a signal ended it
	char out[65536], err[65536];
} Run;

static Run run;

static const char* Scratch(const char* name)
{
	static char path[16][640];
	static unsigned turn;
	char* slot = path[turn++ % 16];
	const char* build = getenv("DRAPE_BUILD");
	snprintf(slot, sizeof path[0], "%s/test_cli.%ld.%s", build ? build : "/tmp", (long)getpid(), name);
	return slot;
}

static void Slurp(const char* path, char* text, size_t capacity)
{
	FILE* file = fopen(path, "rb");
	assert_non_null(file);
	text[fread(text, 1, capacity - 1, file)] = 0;
	fclose(file);
	unlink(path);
}

extern char** environ;

// Arguments up to NULL; standard output to `outPath` when it is not NULL.
static void RunTo(const char* outPath, char* const* arguments)
{
	const char* program = getenv("DRAPE_PROGRAM");
	if (!program)
		fail_msg("DRAPE_PROGRAM is not set; run the tests with ctest");
	const char *out = Scratch("out"), *err = Scratch("err");
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	int flags = O_WRONLY | O_CREAT | O_TRUNC;
	posix_spawn_file_actions_addopen(&actions, 1, outPath ? outPath : out, outPath ? O_WRONLY : flags, 0600);
	posix_spawn_file_actions_addopen(&actions, 2, err, flags, 0600);
	pid_t pid;
	int status;
	assert_int_equal(posix_spawn(&pid, program, &actions, NULL, arguments, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	run.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	run.out[0] = 0;
	if (!outPath)
		Slurp(out, run.out, sizeof run.out);
	Slurp(err, run.err, sizeof run.err);
}

#define RUN(...) RunTo(NULL, (char* const[]){(char*)"drape", __VA_ARGS__, NULL})

static void ExpectHas(const char* text, const char* part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not have '%s'", text, part);
}

static void MakeFile(const char* path, const char* bytes, size_t size)
{
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

// --- a judge of JSON, after RFC 8259 ---

static const char* SkipBlanks(const char* s)
{
	return s + strspn(s, " \t\r\n");
}

static const char* JsonString(const char* s)
{
	if (*s != '"')
		return NULL;
	for (++s; *s != '"'; ++s)
	{
		if ((unsigned char)*s < 32)
			return NULL;
		if (*s == '\\' && !*++s)
			return NULL;
	}
	return s + 1;
}

static const char* JsonNumber(const char* s)
{
	const char* first = s += *s == '-';
	s += strspn(s, "0123456789");
	if (s == first || (*first == '0' && s - first > 1))
		return NULL;
	if (*s == '.')
	{
		size_t digits = strspn(s + 1, "0123456789");
		if (digits == 0)
			return NULL;
		s += 1 + digits;
	}
	if (*s == 'e' || *s == 'E')
	{
		s += 1 + (s[1] == '+' || s[1] == '-');
		size_t digits = strspn(s, "0123456789");
		if (digits == 0)
			return NULL;
		s += digits;
	}
	return s;
}

static const char* JsonValue(const char* s);

static const char* JsonMembers(const char* s, char close, bool named)
{
	s = SkipBlanks(s + 1);
	if (*s == close)
		return s + 1;
	for (;; ++s)
	{
		s = SkipBlanks(s);
		if (named)
		{
			s = JsonString(s);
			if (!s || *(s = SkipBlanks(s)) != ':')
				return NULL;
			++s;
		}
		s = JsonValue(s);
		if (!s)
			return NULL;
		s = SkipBlanks(s);
		if (*s == close)
			return s + 1;
		if (*s != ',')
			return NULL;
	}
}

static const char* JsonValue(const char* s)
{
	s = SkipBlanks(s);
	if (*s == '{')
		return JsonMembers(s, '}', true);
	if (*s == '[')
		return JsonMembers(s, ']', false);
	if (*s == '"')
		return JsonString(s);
	static const char* const words[] = {"true", "false", "null"};
	for (int i = 0; i < 3; ++i)
		if (strncmp(s, words[i], strlen(words[i])) == 0)
			return s + strlen(words[i]);
	return JsonNumber(s);
}

// One object and nothing else.
static void ExpectJsonObject(const char* text)
{
	const char* s = SkipBlanks(text);
	if (*s != '{' || (s = JsonValue(s)) == NULL || *SkipBlanks(s) != 0)
		fail_msg("not one JSON object: %s", text);
}

// --- the frame ---

static void NoArgumentsSayWhatItIsAndThreeLinesToTry(void** state)
{
	(void)state;
	RunTo(NULL, (char* const[]){(char*)"drape", NULL});
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "cloth");
	int lines = 0;
	for (const char* s = run.out; (s = strstr(s, "\n  drape ")) != NULL; ++s)
		++lines;
	assert_int_equal(lines, 3);
	assert_string_equal(run.err, "");
}

static void HelpListsCommandsAndExitCodes(void** state)
{
	(void)state;
	RUN((char*)"--help");
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "check");
	ExpectHas(run.out, "3 bad input");
	RUN((char*)"check", (char*)"--help");
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "usage: drape check FILE");
	ExpectHas(run.out, "--metres-per-unit X");
}

static void VersionIsOneLine(void** state)
{
	(void)state;
	RUN((char*)"--version");
	assert_int_equal(run.code, 0);
	char expected[64];
	snprintf(expected, sizeof expected, "drape %d.%d.%d\n", DRAPE_VERSION_MAJOR, DRAPE_VERSION_MINOR,
	         DRAPE_VERSION_PATCH);
	assert_string_equal(run.out, expected);
}

static void BadUsageIsCodeTwoWithASuggestion(void** state)
{
	(void)state;
	const struct
	{
		char* arguments[6];
		const char* message;
	} cases[] = {
		{{"drape", "chekc"}, "unknown command 'chekc'; did you mean 'check'?"},
		{{"drape", "xyzzy"}, "unknown command 'xyzzy'; 'drape --help' lists all"},
		{{"drape", "--frob"}, "unknown option '--frob'"},
		{{"drape", "check"}, "an argument is missing"},
		{{"drape", "check", "a.obj", "b.obj"}, "'b.obj' is one argument too many"},
		{{"drape", "check", "a.obj", "--jsn"}, "unknown option --jsn; did you mean --json?"},
		{{"drape", "check", "a.obj", "--json=1"}, "unknown option --json=1"},
		{{"drape", "check", "a.obj", "--rest"}, "--rest needs a value: --rest shape|uv"},
		{{"drape", "check", "a.obj", "--rest", "flat"}, "--rest cannot be 'flat'; expected shape|uv"},
		{{"drape", "check", "a.obj", "--metres-per-unit=0"}, "expected a number greater than 0"},
		{{"drape", "check", "a.obj", "--metres-per-unit=1x"}, "expected a number greater than 0"},
		{{"drape", "check", "a.obj", "--metres-per-unit=nan"}, "expected a number greater than 0"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
	{
		RunTo(NULL, cases[i].arguments);
		assert_int_equal(run.code, 2);
		ExpectHas(run.err, cases[i].message);
		assert_string_equal(run.out, "");
	}
}

static void AFullStandardOutputIsFailedWork(void** state)
{
	(void)state;
	if (access("/dev/full", W_OK) != 0)
	{
		print_message("skipped: there is no /dev/full\n");
		skip();
	}
	RunTo("/dev/full", (char* const[]){(char*)"drape", (char*)"--help", NULL});
	assert_int_equal(run.code, 1);
	ExpectHas(run.err, "cannot write to standard output");
}

// --- check: input that cannot be read ---

static void ExpectBadInput(const char* path, const char* message)
{
	RUN((char*)"check", (char*)path);
	assert_int_equal(run.code, 3);
	ExpectHas(run.err, message);
	ExpectHas(run.err, path);
	assert_string_equal(run.out, "");
	RUN((char*)"check", (char*)path, (char*)"--json");
	assert_int_equal(run.code, 3);
	ExpectJsonObject(run.out);
	ExpectHas(run.out, "\"usable\": false");
	ExpectHas(run.err, message);
}

static void UnreadableInputIsCodeThreeAndNamesTheFile(void** state)
{
	(void)state;
	ExpectBadInput("test/data/absent.obj", "No such file or directory");
	ExpectBadInput("test/data", "Is a directory");
	const char* empty = Scratch("empty.obj");
	MakeFile(empty, "", 0);
	ExpectBadInput(empty, "file is empty");
	unlink(empty);
	const char* binary = Scratch("binary.obj");
	MakeFile(binary,
	         "\x7F"
	         "ELF\0\1\2\3\n\0\0",
	         11);
	ExpectBadInput(binary, "not an OBJ file (binary data)");
	unlink(binary);
	ExpectBadInput("test/data/index_out_of_range.obj",
	               "test/data/index_out_of_range.obj:5: face names vertex 4, but there are only 3");
}

static void AFileWithoutPermissionIsCodeThree(void** state)
{
	(void)state;
	if (geteuid() == 0)
	{
		print_message("skipped: root may read everything\n");
		skip();
	}
	const char* path = Scratch("secret.obj");
	MakeFile(path, "v 0 0 0\n", 8);
	chmod(path, 0);
	ExpectBadInput(path, "Permission denied");
	unlink(path);
}

// --- check: meshes ---

static void AGoodMeshIsDescribed(void** state)
{
	(void)state;
	RUN((char*)"check", (char*)"test/data/square.obj");
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "vertices           4\n");
	ExpectHas(run.out, "triangles          2\n");
	ExpectHas(run.out, "boundary loops     1\n");
	ExpectHas(run.out, "components         1\n");
	ExpectHas(run.out, "Euler number       1\n");
	ExpectHas(run.out, "bounding box       0 0 0 to 1 1 0 m\n");
	ExpectHas(run.out, "worst angle        45.00 degrees");
	ExpectHas(run.out, "seams              0\n");
	ExpectHas(run.out, "texture islands    1\n");
	ExpectHas(run.out, "metres per unit    1 to 1, median 1\n");
	ExpectHas(run.out, "This mesh can be cloth.");
	assert_string_equal(run.err, "");
}

static void JsonIsOneObjectAndNothingElse(void** state)
{
	(void)state;
	RUN((char*)"check", (char*)"--json", (char*)"test/data/square.obj");
	assert_int_equal(run.code, 0);
	ExpectJsonObject(run.out);
	ExpectHas(run.out, "\"usable\": true");
	ExpectHas(run.out, "\"vertices\": 4");
	ExpectHas(run.out, "\"euler\": 1");
	assert_string_equal(run.err, "");
	RUN((char*)"check", (char*)"--json", (char*)"test/data/flipped.obj");
	assert_int_equal(run.code, 3);
	ExpectJsonObject(run.out);
	ExpectHas(run.out, "\"repeated-corner\": 1");
	ExpectHas(run.out, "\"line\": 9");
}

static void AFileNameThatIsNotUtf8StillGivesJson(void** state)
{
	(void)state;
	const char* path = Scratch("\xFF.obj");
	MakeFile(path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32);
	RUN((char*)"check", (char*)"--json", (char*)path);
	unlink(path);
	assert_int_equal(run.code, 0);
	ExpectJsonObject(run.out);
}

static void ProblemsNameFileAndLineAndWhatRepairMends(void** state)
{
	(void)state;
	RUN((char*)"check", (char*)"test/data/flipped.obj");
	assert_int_equal(run.code, 3);
	ExpectHas(run.out, "test/data/flipped.obj:9: ");
	ExpectHas(run.out, "(--repair repairs it)");
	ExpectHas(run.out, "--repair OUT.obj repairs it");
}

static void RepairWritesAMeshThatCanBeUsed(void** state)
{
	(void)state;
	const char* mended = Scratch("mended.obj");
	RUN((char*)"check", (char*)"test/data/flipped.obj", (char*)"--repair", (char*)mended);
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "repaired");
	RUN((char*)"check", (char*)mended);
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "vertices           4\n");
	ExpectHas(run.out, "triangles          2\n");
	unlink(mended);
}

static void RepairKeepsPartsAndMaterials(void** state)
{
	(void)state;
	const char* mended = Scratch("parts.obj");
	RUN((char*)"check", (char*)"test/data/shirt.obj", (char*)"--repair", (char*)mended);
	assert_int_equal(run.code, 0);
	static char text[65536];
	Slurp(mended, text, sizeof text);
	ExpectHas(text, "mtllib shirt.mtl\n");
	ExpectHas(text, "o shirt\n");
	ExpectHas(text, "g front left\nusemtl cotton\nf ");
	ExpectHas(text, "g front right\nusemtl silk\nf ");
}

static void AMeshBeyondRepairIsNotWritten(void** state)
{
	(void)state;
	const char* mended = Scratch("never.obj");
	RUN((char*)"check", (char*)"test/data/three_on_an_edge.obj", (char*)"--repair", (char*)mended);
	assert_int_equal(run.code, 3);
	ExpectHas(run.err, "not written");
	assert_int_not_equal(access(mended, F_OK), 0);
	RUN((char*)"check", (char*)"test/data/three_on_an_edge.obj");
	assert_int_equal(run.code, 3);
	ExpectHas(run.out, "has no safe repair");
}

static void ARepairThatCannotBeWrittenIsFailedWork(void** state)
{
	(void)state;
	RUN((char*)"check", (char*)"test/data/square.obj", (char*)"--repair", (char*)"test/absent/out.obj");
	assert_int_equal(run.code, 1);
	ExpectHas(run.err, "test/absent/out.obj: cannot write: No such file or directory");
}

static void RestFromTextureNeedsTexture(void** state)
{
	(void)state;
	RUN((char*)"check", (char*)"--rest", (char*)"uv", (char*)"test/data/square.obj");
	assert_int_equal(run.code, 0);
	RUN((char*)"check", (char*)"--rest=uv", (char*)"test/data/concave.obj");
	assert_int_equal(run.code, 3);
	ExpectHas(run.out, "test/data/concave.obj:14: ");
}

// --- presets ---

static void PresetsAreATableWithUnitsAndSources(void** state)
{
	(void)state;
	RUN((char*)"presets");
	assert_int_equal(run.code, 0);
	assert_string_equal(run.err, "");
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
	{
		char line[64];
		snprintf(line, sizeof line, "\n%s ", drapeMaterial_GetPresetName(i));
		ExpectHas(run.out, line);
		ExpectHas(run.out, drapeMaterial_GetPresetSource(i));
		ExpectHas(run.out, drapeMaterial_GetPresetHelp(i));
	}
	const char* const words[] = {"kg/m^2", "N/m",  "uN m",  "density", "stretch", "warp",
	                             "weft",   "bias", "shear", "poisson", "bend",    "curves"};
	for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
		ExpectHas(run.out, words[i]);
	// One line of it, to the digit.
	ExpectHas(run.out,
	          "\n11oz-black-denim     0.324    410.5     2027   53.39    0.010    24.2      16    18.3  yes     "
	          "jeans, 99% cotton 1% spandex\n");
}

// --- check: scenes ---

static void CheckScene(const char* world, const char* contact, double height, bool json)
{
	char text[1024];
	snprintf(text, sizeof text,
	         "{\"world\": {%s},\n"
	         "\"colliders\": [{\"shape\": \"plane\", \"position\": [0, -1, 0]},\n"
	         "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.2}],\n"
	         "\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 8, \"rows\": 8}, \"contact\": \"%s\"},\n"
	         "{\"name\": \"upper\", \"grid\": {}, \"contact\": \"%s\", \"position\": [0, %g, 0], \"axis\": [1, 0, 0], "
	         "\"angle\": 5}]}\n",
	         world, contact, contact, height);
	const char* path = Scratch("scene.json");
	MakeFile(path, text, strlen(text));
	if (json)
		RUN((char*)"check", (char*)path, (char*)"--json");
	else
		RUN((char*)"check", (char*)path);
	unlink(path);
}

static void ASceneThatStartsCrossedIsBadInputWithThePlaces(void** state)
{
	(void)state;
	CheckScene("", "all", 0.01, false);
	assert_int_equal(run.code, 3);
	ExpectHas(run.out, "cloths             2\n");
	ExpectHas(run.out, "colliders          2\n");
	ExpectHas(run.out, "scene.json:4:12: cloth \"sheet\" crosses cloth \"upper\" at the start, with ");
	ExpectHas(run.out, "scene.json:4:12: cloth \"sheet\" crosses collider \"ball\" at the start, with ");
	ExpectHas(run.out, " triangles, the first at [");
	ExpectHas(run.out, "scene.json:5:1: cloth \"upper\" crosses collider \"ball\" at the start, with ");
	ExpectHas(run.out, "\"untangle\": true in \"world\" takes it apart");
	CheckScene("", "all", 0.01, true);
	assert_int_equal(run.code, 3);
	ExpectJsonObject(run.out);
	ExpectHas(run.out, "\"usable\": false");
	ExpectHas(run.out, "\"otherCloth\": \"upper\"");
	ExpectHas(run.out, "\"collider\": \"ball\"");
	ExpectHas(run.out, "\"places\": [");
}

static void ASceneThatIsTakenApartOrPassesThroughCanBeRun(void** state)
{
	(void)state;
	CheckScene("\"untangle\": true", "all", 0.01, false);
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "crossings          0\n");
	ExpectHas(run.out, " crossings, 0 left, moved by up to ");
	ExpectHas(run.out, "This scene can be run.");
	CheckScene("\"untangle\": true", "all", 0.01, true);
	assert_int_equal(run.code, 0);
	ExpectJsonObject(run.out);
	ExpectHas(run.out, "\"usable\": true");
	ExpectHas(run.out, "\"after\": 0");
	CheckScene("", "particles", 0.01, false);
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "(harmless without contact \"all\")");
}

static void UntanglingEndsAfterTheGivenTimeAndSaysSo(void** state)
{
	(void)state;
	CheckScene("\"untangle\": true, \"untangleSeconds\": 1e-6", "all", 0.01, false);
	assert_int_equal(run.code, 3);
	ExpectHas(run.out, " m, ended by the limit of time after ");
	CheckScene("\"untangle\": true, \"untangleSeconds\": 1e-6", "all", 0.01, true);
	assert_int_equal(run.code, 3);
	ExpectJsonObject(run.out);
	ExpectHas(run.out, "\"end\": \"time\"");
	CheckScene("\"untangle\": true, \"untangleSeconds\": 0", "all", 0.01, true);
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "\"end\": \"done\"");
	CheckScene("\"untangle\": true, \"untangleSeconds\": -1", "all", 0.01, false);
	assert_int_equal(run.code, 3);
	ExpectHas(run.err, "untangleSeconds");
}

static void AThicknessLargerThanTheTrianglesIsSaidWithTheFigures(void** state)
{
	(void)state;
	const char* path = Scratch("scene.json");
	const char text[] = "{\"cloths\": [{\"name\": \"sheet\", \"grid\": {\"columns\": 10, \"rows\": 10}, "
						"\"contact\": \"all\", \"material\": {\"thickness\": 0.5}}]}\n";
	MakeFile(path, text, strlen(text));
	RUN((char*)"check", (char*)path);
	assert_int_equal(run.code, 0);
	ExpectHas(run.out,
	          "scene.json:1:13: at the start the thickness of cloth \"sheet\", 0.5 m, is larger than 200 of its "
	          "triangles; layers there keep 0.1414 m: choose a smaller \"thickness\", a coarser mesh or a lower "
	          "\"maxLevel\"\n");
	ExpectHas(run.out, "This scene can be run.");
	RUN((char*)"check", (char*)path, (char*)"--json");
	ExpectJsonObject(run.out);
	ExpectHas(run.out, "layers there keep 0.1414 m");
	unlink(path);
}

static void AColliderMeshThatIsOddIsSaidAndNoReasonToRefuse(void** state)
{
	(void)state;
	const char* path = Scratch("open.json");
	char folder[700], text[1024];
	assert_non_null(getcwd(folder, sizeof folder));
	snprintf(text, sizeof text,
	         "{\"colliders\": [{\"shape\": \"mesh\", \"obj\": \"%.600s/test/data/square.obj\"}], "
	         "\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"position\": [0, 5, 0]}]}",
	         folder);
	MakeFile(path, text, strlen(text));
	RUN((char*)"check", (char*)path);
	assert_int_equal(run.code, 0);
	ExpectHas(run.out, "open.json:1:16: collider 1: not closed, with one triangle at 4 edges");
	RUN((char*)"check", (char*)path, (char*)"--repair", (char*)"out.obj");
	assert_int_equal(run.code, 2);
	ExpectHas(run.err, "--repair repairs OBJ files");
	unlink(path);
}

static void ASceneThatCannotBeReadIsBadInput(void** state)
{
	(void)state;
	ExpectBadInput("test/data/absent.json", "No such file or directory");
	const char* path = Scratch("broken.json");
	MakeFile(path, "{\"cloths\": [{\"name\": 3}]}", 26);
	ExpectBadInput(path, "broken.json:1:");
	unlink(path);
	const char* missing = Scratch("missing.json");
	const char* text = "{\"cloths\": [{\"name\": \"a\", \"obj\": \"absent.obj\"}]}";
	MakeFile(missing, text, strlen(text));
	ExpectBadInput(missing, "absent.obj");
	unlink(missing);
}

// What is printed for a preset can be put into a scene, and is the preset again.
static void MaterialsInJsonAreThoseOfScenes(void** state)
{
	(void)state;
	RUN((char*)"presets", (char*)"--json");
	assert_int_equal(run.code, 0);
	const char* place = run.out;
	for (uint32_t i = 0; drapeMaterial_GetPresetName(i); ++i)
	{
		static char text[16384];
		snprintf(text, sizeof text, "\"name\": \"%s\"", drapeMaterial_GetPresetName(i));
		place = strstr(place, text);
		assert_non_null(place);
		snprintf(text, sizeof text, "\"source\": \"%s\"", drapeMaterial_GetPresetSource(i));
		ExpectHas(place, text);
		const char* key = "\"material\": ";
		place = strstr(place, key);
		assert_non_null(place);
		place += strlen(key);
		snprintf(text, sizeof text, "{\"cloths\": [{\"name\": \"a\", \"grid\": {}, \"material\": %.*s}}]}",
		         (int)strcspn(place, "}"), place);
		drapeScene* scene;
		drapeMessage error;
		if (drapeScene_Parse(text, strlen(text), "t.json", &scene, &error) != drape_ok)
			fail_msg("%s", error.text);
		drapeMaterial preset;
		assert_int_equal(drapeMaterial_GetPreset(drapeMaterial_GetPresetName(i), &preset, NULL), drape_ok);
		assert_memory_equal(&scene->cloths[0].material, &preset, sizeof preset);
		drapeScene_Free(scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(NoArgumentsSayWhatItIsAndThreeLinesToTry),
		cmocka_unit_test(HelpListsCommandsAndExitCodes),
		cmocka_unit_test(VersionIsOneLine),
		cmocka_unit_test(BadUsageIsCodeTwoWithASuggestion),
		cmocka_unit_test(AFullStandardOutputIsFailedWork),
		cmocka_unit_test(UnreadableInputIsCodeThreeAndNamesTheFile),
		cmocka_unit_test(AFileWithoutPermissionIsCodeThree),
		cmocka_unit_test(AGoodMeshIsDescribed),
		cmocka_unit_test(JsonIsOneObjectAndNothingElse),
		cmocka_unit_test(AFileNameThatIsNotUtf8StillGivesJson),
		cmocka_unit_test(ProblemsNameFileAndLineAndWhatRepairMends),
		cmocka_unit_test(RepairWritesAMeshThatCanBeUsed),
		cmocka_unit_test(RepairKeepsPartsAndMaterials),
		cmocka_unit_test(AMeshBeyondRepairIsNotWritten),
		cmocka_unit_test(ARepairThatCannotBeWrittenIsFailedWork),
		cmocka_unit_test(RestFromTextureNeedsTexture),
		cmocka_unit_test(ASceneThatStartsCrossedIsBadInputWithThePlaces),
		cmocka_unit_test(ASceneThatIsTakenApartOrPassesThroughCanBeRun),
		cmocka_unit_test(UntanglingEndsAfterTheGivenTimeAndSaysSo),
		cmocka_unit_test(AThicknessLargerThanTheTrianglesIsSaidWithTheFigures),
		cmocka_unit_test(AColliderMeshThatIsOddIsSaidAndNoReasonToRefuse),
		cmocka_unit_test(ASceneThatCannotBeReadIsBadInput),
		cmocka_unit_test(PresetsAreATableWithUnitsAndSources),
		cmocka_unit_test(MaterialsInJsonAreThoseOfScenes),
	};
	return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}

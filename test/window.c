// SPDX-License-Identifier: MIT
#include "window.h"

#include "drape/render.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/keysym.h>
#include <X11/extensions/XTest.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static struct
{
	pid_t server, studio;
	Display* display;
	Window window;
	char probe[700], state[700];
	json_t* answer;
} rig;

// Long enough for a machine that is busy with other things.
static const double patience = 60.0;

static double Now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void Pause(int milliseconds)
{
	nanosleep(&(struct timespec){milliseconds / 1000, (long)(milliseconds % 1000) * 1000000}, NULL);
}

// --- the server ---

// The number of the display that the server has chosen, or -1.
static int ReadDisplay(int file)
{
	char text[32] = "";
	size_t used = 0;
	for (ssize_t got; used + 1 < sizeof text && (got = read(file, text + used, sizeof text - 1 - used)) > 0;)
	{
		used += (size_t)got;
		if (memchr(text, '\n', used))
			break;
	}
	return used > 0 ? atoi(text) : -1;
}

int Window_OpenServer(void** state)
{
	(void)state;
	int ends[2];
	char number[16], name[32];
	if (pipe(ends) != 0)
		return -1;
	snprintf(number, sizeof number, "%d", ends[1]);
	const char* arguments[] = {"Xvfb",        "-displayfd", number, "-screen",  "0",
	                           "1280x720x24", "-nolisten",  "tcp",  "-noreset", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	int code = posix_spawnp(&rig.server, "Xvfb", &actions, NULL, (char* const*)arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	int screen = code == 0 ? ReadDisplay(ends[0]) : -1;
	close(ends[0]);
	if (screen < 0)
	{
		print_message("the window is skipped: there is no Xvfb\n");
		return 0;
	}
	snprintf(name, sizeof name, ":%d", screen);
	setenv("DISPLAY", name, 1);
	setenv("DRAPE_AUTOSAVE_SECONDS", "0.2", 1);
	snprintf(rig.state, sizeof rig.state, "%s", Program_Scratch("state"));
	setenv("XDG_STATE_HOME", rig.state, 1);
	rig.display = XOpenDisplay(name);
	// On a busy machine a key may be down for long.
	if (rig.display)
		XAutoRepeatOff(rig.display);
	return rig.display ? 0 : -1;
}

// What a studio that was killed would offer the next one.
static void ForgetWork(void)
{
	char folder[760];
	snprintf(folder, sizeof folder, "%s/drape", rig.state);
	Program_RemoveFolder(folder);
}

int Window_EndTest(void** state)
{
	(void)state;
	if (rig.studio > 0)
	{
		Studio_Kill();
		ForgetWork();
	}
	return 0;
}

int Window_CloseServer(void** state)
{
	(void)state;
	if (rig.display)
		XCloseDisplay(rig.display);
	if (rig.server > 0)
	{
		kill(rig.server, SIGTERM);
		waitpid(rig.server, NULL, 0);
	}
	ForgetWork();
	rmdir(rig.state);
	unlink(rig.probe);
	json_decref(rig.answer);
	return 0;
}

bool Window_Has(void)
{
	return rig.display != NULL;
}

// --- the studio ---

static bool FindWindow(Window parent)
{
	Window root, above, *children = NULL;
	unsigned count = 0;
	char* name = NULL;
	bool found = XFetchName(rig.display, parent, &name) && name && strstr(name, "drape studio");
	if (name)
		XFree(name);
	if (found)
	{
		rig.window = parent;
		return true;
	}
	if (!XQueryTree(rig.display, parent, &root, &above, &children, &count))
		return false;
	for (unsigned i = 0; !found && i < count; ++i)
		found = FindWindow(children[i]);
	if (children)
		XFree(children);
	return found;
}

void Studio_Start(const char* const* arguments)
{
	const char* all[16] = {"studio", "--probe", rig.probe};
	snprintf(rig.probe, sizeof rig.probe, "%s", Program_Scratch("probe.json"));
	unlink(rig.probe);
	int count = 3;
	for (; arguments[count - 3]; ++count)
		all[count] = arguments[count - 3];
	all[count] = NULL;
	rig.studio = Program_Start(all);
	rig.window = 0;
	double until = Now() + patience;
	while (access(rig.probe, R_OK) != 0 || !FindWindow(DefaultRootWindow(rig.display)))
	{
		if (Now() > until || waitpid(rig.studio, NULL, WNOHANG) != 0)
		{
			rig.studio = 0;
			fail_msg("the studio has no window");
		}
		Pause(20);
	}
	XSetInputFocus(rig.display, rig.window, RevertToParent, CurrentTime);
	XSync(rig.display, False);
	Expect_Settled();
}

void Studio_CloseWindow(void)
{
	XEvent event = {.xclient = {.type = ClientMessage, .window = rig.window, .format = 32}};
	event.xclient.message_type = XInternAtom(rig.display, "WM_PROTOCOLS", False);
	event.xclient.data.l[0] = (long)XInternAtom(rig.display, "WM_DELETE_WINDOW", False);
	XSendEvent(rig.display, rig.window, False, NoEventMask, &event);
	XSync(rig.display, False);
}

int Studio_Wait(void)
{
	double until = Now() + patience;
	int status = 0;
	pid_t ended = 0;
	while (rig.studio > 0 && (ended = waitpid(rig.studio, &status, WNOHANG)) == 0 && Now() < until)
		Pause(20);
	if (ended == 0)
	{
		Studio_Kill();
		return -1;
	}
	rig.studio = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Studio_Kill(void)
{
	if (rig.studio <= 0)
		return;
	kill(rig.studio, SIGKILL);
	waitpid(rig.studio, NULL, 0);
	rig.studio = 0;
}

// --- the probe ---

const json_t* Probe(void)
{
	json_t* answer = NULL;
	for (int i = 0; !answer && i < 100; ++i)
	{
		answer = json_load_file(rig.probe, 0, NULL);
		if (!answer)
			Pause(10);
	}
	assert_non_null(answer);
	json_decref(rig.answer);
	rig.answer = answer;
	return answer;
}

double Probe_Number(const char* key)
{
	return json_number_value(json_object_get(Probe(), key));
}

bool Probe_Is(const char* key)
{
	return json_is_true(json_object_get(Probe(), key));
}

const char* Probe_Text(const char* key)
{
	const char* text = json_string_value(json_object_get(Probe(), key));
	return text ? text : "";
}

bool Probe_HasItem(const char* name)
{
	return json_object_get(json_object_get(Probe(), "items"), name) != NULL;
}

double Probe_Vertex(size_t cloth, size_t vertex, size_t k)
{
	const json_t* vertices = json_object_get(json_array_get(json_object_get(Probe(), "cloth"), cloth), "vertices");
	assert_true(vertex < json_array_size(vertices));
	return json_number_value(json_array_get(json_array_get(vertices, vertex), k));
}

static bool HasEnded(void)
{
	siginfo_t info = {0};
	return rig.studio <= 0 ||
	       (waitid(P_PID, (id_t)rig.studio, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0);
}

static void FailWaiting(const char* what, double value)
{
	if (HasEnded())
		fail_msg("the studio has ended while the test waited for %s", what);
	const json_t* answer = Probe();
	const char* folder = getenv("DRAPE_KEEP_PICTURES");
	if (folder)
		Window_SavePicture(folder);
	fail_msg("%s never was %g; it is %s, and the last message is \"%s\"", what, value,
	         json_dumps(json_object_get(answer, what), JSON_ENCODE_ANY),
	         json_string_value(json_object_get(answer, "message")));
}

void Expect_Number(const char* key, double value)
{
	for (double until = Now() + patience; Probe_Number(key) != value; Pause(15))
		if (Now() > until || HasEnded())
			FailWaiting(key, value);
}

void Expect_AtLeast(const char* key, double value)
{
	for (double until = Now() + patience; Probe_Number(key) < value; Pause(15))
		if (Now() > until || HasEnded())
			FailWaiting(key, value);
}

void Expect_True(const char* key)
{
	for (double until = Now() + patience; !Probe_Is(key); Pause(15))
		if (Now() > until || HasEnded())
			FailWaiting(key, 1.0);
}

void Expect_False(const char* key)
{
	for (double until = Now() + patience; Probe_Is(key); Pause(15))
		if (Now() > until || HasEnded())
			FailWaiting(key, 0.0);
}

void Expect_Item(const char* name)
{
	for (double until = Now() + patience; !Probe_HasItem(name); Pause(15))
		if (Now() > until || HasEnded())
			fail_msg("there is no \"%s\" in the window", name);
}

// Two frames of the window later, so that what was clicked has been seen, or at its end.
static void NextFrames(void)
{
	double until = Now() + patience, drawn = Probe_Number("drawn") + 2.0;
	while (!HasEnded() && Probe_Number("drawn") < drawn)
	{
		if (Now() > until)
			FailWaiting("drawn", drawn);
		Pause(5);
	}
}

void Expect_Settled(void)
{
	NextFrames();
	Expect_True("settled");
}

// --- mouse and keyboard ---

void Mouse_Move(double x, double y)
{
	XTestFakeMotionEvent(rig.display, -1, (int)(x + 0.5), (int)(y + 0.5), CurrentTime);
	XSync(rig.display, False);
}

void Mouse_Button(int button, bool down)
{
	XTestFakeButtonEvent(rig.display, (unsigned)button, down, CurrentTime);
	XSync(rig.display, False);
}

void Mouse_Click(double x, double y)
{
	Mouse_Move(x, y);
	NextFrames();
	Mouse_Button(1, true);
	NextFrames();
	Mouse_Button(1, false);
	NextFrames();
}

void Mouse_Drag(double fromX, double fromY, double toX, double toY)
{
	Mouse_Move(fromX, fromY);
	NextFrames();
	Mouse_Button(1, true);
	NextFrames();
	for (int i = 1; i <= 4; ++i)
	{
		Mouse_Move(fromX + 0.25 * i * (toX - fromX), fromY + 0.25 * i * (toY - fromY));
		NextFrames();
	}
	Mouse_Button(1, false);
	NextFrames();
}

void Click(const char* item)
{
	Expect_Item(item);
	NextFrames();
	const json_t* rect = json_object_get(json_object_get(Probe(), "items"), item);
	assert_non_null(rect);
	double at[4];
	for (size_t i = 0; i < 4; ++i)
		at[i] = json_number_value(json_array_get(rect, i));
	Mouse_Click(at[0] + 0.5 * at[2], at[1] + 0.5 * at[3]);
}

static void PressKey(KeySym symbol, bool down)
{
	KeyCode code = XKeysymToKeycode(rig.display, symbol);
	assert_true(code != 0);
	XTestFakeKeyEvent(rig.display, code, down, CurrentTime);
	XSync(rig.display, False);
}

void Key(const char* keys)
{
	KeySym held[3];
	int count = 0;
	char part[32];
	for (const char* plus; (plus = strchr(keys, '+')) != NULL; keys = plus + 1)
	{
		snprintf(part, sizeof part, "%.*s", (int)(plus - keys), keys);
		held[count++] = strcmp(part, "ctrl") == 0 ? XK_Control_L : XK_Shift_L;
	}
	for (int i = 0; i < count; ++i)
		PressKey(held[i], true);
	KeySym symbol = XStringToKeysym(keys);
	assert_true(symbol != NoSymbol);
	PressKey(symbol, true);
	NextFrames();
	PressKey(symbol, false);
	while (count-- > 0)
		PressKey(held[count], false);
	NextFrames();
}

void Type(const char* text)
{
	for (; *text; ++text)
	{
		static const char shifted[] = "_:", plain[] = "-;";
		const char* found = strchr(shifted, *text);
		bool shift = found || (*text >= 'A' && *text <= 'Z');
		char key = found ? plain[found - shifted] : *text;
		KeySym symbol = key == '/'   ? XK_slash
		                : key == '.' ? XK_period
		                : key == '-' ? XK_minus
		                             : (KeySym)(unsigned char)key;
		if (shift)
			PressKey(XK_Shift_L, true);
		PressKey(symbol, true);
		PressKey(symbol, false);
		if (shift)
			PressKey(XK_Shift_L, false);
	}
	NextFrames();
}

void Enter(const char* item, const char* value)
{
	PressKey(XK_Control_L, true);
	Click(item);
	PressKey(XK_Control_L, false);
	NextFrames();
	Key("ctrl+a");
	Type(value);
	Key("Return");
}

// --- dropping, version 5 of the protocol ---

static void SendDrop(Window from, const char* type, long a, long b, long c, long d)
{
	XEvent event = {.xclient = {.type = ClientMessage, .window = rig.window, .format = 32}};
	event.xclient.message_type = XInternAtom(rig.display, type, False);
	const long data[5] = {(long)from, a, b, c, d};
	memcpy(event.xclient.data.l, data, sizeof data);
	XSendEvent(rig.display, rig.window, False, NoEventMask, &event);
	XSync(rig.display, False);
}

// Answers what the window asks for until it is done.
static void ServeDrop(Window from, const char* path)
{
	char uri[1200];
	snprintf(uri, sizeof uri, "file://%s\r\n", path);
	Atom finished = XInternAtom(rig.display, "XdndFinished", False);
	for (double until = Now() + patience; Now() < until;)
	{
		if (XPending(rig.display) == 0)
		{
			Pause(5);
			continue;
		}
		XEvent event;
		XNextEvent(rig.display, &event);
		if (event.type == ClientMessage && event.xclient.message_type == finished)
			return;
		if (event.type != SelectionRequest)
			continue;
		const XSelectionRequestEvent* request = &event.xselectionrequest;
		XChangeProperty(rig.display, request->requestor, request->property, request->target, 8, PropModeReplace,
		                (const unsigned char*)uri, (int)strlen(uri));
		XEvent answer = {.xselection = {.type = SelectionNotify,
		                                .requestor = request->requestor,
		                                .selection = request->selection,
		                                .target = request->target,
		                                .property = request->property,
		                                .time = request->time}};
		XSendEvent(rig.display, request->requestor, False, NoEventMask, &answer);
		XSync(rig.display, False);
	}
	XDestroyWindow(rig.display, from);
	fail_msg("the window never took the file");
}

void Drop_File(const char* path)
{
	Atom selection = XInternAtom(rig.display, "XdndSelection", False),
		 list = XInternAtom(rig.display, "text/uri-list", False);
	Atom copy = XInternAtom(rig.display, "XdndActionCopy", False);
	Window from = XCreateSimpleWindow(rig.display, DefaultRootWindow(rig.display), 0, 0, 1, 1, 0, 0, 0);
	XSetSelectionOwner(rig.display, selection, from, CurrentTime);
	SendDrop(from, "XdndEnter", 5L << 24, (long)list, 0, 0);
	SendDrop(from, "XdndPosition", 0, 600L << 16 | 400, CurrentTime, (long)copy);
	SendDrop(from, "XdndDrop", 0, CurrentTime, 0, 0);
	ServeDrop(from, path);
	XDestroyWindow(rig.display, from);
}

// --- pictures ---

Picture Window_Picture(void)
{
	Window root = DefaultRootWindow(rig.display);
	XImage* image = XGetImage(rig.display, root, 0, 0, 1280, 720, AllPlanes, ZPixmap);
	assert_non_null(image);
	Picture picture = {1280, 720, malloc((size_t)3 * 1280 * 720)};
	for (int y = 0; y < 720; ++y)
		for (int x = 0; x < 1280; ++x)
		{
			unsigned long value = XGetPixel(image, x, y);
			uint8_t* pixel = &picture.pixels[3 * (y * 1280 + x)];
			pixel[0] = (uint8_t)(value >> 16);
			pixel[1] = (uint8_t)(value >> 8);
			pixel[2] = (uint8_t)value;
		}
	XDestroyImage(image);
	return picture;
}

void Window_SavePicture(const char* path)
{
	Picture picture = Window_Picture();
	drapePng_Write(path, picture.pixels, 1280, 720, NULL);
	free(picture.pixels);
}

int Picture_Difference(const Picture* a, const Picture* b, int x0, int y0, int width, int height)
{
	int count = 0;
	for (int y = y0; y < y0 + height; ++y)
		for (int x = x0; x < x0 + width; ++x)
		{
			const uint8_t *p = &a->pixels[3 * (y * a->width + x)], *q = &b->pixels[3 * (y * b->width + x)];
			count += abs(p[0] - q[0]) + abs(p[1] - q[1]) + abs(p[2] - q[2]) > 24;
		}
	return count;
}

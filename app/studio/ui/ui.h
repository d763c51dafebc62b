// SPDX-License-Identifier: MIT
#pragma once

// The part of Dear ImGui that the studio needs, for C. ui_imgui.cpp only forwards calls. Panels decide their own
// layout; Theme() there sets colours and sizes for all.
//
// Lengths are pixels from the upper left corner of the window. All functions are called on the window's thread, between
// drapeUi_Begin and drapeUi_End unless their comment says otherwise.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

	struct GLFWwindow;

	typedef struct UiPoint
	{
		float x, y;
	} UiPoint;

	typedef struct UiRect
	{
		float x, y, width, height;
	} UiRect;

	typedef uint32_t UiColour; // 0xRRGGBBAA

// Colours of the theme, for drawing in panels.
#define UI_TEXT 0xe4e6eaffu
#define UI_MUTED 0x959ba6ffu
#define UI_FAINT 0x5b616bffu
#define UI_PANEL 0x25282dffu
#define UI_DEEP 0x1b1d21ffu
#define UI_FRAME 0x33373effu
#define UI_LINE 0x3a3e46ffu
#define UI_ACCENT 0xe2815bffu
#define UI_ACCENT_SOFT 0xe2815b55u
#define UI_GOOD 0x7fbf8affu
#define UI_BAD 0xe5645cffu
#define UI_BLUE 0x6fa8dcffu

	// --- start and end ---

	// Outside of frames. False when OpenGL fails.
	bool drapeUi_Create(struct GLFWwindow* window);
	void drapeUi_Destroy(void);
	void drapeUi_Begin(void);
	void drapeUi_End(void); // draws everything

	// --- input ---

	typedef struct UiMouse
	{
		float x, y, dx, dy, wheel;
		bool down[3], pressed[3], released[3]; // left, right, middle
		bool shift, control, alt;
		bool overPanel; // the mouse is over a panel
	} UiMouse;

	UiMouse drapeUi_GetMouse(void);
	bool drapeUi_WantsText(void); // a text field has the focus; also outside of frames
	bool drapeUi_IsEditing(void); // an item is held or typed into
	bool drapeUi_HasModal(void);  // a dialog or a menu is open; also outside of frames

	// --- windows ---

	void drapeUi_BeginPanel(const char* name, UiRect rect, UiColour background);
	void drapeUi_EndPanel(void);
	void drapeUi_BeginChild(const char* name, float width, float height, UiColour background);
	void drapeUi_EndChild(void);
	void drapeUi_OpenModal(const char* name);
	bool drapeUi_BeginModal(const char* name, float width, float height); // drapeUi_EndModal only when true
	void drapeUi_EndModal(void);
	void drapeUi_OpenPopup(const char* name);
	bool drapeUi_BeginPopup(const char* name); // appears below the last item; drapeUi_EndPopup only when true
	void drapeUi_EndPopup(void);
	void drapeUi_ClosePopup(void); // also a modal
	void drapeUi_CloseTop(void);   // the popup or modal that was opened last, from outside of it
	bool drapeUi_MenuItem(const char* label, const char* shortcut, bool enabled);
	bool drapeUi_BeginTabs(const char* name);
	bool drapeUi_BeginTab(const char* label, bool select);
	void drapeUi_EndTab(void);
	void drapeUi_EndTabs(void);

	// --- layout ---

	void drapeUi_SameLine(float spacing);
	void drapeUi_SameLineAt(float x); // from the left of the panel
	void drapeUi_Gap(float height);
	void drapeUi_Separator(void);
	UiRect drapeUi_Reserve(float width, float height); // an empty rectangle, for drawing
	float drapeUi_AvailableWidth(void);
	void drapeUi_PushId(int id);
	void drapeUi_PopId(void);
	void drapeUi_BeginDisabled(bool disabled);
	void drapeUi_EndDisabled(void);

	// --- text ---

	void drapeUi_TextColoured(const char* text, UiColour colour);
	void drapeUi_TextWrapped(const char* text, UiColour colour);
	void drapeUi_Heading(const char* text); // bold
	UiPoint drapeUi_TextSize(const char* text);
	void drapeUi_Tip(const char* text); // for the last item; NULL for none

	// --- items ---

	typedef enum UiButtonKind
	{
		ui_buttonPlain = 0,
		ui_buttonPrimary, // the most likely choice
		ui_buttonQuiet,   // without a frame
	} UiButtonKind;

	bool drapeUi_Button(const char* label, float width, UiButtonKind kind);
	bool drapeUi_TallButton(const char* label, float width, UiButtonKind kind); // as high as buttons with icons

	typedef struct UiItem
	{
		bool clicked, doubleClicked, rightClicked, hovered, held;
		UiRect rect;
	} UiItem;

	// A rectangle that takes clicks. The caller draws it.
	UiItem drapeUi_Hotspot(const char* id, float width, float height);
	bool drapeUi_Selectable(const char* label, bool selected, float width, bool* doubleClicked);
	bool drapeUi_Section(const char* label, bool open); // a heading that opens and closes
	bool drapeUi_InputText(const char* id, char* text, uint32_t capacity, float width, bool focus); // true with Enter

	// One row per property: label on the left, value on the right, a tool tip on both. True when the value has changed.
	// `format` is a printf format and contains the unit.
	bool drapeUi_RowFloat(const char* label, float* value, float speed, float low, float high, const char* format,
	                      const char* tip);
	bool drapeUi_RowLog(const char* label, float* value, float low, float high, const char* format, const char* tip);
	bool drapeUi_RowUint(const char* label, uint32_t* value, uint32_t low, uint32_t high, const char* format,
	                     const char* tip);
	bool drapeUi_RowVec3(const char* label, float* values, float speed, const char* format, const char* tip);
	bool drapeUi_RowBool(const char* label, bool* value, const char* tip);
	bool drapeUi_RowChoice(const char* label, int* value, const char* const* names, int count, const char* tip);
	bool drapeUi_RowText(const char* label, char* text, uint32_t capacity, const char* tip); // true when done
	bool drapeUi_RowColour(const char* label, float* rgb, const char* tip);
	void drapeUi_RowLabel(const char* label, const char* value, const char* tip);

	// --- drawing ---

	// Draws into the current panel. Outside of panels it draws over the picture and below the panels.
	void drapeUi_DrawOverPicture(bool over);
	void drapeUi_ClipDrawing(UiRect rect);
	void drapeUi_EndClip(void);
	void drapeUi_Line(UiPoint a, UiPoint b, UiColour colour, float thickness);
	void drapeUi_Polyline(const UiPoint* points, int count, UiColour colour, float thickness);
	void drapeUi_FillPolygon(const UiPoint* points, int count, UiColour colour); // convex
	void drapeUi_Rect(UiRect rect, UiColour colour, float rounding, float thickness);
	void drapeUi_FillRect(UiRect rect, UiColour colour, float rounding);
	void drapeUi_FillCircle(UiPoint centre, float radius, UiColour colour);
	void drapeUi_TextAt(UiPoint at, const char* text, UiColour colour);

	// --- rectangles of the controls of the last frame, for tests ---

	typedef struct UiRecord
	{
		char name[112]; // "panel/label"
		UiRect rect;
	} UiRecord;

	int drapeUi_RecordCount(void);
	const UiRecord* drapeUi_Record(int index);

#ifdef __cplusplus
}
#endif

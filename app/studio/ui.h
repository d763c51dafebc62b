// SPDX-License-Identifier: MIT
#pragma once

// Dear ImGui as far as the studio needs it, for C. ui_imgui.cpp is nothing but calls; what a panel looks like is
// decided in the panels, and what everything looks like in Theme() there.
//
// Lengths are pixels, from the upper left corner of the window. Everything is called on the window's thread, between
// Ui_Begin and Ui_End unless it says otherwise.

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

// The colours of the theme, for what panels draw themselves.
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

	// --- beginning and end ---

	// Outside of frames. False when OpenGL refuses.
	bool Ui_Create(struct GLFWwindow* window);
	void Ui_Destroy(void);
	void Ui_Begin(void);
	void Ui_End(void); // and draws

	// --- input ---

	typedef struct UiMouse
	{
		float x, y, dx, dy, wheel;
		bool down[3], pressed[3], released[3]; // left, right, middle
		bool shift, control, alt;
		bool overPanel; // the panels want it
	} UiMouse;

	UiMouse Ui_GetMouse(void);
	bool Ui_WantsText(void); // somebody types; also outside of frames
	bool Ui_IsEditing(void); // an item is held or typed into
	bool Ui_HasModal(void);  // a dialogue or a menu is open; also outside of frames

	// --- windows ---

	void Ui_BeginPanel(const char* name, UiRect rect, UiColour background);
	void Ui_EndPanel(void);
	void Ui_BeginChild(const char* name, float width, float height, UiColour background);
	void Ui_EndChild(void);
	void Ui_OpenModal(const char* name);
	bool Ui_BeginModal(const char* name, float width, float height); // Ui_EndModal only when true
	void Ui_EndModal(void);
	void Ui_OpenPopup(const char* name);
	bool Ui_BeginPopup(const char* name); // below the last item; Ui_EndPopup only when true
	void Ui_EndPopup(void);
	void Ui_ClosePopup(void); // also a modal
	void Ui_CloseTop(void);   // the popup or modal that was opened last, from outside of it
	bool Ui_MenuItem(const char* label, const char* shortcut, bool enabled);
	bool Ui_BeginTabs(const char* name);
	bool Ui_BeginTab(const char* label, bool select);
	void Ui_EndTab(void);
	void Ui_EndTabs(void);

	// --- layout ---

	void Ui_SameLine(float spacing);
	void Ui_SameLineAt(float x); // from the left of the panel
	void Ui_Gap(float height);
	void Ui_Separator(void);
	UiRect Ui_Reserve(float width, float height); // an empty place, for drawing
	UiRect Ui_LastItem(void);
	float Ui_AvailableWidth(void);
	float Ui_AvailableHeight(void);
	void Ui_PushId(int id);
	void Ui_PopId(void);
	void Ui_BeginDisabled(bool disabled);
	void Ui_EndDisabled(void);

	// --- text ---

	void Ui_Text(const char* text);
	void Ui_TextColoured(const char* text, UiColour colour);
	void Ui_TextWrapped(const char* text, UiColour colour);
	void Ui_Heading(const char* text); // bold
	UiPoint Ui_TextSize(const char* text);
	void Ui_Tip(const char* text); // for the last item; NULL for none

	// --- items ---

	typedef enum UiButtonKind
	{
		ui_buttonPlain = 0,
		ui_buttonPrimary, // what one most likely wants
		ui_buttonQuiet,   // without a frame
	} UiButtonKind;

	bool Ui_Button(const char* label, float width, UiButtonKind kind);
	bool Ui_TallButton(const char* label, float width, UiButtonKind kind); // as high as those with icons

	typedef struct UiItem
	{
		bool clicked, doubleClicked, rightClicked, hovered, held;
		UiRect rect;
	} UiItem;

	// A place that takes clicks and is drawn by the caller.
	UiItem Ui_Hotspot(const char* id, float width, float height);
	bool Ui_Selectable(const char* label, bool selected, float width, bool* doubleClicked);
	bool Ui_Section(const char* label, bool open);                                             // a heading that folds
	bool Ui_InputText(const char* id, char* text, uint32_t capacity, float width, bool focus); // true with Enter
	bool Ui_Checkbox(const char* label, bool* value);

	// Rows of a property: label on the left, value on the right, a tool tip on both. True when the value has changed.
	// `format` is printf's and has the unit in it.
	bool Ui_RowFloat(const char* label, float* value, float speed, float low, float high, const char* format,
	                 const char* tip);
	bool Ui_RowLog(const char* label, float* value, float low, float high, const char* format, const char* tip);
	bool Ui_RowUint(const char* label, uint32_t* value, uint32_t low, uint32_t high, const char* format,
	                const char* tip);
	bool Ui_RowVec3(const char* label, float* values, float speed, const char* format, const char* tip);
	bool Ui_RowBool(const char* label, bool* value, const char* tip);
	bool Ui_RowChoice(const char* label, int* value, const char* const* names, int count, const char* tip);
	bool Ui_RowText(const char* label, char* text, uint32_t capacity, const char* tip); // true when done
	bool Ui_RowColour(const char* label, float* rgb, const char* tip);
	void Ui_RowLabel(const char* label, const char* value, const char* tip);

	// --- drawing ---

	// Into the panel at hand; between panels, over the picture and below the panels.
	void Ui_DrawOverPicture(bool over);
	void Ui_ClipDrawing(UiRect rect);
	void Ui_EndClip(void);
	void Ui_Line(UiPoint a, UiPoint b, UiColour colour, float thickness);
	void Ui_Polyline(const UiPoint* points, int count, UiColour colour, float thickness);
	void Ui_FillPolygon(const UiPoint* points, int count, UiColour colour); // convex
	void Ui_Rect(UiRect rect, UiColour colour, float rounding, float thickness);
	void Ui_FillRect(UiRect rect, UiColour colour, float rounding);
	void Ui_Circle(UiPoint centre, float radius, UiColour colour, float thickness);
	void Ui_FillCircle(UiPoint centre, float radius, UiColour colour);
	void Ui_TextAt(UiPoint at, const char* text, UiColour colour);

	// --- for tests: where the items of the last frame are ---

	typedef struct UiRecord
	{
		char name[112]; // "panel/label"
		UiRect rect;
	} UiRecord;

	int Ui_RecordCount(void);
	const UiRecord* Ui_Record(int index);

#ifdef __cplusplus
}
#endif

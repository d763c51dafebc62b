// SPDX-License-Identifier: MIT
#include "ui/ui.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace
{

ImFont* boldFont;
bool overPicture;
char panelName[64], outerName[64]; // names of the current window, and of the window around a popup

void EnterPopup(const char* name)
{
	memcpy(outerName, panelName, sizeof outerName);
	snprintf(panelName, sizeof panelName, "%s", name);
}

void LeavePopup()
{
	memcpy(panelName, outerName, sizeof panelName);
	ImGui::EndPopup();
}

const int recordCapacity = 600;
UiRecord records[2][recordCapacity];
int recordCounts[2];
int recordTurn;

ImVec4 Colour4(UiColour c)
{
	return ImVec4((float)(c >> 24) / 255.0f, (float)(c >> 16 & 255) / 255.0f, (float)(c >> 8 & 255) / 255.0f,
	              (float)(c & 255) / 255.0f);
}

ImU32 Colour32(UiColour c)
{
	return ImGui::ColorConvertFloat4ToU32(Colour4(c));
}

ImVec2 Point(UiPoint p)
{
	return ImVec2(p.x, p.y);
}

UiRect RectOf(ImVec2 min, ImVec2 max)
{
	return UiRect{min.x, min.y, max.x - min.x, max.y - min.y};
}

ImDrawList* Drawing()
{
	return overPicture ? ImGui::GetBackgroundDrawList() : ImGui::GetWindowDrawList();
}

void Remember(const char* label)
{
	int& count = recordCounts[recordTurn];
	if (count == recordCapacity || !ImGui::IsItemVisible())
		return;
	UiRecord& record = records[recordTurn][count++];
	snprintf(record.name, sizeof record.name, "%s/%s", panelName, label);
	record.rect = RectOf(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void LoadFonts(float size)
{
	static const ImWchar ranges[] = {0x0020, 0x00ff, 0x2010, 0x2027, 0x2190, 0x2193, 0x00b0, 0x00b0, 0};
	static const char* const folders[] = {"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu",
	                                      "/usr/share/fonts/TTF"};
	ImFontAtlas* atlas = ImGui::GetIO().Fonts;
	for (const char* folder : folders)
	{
		char plain[128], bold[128];
		snprintf(plain, sizeof plain, "%s/DejaVuSans.ttf", folder);
		snprintf(bold, sizeof bold, "%s/DejaVuSans-Bold.ttf", folder);
		if (access(plain, R_OK) != 0 || access(bold, R_OK) != 0)
			continue;
		atlas->AddFontFromFileTTF(plain, size, nullptr, ranges);
		boldFont = atlas->AddFontFromFileTTF(bold, size, nullptr, ranges);
		return;
	}
	atlas->AddFontDefault();
	boldFont = nullptr;
}

void Theme()
{
	ImGuiStyle& style = ImGui::GetStyle();
	style.WindowPadding = ImVec2(12, 10);
	style.FramePadding = ImVec2(8, 4);
	style.ItemSpacing = ImVec2(8, 6);
	style.ItemInnerSpacing = ImVec2(6, 4);
	style.ScrollbarSize = 10;
	style.WindowRounding = 0;
	style.ChildRounding = 5;
	style.FrameRounding = 4;
	style.PopupRounding = 6;
	style.GrabRounding = 4;
	style.TabRounding = 4;
	style.ScrollbarRounding = 5;
	style.WindowBorderSize = 0;
	style.ChildBorderSize = 0;
	style.PopupBorderSize = 1;
	style.FrameBorderSize = 0;
	style.IndentSpacing = 14;
	struct
	{
		ImGuiCol at;
		UiColour colour;
	} const colours[] = {
		{ImGuiCol_Text, UI_TEXT},
		{ImGuiCol_TextDisabled, UI_FAINT},
		{ImGuiCol_WindowBg, UI_PANEL},
		{ImGuiCol_ChildBg, 0x00000000u},
		{ImGuiCol_PopupBg, 0x2b2f35fau},
		{ImGuiCol_Border, UI_LINE},
		{ImGuiCol_FrameBg, UI_FRAME},
		{ImGuiCol_FrameBgHovered, 0x3e434cffu},
		{ImGuiCol_FrameBgActive, 0x474d57ffu},
		{ImGuiCol_TitleBg, 0x2b2f35ffu},
		{ImGuiCol_TitleBgActive, 0x2b2f35ffu},
		{ImGuiCol_ScrollbarBg, 0x00000000u},
		{ImGuiCol_ScrollbarGrab, 0x474d57ffu},
		{ImGuiCol_CheckMark, UI_ACCENT},
		{ImGuiCol_SliderGrab, UI_ACCENT},
		{ImGuiCol_SliderGrabActive, UI_ACCENT},
		{ImGuiCol_Button, UI_FRAME},
		{ImGuiCol_ButtonHovered, 0x444a54ffu},
		{ImGuiCol_ButtonActive, 0x515864ffu},
		{ImGuiCol_Header, UI_ACCENT_SOFT},
		{ImGuiCol_HeaderHovered, 0x3e434cffu},
		{ImGuiCol_HeaderActive, UI_ACCENT_SOFT},
		{ImGuiCol_Separator, UI_LINE},
		{ImGuiCol_Tab, 0x2b2f35ffu},
		{ImGuiCol_TabHovered, 0x444a54ffu},
		{ImGuiCol_TabActive, 0x474d57ffu},
		{ImGuiCol_TabUnfocused, 0x2b2f35ffu},
		{ImGuiCol_TabUnfocusedActive, 0x474d57ffu},
		{ImGuiCol_TextSelectedBg, UI_ACCENT_SOFT},
		{ImGuiCol_ModalWindowDimBg, 0x0d0e108cu},
		{ImGuiCol_NavHighlight, UI_ACCENT},
	};
	for (const auto& entry : colours)
		style.Colors[entry.at] = Colour4(entry.colour);
}

// The x coordinate of property values.
float ValueColumn()
{
	return std::floor(ImGui::GetWindowContentRegionMax().x * 0.44f);
}

void BeginRow(const char* label, const char* tip)
{
	ImGui::PushID(label);
	ImGui::AlignTextToFramePadding();
	ImGui::PushStyleColor(ImGuiCol_Text, Colour4(UI_MUTED));
	ImGui::TextUnformatted(label);
	ImGui::PopStyleColor();
	drapeUi_Tip(tip);
	ImGui::SameLine(ValueColumn());
	ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
}

void EndRow(const char* label, const char* tip)
{
	Remember(label);
	drapeUi_Tip(tip);
	ImGui::PopID();
}

} // namespace

// --- start and end ---

bool drapeUi_Create(GLFWwindow* window)
{
	ImGui::CreateContext();
	ImGui::GetIO().IniFilename = nullptr;
	// Keyboard navigation, for menus and dialogs only.
	ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
	LoadFonts(14.0f);
	Theme();
	return ImGui_ImplGlfw_InitForOpenGL(window, true) && ImGui_ImplOpenGL3_Init("#version 330 core");
}

void drapeUi_Destroy(void)
{
	ImGui_ImplOpenGL3_Shutdown();
	ImGui_ImplGlfw_Shutdown();
	ImGui::DestroyContext();
}

void drapeUi_Begin(void)
{
	recordTurn = 1 - recordTurn;
	recordCounts[recordTurn] = 0;
	overPicture = false;
	ImGui_ImplOpenGL3_NewFrame();
	ImGui_ImplGlfw_NewFrame();
	// In menus Enter works as Space does.
	ImGuiIO& io = ImGui::GetIO();
	if (drapeUi_HasModal() && !io.WantTextInput && (io.KeysDown[GLFW_KEY_ENTER] || io.KeysDown[GLFW_KEY_KP_ENTER]))
		io.NavInputs[ImGuiNavInput_Activate] = 1.0f;
	ImGui::NewFrame();
}

void drapeUi_End(void)
{
	ImGui::Render();
	ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// --- input ---

UiMouse drapeUi_GetMouse(void)
{
	const ImGuiIO& io = ImGui::GetIO();
	UiMouse mouse = {};
	mouse.x = io.MousePos.x;
	mouse.y = io.MousePos.y;
	mouse.dx = io.MouseDelta.x;
	mouse.dy = io.MouseDelta.y;
	mouse.wheel = io.MouseWheel;
	for (int i = 0; i < 3; ++i)
	{
		mouse.down[i] = io.MouseDown[i];
		mouse.pressed[i] = ImGui::IsMouseClicked(i);
		mouse.released[i] = ImGui::IsMouseReleased(i);
	}
	mouse.shift = io.KeyShift;
	mouse.control = io.KeyCtrl;
	mouse.alt = io.KeyAlt;
	mouse.overPanel = io.WantCaptureMouse;
	return mouse;
}

bool drapeUi_WantsText(void)
{
	return ImGui::GetIO().WantTextInput;
}

bool drapeUi_IsEditing(void)
{
	return ImGui::IsAnyItemActive();
}

bool drapeUi_HasModal(void)
{
	return ImGui::GetCurrentContext()->OpenPopupStack.Size > 0;
}

// --- windows ---

void drapeUi_BeginPanel(const char* name, UiRect rect, UiColour background)
{
	snprintf(panelName, sizeof panelName, "%s", name);
	ImGui::SetNextWindowPos(ImVec2(rect.x, rect.y));
	ImGui::SetNextWindowSize(ImVec2(rect.width, rect.height));
	ImGui::PushStyleColor(ImGuiCol_WindowBg, Colour4(background));
	// Translucent panels lie over the picture and have round corners.
	ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, (background & 255) != 255 ? 8.0f : 0.0f);
	ImGui::Begin(name, nullptr,
	             ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
	                 ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav);
	ImGui::PopStyleVar();
	ImGui::PopStyleColor();
}

void drapeUi_EndPanel(void)
{
	ImGui::End();
}

void drapeUi_BeginChild(const char* name, float width, float height, UiColour background)
{
	ImGui::PushStyleColor(ImGuiCol_ChildBg, Colour4(background));
	ImGui::BeginChild(name, ImVec2(width, height), false,
	                  (background & 255) != 0 ? ImGuiWindowFlags_AlwaysUseWindowPadding : ImGuiWindowFlags_NoNav);
	ImGui::PopStyleColor();
}

void drapeUi_EndChild(void)
{
	ImGui::EndChild();
}

void drapeUi_OpenModal(const char* name)
{
	ImGui::OpenPopup(name);
}

bool drapeUi_BeginModal(const char* name, float width, float height)
{
	ImVec2 centre = ImGui::GetMainViewport()->GetCenter();
	ImGui::SetNextWindowPos(centre, ImGuiCond_Always, ImVec2(0.5f, 0.5f));
	ImGui::SetNextWindowSize(ImVec2(width, height));
	ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(18, 16));
	ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8.0f);
	bool open = ImGui::BeginPopupModal(name, nullptr,
	                                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
	                                       ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
	ImGui::PopStyleVar(2);
	if (open)
		EnterPopup(name);
	return open;
}

void drapeUi_EndModal(void)
{
	LeavePopup();
}

void drapeUi_OpenPopup(const char* name)
{
	ImGui::OpenPopup(name);
}

bool drapeUi_BeginPopup(const char* name)
{
	ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
	ImGui::SetNextWindowPos(ImVec2(min.x, max.y + 4.0f));
	ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(10, 8));
	bool open = ImGui::BeginPopup(name);
	ImGui::PopStyleVar();
	if (open)
		EnterPopup(name);
	return open;
}

void drapeUi_EndPopup(void)
{
	LeavePopup();
}

void drapeUi_ClosePopup(void)
{
	ImGui::CloseCurrentPopup();
}

void drapeUi_CloseTop(void)
{
	int count = ImGui::GetCurrentContext()->OpenPopupStack.Size;
	if (count > 0)
		ImGui::ClosePopupToLevel(count - 1, true);
}

bool drapeUi_MenuItem(const char* label, const char* shortcut, bool enabled)
{
	bool chosen = ImGui::MenuItem(label, shortcut, false, enabled);
	Remember(label);
	return chosen;
}

bool drapeUi_BeginTabs(const char* name)
{
	return ImGui::BeginTabBar(name, ImGuiTabBarFlags_NoTooltip | ImGuiTabBarFlags_FittingPolicyScroll);
}

bool drapeUi_BeginTab(const char* label, bool select)
{
	bool open = ImGui::BeginTabItem(label, nullptr, select ? ImGuiTabItemFlags_SetSelected : 0);
	Remember(label);
	return open;
}

void drapeUi_EndTab(void)
{
	ImGui::EndTabItem();
}

void drapeUi_EndTabs(void)
{
	ImGui::EndTabBar();
}

// --- layout ---

void drapeUi_SameLine(float spacing)
{
	ImGui::SameLine(0.0f, spacing);
}

void drapeUi_SameLineAt(float x)
{
	ImGui::SameLine(x);
}

void drapeUi_Gap(float height)
{
	ImGui::Dummy(ImVec2(0.0f, height));
}

void drapeUi_Separator(void)
{
	ImGui::Separator();
}

UiRect drapeUi_Reserve(float width, float height)
{
	ImVec2 at = ImGui::GetCursorScreenPos();
	ImGui::Dummy(ImVec2(width, height));
	return UiRect{at.x, at.y, width, height};
}

static UiRect LastItem(void)
{
	return RectOf(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

float drapeUi_AvailableWidth(void)
{
	return ImGui::GetContentRegionAvail().x;
}

void drapeUi_PushId(int id)
{
	ImGui::PushID(id);
}

void drapeUi_PopId(void)
{
	ImGui::PopID();
}

void drapeUi_BeginDisabled(bool disabled)
{
	ImGui::BeginDisabled(disabled);
}

void drapeUi_EndDisabled(void)
{
	ImGui::EndDisabled();
}

// --- text ---

void drapeUi_TextColoured(const char* text, UiColour colour)
{
	ImGui::PushStyleColor(ImGuiCol_Text, Colour4(colour));
	ImGui::TextUnformatted(text);
	ImGui::PopStyleColor();
}

void drapeUi_TextWrapped(const char* text, UiColour colour)
{
	ImGui::PushStyleColor(ImGuiCol_Text, Colour4(colour));
	ImGui::PushTextWrapPos(0.0f);
	ImGui::TextUnformatted(text);
	ImGui::PopTextWrapPos();
	ImGui::PopStyleColor();
}

void drapeUi_Heading(const char* text)
{
	if (boldFont)
		ImGui::PushFont(boldFont);
	ImGui::TextUnformatted(text);
	if (boldFont)
		ImGui::PopFont();
}

UiPoint drapeUi_TextSize(const char* text)
{
	ImVec2 size = ImGui::CalcTextSize(text);
	return UiPoint{size.x, size.y};
}

void drapeUi_Tip(const char* text)
{
	if (!text || !text[0] || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
		return;
	ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(10, 7));
	ImGui::BeginTooltip();
	ImGui::PushTextWrapPos(300.0f);
	ImGui::TextUnformatted(text);
	ImGui::PopTextWrapPos();
	ImGui::EndTooltip();
	ImGui::PopStyleVar();
}

// --- items ---

namespace
{

bool ShowButton(const char* label, ImVec2 size, UiButtonKind kind)
{
	int colours = kind == ui_buttonPlain ? 0 : 3;
	if (kind == ui_buttonPrimary)
	{
		ImGui::PushStyleColor(ImGuiCol_Button, Colour4(0xc4643effu));
		ImGui::PushStyleColor(ImGuiCol_ButtonHovered, Colour4(0xd6744dffu));
		ImGui::PushStyleColor(ImGuiCol_ButtonActive, Colour4(0xb25733ffu));
	}
	else if (kind == ui_buttonQuiet)
	{
		ImGui::PushStyleColor(ImGuiCol_Button, Colour4(0x00000000u));
		ImGui::PushStyleColor(ImGuiCol_ButtonHovered, Colour4(0x3e434cffu));
		ImGui::PushStyleColor(ImGuiCol_ButtonActive, Colour4(0x474d57ffu));
	}
	bool clicked = ImGui::Button(label, size);
	ImGui::PopStyleColor(colours);
	Remember(label);
	return clicked;
}

} // namespace

bool drapeUi_Button(const char* label, float width, UiButtonKind kind)
{
	return ShowButton(label, ImVec2(width, 0.0f), kind);
}

bool drapeUi_TallButton(const char* label, float width, UiButtonKind kind)
{
	return ShowButton(label, ImVec2(width, 30.0f), kind);
}

UiItem drapeUi_Hotspot(const char* id, float width, float height)
{
	UiItem item = {};
	item.clicked = ImGui::InvisibleButton(id, ImVec2(width, height));
	item.hovered = ImGui::IsItemHovered();
	item.held = ImGui::IsItemActive();
	item.doubleClicked = item.hovered && ImGui::IsMouseDoubleClicked(0);
	item.rightClicked = ImGui::IsItemClicked(1);
	item.rect = LastItem();
	Remember(id);
	return item;
}

bool drapeUi_Selectable(const char* label, bool selected, float width, bool* doubleClicked)
{
	bool clicked = ImGui::Selectable(label, selected, ImGuiSelectableFlags_AllowDoubleClick, ImVec2(width, 0.0f));
	if (doubleClicked)
		*doubleClicked = clicked && ImGui::IsMouseDoubleClicked(0);
	Remember(label);
	return clicked;
}

bool drapeUi_Section(const char* label, bool open)
{
	ImGui::PushStyleColor(ImGuiCol_Header, Colour4(0x2e3238ffu));
	if (boldFont)
		ImGui::PushFont(boldFont);
	bool shown = ImGui::CollapsingHeader(label, open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
	if (boldFont)
		ImGui::PopFont();
	ImGui::PopStyleColor();
	Remember(label);
	return shown;
}

bool drapeUi_InputText(const char* id, char* text, uint32_t capacity, float width, bool focus)
{
	ImGui::SetNextItemWidth(width);
	if (focus)
		ImGui::SetKeyboardFocusHere();
	bool done = ImGui::InputText(id, text, capacity, ImGuiInputTextFlags_EnterReturnsTrue);
	Remember(id);
	return done;
}

// --- rows ---

bool drapeUi_RowFloat(const char* label, float* value, float speed, float low, float high, const char* format,
                      const char* tip)
{
	BeginRow(label, tip);
	bool changed = ImGui::DragFloat("##", value, speed, low, high, format, ImGuiSliderFlags_AlwaysClamp);
	EndRow(label, tip);
	return changed;
}

bool drapeUi_RowLog(const char* label, float* value, float low, float high, const char* format, const char* tip)
{
	BeginRow(label, tip);
	bool changed = ImGui::DragFloat("##", value, 0.002f * (high - low), low, high, format,
	                                ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
	EndRow(label, tip);
	return changed;
}

bool drapeUi_RowUint(const char* label, uint32_t* value, uint32_t low, uint32_t high, const char* format,
                     const char* tip)
{
	BeginRow(label, tip);
	float speed = (high - low) > 1000 ? 2.0f : 0.06f;
	bool changed =
		ImGui::DragScalar("##", ImGuiDataType_U32, value, speed, &low, &high, format, ImGuiSliderFlags_AlwaysClamp);
	EndRow(label, tip);
	return changed;
}

bool drapeUi_RowVec3(const char* label, float* values, float speed, const char* format, const char* tip)
{
	BeginRow(label, tip);
	ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(3, 4));
	ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, ImVec2(3, 4));
	bool changed = ImGui::DragFloat3("##", values, speed, 0.0f, 0.0f, format);
	ImGui::PopStyleVar(2);
	EndRow(label, tip);
	return changed;
}

bool drapeUi_RowBool(const char* label, bool* value, const char* tip)
{
	BeginRow(label, tip);
	bool changed = ImGui::Checkbox("##", value);
	EndRow(label, tip);
	return changed;
}

bool drapeUi_RowChoice(const char* label, int* value, const char* const* names, int count, const char* tip)
{
	BeginRow(label, tip);
	bool changed = false;
	const char* shown = *value >= 0 && *value < count ? names[*value] : "";
	bool open = ImGui::BeginCombo("##", shown, ImGuiComboFlags_HeightLarge);
	if (!open)
		Remember(label);
	for (int i = 0; open && i < count; ++i)
	{
		if (ImGui::Selectable(names[i], i == *value))
		{
			changed = i != *value;
			*value = i;
		}
		Remember(names[i]);
	}
	if (open)
		ImGui::EndCombo();
	else
		drapeUi_Tip(tip);
	ImGui::PopID();
	return changed;
}

bool drapeUi_RowText(const char* label, char* text, uint32_t capacity, const char* tip)
{
	BeginRow(label, tip);
	ImGui::InputText("##", text, capacity);
	bool done = ImGui::IsItemDeactivatedAfterEdit();
	EndRow(label, tip);
	return done;
}

bool drapeUi_RowColour(const char* label, float* rgb, const char* tip)
{
	BeginRow(label, tip);
	bool changed = ImGui::ColorEdit3("##", rgb, ImGuiColorEditFlags_DisplayHex);
	EndRow(label, tip);
	return changed;
}

void drapeUi_RowLabel(const char* label, const char* value, const char* tip)
{
	BeginRow(label, tip);
	ImGui::TextUnformatted(value);
	EndRow(label, tip);
}

// --- drawing ---

void drapeUi_DrawOverPicture(bool over)
{
	overPicture = over;
}

void drapeUi_ClipDrawing(UiRect r)
{
	Drawing()->PushClipRect(ImVec2(r.x, r.y), ImVec2(r.x + r.width, r.y + r.height), true);
}

void drapeUi_EndClip(void)
{
	Drawing()->PopClipRect();
}

void drapeUi_Line(UiPoint a, UiPoint b, UiColour colour, float thickness)
{
	Drawing()->AddLine(Point(a), Point(b), Colour32(colour), thickness);
}

void drapeUi_Polyline(const UiPoint* points, int count, UiColour colour, float thickness)
{
	Drawing()->AddPolyline((const ImVec2*)(const void*)points, count, Colour32(colour), 0, thickness);
}

void drapeUi_FillPolygon(const UiPoint* points, int count, UiColour colour)
{
	Drawing()->AddConvexPolyFilled((const ImVec2*)(const void*)points, count, Colour32(colour));
}

void drapeUi_Rect(UiRect r, UiColour colour, float rounding, float thickness)
{
	Drawing()->AddRect(ImVec2(r.x, r.y), ImVec2(r.x + r.width, r.y + r.height), Colour32(colour), rounding, 0,
	                   thickness);
}

void drapeUi_FillRect(UiRect r, UiColour colour, float rounding)
{
	Drawing()->AddRectFilled(ImVec2(r.x, r.y), ImVec2(r.x + r.width, r.y + r.height), Colour32(colour), rounding);
}

void drapeUi_FillCircle(UiPoint centre, float radius, UiColour colour)
{
	Drawing()->AddCircleFilled(Point(centre), radius, Colour32(colour));
}

void drapeUi_TextAt(UiPoint at, const char* text, UiColour colour)
{
	Drawing()->AddText(Point(at), Colour32(colour), text);
}

// --- records ---

int drapeUi_RecordCount(void)
{
	return recordCounts[recordTurn];
}

const UiRecord* drapeUi_Record(int index)
{
	return &records[recordTurn][index];
}

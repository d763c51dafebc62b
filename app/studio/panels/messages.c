// SPDX-License-Identifier: MIT
#include "studio.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void drapeMessages_Add(Messages* messages, MessageKind kind, const char* format, ...)
{
	Message message = {.kind = kind, .time = messages->clock ? *messages->clock : 0.0};
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message.text, sizeof message.text, format, arguments);
	va_end(arguments);
	messages->errors += kind == message_error;
	messages->shown = messages->shown || kind == message_error;
	// A message that repeats, for example while a value is dragged, is shown once.
	if (messages->count > 0 && strcmp(messages->list[messages->count - 1].text, message.text) == 0)
		messages->count--;
	if (messages->count == message_capacity)
	{
		memmove(&messages->list[0], &messages->list[1], (message_capacity - 1) * sizeof messages->list[0]);
		messages->count--;
	}
	messages->list[messages->count++] = message;
}

void drapeMessages_Clear(Messages* messages)
{
	messages->count = 0;
	messages->shown = false;
}

// Shows the newest messages at the lower edge of the picture until the user closes them.
void drapeMessages_Show(Studio* studio)
{
	Messages* messages = &studio->messages;
	if (!messages->shown || messages->count == 0)
		return;
	float height = fminf(40.0f + 44.0f * (float)messages->count, 170.0f),
		  width = fminf(studio->picture.width - 24, 620);
	UiRect rect = {studio->picture.x + 12, studio->picture.y + studio->picture.height - height - 12, width, height};
	drapeUi_BeginPanel("Messages", rect, 0x2b2f35f2u);
	drapeUi_Heading("Messages");
	drapeUi_SameLineAt(width - 150);
	if (drapeUi_Button("Clear", 62, ui_buttonQuiet))
		drapeMessages_Clear(messages);
	drapeUi_SameLine(4);
	if (drapeUi_Button("Hide", 62, ui_buttonQuiet))
		messages->shown = false;
	drapeUi_BeginChild("list", 0, 0, 0);
	for (uint32_t i = messages->count; i-- > 0;)
	{
		const Message* message = &messages->list[i];
		drapeUi_TextWrapped(message->text, message->kind == message_error ? UI_BAD : UI_MUTED);
	}
	drapeUi_EndChild();
	drapeUi_EndPanel();
}

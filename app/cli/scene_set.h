// SPDX-License-Identifier: MIT
#pragma once

// Scenes with values from the command line (scene_set.c).

#include "cli.h"

#include "drape/scene.h"

// Help of the option.
#define SCENE_SET_HELP "set any key of the scene, such as cloths[0].material.preset=denim; may be repeated"

// Reads a scene and sets keys of it: "wind.velocity=[8,0,0]". An entry of a list is given by its number from 0 or its
// name. Values are JSON; other text is a word. The errors are those of drapeScene_Read, and drape_errorArgument for a
// setting that is not KEY=VALUE or names an entry that does not exist.
drapeResult SceneSet_Read(const char* path, const CliList* settings, drapeScene** scene, drapeMessage* error);

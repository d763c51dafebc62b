// SPDX-License-Identifier: MIT
// A window with a cape on a figure that walks. Escape ends the program.
// cc viewer.c $(pkg-config --cflags --libs drape glfw3 epoxy) -lm

#include "figure.h"

#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <string.h>

// `scene` has target and angle of the camera, position and aspect ratio, rotation, colour. Instance 1 is the shadow.
static const char* const shaders[2] = {
	"#version 330\n layout(location = 0) in vec3 position; layout(location = 1) in vec3 normal;"
	"uniform vec4 scene[4]; out vec3 p, n; flat out int isShadow;"
	"vec3 turn(vec3 v) { return v + 2.0 * cross(scene[2].xyz, cross(scene[2].xyz, v) + scene[2].w * v); }"
	"void main() { p = turn(position) + scene[1].xyz; n = turn(normal); isShadow = gl_InstanceID;"
	"	if (isShadow == 1) p = vec3(p.x - 0.4 * p.y, 0.003, p.z + 0.3 * p.y);"
	"	vec3 back = normalize(vec3(sin(scene[0].w), 0.2, cos(scene[0].w))), view = p - scene[0].xyz - 3.2 * back;"
	"	vec3 right = normalize(cross(vec3(0, 1, 0), back)), up = cross(back, right); float depth = -dot(view, back);"
	"	gl_Position = vec4(2.8 * dot(right, view) / scene[1].w, 2.8 * dot(up, view), depth - 0.1, depth); }",
	"#version 330\n uniform vec4 scene[4]; in vec3 p, n; flat in int isShadow; out vec4 result;"
	"void main() { vec3 normal = normalize(gl_FrontFacing ? n : -n), colour = scene[3].rgb;"
	"	float tile = mod(floor(1.5 * p.x) + floor(1.5 * p.z), 2.0), lining = gl_FrontFacing ? 1.0 : 0.5;"
	"	colour = scene[3].a == 0.0 || isShadow == 1 ? vec3(0.46 + 0.09 * tile) : lining * colour;"
	"	vec3 sky = (0.32 + 0.14 * normal.y) * vec3(0.8, 0.9, 1), sun = vec3(0.95, 0.9, 0.8);"
	"	vec3 lit = colour * (isShadow == 1 ? vec3(0.4) : sky + sun * max(dot(normal, vec3(0.36, 0.9, "
	"-0.27)), 0.0));"
	"	float haze = 1.0 - exp(-0.01 * dot(p - scene[0].xyz, p - scene[0].xyz));"
	"	result = vec4(mix(lit, vec3(0.72, 0.8, 0.88), haze), 1.0); }",
};
static const float ground[4] = {0}, skin[4] = {0.8f, 0.55f, 0.42f, 1.0f}, clothes[4] = {0.13f, 0.19f, 0.33f, 1.0f},
				   red[4] = {0.72f, 0.05f, 0.06f, 1.0f};
static const GLsizei vertexSize = 2 * sizeof(drapeVec3); // a position and a normal
#define OBJECTS (figureColliders + 1)                    // the last one is the cape

static void MakeProgram(void)
{
	GLuint program = glCreateProgram(), array;
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	for (GLuint i = 0; i < 2; ++i)
	{
		GLuint shader = glCreateShader(i == 0 ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER);
		glShaderSource(shader, 1, &shaders[i], NULL);
		glCompileShader(shader);
		glAttachShader(program, shader);
		glEnableVertexAttribArray(i);
	}
	glLinkProgram(program);
	glUseProgram(program);
	glEnable(GL_DEPTH_TEST);
	glClearColor(0.72f, 0.8f, 0.88f, 1.0f);
}

static void* Map(const GLuint buffers[2], GLenum target, size_t size)
{
	glBindBuffer(target, buffers[target == GL_ELEMENT_ARRAY_BUFFER]);
	glBufferData(target, (GLsizeiptr)size, NULL, GL_STREAM_DRAW);
	return glMapBuffer(target, GL_WRITE_ONLY);
}

static GLsizei UploadCollider(const GLuint buffers[2], drapeColliderId collider)
{
	drapeColliderDef def = drapeCollider_GetDef(collider);
	drapeColliderSurfaceSize size = drapeColliderShape_GetSurfaceSize(&def);
	drapeVec3* vertices = Map(buffers, GL_ARRAY_BUFFER, size.vertexCount * vertexSize);
	uint32_t* indices = Map(buffers, GL_ELEMENT_ARRAY_BUFFER, size.triangleCount * 3 * sizeof *indices);
	drapeColliderShape_WriteSurface(&def, 0.003f, vertices, vertices + 1, vertexSize, indices);
	glUnmapBuffer(GL_ARRAY_BUFFER);
	glUnmapBuffer(GL_ELEMENT_ARRAY_BUFFER);
	return (GLsizei)(3 * size.triangleCount);
}

static void UploadCape(const GLuint buffers[2], drapeClothId cape, uint32_t* revision, GLsizei* indexCount)
{
	drapeVertexSize size;
	drapeCloth_GetVertexSize(cape, drape_verticesPerParticle, &size);
	drapeVec3* vertices = Map(buffers, GL_ARRAY_BUFFER, size.vertexCount * vertexSize);
	drapeVertexLayout layout = {.positions = {vertices, vertexSize}, .normals = {vertices + 1, vertexSize}};
	drapeCloth_WriteVertices(cape, &layout, size.vertexCount);
	glUnmapBuffer(GL_ARRAY_BUFFER);
	if (*revision == drapeCloth_GetRevision(cape))
		return; // indices change with the topology alone
	*revision = drapeCloth_GetRevision(cape);
	void* indices = Map(buffers, GL_ELEMENT_ARRAY_BUFFER, size.indexCount * sizeof(uint32_t));
	drapeCloth_WriteIndices(cape, drape_verticesPerParticle, indices, sizeof(uint32_t), size.indexCount);
	glUnmapBuffer(GL_ELEMENT_ARRAY_BUFFER);
	*indexCount = (GLsizei)size.indexCount;
}

static void Draw(const GLuint buffers[2], GLsizei indexCount, drapeTransform at, const float* colour, float scene[16])
{
	memcpy(&scene[4], &at.position, sizeof at.position);
	memcpy(&scene[8], &at.rotation, sizeof at.rotation);
	memcpy(&scene[12], colour, 4 * sizeof *colour);
	glUniform4fv(0, 4, scene);
	glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, vertexSize, NULL);
	glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, vertexSize, (void*)sizeof(drapeVec3));
	glDrawElementsInstanced(GL_TRIANGLES, indexCount, GL_UNSIGNED_INT, NULL, colour == ground ? 1 : 2);
}

int main(void)
{
	glfwInit();
	glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
	glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
	glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
	glfwWindowHint(GLFW_SAMPLES, 4);
	glfwWindowHint(GLFW_RESIZABLE, GLFW_FALSE);
	GLFWwindow* window = glfwCreateWindow(1280, 720, "drape viewer", NULL, NULL);
	drapeWorldDef worldDef = drapeDefaultWorldDef();
	drapeWorldId world;
	if (!window || drapeCreateWorld(&worldDef, &world, NULL) != drape_ok)
		return 1;
	drapeColliderId colliders[figureColliders];
	Figure_AddColliders(world, colliders);
	drapeClothDef clothDef = drapeDefaultClothDef();
	clothDef.contact = drape_contactAll;
	drapeClothId cape = Figure_AddCape(world, clothDef, colliders[figureTorso]);
	GLuint buffers[OBJECTS][2], cloak = OBJECTS - 1; // each object has one of vertices and one of indices
	GLsizei indexCounts[OBJECTS];
	uint32_t revision = 0;
	glfwMakeContextCurrent(window);
	MakeProgram();
	glGenBuffers(2 * OBJECTS, buffers[0]);
	for (int i = 0; i < figureColliders; ++i)
		indexCounts[i] = UploadCollider(buffers[i], colliders[i]);
	while (!glfwWindowShouldClose(window) && glfwGetKey(window, GLFW_KEY_ESCAPE) != GLFW_PRESS)
	{
		Figure_Walk((float)drapeWorld_GetTime(world) + 1.0f / 60.0f, (drapeVec3){0}, colliders);
		drapeWorld_Step(world, 1.0f / 60.0f);
		UploadCape(buffers[cloak], cape, &revision, &indexCounts[cloak]);
		glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
		drapeVec3 at = drapeCollider_GetTransform(colliders[figureTorso]).position;
		float scene[16] = {at.x, 0.9f, at.z, 2.3f + 0.45f * (float)drapeWorld_GetTime(world), [7] = 1280.0f / 720.0f};
		for (int i = 0; i < figureColliders; ++i)
		{
			const float* colour = i == figureGround ? ground : i == figureHead || i == 3 || i == 5 ? skin : clothes;
			Draw(buffers[i], indexCounts[i], drapeCollider_GetTransform(colliders[i]), colour, scene);
		}
		Draw(buffers[cloak], indexCounts[cloak], drapeIdentityTransform(), red, scene);
		glfwSwapBuffers(window);
		glfwPollEvents();
	}
	glfwTerminate();
	return drapeDestroyWorld(world) == drape_ok ? 0 : 1;
}

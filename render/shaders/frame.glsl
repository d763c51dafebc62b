// What all shaders read; FrameBlock in gl.h.
layout(std140) uniform Frame
{
	mat4 viewProjection;
	mat4 shadowMatrix;
	vec4 eye;
	vec4 light;
	vec4 shadow;
	vec4 ground;
	vec4 foot;
	vec4 background;
};

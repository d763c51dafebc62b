layout(location = 0) in vec3 position;
layout(location = 3) in vec4 colour;
out vec4 vColour;

void main()
{
	vColour = colour;
	gl_Position = viewProjection * vec4(position, 1.0);
	// In front of the surface they lie on.
	gl_Position.z -= 4e-4 * gl_Position.w;
}

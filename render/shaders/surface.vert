layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 material;
layout(location = 3) in vec4 colour;
out vec3 vPosition;
out vec3 vNormal;
out vec2 vMaterial;
out vec4 vColour;
#ifdef WIRE
// Corners that are not shared are numbered 0, 1, 2, 0, 1, 2: from that, where in its triangle a fragment is.
uniform int firstVertex;
out vec3 vCorner;
#endif

void main()
{
	vPosition = position;
	vNormal = normal;
	vMaterial = material;
	vColour = colour;
#ifdef WIRE
	int corner = (gl_VertexID - firstVertex) % 3;
	vCorner = vec3(corner == 0, corner == 1, corner == 2);
#endif
	gl_Position = viewProjection * vec4(position, 1.0);
}

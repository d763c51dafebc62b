// One triangle over the whole picture, behind everything.
void main()
{
	vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
	gl_Position = vec4(4.0 * corner - 1.0, 1.0, 1.0);
}

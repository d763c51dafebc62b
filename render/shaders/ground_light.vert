// One triangle over the whole of where shadows fall.
out vec3 vPosition;

void main()
{
	vec2 corner = 2.0 * vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
	vec2 p = foot.xy + corner * foot.zw;
	vPosition = vec3(p.x, ground.w, p.y);
	gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}

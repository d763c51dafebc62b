in vec3 vPosition;
in vec3 vNormal;
in vec4 vColour;

void main()
{
	vec3 v = normalize(eye.xyz - vPosition);
	vec3 n = normalize(vNormal);
	n = gl_FrontFacing ? n : -n;
	vec3 l = light.xyz;
	float nl = max(dot(n, l), 0.0);
	float lit = Lit(vPosition, n, 1.0);
	float rim = 1.0 - max(dot(n, v), 0.0);
	float highlight = pow(max(dot(n, normalize(l + v)), 0.0), 40.0);
	vec3 c = Linear(vColour.rgb) * (0.55 * Sky(n) + sunColour * (0.36 * nl * lit));
	c += (0.10 * highlight * lit) * sunColour + 0.05 * rim * rim * rim;
	pixel = Encode(Wire(c));
}

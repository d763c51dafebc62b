// Antialiasing of a picture with one sample for each pixel, after Lottes's FXAA (2009): where brightness changes, a
// little is blended along the edge. Costs a fraction of four samples on a software renderer.
uniform sampler2D picture;

void main()
{
	ivec2 at = ivec2(gl_FragCoord.xy);
	ivec2 last = ivec2(background.xy) - 1;
	vec3 middle = texelFetch(picture, at, 0).rgb;
	float nw = texelFetch(picture, clamp(at + ivec2(-1, 1), ivec2(0), last), 0).g;
	float ne = texelFetch(picture, clamp(at + ivec2(1, 1), ivec2(0), last), 0).g;
	float sw = texelFetch(picture, clamp(at + ivec2(-1, -1), ivec2(0), last), 0).g;
	float se = texelFetch(picture, clamp(at + ivec2(1, -1), ivec2(0), last), 0).g;
	float low = min(middle.g, min(min(nw, ne), min(sw, se)));
	float high = max(middle.g, max(max(nw, ne), max(sw, se)));
	bool edge = high - low > max(0.04, 0.12 * high);
	vec3 c = middle;
	// A loop, since software renderers skip an empty one but not an empty branch.
	for (int i = 0; i < 1 && edge; ++i)
	{
		vec2 along = vec2((sw + se) - (nw + ne), (nw + sw) - (ne + se));
		float smallest = min(abs(along.x), abs(along.y)) + 0.03;
		along = clamp(along / smallest, -6.0, 6.0) / background.xy;
		vec2 p = gl_FragCoord.xy / background.xy;
		vec3 near = 0.5 * (textureLod(picture, p - along / 6.0, 0.0).rgb + textureLod(picture, p + along / 6.0, 0.0).rgb);
		vec3 wide = 0.5 * near + 0.25 * (textureLod(picture, p - along * 0.5, 0.0).rgb +
		                                 textureLod(picture, p + along * 0.5, 0.0).rgb);
		c = wide.g < low || wide.g > high ? near : wide;
	}
	pixel = vec4(c, 1.0);
}

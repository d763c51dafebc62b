// Antialiasing of a picture with one sample for each pixel, after Lottes's FXAA (2009): where brightness changes, a
// little is blended along the edge. Costs a fraction of four samples on a software renderer.
uniform sampler2D picture;

void main()
{
	ivec2 at = ivec2(gl_FragCoord.xy);
	vec3 middle = texelFetch(picture, at, 0).rgb;
	float nw = texelFetchOffset(picture, at, 0, ivec2(-1, 1)).g;
	float ne = texelFetchOffset(picture, at, 0, ivec2(1, 1)).g;
	float sw = texelFetchOffset(picture, at, 0, ivec2(-1, -1)).g;
	float se = texelFetchOffset(picture, at, 0, ivec2(1, -1)).g;
	float low = min(middle.g, min(min(nw, ne), min(sw, se)));
	float high = max(middle.g, max(max(nw, ne), max(sw, se)));
	// What is beyond the rim of the picture is undefined.
	bvec2 inside = lessThan(abs(2.0 * gl_FragCoord.xy - background.xy), background.xy - 2.0);
	bool edge = high - low > max(0.04, 0.12 * high) && inside.x && inside.y;
	vec2 along = vec2((sw + se) - (nw + ne), (nw + sw) - (ne + se));
	along = clamp(along / (min(abs(along.x), abs(along.y)) + 0.03), -2.0, 2.0) * 0.4;
	vec2 p = gl_FragCoord.xy;
	vec3 blended = 0.5 * (textureLod(picture, (p - along) / background.xy, 0.0).rgb +
	                      textureLod(picture, (p + along) / background.xy, 0.0).rgb);
	pixel = vec4(edge ? blended : middle, 1.0);
}

// Fades into the background, so that it has no edge, and has a fine grid of a quarter of a metre.
in vec3 vPosition;

#if defined(SHADOWS) && SHADOWS == 1
uniform sampler2D groundLight;

float Light()
{
	return texture(groundLight, (vPosition.xz - foot.xy) / foot.zw).r;
}
#else
float Light()
{
	return Lit(vPosition, vec3(0.0, 1.0, 0.0), 1.0);
}
#endif

void main()
{
	vec2 cell = vPosition.xz * 4.0;
	vec2 width = max(fwidth(cell), vec2(1e-5));
	vec2 line = abs(fract(cell - 0.5) - 0.5) / width;
	float grid = (1.0 - min(min(line.x, line.y), 1.0)) * clamp(1.0 - 3.0 * max(width.x, width.y), 0.0, 1.0);
	vec3 albedo = vec3(0.56, 0.56, 0.555) * (1.0 - 0.10 * grid);
	vec3 up = vec3(0.0, 1.0, 0.0);
	vec3 c = albedo * (0.55 * Sky(up) + sunColour * (0.36 * light.y * Light()));
	float away = length(vPosition.xz - ground.xy) / ground.z;
	pixel = Encode(mix(c, Background(gl_FragCoord.xy), smoothstep(0.25, 1.0, away)));
}

// What all fragment shaders share. They work in linear light and encode what they write.
layout(location = 0) out vec4 pixel;

vec3 Linear(vec3 srgb)
{
	return srgb * (srgb * (srgb * 0.305306011 + 0.682171111) + 0.012522878);
}

// Above 0.7 brightness is compressed instead of cut off. The curve is made of roots and is that of sRGB to within two of
// 255 steps: the difference cannot be seen, the price can.
vec4 Encode(vec3 c)
{
	vec3 over = max(c - 0.7, 0.0);
	c = min(c, 0.7) + 0.3 * over / (over + 0.3);
	vec3 root = sqrt(max(c, 0.0));
	return vec4(0.858 * root + 0.142 * sqrt(root), 1.0);
}

vec3 Background(vec2 at)
{
	vec2 p = at / background.xy;
	vec3 c = mix(vec3(0.62, 0.63, 0.65), vec3(0.36, 0.42, 0.50), smoothstep(0.25, 1.0, p.y));
	vec2 d = p - vec2(0.5, 0.45);
	return c * (1.0 - 0.35 * dot(d, d));
}

const vec3 sunColour = vec3(2.15, 2.05, 1.90);

vec3 Sky(vec3 n)
{
	return mix(vec3(0.31, 0.28, 0.26), vec3(0.55, 0.57, 0.60), 0.5 + 0.5 * n.y);
}

// How much of the sun reaches a point: three looks into the shadow map, turned against its grid, each of
// which is filtered; in fine pictures twelve, and softer. Looks are what shadows cost. Softness is 1, or more where the
// result is looked up again.
#ifdef SHADOWS
uniform sampler2DShadow shadowMap;

float Lit(vec3 p, vec3 n, float softness)
{
	vec4 s = shadowMatrix * vec4(p + n * shadow.z, 1.0);
	vec3 at = s.xyz * 0.5 + 0.5;
	at.z = min(at.z - shadow.y, 1.0);
#if SHADOWS == 2
	float r = 3.0 * shadow.x * softness;
	float sum = texture(shadowMap, at + vec3(0.20 * r, -0.10 * r, 0.0));
	sum += texture(shadowMap, at + vec3(-0.26 * r, 0.32 * r, 0.0));
	sum += texture(shadowMap, at + vec3(0.06 * r, -0.50 * r, 0.0));
	sum += texture(shadowMap, at + vec3(0.40 * r, 0.48 * r, 0.0));
	sum += texture(shadowMap, at + vec3(-0.62 * r, 0.10 * r, 0.0));
	sum += texture(shadowMap, at + vec3(0.70 * r, -0.26 * r, 0.0));
	sum += texture(shadowMap, at + vec3(0.10 * r, 0.84 * r, 0.0));
	sum += texture(shadowMap, at + vec3(-0.42 * r, -0.78 * r, 0.0));
	sum += texture(shadowMap, at + vec3(0.92 * r, 0.30 * r, 0.0));
	sum += texture(shadowMap, at + vec3(-0.60 * r, 0.78 * r, 0.0));
	sum += texture(shadowMap, at + vec3(-0.94 * r, -0.32 * r, 0.0));
	sum += texture(shadowMap, at + vec3(0.52 * r, -0.84 * r, 0.0));
	return sum / 12.0;
#else
	float r = shadow.x * softness;
	float sum = texture(shadowMap, at + vec3(0.92 * r, 0.38 * r, 0.0));
	sum += texture(shadowMap, at + vec3(-0.79 * r, 0.61 * r, 0.0));
	sum += texture(shadowMap, at + vec3(-0.13 * r, -0.99 * r, 0.0));
	return sum / 3.0;
#endif
}
#else
float Lit(vec3 p, vec3 n, float softness)
{
	return 1.0;
}
#endif

// Darkens along the edges of triangles, in a line as wide at any distance.
#ifdef WIRE
in vec3 vCorner;

vec3 Wire(vec3 c)
{
	vec3 d = vCorner / max(fwidth(vCorner), vec3(1e-6));
	float line = 1.0 - smoothstep(0.3, 1.3, min(d.x, min(d.y, d.z)));
	return mix(c, c * 0.22, 0.85 * line);
}
#else
vec3 Wire(vec3 c)
{
	return c;
}
#endif

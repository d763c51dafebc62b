// Light on fibres: diffuse light wraps around a little, since fibres stand up and light goes through them; a layer of
// fuzz shines where it is seen from the side (distribution of Estevez and Kulla 2017, visibility of Ashikhmin and
// Premoze 2007); smooth threads have a highlight across them (Kajiya and Kay 1989). The weave bends the normal where it
// is large enough to be seen.
in vec3 vPosition;
in vec3 vNormal;
in vec2 vMaterial;
in vec4 vColour;

uniform vec3 front;
uniform vec3 back;
uniform vec3 second;
uniform vec4 pattern; // kind, 1 / size, position
uniform vec4 fabric;  // wrap, sheen, sharpness of the sheen, highlight
uniform vec4 fabric2; // threads per metre, their depth, twill, unevenness of the yarn

#ifdef IMAGE
uniform sampler2D image;

// Rows of an image begin at the top, v at the bottom.
vec3 Albedo(vec2 m)
{
	vec2 p = (m - pattern.zw) * pattern.y;
	vec2 size = vec2(textureSize(image, 0));
	return Linear(texture(image, vec2(p.x, -p.y * size.x / size.y)).rgb);
}
#else
// 1 between low and high, with edges as wide as a pixel.
float Band(float x, float low, float high, float width)
{
	return clamp((x - low) / width + 0.5, 0.0, 1.0) - clamp((x - high) / width + 0.5, 0.0, 1.0);
}

// How much of the second colour there is.
float Woven(vec2 m)
{
	vec2 p = (m - pattern.zw) * pattern.y;
	vec2 w = max(fwidth(p), vec2(1e-5));
	p = fract(p);
	vec2 stripe = vec2(Band(p.x, 0.0, 0.5, w.x), Band(p.y, 0.0, 0.5, w.y));
	float checker = stripe.x + stripe.y - 2.0 * stripe.x * stripe.y;
	vec2 bands = vec2(Band(p.x, 0.06, 0.36, w.x) + Band(p.x, 0.44, 0.48, w.x) + 0.7 * Band(p.x, 0.72, 0.76, w.x),
	                  Band(p.y, 0.06, 0.36, w.y) + Band(p.y, 0.44, 0.48, w.y) + 0.7 * Band(p.y, 0.72, 0.76, w.y));
	float tartan = 0.5 * (bands.x + bands.y);
	return pattern.x < 0.5 ? 0.0 : pattern.x < 1.5 ? checker : pattern.x < 2.5 ? stripe.x : tartan;
}

vec3 Albedo(vec2 m)
{
	return mix(Linear(gl_FrontFacing ? front : back), Linear(second), Woven(m));
}
#endif

float Hash(vec2 p)
{
	vec3 q = fract(p.xyx * 0.1031);
	q += dot(q, q.yzx + 33.33);
	return fract((q.x + q.y) * q.z);
}

float Noise(vec2 p)
{
	vec2 i = floor(p);
	vec2 f = p - i;
	f = f * f * (3.0 - 2.0 * f);
	return mix(mix(Hash(i), Hash(i + vec2(1.0, 0.0)), f.x),
	           mix(Hash(i + vec2(0.0, 1.0)), Hash(i + vec2(1.0, 1.0)), f.x), f.y);
}

void main()
{
	vec3 v = normalize(eye.xyz - vPosition);
	float side = gl_FrontFacing ? 1.0 : -1.0;
	vec3 n = normalize(vNormal) * side;
	vec3 l = light.xyz;
	float lit = Lit(vPosition, dot(n, l) < 0.0 ? -n : n, 1.0);

	// Directions of the threads, from how the material changes over the picture.
	vec2 mx = dFdx(vMaterial);
	vec2 my = dFdy(vMaterial);
	vec3 warp = dFdx(vPosition) * my.y - dFdy(vPosition) * mx.y;
	warp -= n * dot(n, warp);
	warp *= inversesqrt(max(dot(warp, warp), 1e-20)) * sign(mx.x * my.y - mx.y * my.x + 1e-30);
	vec3 weft = cross(n, warp) * side;

	// The weave, as far as pixels are smaller than threads.
	vec2 thread = vMaterial * fabric2.x;
	vec2 size = (abs(mx) + abs(my)) * fabric2.x;
	float coarse = max(size.x, size.y) + fabric2.z * min(size.x, size.y);
	float close = clamp(1.6 - 4.0 * coarse, 0.0, 1.0);
	vec2 wave = sin(6.2831853 * vec2(thread.x + fabric2.z * thread.y, thread.y - fabric2.z * thread.x));
	vec3 bent = normalize(n + (warp * wave.x + weft * wave.y) * (fabric2.y * close));
	float yarn = Noise(vMaterial * 130.0) - 0.5;

	vec3 albedo = Albedo(vMaterial);
	float speck = fabric2.z * close * max(wave.x * wave.y, 0.0);
	albedo = mix(albedo, vec3(0.55), 0.45 * speck) * (1.0 + fabric2.w * yarn);
	albedo = mix(albedo, Linear(vColour.rgb), vColour.a);

	float nl = dot(bent, l);
	float nv = max(dot(n, v), 0.0);
	float direct = max(nl, 0.0);
	float wrapped = max((nl + fabric.x) / ((1.0 + fabric.x) * (1.0 + fabric.x)), 0.0);
	float through = 0.10 * max(-nl, 0.0);
	vec3 h = normalize(l + v);
	float nh = clamp(dot(bent, h), 0.0, 1.0);
	float fuzz = (2.0 + fabric.z) * 0.159155 * pow(max(1.0 - nh * nh, 1e-4), 0.5 * fabric.z);
	float sheen = fabric.y * fuzz * direct / (4.0 * (direct + nv - direct * nv) + 0.02);
	float across = dot(warp, h);
	float highlight = fabric.w * pow(max(1.0 - across * across, 1e-4), 28.0) * pow(nh, 14.0) * direct;
	float rim = (1.0 - nv) * (1.0 - nv);

	vec3 shine = mix(albedo, vec3(1.0), 0.35) * (1.0 - 0.8 * vColour.a);
	vec3 c = albedo * (0.58 * Sky(bent) + sunColour * (0.36 * (wrapped * lit + through)));
	c += shine * sunColour * (0.30 * (sheen + highlight) * lit);
	c += shine * Sky(n) * (0.30 * fabric.y * rim * rim);
	pixel = Encode(Wire(c));
}

in vec3 vPosition;

void main()
{
	pixel = vec4(Lit(vPosition, vec3(0.0, 1.0, 0.0), 1.8));
}

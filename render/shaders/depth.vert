layout(location = 0) in vec3 position;

void main()
{
	gl_Position = shadowMatrix * vec4(position, 1.0);
}

in vec4 vColour;

void main()
{
	pixel = vec4(vColour.rgb, 1.0);
}

void main()
{
	pixel = Encode(Background(gl_FragCoord.xy));
}

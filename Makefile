# A short front for CMake. `make` leaves a release build with the program at build/drape.

PRESETS := debug asan-ubsan tsan scalar
SANITIZED := build/asan-ubsan

.PHONY: all setup demo test soak bench format clean $(PRESETS)

all: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release

# Any other preset: make debug, make tsan ...
$(PRESETS): setup
	@cmake --preset $@ >/dev/null
	@cmake --build --preset $@

setup:
	@scripts/setup

# A tablecloth falls; meshes, statistics, a report, a picture and a film are left in out/demo.
demo: all
	@build/drape run scenes/tablecloth.json -o out/demo
	@build/drape render scenes/tablecloth.json -o out/demo/tablecloth.png --texture tartan
	@build/drape render scenes/tablecloth.json -o out/demo/tablecloth.mp4 --texture tartan

# Every test in a release build and with address and undefined-behaviour sanitizers; what uses threads with the thread
# sanitizer; what must give the same bits without SIMD in the scalar build.
test: all asan-ubsan tsan scalar
	ctest --preset asan-ubsan -j2
	ctest --preset tsan -j2 -R 'test_(tasks|determinism|contact|sqrt3_world)$$'
	ctest --preset scalar -j2 -R 'test_(simd|determinism|criteria|edge|sqrt3|sqrt3_world)$$'
	ctest --preset release -j2

# Longer runs of the fuzzers than the tests make: minutes each.
soak: asan-ubsan
	DRAPE_FUZZ_SECONDS=300 ctest --preset asan-ubsan -R fuzz --timeout 3600

bench: all
	@build/drape bench

format:
	git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build out

# A short front for CMake. `make` builds the programs build/drape and build/drape-bench in release mode, and nothing else.

PRESETS := debug asan-ubsan tsan scalar
# Tests that use threads, and tests of code that has a SIMD and a scalar version.
TSAN_TESTS := test_tasks test_determinism test_contact test_sqrt3_world test_vertices test_stale_handles test_shared_pattern
SCALAR_TESTS := test_simd test_determinism test_criteria test_edge test_sqrt3 test_sqrt3_world

empty :=
space := $(empty) $(empty)
# A pattern for ctest that matches exactly the tests of a list.
pattern = '^($(subst $(space),|,$(1)))$$'

.PHONY: all setup demo test portability doc soak bench format clean $(PRESETS)

all: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target programs

# Everything in another preset, with tests and fuzzers: make debug, make tsan ...
$(PRESETS): setup
	@cmake --preset $@ >/dev/null
	@cmake --build --preset $@

setup:
	@scripts/setup

# Drops a tablecloth; writes meshes, statistics, a report, a picture and a film into out/demo.
demo: all
	@build/drape run scenes/tablecloth.json -o out/demo
	@build/drape render scenes/tablecloth.json -o out/demo/tablecloth.png --texture tartan
	@build/drape render scenes/tablecloth.json -o out/demo/tablecloth.mp4 --texture tartan

# Every test in a release build and with the address and undefined-behaviour sanitizers, TSAN_TESTS with the thread sanitizer,
# SCALAR_TESTS without SIMD. The last two presets build only the tests that they run.
test: setup asan-ubsan
	@cmake --preset release >/dev/null
	@cmake --build --preset release
	@cmake --preset tsan >/dev/null
	@cmake --build --preset tsan --target $(TSAN_TESTS)
	@cmake --preset scalar >/dev/null
	@cmake --build --preset scalar --target $(SCALAR_TESTS)
	ctest --preset asan-ubsan -j2
	ctest --preset tsan -j2 -R $(call pattern,$(TSAN_TESTS))
	ctest --preset scalar -j2 -R $(call pattern,$(SCALAR_TESTS))
	ctest --preset release -j2

# The core's tests on x86 (AVX2, SSE2, scalar), ARM64, Windows and WebAssembly; writes docs/platforms.md. Installs compilers and
# emulators.
portability:
	@scripts/setup portability
	@scripts/portability

# The reference of the public headers in build/doc/html. A warning is an error. Installs doxygen.
doc:
	@scripts/setup doc
	@mkdir -p build
	@doxygen Doxyfile

# Runs each fuzzer for five minutes; the tests run them for seconds.
soak: asan-ubsan
	DRAPE_FUZZ_SECONDS=300 ctest --preset asan-ubsan -R fuzz --timeout 3600

bench: all
	@build/drape bench

format:
	git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

clean:
	rm -rf build out

# Tests of the core that are more than one file, for this folder and for portability/. `cmocka` is the target that has it.
set(test_folder ${CMAKE_CURRENT_LIST_DIR})

# The thread pool meets a system that refuses threads. The linker of macOS has no --wrap.
if(NOT APPLE)
	target_compile_definitions(test_tasks PRIVATE DRAPE_TEST_WRAP=1)
	target_link_options(test_tasks PRIVATE -Wl,--wrap=drapeThread_Start$<$<STREQUAL:${simd},dispatch>:_avx2>)
endif()

# The SIMD layer meets its scalar twin.
target_sources(test_simd PRIVATE ${test_folder}/base/simd_scalar.c ${test_folder}/base/simd_four.c)

# The grid is a benchmark's rival of the tree.
target_sources(test_grid PRIVATE ${CMAKE_SOURCE_DIR}/bench/grid.c)
target_include_directories(test_grid PRIVATE ${CMAKE_SOURCE_DIR}/bench)
# The counter of faults of the motion benchmark is tested by itself.
target_sources(test_motion_check PRIVATE ${CMAKE_SOURCE_DIR}/bench/contact_check.c ${CMAKE_SOURCE_DIR}/bench/given_meshes.c
	${CMAKE_SOURCE_DIR}/bench/motion_check.c ${CMAKE_SOURCE_DIR}/bench/narrow_places.c)
target_include_directories(test_motion_check PRIVATE ${CMAKE_SOURCE_DIR}/bench)

if(simd STREQUAL "dispatch")
	# The same states through the public functions alone, with each copy of the core.
	add_executable(test_dispatch ${test_folder}/world/test_determinism.c
		${test_folder}/fixtures/sheet.c ${test_folder}/fixtures/support.c
		${CMAKE_SOURCE_DIR}/shared/make.c ${CMAKE_SOURCE_DIR}/shared/sheets.c)
	target_include_directories(test_dispatch PRIVATE ${test_folder}/fixtures ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/src)
	target_compile_definitions(test_dispatch PRIVATE DRAPE_TEST_DISPATCH=1)
	target_link_libraries(test_dispatch PRIVATE drape_static drape_flags ${cmocka} m Threads::Threads)
	foreach(copy avx2 sse2)
		add_test(NAME test_dispatch_${copy} COMMAND test_dispatch WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
		set_tests_properties(test_dispatch_${copy} PROPERTIES ENVIRONMENT "DRAPE_SIMD=${copy}")
	endforeach()
endif()

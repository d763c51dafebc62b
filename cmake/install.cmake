# `cmake --install` gives headers, libraries, both programs, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)

set(installed_targets drape)
if(DRAPE_TOOLS)
	list(APPEND installed_targets drape_io)
endif()
if(TARGET drape_render)
	list(APPEND installed_targets drape_render)
endif()
if(TARGET drape_cli)
	# `drape bench` starts the program beside itself.
	install(TARGETS drape_cli drape_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
	# Examples of the studio, and the scenes of benchmarks.
	install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/drape)
endif()
install(TARGETS ${installed_targets} EXPORT drapeTargets
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/drape DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT drapeTargets NAMESPACE drape:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/drape)

configure_package_config_file(cmake/drapeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/drapeConfig.cmake
	INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/drape)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/drapeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/drapeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/drapeConfigVersion.cmake
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/drape)

# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH DRAPE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/drape.pc.in ${CMAKE_CURRENT_BINARY_DIR}/drape.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/drape.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

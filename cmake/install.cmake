# `cmake --install` gives headers, libraries, both programs, pkg-config files and a CMake package.
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
	RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/drape DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT drapeTargets NAMESPACE drape:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/drape)

configure_package_config_file(cmake/drapeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/drapeConfig.cmake
	INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/drape)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/drapeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/drapeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/drapeConfigVersion.cmake
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/drape)

# pkg-config files, one per library. A program that links a static library also needs the libraries that this one uses, so that
# `pkg-config --libs` names them without --static; a shared library names its own.
# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH DRAPE_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(pc_system_libs "-lm")
if(CMAKE_THREAD_LIBS_INIT OR NOT WIN32)
	string(APPEND pc_system_libs " -pthread")
endif()

# drape_install_pc(NAME DESCRIPTION REQUIRES PACKAGES): REQUIRES are packages whose headers NAME includes, PACKAGES those that
# only its code needs.
function(drape_install_pc pc_name pc_description pc_requires packages)
	if(BUILD_SHARED_LIBS)
		set(pc_cflags " -DDRAPE_SHARED")
		set(pc_libs "")
		set(pc_libs_private "${pc_system_libs}")
		set(pc_requires_private "${packages}")
	else()
		set(pc_cflags "")
		set(pc_libs " ${pc_system_libs}")
		set(pc_libs_private "")
		set(pc_requires_private "")
		string(STRIP "${pc_requires} ${packages}" pc_requires)
	endif()
	configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cmake/package.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${pc_name}.pc @ONLY)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

drape_install_pc(drape "${PROJECT_DESCRIPTION}" "" "")
if(TARGET drape_io)
	set(io_packages "")
	if(DRAPE_HAS_SCENES)
		set(io_packages jansson)
	endif()
	drape_install_pc(drape_io "Mesh files and scenes of drape" drape "${io_packages}")
endif()
if(TARGET drape_render)
	drape_install_pc(drape_render "Pictures and films of drape" drape "epoxy egl libpng")
endif()

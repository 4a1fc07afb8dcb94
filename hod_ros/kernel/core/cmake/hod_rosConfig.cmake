# find_package(hod_ros): the target hod_ros::hod, header-only C++17, for #include <hod/robot.hpp>.
get_filename_component(hod_ros_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET hod_ros::hod)
  add_library(hod_ros::hod INTERFACE IMPORTED)
  target_include_directories(hod_ros::hod INTERFACE "${hod_ros_prefix}/include/hod_ros")
  target_compile_features(hod_ros::hod INTERFACE cxx_std_17)
endif()
unset(hod_ros_prefix)

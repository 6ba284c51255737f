lib_liblamplighter_a_SOURCES +=

# SPDX-License-Identifier: MIT
# in the libraries and, since they do not export it, once more in the program
if WINDOWS
noinst_LTLIBRARIES += libos.la
libos_la_SOURCES = \
	libfmt/os/windows/windows_bytes.c \
	libfmt/os/windows/windows_files.c \
	libfmt/os/windows/windows_folders.c \
	libfmt/os/windows/windows_memory.c \
	libfmt/os/windows/windows_numbers.c \
	libfmt/os/windows/windows_path.c \
	libfmt/os/windows/windows_signals.c \
	libfmt/os/windows/windows_text.c
OS_LIBS = libos.la
OS_MAIN = libfmt/os/windows/windows_main.c
endif
noinst_HEADERS += \
	libfmt/os/windows/include/dirent.h \
	libfmt/os/windows/include/sys/file.h \
	libfmt/os/windows/include/sys/mman.h \
	libfmt/os/windows/include/sys/statvfs.h \
	libfmt/os/windows/include/sys/uio.h \
	libfmt/os/windows/windows_fma.h \
	libfmt/os/windows/windows_posix.h

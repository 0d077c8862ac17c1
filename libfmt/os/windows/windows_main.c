/* SPDX-License-Identifier: MIT
 * windows_main.c: begins the program: arguments in UTF-8, standard streams without text mode.
 */
#include <windows.h>

#include <shellapi.h>

int bvpi_windows_main(int argc, char **argv);

#undef main
int main(void)
{
    int argc = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &argc);
    char **argv = wide ? calloc((size_t)argc + 1, sizeof *argv) : NULL;
    for (int i = 0; i < argc && argv; i++)
        if (!(argv[i] = bvpi_windows_text(wide[i])))
            return 6;
    if (!argv)
        return 6;
    for (int fd = 0; fd < 3; fd++)
        _setmode(fd, _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    return bvpi_windows_main(argc, argv);
}

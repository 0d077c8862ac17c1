/* SPDX-License-Identifier: MIT
 * make_rvm.c: writes the plant of rvm_case.h, samples/models/skid.rvm, to standard output.
 */
#include <stdio.h>

#include "rvm_case.h"

int main(void)
{
    static rvm_file file;
    rvm_plant(&file);
    return fwrite(file.bytes, 1, file.size, stdout) != file.size || fflush(stdout) != 0;
}

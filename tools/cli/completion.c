/* SPDX-License-Identifier: MIT
 * completion.c: the bash completion, made from the verb tables.
 */
#include "cli/manual.h"

#include <ctype.h>
#include <string.h>

static const char prologue[] =
    "# bash completion of bvpack; made by the program from its option tables\n"
    "_bvpack_files() # endings separated by |, or nothing: any file\n"
    "{\n"
    "    local IFS=$'\\n' pattern=\"!*.@($1)\"\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    if [ -n \"$1\" ]; then\n"
    "        COMPREPLY+=($(shopt -s extglob; compgen -f -X \"$pattern\" -- \"$cur\"; "
    "compgen -d -- \"$cur\"))\n"
    "    else\n"
    "        COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
    "    fi\n"
    "}\n"
    "_bvpack_words()\n"
    "{\n"
    "    COMPREPLY+=($(compgen -W \"$1\" -- \"$cur\"))\n"
    "}\n"
    "_bvpack()\n"
    "{\n"
    "    local cur=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
    "    local verb=\"${COMP_WORDS[1]}\"\n"
    "    COMPREPLY=()\n"
    "    if [ \"$cur\" = = ]; then\n"
    "        cur=\n"
    "    elif [ \"$before\" = = ]; then\n"
    "        before=\"${COMP_WORDS[COMP_CWORD-2]}\"\n"
    "    fi\n";

static const char model_endings[] =
    "stl|STL|obj|OBJ|ply|PLY|off|OFF|gltf|glb|GLB|3mf|3MF|urdf|URDF|rvm|RVM|jsonl|plmxml|stpx";

static void write_verb(FILE *out, const verb *v)
{
    const char *key = strrchr(v->name, ' ');
    fprintf(out, "    %s)\n        case \"$before\" in\n", key ? key + 1 : v->name);
    for (const option_row *row = v->options; row->name; row++)
        if (row->kind != OPTION_FLAG) {
            fprintf(out, "            --%s", row->name);
            if (row->letter)
                fprintf(out, "|-%c", row->letter);
            fputs(") ", out);
            if (row->kind == OPTION_FILE || row->kind == OPTION_FILES) {
                fputs("_bvpack_files;", out);
            } else if (strchr(row->value, '|')) {
                fputs("_bvpack_words \"", out);
                /* The literal words of "mm|cm|N": those that are not in capitals. */
                const char *gap = "";
                for (const char *word = row->value; *word; word += *word == '|') {
                    int length = (int)strcspn(word, "|");
                    if (!isupper((unsigned char)word[0]))
                        fprintf(out, "%s%.*s", gap, length, word);
                    gap = " ";
                    word += length;
                }
                fputs("\";", out);
            }
            fputs(" return ;;\n", out);
        }
    fputs(
        "        esac\n        case \"$cur\" in\n            -*) _bvpack_words \"--help --timeout=",
        out);
    for (const option_row *row = v->options; row->name; row++)
        fprintf(out, " --%s%s", row->name, row->kind == OPTION_FLAG ? "" : "=");
    fprintf(out,
            "\"\n                [[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace "
            "2>/dev/null ;;\n"
            "            *) _bvpack_files \"%s\" ;;\n        esac ;;\n",
            v->completes);
}

void manual_completion(const verb *const *verbs, FILE *out)
{
    fputs(prologue, out);
    fputs("    if [ \"$COMP_CWORD\" = 1 ]; then\n        _bvpack_words \"help --help --version",
          out);
    for (const verb *const *v = verbs; *v; v++)
        fprintf(out, " %s", (*v)->name);
    fprintf(out, "\"\n        _bvpack_files \"%s\"\n        return\n    fi\n", model_endings);
    fputs("    if [ \"$verb\" = help ]; then\n        _bvpack_words \"", out);
    for (const verb *const *v = verbs; *v; v++)
        fprintf(out, "%s ", (*v)->name);
    fputs("\"\n        return\n    fi\n", out);
    for (const verb *const *v = verbs; *v; v++) {
        if (!(*v)->kinds)
            continue;
        fprintf(out, "    if [ \"$verb\" = %s ]; then\n", (*v)->name);
        fputs("        if [ \"$COMP_CWORD\" = 2 ]; then\n            _bvpack_words \"--help", out);
        for (const verb *const *kind = (*v)->kinds; *kind; kind++)
            fprintf(out, " %s", strrchr((*kind)->name, ' ') + 1);
        fputs("\"\n            return\n        fi\n        verb=\"${COMP_WORDS[2]}\"\n    fi\n",
              out);
    }
    fputs("    case \"$verb\" in\n", out);
    for (const verb *const *v = verbs; *v; v++) {
        if (!(*v)->kinds)
            write_verb(out, *v);
        for (const verb *const *kind = (*v)->kinds; kind && *kind; kind++)
            write_verb(out, *kind);
    }
    fprintf(out, "    *) _bvpack_files \"%s\" ;;\n    esac\n}\n", model_endings);
    fputs("complete -F _bvpack bvpack\n", out);
}

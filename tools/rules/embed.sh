#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh FILE...: C source of rule sets, as tools/rules/clash_rules.h declares them. What a set is for is its comment.
echo '#include "rules/clash_rules.h"'
for file; do
  name=$(basename "$file" .json)
  echo "static const unsigned char $name[] = {"
  od -An -v -tu1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
  echo "0};"
done
echo "const clash_rule_set clash_rule_sets[] = {"
for file; do
  name=$(basename "$file" .json)
  echo "    {\"$name\", $name, sizeof $name - 1},"
done
echo "    {NULL, NULL, 0}};"

#!/bin/bash
# SPDX-License-Identifier: MIT
# Answers of an importing process, as fuzz_stream takes them, into FOLDER. Usage: stream_seeds.sh FOLDER
set -eu
folder=$1

# numbers and texts of tools/import/import_protocol.h in hexadecimal
u8() { printf %02x "$1"; }
u16() { u8 $(($1 & 255)) && u8 $(($1 >> 8 & 255)); }
u32() { u16 $(($1 & 65535)) && u16 $(($1 >> 16 & 65535)); }
u64() { u32 "$1" && u32 0; }
none() { u32 0xffffffff; }
text() { u32 ${#1} && printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }
zero=0000000000000000 one=000000000000f03f
message() { # KIND HEX
  u8 "$1"
  u16 $((${#2} / 2))
  printf %s "$2"
}
save() { # NAME HEX
  # shellcheck disable=SC2059 # the format is the bytes
  printf "$(printf %s "$2" | sed 's/../\\x&/g')" >"$folder/$1.stream"
}

identity=$one$zero$zero$zero$zero$one$zero$zero$zero$zero$one$zero
part() { # HAS-IDS: one triangle
  message 2 "$(u64 3)$(u64 1)$(u32 "$1")$(u32 0)$(text part)"
  message 3 $zero$zero$zero$one$zero$zero$zero$one$zero
  message 4 "$(u32 0)$(u32 1)$(u32 2)"
  [ "$1" = 0 ] || message 5 "$(u32 7)"
}
root=$(message 6 "$identity$(none)$(none)$(u32 0)$(u32 0)$(text root)$(none)")
leaf=$(message 6 "$identity$(u32 0)$(u32 0)$(u32 1)$(u32 0)$(text leaf)$(text id)$(text key)$(text value)")
last() { # PARTS NODES
  message 11 "$one$one$(u32 2)$(u32 "$1")$(u32 "$2")$(u32 0)$(text STEP)"
}
save tree "$(part 0)$root$leaf$(last 1 2)"
save numbered "$(part 1)$(part 0)$root$(last 2 1)"
save talk "$(message 7 "$(u64 3)$(text faces)")$(message 8 "$(u64 1)$(u64 2)")$(message 9 "$(text other.stp)")$(last 0 0)"
save refused "$(message 10 "$(u32 3)$(text 'it has no solid')")"

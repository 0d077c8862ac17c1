#!/bin/bash
# SPDX-License-Identifier: MIT
# Files on servers: answers are those of the file here, whatever is asked; a server that lies, cuts,
# forgets or changes its file gets an error that says so, and nothing else happens; what was fetched
# is kept where $BVPACK_CACHE says. The servers: lying_server.py and, if it is installed, nginx.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
export BVPACK_LIBEXEC=${BVPACK_LIBEXEC:-$(dirname "$bvpack")}
[ -x "$BVPACK_LIBEXEC/bvpack-http" ] || { echo "bvpack was built without libcurl: skipped"; exit 77; }
command -v python3 >/dev/null || { echo "no python3 for the server: skipped"; exit 77; }
command -v curl >/dev/null && ask() { curl -s "$1"; } ||
  ask() { python3 -c 'import sys,urllib.request as u;sys.stdout.write(u.urlopen(sys.argv[1]).read().decode())' "$1"; }
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY BVPACK_CACHE

make_file=$programs/make_export
mkdir a
"$make_file" a 2000 2 0 || exit 99
"$bvpack" pack -q a/export.jsonl -o x.bvp && "$bvpack" pack -q a/export.jsonl --no-ids -o other.bvp || exit 99
size=$(stat -c %s x.bvp)
[ "$size" -gt 600000 ] || bad "a file of $size bytes tells nothing"

"$bvpack" compress x.bvp -q -o x.zst || exit 99
python3 "$src/tests/cli/lying_server.py" x.bvp other.bvp >port 2>server.log &
server=$!
python3 "$src/tests/cli/lying_server.py" x.zst other.bvp >port_of_compressed 2>server2.log &
server2=$!
trap 'kill $server $server2 ${server3-} ${server4-} ${nginx-} 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do [ -s port ] && [ -s port_of_compressed ] && break; sleep 0.1; done
url=http://127.0.0.1:$(cat port)
kind() { ask "$url/reset" >/dev/null; echo "$url/$1/x.bvp"; }
ranges() { ask "$url/count"; }

# ---- answers
answers() { # FILE
  "$bvpack" info --parts --tree --json "$1" | sed "s|$1|FILE|"
  "$bvpack" query ray "$1" --origin 0,0,1000 --direction 0.01,0,-1 --json
  "$bvpack" query closest "$1:#3" --point 1,2,3 --json
  "$bvpack" query distance "$1:#3" "$1:#7" --place-b 5,0,0 --json | sed "s|$1|FILE|g"
  "$bvpack" clash "$1" --clearance 0.1 --json -q | sed "s|$1|FILE|g; /seconds\|created/d"
}
answers x.bvp >expected 2>expected.err
[ "$(wc -l <expected)" -gt 50 ] || bad "answers of $(wc -l <expected) lines tell nothing"
for how in good away busy weak untagged; do
  answers "$(kind $how)" >found 2>found.err
  same expected found
done
# of a selector, of a port and of a query string no colon is taken for the other
expect 0 query closest "$(kind good):#3" --point 0,0,0
expect 0 info "$url/good/x.bvp?time=12:30"
# opening: the first range, and the hashes at the end
ask "$url/reset" >/dev/null
expect 0 query ray "$url/good/x.bvp" --origin 1e6,0,0 --direction 1,0,0
[ "$(ranges)" -le 4 ] || bad "$(ranges) requests for a ray that misses all"
ask "$url/reset" >/dev/null
expect 0 info "$url/good/x.bvp" # the beginning with the tables, and the hashes at the end
[ "$(ranges)" -le 2 ] || bad "$(ranges) requests for info"

# what a ray will want next is fetched beside what it waits for; where that fails, again alone
"$make_file" a 20 2 0 && python3 - <<'END' && "$bvpack" pack -q a/plant.jsonl -o plant.bvp || exit 99
with open("a/plant.jsonl", "w") as out:
    for i in range(20000):
        at = [1, 0, 0, i % 40 * 40, 0, 1, 0, i // 40 % 25 * 40, 0, 0, 1, i // 1000 * 40 + i * 7 % 13]
        out.write('{"mesh":"part%d.stl","name":"piece %d","properties":{"no":"%d"},"placement":%s}\n' % (i * 31 % 20, i, i, at))
END
python3 "$src/tests/cli/lying_server.py" plant.bvp other.bvp >port_of_plant 2>server3.log &
server3=$!
for _ in $(seq 100); do [ -s port_of_plant ] && break; sleep 0.1; done
plant=http://127.0.0.1:$(cat port_of_plant)
expect 0 query ray plant.bvp --origin -100,500,1000 --direction 1,0.1,-.6
has out '^t '
cp out of_plant
for how in slow slow-alone; do
  ask "$plant/reset" >/dev/null
  expect 0 query ray "$plant/$how/x.bvp" --origin -100,500,1000 --direction 1,0.1,-.6
  same out of_plant
  together=$(ask "$plant/together")
  [ "$together" -ge 2 ] || bad "$how: $together requests at a time"
done

# info makes two requests for any file, and says what they do not bring: the tree of many nodes with properties, whose
# root tells of a share; the tables of many parts
ask "$plant/reset" >/dev/null
expect 0 info "$plant/good/x.bvp"
has out '^  share  *not read, to keep to two requests; use --tree$' && has out '^  wide  '
[ "$(ask "$plant/count")" -eq 2 ] || bad "$(ask "$plant/count") requests for info of a file with properties"
expect 0 info "$plant/good/x.bvp" --json
same_info() { # FILE URL: but for what was not told, all is as it is said of the file itself
  "$bvpack" info "$1" | sed 1d >expected.info
  "$bvpack" info "$2" --parts | sed '1d; /^parts:/,$d' >found.info
  same expected.info found.info
}
same_info plant.bvp "$plant/good/x.bvp"
mkdir m && "$make_file" m 4000 1 0 && "$bvpack" pack -q m/export.jsonl --digests -o many.bvp || exit 99
python3 "$src/tests/cli/lying_server.py" many.bvp other.bvp >port_of_many 2>server4.log &
server4=$!
for _ in $(seq 100); do [ -s port_of_many ] && break; sleep 0.1; done
many=http://127.0.0.1:$(cat port_of_many)
ask "$many/reset" >/dev/null
expect 0 info "$many/good/x.bvp"
has out '^  *not read, to keep to two requests; use --parts$' && has out '^  digest  *[0-9a-f]'
[ "$(ask "$many/count")" -eq 2 ] || bad "$(ask "$many/count") requests for info of 4,000 parts"
same_info many.bvp "$many/good/x.bvp"

# ---- compressed files, and verbs that take all bytes
compressed=http://127.0.0.1:$(cat port_of_compressed)
answers "$compressed/good/x.bvp" >found 2>found.err
same expected found
ask "$compressed/reset" >/dev/null
expect 0 query ray "$compressed/good/x.bvp" --origin 1e6,0,0 --direction 1,0,0
few=$(ask "$compressed/count")
[ "$few" -le 6 ] || bad "$few requests for a ray that misses all"
for where in "$(kind good)" "$compressed/good/x.bvp"; do
  expect 0 verify "$where"
  has out ': ok$'
done
expect 4 info "$compressed/garbage/x.bvp"
expect 2 merge "$compressed/good/x.bvp" -o merged.bvp
[ -s err ] && [ ! -e merged.bvp ] || bad "merge of a file on a server"

# ---- servers that do not do what they should
refused() { # KIND STATUS REGEX
  expect "$2" info "$(kind "$1")"
  has err "$3"
  empty out
}
refused plain 3 'does not answer requests for ranges'
refused gone 3 '404'
refused loop 3 'redirects'
refused file 3 'not supported|disabled'
refused short 3 'asked for .* bytes, the server sends'
refused long 3 'the server sends more'
refused shifted 3 'the server answers with'
refused total 3 'has changed'
refused changed 3 'ETag "one", then "two"'
refused matched 3 'has changed on the server'
refused packed 3 'compresses the file on the way'
refused unranged 3 'expected a Content-Range'
refused escape 3 'expected a Content-Range'
refused cut 3 'transfer closed|Transferred a partial'
refused huge 4 'HDR-8'
refused garbage 4 'HSH-1'
refused named 4 'HSH-1'
expect 3 info http://127.0.0.1:1/x.bvp
has err '[Cc]onnect'
expect 3 info http://no-such-host.invalid/x.bvp
expect 2 info "http://127.0.0.1/$(head -c 70000 /dev/zero | tr '\0' a)"
BVPACK_LIBEXEC=$scratch expect 2 info "$url/good/x.bvp"
has err 'without libcurl'
"$BVPACK_LIBEXEC/bvpack-http" </dev/null >out 2>err && bad "bvpack-http alone succeeds"

# ---- what was fetched is kept, if it is told apart from other states of the file
export BVPACK_CACHE=$scratch/cache
expect 0 query ray "$(kind good)" --origin 0,0,1000 --direction 0.01,0,-1
cp out first
[ "$(ranges)" -gt 2 ] || bad "a ray takes $(ranges) requests: too few to tell"
expect 0 query ray "$(kind good)" --origin 0,0,1000 --direction 0.01,0,-1
same first out
[ "$(ranges)" = 1 ] || bad "$(ranges) requests for what is kept"
for kept in cache/*/*; do printf X | dd of="$kept" bs=1 seek=40 conv=notrunc 2>/dev/null; done
expect 0 query ray "$(kind good)" --origin 0,0,1000 --direction 0.01,0,-1
same first out
[ "$(ranges)" -gt 2 ] || bad "a damaged range is believed"
rm -r cache
expect 0 query ray "$(kind untagged)" --origin 0,0,1000 --direction 0.01,0,-1
[ -z "$(find cache -type f 2>/dev/null)" ] || bad "a file without a tag is kept"
BVPACK_CACHE=/proc/none expect 0 query ray "$(kind good)" --origin 0,0,1000 --direction 0.01,0,-1
unset BVPACK_CACHE

# ---- a server as people run it
if command -v nginx >/dev/null; then
  port=$((20000 + RANDOM % 20000))
  mkdir -p n/logs n/www && cp x.bvp n/www/
  cat >n/nginx.conf <<CONF
daemon off; master_process off; pid $scratch/n/pid; error_log $scratch/n/logs/error.log;
events { worker_connections 64; }
http { access_log $scratch/n/logs/access.log; client_body_temp_path n/1; proxy_temp_path n/2; fastcgi_temp_path n/3;
  uwsgi_temp_path n/4; scgi_temp_path n/5; server { listen 127.0.0.1:$port; root $scratch/n/www; } }
CONF
  nginx -p "$scratch" -c "$scratch/n/nginx.conf" 2>n/err &
  nginx=$!
  for _ in $(seq 50); do ask "http://127.0.0.1:$port/" >/dev/null 2>&1 && break; sleep 0.1; done
  answers "http://127.0.0.1:$port/x.bvp" >found 2>found.err
  same expected found
  [ "$(grep -c ' 206 ' n/logs/access.log)" -gt 10 ] || bad "nginx was not asked for ranges"
else
  echo "no nginx: its part is skipped"
fi
echo "$checks checks"
exit $fail

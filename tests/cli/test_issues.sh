#!/bin/bash
# SPDX-License-Identifier: MIT
# What people say about issues, as a user meets it: a status, somebody who is to solve it and comments outlive nights and
# merges, and every report has them; an approved issue is no finding, one that is resolved and still there is reopened.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
export USER=tester
unset SOURCE_DATE_EPOCH

# ---- a plant: five posts through a slab, a book on a shelf --------------------------------------

# model FILE POST...: the slab, the posts with these numbers, the shelf
model() {
  local file=$1 n=0 i k
  shift
  {
    box() { # NAME LO HI
      echo "o $1"
      for k in 0 1 2 3 4 5 6 7; do
        echo "v $(echo "$2" | awk -v k="$k" -v hi="$3" -F, '{ split(hi, h, ","); print (k % 2 ? h[1] : $1), (int(k / 2) % 2 ? h[2] : $2), (k > 3 ? h[3] : $3) }')"
      done
      for i in '1 3 4' '1 4 2' '5 6 8' '5 8 7' '1 2 6' '1 6 5' '3 7 8' '3 8 4' '1 5 7' '1 7 3' '2 4 8' '2 8 6'; do
        echo "$i" | awk -v n="$n" '{ print "f", $1 + 8 * n, $2 + 8 * n, $3 + 8 * n }'
      done
      n=$((n + 1))
    }
    box slab 0,0,0 100,10,1
    for i in "$@"; do box "post_$i" "$((i * 10)),4,-5" "$((i * 10 + 1)),5,5"; done
    box shelf 200,0,0 202,2,2
    box book 201,1,1 205,5,5
  } >"$file.obj"
  expect 0 pack -q "$file.obj" -o "$file.bvp"
}
issue() { sed -nE "s/.*\"issue\":\"([0-9a-f]*)\",\"issue_number\":[0-9]*,\"issue_title\":\"$2\".*/\1/p" "$1" | uniq; }

model plant 1 2 3 4 5
expect 1 clash plant.bvp -r first.jsonl -q --exit-code
lacks first.jsonl issue_status
slab=$(issue first.jsonl 'slab is crossed by 5 posts')
book=$(issue first.jsonl 'shelf crosses book')
[ ${#slab} = 32 ] && [ ${#book} = 32 ] || { bad "no issues"; grep -o '"issue_title":"[^"]*"' first.jsonl; }

# ---- the verb -----------------------------------------------------------------------------------

expect 3 issues plant.bvp
expect 0 issues plant.bvp --report first.jsonl
has out '2 issues, 0 events'
has out "^${slab:0:8}  new: slab is crossed by 5 posts"
expect 0 issues plant.bvp "${slab:0:6}" --status approved --comment $'cast in\nplace' --author anna --date 2026-01-02T10:00+01:00 --report first.jsonl
[ -f plant.bvp-issues.jsonl ] || bad "no file beside the model"
echo "{\"time\":\"2026-01-02T09:00:00Z\",\"issue\":\"$slab\",\"author\":\"anna\",\"status\":\"approved\",\"comment\":\"cast in\\u000aplace\"}" >wanted
same plant.bvp-issues.jsonl wanted
expect 0 issues plant.bvp-issues.jsonl "${slab:0:6}" --assign bob -q
empty out
expect 0 issues plant.bvp "$slab" --json
is issues.0.status approved
is issues.0.assignee bob
is issues.0.by tester
is issues.0.comments.0.text $'cast in\nplace'
is events 2
# what is said now counts, also with a clock that is behind
SOURCE_DATE_EPOCH=0 run issues plant.bvp "$slab" --status reviewed -q
[ $status = 0 ] || bad "exit code $status"
expect 0 issues plant.bvp "$slab" --json
is issues.0.status reviewed
# what was said before does not
expect 0 issues plant.bvp "$slab" --status new --date 2026-01-01 -q
has err 'has an event of .*, which is later'
expect 0 issues plant.bvp "$slab" --json
is issues.0.status reviewed
expect 0 issues plant.bvp "$slab" --status approved
has out 'anna: approved, cast in'
has out 'tester: assigned to bob'
before=$(cat plant.bvp-issues.jsonl)

for bad in "$slab -s open" "$slab --comment=" "-s new" "0123 -s new" "xyz1 -s new" "abc -s new" "$slab -s new --date yesterday" \
  "$slab -s new --author=" "0123456789abcdef0123456789abcdef"; do
  # shellcheck disable=SC2086
  expect 2 issues plant.bvp $bad
done
expect 7 issues /nonexistent/x-issues.jsonl "$slab" -s new
[ "$(cat plant.bvp-issues.jsonl)" = "$before" ] || bad "a wrong command has changed the file"
expect 2 issues other.bvp 0123 -s new
[ ! -e other.bvp-issues.jsonl ] || bad "a wrong command has left a file"
expect 2 issues
expect 3 issues plant.bvp --report plant.bvp

# many at once: nobody's event is lost
for i in 1 2 3 4 5 6 7 8; do "$bvpack" issues plant.bvp "$book" -m "from $i" --author "p$i" -q & done
wait
checks=$((checks + 1))
[ "$(grep -c '"comment":"from ' plant.bvp-issues.jsonl)" = 8 ] || bad "events are lost"
LC_ALL=C sort -uc plant.bvp-issues.jsonl || bad "the file is not in order"

# ---- merges -------------------------------------------------------------------------------------

if command -v git >which; then
  export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t GIT_CONFIG_GLOBAL=/dev/null
  mkdir repo && cp plant.bvp-issues.jsonl repo/
  (
    cd repo && git init -q -b main . && echo '*-issues.jsonl merge=union' >.gitattributes && git add . && git commit -qm one
    git checkout -q -b other
    "$bvpack" issues plant.bvp "$book" -s active --assign carl -q --date 2027-01-01
    git commit -qam two && git checkout -q main
    "$bvpack" issues plant.bvp "$book" -s reviewed -m 'looked at' -q --date 2027-01-02
    git commit -qam three && git merge -q other -m four
  ) >log 2>&1 || { bad "git"; cat log; }
  expect 0 issues repo/plant.bvp "$book" --json
  is issues.0.status reviewed
  is issues.0.assignee carl
  checks=$((checks + 1))
  [ "$(wc -l <repo/plant.bvp-issues.jsonl)" = $(($(wc -l <plant.bvp-issues.jsonl) + 2)) ] || bad "the merge lost lines"
else
  echo "skipped merges: there is no git"
fi
{ echo '<<<<<<< HEAD'; cat plant.bvp-issues.jsonl; } >conflict.jsonl
expect 3 issues conflict.jsonl
has err '^bvpack: conflict.jsonl: line 1: a conflict of a merge; keep the lines of both sides'

# ---- reports ------------------------------------------------------------------------------------

expect 1 clash plant.bvp -r said.jsonl -r said.csv -r said.html --exit-code --json
is said.approved 1
is said.new 1
is said.approved_pairs 5
grep "\"issue\":\"$slab\"" said.jsonl >rows
checks=$((checks + 1))
[ "$(grep -c '"issue_status":"approved","issue_assignee":"bob"' rows)" = 5 ] || bad "no status in the rows"
has said.csv ',rule,issue_status,issue_assignee'
has said.csv ',approved,bob'
has said.html '"status":"approved","assignee":"bob"'
expect 1 clash plant.bvp --exit-code
has out 'people say of the issues: 1 new, 1 approved$'
has out 'approved, assigned to bob, '
# the other one is approved, too: nothing is left to fail for
expect 0 issues plant.bvp "$book" -s approved -q
expect 0 clash plant.bvp --exit-code -q
expect 1 clash plant.bvp --exit-code -q --no-issues
# resolved by hand, and still there
expect 0 issues plant.bvp "$book" -s resolved -q
expect 1 clash plant.bvp --exit-code -r reopened.jsonl
has out 'resolved, but still there'
has reopened.jsonl '"issue_status":"reopened"'
# another file, or the one beside another model
expect 0 clash plant.bvp -q -r none.jsonl --no-issues
same none.jsonl first.jsonl
cp plant.bvp moved.bvp
expect 0 clash moved.bvp -q -r moved.jsonl
same moved.jsonl first.jsonl
expect 0 clash moved.bvp -q -r moved.jsonl --issues plant.bvp
same moved.jsonl reopened.jsonl
expect 3 clash moved.bvp -q --issues missing.jsonl
echo x >broken.jsonl
expect 3 clash moved.bvp -q --issues broken.jsonl -r x.jsonl
[ ! -e x.jsonl ] || bad "a report in spite of a broken file"

# ---- nights -------------------------------------------------------------------------------------

# The post of the issue's smallest pair goes: the approved issue is approved, also the night after.
post=$(sed -nE "s/^\{\"id\":\"$slab\".*post_([0-9]).*/\1/p" first.jsonl)
# shellcheck disable=SC2046
model night $(seq 5 | grep -v "$post")
expect 0 clash night.bvp --issues plant.bvp --baseline plant.bvp,first.jsonl -r night.jsonl --exit-code --json
is baseline.resolved 1
is said.approved 1
checks=$((checks + 1))
[ "$(grep -c "\"issue\":\"$slab\",.*\"issue_status\":\"approved\"" night.jsonl)" = 5 ] || bad "the status does not survive"
expect 0 clash night.bvp --baseline night.bvp,night.jsonl --issues plant.bvp -r next.jsonl --exit-code --json
is baseline.new 0
is said.approved 1
# a post more in an approved issue is a finding, for nobody has approved it
# shellcheck disable=SC2046
model more $(seq 6 | grep -v "$post")
expect 1 clash more.bvp --baseline night.bvp,next.jsonl --issues plant.bvp -r more.jsonl --exit-code --json
is baseline.new 1
is said.approved 1
# all posts are gone
model gone
expect 0 clash gone.bvp --baseline more.bvp,more.jsonl --issues plant.bvp -r gone.jsonl --exit-code -q
has gone.jsonl "\"issue\":\"$slab\",\"issue_title\":\"slab is crossed by 5 posts\",\"issue_status\":\"approved\",\"issue_assignee\":\"bob\",\"state\":\"resolved\""
expect 0 issues plant.bvp --report gone.jsonl
has out "^${slab:0:8}  approved, assigned to bob, 1 comment, no more there: slab is crossed by 5 posts"

echo "issues: $checks checks"
exit $fail

#!/bin/bash
# SPDX-License-Identifier: MIT
# What becomes of a BCF report in a BIM tool and back: clash, edit, import, clash again, of 2.1 and 3.0: status, assignee
# and comments come with dates and authors, once, whatever was said meanwhile; and nothing comes of a topic that nobody
# has touched. Then archives that mean harm.
set -u
shared=$(realpath -m "${BVP_SHARED-$(dirname "$0")/../../../shared}")
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v python3 >which || { echo "skipped: there is no python3"; exit 77; }
edit() { python3 "$src/tests/cli/edit_bcf.py" "$@" 2>err || bad "edit: $(cat err)"; }
export USER=tester

# ---- three walls through a slab, a book in a shelf ------------------------------------------------

box() { # NAME LO HI: into the OBJ on standard output
  awk -v name="$1" -v lo="$2" -v hi="$3" -v n="$boxes" 'BEGIN {
    split(lo, a, ","); split(hi, b, ","); print "o", name
    for (k = 0; k < 8; k++) print "v", (k % 2 ? b[1] : a[1]), (int(k / 2) % 2 ? b[2] : a[2]), (k > 3 ? b[3] : a[3])
    split("1 3 4 1 4 2 5 6 8 5 8 7 1 2 6 1 6 5 3 7 8 3 8 4 1 5 7 1 7 3 2 4 8 2 8 6", f, " ")
    for (k = 0; k < 12; k++) print "f", f[3 * k + 1] + 8 * n, f[3 * k + 2] + 8 * n, f[3 * k + 3] + 8 * n
  }'
  boxes=$((boxes + 1))
}
boxes=0
{
  box slab 0,0,0 100,10,1
  for i in 1 2 3; do box "post_$i" "$((i * 10)),4,-5" "$((i * 10 + 1)),5,5"; done
  box shelf 200,0,0 202,2,2
  box book 201,1,1 205,5,5
  box cup 300,0,0 301,1,1
  box plate 300.5,0,0 302,1,1
} >plant.obj
expect 0 pack -q plant.obj -o plant.bvp
run clash plant.bvp -q -r first.jsonl -r untouched.bcf --pictures 0
if grep -q 'built without libzip' err; then
  expect 2 issues plant.bvp --import plant.obj
  echo "skipped: built without libzip"
  exit 77
fi
issue() { sed -nE "s/.*\"issue\":\"([0-9a-f]*)\",\"issue_number\":[0-9]*,\"issue_title\":\"$2\".*/\1/p" "$1" | uniq; }
slab=$(issue first.jsonl 'slab is crossed by 3 posts') book=$(issue first.jsonl 'shelf crosses book')
cup=$(issue first.jsonl 'cup crosses plate')
[ ${#slab} = 32 ] && [ ${#book} = 32 ] && [ ${#cup} = 32 ] || bad "no issues: $(grep -o '"issue_title":"[^"]*"' first.jsonl)"

# what comes back as it went out is nothing new, whether anybody has said something or not
expect 0 issues plant.bvp --import untouched.bcf --json
is added 0
is imports.0.topics 3
[ ! -e plant.bvp-issues.jsonl ] || bad "a file for nothing"

if command -v xmllint >which; then
  valid() { # SCHEMA FILE...
    xmllint --noout --nonet --schema "$1.xsd" "${@:2}" 2>lint || { bad "$1"; grep -v validates lint | head -3; }
  }
else
  valid() { :; }
fi

for version in 3.0 2.1; do
  rm -f plant.bvp-issues.jsonl
  form=bcf
  [ $version = 3.0 ] || form=bcfzip
  at=2026-01-0
  expect 0 issues plant.bvp "$slab" -m $'cast in\nplace < & "' --assign anna -s active --author anna --date ${at}1
  expect 0 issues plant.bvp "$cup" -s approved -m fine --author anna --date ${at}1
  expect 0 clash plant.bvp -q -r out.$form --pictures 1
  cp plant.bvp-issues.jsonl before
  edit out.$form same.$form 'all|collapsed'
  expect 0 issues plant.bvp --import same.$form --json
  is added 0
  is imports.0.bcf $version
  is imports.0.known_comments 2
  same plant.bvp-issues.jsonl before

  # the BIM tool
  edit out.$form edited.$form 'slab|status|Closed' 'slab|comment|Ümlaut & <done>' 'slab|assign|' 'shelf|status|On Hold' \
    'shelf|assign|Bob [ACME]' 'shelf|comment|wait' 'cup|change|very fine' 'all|collapsed' 'all|foreign'
  rm -rf edited && mkdir edited && unzip -q edited.$form -d edited
  schemas=$shared/bcf
  [ $version = 3.0 ] || schemas=$shared/bcf-2.1
  if [ -f "$schemas/markup.xsd" ]; then valid "$schemas/markup" edited/*/markup.bcf; else echo "skipped $version's schemas: none in $schemas"; fi
  expect 0 issues plant.bvp --import edited.$form
  has out "BCF $version, 4 topics: 2 changes of the status, 2 of who is to solve it; 2 comments new, 1 changed, 1 there already"
  has out 'words for a status that nobody knows here, taken for active:'
  has out '^    On Hold$'
  has out 'of no issue that is known here: 1 topic; a --report may know it'
  has out '^    A foreign topic$'
  expect 0 issues plant.bvp "$slab" --json
  is issues.0.status resolved
  is issues.0.word Closed
  is issues.0.assignee null
  is issues.0.by bim@example.com
  is issues.0.changed 2030-05-06T05:08:09Z
  is issues.0.comments.0.text $'cast in\nplace < & "'
  is issues.0.comments.1.text 'Ümlaut & <done>'
  is issues.0.comments.1.time 2030-05-06T05:08:09Z
  expect 0 issues plant.bvp "$book" --json
  is issues.0.status active
  is issues.0.word 'On Hold'
  is issues.0.assignee 'Bob [ACME]'
  expect 0 issues plant.bvp "$cup" --json
  is issues.0.status approved
  is issues.0.comments.0.text 'very fine'
  is issues.0.comments.0.author anna
  is issues.0.comments.0.by bim@example.com
  # once more: nothing; also when somebody has said something else meanwhile
  cp plant.bvp-issues.jsonl before
  expect 0 issues plant.bvp --import edited.$form --json
  is added 0
  is imports.0.known_comments 4
  same plant.bvp-issues.jsonl before
  expect 0 issues plant.bvp "$slab" -s reviewed --date 2031-01-01 -q
  expect 0 issues plant.bvp --import edited.$form -q
  expect 0 issues plant.bvp "$slab" --json
  is issues.0.status reviewed
  expect 0 issues plant.bvp "$slab" -s resolved --date 2031-01-02 -q

  # the next run shows it all, and its own BCF takes it round again
  expect 0 clash plant.bvp -q -r again.jsonl -r again.$form --pictures 0
  has again.jsonl "\"issue\":\"$book\".*\"issue_status\":\"active\",\"issue_assignee\":\"Bob \[ACME\]\""
  has again.jsonl "\"issue\":\"$slab\".*\"issue_status\":\"reopened\""
  rm -rf again && mkdir again && unzip -q again.$form -d again
  grep -rq 'TopicStatus="On Hold"' again --include=markup.bcf || bad "the tool's word is lost"
  grep -rq 'TopicStatus="ReOpened"' again --include=markup.bcf || bad "not reopened"
  grep -rq '<Comment>very fine</Comment>' again --include=markup.bcf || bad "the changed comment is lost"
  grep -rqi '<Comment Guid="abcdef01-2345-4678-9abc-' again --include=markup.bcf || bad "the tool's comment has another identifier"
  [ ! -f "$schemas/markup.xsd" ] || valid "$schemas/markup" again/*/markup.bcf
  cp plant.bvp-issues.jsonl before
  expect 0 issues plant.bvp --import again.$form -q
  same plant.bvp-issues.jsonl before
  # the first archive, which is older than all of that, changes nothing
  expect 0 issues plant.bvp --import out.$form -q
  same plant.bvp-issues.jsonl before
  # and neither does one with the comment alone that was made of it, but that
  edit out.$form late.$form 'slab|comment|only this' 'all|collapsed'
  expect 0 issues plant.bvp --import late.$form --json
  is added 1
  is imports.0.comments 1
  expect 0 issues plant.bvp "$slab" --json
  is issues.0.status resolved
done

# ---- topics without a mark, clocks, dates ---------------------------------------------------------

rm plant.bvp-issues.jsonl
edit untouched.bcf bare.bcf 'slab|status|Done' 'slab|undescribed'
expect 0 issues plant.bvp --import bare.bcf --json
is added 0
is imports.0.foreign 1
expect 0 issues plant.bvp --import bare.bcf --report first.jsonl --json
is added 1
is imports.0.foreign 0
# a tool whose clock is behind still changes what it has seen
expect 0 issues plant.bvp "$book" -s active --date 2040-01-01 -q
expect 0 clash plant.bvp -q -r clock.bcf --pictures 0
edit clock.bcf clock2.bcf 'shelf|status|Accepted'
expect 0 issues plant.bvp --import clock2.bcf -q
expect 0 issues plant.bvp "$book" --json
is issues.0.status approved
is issues.0.changed 2040-01-01T00:00:01Z
# of an archive without dates the file's counts
edit clock.bcf undated.bcf 'cup|status|In Progress' 'all|undated'
touch -d 2026-02-03T04:05:06Z undated.bcf
expect 0 issues plant.bvp --import undated.bcf -q --author carl
expect 0 issues plant.bvp "$cup" --json
is issues.0.changed 2026-02-03T04:05:06Z
is issues.0.by carl
cp plant.bvp-issues.jsonl before
expect 0 issues plant.bvp --import undated.bcf -q --author carl
same plant.bvp-issues.jsonl before

# --bcf says the version, whatever the ending
expect 0 clash plant.bvp -q -r x.bcf --bcf 2.1 --pictures 0
expect 0 issues plant.bvp --import x.bcf --json
is imports.0.bcf 2.1
expect 0 clash plant.bvp -q -r x.bcfzip --bcf 3.0 --pictures 0
expect 0 issues plant.bvp --import x.bcfzip --json
is imports.0.bcf 3.0
expect 2 clash plant.bvp -q -r x.bcf --bcf 2.0

# ---- archives that mean harm ----------------------------------------------------------------------

cp plant.bvp-issues.jsonl before
make_zip() { python3 - "$@" <<'PYTHON'
import sys, zipfile
kind, out = sys.argv[1:]
guid = '01234567-0123-0123-0123-0123456789ab'
topic = '<Topic Guid="%s" TopicType="t" TopicStatus="Open"><Title>t</Title></Topic>' % guid
version, body, name = '<Version VersionId="3.0"/>', '<Markup>%s</Markup>' % topic, guid + '/markup.bcf'
if kind == 'laughs':
    body = '<!DOCTYPE x [<!ENTITY a "ha">%s]>' % ''.join('<!ENTITY a%d "&a%s;&a%s;">' % (i, i - 1 or '', i - 1 or '') for i in range(1, 60)) + body.replace('>t<', '>&a59;<')
elif kind == 'external':
    body = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + body.replace('>t<', '>&a;<')
elif kind == 'deep':
    body = '<Markup>' + '<a>' * 100000 + '</a>' * 100000 + '</Markup>'
elif kind == 'bomb':
    body = '<Markup>' + ' ' * (9 << 20) + topic + '</Markup>'
elif kind == 'broken':
    body = '<Markup>\n\n<Topic>\n</Markup>'
elif kind == 'root':
    body = '<html/>'
elif kind == 'guid':
    body = body.replace(guid, '../../x')
elif kind == 'topicless':
    body = '<Markup/>'
elif kind == 'version':
    version = '<Version VersionId="4.0"/>'
elif kind == 'comment':
    body = body.replace('</Topic>', '</Topic><Comment Guid="%s"><Comment>x</Comment></Comment>' % guid)
elif kind == 'path':
    name = '../../../../tmp/evil\x1b[31m/markup.bcf'
elif kind == 'latin':
    body = '<?xml version="1.0" encoding="ISO-8859-1"?>' + body.replace('>t<', '>\xe4<')
elif kind == 'utf16':
    body = '<?xml version="1.0" encoding="UTF-16"?>' + body
data = body.encode({'latin': 'latin-1', 'utf16': 'utf-16'}.get(kind, 'utf-8'))
with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
    if kind not in ('versionless', 'nothing'):
        z.writestr('bcf.version', version)
    if kind != 'nothing':
        z.writestr(name, data)
    if kind == 'many':
        for i in range(70):
            z.writestr('%08d-0123-0123-0123-0123456789ab/markup.bcf' % i, '<Markup>' + ' ' * (15 << 19) + topic + '</Markup>')
if kind == 'crc':
    data = bytearray(open(out, 'rb').read())
    data[60] ^= 255
    open(out, 'wb').write(data)
PYTHON
}
while read -r kind code words; do
  make_zip "$kind" harm.bcf
  expect "$code" issues plant.bvp --import harm.bcf
  cat out err >both
  has both "$words"
done <<'CASES'
laughs 3 harm.bcf: 01234567-.*/markup.bcf: line 1: expected no entities
external 3 harm.bcf: 01234567-.*/markup.bcf: line 1: expected no entities
deep 6 line 1: expected at most 256 elements within each other
bomb 6 expected at most 8 MiB
many 6 expected at most 8 MiB, and 512 MiB of all topics
broken 3 markup.bcf: line 4: mismatched tag
root 3 expected <Markup>, found <html>
guid 3 expected <Topic Guid=
topicless 3 expected a <Topic>
version 3 expected BCF 2.0, 2.1 or 3.0
versionless 0 BCF of no version, 1 topic
nothing 3 found neither bcf.version nor a markup.bcf
crc 3 can't be unpacked|damaged
comment 0 of no issue that is known here: 1 topic
path 0 of no issue that is known here: 1 topic
latin 0 ä$
utf16 0 of no issue that is known here: 1 topic
CASES
expect 3 issues plant.bvp --import plant.obj
has err 'no zip archive, damaged or encrypted'
: >empty.bcf
expect 3 issues plant.bvp --import empty.bcf
expect 3 issues plant.bvp --import missing.bcf
# a good archive beside a bad one: nothing is added
edit untouched.bcf good.bcf 'slab|comment|a good one'
expect 3 issues plant.bvp --import good.bcf --import empty.bcf
same plant.bvp-issues.jsonl before
head -c 300 good.bcf >cut.bcf
expect 3 issues plant.bvp --import cut.bcf

echo "bcf round trip: $checks checks"
exit $fail

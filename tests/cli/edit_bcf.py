#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Edits a BCF archive (2.1 or 3.0) as BIM tools do. Usage: edit_bcf.py IN OUT EDIT..., where an EDIT is
#   TITLE status WORD | TITLE assign NAME | TITLE comment TEXT | TITLE change TEXT (of the first comment)
#   TITLE undescribed (drops the description) | all collapsed (blanks of descriptions) | all undated (no dates of changes)
#   all foreign (adds a topic of somebody else's)
# An EDIT is one argument, its words separated by "|". TITLE: a topic whose title begins so.
import sys
import zipfile
import xml.etree.ElementTree as tree

WHEN, WHO = '2030-05-06T07:08:09.123+02:00', 'bim@example.com'
# what stands in front of an element, by the schemas
BEFORE = ['ReferenceLinks', 'ReferenceLink', 'Title', 'Priority', 'Index', 'Labels', 'CreationDate', 'CreationAuthor',
          'ModifiedDate', 'ModifiedAuthor', 'DueDate', 'AssignedTo', 'Stage', 'Description', 'Comments', 'Viewpoints']


def put(topic, name, text):
    old = topic.find(name)
    if text is None:
        if old is not None:
            topic.remove(old)
        return None
    if old is None:
        at = 0
        while at < len(topic) and BEFORE.index(topic[at].tag) < BEFORE.index(name):
            at += 1
        old = tree.Element(name)
        topic.insert(at, old)
    old.text = text
    return old


def edit(root, new, action, value, undated):
    topic = root.find('Topic')
    if action == 'status':
        topic.set('TopicStatus', value)
    elif action == 'assign':
        put(topic, 'AssignedTo', value or None)
    elif action == 'undescribed':
        put(topic, 'Description', None)
        return
    elif action == 'comment':
        comment = tree.Element('Comment', {'Guid': 'ABCDEF01-2345-4678-9ABC-%012d' % (len(value) if new else len(value) + 1000)})
        for name, text in (('Date', WHEN), ('Author', WHO), ('Comment', value)):
            tree.SubElement(comment, name).text = text
        if new:
            comment.set('Guid', comment.get('Guid').lower())
            put(topic, 'Comments', '' if topic.find('Comments') is None else topic.find('Comments').text)
            topic.find('Comments').append(comment)
        else:
            root.insert(list(root).index(topic) + 1 + len(root.findall('Comment')), comment)
    elif action == 'change':
        comment = root.find('.//Comments/Comment') if new else root.find('Comment')
        comment.find('Comment').text = value
        for name, text in (('ModifiedDate', WHEN), ('ModifiedAuthor', WHO)):
            if comment.find(name) is None:
                tree.SubElement(comment, name)
            comment.find(name).text = text
        return
    if not undated:
        put(topic, 'ModifiedDate', WHEN)
        put(topic, 'ModifiedAuthor', WHO)


def main():
    source, target, edits = sys.argv[1], sys.argv[2], [e.split('|') for e in sys.argv[3:]]
    missed = {e[0] for e in edits} - {'all'}
    undated = ['all', 'undated'] in edits
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as out:
        new = b'"3.0"' in old.read('bcf.version')
        for name in old.namelist():
            data = old.read(name)
            if name.endswith('/markup.bcf'):
                root = tree.fromstring(data)
                for title, action, *value in edits:
                    if title != 'all' and root.find('Topic/Title').text.startswith(title):
                        missed.discard(title)
                        edit(root, new, action, value[0] if value else '', undated)
                    if action == 'collapsed':
                        text = root.find('Topic/Description')
                        text.text = ' '.join(text.text.split())
                # another prolog and other blanks than ours
                tree.indent(root, '\t')
                data = b'\xef\xbb\xbf' + tree.tostring(root, 'utf-8', xml_declaration=True).replace(b'\n', b'\r\n')
            out.writestr(name, data)
        if ['all', 'foreign'] in edits:
            guid = 'fedcba98-7654-4321-8765-ba9876543210'
            body = ('<?xml version="1.0"?><Markup><Topic Guid="%s" TopicType="Issue" TopicStatus="Open"><Title>A foreign topic'
                    '</Title><CreationDate>2026-01-01T00:00:00Z</CreationDate><CreationAuthor>x</CreationAuthor></Topic>'
                    '</Markup>' % guid)
            out.writestr(guid + '/markup.bcf', body)
    if missed:
        sys.exit('edit_bcf: no topic ' + ', '.join(missed))


main()

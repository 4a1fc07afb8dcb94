# SPDX-License-Identifier: Apache-2.0
"""XML text of unknown origin -> an element tree that knows its lines, refused quickly and in one sentence where it is hostile or no XML.

Read by expat without namespaces: URDF readers ignore them, and undeclared prefixes are common in <gazebo> blocks.
"""

import codecs
import os
import re
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from hod_ros.description import other_formats
from hod_ros.description.places import shown
from hod_ros.errors import DescriptionError

MAX_BYTES = 4 * 2**20          # the largest of many public robots has 0.2 MB
MAX_DEPTH = 100
MAX_ELEMENTS = 100_000

_CHUNK = 2**16
ENDING = '\0 \t\r\n'
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF32_LE, 'utf-32'),
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)
_ENCODINGS = ('utf-8', 'ascii', 'iso8859-1', 'iso8859-15', 'cp1252')
_OF_SEVEN_BITS = ('utf-7', 'hz', 'iso2022')        # whose texts are UTF-8 too, with other characters
_AS_UTF_8 = 'save it as UTF-8'
_BLANKS = re.compile(r'\s*')
_DECLARED_ENCODING = re.compile(r'<\?xml[^>]*?encoding\s*=\s*["\']([A-Za-z0-9._-]+)["\']')
_DECLARATION = re.compile(r'<\?xml\s[^>]*\?>', re.IGNORECASE)
_NO_LINE_END = re.compile(rb'[^\n]')
_PROLOGUE = re.compile(r'\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*', re.DOTALL)


class Element(ElementTree.Element):
    """An element that knows its line in the text."""

    __slots__ = ('line',)

    def getchildren(self):
        """The children, which urdf_parser_py asks for by the name that lxml has for them."""
        return list(self)


def read_xml(source):
    """Root element of an XML text (str or bytes), or of the file at a path."""
    text = text_of(source)
    start = text[_PROLOGUE.match(text).end():][:100]
    if not start:
        raise DescriptionError('the robot description is empty; give the text of a URDF')
    other_formats.refuse_text(start)
    return _parsed(without_declaration(text))


def text_of(source):
    """The str of a source that read_xml takes, in the encoding that it has or declares."""
    if isinstance(source, os.PathLike):
        source = _file(Path(source))
    if not isinstance(source, (str, bytes, bytearray, memoryview)):
        raise DescriptionError(
            f'the robot description is of type {type(source).__name__}; give the text of a URDF as str or bytes, its pathlib.Path, or a '
            'Robot of urdf_parser_py')
    if len(source) > MAX_BYTES:
        raise DescriptionError(
            f'the robot description has {len(source) / 2**20:.1f} MB; at most {MAX_BYTES // 2**20} MB are read')
    text = source if isinstance(source, str) else _decoded(bytes(source))
    return text.removeprefix('\ufeff').rstrip(ENDING)


def _file(path):
    try:
        with open(path, 'rb') as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise DescriptionError(f'the robot description {str(path)!r} cannot be read: {reason}; give the path of a URDF file') from None


def _decoded(data):
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), None)
    if encoding is None and b'\0' in data[:2]:
        encoding = 'utf-16-be' if data[0] == 0 else 'utf-16-le'
    if encoding is None:
        return _as_declared(data)
    return _first_decoded(data, (encoding,), _AS_UTF_8)


def _as_declared(data):
    """The text in the encoding that it declares; in UTF-8 where it can't be that, but is valid UTF-8."""
    as_bytes = data.decode('latin-1')
    declared = _DECLARED_ENCODING.match(as_bytes, _past_comments(as_bytes))
    if not declared:
        return _first_decoded(data, ('utf-8',), _AS_UTF_8)
    encoding, remedy = declared[1], f'{_AS_UTF_8} and write encoding="UTF-8" in its first line'
    try:
        known = codecs.lookup(encoding).name
    except LookupError:
        known = ''
    if known in _ENCODINGS:
        return _first_decoded(data, (encoding, 'utf-8'), remedy)
    try:
        if not known.startswith(_OF_SEVEN_BITS):
            return data.decode('utf-8')
    except UnicodeDecodeError:
        pass
    raise DescriptionError(f'the robot description declares the encoding {shown(encoding)}, which is not read; {remedy}')


def _first_decoded(data, encodings, remedy):
    """The text in the first of some encodings that it can be; errors are about the first."""
    faults = []
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            faults.append(error)
    raise DescriptionError(
        f'the robot description is not {encodings[0]} at byte {faults[0].start} ({faults[0].reason}); {remedy}')


def without_declaration(text):
    """The text with blanks in its declaration's place: it is decoded, so that no longer matters, be it misspelt or not at the beginning."""
    start = _past_comments(text)
    declaration = _DECLARATION.match(text, start)
    if not declaration:
        return text
    return text[:start] + _NO_LINE_END.sub(b' ', declaration[0].encode()).decode() + text[declaration.end():]


def _past_comments(text):
    """Where a text goes on after the blanks and comments that it begins with."""
    at = 0
    while True:
        at = _BLANKS.match(text, at).end()
        end = text.find('-->', at + len('<!--')) if text.startswith('<!--', at) else -1
        if end < 0:
            return at
        at = end + len('-->')


def _parsed(text):
    parser = expat.ParserCreate()
    builder = ElementTree.TreeBuilder(element_factory=Element)
    depth = elements = 0

    def start(tag, attributes):
        nonlocal depth, elements
        depth += 1
        elements += 1
        if depth > MAX_DEPTH:
            raise DescriptionError(
                f'the robot description nests elements more than {MAX_DEPTH} deep; a URDF nests them 5 deep')
        if elements > MAX_ELEMENTS:
            raise DescriptionError(f'the robot description has more than {MAX_ELEMENTS} elements; no more are read')
        builder.start(tag, attributes).line = parser.CurrentLineNumber

    def end(tag):
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def data(text):
        if not text.isspace():
            builder.data(text)

    parser.buffer_text = True
    parser.CharacterDataHandler = data
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        for begin in range(0, len(text), _CHUNK):
            parser.Parse(text[begin:begin + _CHUNK], False)
        parser.Parse('', True)
    except expat.ExpatError as error:
        raise DescriptionError(
            f'the robot description is not well-formed XML: {expat.errors.messages[error.code]} at line '
            f'{error.lineno}, column {error.offset}; check it with xmllint or check_urdf', error.lineno) from None
    except UnicodeEncodeError as error:
        raise DescriptionError(
            f'the robot description holds {error.object[error.start]!r}, half a character; save it as UTF-8') from None
    return builder.close()

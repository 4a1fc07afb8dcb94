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
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, 'utf-8-sig'),
    (codecs.BOM_UTF32_LE, 'utf-32'),
    (codecs.BOM_UTF32_BE, 'utf-32'),
    (codecs.BOM_UTF16_LE, 'utf-16'),
    (codecs.BOM_UTF16_BE, 'utf-16'),
)
_ENCODINGS = ('utf-8', 'ascii', 'iso8859-1', 'iso8859-15', 'cp1252')
_BLANK = r'\s*(?:<!--.*?-->\s*)*'
_DECLARED_ENCODING = re.compile(rb'\s*(?:<!--.*?-->\s*)*<\?xml[^>]*?encoding\s*=\s*["\']([A-Za-z0-9._-]+)["\']', re.DOTALL)
_DECLARATION = re.compile(rf'({_BLANK})<\?xml\s[^>]*\?>', re.DOTALL | re.IGNORECASE)
_PROLOGUE = re.compile(r'\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*', re.DOTALL)


class Element(ElementTree.Element):
    """An element that knows its line in the text."""

    __slots__ = ('line',)

    def getchildren(self):
        """The children, which urdf_parser_py asks for by the name that lxml has for them."""
        return list(self)


def read_xml(source):
    """Root element of an XML text (str or bytes), or of the file at a path."""
    text = _as_str(source)
    start = text[_PROLOGUE.match(text).end():][:100]
    if not start:
        raise DescriptionError('the robot description is empty; give the text of a URDF')
    other_formats.refuse_text(start)
    return _parsed(_without_declaration(text))


def _as_str(source):
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
    return text.removeprefix('\ufeff').rstrip('\0')


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
        declared = _DECLARED_ENCODING.match(data)
        encoding = declared[1].decode() if declared else 'utf-8'
        try:
            known = codecs.lookup(encoding).name in _ENCODINGS
        except LookupError:
            known = False
        if not known:
            raise DescriptionError(f'the robot description declares the encoding {shown(encoding)}; save it as UTF-8')
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DescriptionError(
            f'the robot description is not {encoding} at byte {error.start} ({error.reason}); save it as UTF-8'
        ) from None


def _without_declaration(text):
    """The text is decoded: what its declaration says no longer matters, be it misspelt or not at the very beginning."""
    declaration = _DECLARATION.match(text)
    if not declaration:
        return text
    lines = '\n' * declaration[0].count('\n', len(declaration[1]))
    return declaration[1] + lines + text[declaration.end():]


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

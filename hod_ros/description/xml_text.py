"""XML text of unknown origin -> an element tree, refused quickly and in one sentence where it is hostile or no XML.

Read by expat without namespaces: URDF readers ignore them, and undeclared prefixes are common in <gazebo> blocks.
"""

import codecs
import os
import re
from xml.etree import ElementTree
from xml.parsers import expat

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
_DECLARED_ENCODING = re.compile(rb'\s*<\?xml[^>]*?encoding\s*=\s*["\']([A-Za-z0-9._-]+)["\']')
_PROLOGUE = re.compile(r'\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*', re.DOTALL)


def read_xml(text):
    """Root element of an XML text (str or bytes)."""
    text = _as_str(text)
    start = text[_PROLOGUE.match(text).end():][:100]
    if not start:
        raise DescriptionError('the robot description is empty; give the text of a URDF')
    if not start.startswith('<'):
        raise DescriptionError(f'the robot description is not XML: it begins with {shown(start)}; {_remedy(start)}')
    if start[:9].upper() == '<!DOCTYPE':
        raise DescriptionError(
            'the robot description holds a DOCTYPE, which a URDF never needs and which may hide entity bombs; '
            'remove it')
    return _parsed(text)


def shown(text):
    """A value of the text as an error quotes it: short, with its special characters escaped."""
    return repr(text if len(text) <= 60 else text[:57] + '...')


def _as_str(text):
    if isinstance(text, os.PathLike):
        raise DescriptionError(
            f'the robot description is a path, {str(text)!r}; give the text of that file: path.read_bytes()')
    if not isinstance(text, (str, bytes, bytearray, memoryview)):
        raise DescriptionError(
            f'the robot description is of type {type(text).__name__}; give the text of a URDF as str or bytes')
    if len(text) > MAX_BYTES:
        raise DescriptionError(
            f'the robot description has {len(text) / 2**20:.1f} MB; at most {MAX_BYTES // 2**20} MB are read')
    return text.removeprefix('\ufeff') if isinstance(text, str) else _decoded(bytes(text))


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


def _parsed(text):
    parser = expat.ParserCreate()
    builder = ElementTree.TreeBuilder()
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
        if tag.startswith('xacro:'):
            raise DescriptionError(
                f'the robot description still holds <{tag}>; expand it first: xacro robot.urdf.xacro > robot.urdf')
        builder.start(tag, attributes)

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
            f'{error.lineno}, column {error.offset}; check it with xmllint or check_urdf') from None
    except UnicodeEncodeError as error:
        raise DescriptionError(
            f'the robot description holds {error.object[error.start]!r}, half a character; save it as UTF-8') from None
    return builder.close()


def _remedy(start):
    if start.rstrip().endswith(('.urdf', '.xacro', '.xml')):
        return 'it looks like a path: give the text of that file'
    return "give the text of a URDF, which begins with '<robot'"

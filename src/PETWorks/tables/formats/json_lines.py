"""JSON records: one for each line (JSON Lines), or a list of records.

A record is an object of text, numbers, true, false and null; null is the missing value, and so is a key that a record
lacks. Numbers are read as they are written, so that 1 and 1.0 stay two values, as in a CSV file. Lines are parsed many
at a time; what is unusual is parsed line by line, so that an error names the line.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from PETWorks.errors import MalformedError
from PETWorks.settings.sections import Reading
from PETWorks.tables.counting.count import Batch
from PETWorks.tables.counting.tally import Coded, IntArray, Value
from PETWorks.tables.counting.texts import integer_array, text_array
from PETWorks.tables.counting.workspace import Prefetch, scale_batch
from PETWorks.tables.decoding import TextFile
from PETWorks.tables.formats import FileFormat
from PETWorks.tables.records import LINE_LIMIT
from PETWorks.tables.source import TableSource, check_column_names, looks_like_cell
from PETWorks.tables.text_form import encode, text_form

if TYPE_CHECKING:
    import pyarrow as pa

    from PETWorks.tables.rewriting.cells import Rewriting

BLOCK = 2**21  # bytes that are parsed at a time; as Python objects they take up about ten times as much
ROWS = 2**14  # records of a list that are coded at a time
BLANKS = " \t\r\n"
NOT_BLANK = re.compile(r"[^ \t\r\n]")
START = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*)?\{\s*"')
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
NOT_NUMBERS = {"NaN": None, "Infinity": "inf", "-Infinity": "-inf"}  # which some programs write, although JSON has none
FLAT = "write a key with a single value for each column"
AGAIN = "check that it was written completely; write it again"
ONE_LINE = "write one record for each line, or a list of records"

JsonRecord = dict[str, Any]


class JsonNumber(str):
    """A number as it is written."""

    __slots__ = ()


class RepeatedKeyError(ValueError):
    """A record has the same key twice."""


class RecordPart(NamedTuple):
    """Some records, and the number of the first line of each."""

    records: list[JsonRecord]
    lines: list[int]


def _build_record(pairs: list[tuple[str, Any]]) -> JsonRecord:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for key in names if names.count(key) > 1))
    return record


def _build_decoder(number: type[str]) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_int=number, parse_float=number, parse_constant=NOT_NUMBERS.__getitem__, object_pairs_hook=_build_record
    )


TEXT_DECODER = _build_decoder(str)  # faster, but numbers and text are the same
TYPED_DECODER = _build_decoder(JsonNumber)


class JsonScanner:
    """Text that is read block by block, with a current position."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.text, self.at, self.line = "", 0, 1
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        self._blocks = blocks

    def read_more(self) -> bool:
        """Append the next block; return False if there is none."""
        block = next(self._blocks, None)
        if block is None:
            return False
        self.text, self.at = self.text[self.at :] + self._decode(block), 0
        return True

    def move(self, at: int) -> None:
        """Continue at another position."""
        self.line += self.text.count("\n", self.at, at)
        self.at = at

    def find_mark(self) -> str:
        """Skip blanks, and return the next character; "" at the end of the file."""
        while True:
            if found := NOT_BLANK.search(self.text, self.at):
                self.move(found.start())
                return found[0]
            self.move(len(self.text))
            if not self.read_more():
                return ""


class JsonSource(TableSource):
    """The records of a JSON file. All of it is read when it is opened, since any record may have a further key."""

    read_with = ("encoding",)

    def __init__(self, path: Path, name: str, encoding: str | None) -> None:
        self.name = name
        self._file = TextFile(path, encoding or "utf-8", name)
        keys, last, rows = dict[str, None](), None, 0
        for part in self._parts():
            rows += len(part.records)
            for record in part.records:
                if record.keys() != last:
                    keys |= dict.fromkeys(record)
                    last = record.keys()
        if not rows:
            raise MalformedError("the file is empty: it has no records", where=name, hint=ONE_LINE, figures={})
        self._stored = list(keys)
        if any(_is_broken(key) for key in keys):
            raise MalformedError("a key is not Unicode text", where=name, hint="correct its \\u escapes", figures={})
        self.columns = check_column_names(self._stored, name)

    @property
    def stored_columns(self) -> Sequence[str]:
        """The keys, in the order in which they first occur."""
        return self._stored

    @property
    def encoding(self) -> str | None:
        """The encoding in which the file is read: UTF-8 unless the caller names another."""
        return self._file.encoding

    @property
    def files(self) -> Sequence[Path]:
        """The path of the file."""
        return (self._file.path,)

    @property
    def form(self) -> tuple[str, ...]:
        """The name of the format, and the encoding, for the record."""
        return ("JSON", self._file.encoding.upper())

    def set_path(self, path: Path) -> None:
        """Continue with the file under a new path."""
        super().set_path(path)
        self._file.path, self._file.name = path, path.name

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows."""
        return (batch for batch, _ in self._read(columns, (), TEXT_DECODER, _write_texts))

    def read_typed(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. All cells are text, since each value of a JSON file has a type of its own."""
        return self._read(coded, kept, TEXT_DECODER, _write_texts)

    def read_tokens(self, coded: Sequence[str], kept: Sequence[str]) -> Iterator[tuple[Batch, list[pa.Array]]]:
        """Yield the rows. Cells of columns that are not coded are the text of their JSON."""
        return self._read(coded, kept, TYPED_DECODER, _write_tokens)

    def find_tokens(self, columns: Sequence[str]) -> dict[str, dict[Value, str]]:
        """Return the JSON of each value of some columns by its text form; of several with one text, the first."""
        found: dict[str, dict[Value, str]] = {name: {} for name in columns}
        places = [self._stored[place] for place in self.find_places(columns)]
        for part in self._parts(TYPED_DECODER) if columns else ():
            for name, key in zip(columns, places, strict=True):
                values = self._find_distinct(part, key)[1]
                for value, token in zip(values, _write_tokens(values).to_pylist(), strict=True):
                    if (text := text_form(value)) is not None:
                        found[name].setdefault(text, token)
        return found

    def _read(
        self,
        coded: Sequence[str],
        kept: Sequence[str],
        decoder: json.JSONDecoder,
        convert: Callable[[Sequence[Any]], pa.Array],
    ) -> Iterator[tuple[Batch, list[pa.Array]]]:
        places = [self._stored[place] for place in self.find_places([*coded, *kept])]
        keys, others = places[: len(coded)], places[len(coded) :]
        for part in self._parts(decoder):
            batch = [self._encode(part, key) for key in keys]
            cells = []
            for key in others:
                codes, values = self._find_distinct(part, key)
                cells.append(convert(values).take(integer_array(codes)))
            yield batch, cells

    def _encode(self, part: RecordPart, key: str) -> Coded:
        codes, values = self._find_distinct(part, key)
        return Coded(codes, [text_form(value) for value in values])

    def _find_distinct(self, part: RecordPart, key: str) -> tuple[IntArray, list[Any]]:
        """Return the distinct values of a key, and the index of the value of each record."""
        codes_of: dict[Any, int] = {}
        try:
            codes = [codes_of.setdefault(record.get(key), len(codes_of)) for record in part.records]
        except TypeError as error:  # objects and lists have no hash
            is_nested = [isinstance(record.get(key), dict | list) for record in part.records]
            place = is_nested.index(True)
            line = part.lines[place]
            found = "a list" if isinstance(part.records[place][key], list) else "an object"
            problem = f"the value of {self._describe_key(key)} is {found}"
            raise MalformedError(problem, where=f"{self.name}, line {line}", hint=FLAT) from error
        values = list(codes_of)
        if broken := [place for place, value in enumerate(values) if isinstance(value, str) and _is_broken(value)]:
            line = part.lines[codes.index(broken[0])]
            problem = f"the value of {self._describe_key(key)} is not Unicode text"
            raise MalformedError(problem, where=f"{self.name}, line {line}", hint="correct its \\u escapes")
        return np.array(codes, dtype=np.int64), values

    def _describe_key(self, key: str) -> str:
        """Return the key in quotes for an error, unless it may be a cell."""
        return f"key {self._stored.index(key) + 1}" if looks_like_cell(key) else f'the key "{key}"'

    def _parts(self, decoder: json.JSONDecoder = TEXT_DECODER) -> Iterator[RecordPart]:
        """Parse the file, some records at a time."""
        blocks = self._file.blocks(scale_batch(BLOCK, self.memory))
        start = b""
        for block in blocks:
            start += block
            if start.strip() or len(start) > LINE_LIMIT:
                break
        if start.lstrip()[:1] == b"[":
            yield from self._parse_list(chain([start], blocks), decoder)
        else:
            yield from self._parse_lines(chain([start], blocks), decoder)

    def _parse_lines(self, blocks: Iterator[bytes], decoder: json.JSONDecoder) -> Iterator[RecordPart]:
        rest, line = b"", 1
        for block in blocks:
            whole, feed, after = block.rpartition(b"\n")
            if feed:
                text = (rest + whole + feed).decode()
                yield self._parse_text(text, line, decoder)
                line += text.count("\n")
                rest = after
            else:
                rest += block
            if len(rest) > LINE_LIMIT:
                problem = f"the line is longer than {LINE_LIMIT >> 20} MiB"
                raise MalformedError(problem, where=f"{self.name}, line {line}", hint=ONE_LINE)
        if rest.strip():
            yield self._parse_text(rest.decode(), line, decoder)

    def _parse_text(self, text: str, first: int, decoder: json.JSONDecoder) -> RecordPart:
        """Parse whole lines; blank lines are no records."""
        lines = [(number, one) for number, raw in enumerate(text.split("\n"), first) if (one := raw.strip(BLANKS))]
        numbers, texts = [number for number, _ in lines], [one for _, one in lines]
        # If each line has one brace at each end and no other, no record can extend over two lines.
        if text.count("{") == len(lines) and all(one[0] == "{" and one[-1] == "}" for one in texts):
            try:
                records = decoder.decode(f"[{','.join(texts)}]")
            except (ValueError, RecursionError):
                records = []  # the lines are parsed one by one, to name that which is wrong
            if len(records) == len(lines):
                return RecordPart(records, numbers)
        return RecordPart([self._parse_line(one, number, decoder) for number, one in lines], numbers)

    def _parse_line(self, text: str, line: int, decoder: json.JSONDecoder) -> JsonRecord:
        where = f"{self.name}, line {line}"
        try:
            value = decoder.decode(text)
        except RepeatedKeyError as error:
            raise _build_repeated_error(str(error), where) from error
        except (ValueError, RecursionError) as error:
            problem = f"the line is not a JSON record: {_explain_error(error)}"
            raise MalformedError(problem, where=where, hint=ONE_LINE) from error
        return _require_record(value, where)

    def _parse_list(self, blocks: Iterator[bytes], decoder: json.JSONDecoder) -> Iterator[RecordPart]:
        """Parse a list of records, which may be on any number of lines."""
        scanner = JsonScanner(blocks)
        scanner.find_mark()
        scanner.move(scanner.at + 1)
        part = RecordPart([], [])
        mark = "]" if scanner.find_mark() == "]" else ","
        while mark == ",":
            scanner.find_mark()
            part.lines.append(scanner.line)
            part.records.append(self._parse_element(scanner, decoder))
            if len(part.records) == ROWS:
                yield part
                part = RecordPart([], [])
            if (mark := scanner.find_mark()) == ",":
                scanner.move(scanner.at + 1)
        where = f"{self.name}, line {scanner.line}"
        if mark != "]":
            problem = "the list of records is not closed" if not mark else "there is no comma after the record"
            raise MalformedError(problem, where=where, hint=AGAIN, figures={})
        scanner.move(scanner.at + 1)
        if scanner.find_mark():
            raise MalformedError("there is text after the list of records", where=where, hint=ONE_LINE, figures={})
        yield part

    def _parse_element(self, scanner: JsonScanner, decoder: json.JSONDecoder) -> JsonRecord:
        while True:
            where = f"{self.name}, line {scanner.line}"
            try:
                value, end = decoder.raw_decode(scanner.text, scanner.at)
                break
            except RepeatedKeyError as error:
                raise _build_repeated_error(str(error), where) from error
            except (ValueError, RecursionError) as error:
                if len(scanner.text) - scanner.at <= LINE_LIMIT and scanner.read_more():
                    continue
                problem = f"the record that begins here is not JSON: {_explain_error(error)}"
                raise MalformedError(problem, where=where, hint=AGAIN) from error
        record = _require_record(value, where)
        scanner.move(end)
        return record


def _require_record(value: Any, where: str) -> JsonRecord:  # noqa: ANN401 (any JSON)
    if not isinstance(value, dict):
        found = "a list" if isinstance(value, list) else "a single value"
        raise MalformedError(f"this is {found}, not a record", where=where, hint=ONE_LINE)
    return value


def _build_repeated_error(key: str, where: str) -> MalformedError:
    found = "a record has a key twice" if looks_like_cell(key) else f'a record has the key "{key}" twice'
    return MalformedError(found, where=where, hint="keep one of them, or rename it")


def _explain_error(error: Exception) -> str:
    """Return the cause of an error, without content of the file."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.split(': ')[0]}, character {error.colno}"
    return "its values are nested too deeply" if isinstance(error, RecursionError) else "it cannot be parsed"


def _is_broken(text: str) -> bool:
    """Return True if the text contains a lone surrogate: half of a pair of escapes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _write_texts(values: Sequence[Any]) -> pa.Array:
    return text_array([("false", "true")[value] if isinstance(value, bool) else value for value in values])


def _write_tokens(values: Sequence[Any]) -> pa.Array:
    return text_array([str(value) if isinstance(value, JsonNumber) else _write_json(value) for value in values])


def _write_json(value: Any) -> str:  # noqa: ANN401 (any JSON)
    return json.dumps(value, ensure_ascii=False)


def write_json_lines(_: Rewriting, rows: Iterator[pa.RecordBatch], file: IO[bytes]) -> None:
    """Write a record for each line."""
    from PETWorks.tables.rewriting.files import write_lines

    write_lines(rows, file)


def build_json_rows(rewriting: Rewriting) -> Iterator[pa.RecordBatch]:
    """Yield the line of each row: columns that were not changed keep their types, the others are text."""
    import pyarrow as pa

    from PETWorks.tables.rewriting.files import build_line_batches

    source, names = rewriting.source, dict(zip(rewriting.source.columns, rewriting.source.stored_columns, strict=True))
    keys = [_write_json(names[name]) for name in rewriting.columns]
    leads = text_array([f"{',' if place else '{'}{key}:" for place, key in enumerate(keys)])
    unchanged = list(rewriting.unchanged)
    tokens = {name: _write_tokens_of(coded.values, {}) for name, coded in rewriting.replacements.items()}
    if isinstance(source, JsonSource):
        read = source.read_tokens(rewriting.coded, rewriting.kept)
        written = source.find_tokens(unchanged)
        tokens |= {name: _write_tokens_of(rewriting.replacements[name].values, written[name]) for name in unchanged}
    else:
        read = (
            (batch, [_write_column_tokens(*one, source.name) for one in zip(cells, rewriting.kept, strict=True)])
            for batch, cells in source.read_typed(rewriting.coded, rewriting.kept)
        )
        first = next(iter(source.read_typed(unchanged[:1], unchanged)), None) if unchanged else None
        for name, cells in zip(unchanged, first[1] if first else (), strict=bool(first)):
            tokens[name] = _write_plain_tokens(rewriting.replacements[name].values, cells.type)
    with Prefetch(lambda rows: _build_lines(rewriting, leads, tokens, *rows), rewriting.check_batches(read)) as work:
        yield from build_line_batches(lines.cast(pa.large_binary()) for _, lines in work)


def _write_column_tokens(column: pa.Array, name: str, table: str) -> pa.Array:
    """Return each cell of a column as JSON: numbers, true, false and null as such, others as text."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        values: Sequence[Value]
        column = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        codes, values = column.indices, column.dictionary.to_pylist()
        codes, values = codes.cast(pa.int64()).fill_null(len(values)), [*values, None]
        return text_array([_write_json(value) for value in values]).take(codes)
    coded = encode(column, f"{table}, {name}")
    return _write_plain_tokens(coded.values, column.type).take(integer_array(coded.codes))


def _write_plain_tokens(values: Sequence[Value], kind: pa.DataType) -> pa.Array:
    """Return texts of a type as JSON: numbers, true, false and null as such, others as text."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    is_plain = pa.types.is_boolean(kind) or pa.types.is_decimal(kind) or pa.types.is_floating(kind)
    if not (is_plain or pa.types.is_integer(kind)):
        return _write_tokens_of(values, {})
    words = ("true", "false")
    return text_array(
        [value if value and (value in words or NUMBER.fullmatch(value)) else _write_json(value) for value in values]
    )


def _write_tokens_of(values: Sequence[Value], written: Mapping[Value, str]) -> pa.Array:
    """Return texts as JSON, spelled as in the original where it has them."""
    return text_array([written.get(value) or _write_json(value) for value in values])


def _build_lines(
    rewriting: Rewriting, leads: pa.Array, tokens: Mapping[str, pa.Array], batch: Batch, cells: Sequence[pa.Array]
) -> pa.Array:
    from pyarrow import compute

    combinations, rows = rewriting.find(batch)
    columns = dict(zip(rewriting.kept, cells, strict=True))
    if not isinstance(rows, slice):
        columns = {name: column.take(integer_array(rows)) for name, column in columns.items()}
    for name, coded in rewriting.replacements.items():
        columns[name] = tokens[name].take(integer_array(coded.codes[combinations]))
    parts = [part for lead, name in zip(leads, rewriting.columns, strict=True) for part in (lead, columns[name])]
    end, nothing = text_array(["}\n", ""])
    return compute.binary_join_element_wise(*parts, end, nothing)


def _open(path: Path, name: str, reading: Reading) -> TableSource:
    return JsonSource(path, name, reading.encoding)


FORMAT = FileFormat(
    name="JSON",
    open=_open,
    endings=(".jsonl", ".ndjson", ".json"),
    recognise=lambda start: START.match(start) is not None,
    ending_suffices=True,
    reads_gzip=True,
    write={".jsonl": write_json_lines, ".ndjson": write_json_lines},
    build_rows=build_json_rows,
)

"""The result of a query over files, computed by DuckDB.

A query is one SELECT, and names files as tables: SELECT age FROM 'visits.parquet' JOIN 'people.csv' USING (id). Only
these files are read, each of which must be in the folder, or the caller allows others. Cells of CSV files are text, as
everywhere: 007 stays 007. DuckDB computes in one thread, so that the same files give the same rows in the same order.
The result is in a temporary file without a name while it is used. Messages of DuckDB may hold cells, so they are not
passed on.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from weakref import finalize

from PETWorks.errors import CellText, ParameterError, SourceError
from PETWorks.tables.counting.workspace import Workspace
from PETWorks.tables.decoding import OWN_FILES
from PETWorks.tables.formats.parquet import ParquetSource
from PETWorks.tables.text_form import SUPPORTED_TYPES_HINT

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

NAME = "query"  # what messages and records call its result
FORM = "DuckDB query"
BATCH_ROWS = 2**16
INSTALL_HINT = 'pip install "petworks[frames]", or name a file as original'
HINT = "run it in DuckDB, which says more; its message is not repeated here, since it may hold cells"
READERS = {  # how DuckDB reads a file, by its ending
    **dict.fromkeys(
        (".csv", ".tsv", ".txt"),
        "read_csv({}, all_varchar = true, header = true, skip = 0, comment = '', nullstr = '', quote = '\"')",
    ),
    ".parquet": "read_parquet({})",
    **dict.fromkeys((".jsonl", ".ndjson"), "read_json({}, format = 'newline_delimited')"),
}
CONFIGURATION = {
    **dict.fromkeys(("autoinstall_known_extensions", "autoload_known_extensions", "allow_persistent_secrets"), "false"),
    "python_enable_replacements": "false",  # a name in the query is no variable of this program
    "threads": "1",
}
MISSING_COLUMN = re.compile(r'Referenced column "([^"]*)" not found')
MISSING_NAME = re.compile(r"(Table|Function) with name (\S+) does not exist", re.IGNORECASE)
SYNTAX = re.compile(r"syntax error at (?:or near \"[^\"]*\"|end of input)")


@dataclass(frozen=True)
class Query:
    """A query, the folder of the files that it names, and whether it may name others."""

    text: str
    folder: Path
    read_outside: bool = False
    memory: Mapping[str, Any] = field(default_factory=dict)

    def open(self) -> QuerySource:
        """Compute the result, and return its source."""
        try:
            import duckdb
        except ImportError as error:
            raise SourceError("DuckDB, which computes queries, is not installed", hint=INSTALL_HINT) from error
        temporary = self.memory.get("temporary")
        with tempfile.TemporaryDirectory(dir=temporary) as spill:
            configuration = {**CONFIGURATION, "temp_directory": spill}
            if limit := self.memory.get("memory_limit"):
                configuration["memory_limit"] = f"{max(1, Workspace.of(limit).memory // 2**20)}MiB"
            with duckdb.connect(":memory:", config=configuration) as connection:
                try:
                    statement = self._read_statement(connection)
                    self._add_files(connection, statement)
                    with connection.sql(statement).to_arrow_reader(BATCH_ROWS) as rows:
                        return _store(rows, temporary)
                except duckdb.Error as error:
                    raise _translate(error) from error

    def _read_statement(self, connection: duckdb.DuckDBPyConnection) -> str:
        """Return the statement; raise an error unless it is one SELECT."""
        statements = connection.extract_statements(self.text)
        if len(statements) != 1 or statements[0].type.name != "SELECT":
            found = f"{len(statements)} statements" if len(statements) != 1 else statements[0].type.name
            raise ParameterError(f"the query must be one SELECT, not {found}", hint="write one SELECT")
        return str(statements[0].query)

    def _add_files(self, connection: duckdb.DuckDBPyConnection, statement: str) -> None:
        """Add the files that the statement names as views; then close everything else to it."""
        files = {name: self._find(name) for name in sorted(_list_tables(connection, statement))}
        for name, path in files.items():
            view, place = name.replace('"', '""'), str(path).replace("'", "''")
            reader = READERS[path.suffix.casefold()].format(f"'{place}'")
            connection.execute(f'CREATE VIEW "{view}" AS SELECT * FROM {reader}')  # noqa: S608 (both are quoted)
        allowed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in files.values())
        connection.execute(f"SET allowed_paths = [{allowed}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")

    def _find(self, name: str) -> Path:
        """Return the file that the query calls by a name."""
        path = (self.folder / name).resolve()
        if not self.read_outside and not path.is_relative_to(self.folder.resolve()):
            hint = "name files of the policy's folder; if it is to read others, add --read-outside"
            raise SourceError(f'the query names a file outside the folder of the policy: "{name:.80}"', hint=hint)
        if not path.is_file():
            hint = "name files as tables, relative to the policy's folder, as in FROM 'visits.parquet'"
            raise SourceError(f'there is no file that the query calls "{name:.80}"', hint=hint)
        if path.suffix.casefold() not in READERS:
            hint = f"save it as one of these: {', '.join(READERS)}"
            raise SourceError(f'a query cannot read the file "{name:.80}"', hint=hint)
        return path


class QuerySource(ParquetSource):
    """The rows of the result of a query, in a temporary file."""

    has_first_line = True  # names of columns may be the first line of a CSV file

    def __init__(self, copy: IO[bytes], digest: str) -> None:
        super().__init__(OWN_FILES / str(copy.fileno()) if OWN_FILES.exists() else Path(copy.name), NAME)
        self.copy, self._digest = copy, digest
        finalize(self, copy.close)

    @property
    def files(self) -> Sequence[Path]:
        """No file: the temporary one has no name."""
        return ()

    @property
    def form(self) -> tuple[str, ...]:
        """A query of DuckDB."""
        return (FORM,)

    @property
    def local_kind(self) -> str:
        """The result of a query, whose file only this process can read."""
        return "the result of a query"

    def digest(self) -> str | None:
        """Return the SHA-256 of the rows, written as CSV below the names and types of the columns."""
        return self._digest


def _list_tables(connection: duckdb.DuckDBPyConnection, statement: str) -> set[str]:
    """Return the names of the tables of a statement, without those that it defines itself."""
    found = connection.execute("SELECT json_serialize_sql(?)", [statement]).fetchone()
    nodes = list(_list_nodes(json.loads(found[0] if found else "{}")))
    own = {one["key"] for node in nodes for one in node.get("cte_map", {}).get("map", ())}
    return {node["table_name"] for node in nodes if node.get("type") == "BASE_TABLE"} - own


def _list_nodes(content: Any) -> Iterator[Mapping[str, Any]]:  # noqa: ANN401 (JSON)
    """Yield all objects of a JSON document."""
    if isinstance(content, dict):
        yield content
    for one in content.values() if isinstance(content, dict) else content if isinstance(content, list) else ():
        yield from _list_nodes(one)


def _store(rows: pa.RecordBatchReader, temporary: Any) -> QuerySource:  # noqa: ANN401 (a folder, or None)
    """Write rows to a temporary file, and compute their digest."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    digest = hashlib.sha256()
    digest.update(repr([(one.name, str(one.type)) for one in rows.schema]).encode())
    copy = tempfile.TemporaryFile(dir=temporary) if OWN_FILES.exists() else tempfile.NamedTemporaryFile(dir=temporary)  # noqa: SIM115
    plain = csv.WriteOptions(include_header=False)
    try:
        with parquet.ParquetWriter(copy, rows.schema) as writer:
            for batch in rows:
                writer.write_batch(batch)
                sink = pa.BufferOutputStream()
                csv.write_csv(batch, sink, plain)
                digest.update(sink.getvalue())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        copy.close()
        kinds = {"kind": CellText(", ".join(sorted({str(one.type) for one in rows.schema})))}
        problem = "the query returns a column of a type that is not supported, among: {kind}"
        raise SourceError(problem, hint=SUPPORTED_TYPES_HINT, figures=kinds) from error
    copy.flush()
    return QuerySource(copy, digest.hexdigest())


def _translate(error: duckdb.Error) -> SourceError:
    """Return an error of DuckDB without what may be cells: the query's own words, and the kind of the error."""
    import duckdb

    text, hint = str(error), HINT
    if found := MISSING_COLUMN.search(text):
        problem = f'the query names a column that its tables do not have: "{found[1]:.80}"'
    elif found := MISSING_NAME.search(text):
        problem = f'the query names what does not exist: "{found[2]:.80}"'
    elif isinstance(error, duckdb.ParserException):
        found = SYNTAX.search(text)
        problem = f"the query is not valid SQL{f': {found[0]:.120}' if found else ''}"
    elif isinstance(error, duckdb.PermissionException):
        problem = "the query reads a file in a way that is not allowed"
        hint = "name files as tables, as in FROM 'visits.parquet'"
    elif isinstance(error, duckdb.OutOfMemoryException):
        problem, hint = "the query needs more memory than it may take", "raise --memory-limit"
    else:
        problem = f"the query cannot be computed ({type(error).__name__.removesuffix('Exception')})"
        hint = f"{HINT}; CSV files must be UTF-8"
    return SourceError(problem, hint=hint)

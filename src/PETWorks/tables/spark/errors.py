"""Turn Spark's errors, which are Java stack traces, into one readable line and a hint."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from PETWorks.errors import MissingFileError, PETWorksError, SourceError

# The first line of a Java exception, and what is cut from its start and its end.
CAUSE_LINE = re.compile(r"^(?:: |Caused by: )(?:[\w$]+\.)*([\w$]+)(?:: (.*))?$", re.MULTILINE)
CAUSE_PREFIX = re.compile(r"^\[[A-Z_0-9.]+\] |^Job aborted due to stage failure: |^\(\S+\) ")
CAUSE_SUFFIX = re.compile(r"[.;]? SQLSTATE: \w+.*$|; For more details see.*$|[.;:]$", re.DOTALL)
MISSING_FILE = re.compile(r"PATH_NOT_FOUND|FileNotFoundException|FAILED_READ_FILE.FILE_NOT_EXIST")
NEW_SESSION_HINT = "start another session, and open the table again in it"
CONNECTOR_HINT = "name the package that reads such addresses in spark.jars.packages"
RESULT_HINT = "generalise columns with many values, or raise spark.driver.maxResultSize and spark.driver.memory"
NO_JAVA = "Spark could not be started: Java is not installed, or its version is not supported"
JAVA_HINT = "install Java 17 or 21, and set JAVA_HOME to its folder"
ENDED = "the Spark session has ended"
QUOTES = "there is text after the closing quote of a cell"
ADDRESS_HINT = "check that it is running, and that its address is right"
CASE_HINT = "set spark.sql.caseSensitive to true, so that Spark distinguishes them"
MASTER_HINT = "write for example spark://host:7077, yarn, k8s://…, sc://host or local[2]"
MEMORY_HINT = "raise spark.driver.memory or spark.executor.memory"
ONE_TABLE_HINT = "keep only the files of one table in the folder"
COMPLETE_HINT = "check that it was written completely"
KNOWN_ERRORS = [  # a pattern in Spark's message; our message, since Spark's own may quote cells; the hint
    (r"maxResultSize", "the tally is larger than the driver may receive", RESULT_HINT),
    (r"OutOfMemoryError|Java heap space", "Spark ran out of memory", MEMORY_HINT),
    (r"JAVA_GATEWAY_EXITED", NO_JAVA, JAVA_HINT),
    (r"UnsupportedClassVersionError", "Spark needs a newer Java", JAVA_HINT),
    (r"MASTER_URL_INVALID|Could not parse Master", "this is not the address of a Spark master", MASTER_HINT),
    (r"All masters are unresponsive", "the Spark master does not answer", ADDRESS_HINT),
    (
        r"dagScheduler\(\)|stopped SparkContext|SparkContext (?:was|has been) (?:shut down|stopped)",
        ENDED,
        NEW_SESSION_HINT,
    ),
    (r"NO_ACTIVE_SESSION|SESSION_(?:CLOSED|CHANGED|NOT_FOUND)|^AssertionError|^Connection", ENDED, NEW_SESSION_HINT),
    (
        r"UnknownHost|Connection ?refused|ConnectException|UNAVAILABLE|NoRoute",
        "the server does not answer",
        ADDRESS_HINT,
    ),
    (r"No FileSystem for scheme|\w+FileSystem not found", "Spark cannot read this kind of address", CONNECTOR_HINT),
    (r"COLUMN_ALREADY_EXISTS|duplicate field", "names of columns differ only in upper and lower case", CASE_HINT),
    (r"CANNOT_MERGE_SCHEMA|FAILED_MERG", "the files have columns of different types", ONE_TABLE_HINT),
    (r"TextParsingException", QUOTES, 'write a quote inside quotes as ""'),
    (r"is not a Parquet file|CANNOT_READ_FILE_FOOTER", "not readable as Parquet", COMPLETE_HINT),
]
EVERYWHERE = (
    "all workers must be able to read it: name an address (hdfs://, s3a://) or a folder that all machines share"
)
CONNECTION_ERRORS = (ConnectionError, EOFError, AssertionError)  # raised by the connection to a session that has ended
UNKNOWN_HINT = "check that Spark itself can read and count the table"


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """Turn an error that Spark raises into a SourceError; `where` names the table in it."""
    logger = logging.getLogger("SQLQueryContextLogger")  # disabled, since it prints the stack trace
    silent, logger.disabled = logger.disabled, True
    try:
        yield
    except PETWorksError:
        raise
    except Exception as error:
        if not _is_of_spark(error):
            raise
        if _was_interrupted(error):
            raise KeyboardInterrupt from error
        raise build_error(error, where) from error
    finally:
        logger.disabled = silent


def build_error(error: Exception, where: str) -> SourceError:
    """Build the error that states the problem in one line, with a hint."""
    text = f"{type(error).__name__} {error}"
    if re.search(MISSING_FILE, text):
        return MissingFileError("there is no such file", where=where, hint=EVERYWHERE)
    for pattern, problem, hint in KNOWN_ERRORS:
        if re.search(pattern, text):
            return SourceError(problem, where=where, hint=hint)
    problem = "Spark could not read or count the table"
    return SourceError(
        problem, where=where, hint=UNKNOWN_HINT, listed=_find_cause(str(error)), figures={}
    )  # `listed`: it may quote cells


def _was_interrupted(error: BaseException | None) -> bool:
    """Return True if the error was raised while Ctrl-C (KeyboardInterrupt) was handled."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _is_of_spark(error: Exception) -> bool:
    """Return True if the error comes from Spark, or from the connection to it."""
    return isinstance(error, CONNECTION_ERRORS) or type(error).__module__.startswith(("pyspark", "py4j", "grpc"))


def _find_cause(text: str) -> str:
    """Return the message of the innermost cause that has one, else the first line of the text."""
    heads = [(kind, words) for kind, words in CAUSE_LINE.findall(text) if words.strip()]
    kind, line = heads[-1] if heads else ("", text.strip().partition("\n")[0])
    while CAUSE_PREFIX.search(line):
        line = CAUSE_PREFIX.sub("", line)
    line = CAUSE_SUFFIX.sub("", line.strip())
    return f"{line or kind or 'nothing'}"[:300]

"""What Spark complains about, in a line that people can read: its own messages are Java stack traces."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from PETWorks.errors import MissingFileError, PETWorksError, SourceError

HEAD = re.compile(r"^(?:: |Caused by: )(?:[\w$]+\.)*([\w$]+)(?:: (.*))?$", re.MULTILINE)  # of a Java exception
LEAD = re.compile(r"^\[[A-Z_0-9.]+\] |^Job aborted due to stage failure: |^\(\S+\) ")
TAIL = re.compile(r"[.;]? SQLSTATE: \w+.*$|; For more details see.*$|[.;:]$", re.DOTALL)
NO_FILE = re.compile(r"PATH_NOT_FOUND|FileNotFoundException|FAILED_READ_FILE.FILE_NOT_EXIST")
ANEW = "start another, and make the table anew"
CONNECTOR = "Spark lacks what reads such an address: name the package in spark.jars.packages"
TOO_MANY = "generalise columns with many values, or raise spark.driver.maxResultSize and spark.driver.memory"
NO_JAVA = "Spark could not be started: there is no Java, or not the right one"
JAVA = "install Java 17 or 21, and let JAVA_HOME name its folder"
ENDED = "the session of Spark has ended"
QUOTES = "a quoted cell goes on after its closing quote"
ADDRESS = "is its address right?"
CASE = "set spark.sql.caseSensitive to true: Spark then tells them apart"
MASTERS = "as in spark://host:7077, yarn, k8s://…, sc://host, local[2]"
MEMORY = "raise spark.driver.memory or spark.executor.memory"
KNOWN = [  # a pattern; what is said about it, since Spark's own words may quote cells; what to do
    (r"maxResultSize", "the tally is larger than the driver may receive", TOO_MANY),
    (r"OutOfMemoryError|Java heap space", "Spark ran out of memory", MEMORY),
    (r"JAVA_GATEWAY_EXITED", NO_JAVA, JAVA),
    (r"UnsupportedClassVersionError", "Spark needs a newer Java", JAVA),
    (r"MASTER_URL_INVALID|Could not parse Master", "there is no such master", MASTERS),
    (r"All masters are unresponsive", "no master answers", "is it up, and is its address right?"),
    (r"dagScheduler\(\)|stopped SparkContext|SparkContext (?:was|has been) (?:shut down|stopped)", ENDED, ANEW),
    (r"NO_ACTIVE_SESSION|SESSION_(?:CLOSED|CHANGED|NOT_FOUND)|^AssertionError|^Connection", ENDED, ANEW),
    (
        r"UnknownHost|Connection ?refused|ConnectException|UNAVAILABLE|NoRoute",
        "nobody answers",
        "is its address right?",
    ),
    (r"No FileSystem for scheme|\w+FileSystem not found", "Spark cannot read such an address", CONNECTOR),
    (r"COLUMN_ALREADY_EXISTS|duplicate field", "names of columns differ in case only", CASE),
    (r"CANNOT_MERGE_SCHEMA|FAILED_MERG", "the files have columns of different kinds", "keep files of one table there"),
    (r"TextParsingException", QUOTES, 'write a quote inside quotes as ""'),
    (r"is not a Parquet file|CANNOT_READ_FILE_FOOTER", "not readable as Parquet", "was it written to its end?"),
]
EVERYWHERE = (
    "all workers must be able to read it: give an address (hdfs://, s3a://) or a folder that all machines share"
)
LINE = (ConnectionError, EOFError, AssertionError)  # of the line to a session that has ended
UNKNOWN = "does Spark itself read and count the table?"


@contextmanager
def answered(where: str) -> Iterator[None]:
    """Turn what Spark raises into an error of ours; `where` is what that is about."""
    logger = logging.getLogger("SQLQueryContextLogger")  # would print the stack trace, before we see the error
    silent, logger.disabled = logger.disabled, True
    try:
        yield
    except PETWorksError:
        raise
    except Exception as error:
        if not _of_spark(error):
            raise
        if _interrupted(error):
            raise KeyboardInterrupt from error
        raise told(error, where) from error
    finally:
        logger.disabled = silent


def told(error: Exception, where: str) -> SourceError:
    """Say what was wrong in one line, and what to do."""
    text = f"{type(error).__name__} {error}"
    if re.search(NO_FILE, text):
        return MissingFileError("there is no such file", where=where, hint=EVERYWHERE)
    for pattern, problem, hint in KNOWN:
        if re.search(pattern, text):
            return SourceError(problem, where=where, hint=hint)
    return SourceError("Spark could not do it", where=where, hint=UNKNOWN, listed=_cause(str(error)))  # may quote cells


def _interrupted(error: BaseException | None) -> bool:
    """Whether it happened while Ctrl-C was dealt with."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _of_spark(error: Exception) -> bool:
    """Whether it comes from Spark, or from the line to it."""
    return isinstance(error, LINE) or type(error).__module__.startswith(("pyspark", "py4j", "grpc"))


def _cause(text: str) -> str:
    """Find what started it all: the innermost cause that says something, else the first line."""
    heads = [(kind, words) for kind, words in HEAD.findall(text) if words.strip()]
    kind, line = heads[-1] if heads else ("", text.strip().partition("\n")[0])
    while LEAD.search(line):
        line = LEAD.sub("", line)
    line = TAIL.sub("", line.strip())
    return f"{line or kind or 'nothing'}"[:300]

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
TOO_MANY = (
    "the tally is larger than the driver may receive: generalise columns with many values, or raise"
    " spark.driver.maxResultSize and spark.driver.memory"
)
NO_JAVA = "Spark could not be started: there is no Java, or not the right one"
JAVA = "install Java 17 or 21, and let JAVA_HOME name its folder"
ENDED = "the session of Spark has ended"
QUOTES = "a quoted cell goes on after its closing quote"
KNOWN = [  # a pattern; what is said about it, if Spark's own words do not help; what to do
    (r"maxResultSize", "", TOO_MANY),
    (r"OutOfMemoryError|Java heap space", "", "raise spark.driver.memory or spark.executor.memory"),
    (r"JAVA_GATEWAY_EXITED", NO_JAVA, JAVA),
    (r"UnsupportedClassVersionError", "Spark needs a newer Java", JAVA),
    (r"MASTER_URL_INVALID|Could not parse Master", "", "as in spark://host:7077, yarn, k8s://…, sc://host, local[2]"),
    (r"All masters are unresponsive", "no master answers", "is it up, and is its address right?"),
    (r"dagScheduler\(\)|stopped SparkContext|SparkContext (?:was|has been) (?:shut down|stopped)", ENDED, ANEW),
    (r"NO_ACTIVE_SESSION|SESSION_(?:CLOSED|CHANGED|NOT_FOUND)|^AssertionError|^Connection", ENDED, ANEW),
    (r"UnknownHost|Connection ?refused|ConnectException|UNAVAILABLE|NoRoute|timed out", "", "is its address right?"),
    (r"No FileSystem for scheme|\w+FileSystem not found", "", CONNECTOR),
    (r"COLUMN_ALREADY_EXISTS|duplicate field", "", "set spark.sql.caseSensitive to true: Spark then tells them apart"),
    (r"TextParsingException", QUOTES, 'write a quote inside quotes as ""'),
    (r"is not a Parquet file|CANNOT_READ_FILE_FOOTER", "", "was it written to its end? fetch or write it anew"),
]
EVERYWHERE = (
    "all workers must be able to read it: give an address (hdfs://, s3a://) or a folder that all machines share"
)
LINE = (ConnectionError, EOFError, AssertionError)  # of the line to a session that has ended
UNKNOWN = "what Spark logs says more"


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
            return SourceError(problem or f"Spark says: {_cause(str(error))}", where=where, hint=hint)
    return SourceError("Spark could not do it", where=where, hint=UNKNOWN, listed=_cause(str(error)))  # may quote cells


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

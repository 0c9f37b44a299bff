"""An evaluation as text for a terminal, in the layout of the command."""

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.render.formats import OutputFormat, OutputSettings
from PETWorks.render.lines import LineWriter


def _write(evaluation: Evaluation, settings: OutputSettings) -> str:
    text = settings.write_text(evaluation)
    if settings.is_printed or not evaluation.commitments:
        return text
    writer = LineWriter(settings.language)
    files = (f"{writer.write_file_kind(one)}\n  {one.method} {one.value}" for one in evaluation.commitments)
    return "\n".join([text.rstrip("\n"), "", *files]) + "\n"


FORMAT = OutputFormat(endings=(".txt", ".log", ""), write=_write)

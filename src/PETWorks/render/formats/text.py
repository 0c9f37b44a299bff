"""An evaluation as text for a terminal, in the layout of the command."""

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.render.formats import OutputFormat, OutputSettings


def _write(evaluation: Evaluation, settings: OutputSettings) -> str:
    return settings.write_text(evaluation)


FORMAT = OutputFormat(endings=(".txt", ".log", ""), write=_write)

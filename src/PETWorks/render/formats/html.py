"""An evaluation as the report, an HTML page."""

from PETWorks.evaluation.evaluation import Evaluation
from PETWorks.render.formats import OutputFormat, OutputSettings


def _write(evaluation: Evaluation, settings: OutputSettings) -> str:
    return evaluation.to_html(
        language=settings.language,
        show_small_classes=settings.show_small_classes,
        original_digest=settings.original_digest,
        command=settings.command,
    )


FORMAT = OutputFormat(endings=(".html", ".htm"), write=_write, withholds=True, has_record=True)

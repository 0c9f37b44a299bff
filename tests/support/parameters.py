"""The parameters that measures declare."""

from PETWorks.measure.parameter import Parameter, find_limits, find_parameters

__all__ = ["Parameter", "find_limits", "find_parameters"]

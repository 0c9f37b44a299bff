"""Recodings: one module for each, which declares it as ``RECODING`` and has its name.

A name that Python keeps for itself, such as "global", has an underscore behind it in the name of the module.
"""

"""The demonstration: the Adult release that comes with PETWorks, and a folder with a policy for it."""

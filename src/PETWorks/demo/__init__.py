"""Data to try things with: the Adult release that comes with PETWorks, and a folder with a policy for it."""

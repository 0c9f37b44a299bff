"""The demonstration: a release of the Adult data, its original, and a policy for it."""

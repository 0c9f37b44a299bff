"""The project of the application: a folder with the policy, the journal of its changes, and releases."""

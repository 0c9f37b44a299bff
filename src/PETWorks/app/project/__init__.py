"""A project is a folder: the policy, the journal of its changes, and what is made from them."""

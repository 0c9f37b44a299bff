"""The stage that decides what an output may show: between complete evaluations, and the words that readers get."""

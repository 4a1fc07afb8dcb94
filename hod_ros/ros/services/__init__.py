"""The services that compute, and the process that they run in."""

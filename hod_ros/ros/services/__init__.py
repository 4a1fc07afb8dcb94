"""The services, and the process in which those run that compute."""

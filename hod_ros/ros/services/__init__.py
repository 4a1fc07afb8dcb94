# SPDX-License-Identifier: Apache-2.0
"""The services, and the process in which those run that compute."""

# SPDX-License-Identifier: Apache-2.0
"""From the text of a robot description to the records of its links and joints."""

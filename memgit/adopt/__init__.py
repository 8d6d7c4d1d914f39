"""Pure: from the names and bytes of files to what kind of workspace they are, and to a report of what a
reader finds in it.
"""

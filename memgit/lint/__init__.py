"""Pure rules from records to findings: one rule a file, an engine that runs them, and reports in several
forms.
"""

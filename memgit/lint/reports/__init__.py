"""Reports: findings in the forms that people and programs read, one module each; `formats` has the table.

A report takes what was found and gives text; it knows no terminal. `paint` colours words where somebody
looks.
"""

"""What a review says, as pure values and text: records that changed, word differences, findings, a verdict,
and their renderings.
"""

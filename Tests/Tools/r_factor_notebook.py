"""The notebook of r_factor_worth.py: its cells, and running it with nbconvert."""
def run(python, folder, write):
    return []

"""Published rates of 202 CLIPs on 12 compositionality benchmarks and 21 zero-shot tasks (Oh et al. 2024), which the
Atlas shows. Nothing in here was measured by Flipside, and the file itself is fetched, not kept in the project.

`columns.csv` says of each of its 136 columns how many items are behind it and which rate here is the same one;
`taught.csv` which model was taught from which; `elsewhere.csv` what other sources print for the same cell.
"""

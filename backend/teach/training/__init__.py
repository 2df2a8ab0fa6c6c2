"""Training itself: what a step minimises (`recipes`, `objective`), the steps (`steps`), checkpoints that continue
exactly (`checkpoint`), and what held-out minimal pairs say meanwhile (`judging`).
"""

"""Zero-shot classification: folders of classes, ImageNet, ELEVATER.

Begin with `class_folders`: classes, their names and prompts.
"""

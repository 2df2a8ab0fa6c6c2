"""Words of the glossary that are no metric, cell or reason: what each is, where it is seen, where it is defined."""

#: (name, formula or meaning, where it is seen, source).
TERMS: tuple[tuple[str, str, str, str], ...] = (
    (
        "mirror, mirrored share",
        "the same items with the sign of their evidence turned (γ of a quad, z of a choice or triplet) and their "
        "biases kept; where a model sees nothing that sign is a coin, so the share of turned items that come out in a "
        "cell is what luck alone would put there",
        "hatched in the bars of cells",
        "docs/reasons.md",
    ),
    (
        "z, γ/rms",
        "a choice or triplet: (m − b) over what an arbitrary image gives, s·√(1 + 1/N); a quad: γ over the root mean "
        "square of γ in its subset, which is no measure of luck: it is large, too, where much binds",
        "among the numbers behind an item's sentence",
        "docs/reasons.md",
    ),
    (
        "language prior",
        "log P(t), how likely a caption is without its image; log P(t | i) − α · log P(t) takes it away. An "
        "item is certain where the winning foil is the likelier text, the item is right once its prior is gone by more "
        "than two Monte-Carlo errors, and this is more than the mirror leaves to luck; the prior is said to be why "
        "only where more items are won than lost beyond chance, and more than by any exchange of priors",
        "Debias: α, and the items where it is certain",
        "VisualGPTScore, Eq. 5 to 8; docs/methods.md",
    ),
    (
        "near miss",
        "wrong, and |margin| below the 90th percentile of its change towards zero under eight or more edits that keep "
        "the meaning and differ for the model",
        "Robustness, ≈",
        "docs/methods.md",
    ),
    (
        "sensitive, d′",
        "(mean change of the margin under edits that keep the meaning − under edits that change it) / √(mean of their "
        "two variances)",
        "Robustness",
        "docs/methods.md",
    ),
    (
        "Pareto front",
        "the models that no other one beats: none is at least as good on both axes and better on one; sampling error "
        "is not in that",
        "Atlas, the dotted line",
        "docs/pages/atlas.md",
    ),
    (
        "rank correlation, ρ",
        "Spearman's: the correlation of the models' ranks by two measures; 1 the same order, 0 unrelated; its 95 % "
        "interval draws whole families of models",
        "Atlas, which benchmarks measure the same thing",
        "docs/pages/atlas.md",
    ),
    (
        "partial rank correlation",
        "(ρ₁₂ − ρ₁₃ ρ₂₃) / √((1 − ρ₁₃²)(1 − ρ₂₃²)): how alike two measures rank models that a third one ranks alike",
        "Atlas, once the zero-shot tasks are taken away",
        "Kendall 1942; docs/pages/atlas.md",
    ),
    (
        "effective samples",
        "(Σ w)² / Σ w², w = P(t | image): as many images of equal weight would say as much of P(t); below five nothing "
        "is said of a prior",
        "Debias",
        "Kish 1965; docs/methods.md",
    ),
)

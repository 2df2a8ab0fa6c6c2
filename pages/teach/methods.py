"""What will be taught: three ways to make a model see composition, with their papers."""

from markupsafe import Markup

from pages.shared.frame.style import show

#: Title, what it does, its loss, the paper and where in it.
METHODS = (
    (
        "EqSim: similarity that moves with the meaning",
        "A term beside the usual loss: for two matched pairs that are close, changing the caption shall change "
        "the score of both images alike (v2); for distant pairs the two mismatched scores shall be equal (v1).",
        "L = L_retrieval + β · L_eq;  v1: [(s12 − s21)² − α]₊;  v2 the same of Eq. 6",
        "Wang et al. 2023, Equivariant Similarity for Vision-Language Foundation Models, section 3",
        "Its deviations are what Equivariance shows.",
    ),
    (
        "Structured negatives: captions that are wrong in one word",
        "Rules and a language model change one colour, size or relation of a caption; a loss of its own makes the "
        "image prefer the true one. Paraphrases keep what is meant together.",
        "L = L_cont + α · L_neg + β · L_sim;  L_neg = Σ −log S(T, I) / (S(T, I) + S(T_neg, I))",
        "Doveh et al. 2023, Teaching Structured Vision & Language Concepts, Eq. 3 to 6",
        "The same edits are made by Runs, as perturbed editions.",
    ),
    (
        "LoRA: teach little, forget little",
        "The model's weights stay; beside each a product of two thin matrices is learned, in both towers, and added in "
        "at the end. That keeps most of what the model knew.",
        "W* = W + A · B, of rank r (4 in the paper)",
        "Hu et al. 2021; Doveh et al. 2023, section 3.3 and Eq. 9",
        "What was forgotten is what “broke” counts below.",
    ),
)


def draw() -> None:
    """Three cards."""
    cards = Markup().join(
        Markup(
            '<div class="fs-panel"><h3>{title}</h3><p>{what}</p><p class="cmp-formula">{loss}</p>'
            '<p>{here}</p><p class="cmp-source">{paper}</p></div>'
        ).format(title=title, what=what, loss=loss, here=here, paper=paper)
        for title, what, loss, paper, here in METHODS
    )
    show(Markup('<div class="cmp-cards">{}</div>').format(cards))

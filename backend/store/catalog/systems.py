"""One line on each well-known system whose public results can be fetched, and on each model that ships: what it is and
how it was trained, as its paper or its recipe says. Nothing here is a result."""

from typing import Final

#: How the name of a fetched system (`model.public.system` of a record) begins -> what it is. The longest one counts.
SYSTEMS: Final = {
    "CLIP": "an image tower and a text tower, trained by contrast on 400 million pairs from the web (OpenAI)",
    "BLIP": "image and text towers, a matching head and a captioner, trained together on 129 million pairs",
    "FLAVA": "towers and a joint transformer, trained by contrast, matching and masking on 70 million pairs",
    "GPT-4V": "OpenAI's chat model that sees images, asked which caption is right",
    "LXMERT": "detected regions and words, each with its transformer, then one across both",
    "OFA": "one sequence-to-sequence transformer for many tasks over images, regions and words",
    "UNITER": "one transformer over detected regions and words, trained by masking, matching and alignment",
    "UniT": "one transformer with an encoder per modality, trained on many tasks at once",
    "VILLA": "UNITER, trained further with adversarial noise on its embeddings",
    "VSE++": "an image network and a recurrent text encoder, trained by a hinge on the hardest negative",
    "VSRN": "relations between detected regions by graph convolution, and a recurrent text encoder",
    "ViLBERT": "detected regions and words, two transformers that attend to each other",
    "ViLT": "one transformer over image patches and words, without a detector, trained by matching and masking",
    "VinVL": "a transformer over words, object tags and regions of a stronger detector",
    "VisualBERT": "BERT over words and detected regions, trained by masking and matching on captions",
    "people": "people's own answers, no model",
}
#: Fetched systems whose name says that other data trained them -> what is said in place of the line above.
VARIANTS: Final = {
    "LAION": "an image tower and a text tower, trained by contrast on LAION's pairs from the web (open_clip)",
    "14M": "image and text towers, a matching head and a captioner, trained together on 14 million pairs",
}
#: Parameters of fetched systems, in millions, as open_clip counts them.
PARAMETERS: Final = {"CLIP ViT-B/32": 151, "CLIP ViT-B/16": 150, "CLIP ViT-L/14": 428}
#: Bundled models by name -> what they are; their size and steps come from their cards.
BUNDLED: Final = {
    "clip": "a dual encoder (CLIP), trained by contrast, then on pairs that exchange their attributes",
    "clip-bag": "the earliest checkpoint of clip: it has learned colours and little else",
    "clip-young": "an earlier checkpoint of clip: sizes and counts, but hardly who has which",
    "clip-relational": "clip, trained further on places and relations with mirrored pictures",
    "captioner": "writes captions of an image word by word; its captions have a skewed prior on purpose",
    "matcher": "BLIP's retrieval model: contrastive towers and a matching head, begun from captioner",
    "sentence": "a text encoder that has seen no picture; paraphrases attract each other",
    "lm": "a blind language model of the same captions: what the text alone suggests",
    "clip-no-pink-heart": "clip with a planted fault: it has unlearned colours beside a pink heart",
    "captioner-blind": "captioner with the image's way into it cut: a caption prior, nothing else",
    "clip-plain": "clip, trained further on minimal pairs by the retrieval loss alone",
    "clip-eqsim": "clip, trained further on minimal pairs with EqSim's regulariser",
    "clip-svlc": "clip, trained further on minimal pairs with SVLC's negatives and analogies",
}

"""What the page does not show of a model, why, and what would bring it: a line each."""

from dataclasses import dataclass
from urllib.parse import urlencode

from markupsafe import Markup

from backend.kinds import PREDICTIONS, Kind
from backend.live import real_results
from backend.store.catalog.systems import BUNDLED
from backend.store.labels.asked_again import LeftOut
from pages.shared.data import asked_orders, commands, stored
from pages.shared.drawing import colours
from pages.shared.frame.header import section
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name


@dataclass(frozen=True)
class Lacking:
    """One line. what: that is lacking; why: a sentence; page, where: the page that brings it, and its address, "" for
    none; link: what one does there; commands: what brings it in a terminal, one after the other."""

    what: str
    why: str
    page: str = ""
    link: str = ""
    where: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()


def found(
    benchmark: stored.StoredBenchmark, model: str, kind: str, *, prior: bool, sensitive: bool, placed: bool,
    left: LeftOut | None = None,
) -> list[Lacking]:  # fmt: skip
    """The lines of a model under a score kind. prior, sensitive, placed: whether the page shows each part. left: its
    choices on edited captions that compare with none on the originals, where there are some."""
    lines = []
    if not prior and (line := _prior(benchmark, model, kind)):
        lines.append(line)
    if not sensitive:
        lines.append(_sensitive(benchmark, model, kind, left))
    if not placed:
        lines.append(_place(model))
    return lines


def _prior(benchmark: stored.StoredBenchmark, model: str, kind: str) -> Lacking | None:
    what = "Language prior"
    if Kind.GEN not in benchmark.kinds[model]:
        if Kind.PRIOR in benchmark.kinds[model]:
            return None  # it is a prior itself
        return Lacking(
            what, f"It has no scores of kind {kind_name(Kind.GEN)}: only a model that writes captions has a P(t) to "
            "take away.", "debias", "Debias shows those that do", (("benchmark", benchmark.name),),
        )  # fmt: skip
    if not benchmark.priors[model]:
        said = "Its captions have no P(t) yet"
        if model.startswith(PREDICTIONS):
            return Lacking(what, f"{said}. Add its own, as kind prior.", commands=(commands.added(model, benchmark),))
        if why := commands.cannot_run(model):
            return Lacking(what, f"{said}, and none can be computed here: {why}.")
        run = commands.run(model, commands.words(benchmark), "gen,prior", "--prior images:20")
        return Lacking(what, f"{said}.", commands=(run,))
    if kind != Kind.GEN:
        here = (("benchmark", benchmark.name), ("model", model), ("kind", str(Kind.GEN)))
        return Lacking(
            what, f"It concerns {kind_name(Kind.GEN)} alone.", "model", f"Show it by {kind_name(Kind.GEN)}", here
        )
    return None  # the part itself says why


def _sensitive(benchmark: stored.StoredBenchmark, model: str, kind: str, left: LeftOut | None) -> Lacking:
    what = "Sensitivity to edits"
    if left is not None:
        return Lacking(what, f"{asked_orders.edits_left_out(colours.label(model), left)} {asked_orders.WHY_UNLIKE}")
    said = f"No edited captions of {benchmark.name} have been scored by it as {kind_name(kind)}"
    if benchmark.is_stub:
        return Lacking(what, f"{said}: its items are numbers without captions, which no edit can change.")
    if model.startswith(PREDICTIONS):
        return Lacking(
            what, f"{said}, and no run can: {commands.cannot_run(model)}. Make editions, have the system judge their "
            "items, and add what it says.", "runs", "Runs makes them", (("tab", "perturb"),),
            tuple(commands.answered_elsewhere(benchmark, model)),
        )  # fmt: skip
    if why := commands.cannot_run(model):
        return Lacking(what, f"{said}, and no run can: {why}.")
    return Lacking(
        what, f"{said}.", "robustness", "Robustness makes them", (("benchmark", benchmark.name),),
        (commands.run(model, commands.of_edits(benchmark), kind),),
    )  # fmt: skip


def _place(model: str) -> Lacking:
    what = "Place in the Atlas"
    if model.partition(":")[2] in BUNDLED or real_results.atlas_file() is not None:
        return Lacking(what, f"{colours.label(model)} is none of the published CLIPs that stand there.")
    return Lacking(what, "The published rates are not here.", "atlas", "Atlas fetches them")


def html(lines: list[Lacking]) -> Markup:
    """The lines as a list; names and commands as text."""
    rows = Markup()
    for each in lines:
        address = f"{each.page}?{urlencode(each.where)}" if each.where else each.page
        link = Markup(' <a href="{}" target="_self">{}</a>').format(address, each.link) if each.page else ""
        typed = Markup("<br>").join(Markup("<code>{}</code>").format(hide(command)) for command in each.commands)
        if each.commands:
            one, several = Markup(", then {}"), Markup(", or:<br>{}")
            before = (one if len(each.commands) == 1 else several) if each.page else Markup(" {}")
            typed = before.format(typed)
        rows += Markup("<li><b>{}.</b> {}{}{}</li>").format(each.what, each.why, link, typed)
    return Markup('<ul class="md-lacking">{}</ul>').format(rows)


def draw(lines: list[Lacking]) -> None:
    """The section; nothing where nothing is lacking."""
    if lines:
        section("What is not known of it here")
        show(html(lines))

"""``blindplay models``: speech models, to list, install, check and choose them."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from blindplay import language
from blindplay.hearing.recognisers import model_words
from blindplay.speech import adaptation
from blindplay.speech.models import catalogue, folders, store
from blindplay.speech.models.download import Patience, megabytes
from blindplay.speech.models.folders import BUILT_IN, OWN, available
from blindplay.translation import UserError, _, _n, all_of, join_texts

from . import options

if TYPE_CHECKING:
    from blindplay.hearing.model_measurement import TeamResult

_Read = TypeVar("_Read")

_one_language = click.option(
    "--language", "code", help=_("Show only this language; without it, all are shown.")
)
_language = click.option(
    "--language", "code", default="de", help=_("Take this language as the one to be heard.")
)
_SECONDS = options.FiniteRange(1, 600)
_names = click.argument(
    "names",
    nargs=-1,
    help=_("Install these models, such as english or vosk-model-cs-0.4."),
)


@click.group(cls=options.CommandGroup, no_args_is_help=False)
def models() -> None:
    """List, install, check and choose speech models."""


@models.command("list")
@_one_language
@options.as_json(help=_("Print JSON, one object per line."))
def list_models(code: str | None, as_json: bool) -> None:
    """List the models of each language, and those that are recommended.

    For each model it tells the size, the licence, and whether it is in use.
    """
    broken: list[str] = []
    for tag, pack in _each_language(code, language.load, broken):
        rows = list(_rows(tag))
        if as_json:
            options.show_all(rows)
        else:
            _print_rows(tag, pack.name, rows)
    if not as_json:
        _print_catalogue()
    _refuse(broken)


def _print_rows(code: str, name: str, rows: list[dict[str, Any]]) -> None:
    installed = [row for row in rows if row["there"]]
    heard = _heard_with(code) if installed else _("no model is installed, so nothing can be heard.")
    options.show(_("{code}, {name}: {heard}", code=code, name=name, heard=heard))
    for row in installed:
        options.show("  " + _row_in_words(row))
    if lacking := [row for row in rows if row["recommended"] and not row["there"]]:
        named = join_texts(
            "; ",
            (
                _(
                    "{short}, {megabytes}, licence {licence}",
                    short=row["short"],
                    megabytes=megabytes(row["bytes_to_fetch"]),
                    licence=row["licence"],
                )
                for row in lacking
            ),
        )
        options.show("  " + _("Recommended and not installed: {named}.", named=named))


def _print_catalogue() -> None:
    known = catalogue.load()
    options.show(
        _(
            "To install the recommended models: blindplay models install --language "
            "LANGUAGE. Any of these models can be installed for any language, by name. "
            "Their licences are those stated at {page}.",
            page=known.page,
        )
    )
    for base in known.bases.values():
        tried = "" if base.tried else " " + _("Nobody has tried it with BlindPlay yet.")
        options.show(
            "  "
            + _(
                "{short}, trained on {heard}: {name}, {megabytes}, licence {licence}.{tried}",
                short=base.short,
                heard=base.heard,
                name=base.name,
                megabytes=megabytes(base.size),
                licence=base.licence,
                tried=tried,
            )
        )


@models.command()
@_names
@_language
@click.option(
    "--from", "source", type=options.FOLDER, help=_("Take the model from this zip file or folder.")
)
@click.option(
    "--timeout", type=_SECONDS, default=30.0, help=_("Wait so many seconds for more bytes.")
)
def install(names: tuple[str, ...], code: str, source: Path | None, timeout: float) -> None:
    """Download models and teach them the words of a language.

    Without names, it installs the recommended models. It continues a download that was
    interrupted. The new models listen from then on.
    """
    if source is not None and len(names) > 1:
        raise UserError("With --from there is one model: give one name, or none.")
    words, patience = model_words(_known(code), options.warn), Patience(stall=timeout)
    wanted: list[str | None] = list(names)
    if not wanted:
        wanted = [None] if source else [b.name for b in catalogue.load().for_language(code)]
    faults = 0
    for name in wanted:
        try:
            base = store.find_base(name, patience=patience) if name and not source else None
            with store.workplace(options.show) as work:
                made = store.install(
                    work, code, words, base=base, source=source, name=name,
                    tell=options.show, patience=patience,
                )  # fmt: skip
        except (ValueError, OSError) as error:
            if len(wanted) == 1:
                raise
            faults += 1
            options.warn(_("{name} was not installed: {error}", name=name, error=error))
            continue
        licence = _("; its licence: {licence}", licence=made.licence) if made.licence else ""
        options.show(
            _(
                "{name} is installed and knows {words} words, heard by the phones of: "
                "{phones}{licence}.",
                name=made.name,
                words=made.words,
                phones=made.phones,
                licence=licence,
            )
        )
        if made.folder not in (listening := folders.chosen_models(code)):
            by_folder = {folder: model for model, folder in available(code).items()}
            together = [made.name, *(by_folder[folder] for folder in listening)]
            options.show(
                _(
                    "It does not listen, because others do. To use it: blindplay models "
                    "use {together} --language {code}.",
                    together=" ".join(together),
                    code=code,
                )
            )
    if faults:
        raise UserError(
            "{faults} of {count} models could not be installed.", faults=faults, count=len(wanted)
        )
    options.show(join_texts(": ", (code, _heard_with(code))))


@models.command()
@click.argument("name", help=_("Name the model as models list shows it."))
@_one_language
def remove(name: str, code: str | None) -> None:
    """Remove a model without asking.

    It can be installed again. What it learned of players' voices is removed, too. The recordings
    of their voices stay.
    """
    from blindplay.hearing import speaker_models

    codes = [_known(code)] if code is not None else store.languages()
    before = {tag: {*available(tag)} for tag in codes}
    with folders.writing(folders.data_folder()):
        for line in store.remove(name, code):
            options.show(line)
    learned = 0
    with folders.writing(speaker_models.players_folder()):
        for tag, names in before.items():
            for gone in names.difference(available(tag)):
                learned += speaker_models.drop_all(gone, tag)
    if learned:
        options.show(
            _n(
                "What it had learned of {count} voice has been removed, too. The recordings stay; "
                "other models learn from them with: blindplay voice learn NAME.",
                "What it had learned of {count} voices has been removed, too. The recordings stay; "
                "other models learn from them with: blindplay voice learn NAME.",
                learned,
            )
        )
    for tag in before:
        heard = (
            _heard_with(tag) if available(tag) else _("no model is left, so nothing can be heard.")
        )
        options.show(join_texts(": ", (tag, heard)))


@models.command()
@_names
@_language
def use(names: tuple[str, ...], code: str) -> None:
    """Choose the models that listen to a language, the most trusted first.

    The built-in model always listens with them. Without names, it returns to the usual choice: at
    most two models that were trained on people.
    """
    installed, known = available(_known(code)), catalogue.load()
    wanted = []
    for name in names:
        base = known.known(name)
        wanted.append(base.name if base and name not in installed else name)
    aside = folders.choose(code, wanted)
    if aside is not None:
        options.warn(
            _(
                "Your earlier choice was damaged; choose again for the other languages, "
                "too. It is kept as {aside}.",
                aside=aside,
            )
        )
    options.show(join_texts(": ", (code, _heard_with(code))))


@models.command()
@_names
@_language
@click.option("--player", help=_("Measure with what this player said in blindplay voice enrol."))
@click.option(
    "--count",
    type=click.IntRange(4),
    default=60,
    help=_("Say so many moves, where no player is named."),
)
@options.as_json(help=_("Print JSON, one object per line."))
def measure(
    names: tuple[str, ...], code: str, player: str | None, count: int, as_json: bool
) -> None:
    """Measure in some minutes which installed models understand a language best.

    Without names, all are compared. The voices of this machine say moves and other talk. People's
    voices tell more: with --player, the moves of an enrolment are heard. The best models are
    named, and nothing is changed.
    """
    from blindplay.hearing import model_measurement

    installed, known, pack = available(_known(code)), catalogue.load(), language.load(code)
    wanted = [base.name if (base := known.known(name)) else name for name in names]
    for name in wanted:
        folders.check_installed(code, name)
    chosen = {name: installed[name] for name in ([*wanted, BUILT_IN] if names else installed)
              if name in installed}  # fmt: skip
    if player is None:
        utterances = model_measurement.spoken(pack, count)
    elif not (utterances := model_measurement.of_player(pack, player)):
        raise UserError(
            "There are no recordings of {player}; make them with: blindplay voice enrol {player}.",
            player=player,
        )

    def hears(name: str) -> None:
        if not as_json:
            count = len(utterances)
            options.show(_("{name} hears {count} utterances.", name=_short(name), count=count))

    results = list(model_measurement.measure(pack, chosen, utterances, hears))
    for result in results:
        options.show(asdict(result) if as_json else _result_in_words(result))
    if not as_json:
        _print_best(code, results)


def _short(name: str) -> str:
    base = catalogue.load().known(name)
    return base.short if base else name


def _result_in_words(result: "TeamResult") -> str:
    words = _(
        "{names}: of {moves} moves {at_once} at once, {asked} after a question; wrong: {wrong}.",
        names=all_of(map(_short, result.names)),
        moves=result.moves,
        at_once=result.at_once,
        asked=result.asked,
        wrong=result.wrong,
    )
    if result.measured:
        return words
    return join_texts(" ", (words, _("The cautious general weights were used.")))


def _print_best(code: str, results: "list[TeamResult]") -> None:
    used = {*folders.listening_names(code)}
    now = next((result for result in results if {*result.names} == used), None)
    best = min(results, key=lambda result: result.cost)
    if now is not None and now.cost <= best.cost:
        options.show(_("The models that listen now are the best of these."))
        return
    options.show(
        _(
            "{names} were best. To use them: blindplay models use {together} --language {code}.",
            names=all_of(map(_short, best.names)),
            together=" ".join(_short(n) for n in best.names if n != BUILT_IN) or BUILT_IN,
            code=code,
        )
    )


@models.command()
@_one_language
@options.as_json(help=_("Print JSON, one object per line."))
def check(code: str | None, as_json: bool) -> None:
    """Load each model, look up every word, and compare its files with those installed.

    The exit status is 2 if a model is damaged or lacks words.
    """

    def words_of(code: str) -> set[str]:
        lexicon = language.lexicon(code)
        return {*language.load(code).grammar_words(), *lexicon.words, *lexicon.squares}

    good, count, broken = 0, 0, list[str]()
    for tag, words in _each_language(code, words_of, broken):
        for name, folder in available(tag).items():
            checked = _checked(folder, tag, words)
            result = {"language": tag, "model": name, "folder": str(folder), **checked}
            count += 1
            good += result["ok"]
            options.show(result if as_json else _check_in_words(result, len(words)))
    _refuse(broken)
    if not count:
        raise ValueError(
            _(
                "There is no model of {code}; install one with: blindplay models install "
                "--language {code}.",
                code=code,
            )
            if code
            else _(
                "There is no model of any language; install one with: blindplay models "
                "install --language LANGUAGE."
            )
        )
    if good < count:
        raise UserError(
            "{bad} of {all} models cannot be relied upon; see above.", bad=count - good, all=count
        )


def _checked(folder: Path, code: str, words: set[str]) -> dict[str, Any]:
    """Return, as JSON, whether the model in ``folder`` is as installed and knows ``words``; else
    what is wrong."""
    from blindplay.speech.confidence import confidence_of

    try:
        files = folders.verify(folder)
        folders.probe(folder, code)
        confidence_of(folder)
        missing = sorted(words.difference(folders.vocabulary(folder)))
    except ValueError as error:
        return {"ok": False, "error": str(error)}
    return {"ok": not missing, "files": files, "missing": missing}


@models.command()
@click.argument(
    "base",
    type=options.FOLDER,
    help=_("Adapt this model: an unpacked small Vosk model, or an installed one."),
)
@click.option(
    "--language", "code", required=True, help=_("Take this language as the one to be heard.")
)
@click.option(
    "--output", type=options.FOLDER, help=_("Write this folder instead of your own model.")
)
@click.option(
    "--family", help=_("Name the kind of BASE, such as english, if it is not recognised.")
)
def adapt(base: Path, code: str, output: Path | None, family: str | None) -> None:
    """Make a model of your own from another model.

    It hears with the acoustics of BASE, whatever its language, and knows the words of a table.
    """
    words = model_words(code, options.warn)
    if not base.exists():  # it may be the name of an installed model
        base = store.installed_base(str(base)) or base
    if output is None:
        with store.workplace(options.show) as work:
            folder, report = store.make_own(work, code, words, base, family=family)
    else:
        folder = output
        with folders.writing(folder):
            report = adaptation.adapt(
                base, folder, words.vocabulary, family=family, lexicons=words.lexicons
            )
            if folder.samefile(base):  # a built-in model that is made in the source tree
                folders.seal_built_in(folder)
            else:  # so that the weights that were measured with such a model are found
                of = store.base_of(base) or ""
                folders.seal(folder, language=code, name=OWN, base=of)
    options.show(
        _(
            "{folder}: {words} words in {pronunciations} pronunciations, heard by the "
            "phones of: {base}.",
            folder=folder,
            words=report.words,
            pronunciations=report.pronunciations,
            base=report.base,
        )
    )
    if output is None:
        options.show(join_texts(": ", (code, _heard_with(code))))


def _known(code: str) -> str:
    """The code of a language that has a pack; LanguageError otherwise."""
    options.load_language(code)
    return code


def _each_language(
    code: str | None, read: Callable[[str], _Read], broken: list[str]
) -> Iterator[tuple[str, _Read]]:
    """The language ``code``, or each language, with what ``read`` gives for it. Languages that
    cannot be read are added to ``broken``, with a warning."""
    if unread := folders.unread_choices():
        options.warn(unread)
    for tag in [_known(code)] if code is not None else language.languages():
        try:
            yield tag, read(tag)
        except language.LanguageError as error:
            options.warn(_("{code}: cannot be used. {error}", code=tag, error=error))
            broken.append(tag)


def _refuse(broken: list[str]) -> None:
    if broken:
        raise ValueError(
            _n(
                "{count} language cannot be used; see above.",
                "{count} languages cannot be used; see above.",
                len(broken),
            )
        )


def _heard_with(code: str) -> str:
    try:
        folders.chosen_models(code)
    except ValueError as error:
        return str(error)
    names = folders.listening_names(code)
    if len(names) == 1:
        return _("heard with {name}.", name=names[0])
    return _("heard with {names}, together.", names=all_of(names))


def _rows(code: str) -> Iterator[dict[str, Any]]:
    """A row for each model that hears ``code``, and for each that could be installed."""
    known, installed = catalogue.load(), available(code)
    try:
        used = set(folders.chosen_models(code))
    except ValueError:
        used = set()
    for name in dict.fromkeys((*installed, *known.order(code, known.bases))):
        base, folder = known.known(name), installed.get(name)
        yield {
            "language": code,
            "model": name,
            "short": base.short if base else None,
            "built_in": name == BUILT_IN,
            "there": folder is not None,
            "used": folder in used,
            "recommended": base in known.for_language(code),
            "bytes_on_disk": _size(folder) if folder else None,
            "bytes_to_fetch": base.size if base else None,
            "licence": (base.licence if base else _licence(name, folder)) or None,
            "heard": base.heard if base else None,
            "tried": base.tried if base else None,
            "folder": str(folder) if folder else None,
        }


def _licence(name: str, folder: Path | None) -> str | None:
    """The licence of an installed model that is not in the catalogue; None if unknown."""
    if name == BUILT_IN:
        return "GPL-3.0-or-later"
    try:
        return (folders.manifest(folder) or {}).get("licence") if folder else None
    except ValueError:
        return None


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _row_in_words(row: dict[str, Any]) -> str:
    if row["built_in"]:
        words = [_("comes with the program")]
    elif row["model"] == OWN:
        words = [_("made with blindplay models adapt")]
    else:
        words = [
            _("installed"),
            *([_("trained on {heard}", heard=row["heard"])] if row["heard"] else []),
        ]
    words.append(_("in use") if row["used"] else _("not in use"))
    words += [_("recommended")] if row["recommended"] else []
    words.append(megabytes(row["bytes_on_disk"]))
    words += [_("licence {licence}", licence=row["licence"])] if row["licence"] else []
    return _("{model}: {words}.", model=row["model"], words=join_texts(", ", words))


def _check_in_words(result: dict[str, Any], wanted: int) -> str:
    name = f"{result['language']}, {result['model']}"
    if "error" in result:
        return _("{name}: bad. {error}", name=name, error=result["error"])
    if missing := result["missing"]:
        first = ", ".join(missing[:5])
        return _(
            "{name}: bad. It does not know {count} of {wanted} words, such as {first}; "
            "install it again, or adapt it again, and it learns them.",
            name=name,
            count=len(missing),
            wanted=wanted,
            first=first,
        )
    files = (
        _(", its {files} files are as they were installed", files=result["files"])
        if result["files"]
        else ""
    )
    return _(
        "{name}: good. It loads{files}, and it knows all {wanted} words.",
        name=name,
        files=files,
        wanted=wanted,
    )

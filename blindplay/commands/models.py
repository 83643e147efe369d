"""``blindplay models``: which speech models there are, fetching, checking and choosing them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from blindplay import language

if TYPE_CHECKING:
    from blindplay.speech.models.store import ModelWords

app = typer.Typer(help="Speech models: which there are, which listen.", rich_markup_mode=None)

LanguageOption = Annotated[str, typer.Option("--language", help="Language to be heard.")]
OneLanguage = Annotated[
    str | None, typer.Option("--language", help="Only this language; all if none.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, an object a line.")]
Names = Annotated[
    list[str] | None,
    typer.Argument(help="Names of models, such as vosk-model-small-en-us-0.15, or english."),
]


@app.command("list")
def list_models(language_id: OneLanguage = None, as_json: JsonOption = False) -> None:
    """Say which models there are and which listen.

    For each language, with sizes and licences; and which are worth fetching.
    """
    from blindplay.speech.models import catalogue
    from blindplay.speech.models import folders as models

    if unread := models.unread_choices():
        _warn(unread)
    broken = 0
    for code in _languages(language_id):
        try:
            name = language.load(code).name
        except language.LanguageError as error:
            _warn(f"{code}: cannot be used. {error}")
            broken += 1
            continue
        rows = _rows(code)
        if as_json:
            for row in rows:
                print(json.dumps(row, ensure_ascii=False))
            continue
        there = [row for row in rows if row["there"]]
        heard = _heard_with(code) if there else "no model is installed, so nothing can be heard."
        print(f"{code}, {name}: {heard}")
        for row in there:
            print(f"  {_row_told(row)}")
        if lacking := [row for row in rows if row["recommended"] and not row["there"]]:
            named = "; ".join(
                f"{row['short']}, {_megabytes(row['bytes_to_fetch'])}, licence {row['licence']}"
                for row in lacking
            )
            print(f"  Recommended and not installed: {named}.")
    if not as_json:
        known = catalogue.load()
        print(
            "What is recommended is installed by: blindplay models install --language LANGUAGE. "
            "Any of these can be installed for any language, by name; their licences are those "
            f"stated at {known.page}."
        )
        for base in known.bases.values():
            tried = "" if base.tried else " Nobody has tried it with BlindPlay yet."
            print(
                f"  {base.short}, trained on {base.heard}: {base.name}, {_megabytes(base.size)}, "
                f"licence {base.licence}.{tried}"
            )
    if broken:
        raise ValueError(f"{_counted(broken)} cannot be used; see above.")


@app.command("install")
def install(
    names: Names = None,
    language_id: LanguageOption = "de",
    source: Annotated[
        Path | None,
        typer.Option("--from", help="A zip file or a folder with a model, instead of fetching."),
    ] = None,
    timeout: Annotated[
        float, typer.Option(help="Seconds to wait for the next bytes.", min=1, max=600)
    ] = 30.0,
) -> None:
    """Fetch models and give them the words of a language.

    Those that are recommended, if no name is given. What was begun is gone on with. They listen
    from then on.
    """
    from blindplay.speech.models import catalogue, store
    from blindplay.speech.models import folders as models
    from blindplay.speech.models.download import Patience

    if source is not None and len(names or ()) > 1:
        raise ValueError("With --from there is one model: give one name, or none.")
    code = _language(language_id)
    words, patience = _words(code), Patience(stall=timeout)
    known = catalogue.load()
    wanted: list[str | None] = list(names or ())
    if not wanted:
        wanted = [None] if source else [base.name for base in known.for_language(code)]
    faults: list[str] = []
    for name in wanted:
        try:
            base = store.find_base(name, patience=patience) if name and not source else None
            made = store.install(
                code, words, base=base, source=source, name=name, tell=_say, patience=patience
            )
        except (ValueError, OSError) as error:
            if len(wanted) == 1:
                raise
            faults.append(f"{name}: {error}")
            print(f"{name} was not installed: {error}", file=sys.stderr, flush=True)
            continue
        licence = f"; its licence: {made.licence}" if made.licence else ""
        _say(
            f"{made.name} is installed and knows {made.words} words, heard by the phones of: "
            f"{made.phones}{licence}."
        )
        if (choice := models.choice(code)) and made.name not in choice:
            _say(
                f"It does not listen, for you chose others; to use it: blindplay models use "
                f"{' '.join([made.name, *choice])} --language {code}."
            )
    if faults:
        raise ValueError(f"{len(faults)} of {len(wanted)} models could not be installed.")
    _say(f"{code}: {_heard_with(code)}")


@app.command("remove")
def remove(
    name: Annotated[str, typer.Argument(help="The model's name, as models list says it.")],
    language_id: OneLanguage = None,
) -> None:
    """Remove a model.

    It is not asked again, for what was fetched can be fetched again. What was removed is said.
    What it had learned of players' voices goes with it; their recordings stay.
    """
    from blindplay.hearing import speaker_models
    from blindplay.speech.models import folders as models
    from blindplay.speech.models import store

    code = _language(language_id) if language_id else None
    before = {one: {*models.available(one)} for one in ([code] if code else store.languages())}
    with models.writing(models.data_folder()):
        told = store.remove(name, code)
    for line in told:
        print(line)
    learned = 0
    with models.writing(speaker_models.players_folder()):
        for one, there in before.items():
            for gone in there.difference(models.available(one)):
                learned += speaker_models.drop_all(gone, one)
    if learned:
        print(
            f"What it had learned of {learned} {'voice' if learned == 1 else 'voices'} has been "
            "removed, too. The recordings stay; other models learn from them with: blindplay "
            "voice learn NAME."
        )
    for one in before:
        if not models.available(one):
            print(f"{one}: no model is left, so nothing can be heard.")
        else:
            print(f"{one}: {_heard_with(one)}")


@app.command("use")
def use(names: Names = None, language_id: LanguageOption = "de") -> None:
    """Choose which models hear a language.

    The most trusted first; several listen at once. Without names, what is usual: at most two that
    were trained on people, and the built-in one.
    """
    from blindplay.speech.models import catalogue
    from blindplay.speech.models import folders as models

    code = _language(language_id)
    known = catalogue.load()
    found = []
    for name in names or ():
        base = known.known(name)
        found.append(base.name if base and name not in models.available(code) else name)
    aside = models.choose(code, found)
    if aside is not None:
        _warn(
            "What you had chosen before was damaged; choose again for the other languages, too. "
            f"It is kept as {aside}."
        )
    print(f"{code}: {_heard_with(code)}")
    if found and models.BUILT_IN in models.available(code) and models.BUILT_IN not in found:
        print(
            "The built-in model, which is good in noise, does not listen; add built-in to use it."
        )


@app.command("check")
def check(language_id: OneLanguage = None, as_json: JsonOption = False) -> None:
    """Load each model and look every word up.

    Its files are compared with what was installed, too. The exit status is 2 when one cannot be
    relied upon.
    """
    from blindplay.speech.confidence import ears_of
    from blindplay.speech.models import folders as models

    if unread := models.unread_choices():
        _warn(unread)
    good = count = 0
    broken = 0
    for code in _languages(language_id):
        try:
            lexicon = language.lexicon(code)
            wanted = {*language.load(code).grammar_words(), *lexicon.words, *lexicon.squares}
        except language.LanguageError as error:
            _warn(f"{code}: cannot be used. {error}")
            broken += 1
            continue
        for name, folder in models.available(code).items():
            told: dict[str, Any] = {"language": code, "model": name, "folder": str(folder)}
            try:
                files = models.verify(folder)
                models.probe(folder, code)
                ears_of(folder)
                missing = sorted(wanted - models.vocabulary(folder))
                told |= {"ok": not missing, "files": files, "missing": missing}
            except ValueError as error:
                told |= {"ok": False, "error": str(error)}
            count += 1
            good += told["ok"]
            if as_json:
                print(json.dumps(told, ensure_ascii=False), flush=True)
            else:
                _say(_check_told(told, len(wanted)))
    if broken:
        raise ValueError(f"{_counted(broken)} cannot be used; see above.")
    if not count:
        raise ValueError(
            f"There is no model of {language_id or 'any language'}; install one with: blindplay "
            f"models install --language {language_id or 'LANGUAGE'}."
        )
    if good < count:
        raise ValueError(f"{count - good} of {count} models cannot be relied upon; see above.")


@app.command("adapt")
def adapt(
    base: Annotated[
        Path,
        typer.Argument(
            help="Folder of an unpacked small Vosk model, or the name of an installed one."
        ),
    ],
    language_id: Annotated[str, typer.Option("--language", help="Language to be heard.")],
    output: Annotated[
        Path | None, typer.Option(help="Folder to write; your own model of the language if none.")
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="What the base is like, if it cannot be seen: english, …")
    ] = None,
) -> None:
    """Make a model of your own from the unpacked folder of another.

    It has BASE's acoustics, whatever its language, and the words of a table.
    """
    from blindplay.speech import adaptation
    from blindplay.speech.models import folders as models
    from blindplay.speech.models import store

    words = _words(language_id)
    if not base.exists():  # the name of one that was installed, perhaps
        base = store.named_base(str(base)) or base
    if output is None:
        folder, report = store.make_own(language_id, words, base, family=family)
    else:
        folder = output
        with models.writing(folder):
            report = adaptation.adapt(
                base, folder, words.vocabulary, family=family, lexicons=words.lexicons
            )
            if folder.samefile(base):  # a model that is made here
                models.seal_built_in(folder)
    print(
        f"{folder}: {report.words} words in {report.pronunciations} pronunciations, heard by "
        f"the phones of: {report.base}."
    )
    if output is None:
        print(f"{language_id}: {_heard_with(language_id)}")


# ------------------------------------------------------------------ words


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def _warn(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _language(code: str) -> str:
    """The code of a language that has a pack; LanguageError otherwise."""
    language.load(code)
    return code


def _counted(languages: int) -> str:
    return "1 language" if languages == 1 else f"{languages} languages"


def _languages(code: str | None) -> list[str]:
    return [_language(code)] if code else list(language.languages())


def _words(code: str) -> ModelWords:
    from blindplay.speech.adaptation import Vocabulary
    from blindplay.speech.models.store import ModelWords

    lexicon = language.lexicon(code)
    vocabulary = Vocabulary({**lexicon.words, **lexicon.fillers}, lexicon.squares)
    lexicons = []
    for one in language.languages():
        try:
            lexicons.append(language.lexicon(one).words)
        except language.LanguageError as error:  # somebody's own pack; the others are many
            _warn(f"{one} gives no pronunciations. {error}")
    return ModelWords(vocabulary, lexicons)


def _heard_with(code: str) -> str:
    from blindplay.speech.models import folders as models

    try:
        folders = models.chosen(code)
    except ValueError as error:
        return str(error)
    by_folder = {folder: name for name, folder in models.available(code).items()}
    names = [by_folder[folder] for folder in folders]
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"heard with {joined}{', together' if len(names) > 1 else ''}."


def _rows(code: str) -> list[dict[str, Any]]:
    """What there is to be said of each model that hears ``code``, or could."""
    from blindplay.speech.models import catalogue
    from blindplay.speech.models import folders as models

    known = catalogue.load()
    there = models.available(code)
    try:
        used = set(models.chosen(code))
    except ValueError:
        used = set()
    recommended = [base.name for base in known.for_language(code)]
    rows = []
    for name in [*there, *(name for name in known.order(code, known.bases) if name not in there)]:
        base = known.bases.get(name)
        folder = there.get(name)
        try:
            kept = (models.manifest(folder) or {}) if folder else {}
        except ValueError:
            kept = {}
        licence = "GPL-3.0-or-later" if name == models.BUILT_IN else kept.get("licence")
        rows.append(
            {
                "language": code,
                "model": name,
                "short": base.short if base else None,
                "built_in": name == models.BUILT_IN,
                "there": folder is not None,
                "used": folder in used,
                "recommended": name in recommended,
                "bytes_on_disk": _size(folder) if folder else None,
                "bytes_to_fetch": base.size if base else None,
                "licence": (base.licence if base else licence) or None,
                "heard": base.heard if base else None,
                "tried": base.tried if base else None,
                "folder": str(folder) if folder else None,
            }
        )
    return rows


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _megabytes(size: int) -> str:
    from blindplay.speech.models.store import megabytes

    return megabytes(size)


def _row_told(row: dict[str, Any]) -> str:
    from blindplay.speech.models.folders import OWN

    if row["built_in"]:
        told = ["comes with the program"]
    elif row["model"] == OWN:
        told = ["made with blindplay models adapt"]
    else:
        told = ["installed", *([f"trained on {row['heard']}"] if row["heard"] else [])]
    told.append("in use" if row["used"] else "not in use")
    told += ["recommended"] if row["recommended"] else []
    told.append(_megabytes(row["bytes_on_disk"]))
    told += [f"licence {row['licence']}"] if row["licence"] else []
    return f"{row['model']}: {', '.join(told)}."


def _check_told(told: dict[str, Any], wanted: int) -> str:
    name = f"{told['language']}, {told['model']}"
    if "error" in told:
        return f"{name}: bad. {told['error']}"
    if missing := told["missing"]:
        first = ", ".join(missing[:5])
        return (
            f"{name}: bad. It does not know {len(missing)} of {wanted} words, such as {first}; "
            "install it again, or adapt it again, and it is given them."
        )
    files = f", its {told['files']} files are as they were installed" if told["files"] else ""
    return f"{name}: good. It loads{files}, and it knows all {wanted} words."

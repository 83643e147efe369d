"""``blindplay certificate``: encrypted pages without a registrar."""

from pathlib import Path

import click

from blindplay import certificates
from blindplay.certificates import Issuer, address_in, name_in
from blindplay.console import PORT
from blindplay.given import shown
from blindplay.record import files
from blindplay.translation import UserError, _

from . import options
from .reader import user_language

_PAIRS = 10
"""Pairs of a fingerprint that people compare: 80 bits, which nobody can imitate."""


def _host(text: str) -> str:
    """A name or an address that a user gives.

    :raises ValueError: if it is neither.
    """
    if host := address_in(text) or name_in(text):
        return host
    raise UserError(
        "{name} is neither a name with a dot nor an address; write one such as "
        "table.example.org or 130.75.1.2.",
        name=shown(text),
    )


@click.command()
@click.option(
    "--name", "more", multiple=True, metavar="NAME", type=options.ParsedValue("name", _host),
    help=_("Add this name or address of this computer, such as table.example.org. It can be given "
           "several times."),
)  # fmt: skip
@click.option("--new", is_flag=True, help=_("Begin with another one in the place of the "
              "present one. Each phone must trust it anew."))  # fmt: skip
@click.option("--output", type=options.FILE, help=_("Write what other devices must trust into this "
              "file, such as blindplay.crt, to bring it there by cable or mail."))  # fmt: skip
@options.overwrite
@click.option("--hall", "event", type=options.FILE, help=_("Show the certificate of an event "
              "instead, from the file of its hall or of a table."))  # fmt: skip
@click.option("--remove", is_flag=True, help=_("Remove it from this computer, and say how to "
              "remove it from phones."))  # fmt: skip
def certificate(
    more: tuple[str, ...],
    new: bool,
    output: Path | None,
    overwrite: bool,
    event: Path | None,
    remove: bool,
) -> None:
    """Make a certificate of this computer's own, so that its pages can be encrypted.

    Phones give only encrypted pages the microphone. The certificate holds for this computer's names
    and for addresses in local networks, and renews itself. Each phone must trust it once: the pages
    of a table give it, and say the steps.
    """
    from blindplay.console.encryption import kept_at, kept_issuer, make_issuer

    if remove:
        if new or more or output or event:
            raise UserError("--remove goes with no other option; leave the others out.")
        _remove(kept_at())
        return
    options.check_new(output, overwrite=overwrite)
    if event is not None:
        if new or more:
            raise UserError("--hall only shows a certificate; leave out --new and --name.")
        issuer: Issuer | None = _of_event(event)
    else:
        issuer = None if new else kept_issuer()
    if issuer is None:
        before = kept_at().exists()
        issuer = make_issuer(*_names(more), anew=new)
        options.show(_("A new certificate of this computer was made."))
        if before:
            options.show(_("Remove the one before from each phone, and trust the new one there."))
    elif missing := [one for one in more if not issuer.permits(one)]:
        raise UserError(
            "The present certificate does not hold for {name}. Add --new to make another one, "
            "which each phone must trust anew.",
            name=missing[0],
        )
    if output is not None:
        files.write_new(output, issuer.der)
        options.show(_("What other devices must trust is in {file}.", file=output))
    _tell(issuer)
    if event is None:
        _advise(issuer)


def make_certificate_once() -> None:
    """Make this computer's certificate if there is none, so that phones give their microphones."""
    from blindplay.console.encryption import kept_at, kept_issuer, make_issuer

    if kept_at().exists() or kept_issuer() is not None:
        return
    make_issuer(*_names(()), anew=False)
    options.show(_("A new certificate of this computer was made."))


def _of_event(file: Path) -> Issuer:
    """:raises ValueError: if the file has no certificate, or something in it is wrong."""
    from blindplay.hall.event_file import read_event_file

    issuer = read_event_file(file, table=False).issuer()
    if issuer is None:
        raise UserError(
            "{file} has no certificate; blindplay hall init --encrypt makes one.", file=file
        )
    return issuer


def _names(more: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The names and the addresses for which a new certificate is to hold besides the usual ones."""
    from blindplay.console.server import reached_at

    here = reached_at()  # in some networks it is one of the internet
    addresses = [address for address in (here, *more) if address_in(address)]
    return [one for one in more if one not in addresses], addresses


def _tell(issuer: Issuer) -> None:
    """Say what the certificate is."""
    pairs = issuer.fingerprint.split()
    options.show(
        _("In the lists of devices it is called {name}. It holds until {date}.",
          name=issuer.title, date=issuer.until.date().isoformat())
    )  # fmt: skip
    options.show(
        _("It holds for addresses in local networks, and for these names and those that end with "
          "them: {names}. It holds for no site on the internet.", names=", ".join(issuer.hosts()))
    )  # fmt: skip
    options.show(_("Its SHA-256 fingerprint begins with these ten pairs:"))
    options.show(f"    {' '.join(pairs[:_PAIRS])}")
    options.show(_("All of it:"))
    options.show(f"    {' '.join(pairs)}")


def _advise(issuer: Issuer) -> None:
    """Say what comes next."""
    from blindplay.console.server import reached_at

    here = reached_at()
    options.show(_("Tables of this computer now encrypt their pages for other devices:"))
    options.show(f"    {options.called()} play --console --host 0.0.0.0")
    options.show(
        _("While one runs, open http://{host}:{port} on each phone, without s. That page gives the "
          "certificate and says each step.", host=here, port=PORT)
    )  # fmt: skip
    if not issuer.permits(here):
        options.show(
            _("Phones refuse {host}, the present address of this computer. To change that: "
              "{command}", host=here, command=f"{options.called()} certificate --new --name {here}")
        )  # fmt: skip
    if certificates.clock_is_wrong():
        options.show(
            _("The date of this computer is wrong; set it, or phones may refuse the pages.")
        )


def _remove(path: Path) -> None:
    """:raises OSError: if it cannot be removed."""
    from blindplay.console.messages import catalogue, negotiate

    if not path.exists():
        options.show(_("This computer has no certificate."))
        return
    path.unlink()
    options.show(
        _("The certificate is removed from this computer. A table that begins now does not encrypt "
          "its pages. Each phone trusts the removed one until it is removed there, too:")
    )  # fmt: skip
    options.show(catalogue(negotiate(user_language()))["trust_remove_steps"].strip())

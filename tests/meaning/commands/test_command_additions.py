"""Rule files add to entries and never change them."""

from __future__ import annotations

import pytest

from tests.meaning.commands.reading import TABLE, read, says
from tidegate.meaning.commands.entry_source import EntryError

REFUSED = {
    "an option that is declared": ("rm", {"harmless": ["-f"]}, ("rm", "harmless", 0)),
    "a spelling that is declared": ("rm", {"options": {"-Z, --force": ""}}, ("rm", "options", "-Z, --force")),
    "other operands": ("rm", {"operands": "text..."}, ("rm", "operands")),
    "another syntax": ("rm", {"syntax": "words"}, ("rm", "syntax")),
    "the nature of a wrapper": ("sudo", {"wrapper": True}, ("sudo", "wrapper")),
    "other deeds": ("make", {"does": []}, ("make", "does")),
    "a subcommand that becomes harmless": ("git", {"harmless_commands": ["push"]}, ("git", "harmless_commands", 0)),
    "an option of a subcommand": (
        "git",
        {"commands": {"push": {"harmless": ["--force"]}}},
        ("git", "commands", "push", "harmless", 0),
    ),
    "a variable that is declared": ("git", {"harmless_variables": ["GIT_PAGER"]}, ("git", "harmless_variables", 0)),
    "a config key that is declared": ("git", {"harmless_config": ["core.pager"]}, ("git", "harmless_config", 0)),
    "through an alias": ("egrep", {"harmless": ["-r"]}, ("egrep", "harmless", 0)),
    "a glob over declared variables": ("git", {"harmless_variables": ["GIT_*"]}, ("git", "harmless_variables", 0)),
    "a name that is taken as an alias": ("mytool", {"aliases": ["rm"]}, ("mytool", "aliases", 0)),
    "a versioned name": ("python3.12", {"harmless": ["-c"]}, ("python3.12", "harmless", 0)),
    "a variable of all programs": ("rm", {"harmless_variables": ["LD_PRELOAD"]}, ("rm", "harmless_variables", 0)),
    "a variable of all programs for a new one": ("frob", {"variables": {"PAGER": ""}}, ("frob", "variables", "PAGER")),
    "the entry of all programs": ("*", {"harmless_variables": ["LD_PRELOAD"]}, ("*",)),
}


@pytest.mark.parametrize(("name", "entry", "path"), REFUSED.values(), ids=REFUSED)
def test_addition_that_changes_an_entry_is_refused(name, entry, path):
    """What the table says of a program stays as it is."""
    with pytest.raises(EntryError) as caught:
        TABLE.extended({name: entry})

    assert caught.value.path == path


def test_added_option_is_read():
    """An option that the table does not know can be declared."""
    before = says("rm --trash x")
    table = TABLE.extended({"rm": {"harmless": ["--trash"]}})

    assert before == ["delete x", "code by --trash"]
    assert says("rm --trash x", table=table) == ["delete x"]


def test_added_option_of_an_alias_belongs_to_the_entry():
    """An alias stands for its entry."""
    table = TABLE.extended({"egrep": {"harmless": ["--fast"]}})

    assert says("grep --fast a b", table=table) == ["read b"]


def test_added_subcommand_and_variable_are_read():
    """Subcommands, variables and config keys can be declared as well."""
    table = TABLE.extended(
        {
            "git": {
                "commands": {"absorb": {"operands": "text...", "harmless": ["--base=REF"]}},
                "harmless_commands": ["absorb"],
                "harmless_variables": ["GIT_NOTES_REF"],
                "harmless_config": ["absorb.*"],
            }
        }
    )

    assert says("GIT_NOTES_REF=x git -c absorb.max=3 absorb --base=main", table=table) == []
    assert read("git absorb", table=table).invocation.subcommand == ("absorb",)


def test_additions_leave_the_table_alone():
    """A table never changes."""
    TABLE.extended({"rm": {"harmless": ["--trash"]}})

    assert says("rm --trash x") == ["delete x", "code by --trash"]

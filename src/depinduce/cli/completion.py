"""Print what lets a shell complete commands, options and their values on Tab.

Put it into the file that your shell reads when it starts: add `>> ~/.bashrc`, or `>> ~/.zshrc`. The script knows all
options by itself, so that Tab need not wait for Python; print it again after an upgrade.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

EXAMPLE = "depinduce completion bash"
BASHCOMPINIT = (
    "autoload -U +X compinit && compinit && autoload -U +X bashcompinit && bashcompinit\n"  # zsh reads bash's
)
SCRIPT = """_depinduce() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words={commands}
  else
    case "${{COMP_WORDS[1]}} $previous" in
{values}
      *) case "${{COMP_WORDS[1]}}" in
{options}
      esac ;;
    esac
  fi
  COMPREPLY=( $(compgen -W "$words" -- "$current") )
}}
complete -o default -F _depinduce depinduce
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh"), help="for which shell")


def run(arguments: argparse.Namespace) -> int:
    print((BASHCOMPINIT if arguments.shell == "zsh" else "") + script(), end="")
    return 0


def script() -> str:
    """The script for bash. Where it has nothing to offer, files are completed."""
    from depinduce.cli import COMMANDS, parser_of

    values, options = [], []
    for command in COMMANDS:
        words = []
        for action in _actions(parser_of(command)):
            choices = [str(choice) for choice in action.choices or ()]
            words += [option for option in action.option_strings if option.startswith("--")]
            if not action.option_strings:
                words += choices
            values += [
                f"      {shlex.quote(f'{command} {option}')}) words={shlex.quote(' '.join(choices))} ;;"
                for option in action.option_strings
                if choices
            ]
        options.append(f"        {command}) words={shlex.quote(' '.join(dict.fromkeys(words)))} ;;")
    unique = dict.fromkeys(values)  # several subcommands may have an option of the same name
    return SCRIPT.format(commands=shlex.quote(" ".join(COMMANDS)), values="\n".join(unique), options="\n".join(options))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All options and arguments that have help, those of subcommands, too."""
    for action in parser._actions:
        if action.help == argparse.SUPPRESS:
            continue
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)

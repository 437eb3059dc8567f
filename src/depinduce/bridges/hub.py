"""Grammars on a model hub: the folder that `depinduce pack` wrote goes there as it is.

This is the one place of depinduce that calls another machine, and only when somebody asks for it by name. Who they are
they have told the hub's own library (`hf auth login`): nothing here sees a password or a token.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from depinduce.errors import DepinduceError, MissingPackageError
from depinduce.models.places import is_name_of_packed


def require_upload(folder: str | Path) -> ModuleType:
    """The library of the hub; refuses what cannot be uploaded, before anything is written."""
    if is_name_of_packed(folder):
        raise DepinduceError(f"{folder}: a hub shows the files of a folder. Name one: without .zip at the end.")
    try:
        import huggingface_hub  # pyright: ignore[reportMissingImports]  # few need it
    except ModuleNotFoundError as error:
        raise MissingPackageError("Uploading", "huggingface_hub") from error
    return huggingface_hub


def upload(folder: str | Path, name: str, *, private: bool = False) -> str:
    """Copy a packed grammar to a repository of the hub, which is made if it is not there; gives its address.

    name: of the repository, such as `user/grammar`; private: a new one can only be seen by its owners
    """
    api = require_upload(folder).HfApi(library_name="depinduce")
    try:
        address = api.create_repo(name, exist_ok=True, private=private)
        api.upload_folder(repo_id=name, folder_path=folder, commit_message="Upload a grammar of depinduce")
    except Exception as error:  # of the name, of the user, of the network, as several libraries call it
        raise DepinduceError(
            f"{folder} is written, but it was not uploaded to {name} ({type(error).__name__}: {error}). "
            f"Log in with `hf auth login` if you have not, and try again: hf upload {name} {folder}"
        ) from error
    return str(address)

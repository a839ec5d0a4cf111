"""The same options in other words."""

from __future__ import annotations

from random import Random

from tidegate.assurance.respelling.scripts import Script, with_words

OPTIONS: dict[tuple[str, ...], tuple[tuple[str, ...], ...]] = {
    ("rm", "-rf"): (
        ("rm", "-r", "-f"),
        ("rm", "-fr"),
        ("rm", "-f", "-R"),
        ("rm", "-Rf"),
        ("rm", "-rfv"),
        ("rm", "--recursive", "--force"),
        ("rm", "--rec", "-f"),
        ("rm", "-r", "--for"),
        ("rm", "-rdf"),
        ("rm", "-f", "--one-file-system", "-r"),
        ("rm", "-i", "-rf"),
        ("rm", "--interactive=never", "-rf"),
        ("rm", "-rf", "--"),
        ("rm", "-rf", "nothing", "nowhere"),
        ("rm", "-rf", "--preserve-root"),
        ("rm", "-vfdr"),
    ),
    ("git", "reset", "--hard"): (
        ("git", "reset", "-q", "--hard"),
        ("git", "reset", "--har"),
        ("git", "reset", "--hard", "HEAD"),
        ("git", "reset", "HEAD", "--hard"),
        ("git", "-C", ".", "reset", "--hard"),
        ("git", "-C", "src", "-C", "..", "reset", "--hard"),
        ("git", "--git-dir=.git", "--work-tree=.", "reset", "--hard"),
        ("git", "--git-dir", ".git", "--work-tree", ".", "reset", "--hard"),
        ("git", "-c", "core.pager=cat", "reset", "--hard"),
        ("git", "-c", "a.b=c", "-C", ".", "--no-pager", "reset", "--hard"),
        ("git", "--no-optional-locks", "-P", "reset", "--hard"),
        ("git", "-c", "alias.z=reset --hard", "z"),
        ("git", "-c", "alias.z=reset", "z", "--hard"),
        ("git", "-c", "alias.y=z", "-c", "alias.z=reset --hard", "y"),
        ("git", "-c", "alias.z=!git reset --hard", "z"),
        ("git", "--literal-pathspecs", "reset", "--hard", "main"),
    ),
    ("git", "push", "--force", "origin", "main"): (
        ("git", "push", "-f", "origin", "main"),
        ("git", "push", "origin", "main", "--force"),
        ("git", "push", "origin", "main", "-f"),
        ("git", "push", "-qf", "origin", "main"),
        ("git", "push", "origin", "+main"),
        ("git", "push", "origin", "+HEAD:main"),
        ("git", "push", "origin", "+refs/heads/main:refs/heads/main"),
        ("git", "push", "--forc", "origin", "main"),
        ("git", "push", "--no-verify", "-uf", "origin", "main"),
        ("git", "push", "--force", "../remote.git", "main"),
        ("git", "push", "--repo=origin", "--force", "origin", "main"),
        ("git", "-C", ".", "push", "-f", "origin", "HEAD:main"),
        ("git", "-c", "alias.z=push --force", "z", "origin", "main"),
        ("git", "-c", "push.default=current", "push", "--force"),
        ("git", "-c", "remote.origin.push=+main", "push", "origin"),
        ("git", "-c", "remote.origin.push=+refs/heads/*:refs/heads/*", "push", "origin"),
        ("git", "push", "--no-force", "--force", "origin", "main"),
        ("git", "push", "--no-force-with-lease", "--force", "origin", "main"),
        ("git", "push", "--atomic", "--progress", "-fv", "origin", "main"),
    ),
    ("curl", "http://h.test/x"): (
        ("curl", "-s", "http://h.test/x"),
        ("curl", "-sSL", "-o", "out", "http://h.test/x"),
        ("curl", "--url", "http://h.test/x"),
        ("curl", "--url=http://h.test/x"),
        ("curl", "-X", "GET", "-H", "A: b", "http://h.test/x"),
        ("curl", "HTTP://H.TEST/x"),
        ("curl", "http://u:p@h.test/x"),
        ("curl", "http://h.test:80/x"),
        ("curl", "http://h.test./x"),
        ("curl", "h.test/x"),
        ("curl", "http:h.test/x"),
        ("curl", "http:///h.test/x"),
        ("curl", "http://h.test/a/../x"),
        ("curl", "http://a.test", "http://h.test/x"),
        ("curl", "-L", "--", "http://h.test/x"),
        ("curl", "--proto-default", "http", "h.test/x"),
    ),
}


def options(script: Script, random: Random) -> Script | None:
    for words, others in OPTIONS.items():
        for start in range(len(script.words) - len(words) + 1):
            if script.words[start : start + len(words)] == words:
                other = random.choice(others)
                return with_words(script, {start: other, **{start + n: () for n in range(1, len(words))}})
    return None

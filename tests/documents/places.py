"""Whether what the documents point at is there.

In every *.md of the repository:
  - a relative link: its file exists, and so does the heading that it names;
  - a path that begins with a folder of the repository, also in commands: it exists; * and {a,b} are understood;
  - in backquotes, a name that ends in .h or .cpp: some file's path ends with it;
  - in backquotes, `Class::function` or `function()`: a source has these words.
Every document of docs/ is at most two links away from README.md, and src/README.md has a row for each layer.
"""
import functools
import itertools
import pathlib
import re
import subprocess

FOLDERS = ("bench", "cmake", "deploy", "docs", "examples", "include", "src", "tests", "tools", "web")
LINK = re.compile(r"!?\[[^\]\[]*\]\(([^()\s]+)\)")
PATH = re.compile(rf"(?<![\w./$~-])(?:{'|'.join(FOLDERS)})/(?:[\w./*-]|\{{[\w,.]+\}})*")
SOURCE = re.compile(r"`([\w./-]+)\.(h|cpp|\{h,cpp\})`")
MEMBER = re.compile(r"`(\w+)::(\w+)(?:\(\))?`")
FUNCTION = re.compile(r"`([a-z_]+)\(\)`")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
NOT_OURS = re.compile(r"\w+://\S+|\bdeploy/[\w-]+(?=\s+\d)")  # addresses; kubectl's deploy/NAME PORT is a Deployment


class Places:
    """A tree of files with its documents."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()

    def checked(self):
        """(what was checked, what is wrong with it or None) of every document."""
        checks = {"links": self.broken_links, "paths": self.broken_paths, "source files": self.broken_sources, "functions": self.broken_functions}
        for path in self.documents():
            for what, check in checks.items():
                wrong = sorted(set(check(path)))
                yield f"{path.relative_to(self.root)}: {what}", "".join(f"\n  {one}" for one in wrong) or None
        yield "src/README.md has a row for each layer", "".join(f"\n  {one} is missing" for one in self.missing_layers()) or None
        far = [str(path.relative_to(self.root)) for path in self.documents() if self.root / "docs" in path.parents and path not in self.near()]
        yield "documents are two links away from README.md at most", "".join(f"\n  {one} is not" for one in far) or None

    def documents(self):
        """Those that are committed or would be; all in a tree that is no repository, such as released sources."""
        listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"], cwd=self.root,
                                capture_output=True, text=True, check=False)
        names = set(listed.stdout.splitlines())
        below = itertools.chain(*((self.root / folder).rglob("*.md") for folder in FOLDERS))
        found = [self.root / name for name in names] if names else [*self.root.glob("*.md"), *below]
        return sorted(path for path in found if path.is_file())

    def missing_layers(self):
        """Folders of src/ that are build targets, and that its README does not list."""
        layers = sorted(str(path.parent.relative_to(self.root / "src")) for path in (self.root / "src").rglob("CMakeLists.txt"))
        rows = text_of(self.root / "src" / "README.md") if layers[1:] else ""
        return [layer for layer in layers if layer != "." and f"\n| `{layer}/` |" not in rows]

    def near(self):
        """What README.md links to, and what that links to."""
        first = linked_documents(self.root / "README.md")
        return first.union(*(linked_documents(path) for path in first))

    def broken_links(self, path):
        for target in LINK.findall(FENCE.sub("", text_of(path))):
            if re.match(r"\w+:", target):
                continue
            name, _, anchor = target.partition("#")
            where = (path.parent / name).resolve() if name else path
            if not where.exists():
                yield f"links to {target}, which is not there"
            elif anchor and where.suffix == ".md" and anchor not in anchors(where):
                yield f"links to {target}, and there is no such heading"

    def broken_paths(self, path):
        for line in text_of(path).splitlines():
            line = NOT_OURS.sub("", line)
            for match in PATH.finditer(line):
                name = match[0].rstrip(".,")
                if line[match.end():match.end() + 1] == "<":  # <name> stands for many
                    name = name.rpartition("/")[0]
                if not all(self._is_there(one) for one in alternatives(name)):
                    yield f"names {name}, which is not there"

    def broken_sources(self, path):
        for name, kind in SOURCE.findall(text_of(path)):
            for one in alternatives(f"{name}.{kind}"):
                if not any(f"/{source}".endswith(f"/{one}") for source in self._sources):
                    yield f"names {one}, and no source file is called so"

    def broken_functions(self, path):
        for kind, member in MEMBER.findall(text_of(path)):
            if not any({kind, member} <= words for words in self._words):
                yield f"names {kind}::{member}, and no source file has both words"
        for name in FUNCTION.findall(text_of(path)):
            if not any(name in words for words in self._words):
                yield f"names {name}(), and no source file has the word"

    def _is_there(self, name):
        return any(True for _ in self.root.glob(name.rstrip("/"))) if "*" in name else (self.root / name).exists()

    @functools.cached_property
    def _sources(self):
        files = itertools.chain(*((self.root / folder).rglob("*") for folder in FOLDERS))
        return [str(path.relative_to(self.root)) for path in files if path.suffix in (".h", ".cpp")]

    @functools.cached_property
    def _words(self):
        """Those of each source file that is part of the program."""
        return [frozenset(re.findall(r"\w+", text_of(self.root / name))) for name in self._sources if name.startswith(("src/", "include/"))]


def anchors(path):
    """The names by which the headings of a document are linked to."""
    found, seen = set(), {}
    for line in FENCE.sub("", text_of(path)).splitlines():
        if not re.match(r"#{1,6} ", line):
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip())
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
    return found


def linked_documents(path):
    """The documents that a document links to."""
    targets = LINK.findall(FENCE.sub("", text_of(path))) if path.is_file() else []
    found = {(path.parent / target.partition("#")[0]).resolve() for target in targets if not re.match(r"\w+:", target)}
    return {one for one in found if one.suffix == ".md" and one.is_file()}


def alternatives(name):
    """`a.{h,cpp}` is a.h and a.cpp."""
    found = re.fullmatch(r"(.*)\{(.*)\}(.*)", name)
    return [found[1] + one + found[3] for one in found[2].split(",")] if found else [name]


def text_of(path):
    return path.read_text(encoding="utf-8")

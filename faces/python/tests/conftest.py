"""Golden data of each kind, unpacked once a run."""

import pathlib
import shutil
import tarfile

import pyarrow
import pytest

import manicule

GOLDEN = pathlib.Path(__file__).parents[3] / "proof" / "golden"

#: Archives, and the folder that each is unpacked to.
ARCHIVES = {
    "series": "series/golden.tar.zst",
    "sstables": "rows/me.tar.zst",
    "shards": "code/shards.tar.zst",
    "restic": "blobs/v2.tar.zst",
    "unused": "blobs/unused.tar.zst",
    "backup": "rows/medusa.tar.zst",
}


def unpack(archive, to):
    with pyarrow.OSFile(str(archive)) as file, pyarrow.CompressedInputStream(file, "zstd") as plain:
        with tarfile.open(fileobj=plain, mode="r|") as tar:
            tar.extractall(to, filter="tar")


@pytest.fixture(scope="session")
def golden(tmp_path_factory):
    """A folder with golden data of each kind; tests work within it."""
    place = tmp_path_factory.mktemp("golden")
    for name, archive in ARCHIVES.items():
        unpack(GOLDEN / archive, place / name)
    # restic's own keys take half a second each to open.
    unpack(GOLDEN / "blobs/cheap-keys.tar.zst", place / "keys")
    for repository, name in (("restic", "v2"), ("unused", "unused")):
        shutil.rmtree(place / repository / "repo" / "keys")
        shutil.copytree(place / "keys" / name, place / repository / "repo" / "keys")
    with pyarrow.OSFile(str(GOLDEN / "graph/shop200.nq.zst")) as file:
        with pyarrow.CompressedInputStream(file, "zstd") as plain:
            (place / "shop200.nq").write_bytes(plain.read())
    manicule.command("graph", "load", place / "shop", place / "shop200.nq")
    tree = place / "tree" / "c"
    tree.mkdir(parents=True)
    for name, text in [("a.txt", "an api\n\nup, api api\n"), ("b.rs", "// Api\n"), ("c/d.md", "up\n")]:
        (tree.parent / name).write_text(text)
    # What examples in texts name.
    (place / "src").mkdir()
    (place / "src" / "main.rs").write_text("fn main() {}\n")
    (place / "data").symlink_to("series/blocks/api")
    (place / "metrics.om").write_text('# TYPE up gauge\nup{job="a"} 1 1\nup{job="b"} 1 1\n# EOF\n')
    return place


@pytest.fixture(autouse=True)
def environment(golden, monkeypatch, tmp_path):
    monkeypatch.chdir(golden)
    monkeypatch.setenv("RESTIC_PASSWORD", "manicule-golden")
    monkeypatch.setenv("MANICULE_CACHE_DIR", str(tmp_path / "cache"))


def case(name):
    """A table of the catalogue over golden data, and a condition that some rows fulfil."""
    blocks = ("series/blocks/api", "series/blocks/mixed")
    cases = {
        "series.blocks": lambda: (manicule.series(*blocks).blocks(), "level >= 1"),
        "series.labels": lambda: (manicule.series(*blocks).labels(), "name = 'job'"),
        "series.samples": lambda: (manicule.series("series/blocks/mixed").samples(labels=["job"]), "value > 1"),
        "series.series": lambda: (manicule.series(*blocks).series(labels="job"), "chunks > 0"),
        "rows.rows": lambda: (manicule.rows("sstables/me/multi").rows(), "ck > 2"),
        "rows.cells": lambda: (manicule.rows("sstables/me/multi").cells(), "_fact = 'cell'"),
        "rows.partitions": lambda: (manicule.rows("sstables/me/multi").partitions(), "_bytes > 40"),
        "rows.sstables": lambda: (manicule.rows("sstables/me/multi").sstables(), "generation = '1'"),
        "rows.backups": lambda: (manicule.rows(backups()).backups(), "kind = 'full'"),
        "graph.quads": lambda: (manicule.Graph("shop").quads(), "predicate LIKE '%type'"),
        "graph.predicates": lambda: (manicule.Graph("shop").predicates(), "quads > 10"),
        "graph.solutions": lambda: (manicule.Graph("shop").solutions("SELECT * { ?s ?p ?o }"), "s_type = 'iri'"),
        "blobs.blobs": lambda: (manicule.blobs("unused/repo").blobs(), "type = 'data'"),
        "blobs.costs": lambda: (manicule.blobs("unused/repo").costs(), "grouped_by = 'snapshot'"),
        "blobs.files": lambda: (manicule.blobs("restic/repo").files(), "type = 'file'"),
        "blobs.packs": lambda: (manicule.blobs("unused/repo").packs(), "type = 'tree'"),
        "blobs.snapshots": lambda: (manicule.blobs("restic/repo").snapshots(), "parent IS NOT NULL"),
        "blobs.versions": lambda: (manicule.blobs("unused/repo").versions(), "state = 'dir'"),
        "code.documents": lambda: (manicule.code("shards/shards/git-ctags", "shards/shards/ctags").documents(), "size > 100"),
        "code.lines": lambda: (manicule.code("shards/shards/git-ctags").lines("la"), "line_number > 2"),
        "code.repositories": lambda: (manicule.code("shards/shards/git-ctags", "shards/shards/tomb").repositories(), "documents > 4"),
        "code.symbols": lambda: (manicule.code("shards/shards/git-ctags", "shards/shards/ctags").symbols(), "kind = 'function'"),
        "files": lambda: (manicule.files("tree", "shop200.nq"), "extension = 'rs'"),
        "find": lambda: (
            manicule.Table("find", ["tree", "series/blocks/api", "shop"], {"text": "api|up|ProductType1$"}),
            "kind = 'text'",
        ),
    }
    return cases[name]()


def backups():
    """The folder of Medusa's backups."""
    return min(str(path.parents[1]) for path in pathlib.Path("backup").rglob("backup_index"))

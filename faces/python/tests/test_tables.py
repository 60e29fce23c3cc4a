"""Tables, in every library that takes them."""

import datetime
import decimal
import math
import os
import pickle
import re
import subprocess
import sys
import time
import uuid

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.compute
import pytest

import manicule
from conftest import case

NAMES = manicule.tables()


def plain(value):
    """A value in a form that all libraries come to: times as microseconds, UUIDs as texts."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime.datetime):
        zone = value.tzinfo or datetime.timezone.utc
        return (value.replace(tzinfo=zone) - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)
    if isinstance(value, dict):
        return sorted((key, plain(own)) for key, own in value.items())
    if isinstance(value, (list, tuple)):
        # Pairs of a map, or items of a list.
        if value and all(isinstance(own, tuple) and len(own) == 2 for own in value):
            return sorted((key, plain(own)) for key, own in value)
        if value and all(isinstance(own, dict) and set(own) == {"key", "value"} for own in value):
            return sorted((own["key"], plain(own["value"])) for own in value)
        return [plain(own) for own in value]
    return value


def rows_of(dicts):
    return [[plain(value) for value in row.values()] for row in dicts]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_the_same_in_every_library(name):
    table, _ = case(name)
    own = rows_of(table)
    assert own, "golden data has some rows"
    columns = table.schema.names
    assert rows_of(table.to_arrow().to_pylist()) == own
    assert rows_of(pyarrow.table(table).to_pylist()) == own
    # Types that each of them has: polars has no map, DuckDB gives UUIDs back.
    easy = table.plain()
    assert easy.schema.names == columns
    texts = easy.to_arrow()
    assert rows_of(texts.to_pylist()) == own
    counted = duckdb.sql("SELECT count(*) FROM easy").fetchall()[0][0]
    assert counted == len(own) == len(easy.to_polars()) == len(easy.to_pandas())
    assert rows_of(polars.DataFrame(table).to_arrow().to_pylist()) == own
    frame = easy.to_polars()
    assert isinstance(frame, polars.DataFrame) and frame.columns == columns
    assert list(easy.to_pandas().columns) == columns
    sums = {}
    for field in texts.schema:
        if pyarrow.types.is_integer(field.type):
            sums[field.name] = sum(value for value in texts[field.name].to_pylist() if value is not None)
    for column, want in sums.items():
        quoted = column.replace('"', '""')
        assert duckdb.sql(f'SELECT sum("{quoted}"::hugeint) FROM easy').fetchall()[0][0] in (want, None), column
        assert frame[column].cast(polars.Int128).sum() == want, column
        assert easy.to_pandas()[column].dropna().astype(object).sum() == want, column


@pytest.mark.parametrize("name", NAMES)
def test_a_condition_leaves_what_it_leaves_of_all_rows_and_then_all_are_there(name):
    table, condition = case(name)
    everything = table.plain().to_arrow()
    some = table.where(condition).plain().to_arrow()
    assert 0 < some.num_rows <= everything.num_rows
    assert rows_of(some.to_pylist()) == rows_of(duckdb.sql(f"SELECT * FROM everything WHERE {condition}").to_arrow_table().to_pylist())
    assert table.plain().to_arrow().num_rows == everything.num_rows


@pytest.mark.parametrize("name", NAMES)
def test_partitions_are_all_of_a_table_also_after_a_pickle(name):
    table, _ = case(name)
    if name in ("files", "find"):
        # Parts of a walk aren't in its order.
        order = sorted
    else:
        order = list
    parts = pickle.loads(pickle.dumps(table.partitions(3)))
    assert all(len(part.text) < 4096 for part in parts)
    rows = [str(row) for part in parts for row in rows_of(part)]
    assert sorted(rows) == sorted(map(str, rows_of(table)))
    assert order(rows) == order(str(row) for part in parts for row in rows_of(part.to_arrow().to_pylist()))


def test_columns_and_a_limit_read_less():
    table = manicule.series("series/blocks/api").samples()
    few = table.select("timestamp", "value").head(2)
    assert [list(row) for row in few] == [["timestamp", "value"]] * 2
    whole = table.to_arrow()
    assert few.to_arrow().num_rows == 2 < whole.num_rows
    assert table.receipt["series_decoded"] >= 1
    labels = manicule.code("shards/shards/git-ctags").documents()
    labels.to_arrow()
    first = labels.head(1)
    first.to_arrow()
    assert first.receipt["documents_visited"] < labels.receipt["documents_visited"]


def test_polars_pushes_columns_conditions_and_limit_into_the_reading():
    table = manicule.series("series/blocks/api", "series/blocks/mixed").samples()
    everything = table.to_polars()
    metric = polars.col("metric")
    name = everything["metric"].cast(polars.String).drop_nulls()[0]
    at = everything["timestamp"].sort()[len(everything) // 2]
    asked = [
        metric == name,
        (metric == name) & (polars.col("value") > 1.5),
        polars.col("timestamp") >= at,
        metric.is_in([name, "nothing"]),
        metric.is_null(),
        ~(metric == name),
        metric.cast(polars.String).str.starts_with(name[:2]),
        (metric == name) | (polars.col("value") > 1.5),
        polars.lit(1.5) < polars.col("value"),
    ]
    for predicate in asked:
        want = everything.filter(predicate).select("timestamp", "value")
        got = table.scan().filter(predicate).select("timestamp", "value").collect()
        assert got.equals(want, null_equal=True), predicate
    lazy = table.scan().filter(metric == name).select("value").head(3)
    assert lazy.collect().height == 3
    # What is pushed is read less of.
    from manicule._lazy import conditions

    assert conditions((metric == "up") & (polars.col("value") > 1.5)) == (['"metric" = \'up\'', '"value" > 1.5'], True)
    assert conditions(metric.is_in(["a", "b'c"])) == (["\"metric\" IN ('a', 'b''c')"], True)
    assert conditions(~metric.is_null()) == ([], False)
    assert conditions(metric.str.starts_with("a_")) == ([], False)


def test_numbers_that_conditions_do_not_compare_are_filtered_afterwards():
    table = manicule.series("series/blocks/api").blocks()
    assert table.scan().filter(polars.col("level") > 0.5).collect().height == table.to_arrow().num_rows


def test_duckdb_pushes_columns_and_conditions_into_a_dataset():
    table = manicule.series("series/blocks/api", "series/blocks/mixed").samples()
    everything, pushed = table.to_arrow(), table.dataset()
    name = next(own for own in everything["metric"].to_pylist() if own)
    seen = []
    opened = manicule.Table.where
    manicule.Table.where = lambda self, conditions: (seen.append(conditions), opened(self, conditions))[1]
    try:
        for condition in [
            f"metric = '{name}'",
            f"metric = '{name}' AND value > 0.5",
            "value >= 1 AND value < 3",
            f"metric IN ('{name}', 'nothing')",
            f"metric LIKE '{name[:2]}%'",
            "metric IS NULL",
            f"metric <> '{name}' OR value > 0.5",
        ]:
            query = "SELECT count(*), sum(value), min(timestamp) FROM {} WHERE " + condition
            want = plain(duckdb.sql(query.format("everything")).fetchall()[0])
            assert plain(duckdb.sql(query.format("pushed")).fetchall()[0]) == want, condition
    finally:
        manicule.Table.where = opened
    assert f"\"metric\" = '{name}'" in seen[0]
    assert pushed.count_rows() == everything.num_rows
    assert pushed.head(2).num_rows == 2
    assert pushed.to_table(columns=["value"], filter=pyarrow.compute.field("metric") == name).column_names == ["value"]


def test_values_are_those_of_the_standard_library():
    [row] = manicule.rows("sstables/me/types").rows(decimals={"c15": 9}).head(1).to_dicts() or [None]
    kinds = {type(value) for value in row.values()}
    assert {int, str, bool, bytes, float} <= kinds, row
    assert datetime.datetime in kinds and uuid.UUID in kinds and datetime.date in kinds, row
    assert any(isinstance(value, decimal.Decimal) for value in row.values()), row


def test_what_is_wrong_is_an_exception_of_its_class():
    for wrong, what in [
        (lambda: manicule.series("nowhere").labels().to_arrow(), manicule.MissingError),
        (lambda: manicule.blobs("nowhere").snapshots().to_arrow(), manicule.MissingError),
        (lambda: manicule.Graph("nowhere").quads().to_arrow(), manicule.MissingError),
        (lambda: manicule.series("series/blocks/api").labels("{").to_arrow(), manicule.AskedError),
        (lambda: manicule.series("series/blocks/api").labels().select("nothing").to_arrow(), manicule.AskedError),
        (lambda: manicule.series("series/blocks/api").labels().where("series = 'a'").to_arrow(), manicule.AskedError),
        (lambda: manicule.Table("nothing", ["."]).to_arrow(), manicule.AskedError),
        (lambda: manicule.blobs("restic/repo", password_file="shop200.nq").snapshots().to_arrow(), manicule.DeniedError),
        (lambda: manicule.open_partition("nothing").to_dicts(), manicule.AskedError),
    ]:
        with pytest.raises(what) as raised:
            wrong()
        assert isinstance(raised.value, manicule.Error)
    assert issubclass(manicule.MissingError, FileNotFoundError)


def test_an_error_behind_some_rows_is_ours_in_every_library(tmp_path):
    table = manicule.find("x", tmp_path / "nowhere")
    with pytest.raises(manicule.MissingError):
        list(table)
    lines = manicule.Table("find", ["tree", "nowhere"], {"text": "api"})
    for read in (lines.to_arrow, lines.to_polars, lines.to_dicts, lines.to_pandas):
        with pytest.raises(manicule.MissingError):
            read()
    with pytest.raises(pyarrow.ArrowException):
        pyarrow.table(lines)


def test_find_gives_hits():
    hits = sorted(manicule.find("api", "tree", ignore_case=True))
    assert [(hit.path, hit.line_number, hit.text) for hit in hits] == [
        ("tree/a.txt", 1, "an api"),
        ("tree/a.txt", 3, "up, api api"),
        ("tree/b.rs", 1, "// Api"),
    ]
    assert hits[1].matches == [{"start": 4, "length": 3}, {"start": 8, "length": 3}]
    assert str(hits[0]) == "tree/a.txt:1: an api"
    assert {hit.kind for hit in manicule.find("up", "tree", "series/blocks/mixed", "shop")} >= {"text"}
    assert len(list(manicule.find("a", ".", limit=3))) == 3


def test_a_path_is_inspected_and_verified():
    [block] = manicule.inspect(next(iter(manicule.series("series/blocks/api").blocks()))["path"])
    assert block["kind"] == "prometheus-block" and block["report"]["index"]["series"] > 0
    for path in ("series/blocks/api", "sstables/me/multi", "shards/shards/ctags", "shop", "unused/repo"):
        for report in manicule.inspect(path):
            assert report["report"], path
        seen = []
        verdicts = manicule.verify(path, progress=lambda *said: seen.append(said))
        assert all(one["finding_count"] == 0 and one["failures"] == [] and one["counts"] for one in verdicts), path
    with pytest.raises(manicule.MissingError):
        manicule.verify("nowhere")


def test_a_notebook_shows_tables_and_treemaps():
    shown = manicule.files("tree")._repr_html_()
    assert "<td>tree/a.txt</td>" in shown
    hostile = manicule.Table("find", ["tree"], {"text": "// Api"})
    assert "<script" not in hostile._repr_html_()
    drawn = manicule.series("series/blocks/api").cardinality()._repr_html_()
    assert drawn.count("<rect") == len(manicule.series("series/blocks/api").cardinality())
    areas = [tuple(map(float, found)) for found in re.findall(r'width="([\d.]+)" height="([\d.]+)" fill', drawn)]
    assert sum(width * height for width, height in areas) == pytest.approx(960 * 420, rel=0.01)
    cost = manicule.blobs("unused/repo").cost()
    assert cost.whole == sum(row["exclusive_bytes"] for row in manicule.blobs("unused/repo").costs(by="snapshot"))
    assert "<svg" in manicule.rows("sstables/me/multi").largest()._repr_html_()


def test_the_program_is_in_the_wheel():
    run = lambda *words: subprocess.run([sys.executable, "-m", "manicule", *words], capture_output=True, text=True)
    found = run("find", "-c", "api", "tree")
    assert (found.stdout, found.returncode) == ("tree/a.txt:2\n", 0)
    assert run("find", "nothing at all", "tree").returncode == 1
    assert run("verify", "nowhere").returncode == 2
    assert manicule.command("verify", "shop")[-1]["ok"] is True
    with pytest.raises(manicule.FailedError, match="nowhere"):
        manicule.command("series", "analyze", "nowhere")


def test_the_program_of_the_wheel_keeps_an_index(tmp_path):
    tree, script = tmp_path / "tree", tmp_path / "manicule"
    for number in range(3000):
        file = tree / str(number // 100) / f"{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"number {number} and what else there is of it\n" * 20)
    script.write_text(f"#!{sys.executable}\nfrom manicule._program import main\nmain()\n")
    script.chmod(0o755)
    environment = {**os.environ, "MANICULE_CACHE_DIR": str(tmp_path / "kept")}
    listed = []
    for _ in range(100):
        subprocess.run([script, "find", "number 2999", tree], capture_output=True, env=environment)
        run = subprocess.run([script, "cache", "list", "--json"], capture_output=True, text=True, env=environment)
        listed = [line for line in run.stdout.splitlines() if str(tree) in line]
        if listed:
            break
        time.sleep(0.1)
    assert listed, "it starts itself again to make an index"


def test_methods_are_those_of_the_catalogue():
    here = __file__.rsplit("/", 2)[0]
    done = subprocess.run([sys.executable, f"{here}/tools/handles.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_import_is_quick():
    code = "import time; start = time.perf_counter(); import manicule; print(time.perf_counter() - start)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout) for _ in range(5)]
    # 50 ms are the aim, which a machine that does other things too may miss.
    assert min(times) < 0.2, times
    code = "import sys, manicule; print([m for m in ('pyarrow', 'polars', 'pandas', 'duckdb', 'numpy') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_tables_pickle():
    table = manicule.series("series/blocks/api").labels().where("name = 'job'").select("value").head(2)
    again = pickle.loads(pickle.dumps(table))
    assert again.to_dicts() == table.to_dicts() and repr(again) == repr(table)
    assert isinstance(table.to_pandas(), pandas.DataFrame)

"""Tables in distributed engines, where these are installed: the module is left out, by name, where
they aren't."""

import os
import shutil
import subprocess
import sys

import pyarrow
import pytest

import manicule
from conftest import case

TABLES = manicule.tables()


@pytest.fixture(scope="module")
def spark():
    pytest.importorskip("pyspark", reason="left out: PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("left out: there is no Java for Spark")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Two executors, each a process of its own: nothing of the driver's is there but what travels.
    session = (
        SparkSession.builder.master(os.environ.get("MANICULE_SPARK", "local-cluster[2,1,1024]"))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.executorEnv.RESTIC_PASSWORD", "manicule-golden")
        .getOrCreate()
    )
    yield session
    session.stop()


def frame_of(spark, table, **options):
    from manicule import spark as ours

    return ours.read(spark, table.name, *absolute(table), **table.arguments(), **options)


def absolute(table):
    """Paths as workers have them, whose folder is another one."""
    return [os.path.abspath(path) for path in table.paths]


def own(table):
    moved = manicule.Table(table.name, absolute(table), table.arguments())
    return moved.plain().to_arrow()


def same(got, want):
    """Rows in any order."""
    key = lambda batch: sorted(str(list(row.items())) for row in batch.to_pylist())
    assert got.num_rows == want.num_rows > 0
    assert key(got.select(want.column_names).cast(want.schema)) == key(want)


@pytest.mark.parametrize("name", TABLES)
def test_spark_reads_all_filtered_and_then_all_again(spark, name):
    table, condition = case(name)
    want = own(table)
    whole = frame_of(spark, table, partitions=3)
    same(whole.toArrow(), want)
    some = frame_of(spark, table, where=condition, partitions=3)
    expected = manicule.Table(table.name, absolute(table), table.arguments(), where=condition)
    assert 0 < some.count() == expected.to_arrow().num_rows <= want.num_rows
    assert whole.where(condition).count() == expected.to_arrow().num_rows
    # What was asked before leaves the frame as it was.
    assert whole.count() == want.num_rows
    assert frame_of(spark, table, limit=1).count() == 1


def test_spark_merges_sstables_of_a_token_range_in_one_task(spark):
    table = manicule.rows(os.path.abspath("sstables/me/multi")).rows()
    from manicule import spark as ours

    frame = ours.read(spark, "rows.rows", *table.paths, partitions=5)
    assert frame.rdd.getNumPartitions() > 1
    same(frame.toArrow(), table.plain().to_arrow())


def test_spark_keeps_what_a_source_has_taken_of_a_filter(spark):
    """Why no filter is pushed: a frame that was filtered and is then read as a whole lacks rows in
    Spark 4.3. When this fails, Spark has mended it."""
    from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, InputPartition

    class Reader(DataSourceReader):
        def __init__(self):
            self.only = None

        def pushFilters(self, filters):
            for one in filters:
                if isinstance(one, EqualTo):
                    self.only = one.value
                yield one

        def partitions(self):
            return [InputPartition(0)]

        def read(self, _):
            for number in range(100):
                if self.only is None or number == self.only:
                    yield (number,)

    class Source(DataSource):
        @classmethod
        def name(cls):
            return "numbers_that_push"

        def schema(self):
            return "number int"

        def reader(self, schema):
            return Reader()

    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(Source)
    frame = spark.read.format("numbers_that_push").load()
    assert frame.where("number = 7").count() == 1
    assert frame.count() != 100, "Spark has mended it: filters can be pushed"


def test_spark_says_what_is_wrong(spark):
    from manicule import spark as ours

    for wrong in (
        lambda: ours.read(spark, "nothing", "."),
        lambda: ours.read(spark, "series.labels", "/nowhere").count(),
        lambda: ours.read(spark, "series.labels", os.path.abspath("series/blocks/api"), selector="{").count(),
    ):
        with pytest.raises(Exception) as raised:
            wrong()
        assert "manicule" in str(raised.value) or isinstance(raised.value, manicule.Error)


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="left out: Ray is not installed")
    environment = {"env_vars": {"RESTIC_PASSWORD": "manicule-golden"}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("name", TABLES)
def test_ray_reads_all_filtered_and_then_all_again(ray, name):
    from manicule import ray as ours

    table, condition = case(name)
    want = own(table)
    moved = manicule.Table(table.name, absolute(table), table.arguments())
    whole = ray.data.read_datasource(ours.source(moved), override_num_blocks=3)
    assert whole.count() == want.num_rows
    some = ray.data.read_datasource(ours.source(moved.where(condition)), override_num_blocks=3)
    assert some.count() == moved.where(condition).to_arrow().num_rows
    rows = pyarrow.concat_tables([block for block in ray.get(whole.to_arrow_refs())], promote_options="permissive")
    same(rows.cast(want.schema) if rows.num_columns else rows, want)


@pytest.mark.parametrize("name", TABLES)
def test_daft_reads_all_filtered_and_then_all_again(name):
    daft = pytest.importorskip("daft", reason="left out: Daft is not installed")
    from manicule import daft as ours

    table, _ = case(name)
    moved = manicule.Table(table.name, absolute(table), table.arguments())
    want = own(table)
    frame = ours.read(moved)
    assert frame.count_rows() == want.num_rows
    column = want.column_names[0]
    assert frame.where(daft.col(column).not_null()).count_rows() == want.num_rows - want[column].null_count
    assert frame.count_rows() == want.num_rows
    assert frame.limit(1).to_arrow().num_rows == 1
    assert frame.select(column).to_arrow().column_names == [column]


def test_planning_100_000_partitions_takes_seconds():
    code = (
        "import pickle, resource, sys, time\n"
        "from manicule import Partition\n"
        "text = open(sys.argv[1]).read()\n"
        "start = time.perf_counter()\n"
        "parts = [Partition(text + str(number)) for number in range(100_000)]\n"
        "size = sum(len(pickle.dumps(part)) for part in parts)\n"
        "print(time.perf_counter() - start, size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    [part] = manicule.series("series/blocks/api").series().partitions(1)[:1]
    open("part.txt", "w").write(part.text)
    run = subprocess.run([sys.executable, "-c", code, "part.txt"], capture_output=True, text=True)
    seconds, size, memory = run.stdout.split()
    assert float(seconds) < 10 and int(size) < 100_000 * 1500 and int(memory) < 500_000, run.stdout

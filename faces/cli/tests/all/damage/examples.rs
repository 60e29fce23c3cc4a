//! The examples: a new kind joins the test by a row.

use super::plant;
use manicule_testkit::Damage;

use super::table::{
    Earlier, Example, May, Row, Trust, Unproven, adds, changes, judges, makes, mends, reads,
    restores,
};

pub(crate) const EXAMPLES: &[Example] = &[
    Example {
        name: "rows, uncompressed",
        plant: plant::rows_plain,
        files: &["t/"],
        alike_max: 20,
        earlier: None,
        trust: Trust::Source,
        unproven: NO_SUM_OF_STATISTICS,
        rows: &[ROWS, ROWS_MADE],
    },
    Example { name: "rows, compressed", plant: plant::rows_packed, ..EXAMPLES_ROWS },
    Example {
        name: "rows, tries",
        plant: plant::rows_tries,
        unproven: NO_SUMS_PLAIN,
        rows: &[ROWS],
        ..EXAMPLES_ROWS
    },
    Example {
        name: "rows, tries compressed",
        plant: plant::rows_tries_packed,
        rows: &[ROWS],
        ..EXAMPLES_ROWS
    },
    Example {
        name: "series",
        plant: plant::series,
        files: &["data/"],
        alike_max: 20,
        earlier: None,
        trust: Trust::Source,
        unproven: NO_BLOCK,
        rows: &[SERIES],
    },
    Example {
        name: "code",
        plant: plant::shards,
        files: &["shards/"],
        alike_max: 4,
        earlier: None,
        trust: Trust::Source,
        unproven: NAMES,
        rows: &[CODE],
    },
    Example {
        name: "graph",
        plant: plant::graph,
        files: &["store/"],
        alike_max: 8,
        earlier: Some(Earlier { suffix: ".log", plant: plant::graph_at, count: plant::COMMITS }),
        trust: Trust::Source,
        unproven: STORE,
        rows: &[GRAPH],
    },
    Example {
        name: "blobs",
        plant: plant::blobs,
        files: &["repo/"],
        alike_max: 4,
        earlier: None,
        trust: Trust::Source,
        unproven: REPOSITORY,
        rows: &[BLOBS],
    },
    Example {
        name: "blobs, a kept index",
        plant: plant::blobs_kept,
        files: &["kept/"],
        alike_max: 8,
        earlier: None,
        trust: Trust::Cache,
        unproven: &[],
        rows: &[KEPT],
    },
];

const EXAMPLES_ROWS: Example = Example {
    name: "",
    plant: plant::rows_plain,
    files: &["t/"],
    alike_max: 20,
    earlier: None,
    trust: Trust::Source,
    unproven: NO_SUMS,
    rows: &[ROWS, ROWS_MADE],
};

const fn flips(damage: Damage) -> bool {
    matches!(damage, Damage::Flip { .. })
}

const fn any(_: Damage) -> bool {
    true
}

const fn is_gone(damage: Damage) -> bool {
    matches!(damage, Damage::Absent)
}

const fn is_absent(damage: Damage) -> bool {
    matches!(damage, Damage::Absent | Damage::Folder)
}

/// What answers by an index alone: entries have no sums, and keys none either.
const BY_INDEX: &[&str] =
    &["rows partitions", "rows slice", "rows stats", "rows holders", "rows verify", "verify"];

/// Components without a checksum: a flipped bit makes another sound file of them. Of those that may
/// be missing nothing is said.
const NO_SUMS: &[Unproven] = &[
    Unproven { suffix: "-Index.db", is: flips, words: BY_INDEX, may: May::Believe },
    Unproven { suffix: "-Partitions.db", is: flips, words: BY_INDEX, may: May::Believe },
    Unproven { suffix: "-Rows.db", is: flips, words: BY_INDEX, may: May::Believe },
    Unproven { suffix: "-Summary.db", is: any, words: BY_INDEX, may: May::Believe },
    Unproven { suffix: "-Filter.db", is: flips, words: BY_INDEX, may: May::Believe },
    Unproven { suffix: "-Data.db", is: is_absent, words: &["rows rebuild"], may: May::Believe },
    Unproven {
        suffix: "-CompressionInfo.db",
        is: flips,
        words: &["rows stats"],
        may: May::Believe,
    },
];

/// A slice of plain data reads less than a piece that CRC.db has the sum of.
const PLAIN_SLICE: Unproven =
    Unproven { suffix: "-Data.db", is: flips, words: &["rows slice"], may: May::Believe };

/// Of tries over plain data.
const NO_SUMS_PLAIN: &[Unproven] = &[PLAIN_SLICE, NO_SUMS[1], NO_SUMS[2], NO_SUMS[4], NO_SUMS[5]];

/// Statistics.db has checksums from `na` on.
const NO_SUM_OF_STATISTICS: &[Unproven] = &[
    Unproven { suffix: "-Statistics.db", is: flips, words: &[""], may: May::Believe },
    PLAIN_SLICE,
    NO_SUMS[0],
    NO_SUMS[3],
    NO_SUMS[4],
    NO_SUMS[5],
];

/// A folder without a meta file is no block to Prometheus, and a block without tombstones has none.
const NO_BLOCK: &[Unproven] = &[
    Unproven {
        suffix: "meta.json",
        is: flips,
        words: &["series analyze", "find --files"],
        may: May::Believe,
    },
    Unproven { suffix: "meta.json", is: is_gone, words: &[""], may: May::Warn },
    Unproven { suffix: "tombstones", is: is_gone, words: &[""], may: May::Warn },
];

/// A snapshot's name that is gone was taken away, and no reader asks for the locks.
const STORE: &[Unproven] = &[
    Unproven { suffix: "snapshots/first", is: is_gone, words: &[""], may: May::Believe },
    Unproven { suffix: "store/lock", is: any, words: &["verify"], may: May::Believe },
    Unproven { suffix: "store/merging", is: any, words: &["verify"], may: May::Believe },
];

/// Contents of documents have sums, names have none. A shard that isn't there is another folder of
/// shards.
const NAMES: &[Unproven] = &[
    Unproven {
        suffix: ".zoekt",
        is: flips,
        words: &["find --files", "code search"],
        may: May::Believe,
    },
    Unproven { suffix: ".zoekt", is: is_absent, words: &[""], may: May::Believe },
];

/// A snapshot that is gone was forgotten. What an index file listed is in no other file, and none
/// names it or a key. Listings are of the files that are there, as restic's.
const REPOSITORY: &[Unproven] = &[
    Unproven { suffix: "repo/snapshots/", is: is_gone, words: &[""], may: May::Believe },
    Unproven { suffix: "repo/data/", is: is_gone, words: &["blobs list"], may: May::Believe },
    Unproven {
        suffix: "repo/index/",
        is: is_gone,
        words: &["blobs list", "blobs export"],
        may: May::Believe,
    },
    Unproven { suffix: "repo/index/", is: is_gone, words: &[""], may: May::LeaveUnnamed },
    Unproven { suffix: "repo/keys/", is: is_gone, words: &[""], may: May::LeaveUnnamed },
];

const ROWS: &[Row] = &[
    reads("rows dump t"),
    reads("rows export t"),
    reads("rows export --raw t"),
    reads("rows partitions t"),
    reads("rows tombstones --now 1701000000 t"),
    reads("rows stats --now 1701000000 t"),
    reads("rows schema t"),
    reads("rows holders t 1"),
    reads("rows slice t 1"),
    reads("rows slice --raw t 0"),
    reads("find -w 1 t"),
    reads("find --files t"),
    judges("rows verify t"),
    judges("verify t"),
    mends("rows dump --salvage t"),
    // Lengths of the files as they are.
    mends("rows list t"),
    mends("rows expired --now 1701000000 t"),
    mends("inspect t"),
];

/// Of versions that are written.
const ROWS_MADE: &[Row] = &[
    mends("rows salvage t -o new"),
    makes("rows rebuild t -o OUT", "rows dump OUT"),
    makes("rows extract t --tokens .. -o OUT", "rows dump OUT"),
    makes("rows merge t -o OUT", "rows dump OUT"),
];

const SERIES: &[Row] = &[
    reads("series select {__name__=~\".+\"} data"),
    reads("series select --samples {__name__=~\".+\"} data"),
    reads("series labels ./data"),
    reads("series labels s ./data"),
    reads("series analyze data"),
    reads("series dump data"),
    reads("find g data"),
    reads("find --files data"),
    judges("series verify data"),
    judges("verify data"),
    makes("series merge -o OUT data", "series dump OUT"),
    makes(
        "series rewrite -o OUT --drop nothing data/01M7YV9D87W4FXZ0BQPSXM4Q20",
        "series dump OUT",
    ),
    makes("series split -o OUT --parts 2 data/01M7YV9D87W4FXZ0BQPSXM4Q20", "series dump OUT"),
    mends("inspect data"),
];

const CODE: &[Row] = &[
    reads("find -n a shards"),
    reads("find -c a shards"),
    reads("find --files shards"),
    reads("code search -l a shards"),
    reads("code search a shards"),
    judges("verify shards"),
    changes("code index -index shards alpha", "find -n a shards"),
    mends("inspect shards"),
];

const GRAPH: &[Row] = &[
    reads("graph query store -f all.rq"),
    reads("graph query store -f count.rq"),
    reads("graph query --at first store -f all.rq"),
    reads("graph export store"),
    reads("graph export --at first store"),
    reads("graph snapshot store"),
    reads("find added store"),
    reads("find text store"),
    judges("verify store"),
    makes("graph backup store OUT", "graph export OUT"),
    adds("graph update store -f new.ru", "graph export store"),
    changes("graph compact --merge store", "graph export store"),
    changes("graph compact store", "graph export store"),
    mends("inspect store"),
    mends("graph stats store"),
];

const BLOBS: &[Row] = &[
    reads("blobs list -r repo blobs"),
    reads("blobs list -r repo packs"),
    reads("blobs list -r repo snapshots"),
    reads("blobs ls -r repo latest"),
    reads("blobs snapshots -r repo"),
    reads("blobs stats -r repo"),
    reads("blobs stats -r repo --mode raw-data"),
    reads("blobs diff -r repo 0fd00f81 e3b276c6"),
    reads("blobs dump -r repo latest /"),
    reads("blobs cat -r repo config"),
    reads("blobs find -r repo *"),
    reads("blobs export -r repo"),
    reads("blobs usage -r repo"),
    reads("blobs cost -r repo"),
    reads("blobs history -r repo /srv/tiny"),
    reads("table blobs.blobs repo --format csv"),
    reads("table blobs.files repo --format csv"),
    reads("table blobs.packs repo --format csv"),
    reads("table blobs.versions repo -a file=/srv/tiny -a file=/srv/tiny/07 --format csv"),
    reads("find a repo"),
    judges("blobs check -r repo --read-data"),
    judges("verify repo"),
    restores(
        "blobs restore -r repo latest -t OUT",
        "find --hidden --no-ignore --no-index -a --sort path ^ OUT",
    ),
    mends("blobs check -r repo"),
    mends("blobs repair-index -r repo"),
    mends("inspect repo"),
];

const KEPT: &[Row] = &[
    reads("blobs usage -r repo --index-cache-dir kept"),
    reads("blobs find -r repo --index-cache-dir kept *"),
    reads("blobs cost -r repo --index-cache-dir kept"),
    reads("blobs history -r repo --index-cache-dir kept /srv/tiny"),
    reads("table blobs.files repo -a index_cache_dir=kept --format csv"),
];

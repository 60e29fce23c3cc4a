//! The table: a row for each command and each main form of its output.

/// Meaning of a reader that closes the pipe early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Early {
    /// The reader has read enough: 0.
    Fine,
    /// The exit code is the answer, or something is made: no reader changes it.
    Same,
}

/// A command line and its expected results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'w> {
    pub(crate) words: &'w str,
    /// The exit code if all goes well.
    pub(crate) code: i32,
    pub(crate) early: Early,
    /// Whether the output differs from call to call: names, times.
    pub(crate) varies: bool,
    /// Preparation of each call.
    pub(crate) before: Option<&'w str>,
}

/// A row that prints an answer.
pub(crate) const fn shows(words: &str) -> Row<'_> {
    Row { words, code: 0, early: Early::Fine, varies: false, before: None }
}

/// A row whose exit code is the answer.
const fn judges(words: &str, code: i32) -> Row<'_> {
    Row { words, code, early: Early::Same, varies: false, before: None }
}

/// A row that makes or changes something in `OUT`.
const fn makes(words: &str) -> Row<'_> {
    Row { words, code: 0, early: Early::Same, varies: true, before: None }
}

/// `A` and `B` are two blocks that differ, `OUT` is a fresh folder, standard input is a file of the tree.
pub(crate) const ROWS: &[Row<'_>] = &[
    shows("--help"),
    shows("--version"),
    shows("--generate man"),
    shows("--generate complete-bash"),
    shows("code --help"),
    shows("series --help"),
    shows("find needle tree"),
    shows("find -n needle tree/f1.txt"),
    shows("find -c needle tree"),
    shows("find --count-matches needle tree"),
    shows("find -l needle tree"),
    shows("find -l -0 needle tree"),
    shows("find -l -0 needle tree/f1.txt"),
    shows("find --json needle tree"),
    shows("find --json --budget 500 --receipt -j1 needle tree/f1.txt").that_varies(),
    shows("find --stats needle tree"),
    shows("find -q --stats needle tree"),
    shows("find --vimgrep needle tree"),
    shows("find --color always needle tree"),
    shows("find -o needle tree"),
    shows("find -C1 --heading needle tree"),
    shows("find --replace thread needle tree"),
    shows("find --passthru needle tree/f1.txt"),
    shows("find --sort path needle tree"),
    shows("find --sortr path needle tree"),
    shows("find -j1 needle tree"),
    shows("find -j1 -c needle tree"),
    shows("find --no-index needle tree"),
    shows("find --budget 500 --sort path needle tree"),
    shows("find --line-buffered needle tree"),
    shows("find --files tree"),
    shows("find --files -0 tree"),
    shows("find --files -j1 tree"),
    shows("find --files --sort path tree"),
    shows("find --files --sortr path tree"),
    shows("find --files --budget 50 --sort path tree"),
    shows("find --type-list"),
    shows("find needle -"),
    shows("find -c needle -"),
    shows("find needle shards"),
    shows("find -c needle shards"),
    shows("find -l needle shards"),
    shows("find --json needle shards"),
    shows("find --files shards"),
    shows("find api data"),
    shows("find -c api data"),
    shows("find --json api data"),
    shows("find --files data"),
    shows("find -w 1 sstable"),
    shows("find -c 1 sstable/me-1-big-Data.db"),
    shows("find --json -w 1 sstable/me-1-big-Data.db"),
    shows("find --files sstable"),
    shows("find needle tree shards"),
    shows("find --help"),
    shows("find -h"),
    shows("find --version"),
    shows("find --generate man"),
    shows("find --generate complete-bash"),
    shows("find --generate complete-zsh"),
    shows("find --generate complete-fish"),
    shows("find --generate complete-powershell"),
    makes("code index -index OUT tree"),
    makes("code index --json -index OUT tree"),
    shows("code search needle shards"),
    shows("code search -l needle shards"),
    shows("code search -c needle shards"),
    shows("code search --json needle shards").that_varies(),
    shows("code search --limit 5 needle shards"),
    makes("series build -o OUT samples.om"),
    makes("series build --json -o OUT samples.om"),
    shows("series select {__name__=~\".+\"} big"),
    shows("series select --samples {__name__=~\".+\"} big"),
    shows("series select --samples --json {__name__=~\".+\"} data"),
    shows("series select -c up data"),
    shows("series select --json --receipt up data"),
    shows("series labels ./data"),
    shows("series labels instance data"),
    shows("series labels --json instance data"),
    shows("series labels -c instance data"),
    shows("series analyze data"),
    shows("series analyze --matrix big"),
    shows("series analyze --json data"),
    shows("series analyze --bytes --by instance big"),
    shows("series analyze DATA/A --against DATA/B"),
    shows("series analyze --json DATA/A --against DATA/B"),
    judges("series inspect data", 0),
    judges("series inspect DATA/A/chunks/000001", 0),
    judges("series inspect --json DATA/A/meta.json", 0),
    judges("series verify data", 0),
    judges("series verify bad", 1),
    judges("series verify --json bad", 1),
    shows("rows --help"),
    shows("rows slice sstable 'k0'"),
    shows("rows slice --json --receipt sstable 'k0'"),
    shows("rows slice --raw --reverse --limit 5 sstable 'k0'"),
    shows("rows slice --raw --json sstable 'k0'"),
    shows("rows schema sstable"),
    shows("rows dump sstable"),
    shows("rows dump -t sstable/me-1-big-Data.db"),
    shows("rows dump -d --now 1701000000 sstable"),
    shows("rows dump -e sstable"),
    shows("rows dump --salvage sstable"),
    shows("rows partitions sstable"),
    judges("rows tombstones --now 1701000000 sstable", 1),
    judges("rows tombstones --json --now 1701000000 sstable", 1),
    shows("rows partitions --json --rows --now 1701000000 sstable"),
    judges("rows verify sstable", 0),
    judges("rows verify --quick --json sstable/me-1-big-Data.db", 0),
    shows("rows stats --now 1701000000 sstable"),
    shows("rows stats --json --now 1701000000 sstable"),
    shows("blobs --help"),
    shows("blobs list -r repo -p password blobs"),
    shows("blobs list -r repo -p password packs"),
    shows("blobs list -r repo -p password --json index"),
    shows("blobs ls -r repo -p password latest"),
    shows("blobs ls -r repo -p password --json latest /srv"),
    shows("blobs find -r repo -p password -l /srv/parts/b"),
    shows("blobs find -r repo -p password --json --show-pack-id /srv/parts/b"),
    shows("blobs find -r repo -p password cd5edae3"),
    shows("blobs find -r repo -p password --json --pack cd5edae3"),
    shows("blobs export -r repo -p password"),
    shows("blobs export -r repo -p password --json"),
    judges("blobs duplicates -r repo -p password", 1),
    shows("blobs usage -r repo -p password --all-packs"),
    shows("blobs usage -r repo -p password --json --packs"),
    shows("blobs cost -r repo -p password"),
    shows("blobs cost -r repo -p password --json --by host"),
    shows("blobs history -r repo -p password /srv/parts/b"),
    shows("blobs history -r repo -p password --json --new /srv/parts/b"),
    judges("blobs check -r repo -p password", 0),
    judges("blobs check -r repo -p password --json --read-data", 0),
    judges("blobs repair-index -r repo -p password --dry-run --read-all-packs", 0),
    judges("blobs repair-index -r repo -p password --dry-run --json", 0),
    makes("series merge -o OUT DATA/A DATA/B"),
    makes("series merge --json -o OUT DATA/A DATA/B"),
    shows("series dump big"),
    shows("series dump --format json big"),
    shows("series dump --format plain big"),
    shows("series dump --format seriesjson big"),
    makes("series index -o OUT DATA/A"),
    makes("series index --json -o OUT DATA/A"),
    makes("series rewrite -o OUT --drop up DATA/A"),
    makes("series rewrite --json -o OUT --drop up DATA/A"),
    makes("series split -o OUT --parts 2 DATA/A"),
    makes("series split --json -o OUT --parts 2 DATA/A"),
    makes("series split -o OUT --index-max 5000 data"),
    judges("series diff DATA/A DATA/B", 1),
    judges("series diff --json DATA/A DATA/B", 1),
    judges("series diff --summary DATA/A DATA/B", 1),
    judges("series diff DATA/A DATA/A", 0),
    judges("inspect tree", 0).that_varies(),
    judges("inspect --json tree", 0).that_varies(),
    judges("inspect shards", 0),
    judges("inspect --json shards", 0),
    judges("inspect DATA/A", 0),
    judges("inspect data", 0),
    judges("inspect bad", 0),
    judges("inspect DATA/A/index", 0),
    judges("inspect DATA/A/index --hex symbols", 0),
    judges("inspect sstable", 0),
    judges("inspect --json sstable/me-1-big-Data.db", 0),
    judges("inspect sstable/me-1-big-Index.db", 0),
    judges("verify tree", 0),
    judges("verify --json tree", 0),
    judges("verify shards", 0),
    judges("verify bad-shards", 1),
    judges("verify data", 0),
    judges("verify bad", 1),
    judges("verify --json bad", 1),
    judges("verify bad data", 1),
    judges("verify sstable", 0),
    makes("cache list"),
    makes("cache list --json"),
    makes("cache build tree"),
    makes("cache build --json tree"),
    makes("cache clear tree").after("cache build tree"),
];

impl<'w> Row<'w> {
    const fn that_varies(self) -> Self {
        Row { varies: true, ..self }
    }

    const fn after(self, words: &'w str) -> Self {
        Row { before: Some(words), ..self }
    }
}

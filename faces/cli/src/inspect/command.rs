//! `manicule inspect` and `manicule verify` as commands, and those of `manicule series`: their help
//! and flags.

use anyhow::Result;

use super::answer;
use super::options::{Options, Verb};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operand, Usage, shared};
use crate::print::{Print, Reader};

pub(crate) static INSPECT: Command = Command {
    name: "inspect",
    operands: "[PATH...]",
    summary: "show what a path is and its parts, with offsets and sizes; how stale its index is",
    help: Help {
        calls: &[
            Usage {
                words: "[PATH...] [--json]",
                about: "\
Shows the index of the tree at PATH (default: the current folder; or that of an enclosing tree): its path, sizes and posting
lists, and what has changed in the tree since.",
            },
            Usage {
                words: "FILE [--hex SECTION] [--all] [--json]",
                about: "\
Shows the parts of a file of an index, with their offsets. --hex shows a section's first 4096 bytes, or all with --all.",
            },
            Usage {
                words: "SHARD|FOLDER [--hex SECTION] [--all] [--json]",
                about: "\
Shows the contents of a zoekt shard: its sections, repositories, languages, skipped documents with reasons, posting lists. For a
folder of shards: one line each, and the totals.",
            },
            Usage { words: "BLOCK|INDEX|FOLDER [--json]", about: BLOCK_HOLDS },
            Usage {
                words: "INDEX --hex SECTION [--all]",
                about: "\
Shows the bytes of a section of a block's index: symbols, series, postings, table, toc.",
            },
            Usage {
                words: "BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--json]",
                about: BLOCK_FILE,
            },
            Usage { words: "REPOSITORY [--json]", about: REPOSITORY_HOLDS },
            Usage {
                words: "TABLE|SSTABLE-Data.db [--key KEY] [--json]",
                about: "\
Shows the contents of an SSTable: its files, compression, counts, times, filter and keys, and the index of its largest partition,
or of KEY, as a chart: bars for some of the blocks, as long as the block. For a folder of several: one line each, and the totals.",
            },
            Usage {
                words: "SSTABLE-Index.db [--hex SECTION] [--all] [--json]",
                about: "Shows the parts of another component of an SSTable, with their offsets.",
            },
            Usage {
                words: "STORE [--json]",
                about: "\
Shows the contents of a graph store: quads, leaves of each order and how full they are, dictionary segments, commits that are not
merged yet, named snapshots and the bytes that they keep, files.",
            },
            Usage {
                words: "STORE/leaf/0000000001.leaf|STORE/... [--hex SECTION] [--all] [--json]",
                about: "Shows the parts of a file of a graph store, with their offsets.",
            },
        ],
        exit: "0 on success, 1 when there is no valid index, 2 when it can't be read.",
        ..Help::NONE
    },
    does: Does::Job(&INSPECT_JOB),
};

const BLOCK_HOLDS: &str = "\
Shows the contents of a Prometheus block: its times, samples and series, its sources, its files and the sections of its index. For
a data folder: one line per block, and the totals.";

const REPOSITORY_HOLDS: &str = "\
Shows the files and keys of a restic repository; with its password in $RESTIC_PASSWORD, $RESTIC_PASSWORD_FILE or
$RESTIC_PASSWORD_COMMAND also its version, its name, and its oldest and newest snapshots.";

const BLOCK_FILE: &str = "\
Shows a single file of a block: each chunk with its offset, length, encoding, samples and times; each deleted range; the fields of
the meta file.";

pub(crate) static INSPECT_SERIES: Command = Command {
    name: "inspect",
    operands: "[BLOCK|FOLDER|FILE...]",
    summary: "show the contents of a block, or of one of its files: index, chunks, tombstones",
    help: Help {
        calls: &[
            Usage { words: "BLOCK|INDEX|FOLDER [--json]", about: BLOCK_HOLDS },
            Usage {
                words: "BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--json]",
                about: BLOCK_FILE,
            },
            Usage {
                words: "FILE --hex SECTION [--all]",
                about: "\
Shows the first 4096 bytes of a section of an index (symbols, series, postings, table, toc) or of another file, or all with --all.",
            },
        ],
        exit: "0 on success, 1 when something is damaged, 2 when it can't be read.",
        ..Help::NONE
    },
    does: Does::Job(&INSPECT_SERIES_JOB),
};

pub(crate) static VERIFY: Command = Command {
    name: "verify",
    operands: "[PATH...]",
    summary: "check every checksum, order and reference, and that index and tree agree",
    help: Help {
        calls: &[
            Usage {
                words: "[PATH...] [--threads NUM] [--json]",
                about: "\
Checks the index of the tree at PATH (default: the current folder; or that of an enclosing tree): every checksum, offset, order
and count, and that it agrees with the files that have not changed since, whose grams are recomputed. An invalid index is removed,
and the next find rebuilds it. For a FILE of an index: everything that can be checked with the file alone.",
            },
            Usage {
                words: "SHARD|FOLDER [--threads NUM] [--json]",
                about: "\
Checks a zoekt shard, or all shards of a folder: every offset, order, count and checksum, and that its posting lists have each
trigram of each document at its positions.",
            },
            Usage { words: "BLOCK|INDEX|FOLDER [--threads NUM] [--json]", about: BLOCK_IS_RIGHT },
            Usage {
                words: "BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--threads NUM] [--json]",
                about: "Checks a single file of a block.",
            },
            Usage {
                words: "TABLE|SSTABLE-Data.db [--json]",
                about: SSTABLES_ARE_RIGHT,
            },
            Usage {
                words: "STORE [--json]",
                about: "\
Checks a graph store and its named snapshots: the checksum of every file, every block and page; that all orders hold the same
quads; that every id has its term and no term two ids; that the log can be read. For a FILE of a store: everything that can be
checked with the file alone.",
            },
            Usage {
                words: "REPOSITORY [--threads NUM] [--json]",
                about: "\
Checks a restic repository as `manicule blobs check --read-data` does. Its password is taken from $RESTIC_PASSWORD,
$RESTIC_PASSWORD_FILE or $RESTIC_PASSWORD_COMMAND.",
            },
        ],
        exit: "0 when everything is valid, 1 when something is wrong, 2 when a path can't be read or has nothing to verify.",
        ..Help::NONE
    },
    does: Does::Job(&VERIFY_JOB),
};

const BLOCK_IS_RIGHT: &str = "\
Checks a Prometheus block, a standalone index, or all blocks of a data folder: every checksum, order, offset and reference, that
posting lists and series agree, that every chunk decodes to the times in the index, and that the meta file is correct. Unusual but
valid contents are warnings; for a folder also blocks that overlap in time, or are copies of each other.";

/// Of `manicule rows verify` as well.
pub(crate) const SSTABLES_ARE_RIGHT: &str = "\
Checks the SSTables of a folder, or the one of a given file: which components exist; the checksum of Data.db, and those of its 64
KiB or compressed chunks; every partition and row, their order and the deletions between them; the index against them, with each
promoted block and trie; that the filter has every key; the samples of the summary; and that the statistics are correct.";

pub(crate) static VERIFY_SERIES: Command = Command {
    name: "verify",
    operands: "[BLOCK|FOLDER|INDEX...]",
    summary: "check blocks: every checksum, order, reference and chunk",
    help: Help {
        calls: &[
            Usage { words: "BLOCK|INDEX|FOLDER [--threads NUM] [--json]", about: BLOCK_IS_RIGHT },
            Usage {
                words: "BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--threads NUM] [--json]",
                about: "Checks a single file of a block.",
            },
        ],
        notes: "As `manicule verify`, but always as a block: also if damage makes its kind undetectable.",
        exit: "0 when everything is valid, 1 when something is wrong, 2 when a path can't be read or has nothing to verify.",
    },
    does: Does::Job(&VERIFY_SERIES_JOB),
};

static INSPECT_JOB: Declared<Options> =
    inspecting(|options, out| answer(options, Verb::Inspect, out));
static INSPECT_SERIES_JOB: Declared<Options> =
    Declared::of(INSPECT_SERIES_FLAGS, finish, Reader::Optional, |options, out| {
        answer(options, Verb::InspectSeries, out)
    })
    .at_addresses()
    .taking(PATHS);
static VERIFY_JOB: Declared<Options> = verifying(|options, out| answer(options, Verb::Verify, out));
static VERIFY_SERIES_JOB: Declared<Options> =
    verifying(|options, out| answer(options, Verb::VerifySeries, out));

/// What makes the answer of one of the commands.
type Answer = fn(&Options, &mut Print) -> Result<u8>;

const PATHS: &[Operand<Options>] = &[Operand::Paths(|o| &mut o.paths)];

const fn inspecting(answer: Answer) -> Declared<Options> {
    Declared::of(INSPECT_FLAGS, finish, Reader::Optional, answer).at_addresses().taking(PATHS)
}

const fn verifying(answer: Answer) -> Declared<Options> {
    Declared::of(VERIFY_FLAGS, finish, Reader::Optional, answer).at_addresses().taking(PATHS)
}

/// Of both commands and those of series.
const RECURSIVE: Flag<Options> = shared::RECURSIVE
    .here("Process everything below the given folders, each item separately.")
    .sets(|o| &mut o.recursive);

/// Of both inspects.
const HEX: Flag<Options> = spec("hex", "", "Show the first 4096 bytes of a section.")
    .takes("SECTION")
    .does(set!(|o, value| o.hex = Some(value.string()?)));
const ALL: Flag<Options> = spec("all", "", "Show all bytes of the section.").sets(|o| &mut o.all);
const THREADS: Flag<Options> = shared::THREADS.does(set!(|o, value| o.threads = value.threads()?));
const JSON: Flag<Options> = shared::JSON
    .here("Print one JSON object, or one per line for each block, chunk or deleted range.")
    .sets(|o| &mut o.json);

static INSPECT_FLAGS: &[Flag<Options>] = &[
    RECURSIVE,
    HEX,
    ALL,
    spec("key", "", "Show the index of this partition of an SSTable.")
        .takes("KEY")
        .more("KEY is in CQL syntax: 7, 'text', or (1, 'b') if it has several columns.")
        .does(set!(|o, value| o.key = Some(value.string()?))),
    THREADS,
    JSON,
];

/// A block has no partitions, so no --key.
static INSPECT_SERIES_FLAGS: &[Flag<Options>] = &[RECURSIVE, HEX, ALL, THREADS, JSON];

static VERIFY_FLAGS: &[Flag<Options>] = &[
    RECURSIVE,
    THREADS,
    shared::JSON
        .here("Print one JSON object per line: one for each finding, then a summary.")
        .sets(|o| &mut o.json),
];

fn finish(mut options: Options) -> Result<Options> {
    if options.paths.is_empty() {
        options.paths.push(".".into());
    }
    Ok(options)
}

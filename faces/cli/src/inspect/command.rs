//! `manicule inspect` and `manicule verify` as commands, and those of `manicule series`: their help
//! and flags.

use anyhow::Result;

use super::answer;
use super::options::{Options, Verb};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Operands, Syntax, Usage, shared};
use crate::print::Reader;

pub(crate) static INSPECT: Command = Command {
    name: "inspect",
    operands: "[PATH...]",
    summary: "kind and parts with offsets and sizes; how outdated its index is",
    help: Help {
        calls: &[
            Usage {
                words: "[PATH...] [--json]",
                about: "\
The index of the tree at PATH (default: the current folder; an index of a tree above it counts): its path, sizes and
posting lists, and what has changed in the tree since.",
            },
            Usage {
                words: "FILE [--hex SECTION] [--all] [--json]",
                about: "\
The parts of a file of an index, with their offsets. --hex shows a section's bytes, the first 4096 of them, or all with
--all.",
            },
            Usage {
                words: "SHARD|FOLDER [--hex SECTION] [--all] [--json]",
                about: "\
Contents of a zoekt shard: its sections, repositories, languages, skipped documents and why, its posting lists. Of a
folder of shards: a line each, and the sums.",
            },
            Usage { words: "BLOCK|INDEX|FOLDER [--json]", about: BLOCK_HOLDS },
            Usage {
                words: "INDEX --hex SECTION [--all]",
                about: "\
The bytes of a section of a block's index: symbols, series, postings, table, toc.",
            },
            Usage {
                words: "BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--json]",
                about: BLOCK_FILE,
            },
            Usage { words: "REPOSITORY [--json]", about: REPOSITORY_HOLDS },
            Usage {
                words: "TABLE|SSTABLE-Data.db [--key KEY] [--json]",
                about: "\
Contents of an SSTable: its files, compression, counts, times, filter and keys, and the index of its largest partition, or the one
of KEY, as a picture: a bar for each of some blocks, as long as the block. Of a folder of several: a line each, and the sums.",
            },
            Usage {
                words: "SSTABLE-Index.db [--hex SECTION] [--all] [--json]",
                about: "The parts of another component of an SSTable, with their offsets.",
            },
            Usage {
                words: "STORE [--json]",
                about: "\
Contents of a graph store: quads, leaves of each order and how full they are, dictionary segments, commits that are not merged yet,
named snapshots and the bytes that they keep, files.",
            },
            Usage {
                words: "STORE/leaf/0000000001.leaf|STORE/... [--hex SECTION] [--all] [--json]",
                about: "The parts of a file of a graph store, with their offsets.",
            },
        ],
        exit: "0 when there was something to show, 1 when there is no sound index, 2 when it can't be read.",
        ..Help::NONE
    },
    does: Does::Job(&INSPECT_JOB),
};

const BLOCK_HOLDS: &str = "\
Contents of a Prometheus block: its times, samples and series, its sources, its files and the sections of its index.
Of a data folder: a line for each block, and the sums.";

const REPOSITORY_HOLDS: &str = "\
Files and keys of a restic repository; with its password in $RESTIC_PASSWORD, $RESTIC_PASSWORD_FILE or
$RESTIC_PASSWORD_COMMAND also its version, its name, and its oldest and newest snapshots.";

const BLOCK_FILE: &str = "\
A file of a block by itself: each chunk with its offset, length, encoding, samples and times; each deleted time; the
fields of the meta file.";

pub(crate) static INSPECT_SERIES: Command = Command {
    name: "inspect",
    operands: "BLOCK|FOLDER|FILE",
    summary: "contents of a block, or of one of its files: index, chunks, tombstones",
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
The bytes of a section of an index (symbols, series, postings, table, toc) or another file, the first 4096 of them, or
all with --all.",
            },
        ],
        exit: "0, 1 when something of it is damaged, 2 when it can't be read.",
        ..Help::NONE
    },
    does: Does::Job(&INSPECT_SERIES_JOB),
};

pub(crate) static VERIFY: Command = Command {
    name: "verify",
    operands: "[PATH...]",
    summary: "every checksum, order and reference, and that index and tree agree",
    help: Help {
        calls: &[
            Usage {
                words: "[PATH...] [--threads NUM] [--json]",
                about: "\
Checks the index of the tree at PATH (default: the current folder; an index of a tree above it counts): every checksum,
offset, order and count, and that it agrees with the files that have not changed since, whose grams are computed again.
An index that is wrong is removed, and the next find has another built. Of a FILE of an index: all that the
file alone can show.",
            },
            Usage {
                words: "SHARD|FOLDER [--threads NUM] [--json]",
                about: "\
Checks a zoekt shard, or all of a folder: every offset, order, count and checksum, and that its posting lists name each
trigram of each document where it occurs.",
            },
            Usage { words: "BLOCK|INDEX|FOLDER [--threads NUM] [--json]", about: BLOCK_IS_RIGHT },
            Usage {
                words: "BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--threads NUM] [--json]",
                about: "Checks a file of a block by itself.",
            },
            Usage {
                words: "TABLE|SSTABLE-Data.db [--json]",
                about: SSTABLES_ARE_RIGHT,
            },
            Usage {
                words: "STORE [--json]",
                about: "\
Checks a graph store and its named snapshots: the sum of every file, every block and page; that all orders hold the same quads; that
every id has its term and no term two ids; that the log can be read. Of a FILE of a store: all that the file alone can show.",
            },
            Usage {
                words: "REPOSITORY [--threads NUM] [--json]",
                about: "\
Checks a restic repository as `manicule blobs check --read-data` does. Its password is taken from $RESTIC_PASSWORD,
$RESTIC_PASSWORD_FILE or $RESTIC_PASSWORD_COMMAND.",
            },
        ],
        exit: "0 when all is right, 1 when something is wrong, 2 when a path can't be read or has nothing to verify.",
        ..Help::NONE
    },
    does: Does::Job(&VERIFY_JOB),
};

const BLOCK_IS_RIGHT: &str = "\
Checks a Prometheus block, an index by itself, or all blocks of a data folder: every checksum, order, offset and
reference, that posting lists and series agree, that every chunk decodes to the times that the index says, and that the
meta file is true. Odd but legal contents are warnings; of a folder also blocks that overlap in time, or
are copies of each other.";

/// Of `manicule rows verify` as well.
pub(crate) const SSTABLES_ARE_RIGHT: &str = "\
Checks the SSTables of a folder, or the one of which a file is given: which components there are; the checksum of Data.db, and
those of its 64 KiB or its compressed chunks; every partition and row, their order and what is deleted between them; the index
against them, with each promoted block and trie; that the filter denies no key; the samples of the summary; and that the
statistics hold.";

pub(crate) static VERIFY_SERIES: Command = Command {
    name: "verify",
    operands: "BLOCK|FOLDER|INDEX",
    summary: "whether blocks are right: every checksum, order, reference and chunk",
    help: Help {
        calls: &[
            Usage { words: "BLOCK|INDEX|FOLDER [--threads NUM] [--json]", about: BLOCK_IS_RIGHT },
            Usage {
                words: "BLOCK/chunks/000001|BLOCK/tombstones|BLOCK/meta.json [--threads NUM] [--json]",
                about: "Checks a file of a block by itself.",
            },
        ],
        notes: "As `manicule verify`, and whatever the path's signs: also if damage hides its kind.",
        exit: "0 when all is right, 1 when something is wrong, 2 when a path can't be read or has nothing to verify.",
    },
    does: Does::Job(&VERIFY_SERIES_JOB),
};

static INSPECT_JOB: Declared<Options> =
    Declared { answer: |options, out| answer(options, Verb::Inspect, out), ..inspecting() };
static INSPECT_SERIES_JOB: Declared<Options> =
    Declared { answer: |options, out| answer(options, Verb::InspectSeries, out), ..inspecting() };
static VERIFY_JOB: Declared<Options> =
    Declared { answer: |options, out| answer(options, Verb::Verify, out), ..verifying() };
static VERIFY_SERIES_JOB: Declared<Options> =
    Declared { answer: |options, out| answer(options, Verb::VerifySeries, out), ..verifying() };

const PATHS: Operands<Options> = Operands::Many(|o| &mut o.paths);

const fn inspecting() -> Declared<Options> {
    Declared {
        syntax: Syntax::gnu(INSPECT_FLAGS, PATHS),
        new: Options::new,
        finish,
        reader: Reader::Optional,
        answer: |options, out| answer(options, Verb::Inspect, out),
    }
}

const fn verifying() -> Declared<Options> {
    let syntax = Syntax::gnu(VERIFY_FLAGS, PATHS);
    Declared { syntax, ..inspecting() }
}

/// Of both commands and those of series.
const RECURSIVE: Flag<Options> = shared::RECURSIVE
    .here("Take everything below the given folders, each by itself.")
    .sets(|o| &mut o.recursive);

static INSPECT_FLAGS: &[Flag<Options>] = &[
    RECURSIVE,
    spec("hex", "", "The bytes of a section, the first 4096 of them.")
        .takes("SECTION")
        .does(set!(|o, value| o.hex = Some(value.string()?))),
    spec("all", "", "All bytes of the section.").sets(|o| &mut o.all),
    spec("key", "", "The index of this partition of an SSTable.")
        .takes("KEY")
        .more("KEY is as CQL writes it: 7, 'text', or (1, 'b') where it has several columns.")
        .does(set!(|o, value| o.key = Some(value.string()?))),
    shared::THREADS.does(set!(|o, value| o.threads = value.threads()?)),
    shared::JSON
        .here("Print one JSON object, or one a line for each block, chunk or deleted time.")
        .sets(|o| &mut o.json),
];

static VERIFY_FLAGS: &[Flag<Options>] = &[
    RECURSIVE,
    shared::THREADS.does(set!(|o, value| o.threads = value.threads()?)),
    shared::JSON
        .here("Print one JSON object a line: one for each finding, then a summary.")
        .sets(|o| &mut o.json),
];

fn finish(mut options: Options) -> Result<Options> {
    if options.paths.is_empty() {
        options.paths.push(".".into());
    }
    Ok(options)
}

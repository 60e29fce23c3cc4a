//! Flags that several commands have: each is described here and nowhere else, so that it means the
//! same everywhere. A command may add what is particular to it (`more`), or say the line more
//! exactly (`here`), and says what the flag changes.

use super::spec::{Spec, spec};

pub(crate) const HELP: Spec = spec("help", "h", "Print help.");
pub(crate) const VERSION: Spec = spec("version", "V", "Print the version.");

pub(crate) const JSON: Spec = spec("json", "", "Print one JSON object per line.");
/// Of a command that prints a single one.
pub(crate) const JSON_ONE: Spec = JSON.here("Print one JSON object.");
pub(crate) const QUIET: Spec = spec("quiet", "q", "Print nothing; report by exit code only.");
pub(crate) const RECEIPT: Spec = spec("receipt", "", "Print the cost of the call.")
    .more("On standard error; with --json as a last object of type receipt.");
/// Where standard output is a table, a file's contents or in another program's form.
pub(crate) const RECEIPT_ASIDE: Spec =
    RECEIPT.here("Print the cost of the call on standard error.").more("");

pub(crate) const THREADS: Spec =
    spec("threads", "j", "Number of threads; 0 chooses automatically.").takes("NUM");
pub(crate) const MEMORY: Spec =
    spec("memory", "", "Approximate memory limit, such as 512MiB or 1.5G.").takes("SIZE");

/// Where blocks and indexes go.
pub(crate) const OUTPUT_DIR: Spec =
    spec("output", "o", "Write the result to DIR; create it if missing.").takes("DIR");
/// Where blocks and SSTables go, in a bucket too.
pub(crate) const OUTPUT_PLACE: Spec = OUTPUT_DIR
    .more("An address such as s3://BUCKET/PREFIX is one too: nothing that is there is replaced.");
/// Where a text goes.
pub(crate) const OUTPUT_FILE: Spec =
    spec("output", "o", "Write to FILE, which appears only when complete.")
        .takes("FILE")
        .more("Default: standard output.");
pub(crate) const DRY_RUN: Spec = spec("dry-run", "", "Report what would be done; write nothing.");
pub(crate) const STRICT: Spec =
    spec("strict", "", "Exit with 2 and write nothing if something is doubtful.");
pub(crate) const SKIP_DAMAGED: Spec = spec(
    "skip-damaged",
    "",
    "Skip what is damaged; each part skipped is reported on standard error.",
);

pub(crate) const RECURSIVE: Spec =
    spec("recursive", "r", "Process everything below the given folders.");

pub(crate) const MATCH: Spec = spec("match", "", "Only series that SELECTOR selects.")
    .takes("SELECTOR")
    .more("May be repeated: a series is included if any of them selects it.");
pub(crate) const START: Spec = spec("start", "", "Start at this time.")
    .takes("TIME")
    .more("Seconds since 1970, RFC 3339, 2024-04-05 (UTC), now, -2h.");
pub(crate) const END: Spec = spec("end", "", "End at this time.").takes("TIME");
pub(crate) const AGGREGATE: Spec =
    spec("aggregate", "", "Only this aggregate of downsampled blocks, as plain samples.")
        .takes("NAME")
        .choices(&[
            ("count", "number of samples of a window"),
            ("sum", "their sum; by the count it is their mean"),
            ("min", "the least"),
            ("max", "the largest"),
            ("counter", "value of a counter since its chunk began, resets taken out"),
        ])
        .more("Default: all, each with the labels __aggregate__ and __resolution__.");
pub(crate) const RESOLUTION: Spec = spec("resolution", "", "Only blocks of this resolution.")
    .takes("TIME")
    .more("`raw`, or the time between the points of downsampled blocks, such as 5m or 1h.");
pub(crate) const LIMIT: Spec = spec("limit", "", "Print at most NUM results.").takes("NUM");
pub(crate) const FORMAT: Spec =
    spec("format", "", "Format of the samples. Default: openmetrics.").takes("FORMAT");

pub(crate) const IGNORE_CASE: Spec = spec("ignore-case", "i", "Ignore case.");
pub(crate) const AFTER_CONTEXT: Spec =
    spec("after-context", "A", "Show NUM lines after each match.").takes("NUM");
pub(crate) const BEFORE_CONTEXT: Spec =
    spec("before-context", "B", "Show NUM lines before each match.").takes("NUM");
pub(crate) const CONTEXT: Spec =
    spec("context", "C", "Show NUM lines before and after each match.").takes("NUM");
pub(crate) const COLOR: Spec = spec("color", "", "When to use colors: never, auto, always, ansi.")
    .takes("WHEN")
    .one_of(&["never", "auto", "always", "ansi"])
    .more(
        "`auto` is on a terminal that has colors, unless $NO_COLOR is set; `ansi` is always, as escape sequences. Default: auto.",
    );
pub(crate) const BARS: Spec = spec("bars", "", "Draw bars beside the numbers. Default: auto.")
    .takes("WHEN")
    .choices(&[("auto", "on a terminal"), ("always", "everywhere"), ("never", "nowhere")]);
pub(crate) const HEADING: Spec = spec("heading", "", "Print each path once, above its lines.")
    .no("no-heading")
    .more("Default: on for a terminal.");
pub(crate) const FILES_WITH_MATCHES: Spec =
    spec("files-with-matches", "l", "Print the paths of files with a match.");
pub(crate) const COUNT_LINES: Spec =
    spec("count", "c", "Print the number of matching lines of each file.");
/// Of what is listed one by one otherwise.
pub(crate) const COUNT: Spec = spec("count", "c", "Print the number of results.");
pub(crate) const NULL: Spec = spec("null", "0", "Print a NUL byte after each path or name.");

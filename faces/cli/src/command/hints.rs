//! Words and flags that fingers know from other programs, and what to write here: one table, asked
//! where a command or an option is unknown.

/// The command or group that a word was typed after (of the program's own, none), the words, and
/// the end of a sentence about each. A row of a group is one of its commands too.
type Row = (&'static str, &'static [&'static str], &'static str);

const RESTIC_DOES: &str =
    "restic does that; here repositories are read, and `manicule blobs repair-index` repairs";

/// Each sentence begins with "there is no command WORD: ", or "there is no option FLAG here: ".
static ROWS: &[Row] = &[
    // promtool, and words for Prometheus.
    ("", &["tsdb", "promtool"], "did you mean `manicule series`?"),
    ("series", &["list", "ls", "stats"], "did you mean `manicule series inspect`?"),
    ("series", &["compact"], "did you mean `manicule series merge`?"),
    ("series", &["create-blocks-from", "import"], "did you mean `manicule series build`?"),
    ("series", &["query"], "did you mean `manicule series select`?"),
    (
        "series select",
        &["--match"],
        "the selector is the first word, `manicule series select SELECTOR PATH`",
    ),
    ("series", &["--min-time", "-min-time"], "write --start"),
    ("series", &["--max-time", "-max-time"], "write --end"),
    // Cassandra's tools.
    ("", &["sstabledump"], "did you mean `manicule rows dump`?"),
    ("", &["sstablemetadata"], "did you mean `manicule rows stats`?"),
    ("", &["sstablescrub"], "did you mean `manicule rows salvage`?"),
    ("", &["sstablesplit"], "did you mean `manicule rows split`?"),
    ("", &["sstableverify"], "did you mean `manicule rows verify`?"),
    ("", &["sstablepartitions"], "did you mean `manicule rows partitions`?"),
    ("", &["sstable", "cassandra", "scylla"], "did you mean `manicule rows`?"),
    ("rows", &["sstabledump"], "did you mean `manicule rows dump`?"),
    ("rows", &["metadata", "sstablemetadata"], "did you mean `manicule rows stats`?"),
    ("rows", &["compact"], "did you mean `manicule rows merge`?"),
    ("rows", &["scrub", "sstablescrub"], "did you mean `manicule rows salvage`?"),
    ("rows", &["getsstables"], "did you mean `manicule rows holders`?"),
    ("rows", &["describe"], "did you mean `manicule rows schema`?"),
    ("rows slice", &["-k", "--key"], "KEY is the second word, `manicule rows slice TABLE KEY`"),
    ("rows slice", &["--start"], "write --from, or --after to leave it out"),
    ("rows slice", &["--end"], "write --to, or --before to leave it out"),
    ("rows holders", &["-k", "--key"], "KEY is the second word, `manicule rows holders TABLE KEY`"),
    ("rows holders", &["--hex-format", "-hf"], "a key as its bytes is 0x00ff"),
    ("rows export", &["--csv"], "write --format csv"),
    ("rows export", &["--json", "--jsonl"], "JSON lines are the default"),
    ("rows export", &["--parquet"], "write --format parquet"),
    ("rows export", &["--arrow"], "write --format arrow"),
    ("rows partitions", &["--csv", "-m"], "write --format csv, or --json"),
    ("rows partitions", &["--current-timestamp", "-u"], "--now says the time"),
    (
        "rows partitions",
        &["--partitions-only", "-y"],
        "partitions alone are listed unless --rows is given",
    ),
    ("rows partitions", &["--min-rows", "-w"], "--by rows --min NUM lists those of as many rows"),
    (
        "rows partitions",
        &["--min-cells", "-c"],
        "--by cells --min NUM lists those of as many cells",
    ),
    (
        "rows partitions",
        &["--min-tombstones"],
        "--by tombstones --min NUM lists those of as many tombstones",
    ),
    ("rows partitions", &["--backups", "-b"], "--snapshots has snapshots and backups"),
    (
        "rows mark",
        &["--is-repaired"],
        "--repaired written has the time at which the data was written",
    ),
    ("rows mark", &["--is-unrepaired"], "write --unrepaired"),
    (
        "rows mark",
        &["--really-set", "--really-reset"],
        "leave it out: --dry-run is what changes nothing",
    ),
    ("rows split", &["--no-snapshot"], "none is made: the old SSTable stays as it is"),
    // Jena's tools.
    ("", &["arq", "tdb", "tdb2", "sparql"], "did you mean `manicule graph query`?"),
    ("graph", &["dump"], "did you mean `manicule graph export`?"),
    ("graph", &["delete", "insert", "remove"], "did you mean `manicule graph update`?"),
    ("graph", &["create", "import", "add"], "did you mean `manicule graph load`?"),
    ("graph", &["ask", "select", "construct", "describe"], "did you mean `manicule graph query`?"),
    ("graph query", &["--query", "-u"], "the query is the second word, or -f FILE reads it"),
    ("graph query", &["--results"], "write --format FORMAT"),
    (
        "graph query",
        &["--data"],
        "`manicule graph load STORE FILE` makes a store of it, which is asked",
    ),
    ("graph update", &["--update"], "write -f FILE"),
    ("graph load", &["-f"], "write --format SYNTAX"),
    // restic.
    ("", &["restic"], "did you mean `manicule blobs`?"),
    ("blobs", &["verify"], "did you mean `manicule blobs check`?"),
    ("blobs", &["repair"], "did you mean `manicule blobs repair-index`?"),
    (
        "blobs",
        &[
            "backup",
            "copy",
            "forget",
            "init",
            "key",
            "migrate",
            "mount",
            "prune",
            "rebuild-index",
            "recover",
            "rewrite",
            "tag",
            "unlock",
        ],
        RESTIC_DOES,
    ),
    ("blobs dump", &["-o", "--output"], "write --target FILE"),
    ("blobs restore", &["-o", "--output"], "write --target DIR"),
    // zoekt's tools.
    ("", &["zoekt", "zoekt-index"], "did you mean `manicule code`?"),
    ("code index", &["-o", "-output", "--output"], "write -index FOLDER"),
    // ripgrep.
    ("", &["version", "-v", "-version"], "did you mean `manicule --version`?"),
    ("", &["grep", "rg"], "did you mean `manicule find`?"),
    ("code search", &["-n", "--line-number"], "lines have their numbers already: leave it out"),
    (
        "code search",
        &["-i", "--ignore-case"],
        "words without a capital match any case already, and case:no in the query is for those with one",
    ),
    ("code search", &["-s", "--case-sensitive"], "write case:yes in the query"),
    ("code search", &["-S", "--smart-case"], "it is so already: leave it out"),
    (
        "code search",
        &["-F", "--fixed-strings"],
        "write a backslash before each of .*+?()[]{}|^$ in the query",
    ),
    ("code search", &["--only-matching"], "--json tells the places of all matches"),
    ("code search", &["-w", "--word-regexp"], "write \\bWORD\\b in the query"),
    (
        "code search",
        &["-v", "--invert-match"],
        "-WORD in the query leaves out the documents that hold it, `manicule find -v` lines",
    ),
    (
        "code search",
        &["-e", "--regexp"],
        "the query is one argument: write a b for both words, a or b for any",
    ),
    ("code search", &["-g", "--glob"], "write file:REGEX in the query"),
    ("code search", &["-t", "--type"], "write lang:NAME in the query"),
    (
        "code search",
        &["-m", "--max-count"],
        "--limit N is for all documents together, `manicule find -m` for each",
    ),
    ("code search", &["-q", "--quiet"], "-l --limit 1 stops at the first"),
];

/// What to write in place of a word that no command, or no option, is called after `path`.
pub(crate) fn hint(path: &str, word: &str) -> Option<&'static str> {
    let is_within = |of: &str| match path.strip_prefix(of) {
        Some(rest) => rest.is_empty() || (!of.is_empty() && rest.starts_with(' ')),
        None => false,
    };
    let row = ROWS.iter().find(|row| is_within(row.0) && row.1.contains(&word));
    row.map(|row| row.2)
}

#[cfg(test)]
mod tests {
    use super::super::tests::jobs;
    use super::super::{Command, Does};
    use super::*;
    use crate::program::COMMANDS;

    #[test]
    fn a_row_of_a_group_is_one_of_its_commands() {
        assert_eq!(hint("series", "--min-time"), Some("write --start"));
        assert_eq!(hint("series select", "--min-time"), Some("write --start"));
        assert_eq!(hint("rows", "--min-time"), None);
        assert_eq!(hint("rows slices", "--key"), None);
        assert_eq!(hint("", "compact"), None);
    }

    /// The commands of a group that a row names; of no row of a single command.
    fn commands(path: &str) -> &'static [&'static Command] {
        let group = || COMMANDS.iter().find(|command| command.name == path);
        match path {
            "" => COMMANDS,
            _ => match group().map(|command| &command.does) {
                Some(Does::Group(commands)) => commands,
                _ => &[],
            },
        }
    }

    #[test]
    fn rows_are_of_what_there_is_and_say_what_to_write() {
        let paths: Vec<String> = jobs().into_iter().map(|job| job.0).collect();
        for (path, words, text) in ROWS {
            let is_group = path.is_empty() || !commands(path).is_empty();
            assert!(is_group || paths.iter().any(|known| known == path), "{path}");
            for word in *words {
                let is_command = commands(path).iter().any(|command| command.name == *word);
                assert!(!is_command, "{path} {word} is a command");
            }
            // What is named in backquotes is a command.
            for named in text.split('`').skip(1).step_by(2) {
                let named = named.trim_start_matches("manicule ");
                let is_there = paths.iter().any(|path| named.starts_with(path.as_str()))
                    || COMMANDS.iter().any(|command| command.name == named)
                    || named == "--version";
                assert!(is_there, "{named}");
            }
        }
    }

    #[test]
    fn no_row_is_of_an_option_that_there_is() {
        for (path, words, _) in ROWS {
            let jobs = jobs();
            let within = jobs.iter().filter(|job| job.0.starts_with(path) && !path.is_empty());
            for (of, _, job) in within {
                for spec in job.table().specs() {
                    let short = spec.short.map(|letter| format!("-{letter}"));
                    let long = spec.dashed(spec.long);
                    let is_taken = |word: &str| word == long || short.as_deref() == Some(word);
                    assert!(!words.iter().any(|word| is_taken(word)), "{of}: {words:?}");
                }
            }
        }
    }
}

//! `manicule code search` as a command: its help and its operands.

use anyhow::Context;

use super::answer;
use super::options::{FLAGS, Options, finish};
use crate::command::{Command, Declared, Does, Help, Operand, Usage};
use crate::print::Reader;

pub(crate) static COMMAND: Command = Command {
    name: "search",
    operands: "QUERY [PATH...]",
    summary: "search shards, ours or zoekt's, in zoekt's query language",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS] QUERY [PATH...]",
            about: "\
Searches shards, ours or zoekt's, with a query in zoekt's language. PATH is a shard or a folder of shards; without one, the
current folder.

  foo bar              documents that hold both, in content or name
  foo or bar, -foo, (a b)
  \"a b\"                blanks stay; still a regex
  content:foo c:foo    in the content only           file:foo f:foo   in the name only
  sym:foo              in the name of a symbol       lang:go          of this language, by any name
  repo:foo r:foo       of such a repository          branch:dev b:dev on such a branch; HEAD: the first
  archived: fork: public:yes|no, meta.FIELD:foo      of such repositories
  type:file t:file     names only; type:repo: all documents of repositories where the rest matches
  case:yes|no|auto     whether letters are compared as they are; auto: if the word has a capital

Words are regexes in Go's syntax. ^ and $ match at line boundaries, within sym: at the symbol's.",
        }],
        notes: "\
A line is printed as NAME:NUMBER:LINE; where the shards hold several repositories, the name begins with the repository's. Of
documents that match by name only, the name is printed. Documents that were too large, too small or binary to be indexed have a
line NOT-INDEXED: REASON. With --format or --output lines are listed, with -l the documents.",
        exit: "\
0 when something was found, 1 when nothing was, 2 when something failed or timed out.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> =
    Declared::of(FLAGS, finish, Reader::Needed, answer).at_addresses().taking(&[
        Operand::Word(|o, word| {
            o.query = word.into_string().ok().context("the query is not valid UTF-8")?;
            Ok(())
        }),
        Operand::Paths(|o| &mut o.paths),
    ]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_from_elsewhere_are_explained() {
        for (words, want) in [
            (
                &["-n", "x"][..],
                "there is no option -n here: lines have their numbers already: leave it out",
            ),
            (
                &["-i", "x"],
                "there is no option -i here: words without a capital match any case already, and case:no in the query \
                 is for those with one",
            ),
            (&["--glob", "x"], "there is no option --glob here: write file:REGEX in the query"),
            (
                &["-foo"],
                "there is no option -f; `manicule code search --help` lists them; if it is not an option, put it \
                 after --",
            ),
            (&["--limit", "-1", "x"], "--limit \"-1\" is no number"),
            (&["x", "-j", "many"], "-j \"many\" is no number"),
            (&["x", "--limit"], "--limit wants a value: --limit NUM"),
            (&["x", "-A"], "-A wants a value: -A NUM"),
            (
                &["x", "--json", "-C2"],
                "--json has the lines that match alone: leave out -A, -B and -C, or add --chunks",
            ),
            (&["x", "--chunks"], "--chunks is of --json: add that"),
            (
                &["x", "--json", "--chunks", "-A2"],
                "--chunks has as many lines before a match as after it: write -C",
            ),
            (
                &["x", "--sort", "none", "--max-docs", "3"],
                "--bm25, --max-docs and --max-matches sort by score: leave out --sort none",
            ),
            (&["x", "--color=red"], "--color is never, auto, always or ansi, not \"red\""),
        ] {
            let error = JOB.parsed(&words.join(" ")).err().expect("a refusal");
            assert_eq!(format!("{error:#}"), want);
        }
    }
}

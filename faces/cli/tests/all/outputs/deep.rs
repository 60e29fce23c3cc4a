//! Texts that nest deeply, drawn for whatever a command reads: they are answered or refused with a
//! sentence, in bounded time and memory, and no call ends by a signal.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use manicule_testkit::Rng;

use super::yard::Yard;

/// Maximum time of a call in a build for tests.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Maximum memory of a call, addresses that nothing is at included, in KiB.
const MEMORY_MAX_KIB: u64 = 6 << 20;
/// Maximum length of one word of a command line.
const WORD_MAX: usize = 120_000;

/// Where a text is given.
enum Given {
    /// In place of `TEXT` among the words.
    Word,
    /// In a file of this name.
    File(&'static str),
    /// On standard input.
    Input,
}

/// A text that a command reads, with a number of levels.
struct Kind {
    what: &'static str,
    words: &'static [&'static str],
    given: Given,
    text: fn(usize) -> String,
}

fn nested(open: &str, inner: &str, close: &str, count: usize) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

const fn word(
    what: &'static str,
    words: &'static [&'static str],
    text: fn(usize) -> String,
) -> Kind {
    Kind { what, words, given: Given::Word, text }
}

const fn file(
    what: &'static str,
    name: &'static str,
    words: &'static [&'static str],
    text: fn(usize) -> String,
) -> Kind {
    Kind { what, words, given: Given::File(name), text }
}

/// Everything that is read as a text, by the command that reads it.
const KINDS: [Kind; 60] = [
    word("a pattern", &["find", "TEXT", "tree"], |n| nested("(", "a", ")", n)),
    word("a pattern of alternatives", &["find", "TEXT", "tree"], |n| nested("(a|", "a", ")", n)),
    word("a pattern of repeats", &["find", "TEXT", "tree"], |n| format!("a{}", "{2}".repeat(n))),
    word("a pattern of classes", &["find", "TEXT", "tree"], |n| nested("[", "a", "]", n)),
    word("a pattern not closed", &["find", "TEXT", "tree"], |n| "(?:".repeat(n)),
    word("a pattern of PCRE2", &["find", "-P", "TEXT", "tree"], |n| nested("(", "a", ")", n)),
    word("a pattern in blocks", &["find", "TEXT", "data"], |n| nested("(", "a", ")", n)),
    word(
        "a pattern in a repository",
        &["find", "--password-file", "password", "TEXT", "repo"],
        |n| nested("(", "a", ")", n),
    ),
    word("a replacement", &["find", "needle", "-r", "TEXT", "tree/f1.txt"], |n| "${".repeat(n)),
    word("a glob", &["find", "-g", "TEXT", "needle", "tree"], |n| nested("{a,", "b", "}", n)),
    word("a glob not closed", &["find", "-g", "TEXT", "needle", "tree"], |n| "{".repeat(n)),
    word("a glob of stars", &["find", "-g", "TEXT", "needle", "tree"], |n| "*?".repeat(n)),
    word("a glob of folders", &["find", "-g", "TEXT", "needle", "tree"], |n| "**/".repeat(n)),
    word("a type", &["find", "--type-add", "TEXT", "needle", "tree"], |n| {
        format!("t:{}", nested("{a,", "b", "}", n))
    }),
    word("a color", &["find", "--colors", "TEXT", "needle", "tree"], |n| "path:".repeat(n)),
    file("patterns", "p.txt", &["find", "-f", "p.txt", "tree"], |n| nested("(", "a", ")", n)),
    file("an ignore file", "tree/.ignore", &["find", "needle", "tree"], |n| {
        nested("{a,", "b", "}", n)
    }),
    file("an ignore file of stars", "tree/.ignore", &["find", "needle", "tree"], |n| {
        format!("{}\n!{}", "**/".repeat(n), "[".repeat(n))
    }),
    word("a query of code", &["code", "search", "-index", "shards", "TEXT"], |n| {
        nested("(", "a", ")", n)
    }),
    word("a query of code, negated", &["code", "search", "-index", "shards", "TEXT"], |n| {
        "-".repeat(n) + "needle"
    }),
    word("a query of code with choices", &["code", "search", "-index", "shards", "TEXT"], |n| {
        vec!["needle"; n].join(" or ")
    }),
    word("a pattern of code", &["code", "search", "-index", "shards", "TEXT"], |n| {
        format!("regex:{}", nested("(a|", "b", ")", n))
    }),
    word("a repository of code", &["code", "search", "-index", "shards", "TEXT"], |n| {
        format!("r:{}", nested("(", "b", ")*", n))
    }),
    word(
        "files left out",
        &["code", "index", "-index", "OUT", "-large_file", "TEXT", "tree"],
        |n| nested("{a,", "b", "}", n),
    ),
    word("a selector", &["series", "select", "data", "TEXT"], |n| nested("{", "", "}", n)),
    word("a selector's pattern", &["series", "select", "data", "TEXT"], |n| {
        format!("{{a=~\"{}\"}}", nested("(", "b", ")", n))
    }),
    word("a selector's alternatives", &["series", "select", "data", "TEXT"], |n| {
        format!("{{a!~\"{}\"}}", nested("(b|", "c", ")?", n))
    }),
    word("a selector's matchers", &["series", "select", "data", "TEXT"], |n| {
        format!("{{{}}}", vec!["a!=\"b\""; n].join(","))
    }),
    word("labels", &["series", "labels", "data", "TEXT"], |n| format!("{{a=~\"{}", "(".repeat(n))),
    file(
        "rules in brackets",
        "r.yml",
        &["series", "rewrite", "--relabel", "r.yml", "DATA/A", "OUT"],
        |n| nested("[", "a", "]", n),
    ),
    file(
        "rules in braces",
        "r.yml",
        &["series", "rewrite", "--relabel", "r.yml", "DATA/A", "OUT"],
        |n| nested("{a: ", "b", "}", n),
    ),
    file(
        "rules in lists",
        "r.yml",
        &["series", "rewrite", "--relabel", "r.yml", "DATA/A", "OUT"],
        |n| "- ".repeat(n) + "a",
    ),
    file(
        "rules in fields",
        "r.yml",
        &["series", "rewrite", "--relabel", "r.yml", "DATA/A", "OUT"],
        |n| (0..n.min(2000)).map(|level| format!("{}a:\n", " ".repeat(level))).collect(),
    ),
    file(
        "a rule's pattern",
        "r.yml",
        &["series", "rewrite", "--relabel", "r.yml", "DATA/A", "OUT"],
        |n| format!("- regex: '{}'\n  action: labeldrop\n", nested("(", "a", ")", n)),
    ),
    file(
        "rules by aliases",
        "r.yml",
        &["series", "rewrite", "--relabel", "r.yml", "DATA/A", "OUT"],
        |n| {
            let next = |at| format!("- &a{} [*a{at}, *a{at}]\n", at + 1);
            let all: String = (0..n.min(5000)).map(next).collect();
            format!("- &a0 [x]\n{all}")
        },
    ),
    file("samples", "s.om", &["series", "build", "s.om", "OUT"], |n| {
        format!("m{{a=\"b\"}} 1 1\nm{} 1 2\n# EOF\n", nested("{", "", "}", n))
    }),
    file(
        "what a block says",
        "meta/01M7YV9DA539J3RD3VS93JZGWY/meta.json",
        &["series", "inspect", "meta"],
        |n| nested("[", "", "]", n),
    ),
    file(
        "what a block says in fields",
        "meta/01M7YV9DA539J3RD3VS93JZGWY/meta.json",
        &["series", "verify", "meta"],
        |n| nested("{\"version\":", "1", "}", n),
    ),
    file("a schema", "d.cql", &["rows", "write", "--schema", "d.cql", "rows.csv", "OUT"], |n| {
        format!(
            "CREATE TABLE k.t (p int PRIMARY KEY, v {})",
            nested("frozen<list<", "text", ">>", n)
        )
    }),
    file(
        "a schema not closed",
        "d.cql",
        &["rows", "write", "--schema", "d.cql", "rows.csv", "OUT"],
        |n| format!("CREATE TABLE k.t (p int PRIMARY KEY, v {}", "tuple<int,".repeat(n)),
    ),
    file(
        "a schema of comments",
        "d.cql",
        &["rows", "write", "--schema", "d.cql", "rows.csv", "OUT"],
        |n| nested("/*", "", "*/", n),
    ),
    file(
        "a schema of keys",
        "d.cql",
        &["rows", "write", "--schema", "d.cql", "rows.csv", "OUT"],
        |n| format!("CREATE TABLE k.t (p int, v text, PRIMARY KEY {})", nested("(", "p", ")", n)),
    ),
    file(
        "rows of JSON",
        "d.jsonl",
        &["rows", "write", "--schema", "t.cql", "d.jsonl", "OUT"],
        |n| format!("{{\"p\": 1, \"v\": {}}}\n", nested("[", "", "]", n)),
    ),
    file("rows of values", "d.csv", &["rows", "write", "--schema", "v.cql", "d.csv", "OUT"], |n| {
        format!("p,v\n1,\"{}\"\n", nested("[", "", "]", n))
    }),
    word("a key", &["rows", "slice", "--key", "TEXT", "sstable"], |n| nested("[", "", "]", n)),
    word("a key of a map", &["rows", "slice", "--key", "TEXT", "sstable"], |n| {
        nested("{1: ", "2", "}", n)
    }),
    word("a bound", &["rows", "slice", "--key", "1", "--from", "TEXT", "sstable"], |n| {
        nested("(", "1", ")", n)
    }),
    file("a query", "d.rq", &["graph", "query", "graph", "-f", "d.rq"], |n| {
        format!("SELECT * {}", nested("{", "?s ?p ?o", "}", n))
    }),
    file("a query of brackets", "d.rq", &["graph", "query", "graph", "-f", "d.rq"], |n| {
        format!("ASK {{ FILTER({}) }}", nested("(", "1", ")", n))
    }),
    file(
        "a query of unions",
        "d.rq",
        &["graph", "query", "graph", "-f", "d.rq", "--limit", "9"],
        |n| format!("ASK {{ {} }}", vec!["{ ?s ?p 7 }"; n].join("UNION")),
    ),
    file("a query not closed", "d.rq", &["graph", "query", "graph", "-f", "d.rq"], |n| {
        "ASK {".repeat(n)
    }),
    file(
        "a query explained",
        "d.rq",
        &["graph", "query", "--explain", "graph", "-f", "d.rq"],
        |n| format!("ASK {{ ?s ?p 7 {} }}", "OPTIONAL { ?s ?q 8 }".repeat(n)),
    ),
    file("a query's pattern", "d.rq", &["graph", "query", "graph", "-f", "d.rq"], |n| {
        format!("SELECT * {{ ?s ?p ?o FILTER(REGEX(?o, \"{}\")) }}", nested("(", "a", ")", n))
    }),
    file("an update", "d.ru", &["graph", "update", "graph", "-f", "d.ru"], |n| {
        format!("DELETE {{ ?s ?p ?o }} WHERE {{ ?s ?p 7 FILTER({}) }}", vec!["true"; n].join("&&"))
    }),
    file("data of an update", "d.ru", &["graph", "update", "graph", "-f", "d.ru"], |n| {
        format!("DELETE WHERE {{ <a:s> <a:p> {} }}", nested("[ <a:p> ", "1", "]", n))
    }),
    file("JSON-LD", "d.jsonld", &["graph", "load", "OUT/s", "d.jsonld"], |n| {
        nested("{\"a:p\": ", "1", "}", n)
    }),
    file("Turtle", "d.ttl", &["graph", "load", "OUT/s", "d.ttl"], |n| {
        format!("<a:s> <a:p> {} .", nested("[ <a:p> ", "1", "]", n))
    }),
    file("RDF/XML", "d.rdf", &["graph", "load", "OUT/s", "d.rdf"], |n| {
        nested("<a>", "", "</a>", n)
    }),
    Kind {
        what: "N-Triples",
        words: &["graph", "load", "--format", "ntriples", "OUT/s", "-"],
        given: Given::Input,
        text: |n| nested("<<( <a:s> <a:p> ", "<a:o>", " )>>", n),
    },
    file("a configuration", "rc", &["find", "needle", "tree"], |n| {
        format!("--glob={}", nested("{a,", "b", "}", n))
    }),
];

/// Runs a call with a text of some levels. None where it would be too long for a word.
fn run(yard: &Yard, kind: &Kind, levels: usize) -> Option<Output> {
    let text = (kind.text)(levels);
    let out = yard.fresh();
    let is_word = matches!(kind.given, Given::Word);
    if is_word && text.len() > WORD_MAX {
        return None;
    }
    if let Given::File(name) = kind.given {
        fs::write(yard.path(name), &text).expect("a file");
    }
    let mut command: Command = yard.within(MEMORY_MAX_KIB, &out);
    for word in kind.words {
        let is_text = *word == "TEXT";
        command.arg(if is_text { text.clone() } else { yard.word(word, &out) });
    }
    if kind.what == "a configuration" {
        command.env("RIPGREP_CONFIG_PATH", yard.path("rc"));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let is_input = matches!(kind.given, Given::Input);
    let feed = std::thread::spawn(move || {
        let _ = if is_input { input.write_all(text.as_bytes()) } else { Ok(()) };
    });
    let output = child.wait_with_output().expect("it ends");
    feed.join().expect("a thread");
    if let Given::File(name) = kind.given {
        fs::remove_file(yard.path(name)).expect("a file");
    }
    Some(output)
}

#[test]
fn what_a_text_nests_a_little_is_answered_or_refused() {
    check(&[200]);
}

#[test]
#[ignore = "a hundred calls take minutes: -- --ignored deep"]
fn whatever_a_text_nests_it_is_answered_or_refused() {
    check(&[8_000, 100_000]);
}

/// Gives each kind of text at most so many levels, at least half of them.
fn check(levels_max: &[usize]) {
    let yard = Yard::new();
    fs::create_dir_all(yard.path("meta/01M7YV9DA539J3RD3VS93JZGWY")).expect("a folder");
    fs::write(yard.path("v.cql"), "CREATE TABLE ks.t (p int PRIMARY KEY, v frozen<list<int>>)")
        .expect("a file");
    let (mut rng, mut faults) = (Rng::new(7), Vec::new());
    for kind in &KINDS {
        for most in levels_max {
            let levels = most / 2 + rng.below(most / 2) + 1;
            let begun = Instant::now();
            let Some(output) = run(&yard, kind, levels) else { continue };
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let said: String = said.chars().take(300).collect();
            let fault = match output.status.code() {
                None => "ended by a signal",
                Some(0 | 1) if begun.elapsed() < TIME_MAX => continue,
                Some(2) if said.trim().is_empty() => "failed without a word",
                Some(2) if begun.elapsed() < TIME_MAX => continue,
                Some(0..=2) => "took too long",
                Some(_) => "another exit code",
            };
            faults.push(format!("{} of {levels} levels: {fault}: {said}", kind.what));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

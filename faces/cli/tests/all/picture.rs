//! The picture of README.md, docs/find.svg: one `find` over five kinds, drawn of what the program
//! prints.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SOURCE: &str = "package checkout

// A payment that times out is tried again, twice.
func retry(send func() error) (err error) {
\tfor try := 0; try < 3; try++ {
\t\tif err = send(); err == nil {
\t\t\treturn nil
\t\t}
\t\tpaymentTimeouts.Inc()
\t}
\treturn err
}
";
const SERVICE: &str = "package billing\n\nvar currency = payment.DefaultCurrency\n";
const METRICS: &str = "# TYPE payment_timeouts counter
payment_timeouts_total{service=\"checkout\"} 3 1700000000
payment_timeouts_total{service=\"billing\"} 5 1700000060
up{job=\"payment-gateway\"} 1 1700000000
# EOF
";
const SCHEMA: &str =
    "CREATE TABLE shop.events (customer int, at int, what text, PRIMARY KEY (customer, at));";
const EVENTS: &str =
    "customer,at,what\n7,1,cart filled\n7,2,payment timed out\n9,1,payment received\n";
const TERMS: &str = "@prefix : <https://shop.example/> .
:gateway :accepts :payment ; :label \"payment gateway\"@en .
";
/// Stands for the name of the block, which is a new one in each run.
const BLOCK: &str = "01HF0N9V4RZP5M3K8C7D2E6W1X";

fn manicule(folder: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(words).current_dir(folder).stdin(Stdio::null());
    command.env("MANICULE_CACHE_DIR", folder.join("cache"));
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What the command of the picture prints, its colours too.
fn printed() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let inputs = [
        ("src/retry.go", SOURCE),
        ("billing/currency.go", SERVICE),
        ("m.om", METRICS),
        ("t.cql", SCHEMA),
        ("e.csv", EVENTS),
        ("g.ttl", TERMS),
    ];
    for (name, text) in inputs {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    manicule(folder, &["code", "index", "-disable_ctags", "-index", "shards", "billing"]);
    manicule(folder, &["series", "build", "-q", "-o", "metrics", "m.om"]);
    let write = ["rows", "write", "--schema", "t.cql", "--timestamp", "1", "--now", "1", "e.csv"];
    manicule(folder, &[&write[..], &["-o", "events"]].concat());
    manicule(folder, &["graph", "load", "-q", "shop", "g.ttl"]);
    let mut entries = fs::read_dir(folder.join("metrics")).expect("a folder");
    let block = entries.next().expect("a block").expect("an entry").file_name();
    let text = manicule(folder, &[&["find", "--color", "always"][..], &WORDS].concat());
    text.replace(block.to_str().expect("UTF-8"), BLOCK)
}

const WORDS: [&str; 6] = ["payment", "src", "shards", "metrics", "events", "shop"];

/// Width and height of a character, and of the margin, in pixels.
const CELL: [f64; 2] = [8.0, 20.0];
const MARGIN: f64 = 18.0;

/// A terminal's lines as a picture. Of the colours those that `find` prints by default: of paths
/// and of matches.
fn drawn(command: &str, lines: &str) -> String {
    let lines: Vec<&str> = lines.lines().collect();
    let length = |line: &&str| pieces(line).iter().map(|(_, text)| text.chars().count()).sum();
    let columns = lines.iter().map(length).max().unwrap_or(0).max(command.chars().count() + 2);
    let width = columns as f64 * CELL[0] + 2.0 * MARGIN;
    let height = (lines.len() + 1) as f64 * CELL[1] + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" role=\"img\" \
         aria-label=\"{command}\">\n\
         <style>text {{ font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d6d6d6; white-space: pre }} \
         .path {{ fill: #c58af9 }} .match {{ fill: #ff7b72; font-weight: bold }} .prompt {{ fill: #7ee787 }}</style>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#16181d\"/>\n"
    );
    let mut put = |row: usize, spans: &[(&str, &str)]| {
        let y = MARGIN + (row as f64 + 0.7) * CELL[1];
        write!(svg, "<text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">").expect("a string");
        for (class, text) in spans {
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('\t', "    ");
            if class.is_empty() {
                svg += &text;
            } else {
                write!(svg, "<tspan class=\"{class}\">{text}</tspan>").expect("a string");
            }
        }
        svg += "</text>\n";
    };
    put(0, &[("prompt", "$ "), ("", command)]);
    for (row, line) in lines.iter().enumerate() {
        put(row + 1, &pieces(line));
    }
    svg + "</svg>\n"
}

/// The pieces of a line that have one colour, each with the name of its class.
fn pieces(line: &str) -> Vec<(&'static str, &str)> {
    let (mut pieces, mut class) = (Vec::new(), "");
    for part in line.split("\x1b[") {
        let Some((code, text)) = part.split_once('m').filter(|_| !std::ptr::eq(part, line)) else {
            pieces.push((class, part));
            continue;
        };
        class = match code {
            "0" => "",
            "35" => "path",
            "1" => class,
            "31" => "match",
            other => panic!("no colour is drawn for {other}"),
        };
        pieces.push((class, text));
    }
    pieces.retain(|(_, text)| !text.is_empty());
    pieces
}

#[test]
fn the_picture_of_readme_is_what_the_program_prints() {
    let picture = drawn(&format!("manicule find {}", WORDS.join(" ")), &printed());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/find.svg");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &picture).expect("a file");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        kept, picture,
        "docs/find.svg is not what this program prints: UPDATE=1 draws it again"
    );
}

//! `manicule series rewrite`, `split` and `diff` as a user meets them.

mod salvage;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TEXT: &str = "\
a{job=\"x\",pod=\"p1\"} 1 1700000000
a{job=\"x\",pod=\"p2\"} 2 1700000060
b{job=\"y\",pod=\"p1\"} 3 1700000000
b{job=\"y\",pod=\"p1\"} 4 1700003600
# EOF
";

/// Exit code, output and warnings.
fn run(folder: &Path, line: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.arg("series").args(line.split_whitespace()).current_dir(folder);
    let output = command.output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The only block of a folder, as a word for a command line.
fn block(folder: &Path, name: &str) -> String {
    let entries = fs::read_dir(folder.join(name)).unwrap();
    let paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(paths.len(), 1, "{paths:?}");
    paths[0].to_str().unwrap().to_owned()
}

fn built() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.om"), TEXT).unwrap();
    assert_eq!(run(folder.path(), "build -o built --quiet in.om").0, Some(0));
    let block = block(folder.path(), "built");
    (folder, block)
}

fn samples(folder: &Path, name: &str) -> String {
    run(folder, &format!("select --samples {{__name__=~\".+\"}} {name}")).1
}

#[test]
fn a_block_is_rewritten_and_the_difference_told() {
    let (folder, source) = built();
    let at = folder.path();
    fs::write(at.join("rules.yml"), "[{regex: pod, action: labeldrop}]").unwrap();
    let delete = "--delete b --start 1700003600 --end 1700003600";
    let line = format!("rewrite -o new --relabel rules.yml --redact job {delete} {source}");
    let (code, out, _) = run(at, &line);
    assert_eq!(code, Some(0));
    let want = "\
2 series of 3, 1 duplicate united with others
3 samples of 4, 1 deleted
--delete b: 1 series, 1 sample
rules.yml, rule 1 (labeldrop): 3 series
--redact job: 3 series
";
    assert!(out.ends_with(want), "{out}");
    let got = samples(at, "new");
    let hidden = got.lines().next().unwrap().split('"').nth(1).unwrap().to_owned();
    assert!(hidden.starts_with("redacted_"), "{got}");
    let times = ["1 1700000000000", "2 1700000060000"];
    let want: String = times.iter().map(|time| format!("a{{job=\"{hidden}\"}} {time}\n")).collect();
    assert!(got.starts_with(&want) && got.lines().count() == 3, "{got}");

    let made = block(at, "new");
    assert_eq!(run(at, &format!("diff {source} {source}")).0, Some(0));
    let (code, out, _) = run(at, &format!("diff --summary {source} {made}"));
    let want =
        "0 series the same, 3 only in A, 2 only in B, 0 with other samples, 0 in other chunks";
    assert_eq!((code, out.trim_end()), (Some(1), want));
}

#[test]
fn what_differs_is_told_series_by_series() {
    let (folder, source) = built();
    let at = folder.path();
    let line = format!(
        "rewrite -o new --json --drop a{{pod=\"p1\"}} --delete b --end 1700000000 {source}"
    );
    let (code, out, _) = run(at, &line);
    assert_eq!(code, Some(0));
    let row: serde_json::Value = serde_json::from_str(&out).unwrap();
    let counts = ["series", "dropped", "united", "emptied"].map(|name| row[name].as_u64().unwrap());
    assert_eq!(counts, [3, 1, 0, 0], "{out}");
    let samples = ["source", "kept", "deleted", "dropped"].map(|name| &row["samples"][name]);
    assert_eq!(samples, [4, 2, 1, 1], "{out}");
    let rules = row["rules"].as_array().unwrap().iter();
    let rules: Vec<_> = rules.map(|rule| [&rule["series"], &rule["samples"]]).collect();
    assert_eq!(rules, [[1, 1], [1, 1]], "{out}");
    let (code, out, _) = run(at, &format!("diff {source} {}", block(at, "new")));
    assert_eq!(code, Some(1));
    let want = "\
< a{job=\"x\",pod=\"p1\"}
! b{job=\"y\",pod=\"p1\"}  samples: 1 only in A, 0 only in B, 0 other, first at 1700000000000
1 series the same, 1 only in A, 0 only in B, 1 with other samples, 0 in other chunks
";
    assert_eq!(out, want);
}

#[test]
fn parts_together_are_the_block() {
    let (folder, source) = built();
    let at = folder.path();
    let want = samples(at, "built");
    for (name, how) in [("hash", "--parts 2"), ("time", "--by time --range 20m")] {
        let (code, out, _) = run(at, &format!("split -o {name} {how} {source}"));
        assert_eq!(code, Some(0), "{out}");
        assert_eq!(samples(at, name), want);
    }
}

#[test]
fn a_block_is_cut_where_its_index_is_too_long() {
    let golden = manicule_testkit::golden_folder("series", "golden");
    let at = golden.path();
    let source = block(at, "blocks/k5k").replace(&format!("{}/", at.display()), "");
    let len = fs::metadata(at.join(&source).join("index")).unwrap().len();

    let (code, out, _) = run(at, &format!("split -o none {source}"));
    let want =
        format!("{source}  the index has {len} bytes, the most is 17179869184: nothing to do\n");
    assert_eq!((code, out), (Some(1), want));
    let (code, out, _) = run(at, &format!("split -o none --json --index-max {len} {source}"));
    assert_eq!(code, Some(1));
    assert!(
        out.contains(&format!("\"index_max\":{len},")) && out.contains("\"parts\":1,"),
        "{out}"
    );
    assert!(!at.join("none").exists(), "nothing is made for what is short enough");

    // Folders of blocks, of which one is too long.
    let max = len / 3;
    let (code, out, _) =
        run(at, &format!("split -o parts --index-max {max} blocks/gaps blocks/k5k"));
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(out.lines().filter(|line| line.ends_with(": nothing to do")).count(), 2, "{out}");
    let first = out.lines().find(|line| line.starts_with(&source)).expect("the block is named");
    assert!(first.contains(&format!("the index has {len} bytes, the most is {max}: ")), "{out}");
    let mut files = 0;
    for entry in fs::read_dir(at.join("parts")).unwrap() {
        let index = fs::metadata(entry.unwrap().path().join("index")).unwrap().len();
        assert!(index <= max, "{index}: {out}");
        files += 1;
    }
    let parts = out.lines().filter(|line| line.starts_with("part "));
    assert!(files > 3 && files == parts.count(), "{out}");
    assert_eq!(run(at, "verify parts").0, Some(0));
    let whole = |name: &str| run(at, &format!("select --samples {{__name__=~\".+\"}} {name}")).1;
    assert!(whole("parts") == whole("blocks/k5k"), "{out}");
    let (code, out, _) = run(at, &format!("split -o again --index-max {max} parts"));
    assert_eq!(code, Some(1), "{out}");
}

#[test]
fn what_is_wrong_is_said() {
    let (folder, source) = built();
    let at = folder.path();
    for (line, want) in [
        ("rewrite built", "say with -o DIR where the new block goes"),
        (
            "rewrite -o x --start 1 built",
            "--start and --end say the times of a --delete before them",
        ),
        (
            "rewrite -o x --keep up{ built",
            "selector up{: 1:4: parse error: unexpected end of input",
        ),
        ("split -o x --by time built", "say --parts NUM, or --by time and --range TIME such as 2h"),
        (
            "split -o x --index-max 100 built",
            "even in the smallest part: give a larger --index-max",
        ),
        ("split -o x --parts 0 built", "--parts is between 1 and 10000"),
        ("diff built", "missing B; usage: manicule series diff A B"),
    ] {
        let (code, _, error) = run(at, line);
        assert_eq!(code, Some(2), "{line}");
        assert!(error.contains(want), "{line}: {error}");
    }
    let (code, out, _) = run(at, &format!("rewrite -o x --keep nothing {source}"));
    assert_eq!(code, Some(1));
    assert!(out.contains("no block was made"), "{out}");
}

/// Samples removed by rules are counted; rules without effect are warned of, and refused if that is
/// asked for.
#[test]
fn a_rule_that_took_nothing_is_named_and_can_be_refused() {
    let (folder, source) = built();
    let at = folder.path();
    fs::write(at.join("rules.yml"), "[{regex: podd, action: labeldrop}]").unwrap();
    let rules = "--keep {job=~\".+\"} --keep no --drop typo_metric --delete typo --delete b --start 1 --end 2 \
                 --relabel rules.yml --redact nosuchlabel";
    let names = || fs::read_dir(at).unwrap().count();
    let before = names();
    let warnings = [
        "manicule: --keep no: selects no series",
        "manicule: --drop typo_metric: selects no series",
        "manicule: --delete typo: selects no series that is kept",
        "manicule: --delete b: no sample of its 1 series lies in these times",
        "manicule: rules.yml, rule 1 (labeldrop): changes no series and drops none",
        "manicule: --redact nosuchlabel: no series that stays has this label",
    ];
    let (code, out, error) = run(at, &format!("rewrite -o new --strict {rules} {source}"));
    let refused = "manicule: nothing was written: --strict makes a warning an error";
    let want: Vec<&str> = warnings.iter().copied().chain([refused]).collect();
    assert_eq!((code, &out[..], error.lines().collect()), (Some(2), "", want));
    assert_eq!(names(), before, "no folder is made");

    let (code, out, error) = run(at, &format!("rewrite -o new --dry-run {rules} {source}"));
    assert_eq!((code, error.lines().collect()), (Some(0), warnings.to_vec()));
    let first = "nothing was written; the block would have 3 series, 4 samples, 3 chunks\n";
    assert!(out.starts_with(first), "{out}");
    assert_eq!(names(), before, "no folder is made");
    let rest = out.strip_prefix(first).unwrap();
    let (code, out, error) = run(at, &format!("rewrite -o new {rules} {source}"));
    assert_eq!((code, error.lines().collect()), (Some(0), warnings.to_vec()));
    assert!(out.ends_with(rest), "{out}");
    let (code, out, _) =
        run(at, &format!("rewrite -o x --dry-run --drop {{job=~\".+\"}} {source}"));
    assert_eq!(code, Some(1), "{out}");
    assert!(out.starts_with("no sample is left: no block was made\n0 series of 3, 3 left out\n"));
}

#[test]
fn samples_that_are_lost_by_uniting_are_counted_and_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = "m{a=\"1\"} 1 1700000000\nm{a=\"2\"} 2 1700000000\nm{a=\"2\"} 3 1700000060\n# EOF\n";
    fs::write(at.join("in.om"), text).unwrap();
    assert_eq!(run(at, "build -o built --quiet in.om").0, Some(0));
    let source = block(at, "built");
    fs::write(at.join("rules.yml"), "[{regex: a, action: labeldrop}]").unwrap();
    let (code, out, error) = run(at, &format!("rewrite -o new --relabel rules.yml {source}"));
    assert_eq!(code, Some(0));
    assert!(out.contains("\n2 samples of 3, 1 lost to another value of the same time\n"), "{out}");
    let want =
        "manicule: lost 1 sample: series that became one have other values at the same times\n";
    assert_eq!(error, want);
    let line = format!("rewrite -o strict --strict --relabel rules.yml {source}");
    assert_eq!(run(at, &line).0, Some(2));
    assert!(!at.join("strict").exists());
}

#[test]
fn a_labelmap_to_an_empty_name_is_warned_of() {
    let (folder, source) = built();
    let at = folder.path();
    fs::write(at.join("rules.yml"), "[{action: labelmap, regex: 'pod|env'}]").unwrap();
    let (code, _, error) = run(at, &format!("rewrite -o new --relabel rules.yml {source}"));
    assert_eq!(code, Some(0));
    let want = "rules.yml, rule 1 (labelmap): 3 labels would get an empty name and are left out";
    assert!(error.contains(want), "{error}");
}

#[test]
fn a_new_block_beside_its_parents_is_warned_of() {
    let (folder, source) = built();
    let at = folder.path();
    for line in [
        "merge -o built built".to_owned(),
        format!("rewrite -o built {source}"),
        format!("split -o built --parts 1 {source}"),
    ] {
        let (code, _, error) = run(at, &line);
        let want = "manicule: built: 1 block that the new one is made of lies beside it; \
                    Prometheus removes such blocks\n";
        assert_eq!((code, &error[..]), (Some(0), want), "{line}");
        for name in fs::read_dir(at.join("built")).unwrap().map(|entry| entry.unwrap().path()) {
            if !source.ends_with(name.file_name().unwrap().to_str().unwrap()) {
                fs::remove_dir_all(name).unwrap();
            }
        }
    }
}

//! `manicule series select`, `manicule series labels` and `manicule find` over Prometheus blocks.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use manicule_testkit::golden_folder;

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manicule"))
        .args(words)
        .current_dir(folder)
        .env_remove("RIPGREP_CONFIG_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("the program runs")
}

/// Standard output and exit code of each call.
#[track_caller]
fn check(folder: &Path, words: &[&str], want: &str, code: i32) {
    let output = run(folder, words);
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!((&*out, output.status.code()), (want, Some(code)), "{words:?}: {err}");
}

#[test]
fn series_are_selected_from_all_blocks_of_a_folder() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    check(
        &data,
        &["series", "select", "up{job=\"api\",instance=~\"h[01]:80\"}"],
        "up{instance=\"h0:80\",job=\"api\"}\nup{instance=\"h1:80\",job=\"api\"}\n",
        0,
    );
    check(
        &data,
        &["series", "select", "--limit", "1", "--json", "{\"http.size\"}", "."],
        "{\"labels\":{\"__name__\":\"http.size\",\"service.name\":\"s0\"}}\n",
        0,
    );
    check(&data, &["series", "select", "-c", "{__name__=~\".+\"}"], "96\n", 0);
    check(&data, &["series", "select", "nope"], "", 1);
    check(&data, &["series", "select", "-c", "nope"], "0\n", 1);
    // One block alone counts by posting lists.
    let block = "01M7YV9DA539J3RD3VS93JZGWY";
    check(&data, &["series", "select", "-c", "up", block], "12\n", 0);
    check(&data, &["series", "select", "up", "--end", "1600000000"], "", 1);
}

#[test]
fn samples_are_joined_over_blocks() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    // The second of the two blocks begins at 1700006420.
    let times = ["--start", "1700006300", "--end", "2023-11-15T00:00:20Z"];
    let words =
        [&["series", "select", "--samples"], &times[..], &["up{instance=\"h0:80\",job=\"api\"}"]];
    let shown = |time: &str| format!("up{{instance=\"h0:80\",job=\"api\"}} 1 {time}\n");
    let want: String = ["1700006300000", "1700006360000", "1700006420000"].map(shown).concat();
    check(&data, &words.concat(), &want, 0);
}

#[test]
fn wrong_use_is_said() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    for (words, want) in [
        (&["series", "select", "up{"][..], "unexpected end of input inside braces"),
        (&["series", "select", "up{a=~\"(\"}"], "missing closing )"),
        (&["series", "select"], "missing SELECTOR"),
        (&["series", "select", "up", "--start", "soon"], "is no time: seconds since 1970"),
        (&["series", "select", "up", "/nowhere"], "/nowhere"),
        (
            &["series", "labels", "job", "./01M7YV9DA539J3RD3VS93JZGWY/chunks"],
            "no Prometheus block",
        ),
        (&["find", "-C", "2", "up", "."], "no lines"),
        (&["series", "select", "{}"], "it has no matcher"),
        (&["series", "dump", "--start", "5", "--end", "4"], "--end is before --start"),
        (&["series", "labels", "--match", "{}"], "it has no matcher"),
        (&["series", "analyze", "--match", "{}", "."], "it has no matcher"),
        (&["series", "dump", "--start", "1700000000000"], "expected seconds, not milliseconds"),
        (&["series", "select", "up", "--limit", "x"], "--limit \"x\" is no number"),
        (&["series", "select", "up", "/dev/null"], "/dev/null: no index of a Prometheus block"),
    ] {
        let output = run(&data, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(want), "{words:?}: {said}");
        // The cause of an error is not repeated.
        assert_eq!(said.matches("is no number").count(), usize::from(words.contains(&"x")));
    }
}

#[test]
fn what_a_call_has_cost_is_shown() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    let block = "01M7YV9DA539J3RD3VS93JZGWY";
    let receipt = |words: &[&str]| {
        let output = run(&data, words);
        let said = String::from_utf8(output.stdout).unwrap();
        let last: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        assert_eq!(last["type"], "receipt", "{said}");
        last["data"].clone()
    };
    // The block has 28 pairs of 6 names; one value holds the text, and 72 series have it.
    let mut want = serde_json::json!({
        "blocks": 1, "label_pairs": 28, "label_names_tried": 6, "label_values_tried": 1,
        "posting_lists": 1, "posting_lists_len": 288, "series_matched": 72, "series_decoded": 0,
    });
    assert_eq!(receipt(&["find", "--json", "--receipt", "total", block]), want);
    // An equal matcher is looked up, and the series are decoded to show them.
    want["label_names_tried"] = 0.into();
    want["label_values_tried"] = 0.into();
    want["series_decoded"] = 72.into();
    let selector = "http_requests_total";
    assert_eq!(receipt(&["series", "select", "--json", "--receipt", selector, block]), want);
    want["series_decoded"] = 0.into();
    assert_eq!(receipt(&["series", "select", "-c", "--json", "--receipt", selector, block]), want);
    // Whether one of the selected series has a value is decided by its list: two methods of 36
    // series.
    want["posting_lists"] = 3.into();
    want["posting_lists_len"] = (4 * (72 + 36 + 36)).into();
    let labels = ["series", "labels", "method", "--match", selector, "--json", "--receipt", block];
    assert_eq!(receipt(&labels), want);

    let output = run(&data, &["find", "--receipt", "total", block]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("manicule: receipt: blocks 1\nmanicule: receipt: label_pairs 28\n"));
    assert_eq!(said.lines().count(), 8, "{said}");
}

#[test]
fn the_numbers_of_a_search_count_blocks() {
    let golden = golden_folder("series", "golden");
    let output = run(&golden.path().join("blocks"), &["find", "--stats", "^http", "api", "tiny"]);
    let said = String::from_utf8(output.stdout).unwrap();
    for want in ["4 matches\n", "2 files contained matches\n", "3 files searched\n"] {
        assert!(said.contains(&format!("\n{want}")), "{said}");
    }
}

#[test]
fn a_printed_label_finds_itself_and_globs_choose_blocks() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks");
    let (block, other) = ("api/01M7YV9DA539J3RD3VS93JZGWY", "api/01M7YV9DAM3X224G2MX8AC07VK");
    let line = |block: &str| format!("{block}: __name__=\"http_requests_total\" (72 series)\n");
    for pattern in ["__name__=\"http_requests_total\"", "^__name__=.*requests", "=\"http_req.*\"$"]
    {
        check(&data, &["find", pattern, block], &line(block), 0);
    }
    check(&data, &["find", "-F", "job=\"nope\"", "api"], "", 1);
    let (own, ulid) = (line(block), "01M7YV9DAM3X224G2MX8AC07VK");
    check(&data, &["find", "-g", &format!("!{ulid}"), "requests_total", "api"], &own, 0);
    check(&data, &["find", "-g", &format!("!*{}", &ulid[9..]), "requests_total", "api"], &own, 0);
    check(
        &data,
        &["find", "-g", &format!("*/{ulid}"), "-l", "requests", "api"],
        &format!("{other}\n"),
        0,
    );
    check(&data, &["find", "-t", "py", "requests", "api"], "", 1);
    // A path given itself is let in.
    check(&data, &["find", "-t", "py", "requests_total", block], &line(block), 0);
    let colored = |pattern: &str| {
        let words =
            ["find", "-I", "--color", "always", "--colors", "match:style:nobold", pattern, block];
        String::from_utf8(run(&data, &words).stdout).unwrap()
    };
    let mark = |text: &str| format!("\x1b[0m\x1b[31m{text}\x1b[0m");
    let requests = format!("__name__=\"http_{}_total\" (72 series)\n", mark("requests"));
    assert_eq!(colored("requests"), requests);
    assert_eq!(
        colored("=.http_r"),
        format!("__name__{}equests_total\" (72 series)\n", mark("=\"http_r"))
    );
    assert_eq!(colored("^meth"), format!("{}od (2 values, 72 series)\n", mark("meth")));
    let said = String::from_utf8(run(&data, &["find", "--stats", "total", block]).stdout).unwrap();
    let len = std::fs::metadata(data.join(block).join("index")).unwrap().len();
    assert!(said.contains(&format!("\n{len} bytes searched\n")), "{said}");
}

#[test]
fn what_blocks_cannot_answer_does_not_hide_the_text_beside_them() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    std::fs::write(data.join("note.txt"), "a\nrequests\nb\n").unwrap();
    let output = run(&data, &["find", "-I", "-C1", "requests"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a\nrequests\nb\n");
    let want = "manicule: -A, -B, -C and --passthru: a Prometheus block has names and values, no lines or files\n";
    assert_eq!((&*String::from_utf8_lossy(&output.stderr), output.status.code()), (want, Some(2)));
}

#[test]
fn a_log_that_is_not_read_is_told() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    std::fs::create_dir(data.join("wal")).unwrap();
    std::fs::write(data.join("wal/00000000"), "records").unwrap();
    for (words, is_told) in [
        (&["series", "select", "-c", "up"][..], true),
        (&["series", "labels", "-c"], true),
        (&["series", "dump", "--match", "up"], true),
        // The times asked for lie within the blocks.
        (&["series", "select", "-c", "up", "--end", "1700000000"], false),
        (&["series", "select", "-c", "up", "01M7YV9DA539J3RD3VS93JZGWY"], false),
    ] {
        let output = run(&data, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
        let told = said.contains("wal: samples that only this log has are left out");
        assert_eq!(told, is_told, "{words:?}: {said}");
    }
}

#[test]
fn histograms_and_stale_marks_are_whole_in_json() {
    let golden = golden_folder("series", "golden");
    let blocks = golden.path().join("blocks");
    for name in ["native", "xor2"] {
        let words = ["series", "select", "--samples", "--json", "{__name__=~\".*\"}", name];
        let selected = run(&blocks, &words).stdout;
        let dumped = run(&blocks, &["series", "dump", "--format", "json", name]).stdout;
        assert!(selected == dumped && !selected.is_empty(), "{name}");
    }
}

#[test]
fn labels_are_listed() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks/api");
    check(&data, &["series", "labels", "--match", "up"], "__name__\ninstance\njob\n", 0);
    check(&data, &["series", "labels", "--limit", "2", "./"], "__name__\ncode\n", 0);
    check(&data, &["series", "labels", "job", "--json"], "[\"api\",\"web\"]\n", 0);
    check(&data, &["series", "labels", "-c", "instance", "--match", "up{job=\"web\"}"], "6\n", 0);
    check(&data, &["series", "labels", "code", "--match", "up"], "", 1);
    check(&data, &["series", "labels", "-c", "--json", "job"], "{\"values\":2}\n", 0);
    check(&data, &["series", "labels", "-c", "--json"], "{\"names\":6}\n", 0);
    // The only word is a name; if it was meant to be a path, a message says so.
    for folder in [data.as_path(), golden.path()] {
        let word = if folder == data { "01M7YV9DA539J3RD3VS93JZGWY" } else { "blocks" };
        let output = run(folder, &["series", "labels", word]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(&format!("for the path write ./{word}")), "{said}");
    }
}

#[test]
fn names_and_values_are_found() {
    let golden = golden_folder("series", "golden");
    let data = golden.path().join("blocks");
    let block = "api/01M7YV9DA539J3RD3VS93JZGWY";
    let other = "api/01M7YV9DAM3X224G2MX8AC07VK";
    let line = |rest: &str| format!("{block}: {rest}\n");
    check(
        &data,
        &["find", "requests", block],
        &line("__name__=\"http_requests_total\" (72 series)"),
        0,
    );
    check(&data, &["find", "-i", "METHOD", block], &line("method (2 values, 72 series)"), 0);
    check(
        &data,
        &["find", "-x", "s[12]", block],
        &[line("\"service.name\"=\"s1\" (1 series)"), line("\"service.name\"=\"s2\" (1 series)")]
            .concat(),
        0,
    );
    // A name is written as it is before a value: in quotes where it needs them, and always in one
    // line.
    let service = line("\"service.name\" (12 values, 12 series)");
    check(&data, &["find", "^service", block], &service, 0);
    let names = run(&data, &["find", ".", "names"]).stdout;
    let count = names.iter().filter(|byte| **byte == b'\n').count();
    check(&data, &["find", "-I", "-c", ".", "names"], &format!("{count}\n"), 0);
    check(&data, &["find", "-l", "http", "api"], &format!("{block}\n{other}\n"), 0);
    check(&data, &["find", "-c", "^h\\d:80$", "api"], &format!("{block}:6\n{other}:6\n"), 0);
    check(&data, &["find", "-q", "http", "api"], "", 0);
    // Without a path the current folder is recognised, too.
    let api = data.join("api");
    let paths = format!("{block}\n{other}\n").replace("api/", "");
    check(&api, &["find", "-l", "http"], &paths, 0);
    check(&api, &["find", "--files"], &paths, 0);
    check(&data.join(block), &["find", "-x", "s1"], "\"service.name\"=\"s1\" (1 series)\n", 0);
    check(&data, &["find", "nowhere", "api"], "", 1);
    check(
        &data,
        &["find", "-I", "-m", "1", "http", block],
        "__name__=\"http.size\" (12 series)\n",
        0,
    );
    check(&data, &["find", "--files", "api"], &format!("{block}\n{other}\n"), 0);
    let json = run(&data, &["find", "--json", "total", block]);
    let first = String::from_utf8(json.stdout).unwrap();
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(first["data"]["value"], "http_requests_total");
    assert_eq!(first["data"]["series"], 72);
}

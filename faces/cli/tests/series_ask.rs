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
        (&["series", "select"], "a selector is wanted"),
        (&["series", "select", "up", "--start", "soon"], "neither seconds nor RFC 3339"),
        (&["series", "select", "up", "/nowhere"], "/nowhere"),
        (
            &["series", "labels", "job", "./01M7YV9DA539J3RD3VS93JZGWY/chunks"],
            "no Prometheus block",
        ),
        (&["find", "-C", "2", "up", "."], "no lines"),
    ] {
        let output = run(&data, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains(want), "{words:?}: {said}");
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
    check(&data, &["find", "-l", "http", "api"], &format!("{block}\n{other}\n"), 0);
    check(&data, &["find", "-c", "^h\\d:80$", "api"], &format!("{block}:6\n{other}:6\n"), 0);
    check(&data, &["find", "-q", "http", "api"], "", 0);
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

//! Trees with faults: restic's findings, and those that only we have.

use manicule_blobs::check::Level;

use super::{TREES, repo, short};

/// A node of a tree, with these fields after its name and type.
fn node(name: &str, kind: &str, fields: &str) -> String {
    let times = r#""mtime":"2025-01-01T00:00:00Z","atime":"2025-01-01T00:00:00Z","ctime":"2025-01-01T00:00:00Z","uid":0,"gid":0"#;
    format!(r#"{{"name":"{name}","type":"{kind}",{times}{fields}}}"#)
}

fn tree(nodes: &[String]) -> String {
    format!("{{\"nodes\":[{}]}}\n", nodes.join(","))
}

/// What is found in a tree, by its words after the tree's id, and whether any of it is an error.
#[track_caller]
fn check(text: &str, want: &[&str], is_error: bool) {
    let repo = repo("unused");
    let id = repo.put_tree(text);
    let findings = repo.check(TREES, 1).findings;
    let prefix = format!("tree {id}: ");
    let found: Vec<&str> = findings
        .iter()
        .map(|finding| finding.what.strip_prefix(&prefix).expect("of the tree"))
        .collect();
    assert_eq!(found.len(), want.len(), "{findings:#?}");
    for (found, want) in found.iter().zip(want) {
        assert!(found.starts_with(want), "{found}, wanted {want}");
    }
    assert_eq!(findings.iter().any(|finding| finding.level() == Level::Error), is_error, "{text}");
}

#[test]
fn faults_of_nodes() {
    let null = "0".repeat(64);
    let unknown = "ab".repeat(32);
    let file = |name: &str, content: &str| node(name, "file", &format!(",\"content\":{content}"));
    let dir = |name: &str, fields: &str| node(name, "dir", &format!("{fields},\"content\":null"));
    let rows: &[(Vec<String>, &[&str], bool)] = &[
        (vec![], &[], false),
        (vec![file("a", "[]"), file("b", "[]")], &[], false),
        (vec![file("a", "null")], &["file \"a\" has nil blob list"], true),
        (vec![file("a", &format!("[\"{null}\"]"))], &["file \"a\" blob 0 has null ID"], true),
        (
            vec![file("a", &format!("[\"{unknown}\"]")), file("", "[]")],
            &["file \"a\" blob abab", "node with empty name", "node \"\" comes after"],
            true,
        ),
        (vec![dir("a", "")], &["dir node \"a\" has no subtree"], true),
        (
            vec![dir("a", &format!(",\"subtree\":\"{null}\""))],
            &["dir node \"a\" subtree id is null"],
            true,
        ),
        (vec![node("a", "door", "")], &["node \"a\" with invalid type \"door\""], true),
        (vec![file("b", "[]"), file("a", "[]")], &["node \"a\" comes after a greater name"], false),
        (vec![file("a", "[]"), file("a", "[]")], &["node \"a\" comes twice"], false),
    ];
    for (nodes, want, is_error) in rows {
        check(&tree(nodes), want, *is_error);
    }
}

#[test]
fn texts_that_are_no_trees() {
    let whole = tree(&[node("a", "file", ",\"content\":[]")]);
    let cut = whole.trim_end().strip_suffix("]}").unwrap();
    for text in [cut, "[]", "{}", "null", "{\"nodes\":[5]}", &format!("{whole}x")] {
        check(text, &["JSON at offset"], true);
    }
}

#[test]
fn a_tree_that_the_index_lacks_is_found_once() {
    let repo = repo("unused");
    let missing = "cd".repeat(32);
    for name in ["a", "b"] {
        let fields = format!(",\"content\":null,\"subtree\":\"{missing}\"");
        repo.put_tree(&tree(&[node(name, "dir", &fields)]));
    }
    let found: Vec<String> = repo.check(TREES, 2).findings.iter().map(short).collect();
    assert_eq!(found, ["tree-missing cdcdcdcd"]);
}

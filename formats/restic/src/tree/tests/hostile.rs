//! Texts by hand: what restic takes, what it refuses and where, and what it takes and shouldn't.

use super::super::encode::{OwnedNode, encode_tree, put_node};
use super::super::faults::NodeChecks;
use super::super::node::{ExtendedAttribute, NodeKind};
use super::super::nodes::{Nodes, Scanner};
use super::{read, read_twice};
use crate::Id;
use crate::mode::Mode;
use crate::time::Time;

const DIGITS: &str = "ac08ce34ba4f8123618661bef2425f7028ffb9ac740578a3ee88684d2523fee8";

/// A tree of these texts of nodes.
fn tree(nodes: &[&str]) -> String {
    format!("{{\"nodes\":[{}]}}\n", nodes.join(","))
}

/// A sound file in restic's form.
fn file(name: &str) -> OwnedNode {
    let text = tree(&[&format!("{{\"name\":\"{name}\",\"type\":\"file\",\"content\":[]}}")]);
    read(text.as_bytes(), Scanner::Never).0.remove(0)
}

/// What one node is read as, by both.
fn one(node: &str) -> OwnedNode {
    let (mut nodes, end) = read_twice(tree(&[node]).as_bytes(), node);
    assert_eq!((nodes.len(), &end), (1, &Ok(())), "{node}");
    nodes.remove(0)
}

#[test]
fn fields_come_in_any_order_and_case_and_unknown_ones_are_skipped() {
    let want = OwnedNode { size: 7, mode: Mode(420), user: "me".into(), ..file("a") };
    for node in [
        r#"{"content":[],"size":7,"user":"me","mode":420,"type":"file","name":"a"}"#,
        r#"{"NAME":"a","Type":"file","MODE":420,"uſer":"me","siZe":7,"CONTENT":[]}"#,
        r#"{"name":"b","size":1,"name":"a","type":"file","user":"me","mode":420,"content":null,"size":7,"content":[]}"#,
        r#"{"later":{"a":[1,"}"]},"name":"a","type":"file","user":"me","mode":420,"size":7,"content":[],"x":null}"#,
        r#"{"name":"a","type":"file","user":"me","mode":420,"size":7,"size":null,"mode":null,"uid":null,"user":null,"name":null,"mtime":null,"content":[]}"#,
        r#"{"name":"\u0061","type":"fil\u0065","user":"m\u0065","mode":420,"size":7,"content":[]}"#,
    ] {
        assert_eq!(one(node), want, "{node}");
    }
}

#[test]
fn null_empties_lists_and_takes_subtrees_away() {
    let node = format!(
        r#"{{"name":"a","type":"file","content":["{DIGITS}"],"content":null,"subtree":"{DIGITS}","subtree":null,"linktarget_raw":"AA==","linktarget_raw":null,"extended_attributes":[{{}}],"extended_attributes":null,"generic_attributes":{{"a":1}},"generic_attributes":null}}"#
    );
    assert_eq!(one(&node), OwnedNode { content: None, ..file("a") });
    let nothing = OwnedNode { name: Vec::new(), kind: String::new(), content: None, ..file("a") };
    assert_eq!((one("null"), one("{}")), (nothing.clone(), nothing));
}

#[test]
fn attributes_and_targets_are_decoded() {
    let node = one(
        r#"{"name":"a","type":"symlink","linktarget":"x\ufffd","linktarget_raw":"eP8=","extended_attributes":[{"name":"user.a\u0062","value":"AGI="},{"value":null,"later":1},null],"generic_attributes":{"windows.x": {"a": 1},"":2}}"#,
    );
    assert_eq!(node.link_target, b"x\xff");
    let want = [("user.ab", &b"\0b"[..]), ("", b""), ("", b"")];
    let want =
        want.map(|(name, value)| ExtendedAttribute { name: name.into(), value: value.into() });
    assert_eq!(node.extended_attributes, want);
    let want = [("windows.x", "{\"a\": 1}"), ("", "2")];
    assert_eq!(node.generic_attributes, want.map(|(n, v)| (n.to_owned(), v.as_bytes().to_vec())));
}

#[test]
fn values_that_restic_refuses_are_refused() {
    for field in [
        r#""name":5"#,
        r#""name":"\\z""#,
        r#""name":"a\"b""#,
        r#""name":"\n""#,
        r#""name":"\\ud800""#,
        r#""type":1"#,
        r#""mode":4294967296"#,
        r#""mode":-1"#,
        r#""mode":1.0"#,
        r#""mode":"1""#,
        r#""uid":4294967296"#,
        r#""inode":18446744073709551616"#,
        r#""size":1e3"#,
        r#""size":01"#,
        r#""mtime":"""#,
        r#""mtime":5"#,
        r#""mtime":"2023-02-29T00:00:00Z""#,
        r#""atime":"2023\u002d01-01T00:00:00Z""#,
        r#""linktarget_raw":"A""#,
        r#""linktarget_raw":"A-==""#,
        r#""extended_attributes":{}"#,
        r#""extended_attributes":[{"value":"A"}]"#,
        r#""generic_attributes":[]"#,
        r#""generic_attributes":{"a":}"#,
        r#""content":{}"#,
        r#""content":[null]"#,
        r#""content":["ab"]"#,
        r#""content":[""]"#,
        r#""subtree":"""#,
        r#""subtree":5"#,
        r#""user":nil"#,
    ] {
        let text = tree(&["{\"name\":\"before\"}", &format!("{{{field}}}")]);
        let (nodes, end) = read_twice(text.as_bytes(), field);
        let error = end.expect_err(field);
        assert_eq!(nodes.len(), 1, "{field}");
        assert!(error.at >= 30 && error.at <= text.len() as u64 - 4, "{field}: {error}");
    }
}

#[test]
fn ids_have_64_digits_of_either_case() {
    let with = |id: &str| format!("{{\"name\":\"a\",\"type\":\"file\",\"content\":[\"{id}\"]}}");
    let id = Id::parse(DIGITS.as_bytes()).unwrap();
    assert_eq!(one(&with(&DIGITS.to_uppercase())).content, Some(vec![id]));
    for id in [
        &DIGITS[1..],
        &format!("{DIGITS}0"),
        &DIGITS.replace('a', "g"),
        &DIGITS.replace('a', "\\u0061"),
    ] {
        assert!(read_twice(tree(&[&with(id)]).as_bytes(), id).1.is_err(), "{id}");
    }
}

#[test]
fn what_stands_around_the_nodes() {
    let node = "{\"name\":\"a\",\"type\":\"file\",\"content\":[]}";
    for (text, count, at) in [
        ("{\"later\":[{}],\"nodes\":[@,@]}", 2, None),
        ("{\"nodes\":[@],\"later\":{\"nodes\":[]},\"nodes\":5}\n", 1, None),
        (" { \"n\\u006fdes\" : [ @\n, @ ] } \n", 2, None),
        ("{\"nodes\":[]}", 0, None),
        ("", 0, Some(0)),
        ("null", 0, Some(0)),
        ("[@]", 0, Some(0)),
        ("{}", 0, Some(2)),
        ("{\"Nodes\":[]}", 0, Some(12)),
        ("{\"nodes\":null}", 0, Some(9)),
        ("{\"nodes\":{}}", 0, Some(9)),
        // Restic 0.19.1 takes the next ones as whole.
        ("{\"nodes\":[@", 1, Some(49)),
        ("{\"nodes\":[@]", 1, Some(50)),
        ("{\"nodes\":[@],\"a\":1", 1, Some(56)),
        ("{\"nodes\":[@]}}", 1, Some(51)),
        ("{\"nodes\":[@]}\n{}", 1, Some(52)),
        // And these it refuses.
        ("{\"nodes\":[", 0, Some(10)),
        ("{\"nodes\":[@,", 1, Some(50)),
        ("{\"nodes\":[@,]}", 1, Some(50)),
        ("{\"nodes\":[@ @]}", 1, Some(50)),
        ("{\"nodes\":[,@]}", 0, Some(10)),
        ("{\"nodes\":[@}", 1, Some(49)),
        ("{\"nodes\":[@],}", 1, Some(51)),
        ("{\"nodes\":[@],5:1}", 1, Some(51)),
        ("{\"nodes\":[5]}", 0, Some(10)),
        ("\u{feff}{\"nodes\":[@]}", 0, Some(0)),
    ] {
        let whole = text.replace('@', node);
        let (nodes, end) = read_twice(whole.as_bytes(), text);
        assert_eq!((nodes.len(), end.err().map(|error| error.at)), (count, at), "{text}");
    }
}

#[test]
fn a_tree_that_is_cut_is_an_error_at_its_end_and_never_complete() {
    let nodes: Vec<OwnedNode> = ["a", "b\\\\n", "ü"].map(file).into();
    let text = encode_tree(&nodes);
    let ends: Vec<usize> = (1..=nodes.len()).map(|n| encode_tree(&nodes[..n]).len() - 3).collect();
    for len in 0..text.len() - 1 {
        let (read, end) = read_twice(&text[..len], "cut");
        let error = end.expect_err("no whole tree");
        assert_eq!(error.at, len as u64, "{error}");
        assert_eq!(read.len(), ends.iter().filter(|end| **end <= len).count());
    }
    // Only the line end is missing.
    assert_eq!(read_twice(&text[..text.len() - 1], "no line end").1, Ok(()));
}

#[test]
fn deep_values_are_skipped_and_too_deep_ones_refused() {
    for (depth, is_sound) in [(5_000, true), (9_996, true), (9_997, false), (100_000, false)] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let generic_attributes = vec![("a".to_owned(), deep.into_bytes())];
        let node = OwnedNode { generic_attributes, ..file("a") };
        let (_, end) = read_twice(&encode_tree(&[node]), "deep");
        assert_eq!(end.is_ok(), is_sound, "{depth}");
    }
}

#[test]
fn restics_findings_and_ours() {
    let null = "0".repeat(64);
    let nodes = [
        r#"{"name":"a","type":"file","content":null}"#,
        r#"{"name":"b","type":"file","content":["D","Z","D","Z"]}"#,
        r#"{"name":"c","type":"dir","content":null}"#,
        r#"{"name":"","type":"dir","subtree":null}"#,
        r#"{"name":"","type":"dir","subtree":"Z"}"#,
        r#"{"name":"e","type":"dir","subtree":"D"}"#,
        r#"{"name":"d","type":"d\"ir"}"#,
        r#"{"name":"d"}"#,
        r#"{"name":"x","type":"irregular"}"#,
        r#"{"name":"","type":"fifo"}"#,
        r#"{"name":"..\\x2fup\\xff","type":"symlink"}"#,
        r#"null"#,
    ];
    let text = tree(&nodes).replace('D', DIGITS).replace('Z', &null);
    let mut nodes = Nodes::open(text.as_bytes()).unwrap();
    let (mut checks, mut faults, mut told) = (NodeChecks::new(), Vec::new(), Vec::new());
    while let Some(node) = nodes.next_node().unwrap() {
        checks.check(node, &mut faults);
        for fault in faults.drain(..) {
            let whose = if fault.is_found_by_restic() { "restic" } else { "ours" };
            told.push(format!("{whose}: {}", fault.describe(node)));
        }
    }
    assert_eq!(
        told,
        [
            r#"restic: file "a" has nil blob list"#,
            r#"restic: file "b" blob 1 has null ID"#,
            r#"restic: file "b" blob 3 has null ID"#,
            r#"restic: dir node "c" has no subtree"#,
            r#"restic: dir node "" has no subtree"#,
            r#"ours: node "" comes after a greater name"#,
            r#"restic: dir node "" subtree id is null"#,
            r#"ours: node "" comes twice"#,
            r#"restic: node "d" with invalid type "d\"ir""#,
            r#"ours: node "d" comes after a greater name"#,
            r#"restic: node "d" with invalid type """#,
            r#"ours: node "d" comes twice"#,
            r#"restic: node "x" with invalid type "irregular""#,
            r#"restic: node with empty name"#,
            r#"ours: node "" comes after a greater name"#,
            r#"restic: node "" with invalid type """#,
            r#"restic: node with empty name"#,
            r#"ours: node "" comes after a greater name"#,
        ]
    );
}

#[test]
fn a_node_needs_the_blobs_of_a_file_and_the_tree_of_a_folder() {
    let null = "0".repeat(64);
    let nodes = ["file", "dir", "symlink"].map(|kind| {
        format!("{{\"name\":\"{kind}\",\"type\":\"{kind}\",\"content\":[\"{DIGITS}\"],\"subtree\":\"{DIGITS}\"}}")
    });
    let lost = format!("{{\"name\":\"x\",\"type\":\"dir\",\"subtree\":\"{null}\"}}");
    let text = tree(&[&nodes[0], &nodes[1], &nodes[2], &lost]);
    let mut nodes = Nodes::open(text.as_bytes()).unwrap();
    let mut needs = Vec::new();
    while let Some(node) = nodes.next_node().unwrap() {
        needs.push((node.kind, node.blobs().len(), node.child().is_some()));
    }
    let want = [
        (NodeKind::File, 1, false),
        (NodeKind::Dir, 0, true),
        (NodeKind::Symlink, 0, false),
        (NodeKind::Dir, 0, false),
    ];
    assert_eq!(needs, want);
}

#[test]
fn times_out_of_range_are_clamped_and_nothing_else_is_written_differently() {
    let mut node = file("a");
    node.mtime.moment.seconds = i64::MAX;
    node.ctime = Time::ZERO;
    let mut out = Vec::new();
    put_node(&node, &mut out);
    let text = String::from_utf8(out).unwrap();
    let want = r#"{"name":"a","type":"file","mtime":"9999-12-04T15:30:07Z","atime":"0001-01-01T00:00:00Z","ctime":"0001-01-01T00:00:00Z","uid":0,"gid":0,"content":[]}"#;
    assert_eq!(text, want);
}

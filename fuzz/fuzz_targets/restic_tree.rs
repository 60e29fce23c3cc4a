//! Reading any bytes as a tree gives nodes, and then an end or an error; nodes in restic's own form
//! are read by the scanner as by the general parser; and what was read is the same when written and
//! read again.
//!
//! Seeds:
//! `tar --zstd -xf ../proof/golden/blobs/v2.tar.zst -C /tmp expected/trees && cp -r /tmp/expected/trees corpus/restic_tree`

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_core::go::{quote, unquote};
use manicule_format_restic::{
    NodeChecks, Nodes, OwnedNode, put_found_fields, put_found_path, put_listed_node,
    put_long_fields, put_node,
};

fuzz_target!(|bytes: &[u8]| {
    let (nodes, places, is_whole) = read(bytes);
    // A blank after a node's bracket is nothing to the general parser, and too much for the
    // scanner.
    let mut spaced = bytes.to_vec();
    for at in places.iter().rev() {
        if bytes[*at] == b'{' {
            spaced.insert(at + 1, b' ');
        }
    }
    let again = read(&spaced);
    assert_eq!((&again.0, again.2), (&nodes, is_whole));

    let mut text = b"{\"nodes\":[".to_vec();
    for (at, node) in nodes.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        put_node(node, &mut text);
    }
    text.extend_from_slice(b"]}\n");
    let is_written = |node: &OwnedNode| {
        [node.mtime, node.atime, node.ctime].iter().all(|time| time.offset_minutes.abs() < 1500)
    };
    if nodes.iter().all(is_written) {
        let again = read(&text);
        assert_eq!((again.0, again.2), (nodes, true));
    }

    let quoted = quote(bytes);
    assert_eq!(unquote(&quoted.as_bytes()[1..quoted.len() - 1]).as_deref(), Ok(bytes));
    let _ = unquote(bytes);
});

/// The nodes, their places, and whether the tree is whole.
fn read(bytes: &[u8]) -> (Vec<OwnedNode>, Vec<usize>, bool) {
    let (mut owned, mut places) = (Vec::new(), Vec::new());
    let (mut checks, mut faults, mut out) = (NodeChecks::new(), Vec::new(), Vec::new());
    let Ok(mut nodes) = Nodes::open(bytes) else { return (owned, places, false) };
    loop {
        let node = match nodes.next_node() {
            Ok(Some(node)) => node,
            Ok(None) => return (owned, places, true),
            Err(error) => {
                assert!(error.at <= bytes.len() as u64);
                return (owned, places, false);
            }
        };
        checks.check(node, &mut faults);
        put_listed_node(b"/\xff", node, &mut out);
        put_found_path(&node.name(), &mut out);
        put_found_fields(node, &mut out);
        put_long_fields(node, owned.len() % 2 == 0, &mut out);
        assert!(node.child().is_none() || node.blobs().is_empty());
        faults.drain(..).for_each(|fault| drop(fault.describe(node)));
        places.push(node.at as usize);
        owned.push(node.to_owned());
    }
}

//! Trees of random and hostile texts: the scanner and the general parser have one verdict, and it
//! is Go's.

mod hostile;
mod random;

use manicule_core::go::json::JsonError;
use manicule_testkit::Rng;

use super::encode::{OwnedNode, encode_tree};
use super::node::Node;
use super::nodes::{Nodes, Scanner};
use super::scan;

/// The whole nodes of a text, and how it ends.
fn read(text: &[u8], scanner: Scanner) -> (Vec<OwnedNode>, Result<(), JsonError>) {
    let mut read = Vec::new();
    let mut nodes = match Nodes::open_with(text, scanner) {
        Ok(nodes) => nodes,
        Err(error) => return (read, Err(error)),
    };
    loop {
        match nodes.next_node() {
            Ok(Some(node)) => read.push(node.to_owned()),
            Ok(None) => return (read, Ok(())),
            Err(error) => {
                assert_eq!(nodes.next_node().err(), Some(error.clone()), "an error stays");
                return (read, Err(error));
            }
        }
    }
}

/// Reads a text both ways.
fn read_twice(text: &[u8], words: &str) -> (Vec<OwnedNode>, Result<(), JsonError>) {
    let fast = read(text, Scanner::First);
    assert_eq!(fast, read(text, Scanner::Never), "{words}: {}", String::from_utf8_lossy(text));
    fast
}

#[test]
fn the_empty_folder_has_its_well_known_id() {
    let text = encode_tree(&[]);
    let id = crate::Id::of(&text).to_string();
    assert_eq!(id, "ac08ce34ba4f8123618661bef2425f7028ffb9ac740578a3ee88684d2523fee8");
    assert_eq!(read_twice(&text, "empty"), (Vec::new(), Ok(())));
}

#[test]
fn random_trees_come_back_and_the_scanner_reads_every_node() {
    for seed in 0..300 {
        let nodes = random::tree(&mut Rng::new(seed));
        let text = encode_tree(&nodes);
        let read = read_twice(&text, &format!("seed {seed}"));
        assert_eq!(read, (nodes.clone(), Ok(())), "seed {seed}");
        let (mut at, mut node) = (b"{\"nodes\":[".len(), Node::empty());
        for _ in &nodes {
            let end = scan::node(&text, at, &mut node);
            assert_eq!(node.at, at as u64);
            at = end.unwrap_or_else(|| panic!("seed {seed} at {at}")) + 1;
        }
    }
}

#[test]
fn random_changes_of_trees_have_one_verdict() {
    let (mut sound, mut wrong) = (0, 0);
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let nodes = random::tree(&mut rng);
        let mut text = encode_tree(&nodes);
        for _ in 0..=rng.below(3) {
            random::change(&mut rng, &mut text);
        }
        match read_twice(&text, &format!("seed {seed}")).1 {
            Ok(()) => sound += 1,
            Err(_) => wrong += 1,
        }
    }
    assert!(sound > 200 && wrong > 200, "{sound} sound, {wrong} wrong");
}

#[test]
fn trees_written_otherwise_are_the_same() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let mut nodes = random::tree(&mut rng);
        // Lists and objects among them are kept with their white space.
        nodes.iter_mut().for_each(|node| node.generic_attributes.retain(|(_, v)| v.len() < 8));
        let text = random::respelled(&mut rng, &encode_tree(&nodes));
        assert_eq!(read_twice(&text, &format!("seed {seed}")), (nodes, Ok(())), "seed {seed}");
    }
}

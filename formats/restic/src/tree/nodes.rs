//! The nodes of a tree, one after the other.
//!
//! Bytes:   docs/formats/restic.md, section Trees

use manicule_core::go::json::{Json, JsonError};

use super::node::Node;
use super::{general, scan};

/// Which nodes the scanner of restic's own form reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanner {
    /// All that it can.
    First,
    /// None: its judge in tests.
    #[cfg(test)]
    Never,
}

/// Reads a tree, node by node. Memory: the content ids of one node.
///
/// Nodes come as they stand, whatever their order and their names;
/// [`NodeChecks`](super::NodeChecks) judges them. A tree whose text ends early, or goes on after
/// its end, gives its whole nodes first and then an error: restic 0.19.1 takes such a tree as
/// complete.
#[derive(Clone, Debug)]
pub struct Nodes<'t> {
    bytes: &'t [u8],
    json: Json<'t>,
    scanner: Scanner,
    /// The node that was read last.
    node: Node<'t>,
    end: Option<Result<(), JsonError>>,
}

impl<'t> Nodes<'t> {
    /// Reads the start of a tree's text. As in restic 0.19.1, fields before `nodes` are skipped,
    /// which is written exactly so and has a list.
    pub fn open(bytes: &'t [u8]) -> Result<Self, JsonError> {
        Nodes::open_with(bytes, Scanner::First)
    }

    pub(super) fn open_with(bytes: &'t [u8], scanner: Scanner) -> Result<Self, JsonError> {
        let mut json = Json::new(bytes);
        open_list(&mut json)?;
        Ok(Nodes { bytes, json, scanner, node: Node::empty(), end: None })
    }

    /// The next node; `None` after the last, when the rest of the text was read too. After an error
    /// comes the same error.
    #[inline]
    pub fn next_node(&mut self) -> Result<Option<&Node<'t>>, JsonError> {
        if let Some(end) = &self.end {
            return end.clone().map(|()| None);
        }
        match self.read() {
            Ok(true) => Ok(Some(&self.node)),
            end => {
                let end = end.map(drop);
                self.end = Some(end.clone());
                end.map(|()| None)
            }
        }
    }

    /// Reads the next node; `false` where there is none.
    #[inline]
    fn read(&mut self) -> Result<bool, JsonError> {
        if !self.json.element()? {
            return close(&mut self.json).map(|()| false);
        }
        let at = self.json.at();
        if self.scanner == Scanner::First
            && let Some(end) = scan::node(self.bytes, at as usize, &mut self.node)
        {
            self.json.pass(end as u64);
            return Ok(true);
        }
        general::node(&mut self.json, &mut self.node).map(|()| true)
    }
}

/// Reads up to the opening bracket of the list of nodes.
fn open_list(json: &mut Json<'_>) -> Result<(), JsonError> {
    let wrong = |at, got: &str| JsonError::new(at, "an object with a list of nodes", got);
    if !json.object()? {
        return Err(wrong(0, "null"));
    }
    while let Some(field) = json.field()? {
        if field.decode() == "nodes" {
            let at = json.at();
            return if json.list()? { Ok(()) } else { Err(wrong(at, "null")) };
        }
        json.skip()?;
    }
    Err(wrong(json.at(), "an object without nodes"))
}

/// Reads what follows the list of nodes, to the end of the text.
fn close(json: &mut Json<'_>) -> Result<(), JsonError> {
    while json.field()?.is_some() {
        json.skip()?;
    }
    json.end()
}

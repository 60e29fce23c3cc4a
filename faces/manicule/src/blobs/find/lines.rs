//! Nodes that match patterns, each written once: what its line has before and after the path.

use std::io::Write as _;

use manicule_blobs::find::{Look, Patterns, State};
use manicule_blobs::{
    BlobKind, Found, Index, Node, put_found_fields, put_found_path, put_long_fields,
    put_long_target,
};

use super::call::{FindCall, FindForm};

/// The patterns of a call with its other conditions.
pub(super) struct Lines<'c> {
    pub(super) patterns: Patterns,
    pub(super) call: &'c FindCall,
    pub(super) index: &'c Index,
}

/// What a line has around the path.
pub(super) struct Line {
    text: Box<[u8]>,
    before_len: usize,
}

impl Line {
    /// Appends the line of a path.
    pub(super) fn put(&self, form: FindForm, path: &[u8], out: &mut Vec<u8>) {
        let (before, after) = self.text.split_at(self.before_len);
        out.extend_from_slice(before);
        match form {
            FindForm::Json => put_found_path(path, out),
            FindForm::Path | FindForm::Long { .. } => out.extend_from_slice(path),
        }
        out.extend_from_slice(after);
    }
}

impl Look for Lines<'_> {
    type Kept = Line;

    fn start(&self) -> State {
        self.patterns.start()
    }

    #[inline]
    fn node(&self, at: State, node: &Node<'_>, kept: &mut Vec<Line>) -> Option<State> {
        let after = self.patterns.after(at, &node.name());
        if Patterns::is_match(after) && self.is_in_time(node) {
            kept.push(self.line(node));
        }
        self.patterns.may_match(after).then_some(after)
    }
}

impl Lines<'_> {
    fn is_in_time(&self, node: &Node<'_>) -> bool {
        let moment = node.mtime.moment;
        self.call.oldest.is_none_or(|oldest| moment >= oldest)
            && self.call.newest.is_none_or(|newest| moment <= newest)
    }

    fn line(&self, node: &Node<'_>) -> Line {
        let mut text = Vec::new();
        let mut before_len = 0;
        match self.call.form {
            FindForm::Path => {}
            FindForm::Long { is_human } => {
                put_long_fields(node, is_human, &mut text);
                before_len = text.len();
                put_long_target(node, &mut text);
            }
            FindForm::Json => put_found_fields(node, &mut text),
        }
        if self.call.places {
            self.put_places(node, &mut text);
        }
        if self.call.form == FindForm::Json {
            text.push(b'}');
        }
        Line { text: text.into(), before_len }
    }

    /// The places of a file's blobs, blob after blob.
    fn put_places(&self, node: &Node<'_>, out: &mut Vec<u8>) {
        let is_json = self.call.form == FindForm::Json;
        let mut sign = ",\"blobs\":[";
        for id in node.blobs() {
            for Found { pack, place } in self.index.places(BlobKind::Data, id) {
                let pack = self.index.pack(pack).id;
                let (offset, len, raw_len) = (place.offset, place.len, place.raw_len);
                // Writing to memory can't fail.
                let _ = if is_json {
                    write!(
                        out,
                        "{sign}{{\"id\":\"{id}\",\"pack\":\"{pack}\",\"offset\":{offset},\"length\":{len},\"uncompressed_length\":{raw_len}}}"
                    )
                } else {
                    write!(
                        out,
                        "\n ... blob {id}\n     (pack {pack}, offset {offset}, length {len})"
                    )
                };
                sign = ",";
            }
        }
        if is_json && sign == "," {
            out.push(b']');
        }
    }
}

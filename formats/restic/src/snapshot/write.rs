//! Snapshots as restic stores them, and as its listings print them.
//!
//! Bytes:   docs/formats/restic.md, sections Snapshots and Listings

use std::io::Write as _;

use manicule_core::go::json::put_string;

use super::Snapshot;
use crate::Id;

impl Snapshot {
    /// The plaintext of the snapshot's file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.put_fields(self.paths.as_deref(), &mut out);
        out.push(b'}');
        out
    }

    /// Appends the snapshot as an object of the list that `snapshots --json` prints. There the
    /// paths are sorted.
    pub fn put_listed(&self, id: Id, out: &mut Vec<u8>) {
        let mut paths = self.paths.clone();
        if let Some(paths) = &mut paths {
            paths.sort_unstable();
        }
        self.put_fields(paths.as_deref(), out);
        put_ids(id, out);
        out.push(b'}');
    }

    /// Appends the first line of `ls --json`, line end included.
    pub fn put_ls_line(&self, id: Id, out: &mut Vec<u8>) {
        self.put_fields(self.paths.as_deref(), out);
        put_ids(id, out);
        out.extend_from_slice(b",\"message_type\":\"snapshot\",\"struct_type\":\"snapshot\"}\n");
    }

    /// An object that is left open.
    fn put_fields(&self, paths: Option<&[String]>, out: &mut Vec<u8>) {
        // Writing to memory can't fail.
        let _ = write!(out, "{{\"time\":\"{}\"", self.time);
        put_id("parent", self.parent, out);
        match self.tree {
            None => out.extend_from_slice(b",\"tree\":null"),
            tree => put_id("tree", tree, out),
        }
        match paths {
            None => out.extend_from_slice(b",\"paths\":null"),
            Some(paths) => put_texts("paths", paths, out),
        }
        put_text("hostname", &self.hostname, out);
        put_text("username", &self.username, out);
        for (name, number) in [("uid", self.uid), ("gid", self.gid)] {
            if number != 0 {
                let _ = write!(out, ",\"{name}\":{number}");
            }
        }
        for (name, texts) in [("excludes", &self.excludes), ("tags", &self.tags)] {
            if !texts.is_empty() {
                put_texts(name, texts, out);
            }
        }
        put_id("original", self.original, out);
        put_text("program_version", &self.program_version, out);
        if let Some(summary) = self.summary {
            out.extend_from_slice(b",\"summary\":");
            summary.put(out);
        }
    }
}

fn put_ids(id: Id, out: &mut Vec<u8>) {
    let _ = write!(out, ",\"id\":\"{id}\",\"short_id\":\"{}\"", id.short());
}

/// An id, unless there is none.
fn put_id(name: &str, id: Option<Id>, out: &mut Vec<u8>) {
    if let Some(id) = id {
        let _ = write!(out, ",\"{name}\":\"{id}\"");
    }
}

/// A string, unless it is empty.
fn put_text(name: &str, text: &str, out: &mut Vec<u8>) {
    if !text.is_empty() {
        let _ = write!(out, ",\"{name}\":");
        put_string(text, out);
    }
}

fn put_texts(name: &str, texts: &[String], out: &mut Vec<u8>) {
    let _ = write!(out, ",\"{name}\":[");
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        put_string(text, out);
    }
    out.push(b']');
}

//! What `blobs find` has found, printed as restic prints it: text, or one list of objects.

use std::io::{self, Write};

use manicule::blobs::find::{FindBy, FindForm, FindRow, FoundObject, Moment, Place};
use manicule::blobs::{BlobKind, FindCall, Id, Kept};

use crate::messages::say;
use crate::print::Print;

/// A list that is being printed.
pub(super) struct Found {
    is_json: bool,
    /// Whether the places of blobs come before what needs them.
    places_first: bool,
    /// The snapshot of the last path, and the number of its paths.
    snapshot: Option<(Id, u64)>,
    is_any: bool,
    is_broken: bool,
}

impl Found {
    pub(super) fn new(call: &FindCall) -> Self {
        Found {
            is_json: call.form == FindForm::Json,
            places_first: call.by == FindBy::Word,
            snapshot: None,
            is_any: false,
            is_broken: false,
        }
    }

    /// Whether anything was found.
    pub(super) fn is_any(&self) -> bool {
        self.is_any
    }

    /// Whether something could not be searched.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    pub(super) fn row(&mut self, row: FindRow<'_>, out: &mut Print) -> io::Result<()> {
        match row {
            FindRow::Path { snapshot, line } => self.path(snapshot, line, out),
            FindRow::Object(object) if self.is_json => {
                let mut text = Vec::new();
                object.put(&mut text);
                self.element(&text, out)
            }
            FindRow::Object(object) => {
                self.is_any = true;
                put_object(&object, out)
            }
            FindRow::Place { kind, id, at: Some((pack, place)) } => {
                self.place(kind, id, pack, &place, out)
            }
            FindRow::Place { kind, id, at: None } => self.absent(kind, id, out),
            FindRow::Gap(why) | FindRow::Note(why) => {
                self.is_broken |= matches!(row, FindRow::Gap(_));
                say(&why);
                Ok(())
            }
        }
    }

    /// What ends the list.
    pub(super) fn finish(&mut self, out: &mut Print) -> io::Result<()> {
        if !self.is_json {
            return Ok(());
        }
        self.end_snapshot(out)?;
        out.write_all(if self.is_any { b"]\n" } else { b"[]\n" })
    }

    fn path(&mut self, snapshot: &Kept, line: &[u8], out: &mut Print) -> io::Result<()> {
        let is_same = self.snapshot.is_some_and(|(id, _)| id == snapshot.id);
        match (self.is_json, is_same) {
            (true, true) => out.write_all(b",")?,
            (true, false) => {
                self.end_snapshot(out)?;
                out.write_all(if self.is_any { b"," } else { b"[" })?;
                out.write_all(b"{\"matches\":[")?;
            }
            (false, true) => {}
            (false, false) => {
                let blank = if self.is_any { "\n" } else { "" };
                let (id, time) = (snapshot.id.short(), clock(snapshot.snapshot.time.moment));
                writeln!(out, "{blank}Found matching entries in snapshot {id} from {time}")?;
            }
        }
        let count = self.snapshot.filter(|_| is_same).map_or(0, |(_, count)| count);
        self.snapshot = Some((snapshot.id, count + 1));
        self.is_any = true;
        out.write_all(line)?;
        if self.is_json { Ok(()) } else { out.write_all(b"\n") }
    }

    fn end_snapshot(&mut self, out: &mut Print) -> io::Result<()> {
        match self.snapshot.take() {
            Some((id, hits)) => write!(out, "],\"hits\":{hits},\"snapshot\":\"{id}\"}}"),
            None => Ok(()),
        }
    }

    /// An object of the list.
    fn element(&mut self, object: &[u8], out: &mut Print) -> io::Result<()> {
        out.write_all(if self.is_any { b"," } else { b"[" })?;
        self.is_any = true;
        out.write_all(object)
    }

    fn place(
        &mut self,
        kind: BlobKind,
        id: Id,
        pack: Id,
        place: &Place,
        out: &mut Print,
    ) -> io::Result<()> {
        if self.is_json {
            return self.element(place_json(kind, id, pack, place).as_bytes(), out);
        }
        self.is_any = true;
        let (offset, len, raw_len) = (place.offset, place.len, place.raw_len);
        if self.places_first {
            return writeln!(out, "{kind} {id} in pack {pack}, offset {offset}, length {len}");
        }
        writeln!(out, "Object belongs to pack {pack}")?;
        writeln!(
            out,
            " ... Pack {}: <Blob ({kind}) {}, offset {offset}, length {len}, uncompressed length {raw_len}>",
            pack.short(),
            id.short()
        )
    }

    /// A blob that no index file has.
    fn absent(&mut self, kind: BlobKind, id: Id, out: &mut Print) -> io::Result<()> {
        if self.is_json {
            return Ok(());
        }
        let short = id.short();
        writeln!(out, "Object {short} with type {kind} not found in the index")
    }
}

/// The object of a place.
fn place_json(kind: BlobKind, id: Id, pack: Id, place: &Place) -> String {
    let (offset, len, raw_len) = (place.offset, place.len, place.raw_len);
    format!(
        "{{\"object_type\":\"place\",\"type\":\"{kind}\",\"id\":\"{id}\",\"pack\":\"{pack}\",\"offset\":{offset},\"length\":{len},\"uncompressed_length\":{raw_len}}}"
    )
}

fn put_object(object: &FoundObject<'_>, out: &mut Print) -> io::Result<()> {
    writeln!(out, "Found {} {}", object.word(), object.id)?;
    let is_file = object.parent.is_some();
    out.write_all(if is_file { b" ... in file " } else { b" ... path " })?;
    out.write_all(object.path)?;
    if let Some(tree) = object.parent {
        write!(out, "\n     (tree {tree})")?;
    }
    writeln!(out, "\n ... in snapshot {} ({})", object.snapshot.short(), clock(object.time.moment))
}

fn clock(moment: Moment) -> String {
    let mut text = Vec::new();
    moment.put_clock(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

//! The general reader of index files: whatever Go's encoder or another's may have written, with
//! restic's verdicts.
//!
//! The first pass finds every error and the list that counts, since the last of several fields of a
//! name does; only then is anything handed out. An index that is `null` or has no packs is an empty
//! one. `supersedes`, which old versions wrote, is one more unknown field, as it is to restic. A
//! list of packs marked for deletion that isn't one is passed over, since restic wouldn't look at
//! it.
//!
//! Bytes:   docs/formats/restic.md

use std::borrow::Cow;

use manicule_core::go::json::{Json, JsonError, Kind};

use crate::blob::{BlobKind, PackedBlob, Place};
use crate::id::Id;

use super::sink::{IndexSink, ListedPack};

/// Reads a whole file. The sink gets nothing of one that has an error.
pub(super) fn read_general<S: IndexSink + ?Sized>(
    text: &[u8],
    sink: &mut S,
) -> Result<(), JsonError> {
    let lists = find_lists(text)?;
    for (list, is_marked) in [(lists.packs, false), (lists.marked, true)] {
        let Some(mut list) = list else { continue };
        each_pack(&mut list, &mut |pack| pack.hand_out(is_marked, sink))?;
    }
    Ok(())
}

/// The lists of an index file that count: readers that are right before them.
#[derive(Default)]
struct Lists<'a> {
    packs: Option<Json<'a>>,
    marked: Option<Json<'a>>,
}

/// Reads everything once.
fn find_lists(text: &[u8]) -> Result<Lists<'_>, JsonError> {
    let mut lists = Lists::default();
    let mut json = Json::new(text);
    if json.object()? {
        while let Some(field) = json.field()? {
            let list = json.clone();
            match field.among(&["packs", "packs_to_delete"]) {
                Some("packs") => {
                    each_pack(&mut json, &mut |_| Ok(()))?;
                    lists.packs = Some(list);
                }
                Some("packs_to_delete") => {
                    json.skip()?;
                    let is_one = each_pack(&mut list.clone(), &mut |_| Ok(())).is_ok();
                    lists.marked = is_one.then_some(list);
                }
                _ => json.skip()?,
            }
        }
    }
    json.end()?;
    Ok(lists)
}

fn each_pack<'a>(
    json: &mut Json<'a>,
    each: &mut dyn FnMut(PackFields<'a>) -> Result<(), JsonError>,
) -> Result<(), JsonError> {
    if json.list()? {
        while json.element()? {
            each(PackFields::read(json)?)?;
        }
    }
    Ok(())
}

/// The fields of a pack. `null` in its place is a pack without any.
struct PackFields<'a> {
    id: Id,
    time: Option<Cow<'a, str>>,
    len: Option<u64>,
    /// A reader right before the list of blobs.
    blobs: Option<Json<'a>>,
}

impl<'a> PackFields<'a> {
    fn read(json: &mut Json<'a>) -> Result<Self, JsonError> {
        let mut pack = PackFields { id: Id([0; 32]), time: None, len: None, blobs: None };
        if !json.object()? {
            return Ok(pack);
        }
        while let Some(field) = json.field()? {
            match field.among(&["id", "blobs", "time", "size"]) {
                Some("id") => pack.id = Id::read(json)?,
                Some("blobs") => {
                    pack.blobs = Some(json.clone());
                    each_blob(json, &mut |_| {})?;
                }
                Some("time") => pack.time = read_time(json)?,
                Some("size") => pack.len = read_len(json)?,
                _ => json.skip()?,
            }
        }
        Ok(pack)
    }

    fn hand_out<S: IndexSink + ?Sized>(
        self,
        is_marked: bool,
        sink: &mut S,
    ) -> Result<(), JsonError> {
        sink.pack(ListedPack { id: self.id, is_marked, time: self.time, len: self.len });
        self.blobs.map_or(Ok(()), |mut json| each_blob(&mut json, &mut |blob| sink.blob(blob)))
    }
}

/// rustic's time. To restic it is an unknown field, which may be anything.
fn read_time<'a>(json: &mut Json<'a>) -> Result<Option<Cow<'a, str>>, JsonError> {
    if json.kind()? == Kind::String {
        return Ok(json.string()?.map(|text| text.decode()));
    }
    json.skip().map(|()| None)
}

/// rustic's length of a pack, as [`read_time`].
fn read_len(json: &mut Json<'_>) -> Result<Option<u64>, JsonError> {
    let len = json.clone().u64().ok().flatten();
    json.skip().map(|()| len)
}

fn each_blob(json: &mut Json<'_>, each: &mut dyn FnMut(PackedBlob)) -> Result<(), JsonError> {
    if json.list()? {
        while json.element()? {
            each(read_blob(json)?);
        }
    }
    Ok(())
}

fn read_blob(json: &mut Json<'_>) -> Result<PackedBlob, JsonError> {
    const FIELDS: [&str; 5] = ["id", "type", "offset", "length", "uncompressed_length"];
    let mut place = Place { offset: 0, len: 0, raw_len: 0 };
    let (mut kind, mut id) = (None, Id([0; 32]));
    if json.object()? {
        while let Some(field) = json.field()? {
            match field.among(&FIELDS) {
                Some("id") => id = Id::read(json)?,
                Some("type") => kind = Some(read_kind(json)?),
                // Above 32 bits restic panics.
                Some("offset") => place.offset = json.u32()?.unwrap_or(place.offset),
                Some("length") => place.len = json.u32()?.unwrap_or(place.len),
                Some("uncompressed_length") => {
                    place.raw_len = json.u32()?.unwrap_or(place.raw_len);
                }
                _ => json.skip()?,
            }
        }
    }
    Ok(PackedBlob { kind, id, place })
}

/// The bytes of the text decide, not what they mean: `"d\u0061ta"` is no kind.
fn read_kind(json: &mut Json<'_>) -> Result<BlobKind, JsonError> {
    json.kind()?;
    let at = json.at();
    match json.raw()? {
        b"\"data\"" => Ok(BlobKind::Data),
        b"\"tree\"" => Ok(BlobKind::Tree),
        other => {
            let got = String::from_utf8_lossy(&other[..other.len().min(40)]);
            Err(JsonError::new(at, "\"data\" or \"tree\"", got))
        }
    }
}

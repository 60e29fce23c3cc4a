//! Bytes into label stores. What a file says is checked against the bytes at hand before memory is
//! taken for it.
//!
//! Bytes:   docs/formats/labels.md

use std::borrow::Cow;

use manicule_core::bytes::{DecodeError, Outline, Reader};

use crate::frame::{Kind, ended, header, section};
use crate::rows::Rows;
use crate::{Ids, LabelFile, Part, Strings};

/// Reads a file. Every sum is compared, every number is in bounds.
pub fn decode(bytes: &[u8]) -> Result<LabelFile<'_>, DecodeError> {
    walk(bytes, &mut |_, _, _| ())
}

/// The parts of a file.
pub fn outline(bytes: &[u8]) -> Result<Outline, DecodeError> {
    let mut outline = Outline::default();
    outline.push(0..8, "header", "magic, version");
    walk(bytes, &mut |kind, range, value| outline.push(range, kind.name(), value))?;
    Ok(outline)
}

type See<'s> = &'s mut dyn FnMut(Kind, std::ops::Range<u64>, String);

fn walk<'a>(bytes: &'a [u8], see: See<'_>) -> Result<LabelFile<'a>, DecodeError> {
    let mut reader = Reader::new(bytes, 0);
    header(&mut reader)?;
    let start = reader.at();
    let mut store = section(&mut reader, Kind::Store)?;
    let is_fixed = below(&mut store, "state", 2)? == 1;
    let boundary = store.varint_u32("boundary")?;
    // A part takes five sections of 13 bytes at least.
    let part_count = below(&mut store, "count of parts", bytes.len() as u64 / 65 + 1)?;
    ended(&store, "bytes behind the state")?;
    let shown = format!("fixed {is_fixed}, boundary {boundary}, parts {part_count}");
    see(Kind::Store, start..reader.at(), shown);
    let alive = marks(&mut reader, Kind::Alive, see)?;
    let hidden = marks(&mut reader, Kind::Hidden, see)?;
    let mut parts = Vec::with_capacity(part_count as usize);
    for _ in 0..part_count {
        parts.push(part(&mut reader, see)?);
    }
    let start = reader.at();
    ended(&section(&mut reader, Kind::End)?, "bytes in the end")?;
    see(Kind::End, start..reader.at(), String::new());
    ended(&reader, "bytes behind the end")?;
    let is_open = parts.last().is_some_and(|part| matches!(part.ids, Ids::From(_)));
    if !is_open {
        let (what, at) = ("an open part, which is the last", reader.at());
        return Err(DecodeError::Corrupt { what, at, want: 1, got: part_count });
    }
    Ok(LabelFile { is_fixed, boundary, alive, hidden, parts })
}

fn marks(reader: &mut Reader<'_>, kind: Kind, see: See<'_>) -> Result<Vec<u64>, DecodeError> {
    let start = reader.at();
    let mut inner = section(reader, kind)?;
    let words = bits(&mut inner, kind.name())?;
    ended(&inner, "bytes behind the bits")?;
    see(kind, start..reader.at(), format!("{} set", ones(&words)));
    Ok(words)
}

fn ones(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn part<'a>(reader: &mut Reader<'a>, see: See<'_>) -> Result<Part<'a>, DecodeError> {
    let start = reader.at();
    let ids = ids(section(reader, Kind::Ids)?)?;
    let shown = match &ids {
        Ids::From(first) => format!("from {first}"),
        Ids::Kept(words) => format!("{} kept", ones(words)),
    };
    see(Kind::Ids, start..reader.at(), shown);

    let start = reader.at();
    let mut inner = section(reader, Kind::Names)?;
    let names = strings(&mut inner, "names")?;
    ended(&inner, "bytes behind the names")?;
    see(Kind::Names, start..reader.at(), format!("{}", names.len()));

    let start = reader.at();
    let mut inner = section(reader, Kind::Values)?;
    let mut values = Vec::with_capacity(names.len());
    for _ in &names {
        values.push(strings(&mut inner, "values")?);
    }
    ended(&inner, "bytes behind the values")?;
    let count: usize = values.iter().map(Vec::len).sum();
    see(Kind::Values, start..reader.at(), format!("{count}"));

    let start = reader.at();
    let sets = sets(section(reader, Kind::Sets)?, names.len() as u64)?;
    see(Kind::Sets, start..reader.at(), format!("{}", sets.len()));

    let start = reader.at();
    let mut inner = section(reader, Kind::Rows)?;
    let row_count = inner.varint_u32("count of series")?;
    let rows = Cow::Borrowed(inner.rest());
    let part = Part { ids, names, values, sets, row_count, rows };
    Rows::new(&part, inner.at()).check()?;
    see(Kind::Rows, start..reader.at(), format!("{row_count}"));
    Ok(part)
}

fn ids(mut reader: Reader<'_>) -> Result<Ids, DecodeError> {
    let is_kept = below(&mut reader, "how ids are given", 2)? == 1;
    let ids = if is_kept {
        Ids::Kept(bits(&mut reader, "ids")?)
    } else {
        Ids::From(reader.varint_u32("first id")?)
    };
    ended(&reader, "bytes behind the ids")?;
    Ok(ids)
}

fn sets(mut reader: Reader<'_>, name_count: u64) -> Result<Vec<Vec<u32>>, DecodeError> {
    let count = at_hand(&mut reader, "count of sets", 2)?;
    let mut sets = Vec::with_capacity(count);
    for _ in 0..count {
        let len = at_hand(&mut reader, "count of a set's names", 1)?;
        let mut set = Vec::with_capacity(len);
        for _ in 0..len {
            set.push(below(&mut reader, "a set's name", name_count)? as u32);
        }
        sets.push(set);
    }
    ended(&reader, "bytes behind the sets")?;
    Ok(sets)
}

fn strings<'a>(reader: &mut Reader<'a>, what: &'static str) -> Result<Strings<'a>, DecodeError> {
    let count = at_hand(reader, what, 1)?;
    let mut strings = Vec::with_capacity(count);
    for _ in 0..count {
        let len = reader.uvarint(what)?;
        strings.push(reader.take(what, usize::try_from(len).unwrap_or(usize::MAX))?);
    }
    Ok(strings)
}

/// Ids have 32 bits, so there are 2^26 words at most.
fn bits(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<u64>, DecodeError> {
    let at = reader.at();
    let count = at_hand(reader, what, 8)?;
    if count > 1 << 26 {
        return Err(DecodeError::Corrupt { what, at, want: 1 << 26, got: count as u64 });
    }
    (0..count).map(|_| reader.u64_le(what)).collect()
}

/// Number of things of at least `len` bytes each: no more than there are bytes for.
fn at_hand(reader: &mut Reader<'_>, what: &'static str, len: u64) -> Result<usize, DecodeError> {
    let at = reader.at();
    let got = reader.uvarint(what)?;
    let want = reader.rest().len() as u64 / len;
    if got > want {
        return Err(DecodeError::Corrupt { what, at, want, got });
    }
    Ok(got as usize)
}

/// A number below an end.
fn below(reader: &mut Reader<'_>, what: &'static str, end: u64) -> Result<u64, DecodeError> {
    let at = reader.at();
    let got = reader.uvarint(what)?;
    if got >= end {
        return Err(DecodeError::Corrupt { what, at, want: end, got });
    }
    Ok(got)
}

//! What a remote read asks.
//!
//! Bytes:   Snappy of a ReadRequest, docs/formats/prometheus-remote-read.md

use super::wire::{Fault, Fields, Value, take_uvarint};

/// Maximum length of a message in bytes, as Prometheus has it.
const MESSAGE_MAX: usize = 32 << 20;

/// A request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ReadRequest {
    pub(super) queries: Vec<Query>,
    /// Numbers of the kinds of answers that are taken, the best first.
    pub(super) accepted: Vec<u64>,
}

/// A query: series of some times.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Query {
    /// Milliseconds since 1970.
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) matchers: Vec<Asked>,
    pub(super) hints: Option<Hints>,
}

/// A matcher, not understood yet.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Asked {
    pub(super) op: u64,
    pub(super) name: Vec<u8>,
    pub(super) value: Vec<u8>,
}

/// What the samples are for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Hints {
    pub(super) function: Vec<u8>,
    /// The times that the function looks at.
    pub(super) start: i64,
    pub(super) end: i64,
}

/// Kind of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AnswerKind {
    Samples,
    Chunks,
}

impl AnswerKind {
    /// The first that is known; samples, if nothing is said.
    pub(super) fn chosen(accepted: &[u64]) -> Option<AnswerKind> {
        if accepted.is_empty() {
            return Some(AnswerKind::Samples);
        }
        accepted.iter().find_map(|kind| match kind {
            0 => Some(AnswerKind::Samples),
            1 => Some(AnswerKind::Chunks),
            _ => None,
        })
    }
}

/// Decodes a request's body.
pub(crate) fn decode(body: &[u8]) -> Result<ReadRequest, Fault> {
    let len = snap::raw::decompress_len(body).map_err(|_| Fault::Snappy)?;
    if body.is_empty() {
        return Err(Fault::Snappy);
    }
    if len > MESSAGE_MAX {
        return Err(Fault::TooLong(len as u64));
    }
    let message = snap::raw::Decoder::new().decompress_vec(body).map_err(|_| Fault::Snappy)?;
    read_request(&message)
}

fn read_request(message: &[u8]) -> Result<ReadRequest, Fault> {
    let mut request = ReadRequest::default();
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1, Value::Bytes(message)) => request.queries.push(query(message)?),
            (2, Value::Number(kind)) => request.accepted.push(kind),
            (2, Value::Bytes(mut kinds)) => {
                while !kinds.is_empty() {
                    request.accepted.push(take_uvarint(&mut kinds)?);
                }
            }
            _ => {}
        }
    }
    Ok(request)
}

fn query(message: &[u8]) -> Result<Query, Fault> {
    let mut query = Query::default();
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1, Value::Number(time)) => query.start = time as i64,
            (2, Value::Number(time)) => query.end = time as i64,
            (3, Value::Bytes(message)) => query.matchers.push(matcher(message)?),
            (4, Value::Bytes(message)) => query.hints = Some(hints(message)?),
            _ => {}
        }
    }
    Ok(query)
}

fn matcher(message: &[u8]) -> Result<Asked, Fault> {
    let mut matcher = Asked::default();
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1, Value::Number(op)) => matcher.op = op,
            (2, Value::Bytes(name)) => matcher.name = name.to_vec(),
            (3, Value::Bytes(value)) => matcher.value = value.to_vec(),
            _ => {}
        }
    }
    Ok(matcher)
}

fn hints(message: &[u8]) -> Result<Hints, Fault> {
    let mut hints = Hints::default();
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (2, Value::Bytes(function)) => hints.function = function.to_vec(),
            (3, Value::Number(time)) => hints.start = time as i64,
            (4, Value::Number(time)) => hints.end = time as i64,
            _ => {}
        }
    }
    Ok(hints)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_that_is_promised_is_not_believed() {
        // 4 GiB less one, and no bytes.
        assert_eq!(decode(b"\xff\xff\xff\xff\x0f"), Err(Fault::TooLong(u32::MAX.into())));
        assert_eq!(decode(b"\xff\xff\xff\x0f"), Err(Fault::Snappy));
        assert_eq!(decode(b""), Err(Fault::Snappy));
        assert_eq!(decode(b"\x00"), Ok(ReadRequest::default()));
    }

    #[test]
    fn the_first_known_kind_is_chosen() {
        for (accepted, want) in [
            (&[][..], Some(AnswerKind::Samples)),
            (&[1, 0], Some(AnswerKind::Chunks)),
            (&[7, 0, 1], Some(AnswerKind::Samples)),
            (&[7], None),
        ] {
            assert_eq!(AnswerKind::chosen(accepted), want);
        }
    }
}

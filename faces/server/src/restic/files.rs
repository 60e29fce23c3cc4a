//! Files of a repository, parts of them, and lists of them.

use std::io::{self, Write};
use std::ops::Range;

use axum::body::Body;
use axum::http::header::{ACCEPT_RANGES, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use manicule::ErrorClass;
use manicule::Failure;
use manicule::blobs::{FileKind, FileName, RawFile};
use manicule::context::Context;
use manicule::watch::Watch;

use super::Served;
use super::asked::{LIST_V1, LIST_V2, ListForm, Part};
use crate::answer::Out;

/// Bytes that are read at once of a file that lies here.
const NEAR_LEN: u64 = 64 << 10;

/// The same of one that lies elsewhere, where each costs a request.
const FAR_LEN: u64 = 4 << 20;

const BYTES: &str = "application/octet-stream";

/// A part of a file, before its bytes are sent.
enum Opened {
    /// It is not in the file.
    NotThere { len: u64 },
    /// All of it was read: it is short.
    Read { len: u64, range: Range<u64>, bytes: Vec<u8> },
    /// It is to be read.
    Open { len: u64, range: Range<u64>, file: RawFile },
}

impl Served {
    /// All files of a kind.
    pub(super) async fn list(&self, kind: FileKind, form: ListForm) -> Result<Response, Failure> {
        let files = self.files.clone();
        let job = move |out: &mut Out, _: &Watch<'_>| {
            let listed = files.list(kind)?;
            let mut between = "[";
            let written = listed.iter().try_for_each(|file| {
                write!(out, "{between}")?;
                between = ",";
                match form {
                    ListForm::Names => write!(out, "\"{}\"", file.id),
                    ListForm::WithLengths => {
                        write!(out, "{{\"name\":\"{}\",\"size\":{}}}", file.id, file.len)
                    }
                }
            });
            let end = if listed.is_empty() { "[]" } else { "]" };
            written.and_then(|()| write!(out, "{end}")).map_err(unsent)
        };
        let body = self.calls.stream(job).await?;
        let media = match form {
            ListForm::Names => LIST_V1,
            ListForm::WithLengths => LIST_V2,
        };
        Ok(([(CONTENT_TYPE, media)], body).into_response())
    }

    /// The length of a file.
    pub(super) async fn look(&self, file: FileName) -> Result<Response, Failure> {
        let files = self.files.clone();
        let len = self.calls.run(move |_| Ok(files.len_of(file)?)).await?;
        Ok(whole(len, Body::empty()))
    }

    /// A file or a part of it.
    pub(super) async fn read(&self, file: FileName, part: Part) -> Result<Response, Failure> {
        let files = self.files.clone();
        let opened = self.calls.run(move |_| {
            let file = files.open(file)?;
            let len = file.len();
            let Ok(range) = part.within(len) else { return Ok(Opened::NotThere { len }) };
            if range.end - range.start > NEAR_LEN {
                return Ok(Opened::Open { len, range, file });
            }
            let mut bytes = vec![0; (range.end - range.start) as usize];
            file.read_at(range.start, &mut bytes).map_err(unread)?;
            Ok(Opened::Read { len, range, bytes })
        });
        let (len, range, body) = match opened.await? {
            Opened::NotThere { len } => return Ok(not_there(len)),
            Opened::Read { len, range, bytes } => (len, range, Body::from(bytes)),
            Opened::Open { len, range, file } => {
                let body = self.send(file, range.clone()).await?;
                (len, range, body)
            }
        };
        Ok(match part {
            Part::All => whole(len, body),
            _ => partial(len, &range, body),
        })
    }

    /// The bytes of a part, as they are read.
    async fn send(&self, file: RawFile, range: Range<u64>) -> Result<Body, Failure> {
        let is_far = self.files.is_far();
        let job = move |out: &mut Out, watch: &Watch<'_>| {
            let step = if is_far { FAR_LEN } else { NEAR_LEN }.min(range.end - range.start);
            let _held =
                Context::current().hold(step).map_err(|over| Failure::new(over.class(), over))?;
            let mut buffer = vec![0; step as usize];
            let mut at = range.start;
            while at < range.end {
                watch.check()?;
                let bytes = &mut buffer[..step.min(range.end - at) as usize];
                file.read_at(at, bytes).map_err(unread)?;
                at += bytes.len() as u64;
                for piece in bytes.chunks(NEAR_LEN as usize) {
                    out.write_all(piece).map_err(unsent)?;
                }
            }
            Ok(())
        };
        self.calls.stream(job).await
    }
}

fn unread(error: io::Error) -> Failure {
    Failure::new(ErrorClass::of_io(&error), error)
}

fn unsent(error: io::Error) -> Failure {
    Failure::new(ErrorClass::Stopped, error)
}

fn whole(len: u64, body: Body) -> Response {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (CONTENT_TYPE, HeaderValue::from_static(BYTES)),
        (CONTENT_LENGTH, len.into()),
        (ACCEPT_RANGES, HeaderValue::from_static("bytes")),
    ];
    (headers, body).into_response()
}

fn partial(len: u64, range: &Range<u64>, body: Body) -> Response {
    let mut response = whole(range.end - range.start, body);
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    let place = format!("bytes {}-{}/{len}", range.start, range.end - 1);
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(CONTENT_RANGE, place);
    }
    response
}

fn not_there(len: u64) -> Response {
    let place = format!("bytes */{len}");
    (StatusCode::RANGE_NOT_SATISFIABLE, [(CONTENT_RANGE, place)]).into_response()
}

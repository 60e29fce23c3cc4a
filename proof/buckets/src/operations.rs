//! What a request does to the objects.

use std::ops::Range;

use crate::answer::Answer;
use crate::list;
use crate::objects::{Object, Objects, TIME};
use crate::parts::Uploads;
use crate::request::{Request, decoded, place};

/// What a bucket holds, finished or not.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) objects: Objects,
    pub(crate) uploads: Uploads,
    /// What listings show, where they lag.
    pub(crate) shown: Option<Objects>,
}

impl State {
    pub(crate) fn answer(&mut self, request: Request) -> Answer {
        let upload = request.asked("uploadId").map(str::to_owned);
        let key = request.place().1.to_owned();
        match (request.method.as_str(), upload, key.as_str()) {
            ("GET", _, "") => list::page(self.shown.as_ref().unwrap_or(&self.objects), &request),
            ("GET" | "HEAD", _, key) => self.get(key, &request),
            ("PUT", Some(id), _) => self.uploads.put(&id, request),
            ("PUT", None, key) => self.put(key, &request),
            ("POST", Some(id), _) => self.uploads.end(&id, &request, &mut self.objects),
            ("POST", None, _) if request.query.contains_key("uploads") => self.uploads.begin(),
            ("POST", None, _) if request.asked("comp") == Some("batch") => self.batch(&request),
            ("DELETE", Some(id), _) => self.uploads.give_up(&id),
            ("DELETE", None, key) => {
                self.objects.by_key.remove(key);
                Answer::of(204)
            }
            _ => Answer::error(405, "MethodNotAllowed", "not known here"),
        }
    }

    fn get(&self, key: &str, request: &Request) -> Answer {
        let Some(object) = self.objects.by_key.get(key) else {
            return Answer::error(404, "NoSuchKey", "no such key");
        };
        if request.header("if-match").is_some_and(|e_tag| e_tag != object.e_tag) {
            return changed();
        }
        let len = object.contents.len();
        let (status, range) = match request.header("range").map(|range| range_of(range, len)) {
            None => (200, 0..len),
            Some(Some(range)) => (206, range),
            Some(None) => {
                let answer = Answer::error(416, "InvalidRange", "the range is past the end");
                return answer.with("content-range", format!("bytes */{len}"));
            }
        };
        let mut answer = described(Answer::of(status), object);
        if status == 206 {
            let said = format!("bytes {}-{}/{len}", range.start, range.end - 1);
            answer = answer.with("content-range", said);
        }
        answer.body = object.contents.read(range);
        answer
    }

    /// Removes the one object that Azure's batch of requests names.
    fn batch(&mut self, request: &Request) -> Answer {
        let text = String::from_utf8_lossy(&request.body);
        let path = text.split("\r\nDELETE /").nth(1).and_then(|it| it.split(' ').next());
        let path = decoded(path.expect("a request within the batch"));
        let is_there = self.objects.by_key.remove(place(&path).1).is_some();
        let status = if is_there { "202 Accepted" } else { "404 Not Found" };
        let body = format!(
            "--part\r\nContent-Type: application/http\r\nContent-ID: 0\r\n\r\n\
             HTTP/1.1 {status}\r\n\r\n\r\n--part--\r\n"
        );
        let answer = Answer { body: body.into_bytes(), ..Answer::of(202) };
        answer.with("content-type", "multipart/mixed; boundary=part")
    }

    /// Puts an object where the conditions hold: of S3 about the ETag, of Google about the
    /// generation.
    fn put(&mut self, key: &str, request: &Request) -> Answer {
        let there = self.objects.by_key.get(key);
        let e_tag = there.map(|object| object.e_tag.as_str());
        let generation = there.map_or(0, |object| object.generation).to_string();
        let wanted = request.header("if-match");
        if wanted.is_some() && there.is_none() {
            return Answer::error(404, "NoSuchKey", "no such key");
        }
        let is_changed = wanted.is_some_and(|wanted| Some(wanted) != e_tag)
            || request.header("if-none-match") == Some("*") && there.is_some()
            || request.header("x-goog-if-generation-match").is_some_and(|it| it != generation);
        if is_changed {
            return changed();
        }
        described(Answer::of(200), &self.objects.put(key, &request.body))
    }
}

fn described(answer: Answer, object: &Object) -> Answer {
    answer
        .with("etag", &object.e_tag)
        .with("last-modified", TIME)
        .with("x-goog-generation", object.generation.to_string())
        .with("accept-ranges", "bytes")
}

fn changed() -> Answer {
    Answer::error(412, "PreconditionFailed", "a condition does not hold")
}

/// A range of bytes that a header asks for, cut at the end; `None` where nothing is left.
fn range_of(header: &str, len: usize) -> Option<Range<usize>> {
    let (first, last) = header.strip_prefix("bytes=").and_then(|it| it.split_once('-'))?;
    let first: usize = first.parse().ok()?;
    let end = last.parse().map_or(len, |last: usize| len.min(last.saturating_add(1)));
    (first < end).then_some(first..end)
}

//! What a request of restic's REST protocol asks for: by its method, its path as it was sent, and
//! two headers. Names are 64 hexadecimal digits, and nothing else becomes a path.

use std::ops::Range;

use manicule::blobs::{FileKind, FileName, Id};

/// The media type by which a client asks for lists with lengths, and that they have then.
pub(super) const LIST_V2: &str = "application/vnd.x.restic.rest.v2";

/// That of lists of names alone.
pub(super) const LIST_V1: &str = "application/vnd.x.restic.rest.v1";

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The names of all files of a kind.
    List(FileKind, ListForm),
    /// The length of a file.
    Look(FileName),
    /// A file, or a part of it.
    Read(FileName, Part),
    /// That a lock be taken, or be gone.
    Lock,
    /// That something be changed.
    Write,
    /// A method that the protocol has not.
    Method,
    /// What no repository has.
    Nothing,
}

/// Form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListForm {
    /// Names.
    Names,
    /// Names and lengths.
    WithLengths,
}

/// Part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it, as none was asked for, or none that can be read.
    All,
    /// From an offset on, up to and with another.
    Between(u64, u64),
    /// The last bytes: their number.
    Last(u64),
}

/// A part that is not in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotThere;

impl Asked {
    /// Reads a request. `path` is as it was sent: nothing in it is decoded.
    pub(super) fn of(method: &str, path: &str, accept: &[u8], range: Option<&[u8]>) -> Asked {
        let Some(place) = Place::of(path) else { return Asked::Nothing };
        match (method, place) {
            ("GET" | "HEAD", Place::Folder(kind)) => Asked::List(kind, ListForm::accepted(accept)),
            ("HEAD", Place::File(file)) => Asked::Look(file),
            ("GET", Place::File(file)) => Asked::Read(file, range.map_or(Part::All, Part::of)),
            ("POST" | "DELETE", Place::File(FileName::Of(FileKind::Lock, _))) => Asked::Lock,
            ("POST" | "PUT" | "PATCH" | "DELETE", _) => Asked::Write,
            _ => Asked::Method,
        }
    }
}

/// What a path leads to.
enum Place {
    Folder(FileKind),
    File(FileName),
}

impl Place {
    fn of(path: &str) -> Option<Place> {
        let path = path.strip_prefix('/')?;
        if path == "config" {
            return Some(Place::File(FileName::Config));
        }
        let (folder, name) = path.split_once('/')?;
        let kind = FileKind::of_folder(folder.as_bytes())?;
        if name.is_empty() {
            return Some(Place::Folder(kind));
        }
        // Ids are read in either case; names have one.
        let is_lower = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        let id = Id::parse(name.as_bytes()).filter(|_| is_lower)?;
        Some(Place::File(FileName::Of(kind, id)))
    }
}

impl ListForm {
    /// The form that a client accepts, by its header.
    fn accepted(accept: &[u8]) -> ListForm {
        let media = |one: &[u8]| {
            let media = one.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
            media.eq_ignore_ascii_case(LIST_V2.as_bytes())
        };
        if accept.split(|byte| *byte == b',').any(media) {
            ListForm::WithLengths
        } else {
            ListForm::Names
        }
    }
}

impl Part {
    /// The part of a header. One that can't be read is as none, and so are several parts: that is
    /// what a server may do.
    fn of(header: &[u8]) -> Part {
        let of = || {
            let (unit, range) = str::from_utf8(header).ok()?.trim().split_once('=')?;
            let (first, last) = range.trim().split_once('-')?;
            if !unit.trim().eq_ignore_ascii_case("bytes") {
                return None;
            }
            match (first.trim(), last.trim()) {
                ("", last) => number(last).map(Part::Last),
                (first, "") => Some(Part::Between(number(first)?, u64::MAX)),
                (first, last) => {
                    let (first, last) = (number(first)?, number(last)?);
                    (first <= last).then_some(Part::Between(first, last))
                }
            }
        };
        of().unwrap_or(Part::All)
    }

    /// Where it lies in a file of a length.
    pub(super) fn within(self, len: u64) -> Result<Range<u64>, NotThere> {
        match self {
            Part::All => Ok(0..len),
            Part::Between(first, last) if first < len => Ok(first..last.saturating_add(1).min(len)),
            Part::Last(count) if count > 0 && len > 0 => Ok(len.saturating_sub(count)..len),
            Part::Between(..) | Part::Last(_) => Err(NotThere),
        }
    }
}

/// A number of digits alone; one that is too large is as large as may be.
fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    fn id() -> Id {
        Id::parse(ID.as_bytes()).expect("an id")
    }

    #[track_caller]
    fn check(method: &str, path: &str, want: Asked) {
        let path = path.replace("ID", ID);
        assert_eq!(Asked::of(method, &path, LIST_V2.as_bytes(), None), want, "{method} {path}");
    }

    #[test]
    fn a_path_is_a_kind_and_an_id() {
        let pack = FileName::Of(FileKind::Pack, id());
        check("GET", "/config", Asked::Read(FileName::Config, Part::All));
        check("HEAD", "/config", Asked::Look(FileName::Config));
        check("GET", "/data/", Asked::List(FileKind::Pack, ListForm::WithLengths));
        check("HEAD", "/keys/", Asked::List(FileKind::Key, ListForm::WithLengths));
        check("GET", "/data/ID", Asked::Read(pack, Part::All));
        check("HEAD", "/data/ID", Asked::Look(pack));
        check("POST", "/locks/ID", Asked::Lock);
        check("DELETE", "/locks/ID", Asked::Lock);
        for (method, path) in [
            ("POST", "/config"),
            ("PUT", "/data/ID"),
            ("DELETE", "/snapshots/ID"),
            ("POST", "/locks/"),
            ("PATCH", "/locks/ID"),
            ("PUT", "/locks/ID"),
        ] {
            check(method, path, Asked::Write);
        }
        check("OPTIONS", "/config", Asked::Method);
    }

    #[test]
    fn nothing_else_is_one() {
        for path in [
            "",
            "/",
            "config",
            "/config/",
            "/keys",
            "//keys/",
            "/data/00/ID",
            "/data//ID",
            "/data/ID/",
            "/data/..",
            "/data/../config",
            "/data/%2e%2e%2fconfig",
            "/data/ID%00",
            "/data/0ID",
            "/data/00112233",
            "/Data/ID",
            "/etc/passwd",
            "/keys/ID?x",
            "/locks/./ID",
        ] {
            check("GET", path, Asked::Nothing);
            check("POST", path, Asked::Nothing);
        }
        let upper = format!("/data/{}", ID.to_uppercase());
        check("GET", &upper, Asked::Nothing);
    }

    #[test]
    fn lists_have_lengths_for_who_accepts_them() {
        for (accept, want) in [
            ("", ListForm::Names),
            ("*/*", ListForm::Names),
            (LIST_V1, ListForm::Names),
            ("application/vnd.x.restic.rest.v22", ListForm::Names),
            ("text/html, APPLICATION/vnd.x.restic.rest.v2;q=0.5", ListForm::WithLengths),
        ] {
            assert_eq!(ListForm::accepted(accept.as_bytes()), want, "{accept}");
        }
    }

    #[track_caller]
    fn check_part(header: &str, want: Result<Range<u64>, NotThere>) {
        assert_eq!(Part::of(header.as_bytes()).within(100), want, "{header}");
    }

    #[test]
    fn parts_of_all_forms() {
        check_part("bytes=0-", Ok(0..100));
        check_part("bytes=0-0", Ok(0..1));
        check_part("bytes=5-9", Ok(5..10));
        check_part("Bytes = 5 - 9", Ok(5..10));
        check_part("bytes=90-1000", Ok(90..100));
        check_part("bytes=99-", Ok(99..100));
        check_part("bytes=-1", Ok(99..100));
        check_part("bytes=-1000", Ok(0..100));
        check_part("bytes=1-99999999999999999999999", Ok(1..100));
        check_part("bytes=-99999999999999999999999", Ok(0..100));
        for header in ["bytes=100-", "bytes=100-200", "bytes=99999999999999999999999-", "bytes=-0"]
        {
            check_part(header, Err(NotThere));
        }
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=9-5",
            "bytes=a-b",
            "bytes=+1-2",
            "rows=0-1",
            "bytes=0-1,5-6",
            "bytes=0--1",
            "bytes=1",
        ] {
            check_part(header, Ok(0..100));
        }
        assert_eq!(Part::All.within(0), Ok(0..0));
        assert_eq!(Part::Between(0, u64::MAX).within(0), Err(NotThere));
    }
}

//! A request of restic's REST protocol asks for files of a repository, or for nothing: whatever its
//! path, the file that it names is one of restic's names, and a part lies within the file.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule::blobs::FileName;

#[path = "../../faces/server/src/restic/asked.rs"]
mod asked;

use asked::{Asked, LIST_V1, LIST_V2, ListForm, Part};

#[derive(Arbitrary, Debug)]
struct Request<'a> {
    method: u8,
    path: &'a str,
    accept: &'a [u8],
    range: Option<&'a [u8]>,
    len: u64,
    /// Digits of a name that is one.
    id: [u8; 32],
    folder: u8,
}

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const FOLDERS: [&str; 5] = ["keys", "locks", "snapshots", "index", "data"];

fuzz_target!(|request: Request<'_>| {
    let method = METHODS[usize::from(request.method) % METHODS.len()];
    look(method, request.path, &request);
    let folder = FOLDERS[usize::from(request.folder) % FOLDERS.len()];
    let id: String = request.id.iter().map(|byte| format!("{byte:02x}")).collect();
    look(method, &format!("/{folder}/{id}"), &request);
    assert_ne!(Asked::of(method, &format!("/{folder}/{id}"), b"", None), Asked::Nothing);
    look(method, &format!("/{folder}/{}", request.path), &request);
});

fn look(method: &str, path: &str, request: &Request<'_>) {
    match Asked::of(method, path, request.accept, request.range) {
        Asked::Look(file) => check_file(file, path),
        Asked::Read(file, part) => {
            check_file(file, path);
            match part.within(request.len) {
                Ok(range) => {
                    assert!(range.start <= range.end && range.end <= request.len);
                    assert!(part == Part::All || !range.is_empty());
                }
                Err(_) => assert_ne!(part, Part::All),
            }
        }
        Asked::List(kind, form) => {
            assert_eq!(path, format!("/{}/", kind.folder()));
            let accepts = |media: &str| request.accept == media.as_bytes();
            assert!(!(accepts(LIST_V2) && form == ListForm::Names));
            assert!(!(accepts(LIST_V1) && form == ListForm::WithLengths));
        }
        Asked::Lock | Asked::Write => assert!(!matches!(method, "GET" | "HEAD" | "OPTIONS")),
        Asked::Method | Asked::Nothing => {}
    }
}

/// What is named is named by nothing but its kind and its digits.
fn check_file(file: FileName, path: &str) {
    match file {
        FileName::Config => assert_eq!(path, "/config"),
        FileName::Of(kind, id) => assert_eq!(path, format!("/{}/{id}", kind.folder())),
    }
}

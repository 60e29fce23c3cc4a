//! Documents and files.

use super::{Golden, quoted};

#[test]
fn documents_are_ranked_with_their_lines_marked() {
    let golden = Golden::serve();
    let found = golden.get("/ui/code/search?place=shards&q=package");
    let files = found["files"].as_array().unwrap();
    assert!(!files.is_empty() && files.len() as u64 <= found["file_count"].as_u64().unwrap());
    let mut marked = 0;
    for line in files
        .iter()
        .flat_map(|file| file["chunks"].as_array().unwrap())
        .flat_map(|own| own.as_array().unwrap())
    {
        let units: Vec<u16> = line["text"].as_str().unwrap().encode_utf16().collect();
        for mark in line["matches"].as_array().unwrap() {
            let at = |end: usize| mark[end].as_u64().unwrap() as usize;
            let text = String::from_utf16(&units[at(0)..at(1)]).unwrap();
            assert_eq!(text.to_lowercase(), "package");
            marked += 1;
        }
    }
    assert!(marked > 0);
    // A document's shown path opens it.
    let with_lines = files.iter().find(|file| !file["chunks"][0].is_null()).unwrap();
    let (shown, line) = (&with_lines["shown"], &with_lines["chunks"][0][0]);
    let path = quoted(shown.as_str().unwrap());
    let file = golden.get(&format!("/ui/code/file?place=shards&path={path}"));
    assert_eq!(file["path"], with_lines["path"]);
    let at = line["number"].as_u64().unwrap() as usize - 1;
    assert_eq!(file["lines"][at], line["text"]);
}

#[test]
fn queries_that_are_none_are_refused() {
    let golden = Golden::serve();
    assert_eq!(golden.refused("/ui/code/search?place=shards&q=%28").0, 400);
    assert_eq!(golden.refused("/ui/code/search?place=small&q=a").0, 400);
    assert_eq!(golden.get("/ui/code/search?place=shards&q=zzzzqqqq")["file_count"], 0);
}

#[test]
fn files_are_those_that_the_tree_lists() {
    let golden = Golden::serve();
    let file = golden.get("/ui/code/file?place=small&path=README.md&line=1");
    assert_eq!(file["first_line"], 1);
    for path in [
        "../small/README.md",
        "/etc/passwd",
        "./README.md",
        "a/../README.md",
        "..",
        ".",
        "nothing.txt",
        "README.md/x",
        "..%2f..%2fshards",
        "README.md\0",
    ] {
        let (status, class, _) =
            golden.refused(&format!("/ui/code/file?place=small&path={}", quoted(path)));
        assert_eq!((status, class.as_str()), (404, "missing"), "{path:?}");
    }
    for path in ["../../shards", "/etc/passwd", "nothing.go"] {
        let target = format!("/ui/code/file?place=shards&path={}", quoted(path));
        assert_eq!(golden.refused(&target).0, 404, "{path:?}");
    }
    assert_eq!(golden.refused("/ui/code/file?place=gaps&path=a").0, 400);
}

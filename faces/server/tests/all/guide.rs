//! What docs/guide/serve-zoekt-and-restic.md shows is what the server answers, and README.md's
//! command serves what it names.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_testkit::golden::golden_folder;

use super::support::serve;

const GUIDE: &str = include_str!("../../../../docs/guide/serve-zoekt-and-restic.md");

/// A request as the guide's calls of curl have it.
struct Call<'c> {
    method: &'c str,
    target: &'c str,
    headers: Vec<(&'c str, String)>,
    body: &'c str,
}

/// Words of a command: what is between apostrophes is one.
fn words(command: &str) -> Vec<&str> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        1 => vec![part],
        _ => part.split_whitespace().collect(),
    });
    words.collect()
}

fn call(command: &str) -> Call<'_> {
    let (mut call, mut words) = (
        Call { method: "GET", target: "", headers: Vec::new(), body: "" },
        words(command).into_iter(),
    );
    assert_eq!((words.next(), words.next()), (Some("curl"), Some("-s")), "{command}");
    while let Some(word) = words.next() {
        let mut value = || words.next().expect(command);
        match word {
            "-d" => (call.method, call.body) = ("POST", value()),
            "-X" => call.method = value(),
            "-r" => call.headers.push(("Range", format!("bytes={}", value()))),
            "-H" => {
                let (name, value) = value().split_once(": ").expect(command);
                call.headers.push((name, value.to_owned()));
            }
            url => call.target = url.strip_prefix("localhost:6264").expect(command),
        }
    }
    call
}

#[test]
fn the_guide_shows_what_is_answered() {
    let (shards, repository) = (golden_folder("code", "shards"), golden_folder("blobs", "v2"));
    let server = serve(&[
        ("shards", &shards.path().join("shards/compound")),
        ("backups", &repository.path().join("repo")),
    ]);
    let blocks = GUIDE.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let calls: Vec<&str> = blocks.flat_map(|block| block.split("$ ").skip(1)).collect();
    assert_eq!(calls.len(), 6);
    for example in calls {
        let (command, shown) = example.split_once('\n').expect(example);
        let Call { method, target, headers, body } = call(command);
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, &**value)).collect();
        let answer = server.send(method, target, &headers, body.as_bytes()).text();
        for line in shown.lines() {
            let is_shown = match line.strip_prefix("...") {
                Some(middle) => answer.contains(middle.trim_end_matches("...")),
                None => answer.trim_end() == line,
            };
            assert!(is_shown, "{command}\n{line}\n{answer}");
        }
    }
}

#[test]
fn the_readme_serves_what_it_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let command = "cargo run --release -p manicule-server -- ";
    let line = readme.lines().find_map(|line| line.strip_prefix(command)).expect("the command");
    let places = line.split(' ').map(|place| {
        let (name, path) = place.split_once('=').expect(line);
        (name, root.join(path))
    });
    let places: Vec<(&str, PathBuf)> = places.collect();
    let paths: Vec<(&str, &Path)> = places.iter().map(|(name, path)| (*name, &**path)).collect();
    let server = serve(&paths);
    let served = server.running.names().iter().map(|(name, kind)| (&**name, &**kind));
    let want = [
        ("metrics", "Prometheus block"),
        ("code", "folder of zoekt shards"),
        ("sources", "source tree"),
    ];
    assert_eq!(served.collect::<Vec<_>>(), want);
}

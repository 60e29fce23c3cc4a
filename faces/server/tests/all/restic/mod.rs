//! restic's REST protocol: what restic 0.19.1 asked over a repository, byte for byte, and what
//! nobody should ask.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use manicule_buckets::Setup;
use manicule_testkit::golden::{golden_file, golden_folder, whole_golden_set};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::support::{Answer, Server, send_to, serve};

const V2: &str = "application/vnd.x.restic.rest.v2";

/// The pack that the kept repository lacks, and its length.
const LARGE: (&str, usize) =
    ("8f7ddd12d3619d5ba47fd63c0de751cddd60437766857c5fa249c56038d977b1", 3_910_956);

/// The repository that was asked: the kept one, with a file of the right length in the place of
/// its large pack; or that of the full set, where the machine has it.
struct Repository {
    folder: TempDir,
    is_whole: bool,
}

impl Repository {
    fn new() -> Repository {
        let folder = golden_folder("blobs", "v2");
        let repository = Repository { is_whole: false, folder };
        let whole = whole_golden_set("the bytes of restic's large pack");
        let pack = repository.pack(LARGE.0);
        fs::create_dir_all(pack.parent().unwrap()).unwrap();
        match whole.map(|set| set.join("repos/v2/data/8f").join(LARGE.0)) {
            Some(file) if file.exists() => {
                fs::copy(file, pack).unwrap();
                Repository { is_whole: true, ..repository }
            }
            _ => {
                let bytes: Vec<u8> = (0..LARGE.1).map(|at| (at % 251) as u8).collect();
                fs::write(pack, bytes).unwrap();
                repository
            }
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    fn pack(&self, id: &str) -> PathBuf {
        self.path().join("data").join(&id[..2]).join(id)
    }

    fn served(&self) -> Server {
        serve(&[("repo", &self.path())])
    }

    /// An id of a kind.
    fn some(&self, kind: &str) -> String {
        let entry = fs::read_dir(self.path().join(kind)).unwrap().next().unwrap().unwrap();
        entry.file_name().into_string().unwrap()
    }
}

fn rows(name: &str) -> Vec<Value> {
    let text = golden_file("blobs", &format!("rest-{name}.jsonl"));
    let rows = text.split(|byte| *byte == b'\n').filter(|row| !row.is_empty());
    rows.map(|row| serde_json::from_slice(row).expect("a row")).collect()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A list as the recorded server spaced it.
fn as_recorded(list: &Value) -> String {
    let items = list.as_array().expect("a list").iter();
    let item = |item: &Value| match item.as_object() {
        None => item.to_string(),
        Some(file) => format!("{{\"name\": {}, \"size\": {}}}", file["name"], file["size"]),
    };
    format!("[{}]", items.map(item).collect::<Vec<_>>().join(", "))
}

/// Asks a recorded request again; how the answer differs.
fn difference(
    address: SocketAddr,
    repository: &Repository,
    row: &Value,
    accept: &str,
) -> Option<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut headers: BTreeMap<String, String> = row["headers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect();
    headers.insert("Accept".to_owned(), accept.to_owned());
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (&**name, &**value)).collect();
    let (method, target) = (text(&row["method"]), text(&row["target"]));
    let got = send_to(address, &method, &target, &headers, b"");
    if got.status != row["status"] {
        return Some(format!("{} instead of {}", got.status, row["status"]));
    }
    let wanted = |name: &str| text(&row["answer"][name]);
    if method == "POST" || method == "DELETE" {
        return None;
    }
    if target.ends_with('/') {
        let list = as_recorded(&serde_json::from_slice(&got.body).unwrap());
        let is_same = got.header("content-type") == wanted("Content-Type")
            && hash(list.as_bytes()) == text(&row["sha256"])
            && list.len().to_string() == wanted("Content-Length");
        return (!is_same).then(|| format!("{} {list}", got.header("content-type")));
    }
    for name in ["Content-Length", "Content-Range"] {
        if got.header(&name.to_lowercase()) != wanted(name) {
            return Some(format!("{name} {} instead of {}", got.header(name), wanted(name)));
        }
    }
    let is_kept = repository.is_whole || !target.ends_with(LARGE.0);
    let is_same = method == "HEAD" || !is_kept || hash(&got.body) == text(&row["sha256"]);
    (!(is_same && got.is_whole)).then(|| "other bytes".to_owned())
}

#[track_caller]
fn check(name: &str, accept: &str, count: usize, is_exempt: impl Fn(&Value) -> bool) {
    let repository = Repository::new();
    let server = repository.served();
    let (mut same, mut wrong) = (0, Vec::new());
    for row in rows(name) {
        let differs = difference(server.address(), &repository, &row, accept);
        match (differs, is_exempt(&row)) {
            (None, false) => same += 1,
            (Some(_), true) => {}
            (differs, _) => wrong.push(format!("{} {}: {differs:?}", row["method"], row["target"])),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(same, count);
}

#[test]
fn all_commands_of_restic_are_answered() {
    check("v2", V2, 947, |_| false);
}

/// Recorded were a server that forgets locks, as ours, and one that refuses them.
#[test]
fn locks_are_taken_and_forgotten() {
    let is_refused = |row: &Value| row["status"] == 403;
    assert_eq!(rows("locks").iter().filter(|row| is_refused(row)).count(), 6);
    check("locks", V2, 104, is_refused);
}

/// restic accepts version 2 in any case; that server had version 1 alone.
#[test]
fn lists_of_names_are_answered() {
    check("version1", "application/vnd.x.restic.rest.v1", 101, |_| false);
}

#[test]
fn a_mount_is_answered() {
    check("mount", V2, 29, |_| false);
}

#[test]
fn a_file_is_given_in_parts_of_all_forms() {
    let repository = Repository::new();
    let server = repository.served();
    let bytes = fs::read(repository.pack(LARGE.0)).unwrap();
    let len = bytes.len();
    let target = format!("/data/{}", LARGE.0);
    let ask = |range: &str| server.send("GET", &target, &[("Range", range)], b"");
    let check = |range: &str, want: std::ops::Range<usize>| {
        let got = ask(range);
        let place = format!("bytes {}-{}/{len}", want.start, want.end - 1);
        assert_eq!((got.status, got.header("content-range")), (206, &*place), "{range}");
        assert!(got.is_whole && got.body == bytes[want], "{range}");
    };
    check("bytes=0-", 0..len);
    check("bytes=0-0", 0..1);
    check("bytes=1000-70000", 1000..70_001);
    check(&format!("bytes={}-", len - 3), len - 3..len);
    check("bytes=-100000", len - 100_000..len);
    check("bytes=5-99999999999999999999999999", 5..len);
    for range in [format!("bytes={len}-"), "bytes=-0".to_owned()] {
        let got = ask(&range);
        assert_eq!((got.status, got.header("content-range")), (416, &*format!("bytes */{len}")));
    }
    for range in ["", "bytes=9-5", "lines=0-1", "bytes=0-1,3-4"] {
        let got = ask(range);
        assert_eq!((got.status, got.body.len(), got.header("content-range")), (200, len, ""));
        assert!(got.body == bytes && got.header("accept-ranges") == "bytes");
    }
    let conditional = [("Range", "bytes=0-0"), ("If-Range", "\"x\"")];
    assert_eq!(server.send("GET", &target, &conditional, b"").status, 200);
    let head = server.send("HEAD", &target, &[("Range", "bytes=0-0")], b"");
    assert_eq!((head.status, head.header("content-length")), (200, &*len.to_string()));
    // A part is never compressed: its client counts its bytes.
    let coded = server.send("GET", &target, &[("Accept-Encoding", "gzip")], b"");
    assert_eq!((coded.header("content-encoding"), coded.body.len()), ("", len));
}

#[test]
fn only_files_of_the_repository_have_an_address() {
    let repository = Repository::new();
    let path = repository.path();
    let secret = repository.folder.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    fs::write(path.join("index/README"), "secret").unwrap();
    let [link, folder, nothing] = ["a", "b", "c"].map(|digit| digit.repeat(64));
    symlink(&secret, path.join("index").join(&link)).unwrap();
    fs::create_dir(path.join("index").join(&folder)).unwrap();
    let server = repository.served();
    let key = repository.some("keys");
    let upper = key.to_uppercase();
    let encoded: String = key.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let long = "a".repeat(60_000);
    for target in [
        "/data/../config",
        "/data/%2e%2e/config",
        "/data/..%2fconfig",
        "/index/README",
        "/index/../../secret",
        "/index/%2e%2e/%2e%2e/secret",
        "/config/",
        "/keys",
        "/key/",
        "//config",
        "/./config",
        "/data/8f/",
        "/locks/x",
        "/snapshots/%00",
        &format!("/index/{link}"),
        &format!("/index/{folder}"),
        &format!("/index/{nothing}"),
        &format!("/keys/{upper}"),
        &format!("/keys/{encoded}"),
        &format!("/keys/{key}/"),
        &format!("/keys/{key}%00"),
        &format!("/keys/./{key}"),
        &format!("/data/8f/{}", LARGE.0),
        &format!("/keys/{long}"),
        &format!("/{long}"),
        &format!("/at/../keys/{key}"),
        &format!("/at/repo/../repo/keys/{key}"),
    ] {
        let shown: String = target.chars().take(60).collect();
        for method in ["GET", "HEAD"] {
            let got = server.send(method, target, &[], b"");
            assert_eq!(got.status, 404, "{method} {shown}");
            assert!(!got.text().contains("secret"), "{shown}");
        }
    }
    assert_eq!(server.get(&format!("/keys/{}", "a".repeat(100_000))).status, 414);
    assert_eq!(server.get(&format!("/keys/{key}")).status, 200);
    assert_eq!(server.get(&format!("/at/repo/keys/{key}?x=..")).status, 200);
}

#[test]
fn nothing_is_written() {
    let repository = Repository::new();
    let server = repository.served();
    let listing = |path: &Path| {
        let mut names = Vec::new();
        add_names(path, &mut names);
        names.sort();
        names
    };
    let before = listing(&repository.path());
    let (id, body) = ("d".repeat(64), vec![7; 3 << 20]);
    for (method, target, want) in [
        ("POST", "/config".to_owned(), 403),
        ("DELETE", "/config".to_owned(), 403),
        ("POST", format!("/data/{id}"), 403),
        ("PUT", format!("/snapshots/{id}"), 403),
        ("DELETE", format!("/keys/{}", repository.some("keys")), 403),
        ("POST", format!("/locks/{id}"), 413),
        ("POST", "/data/x".to_owned(), 404),
        ("OPTIONS", "/config".to_owned(), 405),
    ] {
        assert_eq!(server.send(method, &target, &[], &body).status, want, "{method} {target}");
    }
    let lock = |method: &str| server.send(method, &format!("/locks/{id}"), &[], b"{}").status;
    assert_eq!((lock("POST"), lock("DELETE")), (200, 200));
    assert_eq!(server.get("/locks/").text(), "[]");
    assert_eq!(listing(&repository.path()), before);
}

fn add_names(folder: &Path, names: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_names(&path, names);
        }
        names.push(path);
    }
}

/// Locks that somebody else has taken are those of the repository: shown, and given.
#[test]
fn locks_that_lie_there_are_shown() {
    let repository = Repository::new();
    let id = "e".repeat(64);
    fs::create_dir(repository.path().join("locks")).unwrap();
    fs::write(repository.path().join("locks").join(&id), "a lock").unwrap();
    let server = repository.served();
    let list =
        |server: &Server| -> Answer { server.send("GET", "/locks/", &[("Accept", V2)], b"") };
    assert_eq!(list(&server).text(), format!("[{{\"name\":\"{id}\",\"size\":6}}]"));
    assert_eq!(server.get(&format!("/locks/{id}")).text(), "a lock");
    // It is not ours to remove: a prune may hold it.
    assert_eq!(server.send("DELETE", &format!("/locks/{id}"), &[], b"").status, 200);
    assert!(repository.path().join("locks").join(&id).exists());
}

/// A server that is a program, with an environment of its own.
struct Program {
    child: Child,
    address: SocketAddr,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves a place of a bucket.
fn serve_bucket(bucket: &manicule_buckets::Server, prefix: &str) -> Program {
    let place = format!("repo={}", bucket.address(prefix));
    let mut child = Command::new(env!("CARGO_BIN_EXE_manicule-server"))
        .args(["--listen", "127.0.0.1:0", &place])
        .envs(bucket.variables())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = said.map_while(Result::ok).find_map(|line| {
        let (_, address) = line.split_once("http://")?;
        address.trim_end_matches('/').parse().ok()
    });
    Program { child, address: address.expect("it listens") }
}

#[test]
fn a_repository_in_a_bucket_is_answered_as_one_in_a_folder() {
    let repository = Repository::new();
    let bucket = manicule_buckets::Server::start(Setup::Signed);
    bucket.bring(&repository.path(), "backups/repo/");
    let program = serve_bucket(&bucket, "backups/repo");
    let rows: Vec<Value> = [rows("mount"), rows("version1")].concat();
    assert_eq!(rows.len(), 130);
    for row in rows {
        let is_names = row["answer"]["Content-Type"] == "application/vnd.x.restic.rest.v1";
        let accept = if is_names { "application/vnd.x.restic.rest.v1" } else { V2 };
        let differs = difference(program.address, &repository, &row, accept);
        assert_eq!(differs, None, "{} {}", row["method"], row["target"]);
    }
    let ask = |target: &str| send_to(program.address, "GET", target, &[], b"").status;
    assert_eq!([ask(&format!("/data/{}", "0".repeat(64))), ask("/data/..%2fconfig")], [404; 2]);
    // A part is a look and a range; nothing is listed for it.
    bucket.take_asked();
    let (target, range) = (format!("/data/{}", LARGE.0), [("Range", "bytes=1000-2000")]);
    assert_eq!(send_to(program.address, "GET", &target, &range, b"").body.len(), 1001);
    assert!(bucket.take_asked().requests() <= 2);
}

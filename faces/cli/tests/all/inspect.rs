//! `manicule inspect` and `manicule verify` as a user calls them, and the other kinds in `find`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct House {
    folder: tempfile::TempDir,
}

impl House {
    /// A tree of three files, and no index yet.
    fn new() -> House {
        let house = House { folder: manicule_testkit::tree_folder() };
        for (name, text) in [("a.rs", "fn main() {}\n"), ("sub/b.rs", "let x = 1;\n"), ("c", "")] {
            let path = house.path("tree").join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        house
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    fn call(&self, words: &[&str], code: i32) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_manicule"))
            .args(words)
            .current_dir(self.folder.path())
            .env("MANICULE_CACHE_DIR", self.path("cache"))
            .env_remove("MANICULE_NO_INDEX")
            .env_remove("RESTIC_PASSWORD")
            .env_remove("RESTIC_PASSWORD_FILE")
            .env_remove("RESTIC_PASSWORD_COMMAND")
            .output()
            .expect("it runs");
        let shown = [&output.stdout[..], b"--\n", &output.stderr].concat();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&shown));
        output
    }

    #[track_caller]
    fn out(&self, words: &[&str], code: i32) -> String {
        String::from_utf8(self.call(words, code).stdout).expect("text")
    }

    #[track_caller]
    fn err(&self, words: &[&str], code: i32) -> String {
        String::from_utf8(self.call(words, code).stderr).expect("text")
    }

    /// Builds the index; the files of it, the manifest first.
    fn index(&self) -> Vec<String> {
        std::thread::sleep(std::time::Duration::from_millis(60));
        self.call(&["cache", "build", "tree"], 0);
        let shelf = fs::read_dir(self.path("cache/trees")).expect("shelves").next();
        let shelf = shelf.expect("a shelf").expect("a shelf").path();
        let entries = fs::read_dir(shelf).expect("files");
        let mut files: Vec<String> = entries
            .map(|entry| entry.expect("a file").path().to_str().expect("text").to_owned())
            .filter(|name| !name.ends_with("lock"))
            .collect();
        files.sort();
        files
    }
}

#[test]
fn without_an_index_both_say_how_to_make_one() {
    let house = House::new();
    for (command, code) in [("inspect", 1), ("verify", 2)] {
        let said = house.err(&[command, "tree"], code);
        assert!(said.contains("there is no index of this tree; `manicule cache build"), "{said}");
        assert_eq!(said.lines().count(), 1);
    }
}

#[test]
fn inspect_tells_what_an_index_holds_and_what_has_changed() {
    let house = House::new();
    house.index();
    let told = house.out(&["inspect", "tree/sub"], 0);
    assert!(told.contains("3 files in 2 folders"), "{told}");
    assert!(told.contains("nothing has changed"), "{told}");
    fs::write(house.path("tree/a.rs"), "fn other() {}\n").expect("a file");
    fs::write(house.path("tree/sub/.ignore"), "").expect("a file");
    let told = house.out(&["inspect", "--json", "tree"], 0);
    let told: serde_json::Value = serde_json::from_str(&told).expect("an object");
    assert_eq!((&told["files"], &told["type"]), (&3.into(), &"tree".into()));
    assert_eq!(told["stale"]["files_changed"], 1);
    assert_eq!(told["stale"]["rules_changed"], 1);
    assert_eq!(told["segments"][0]["pieces_live"], 2);
}

#[test]
fn inspect_shows_the_parts_of_a_file_and_their_bytes() {
    let house = House::new();
    let files = house.index();
    let told = house.out(&["inspect", &files[0]], 0);
    let first: Vec<&str> = told.lines().next().unwrap_or_default().split_whitespace().collect();
    assert_eq!(first, ["0..4", "magic", "\"MANT\""]);
    let told = house.out(&["inspect", &files[0], "--hex", "magic"], 0);
    assert_eq!(told, "00000000  4d 41 4e 54                                       |MANT|\n");
    let told = house.out(&["inspect", &files[1], "--hex", "ranks"], 0);
    assert!(told.ends_with("12288 more bytes; --all shows them\n"), "{told}");
    assert_eq!(told.lines().count(), 257);
    assert_eq!(
        house.out(&["inspect", &files[1], "--hex", "ranks", "--all"], 0).lines().count(),
        1024
    );
    assert!(house.err(&["inspect", &files[1], "--hex", "other"], 2).contains("this file has"));
}

#[test]
fn verify_finds_what_is_wrong_and_where() {
    let house = House::new();
    let files = house.index();
    assert!(house.out(&["verify", "tree"], 0).starts_with("ok: 2 files of the index"));
    let both = house.out(&["verify", &files[0], &files[1]], 0);
    for file in &files[..2] {
        assert!(both.contains(&format!("{file}: ok: 1 file of the index")), "{both}");
    }
    let mut bytes = fs::read(&files[1]).expect("a segment");
    bytes[4096 + 17] ^= 1;
    fs::write(&files[1], bytes).expect("a segment");
    let told = house.out(&["verify", "--json", &files[1]], 1);
    let last: serde_json::Value =
        serde_json::from_str(told.lines().last().expect("a line")).expect("an object");
    assert_eq!((&last["type"], &last["ok"]), (&"verified".into(), &false.into()));
    let output = house.call(&["verify", "tree"], 1);
    let (told, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(told.contains(", section present, offset 4096: page checksum: wanted"), "{told}");
    assert!(said.contains("the index was wrong and has been removed"), "{said}");
    let said = house.err(&["verify", "tree"], 2);
    assert!(said.contains("there is no index of this tree"), "{said}");
    assert_eq!(house.out(&["find", "main", "tree"], 0), "tree/a.rs:fn main() {}\n");
}

#[test]
fn a_copy_of_an_index_elsewhere_is_not_removed() {
    let house = House::new();
    let files = house.index();
    fs::create_dir(house.path("copy")).expect("a folder");
    let copies = files.iter().map(|file| {
        let copy = house.path("copy").join(Path::new(file).file_name().expect("a name"));
        fs::copy(file, &copy).expect("a copy");
        copy
    });
    let copies: Vec<PathBuf> = copies.collect();
    let mut bytes = fs::read(&copies[1]).expect("a segment");
    bytes[4096 + 17] ^= 1;
    fs::write(&copies[1], bytes).expect("a segment");
    house.call(&["verify", "copy"], 1);
    assert!(copies.iter().all(|copy| copy.exists()));
    house.call(&["verify", "tree"], 0);
}

#[test]
fn an_index_that_is_being_built_is_told_from_one_that_never_was() {
    let house = House::new();
    let files = house.index();
    let check = |state: &str, said_by_inspect: &str| {
        let listed = house.out(&["cache", "list"], 0);
        let first = listed.lines().next().expect("a line");
        assert!(first.contains(state) && first.ends_with("/tree"), "{listed}");
        assert!(!listed.contains(" d ago"), "{listed}");
        let listed = house.out(&["cache", "list", "--json"], 0);
        let listed: serde_json::Value = serde_json::from_str(&listed).expect("an object");
        assert!(listed["made_seconds_ago"].is_null() && listed["tree"].is_string(), "{listed}");
        let said = house.err(&["inspect", "tree"], 1);
        assert!(said.contains(said_by_inspect), "{said}");
    };
    files.iter().for_each(|file| fs::remove_file(file).expect("a file"));
    check("never finished", "begun and never finished");
    let lock = Path::new(&files[0]).with_file_name("lock");
    let held = fs::File::open(lock).expect("a lock");
    held.lock().expect("the lock");
    check("being built", "is being built");
    held.unlock().expect("the lock");
    house.call(&["cache", "build", "tree"], 0);
    let listed = house.out(&["cache", "list"], 0);
    assert!(listed.contains("3 files  made") && listed.contains("\n1 index, "), "{listed}");
}

#[test]
fn other_kinds_are_named_and_searched_as_text() {
    let house = House::new();
    fs::create_dir_all(house.path("repo/data")).expect("a folder");
    fs::create_dir_all(house.path("repo/keys")).expect("a folder");
    fs::write(house.path("repo/keys").join("0".repeat(64)), "a key").expect("a file");
    fs::write(house.path("repo/config"), "fn main").expect("a file");
    fs::write(house.path("a.nt"), "<fn> <main> \"x\" .\n").expect("a file");
    assert!(house.err(&["verify", "repo"], 2).contains("missing password"));
    let shown = house.out(&["inspect", "repo"], 1);
    assert!(shown.contains("its bytes are not those that it is named by"), "{shown}");
    let found = |words: &[&str]| {
        let output = house.call(words, 0);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(house.err(&["find", "main", "repo"], 2).contains("which needs its password"));
    assert_eq!(found(&["find", "main", "a.nt"]), "<fn> <main> \"x\" .\n");
    let below = house.call(&["find", "-c", "main", "."], 0);
    assert!(String::from_utf8_lossy(&below.stdout).contains("./repo/config:1"));
    let notice = String::from_utf8_lossy(&below.stderr).into_owned();
    assert!(notice.starts_with("manicule: 1 restic repository further down searched"), "{notice}");
}

#[test]
fn what_is_not_there_fails() {
    let house = House::new();
    assert!(!Path::new("nowhere").exists());
    assert!(house.err(&["inspect", "nowhere"], 2).starts_with("manicule: nowhere: "));
    assert!(house.err(&["verify", "tree/a.rs"], 2).contains("is a plain file"));
    assert!(house.err(&["verify", "--hex", "x"], 2).contains("--hex"));
}

const SHARD: &str = "example.org%2Flamps_v16.00000.zoekt";

impl House {
    /// A folder of two shards that zoekt wrote; one has a sidecar with a tombstone.
    fn shards() -> House {
        let house = House::new();
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proof/golden/code/shards");
        fs::create_dir(house.path("shards")).expect("a folder");
        for folder in ["git-ctags", "compound", "tomb"] {
            for entry in fs::read_dir(golden.join(folder)).expect("golden shards") {
                let entry = entry.expect("a shard");
                let to = house.path("shards").join(entry.file_name());
                fs::copy(entry.path(), to).expect("a copy");
            }
        }
        house
    }
}

#[test]
fn inspect_tells_what_a_shard_holds() {
    let house = House::shards();
    let shard = format!("shards/{SHARD}");
    let told = house.out(&["inspect", &shard], 0);
    for part in [
        "17 documents, 23 lines, 426 B of text; 6 symbols",
        "example.org/lamps (id 41)",
        "branches main 62d5f13bb42f, dev ee62d6d6dfb2",
        "contains binary content",
        "266 lists with 393 positions",
        "densest: \"amp\" 7",
        "  postings\n",
    ] {
        assert!(told.contains(part), "{part:?} in\n{told}");
    }
    let told = house.out(&["inspect", "--json", &shard], 0);
    let told: serde_json::Value = serde_json::from_str(&told).expect("an object");
    assert_eq!((&told["type"], &told["documents"]), (&"shard".into(), &17.into()));
    assert_eq!(told["sections"][0]["name"], "fileContents");
    assert_eq!(told["repositories"][0]["branches"][1]["name"], "dev");
    assert_eq!(told["postings"]["list_postings"]["max"], 7);
    let hex = house.out(&["inspect", &shard, "--hex", "languages"], 0);
    assert!(hex.starts_with("000019e3  "), "{hex}");
    assert!(house.err(&["inspect", &shard, "--hex", "other"], 2).contains("this file has"));
}

#[test]
fn inspect_sums_up_a_folder_of_shards() {
    let house = House::shards();
    let told = house.out(&["inspect", "shards"], 0);
    assert!(told.contains("11 documents, 417 B of 2 repositories, 1 tombstone;"), "{told}");
    assert!(told.ends_with("2 shards, 17.7 KB: 28 documents, 843 B of text\n"), "{told}");
    let told = house.out(&["inspect", "--json", "shards"], 0);
    let last: serde_json::Value =
        serde_json::from_str(told.lines().last().expect("a line")).expect("an object");
    assert_eq!((&last["type"], &last["documents"]), (&"shards".into(), &28.into()));
    fs::write(house.path("shards/cut.zoekt"), "12345678").expect("a file");
    let told = house.out(&["inspect", "shards"], 1);
    assert!(told.contains("cut.zoekt  8 B: "), "{told}");
    assert!(told.ends_with("; 1 can't be read\n"), "{told}");
}

#[test]
fn verify_finds_what_is_wrong_with_shards_and_where() {
    let house = House::shards();
    let told = house.out(&["verify", "shards"], 0);
    assert!(told.starts_with("ok: 2 shards (17.7 KB), 28 documents"), "{told}");
    let shard = format!("shards/{SHARD}");
    let mut bytes = fs::read(house.path(&shard)).expect("a shard");
    // In the content of a document: its checksum and the lists of its trigrams show it.
    bytes[30] ^= 1;
    // A category that doesn't exist.
    bytes[6661] = 9;
    fs::write(house.path(&shard), &bytes).expect("a shard");
    for threads in ["1", "4"] {
        let told = house.out(&["verify", "shards", "--threads", threads], 1);
        assert!(told.contains(", section contentChecksums, offset 6507: "), "{told}");
        assert!(told.contains(", section postings, offset "), "{told}");
        let category =
            "section categories, offset 6661: category of document 0: wanted 1 to 8, got 9";
        assert!(told.contains(category), "{told}");
    }
    let told = house.out(&["verify", "--json", &shard], 1);
    let last: serde_json::Value =
        serde_json::from_str(told.lines().last().expect("a line")).expect("an object");
    assert_eq!((&last["type"], &last["ok"]), (&"verified".into(), &false.into()));
    assert_eq!(last["shards"], 1);
    // Of a shard that can't be opened any more, the parts are shown.
    bytes[6955] = b'!';
    fs::write(house.path(&shard), &bytes).expect("a shard");
    let output = house.call(&["inspect", &shard], 1);
    assert!(String::from_utf8_lossy(&output.stdout).contains("repoMetaData"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`manicule verify` tells more"));
    // An invalid sidecar.
    let sidecar = fs::read_dir(house.path("shards")).expect("files");
    let sidecar = sidecar.map(|entry| entry.expect("a file").path());
    let sidecar = sidecar.into_iter().find(|path| path.extension().is_some_and(|e| e == "meta"));
    fs::write(sidecar.expect("a sidecar"), "[{").expect("a file");
    assert!(house.out(&["verify", "shards"], 1).contains(".zoekt.meta, section sidecar, offset 0"));
}

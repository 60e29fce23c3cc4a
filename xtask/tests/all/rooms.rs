//! The table of rooms (STYLE.md): which crate may import which, and what the inner rooms may not
//! know. Read from the manifests as cargo understands them.

use std::process::Command;

use xtask::{blank_comments_and_strings, expect_none, files, root, text, without_tests};

/// A row of the table: a room, and the rooms that its crates may import from.
struct Room {
    name: &'static str,
    may_import: &'static [&'static str],
}

/// The façade is a room of its own: it lies in `faces/`, and the other faces see only it.
const FACADE: &str = "faces/manicule";

/// The C library is a façade too, of two engines. The label store is for callers in C: through the
/// façade it would be in every build of the program, since cargo unites the features that default
/// members ask for.
const FACADE_IN_C: &str = "faces/c";

/// The tools for programs: the program and the server carry the same ones.
const TOOLS: &str = "faces/mcp";

/// The wheel carries the program, so that one installation is both.
const WHEEL: &str = "faces/python";

const ROOMS: &[Room] = &[
    Room { name: "core", may_import: &["core"] },
    Room { name: "formats", may_import: &["core"] },
    Room { name: "io", may_import: &["core", "io"] },
    Room { name: "engines", may_import: &["core", "formats", "io"] },
    // From core the façade takes types only, which a manifest can't show.
    Room { name: FACADE, may_import: &["core", "engines", "io"] },
    Room { name: FACADE_IN_C, may_import: &["core", "engines", "io"] },
    Room { name: TOOLS, may_import: &[FACADE] },
    Room { name: WHEEL, may_import: &[FACADE, "faces"] },
    Room { name: "faces", may_import: &[FACADE, TOOLS] },
    Room {
        name: "proof",
        may_import: &["core", "formats", "io", "engines", FACADE, FACADE_IN_C, "faces", "proof"],
    },
    Room { name: "xtask", may_import: &[] },
];

/// Every crate's tests may use these, whatever its room.
const FOR_TESTS: &[&str] = &["proof"];

fn room_of(folder: &str) -> Option<&'static Room> {
    if let Some(own) = [FACADE, FACADE_IN_C, TOOLS, WHEEL].into_iter().find(|own| *own == folder) {
        return ROOMS.iter().find(|room| room.name == own);
    }
    let first = folder.split('/').next().unwrap_or_default();
    ROOMS.iter().find(|room| room.name == first)
}

/// Fault of one import, if any.
fn fault(from: &str, to: &str, kind: Kind) -> Option<String> {
    let Some(room) = room_of(from) else {
        return Some(format!("{from} is in no room of the table"));
    };
    let Some(target) = room_of(to) else {
        return Some(format!("{from} imports {to}, which is in no room of the table"));
    };
    let allowed = room.may_import.contains(&target.name)
        || (kind == Kind::Tests && FOR_TESTS.contains(&target.name));
    let rule = match room.may_import {
        [] => "nothing of ours".to_owned(),
        rooms => rooms.join(", "),
    };
    (!allowed && from != to)
        .then(|| format!("{from} imports {to}: {} may import {rule}", room.name))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Code,
    Tests,
}

/// Folder of each crate of the workspace, with the folders of ours that it imports.
fn imports() -> Vec<(String, Vec<(String, Kind)>)> {
    let root = root();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(&root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let below_root = |path: &str| {
        let below = std::path::Path::new(path).strip_prefix(&root).expect("below the root");
        below.to_string_lossy().into_owned()
    };
    let import = |dependency: &serde_json::Value| {
        let folder = below_root(dependency["path"].as_str()?);
        let kind = if dependency["kind"] == "dev" { Kind::Tests } else { Kind::Code };
        Some((folder, kind))
    };
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let manifest = below_root(package["manifest_path"].as_str().expect("a path"));
            let folder = manifest.trim_end_matches("Cargo.toml").trim_end_matches('/').to_owned();
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            (folder, dependencies.iter().filter_map(import).collect())
        })
        .collect()
}

#[test]
fn every_import_goes_through_a_door_of_the_table() {
    let faults: Vec<String> = imports()
        .iter()
        .flat_map(|(from, imports)| {
            imports.iter().filter_map(|(to, kind)| fault(from, to, *kind)).collect::<Vec<_>>()
        })
        .collect();
    expect_none("imports that the table of rooms (STYLE.md) does not allow", &faults);
}

#[test]
fn every_crate_stands_in_a_room() {
    let crates = imports();
    assert!(crates.iter().any(|(folder, _)| folder == "core"), "{crates:?}");
    let homeless: Vec<String> = crates
        .into_iter()
        .filter(|(folder, _)| room_of(folder).is_none())
        .map(|(folder, _)| folder)
        .collect();
    expect_none("crates outside of the table of rooms (STYLE.md)", &homeless);
}

#[test]
fn the_table_itself() {
    let rows = [
        ("core", "core/x", Kind::Code, true),
        ("core", "io/store", Kind::Code, false),
        ("formats/tree", "core", Kind::Code, true),
        ("formats/tree", "formats/zoekt", Kind::Code, false),
        ("io/object", "io/store", Kind::Code, true),
        ("io/store", "formats/tree", Kind::Code, false),
        ("engines/code", "formats/tree", Kind::Code, true),
        ("engines/code", "engines/rows", Kind::Code, false),
        ("engines/code", "proof/testkit", Kind::Tests, true),
        ("engines/code", "proof/testkit", Kind::Code, false),
        ("faces/manicule", "engines/code", Kind::Code, true),
        ("faces/manicule", "formats/tree", Kind::Code, false),
        ("faces/cli", "faces/manicule", Kind::Code, true),
        ("faces/cli", "engines/code", Kind::Code, false),
        ("faces/c", "engines/labels", Kind::Code, true),
        ("faces/c", "formats/labels", Kind::Code, false),
        ("faces/c", FACADE, Kind::Code, false),
        ("faces/cli", "faces/c", Kind::Code, false),
        ("faces/python", FACADE, Kind::Code, true),
        ("faces/python", "faces/cli", Kind::Code, true),
        ("faces/python", "engines/graph", Kind::Code, false),
        ("faces/cli", "faces/python", Kind::Code, false),
        ("faces/sql", FACADE, Kind::Code, true),
        ("faces/sql", "faces/cli", Kind::Code, false),
        ("faces/cli", TOOLS, Kind::Code, true),
        ("faces/server", TOOLS, Kind::Code, true),
        (TOOLS, FACADE, Kind::Code, true),
        (TOOLS, "engines/graph", Kind::Code, false),
        (TOOLS, "faces/cli", Kind::Code, false),
        ("proof/bench", "faces/cli", Kind::Code, true),
        ("attic", "core", Kind::Code, false),
    ];
    for (from, to, kind, allowed) in rows {
        assert_eq!(fault(from, to, kind).is_none(), allowed, "{from} -> {to} for {kind:?}");
    }
}

/// Subjects that a room does not know, as the words that would show that it does.
const UNKNOWN: &[(&str, &[&str])] = &[
    ("core/", &["std::fs", "std::thread", "std::time", "std::env", "std::net", "std::process"]),
    ("formats/", &["std::fs", "std::thread", "std::time", "std::env", "std::net", "std::process"]),
    ("engines/", &["std::env", "std::net"]),
    // Publishing goes through `manicule_store::Files`, so that each step of it is tested.
    ("engines/", CHANGES_OF_FILES),
    ("faces/", CHANGES_OF_FILES),
];

const CHANGES_OF_FILES: &[&str] = &[
    "flock(",
    "fs::rename",
    "fs::write(",
    "fs::remove_",
    "File::create",
    "sync_all(",
    "sync_data(",
];

#[test]
fn inner_rooms_know_no_files_threads_and_clocks() {
    let mut faults = Vec::new();
    for name in files().iter().filter(|name| name.ends_with(".rs") && name.contains("/src/")) {
        let rooms = UNKNOWN.iter().filter(|(room, _)| name.starts_with(room));
        let words: Vec<&str> = rooms.flat_map(|(_, words)| words.iter().copied()).collect();
        if words.is_empty() {
            continue;
        }
        let source = text(name).unwrap_or_default();
        let code = blank_comments_and_strings(without_tests(&source));
        for word in words {
            if let Some(line) = code.lines().position(|line| line.contains(word)) {
                faults.push(format!("{name}:{}: {word}", line + 1));
            }
        }
    }
    expect_none("what this room does not know (STYLE.md, the table of rooms)", &faults);
}

//! The examples in docs/formats/zoekt.md: the parts of golden shards, as the code shows them today,
//! and the bytes of some. `UPDATE=1 cargo test` rewrites them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_format_zoekt::outline;
use manicule_testkit::Examples;

/// The sections whose bytes are shown.
const SHOWN: [&str; 9] = [
    "newlines",
    "symbolKindMap",
    "fileSections",
    "runeOffsets",
    "fileEndRunes",
    "subRepos",
    "languages",
    "runeDocSections",
    "trailer",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden(folder: &str) -> Vec<u8> {
    let folder = root().join("proof/golden/code/shards").join(folder);
    let mut entries = fs::read_dir(folder).expect("a folder of golden shards");
    fs::read(entries.next().expect("a shard").expect("a shard").path()).expect("a shard")
}

/// The parts of a shard, then the bytes of some of them.
fn shown(bytes: &[u8], sections: &[&str]) -> String {
    let outline = outline(bytes).expect("a sound shard");
    let mut out = outline.to_string();
    for name in sections {
        let row = outline.rows.iter().find(|row| row.name == *name).expect("a section");
        let _ = writeln!(out, "\n{name}");
        let part = &bytes[row.bytes.start as usize..row.bytes.end as usize];
        for (index, bytes) in part.chunks(16).enumerate() {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let shown =
                |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
            let text: String = bytes.iter().map(shown).collect();
            let at = row.bytes.start + index as u64 * 16;
            let _ = writeln!(out, "{at:08x}  {:<47}  |{text}|", digits.join(" "));
        }
    }
    out
}

#[test]
fn the_document_shows_what_the_code_reads() {
    let mut page = Examples::of("docs/formats/zoekt.md");
    let examples = [
        ("one repository", shown(&golden("git-ctags"), &SHOWN)),
        ("compound", shown(&golden("compound"), &["repos", "reposIDsBitmap"])),
    ];
    for (name, now) in examples {
        page.hold(name, &now);
    }
}

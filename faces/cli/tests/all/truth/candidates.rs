//! Every file in which ripgrep finds something is one that the grams let through: whatever the
//! bytes, and however they are read. Patterns are taken from the files themselves.

use std::ffi::OsString;
use std::fs;

use manicule_testkit::{Rng, trees};

use super::judge::{Judge, seeds};
use super::yard::Yard;

/// Trees in a plain `cargo test`: some ten seconds.
const TREES: u64 = 8;
const FILES: usize = 30;
const CALLS: usize = 40;

/// Flags that change how bytes are read, and what a match is.
const MODES: &[&str] = &[
    "",
    "",
    "",
    "-i",
    "-w",
    "-x",
    "-U",
    "-U --multiline-dotall",
    "--null-data",
    "--crlf",
    "-a",
    "-E none",
    "-a -E none",
    "--mmap",
    "--no-unicode",
    "-S",
    "-z",
    "--binary",
    "-uuu",
    "-U -a",
    "--crlf -U",
    "-a --null-data",
    "--no-unicode -i",
    "-m1",
    "-v",
];

/// Parts of lines.
const ENDS: &[&[u8]] =
    &[b"\n", b"\n", b"\n", b"\r\n", b"\r", b"\n\n", b"\0", b"\x0B", b"\xC2\x85", b"\xE2\x80\xA8"];

#[test]
fn no_file_with_a_match_is_ruled_out() {
    let judge = Judge::find();
    for seed in seeds(TREES) {
        let mut rng = Rng::new(seed);
        let yard = Yard::new(&mut rng);
        let tree = yard.outer.join("bytes");
        fs::create_dir(&tree).expect("a folder");
        let files: Vec<Vec<u8>> = (0..FILES).map(|_| contents(&yard, &mut rng)).collect();
        for (number, bytes) in files.iter().enumerate() {
            fs::write(tree.join(format!("{number}.txt")), bytes).expect("a file");
        }
        std::thread::sleep(std::time::Duration::from_millis(30));
        let place = yard.place(&tree);
        place.build(&tree, &["--threads", "1"]).expect("an index");
        for _ in 0..CALLS {
            let mut words: Vec<OsString> =
                vec!["-j1".into(), rng.pick(&["-l", "-c", "-b", "-o"]).into()];
            words.extend(rng.pick(MODES).split_whitespace().map(OsString::from));
            words.extend(["-e".into(), pattern(&files, &mut rng).into()]);
            if rng.one_in(6) {
                words.extend(["-e".into(), pattern(&files, &mut rng).into()]);
            }
            let (ours, truth) = (place.answer(&[], &words), place.truth(&judge, &words));
            if ours != truth {
                let kept = std::env::var_os("MANICULE_KEEP")
                    .map(|_| yard.place(&tree).current_dir.to_owned());
                let (ours, truth) = (ours.beside(&truth), truth.beside(&ours));
                if kept.is_some() {
                    std::mem::forget(yard);
                }
                panic!(
                    "seed {seed}, tree {kept:?}: {words:?}\n--- ours: {ours}\n--- the truth: {truth}"
                );
            }
        }
    }
}

/// Up to some hundred kilobytes, so that there are several pieces and windows.
fn contents(yard: &Yard, rng: &mut Rng) -> Vec<u8> {
    loop {
        let mut bytes = match rng.below(8) {
            0 => trees::contents(rng),
            1 => b"\xEF\xBB\xBF".to_vec(),
            2 => rng.pick(&[&b"\xFF\xFE"[..], b"\xFE\xFF", b"\xFF", b"\0\0\xFE\xFF"]).to_vec(),
            _ => Vec::new(),
        };
        let len = rng.pick(&[10, 300, 5_000, 40_000, 70_000, 150_000]);
        let line_len = rng.pick(&[3, 12, 12, 200, 20_000, 66_000, 140_000]);
        let end = rng.pick(ENDS);
        while bytes.len() < len {
            let line = rng.below(line_len) + 1;
            let start = bytes.len();
            while bytes.len() - start < line {
                match rng.below(12) {
                    0 => bytes.push(rng.bits() as u8 | 1),
                    1 => bytes.extend_from_slice(b" "),
                    _ => bytes.extend_from_slice(rng.pick(trees::WORDS).as_bytes()),
                }
            }
            bytes.extend_from_slice(if rng.one_in(4) { rng.pick(ENDS) } else { end });
        }
        // A decoded text may have long lines where its bytes have none.
        let is_decoded = [b"\xFF\xFE", b"\xFE\xFF"].iter().any(|mark| bytes.starts_with(*mark));
        if is_decoded {
            bytes.truncate(20_000);
        }
        if yard.is_fit(&bytes) {
            return bytes;
        }
    }
}

/// A part of some file, or something closely related.
fn pattern(files: &[Vec<u8>], rng: &mut Rng) -> String {
    let bytes = loop {
        let file = rng.choose(files);
        if !file.is_empty() {
            let start = rng.below(file.len());
            break &file[start..(start + 2 + rng.below(9)).min(file.len())];
        }
    };
    let mut pattern = String::new();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            pattern += &match rng.below(24) {
                0 => ".".to_owned(),
                1 => "\\w".to_owned(),
                2 => format!("(?:{}|zz)", escape(letter)),
                3 => format!("{}+", escape(letter)),
                4 => format!("[{}x]", escape(letter)),
                5 => format!("{}?", escape(letter)),
                6 => format!("(?i:{})", escape(letter)),
                7 => letter.to_uppercase().map(escape).collect(),
                _ => escape(letter),
            };
        }
        for byte in chunk.invalid() {
            pattern += &format!("(?-u:\\x{byte:02x})");
        }
    }
    match rng.below(10) {
        0 => format!("^{pattern}"),
        1 => format!("{pattern}$"),
        2 => format!("\\b{pattern}"),
        3 => format!("{pattern}|zzqqxx"),
        _ => pattern,
    }
}

fn escape(letter: char) -> String {
    match letter {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\0' => "\\x00".to_owned(),
        letter if letter.is_ascii_alphanumeric() || !letter.is_ascii() => letter.to_string(),
        letter if letter.is_ascii_graphic() => format!("\\{letter}"),
        letter => format!("\\x{{{:x}}}", letter as u32),
    }
}

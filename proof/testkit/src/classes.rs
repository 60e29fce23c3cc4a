//! Golden classes of documents: zoekt's classification of each file of a tree.

use std::collections::HashMap;

/// Language, category and reason of skipping (empty if stored) of a document.
pub type GoldenClass = (String, String, String);

/// The rows of a golden table by document name: path (escaped as in JSON, a byte that is not valid
/// UTF-8 as `\udcXX`), hash, language, category, reason of skipping, with tabs in between.
///
/// # Panics
/// If a row isn't such a row.
pub fn golden_classes(tsv: &[u8]) -> HashMap<Vec<u8>, GoldenClass> {
    let tsv = std::str::from_utf8(tsv).expect("golden tables are text");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, _hash, language, category, skip] = fields[..] else {
            panic!("five fields, not {line:?}");
        };
        (unescape(path), (language.to_owned(), category.to_owned(), skip.to_owned()))
    };
    tsv.lines().map(row).collect()
}

fn unescape(path: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut chars = path.chars();
    let mut high = None;
    while let Some(next) = chars.next() {
        if next != '\\' {
            bytes.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match chars.next().expect("a backslash is followed by something") {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'b' => bytes.push(8),
            'f' => bytes.push(12),
            'u' => {
                let digits: String = chars.by_ref().take(4).collect();
                let unit = u16::from_str_radix(&digits, 16).expect("four hex digits");
                push_unit(unit, &mut high, &mut bytes);
            }
            plain => bytes.push(plain as u8),
        }
    }
    bytes
}

/// Adds a UTF-16 unit: a character, half of one, or a byte that is not valid UTF-8.
fn push_unit(unit: u16, high: &mut Option<u16>, bytes: &mut Vec<u8>) {
    match (high.take(), unit) {
        (Some(first), 0xdc00..=0xdfff) => {
            let pair = char::decode_utf16([first, unit]).next().and_then(Result::ok);
            bytes.extend(pair.expect("a pair").encode_utf8(&mut [0; 4]).bytes());
        }
        (_, 0xd800..=0xdbff) => *high = Some(unit),
        (_, 0xdc80..=0xdcff) => bytes.push(unit as u8),
        (_, unit) => {
            let character = char::from_u32(unit.into()).expect("a character");
            bytes.extend(character.encode_utf8(&mut [0; 4]).bytes());
        }
    }
}

#[test]
fn paths_are_unescaped() {
    let tsv =
        b"a\\u00e9\\n\\udcff\\\\\\ud83d\\ude00 \\\"\t00\tGo\ttest\t\nb\t00\t\tbinary\tbinary\n";
    let classes = golden_classes(tsv);
    assert_eq!(classes.len(), 2);
    let path = [b"a\xc3\xa9\n\xff\\".as_slice(), "\u{1f600} \"".as_bytes()].concat();
    assert_eq!(classes[&path], ("Go".to_owned(), "test".to_owned(), String::new()));
    assert_eq!(classes[&b"b"[..]].2, "binary");
}

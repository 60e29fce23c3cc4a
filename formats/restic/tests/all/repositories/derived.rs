//! Index files as golden `derived` has them, damaged or unusual, made from a real one: accepted
//! where restic accepts them, refused where it refuses them. Where `MANICULE_GOLDEN` has restic's
//! words, the table is compared with them.

use std::fs;

use manicule_format_restic::{
    Decompressor, FileKind, PackedBlob, pack_unpacked, read_index, unpack,
};
use serde_json::{Map, Value, json};

use crate::repositories::support::{LIMIT, Listed, Repository, golden};

/// How a file differs from the real one.
enum Change {
    /// In its JSON.
    Json(fn(&mut Value)),
    /// In the text of its JSON, which then isn't compressed or is.
    Text(fn(String) -> String),
    /// The whole plaintext of the envelope is this.
    Plain(&'static [u8]),
}

use Change::{Json, Plain, Text};

/// restic's verdict.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// As the real file.
    Same,
    /// Accepted, with other entries.
    Other,
    Refused,
}

use Verdict::{Other, Refused, Same};

const CASES: &[(&str, Verdict, Change)] = &[
    ("index-plain-json", Same, Text(|text| text)),
    ("index-spaced-json", Same, Json(|_| {})),
    ("index-other-order", Same, Json(reverse_fields)),
    ("index-unknown-fields", Same, Json(add_unknown_fields)),
    ("index-supersedes", Same, Json(|index| index["supersedes"] = json!(["ab".repeat(32)]))),
    ("index-duplicate-key", Same, Text(|text| format!("{{\"packs\":[],{}", &text[1..]))),
    ("index-escaped-strings", Refused, Text(|text| text.replace("\"data\"", "\"d\\u0061ta\""))),
    ("index-upper-case-ids", Same, Json(upper_case_ids)),
    ("index-key-case", Same, Text(|text| text.replace("\"offset\"", "\"OffSet\""))),
    ("index-no-packs", Other, Plain(b"{\"packs\":[]}\n")),
    ("index-null-packs", Other, Plain(b"{\"packs\":null}\n")),
    ("index-empty-object", Other, Plain(b"{}\n")),
    ("index-array", Refused, Plain(b"[]\n")),
    ("index-old-format-array", Refused, Json(|index| *index = index["packs"].take())),
    ("index-not-json", Refused, Plain(b"{not json")),
    ("index-trailing", Refused, Text(|text| text + "\n{}")),
    ("index-format-3", Refused, Plain(b"\x03abc")),
    ("index-bad-zstd", Refused, Plain(b"\x02abcdefgh")),
    ("index-short-id", Refused, Json(|index| *first_blob(index, "id") = json!("abcd"))),
    ("index-bad-hex", Refused, Json(|index| *first_blob(index, "id") = json!("zz".repeat(32)))),
    ("index-bad-type", Refused, Json(|index| *first_blob(index, "type") = json!("blob"))),
    ("index-negative-offset", Refused, Json(|index| *first_blob(index, "offset") = json!(-1))),
    ("index-float-length", Refused, Text(|text| text.replace("\"offset\":0,", "\"offset\":0.0,"))),
    ("index-wrong-length", Other, Json(|index| *first_blob(index, "length") = json!(77))),
    ("index-gap", Other, Json(|index| *first_blob(index, "offset") = json!(1))),
    ("index-missing-blob", Other, Json(|index| drop(first_blobs(index).pop()))),
    ("index-swapped-ids", Other, Json(swap_ids)),
    ("index-pack-listed-twice", Other, Json(list_twice)),
];

fn first_blobs(index: &mut Value) -> &mut Vec<Value> {
    index["packs"][0]["blobs"].as_array_mut().unwrap()
}

fn first_blob<'a>(index: &'a mut Value, field: &str) -> &'a mut Value {
    &mut index["packs"][0]["blobs"][0][field]
}

fn each_pack(index: &mut Value, change: fn(&mut Map<String, Value>)) {
    let packs = index["packs"].as_array_mut().unwrap();
    packs.iter_mut().for_each(|pack| change(pack.as_object_mut().unwrap()));
}

/// The JSON of these tests has its fields in alphabetical order; here the blobs of a pack are put
/// after its other fields.
fn reverse_fields(index: &mut Value) {
    each_pack(index, |pack| {
        let blobs = pack.remove("blobs").unwrap();
        pack.insert("Blobs".to_owned(), blobs);
    });
}

fn add_unknown_fields(index: &mut Value) {
    each_pack(index, |pack| {
        pack.insert("time".to_owned(), json!("2025-01-01T00:00:00+00:00"));
        pack.insert("size".to_owned(), json!(12345));
        for blob in pack["blobs"].as_array_mut().unwrap() {
            blob["later"] = json!({ "nested": [1, 2, { "a": "}]\\\"" }] });
        }
    });
    index["before"] = json!([[]]);
    index["packs_to_delete"] = json!([]);
    index["after"] = Value::Null;
}

fn upper_case_ids(index: &mut Value) {
    each_pack(index, |pack| pack["id"] = json!(pack["id"].as_str().unwrap().to_uppercase()));
}

fn swap_ids(index: &mut Value) {
    let blobs = first_blobs(index);
    let first = blobs[0]["id"].take();
    blobs[0]["id"] = blobs[1]["id"].take();
    blobs[1]["id"] = first;
}

fn list_twice(index: &mut Value) {
    let packs = index["packs"].as_array_mut().unwrap();
    packs.push(packs[0].clone());
}

/// Packs and blobs, sorted: what the order of fields and lists doesn't change.
fn listed(json: &[u8]) -> Result<Vec<(String, Vec<PackedBlob>)>, String> {
    let mut listed = Listed::default();
    read_index(json, &mut listed).map_err(|error| error.to_string())?;
    Ok(listed.packs.into_iter().map(|(pack, blobs)| (pack.id.to_string(), blobs)).collect())
}

/// The plaintext of a changed file.
fn changed(change: &Change, json: &[u8]) -> Vec<u8> {
    match change {
        Json(change) => {
            let mut index = serde_json::from_slice(json).unwrap();
            change(&mut index);
            serde_json::to_vec_pretty(&index).unwrap()
        }
        Text(change) => change(String::from_utf8(json.to_vec()).unwrap()).into_bytes(),
        Plain(plain) => plain.to_vec(),
    }
}

#[test]
fn changed_index_files_are_judged_as_restic_does() {
    let repository = Repository::of_archive("unused");
    let files = repository.files(FileKind::Index);
    let jsons = files.iter().map(|(id, path)| repository.unpacked(*id, path));
    let json = jsons.max_by_key(Vec::len).unwrap();
    let same = listed(&json).unwrap();
    let mut decompressor = Decompressor::new();
    for (name, verdict, change) in CASES {
        let plain = changed(change, &json);
        // As it is, and compressed, where the first byte doesn't say what it is.
        let is_json = plain[0] > 3;
        let packed =
            if is_json { pack_unpacked(repository.config.version, &plain) } else { plain.clone() };
        for plain in [plain, packed] {
            let json = unpack(repository.config.version, &plain, LIMIT, &mut decompressor);
            let got = json.map_err(|error| error.to_string()).and_then(listed);
            let got = match &got {
                Ok(entries) if *entries == same => Same,
                Ok(_) => Other,
                Err(_) => Refused,
            };
            assert_eq!(got, *verdict, "{name}");
        }
    }
}

#[test]
fn the_table_says_what_restic_said() {
    let Some(golden) = golden() else {
        return println!("left out: restic's words, where MANICULE_GOLDEN has no repos");
    };
    for (name, verdict, _) in CASES {
        let words =
            fs::read_to_string(golden.join(format!("expected/derived/{name}.txt"))).unwrap();
        let of_list = words.split("$ restic").nth(1).unwrap();
        let is_refused = of_list.contains("--- exit 1");
        assert_eq!(is_refused, *verdict == Refused, "{name}");
    }
}

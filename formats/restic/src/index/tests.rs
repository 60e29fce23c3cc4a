//! The fast scanner judged by the general reader, and Go's verdicts about index files by tables.

use manicule_testkit::Rng;

use super::general::read_general;
use super::scan::scan;
use super::*;
use crate::blob::{BlobKind, PackedBlob, Place};
use crate::id::Id;

/// What a file lists, as it was handed out.
#[derive(Clone, Debug, Default, PartialEq)]
struct Listed {
    packs: Vec<(ListedPack<'static>, Vec<PackedBlob>)>,
    restart_count: u32,
}

impl IndexSink for Listed {
    fn pack(&mut self, pack: ListedPack<'_>) {
        let time = pack.time.map(|time| time.into_owned().into());
        self.packs.push((ListedPack { time, ..pack }, Vec::new()));
    }

    fn blob(&mut self, blob: PackedBlob) {
        self.packs.last_mut().expect("a blob lies in a pack").1.push(blob);
    }

    fn restart(&mut self) {
        self.packs.clear();
        self.restart_count += 1;
    }
}

fn read(json: impl AsRef<[u8]>) -> Result<Listed, manicule_core::go::json::JsonError> {
    let mut listed = Listed::default();
    let read = read_index(json.as_ref(), &mut listed);
    if read.is_err() {
        assert!(listed.packs.is_empty(), "nothing of a file with an error counts");
    }
    read.map(|_| listed)
}

fn random_number(rng: &mut Rng) -> u32 {
    (rng.bits() >> (32 + rng.below(32))) as u32
}

fn random_id(rng: &mut Rng) -> Id {
    Id(std::array::from_fn(|_| rng.bits() as u8))
}

fn random_blob(rng: &mut Rng) -> PackedBlob {
    let raw_len = if rng.one_in(3) { 0 } else { random_number(rng) };
    let place = Place { offset: random_number(rng), len: random_number(rng), raw_len };
    let kind = Some(rng.pick(&[BlobKind::Data, BlobKind::Tree]));
    PackedBlob { kind, id: random_id(rng), place }
}

fn random_index(rng: &mut Rng, pack_count: usize) -> (Vec<u8>, Listed) {
    let (mut writer, mut listed) = (IndexWriter::new(), Listed::default());
    for _ in 0..pack_count {
        let id = random_id(rng);
        writer.pack(&id);
        listed.pack(ListedPack::new(id));
        for _ in 0..rng.below(5) {
            let blob = random_blob(rng);
            writer.blob(&blob);
            listed.blob(blob);
        }
    }
    (writer.finish(), listed)
}

#[test]
fn marked_packs_are_written_after_the_others_and_come_back() {
    let mut rng = Rng::new(2);
    for pack_count in 0..3 {
        let (mut writer, mut want) = (IndexWriter::new(), Listed::default());
        for _ in 0..pack_count {
            let (id, blob) = (random_id(&mut rng), random_blob(&mut rng));
            writer.pack(&id);
            writer.blob(&blob);
            want.packs.push((ListedPack::new(id), vec![blob]));
        }
        for (time, len) in [(None, None), (Some("2026-01-01T00:00:00+00:00"), Some(77))] {
            let (id, blob) = (random_id(&mut rng), random_blob(&mut rng));
            let pack = ListedPack { id, is_marked: true, time: time.map(Into::into), len };
            writer.marked(&pack);
            writer.blob(&blob);
            want.packs.push((pack, vec![blob]));
        }
        let got = read(writer.finish()).expect("it is read");
        assert_eq!(got.packs, want.packs);
    }
}

#[test]
fn what_is_written_is_read_by_both_ways() {
    let mut rng = Rng::new(1);
    for round in 0..500 {
        let (json, want) = random_index(&mut rng, round % 7);
        let (mut fast, mut general) = (Listed::default(), Listed::default());
        assert_eq!(scan(&json, &mut fast), Some(()), "round {round}");
        assert_eq!(read_general(&json, &mut general), Ok(()));
        assert_eq!((&fast, &general), (&want, &want), "round {round}");
    }
}

#[test]
fn the_scanner_accepts_nothing_that_the_general_reader_reads_otherwise() {
    let mut rng = Rng::new(2);
    let (mut fast_count, mut general_count) = (0, 0);
    for round in 0..30_000 {
        let (mut json, _) = random_index(&mut rng, 1 + round % 3);
        mutate(&mut json, &mut rng);
        if rng.one_in(2) && !json.is_empty() {
            mutate(&mut json, &mut rng);
        }
        let (mut fast, mut general) = (Listed::default(), Listed::default());
        let general_read = read_general(&json, &mut general);
        if scan(&json, &mut fast).is_some() {
            assert_eq!(general_read, Ok(()), "{}", String::from_utf8_lossy(&json));
            assert_eq!(fast, general, "{}", String::from_utf8_lossy(&json));
            fast_count += 1;
        }
        general_count += u32::from(general_read.is_ok());
        let read = read(&json).map(|listed| listed.packs);
        assert_eq!(read, general_read.map(|()| general.packs));
    }
    assert!(fast_count > 1_500 && general_count > fast_count, "{fast_count}, {general_count}");
}

/// One edit: a byte changed, left out or put in; a digit; a blank; a part cut off or said twice.
fn mutate(json: &mut Vec<u8>, rng: &mut Rng) {
    let at = rng.below(json.len());
    match rng.below(7) {
        0 => json[at] = rng.bits() as u8,
        1 => drop(json.remove(at)),
        2 => json.insert(at, rng.pick(b" \n\t,0123456789{}[]\"eE.-+nA")),
        3 => json[at] = rng.pick(b"0123456789abcdefABCDEF"),
        4 => json.truncate(at),
        5 => {
            let end = at + rng.below(json.len() - at);
            let part = json[at..end].to_vec();
            json.splice(at..at, part);
        }
        _ => {
            let words: [&[u8]; 4] = [b",", b":", b"}", b"]"];
            let word = rng.pick(&words);
            if let Some(place) = json[at..].windows(1).position(|byte| byte == word) {
                json.insert(at + place, b' ');
            }
        }
    }
}

const PACK: &str = "13fd666a13fd666a13fd666a13fd666a13fd666a13fd666a13fd666a13fd666a";
const BLOB: &str = "c2756086c2756086c2756086c2756086c2756086c2756086c2756086c2756086";

/// An index with one blob, whose fields are these.
fn one_blob(fields: &str) -> String {
    format!("{{\"packs\":[{{\"id\":\"{PACK}\",\"blobs\":[{{{fields}}}]}}]}}")
}

#[test]
fn files_that_restic_accepts() {
    let plain = format!("\"id\":\"{BLOB}\",\"type\":\"data\",\"offset\":0,\"length\":49");
    let place = Place { offset: 0, len: 49, raw_len: 0 };
    let blob = PackedBlob { kind: Some(BlobKind::Data), id: Id([0; 32]), place };
    let blob = PackedBlob { id: Id::parse(BLOB.as_bytes()).unwrap(), ..blob };
    let pack = ListedPack::new(Id::parse(PACK.as_bytes()).unwrap());
    let nothing = PackedBlob { kind: None, id: Id([0; 32]), place: Place { len: 0, ..place } };
    let upper = plain.replace(BLOB, &BLOB.to_uppercase());
    for (fields, want) in [
        (plain.clone(), blob),
        (upper, blob),
        (plain.replace("offset", "OffSet").replace("id", "ID"), blob),
        (plain.replace(',', " ,\r\n\t").replace(':', " : "), blob),
        (format!("\"later\":{{\"a\":[1,\"}}]\\\\\\\"\"]}},{plain},\"supersedes\":1"), blob),
        (format!("\"length\":7,\"length\":null,\"id\":\"{PACK}\",{plain}"), blob),
        (format!("{plain},\"length\":null,\"uncompressed_length\":0"), blob),
        (plain.replace("\"type\":\"data\",", ""), PackedBlob { kind: None, ..blob }),
        (plain.replace("\"offset\"", "\"o\\u0066fset\""), blob),
        (format!("\"\u{fffd}\":\"\u{1f600}\",{plain}"), blob),
        (String::new(), nothing),
    ] {
        let listed = read(one_blob(&fields)).unwrap_or_else(|error| panic!("{fields}: {error}"));
        assert_eq!(listed.packs, [(pack.clone(), vec![want])], "{fields}");
    }
    let mut bytes = one_blob(&format!("\"x\":\"?\",{plain}")).into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xff;
    assert_eq!(read(bytes).unwrap().packs.len(), 1, "a string that isn't UTF-8");
}

#[test]
fn files_without_packs_are_empty() {
    for text in [
        "{\"packs\":[]}\n",
        "{\"packs\":[]}",
        "{\"packs\":null}\n",
        "{}",
        "null",
        " {\"Packs\" : [ ] } ",
        "{\"packs\":[],\"packs\":null}",
        "{\"supersedes\":[\"x\"]}",
        "{\"packs_to_delete\":5}",
    ] {
        let listed = read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(listed.packs, [], "{text}");
        let is_canonical = ["{\"packs\":[]}\n", "{\"packs\":[]}"].contains(&text);
        assert_eq!(listed.restart_count, u32::from(!is_canonical), "{text}");
    }
    for text in ["{\"packs\":[null]}", "{\"packs\":[{\"blobs\":null}]}", "{\"packs\":[{}]}"] {
        let listed = read(text).unwrap();
        assert_eq!(listed.packs, [(ListedPack::new(Id([0; 32])), vec![])], "{text}");
    }
}

#[test]
fn files_that_restic_refuses_and_where() {
    let id = format!("\"id\":\"{BLOB}\"");
    let start = one_blob("").len() - "}]}]}".len();
    for (fields, at) in [
        ("\"id\":\"abcd\"".to_owned(), 5),
        (format!("\"id\":\"{}\"", "zz".repeat(32)), 5),
        ("\"id\":null".to_owned(), 5),
        (format!("\"id\":\"\\u0063{}\"", &BLOB[6..]), 5),
        ("\"type\":\"blob\"".to_owned(), 7),
        ("\"type\":\"d\\u0061ta\"".to_owned(), 7),
        ("\"type\":null".to_owned(), 7),
        ("\"type\":\"Data\"".to_owned(), 7),
        ("\"offset\":-1".to_owned(), 9),
        ("\"offset\":0.0".to_owned(), 9),
        ("\"offset\":1e2".to_owned(), 9),
        ("\"offset\":\"1\"".to_owned(), 9),
        ("\"offset\":4294967296".to_owned(), 9),
        ("\"length\":18446744073709551616".to_owned(), 9),
        ("\"length\":01".to_owned(), 10),
        (format!("{id},"), 72),
        (format!("{id} {id}"), 72),
        ("\"x\":tru".to_owned(), 7),
    ] {
        let error = read(one_blob(&fields)).expect_err(&fields);
        assert_eq!(error.at, start as u64 + at, "{fields}: {error}");
    }
    for (text, at) in [
        ("", 0),
        ("[]", 0),
        ("\u{feff}{}", 0),
        ("{\"packs\":{}}", 9),
        ("{\"packs\":[5]}", 10),
        ("{\"packs\":5,\"packs\":[]}", 9),
        ("{\"packs\":[]}{}", 12),
        ("{\"packs\":[]}\n{}", 13),
        ("{not json", 1),
        ("{\"packs\":[{\"blobs\":7}]}", 19),
        ("{\"packs_to_delete\":[}", 20),
    ] {
        assert_eq!(read(text).expect_err(text).at, at, "{text}");
    }
}

#[test]
fn the_last_of_several_lists_counts() {
    let pack = |id: &str| format!("{{\"id\":\"{id}\",\"blobs\":[]}}");
    let text = format!("{{\"packs\":[{}],\"packs\":[{}]}}", pack(PACK), pack(BLOB));
    let ids = |text: &str| -> Vec<String> {
        read(text).unwrap().packs.iter().map(|(pack, _)| pack.id.to_string()).collect()
    };
    assert_eq!(ids(&text), [BLOB]);
    let text = format!("{{\"packs\":[],{}", &text[1..]);
    assert_eq!(ids(&text), [BLOB], "restic's own case of a field that is there twice");
}

#[test]
fn packs_that_rustic_marked_are_handed_out_as_such() {
    let time = "2026-08-01T10:00:00.5+00:00";
    let marked = format!("{{\"blobs\":[],\"id\":\"{BLOB}\",\"size\":126,\"time\":\"{time}\"}}");
    let text =
        format!("{{\"packs_to_delete\":[{marked}],\"packs\":[{}]}}", marked.replace(BLOB, PACK));
    let [live, gone] = read(&text).unwrap().packs.try_into().unwrap();
    let want = ListedPack {
        id: Id::parse(BLOB.as_bytes()).unwrap(),
        is_marked: true,
        time: Some(time.into()),
        len: Some(126),
    };
    assert_eq!(gone, (want, vec![]));
    assert_eq!((live.0.is_marked, live.0.len), (false, Some(126)));
    // To restic all of these are unknown fields.
    let odd = text.replace("126", "[]").replace(&format!("\"{time}\""), "{\"a\":0}");
    let [live, gone] = read(&odd).unwrap().packs.try_into().unwrap();
    assert_eq!((live.0.time, live.0.len, gone.0.time, gone.0.len), (None, None, None, None));
}

#[test]
fn a_file_cut_anywhere_is_an_error() {
    let (json, _) = random_index(&mut Rng::new(3), 4);
    for len in 0..json.len() - 1 {
        let error = read(&json[..len]).expect_err("a file that was cut");
        assert_eq!(error.at, len as u64, "{error}");
    }
    assert!(read(&json[..json.len() - 1]).is_ok(), "without the line break");
}

#[test]
fn an_index_file_is_full_with_fifty_thousand_blobs() {
    let mut writer = IndexWriter::new();
    let mut rng = Rng::new(4);
    writer.pack(&random_id(&mut rng));
    for count in 0..50_010 {
        assert_eq!(writer.is_full(), count >= 50_000);
        writer.blob(&random_blob(&mut rng));
    }
    assert_eq!((writer.blob_count(), writer.pack_count()), (50_010, 1));
}

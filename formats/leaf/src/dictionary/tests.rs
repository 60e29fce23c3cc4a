//! Dictionaries against plain sorted lists.

use std::collections::BTreeSet;

use manicule_testkit::Rng;

use super::*;
use crate::id::Tag;

const TAGS: [Tag; 5] = [Tag::IRI, Tag::STRING, Tag::TAGGED, Tag::TYPED, Tag::TRIPLE];

fn random_term(rng: &mut Rng) -> Vec<u8> {
    let words: [&[u8]; 8] =
        [b"http://example.org/", b"item", b"/of", b" the ", b"\0", b"\xff", b"#", b"\xc3\xa9"];
    let mut term = Vec::new();
    for _ in 0..rng.below(6) {
        term.extend_from_slice(rng.pick(&words));
    }
    if rng.one_in(2) {
        term.extend_from_slice(rng.below(500).to_string().as_bytes());
    }
    if rng.one_in(50) {
        term.extend_from_slice(&[b'x'; 700]);
    }
    term
}

struct Plain {
    tag: Tag,
    first: u64,
    terms: Vec<Vec<u8>>,
    /// The number of each, less the first.
    numbers: Vec<u32>,
}

fn random_sections(rng: &mut Rng, count_max: usize) -> Vec<Plain> {
    let mut sections = Vec::new();
    for tag in TAGS {
        let count = rng.below(count_max);
        let terms: BTreeSet<Vec<u8>> = (0..count).map(|_| random_term(rng)).collect();
        if terms.is_empty() {
            continue;
        }
        let mut numbers: Vec<u32> = (0..terms.len() as u32).collect();
        if rng.one_in(2) {
            (1..numbers.len()).for_each(|place| numbers.swap(place, rng.below(place + 1)));
        }
        let first = rng.pick(&[0, 5, 1 << 50]);
        sections.push(Plain { tag, first, terms: terms.into_iter().collect(), numbers });
    }
    sections
}

fn written(sections: &[Plain]) -> Vec<u8> {
    let mut writer = DictionaryWriter::new();
    for section in sections {
        writer.begin(section.tag, section.first);
        section.terms.iter().for_each(|term| writer.push(term));
        writer.end(Some(&section.numbers));
    }
    writer.finish()
}

/// Written with samples, and taken as it becomes ready.
fn streamed(sections: &[Plain], rng: &mut Rng) -> Vec<u8> {
    let (mut writer, mut bytes) = (DictionaryWriter::new(), Vec::new());
    for section in sections {
        let mut sample = Sample::default();
        // Of other terms too: a sample needn't be of the section.
        for terms in [&section.terms, &sections[0].terms] {
            let mut part = Sample::default();
            let read = |place: u64, out: &mut Vec<u8>| {
                out.clone_from(&terms[place as usize]);
                Ok::<(), ()>(())
            };
            part.take(terms.len() as u64, read).expect("nothing fails");
            sample.append(&part);
        }
        writer.begin_sampled(section.tag, section.first, &sample);
        for term in &section.terms {
            writer.push(term);
            if writer.ready_len() > 0 && rng.one_in(3) {
                bytes.extend(writer.take());
            }
        }
        writer.end(Some(&section.numbers));
    }
    bytes.extend(writer.finish());
    bytes
}

#[test]
fn terms_are_found_and_read_back() {
    for seed in 0..30 {
        let mut rng = Rng::new(seed);
        let count_max = rng.pick(&[2, 20, 400]);
        let sections = random_sections(&mut rng, count_max);
        let bytes = match seed % 2 {
            0 => written(&sections),
            _ => streamed(&sections, &mut rng),
        };
        let dictionary = Dictionary::open(&bytes).expect("a sound dictionary");
        dictionary.check_pages().expect("sound pages");
        assert!(dictionary.tags().eq(sections.iter().map(|section| section.tag)));
        for plain in &sections {
            let section = dictionary.section(plain.tag).expect("sound").expect("it was written");
            assert_eq!(section.numbers(), plain.first..plain.first + plain.terms.len() as u64);
            assert_eq!(section.is_sorted(), plain.numbers.is_sorted());
            let mut all = Terms::new(section, 0..section.count());
            for (rank, term) in plain.terms.iter().enumerate() {
                let number = plain.first + u64::from(plain.numbers[rank]);
                assert_eq!(section.find(term), Ok(Some(number)), "seed {seed}");
                let mut text = b"-".to_vec();
                section.read(number, &mut text).expect("a sound group");
                assert_eq!(text[1..], **term, "seed {seed}");
                let next = all.next().expect("as many as there are").expect("a sound group");
                assert_eq!(next, (rank as u64, &**term), "seed {seed}");
            }
            assert!(all.next().is_none());
            for _ in 0..50 {
                let other = random_term(&mut rng);
                let rank = plain.terms.partition_point(|term| *term < other) as u64;
                let is_there = plain.terms.binary_search(&other).is_ok();
                assert_eq!(section.place_of(&other), Ok(Place { rank, is_there }), "seed {seed}");
                let prefix = &other[..rng.below(other.len() + 1)];
                let of_prefix = plain.terms.iter().filter(|term| term.starts_with(prefix)).count();
                let ranks = section.ranks_of_prefix(prefix).expect("sound groups");
                assert_eq!(ranks.end - ranks.start, of_prefix as u64, "seed {seed}");
                assert!(
                    ranks.into_iter().all(|rank| plain.terms[rank as usize].starts_with(prefix))
                );
            }
            let some: Vec<u64> =
                (0..40).map(|_| plain.first + rng.below(plain.terms.len()) as u64).collect();
            let read = |index: usize, text: &[u8]| {
                assert_eq!(section.find(text), Ok(Some(some[index])), "seed {seed}");
            };
            Terms::read_each(section, &some, read).expect("sound groups");
        }
    }
}

/// Reads everything. What comes out of damaged bytes doesn't matter.
fn read_all(bytes: &[u8]) -> Option<()> {
    let dictionary = Dictionary::open(bytes).ok()?;
    for section in TAGS.into_iter().filter_map(|tag| dictionary.section(tag).ok().flatten()) {
        let mut text = Vec::new();
        for number in section.numbers() {
            text.clear();
            let _ = section.read(number, &mut text);
            let _ = section.find(&text);
        }
        let mut terms = Terms::new(section, 0..section.count());
        while terms.next().is_some() {}
        let _ = section.ranks_of_prefix(b"http");
    }
    Some(())
}

#[test]
fn every_cut_is_refused_and_every_flipped_bit_is_found() {
    let bytes = written(&random_sections(&mut Rng::new(4), 40));
    let is_sound =
        |bytes: &[u8]| Dictionary::open(bytes).is_ok_and(|read| read.check_pages().is_ok());
    assert!(is_sound(&bytes));
    for len in 0..bytes.len() {
        assert!(Dictionary::open(&bytes[..len]).is_err(), "cut at {len}");
    }
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(!is_sound(&flipped), "flipped at {at}");
    }
}

#[test]
fn pages_that_lie_are_read_without_harm() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let mut bytes = written(&random_sections(&mut rng, 300));
        let Ok(dictionary) = Dictionary::open(&bytes) else { panic!("seed {seed}: sound") };
        let body = dictionary.shape().table_at as usize;
        for _ in 0..=rng.below(5) {
            let at = 16 + rng.below((body - 16).max(1));
            bytes[at] = rng.bits() as u8;
        }
        // The table's own page may be among those that changed: then it is refused.
        let _ = read_all(&bytes);
    }
}

#[test]
fn texts_of_words_take_less_than_half() {
    let mut rng = Rng::new(9);
    let word = |rng: &mut Rng| ["vela", "ko", "tiruma", "sanepo", "bi", "lodaku"][rng.below(6)];
    let texts: BTreeSet<String> =
        (0..400).map(|_| (0..30).map(|_| word(&mut rng)).collect::<Vec<_>>().join(" ")).collect();
    let plain_len: usize = texts.iter().map(String::len).sum();
    let mut writer = DictionaryWriter::new();
    writer.begin(Tag::STRING, 0);
    texts.iter().for_each(|text| writer.push(text.as_bytes()));
    writer.end(None);
    let bytes = writer.finish();
    assert!(bytes.len() * 2 < plain_len, "{} of {plain_len}", bytes.len());
}

#[test]
fn terms_that_become_bytes_as_they_come_take_no_more_than_terms_at_once() {
    let mut rng = Rng::new(3);
    let terms: BTreeSet<Vec<u8>> = (0..20_000)
        .map(|_| format!("http://example.org/of/{}/item", rng.below(1 << 30)).into_bytes())
        .collect();
    let numbers = (0..terms.len() as u32).collect();
    let plain = Plain { tag: Tag::IRI, first: 0, terms: terms.into_iter().collect(), numbers };
    let sections = [plain];
    let (whole, taken) = (written(&sections), streamed(&sections, &mut rng));
    assert!(taken.len() * 100 < whole.len() * 102, "{} beside {}", taken.len(), whole.len());
    let mut writer = DictionaryWriter::new();
    writer.begin_sampled(Tag::IRI, 0, &Sample::default());
    let mut memory_max = 0;
    for term in &sections[0].terms {
        writer.push(term);
        writer.take();
        memory_max = writer.section_memory().max(memory_max);
    }
    let len: usize = sections[0].terms.iter().map(Vec::len).sum();
    assert!(memory_max * 8 < len, "{memory_max} of {len}");
}

#[test]
#[should_panic(expected = "terms rise strictly")]
fn terms_out_of_order_are_our_own_mistake() {
    let mut writer = DictionaryWriter::new();
    writer.begin(Tag::IRI, 0);
    writer.push(b"b");
    writer.push(b"b");
}

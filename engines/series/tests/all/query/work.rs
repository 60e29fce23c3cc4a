//! What answering costs is counted: against the index read plainly.

use std::ops::ControlFlow;

use manicule_format_prometheus::PairIndex;
use manicule_series::query::{Blocks, Work, occurrences};
use manicule_series::{Block, Selector, open_all};
use manicule_testkit::golden_folder;

fn blocks() -> Vec<Block> {
    open_all(&golden_folder("series", "golden").path().join("blocks/api")).unwrap()
}

#[test]
fn looking_for_a_text_counts_what_it_tries_and_reads() {
    let blocks = blocks();
    let index = blocks[0].index();
    let is_match = |text: &[u8]| text.contains(&b'e');
    // What is in the index: each name, each value, and how long the lists of those are that match.
    let mut plain = Work { blocks: 1, ..Work::default() };
    for (name, pairs) in index.names() {
        plain.names_tried += 1;
        for pair in pairs.map(PairIndex) {
            plain.pairs += 1;
            plain.values_tried += 1;
            let times = u64::from(is_match(name)) + u64::from(is_match(index.value(pair)));
            plain.lists_read += times;
            plain.series_matched += times * index.postings(pair).unwrap().len() as u64;
        }
    }
    plain.lists_len = plain.series_matched * 4;
    assert!(
        plain.lists_read > 5 && plain.names_tried > 1 && plain.values_tried > plain.lists_read / 2
    );

    let mut is_match_of = |name: &[u8], value: Option<&[u8]>| is_match(value.unwrap_or(name));
    let mut work = Work::default();
    let go_on = &mut |_: manicule_series::query::Occurrence<'_>| ControlFlow::Continue(());
    occurrences(index, b"", &mut is_match_of, go_on, &mut work).unwrap();
    assert_eq!(work, plain);

    // A text that each match holds spares the values that lack it.
    let mut held = Work::default();
    occurrences(index, b"e", &mut is_match_of, go_on, &mut held).unwrap();
    assert!(held.values_tried < plain.values_tried, "{held:?}");
    assert_eq!(Work { values_tried: plain.values_tried, ..held }, plain);

    let mut first = Work::default();
    let stop = &mut |_: manicule_series::query::Occurrence<'_>| ControlFlow::Break(());
    occurrences(index, b"", &mut |_, _| true, stop, &mut first).unwrap();
    assert_eq!((first.names_tried, first.values_tried), (1, 0), "{first:?}");
}

#[test]
fn asking_blocks_counts_lists_values_and_series() {
    let opened = blocks();
    let blocks = Blocks::new(&opened, None);
    let selector = [Selector::parse("up{instance=~\"h[01].*\"}").unwrap()];
    let mut work = Work::default();
    let mut series = blocks.series(&selector, &mut work).unwrap();
    let mut count = 0;
    while series.next().unwrap().is_some() {
        count += 1;
    }
    // Four series, in both blocks. Each has a list of 12 for the name, and lists of 14 for two of
    // six instances.
    assert_eq!((count, series.decoded_count()), (4, 8));
    let pairs =
        opened.iter().map(|block| block.meta().map_or(0, |_| block.index().pair_count() - 1));
    let want = Work {
        blocks: 2,
        pairs: pairs.sum::<u32>().into(),
        values_tried: 12,
        lists_read: 6,
        lists_len: 2 * 4 * (12 + 14 + 14),
        series_matched: 8,
        ..Work::default()
    };
    assert_eq!(work, want);

    let mut work = Work::default();
    blocks.label_names(&[], &mut work).unwrap();
    assert_eq!(work, Work { blocks: 2, pairs: want.pairs, ..Work::default() });
    blocks.label_values(b"job", &selector, &mut work).unwrap();
    assert_eq!((work.blocks, work.series_matched), (4, 8));
}

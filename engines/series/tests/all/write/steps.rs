//! No step does more than its budget allows: a caller with other work to do is not kept waiting.

use std::cell::Cell;

use manicule_core::sorted::Strings;
use manicule_series::write::{
    ChunksBy, IndexWriter, Joined, Part, Rows, SymbolChoice, WriteOptions,
};

/// Strings that know how often they were looked at.
struct Counted {
    strings: Vec<Vec<u8>>,
    looks: Cell<usize>,
}

impl Strings for Counted {
    fn count(&self) -> u32 {
        self.strings.len() as u32
    }

    fn get(&self, number: u32) -> &[u8] {
        self.looks.set(self.looks.get() + 1);
        &self.strings[number as usize]
    }
}

/// Number of values of one name, and of series; in no order.
const VALUES: u32 = 50_000;

/// 2,048 strings are sorted at once, with some 12 comparisons each, and two looks for each of
/// these.
const LOOKS_MAX: usize = 2 * 16 * 2048;

#[test]
fn a_step_looks_at_few_strings_and_gives_few_bytes() {
    let value =
        |number: u32| format!("value-{:08x}", number.wrapping_mul(0x9e37_79b1)).into_bytes();
    let mut order: Vec<u32> = (0..VALUES).collect();
    order.sort_by_key(|&number| value(number));
    let mut strings = vec![Vec::new(), b"name".to_vec()];
    strings.extend((0..VALUES).map(value));
    let pairs: Vec<(u32, u32)> = (0..VALUES).map(|number| (1, number + 2)).collect();
    let mut labels = Rows::default();
    order.iter().for_each(|&number| labels.push([number]));
    for (symbols, label_indices) in [(SymbolChoice::All, false), (SymbolChoice::Used, true)] {
        let strings = Counted { strings: strings.clone(), looks: Cell::new(0) };
        let source = Joined { labels: &labels, chunks: ChunksBy::new(|_, _| ()) };
        let options = WriteOptions { memory: 1 << 30, symbols, label_indices };
        let pairs = pairs.clone();
        let mut writer = IndexWriter::new(&strings, pairs, source, options);
        assert_eq!(strings.looks.get(), 0, "making a writer is no work");
        let (mut out, mut steps, mut looks) = (Vec::new(), 0, 0);
        while writer.part() != Part::Done {
            out.clear();
            strings.looks.set(0);
            let part = writer.step(&mut out, 1 << 10).unwrap();
            looks += strings.looks.get();
            assert!(strings.looks.get() <= LOOKS_MAX, "{part:?}: {}", strings.looks.get());
            assert!(out.len() <= 1200, "{part:?}: {} bytes", out.len());
            steps += 1;
        }
        assert!(looks > 10 * LOOKS_MAX, "{looks}");
        assert!(steps > writer.len() / 1200, "{steps}");
    }
}

//! How many passes over the series little memory costs.

use std::cell::Cell;

use manicule_core::watch::Watch;
use manicule_series::ChunkMeta;
use manicule_series::write::{Source, WriteError, WriteOptions, write_index};

use crate::write::inputs::PLAIN;

/// Series of three labels that no other one has, counted when the first is asked for.
struct Unique<'c> {
    labels: Vec<[u32; 3]>,
    passes: &'c Cell<u32>,
}

impl Source for Unique<'_> {
    fn labels(&mut self, place: u64) -> Result<Option<&[u32]>, WriteError> {
        self.passes.set(self.passes.get() + u32::from(place == 0));
        Ok(self.labels.get(place as usize).map(|labels| &labels[..]))
    }

    fn chunks(&mut self, _: u64) -> Result<&[ChunkMeta], WriteError> {
        Ok(&[])
    }
}

/// What is held for each list takes more than was allowed, and the lists themselves half a
/// megabyte.
#[test]
fn posting_lists_get_a_share_of_the_memory_whatever_else_takes_it() {
    const COUNT: u32 = 30_000;
    let values = (0..COUNT).map(|number| format!("{number:05}").into_bytes());
    let names = ["a", "b", "c"].map(|name| name.as_bytes().to_vec());
    let strings: Vec<Vec<u8>> = values.chain(names).chain([Vec::new()]).collect();
    let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
    let pairs: Vec<(u32, u32)> =
        (0..COUNT).flat_map(|value| (0..3).map(move |name| (COUNT + name, value))).collect();
    let labels = (0..COUNT).map(|number| [3 * number, 3 * number + 1, 3 * number + 2]);
    let write = |memory: u64| {
        let (passes, mut file) = (Cell::new(0), Vec::new());
        let source = Unique { labels: labels.clone().collect(), passes: &passes };
        let options = WriteOptions { memory, ..PLAIN };
        write_index(
            &strings[..],
            pairs.clone(),
            source,
            options,
            &mut file,
            &Watch::none().silent(),
        )
        .unwrap();
        (passes.get(), file)
    };
    let (one, file) = write(64 << 20);
    let (few, same) = write(1 << 20);
    assert!(same == file);
    assert!(few > one && few <= one + 2, "{few} passes, {one} with much memory");
}

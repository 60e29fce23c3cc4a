//! Numbers of words, each held once.

use std::collections::HashMap;

/// Numbers of words in the order of first sight.
#[derive(Default)]
pub(in crate::shards) struct Words<'w> {
    numbers: HashMap<&'w [u8], u32>,
    pub(in crate::shards) list: Vec<Box<[u8]>>,
}

impl<'w> Words<'w> {
    pub(in crate::shards) fn number(&mut self, word: &'w [u8]) -> u32 {
        *self.numbers.entry(word).or_insert_with(|| {
            self.list.push(word.into());
            (self.list.len() - 1) as u32
        })
    }
}

//! Numbers of words, each held once.

use std::collections::HashMap;

/// Numbers of words in the order of first sight.
#[derive(Default)]
pub(in crate::shards) struct Words {
    numbers: HashMap<Box<[u8]>, u32>,
    pub(in crate::shards) list: Vec<Box<[u8]>>,
}

impl Words {
    pub(in crate::shards) fn number(&mut self, word: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.list.len() as u32;
        self.numbers.insert(word.into(), number);
        self.list.push(word.into());
        number
    }
}

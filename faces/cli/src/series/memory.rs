//! How much memory each command takes unless `--memory` is given, and what it does with it.
//!
//! Callers: series/build, series/index, series/merge, series/rewrite, series/split

use manicule::series::{BUILD_MEMORY, MERGE_MEMORY, WRITE_MEMORY};

use crate::command::shared;
use crate::command::spec::Spec;

/// A command's default, and its flag.
pub(super) struct Memory {
    pub(super) len: u64,
    pub(super) flag: Spec,
}

pub(super) const BUILD: Memory = Memory {
    len: BUILD_MEMORY,
    flag: shared::MEMORY.more(
        "For samples (512MiB, at least 16MiB); more wait in a file in DIR. Labels, and the index of one block, come \
         on top.",
    ),
};

pub(super) const MERGE: Memory = Memory {
    len: MERGE_MEMORY,
    flag: shared::MEMORY.more(
        "For posting lists (256MiB, at least 16MiB); more lists take more passes. Labels and places of chunks come \
         on top.",
    ),
};

pub(super) const INDEX: Memory = Memory {
    len: MERGE_MEMORY,
    flag: shared::MEMORY
        .more("For posting lists (256MiB, at least 16MiB); more lists take more passes."),
};

pub(super) const REWRITE: Memory = Memory {
    len: WRITE_MEMORY,
    flag: shared::MEMORY.more("For posting lists of the index (512MiB, at least 16MiB)."),
};

pub(super) const SPLIT: Memory = Memory {
    len: WRITE_MEMORY,
    flag: shared::MEMORY.more("For posting lists of an index (512MiB, at least 16MiB)."),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MEMORY_MIN;

    #[test]
    fn help_names_the_defaults() {
        for memory in [BUILD, MERGE, INDEX, REWRITE, SPLIT] {
            let want = format!("({}MiB, at least {}MiB)", memory.len >> 20, MEMORY_MIN >> 20);
            assert!(memory.flag.more.contains(&want), "{}", memory.flag.more);
        }
    }
}

//! How much memory each command takes unless `--memory` is given, and what it does with it.

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
    flag: shared::MEMORY.here("Memory for samples, such as 1.5G. Default: 512MiB. Minimum: 16MiB.").more(
        "More samples are spilled to a file in DIR. Labels, and the index of one block, are extra.",
    ),
};

pub(super) const MERGE: Memory = Memory {
    len: MERGE_MEMORY,
    flag: shared::MEMORY
        .here("Memory for posting lists, such as 1.5G. Default: 256MiB. Minimum: 16MiB.")
        .more("Longer lists take more passes. Labels and chunk references are extra."),
};

pub(super) const INDEX: Memory = Memory {
    len: MERGE_MEMORY,
    flag: shared::MEMORY
        .here("Memory for posting lists, such as 1.5G. Default: 256MiB. Minimum: 16MiB.")
        .more("Longer lists take more passes."),
};

pub(super) const REWRITE: Memory = Memory {
    len: WRITE_MEMORY,
    flag: shared::MEMORY.here(
        "Memory for posting lists of the index, such as 1.5G. Default: 512MiB. Minimum: 16MiB.",
    ),
};

pub(super) const SPLIT: Memory = Memory {
    len: WRITE_MEMORY,
    flag: shared::MEMORY.here(
        "Memory for posting lists of an index, such as 1.5G. Default: 512MiB. Minimum: 16MiB.",
    ),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::MEMORY_MIN;

    #[test]
    fn help_names_the_defaults() {
        for memory in [BUILD, MERGE, INDEX, REWRITE, SPLIT] {
            let want =
                format!("Default: {}MiB. Minimum: {}MiB.", memory.len >> 20, MEMORY_MIN >> 20);
            assert!(memory.flag.here.contains(&want), "{}", memory.flag.here);
        }
    }
}

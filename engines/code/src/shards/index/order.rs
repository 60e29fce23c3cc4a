//! In which order a shard holds its documents, and where a shard ends.
//!
//! Bytes:   docs/formats/zoekt.md, "From a folder to documents"

use manicule_format_zoekt::{Category, Skip};

/// Sort key of a document in its shard, beside the order of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Bytes of the name.
    pub name_len: usize,
    /// Bytes of the content that the shard stores; not looked at if the document is skipped.
    pub content_len: usize,
    /// Reason that the content is not stored.
    pub skip: Option<Skip>,
    /// Kind of the file.
    pub category: Category,
    /// Symbols found in it.
    pub symbol_count: usize,
    /// Branches that hold it.
    pub branch_count: usize,
}

/// A standing as numbers that compare as the peer's tuple of doubles does. None of them is
/// negative, and such doubles compare as their bits do.
type Key = (u8, u64, u64, u64, u64, u64);

/// Squeezes a count into 0..1, increasing. Large neighbours fall on the same double: the peer
/// computes just this.
fn squeeze(count: usize) -> f64 {
    let count = count as f64;
    count / (1.0 + count)
}

fn key(standing: &Standing, place: usize) -> Key {
    let category = match standing.category {
        Category::Generated => 4,
        Category::Vendored => 2,
        Category::Test => 1,
        _ => 0,
    };
    let stored = if standing.skip.is_some() { 0 } else { standing.content_len };
    (
        u8::from(standing.skip.is_some()) << 3 | category,
        squeeze(standing.name_len).to_bits(),
        (1.0 - squeeze(standing.symbol_count)).to_bits(),
        squeeze(stored).to_bits(),
        (1.0 - squeeze(standing.branch_count)).to_bits(),
        squeeze(place).to_bits(),
    )
}

/// The places of a shard's documents in the order of the walk, as the shard holds them: indexed
/// documents first, then those that nobody generated, vendored or wrote as a test, short names
/// first, many symbols first, short contents first.
pub fn shard_order(standings: &[Standing]) -> Vec<u32> {
    let mut keyed: Vec<(Key, u32)> = standings
        .iter()
        .enumerate()
        .map(|(place, standing)| (key(standing, place), place as u32))
        .collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, place)| place).collect()
}

/// Whether a shard takes another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// It takes more.
    No,
    /// The document just noted is its last.
    Yes,
}

/// Cut between one shard and the next.
#[derive(Clone, Debug)]
pub struct Cut {
    shard_len_max: u64,
    len: u64,
}

impl Cut {
    /// Shards end after the document with which their names and contents pass `shard_len_max`
    /// bytes.
    pub fn new(shard_len_max: u64) -> Cut {
        Cut { shard_len_max, len: 0 }
    }

    /// Notes the next document, in the order of the walk. `stored_len` is 0 for skipped ones: the
    /// marker that stands in their place doesn't count.
    pub fn note(&mut self, name_len: usize, stored_len: usize) -> Full {
        self.len += name_len as u64 + stored_len as u64;
        if self.len <= self.shard_len_max {
            return Full::No;
        }
        self.len = 0;
        Full::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Standing = Standing {
        name_len: 8,
        content_len: 100,
        skip: None,
        category: Category::Default,
        symbol_count: 0,
        branch_count: 0,
    };

    /// `first` stands before `second`, whichever was found first.
    fn check(first: Standing, second: Standing) {
        assert_eq!(shard_order(&[first, second]), [0, 1], "{first:?} {second:?}");
        assert_eq!(shard_order(&[second, first]), [1, 0], "{first:?} {second:?}");
    }

    fn of(category: Category) -> Standing {
        Standing { category, ..PLAIN }
    }

    #[test]
    fn skipped_documents_stand_last() {
        let skipped = Standing { skip: Some(Skip::Binary), name_len: 1, ..PLAIN };
        check(of(Category::Generated), skipped);
    }

    #[test]
    fn made_copied_and_testing_files_stand_behind_written_ones() {
        check(of(Category::Vendored), of(Category::Generated));
        check(of(Category::Test), of(Category::Vendored));
        check(Standing { name_len: 200, ..PLAIN }, of(Category::Test));
    }

    #[test]
    fn no_other_category_matters() {
        let same = [Category::Default, Category::Config, Category::Dotfile, Category::Binary];
        assert_eq!(shard_order(&same.map(of)), [0, 1, 2, 3]);
    }

    #[test]
    fn short_names_then_many_symbols_then_short_contents_then_many_branches() {
        check(PLAIN, Standing { name_len: 9, content_len: 1, ..PLAIN });
        check(Standing { symbol_count: 2, content_len: 900, ..PLAIN }, PLAIN);
        check(Standing { content_len: 99, ..PLAIN }, Standing { branch_count: 2, ..PLAIN });
        check(Standing { branch_count: 2, ..PLAIN }, Standing { branch_count: 1, ..PLAIN });
    }

    #[test]
    fn equals_keep_the_order_of_the_walk() {
        assert_eq!(shard_order(&[PLAIN; 4]), [0, 1, 2, 3]);
    }

    #[test]
    fn the_content_of_a_skipped_document_does_not_count() {
        let skipped = |content_len| Standing { skip: Some(Skip::Binary), content_len, ..PLAIN };
        assert_eq!(shard_order(&[skipped(9), skipped(3)]), [0, 1]);
    }

    #[test]
    fn lengths_that_fall_on_one_double_are_equal() {
        let long = |content_len| Standing { content_len, ..PLAIN };
        check(long(1 << 21), long((1 << 21) + 1));
        assert_eq!(shard_order(&[long((1 << 30) + 1), long(1 << 30)]), [0, 1]);
    }

    #[test]
    fn numbers_compare_as_the_tuple_of_doubles() {
        let tuple = |standing: &Standing, place| {
            let flag = |yes| f64::from(u8::from(yes));
            let skipped = standing.skip.is_some();
            [
                flag(skipped),
                flag(standing.category == Category::Generated),
                flag(standing.category == Category::Vendored),
                flag(standing.category == Category::Test),
                squeeze(standing.name_len),
                1.0 - squeeze(standing.symbol_count),
                squeeze(if skipped { 0 } else { standing.content_len }),
                1.0 - squeeze(standing.branch_count),
                squeeze(place),
            ]
        };
        let mut standings = Vec::new();
        for at in 0..600_usize {
            standings.push(Standing {
                name_len: at * 7 % 5,
                content_len: at * 11 % 3,
                skip: (at % 6 == 0).then_some(Skip::TooLarge),
                category: Category::ALL[at * 13 % 8],
                symbol_count: at * 5 % 4,
                branch_count: at % 2,
            });
        }
        let mut slow: Vec<u32> = (0..standings.len() as u32).collect();
        slow.sort_by(|&left, &right| {
            let [left, right] =
                [left, right].map(|place| tuple(&standings[place as usize], place as usize));
            left.partial_cmp(&right).expect("no NaN")
        });
        assert_eq!(shard_order(&standings), slow);
    }

    #[test]
    fn a_shard_ends_after_the_document_that_passes_the_limit() {
        let mut cut = Cut::new(100);
        let full: Vec<Full> = [(10, 90), (1, 0), (50, 50), (0, 0), (1, 900), (5, 5)]
            .map(|(name_len, stored_len)| cut.note(name_len, stored_len))
            .to_vec();
        assert_eq!(full, [Full::No, Full::Yes, Full::No, Full::No, Full::Yes, Full::No]);
    }
}

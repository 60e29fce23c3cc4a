//! A block written anew: some series left out, labels changed, values hidden, times deleted.
//!
//! Everything is decided by the labels that the source has; then the labels change: first by the rules, then values are
//! hidden. Series that come out of it with the same labels become one, their samples merged by time as the compactor
//! merges them. Tombstones are applied. Symbols that nothing uses any more are gone.
//!
//! | file | decides |
//! |---|---|
//! | config.rs | what rules a file tells, in Prometheus's words |
//! | relabel.rs | what a rule does to labels |
//! | labels.rs | in which order series stand then, and which have become one |
//! | part.rs | which samples stay, and what the new block says of itself |
//!
//! Callers: faces/manicule

mod config;
mod labels;
pub(crate) mod part;
mod relabel;

use manicule_format_prometheus::{Interval, SeriesRef, SymbolIndex, Ulid};
use sha2::{Digest, Sha256};

pub use config::ConfigError;
pub use labels::Labels;
pub(crate) use labels::{SortedTable, Table, read};
pub use relabel::{Action, Relabel, RelabelError, RelabelRule};

use self::part::{Deletions, PartPlan, in_index, meta_of};
use crate::merge::{MergeError, Merged};
use crate::query::{Selection, Work, select};
use crate::{Block, Selector, Target};

/// What changes.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Only the series that one of these selects stay, if there is any.
    pub keep: Vec<Selector>,
    /// The series that one of these selects go.
    pub drop: Vec<Selector>,
    /// Samples that go.
    pub delete: Vec<Deletion>,
    /// How labels change, one rule after the other.
    pub relabel: Vec<Relabel>,
    /// The labels whose values are hidden.
    pub redact: Vec<Vec<u8>>,
    /// What hidden values are hashed with, so that nobody finds them by trying.
    pub salt: Vec<u8>,
}

/// Times of some series.
#[derive(Clone, Debug)]
pub struct Deletion {
    /// Of which.
    pub selector: Selector,
    /// Which, both ends included.
    pub times: Interval,
}

/// How the block is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RewriteOptions {
    /// Its name.
    pub ulid: Ulid,
    /// How many bytes of memory the writer of the index may take for posting lists; more lists take more passes.
    pub memory: u64,
}

/// What became of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewritten {
    /// The new block; `None` if no sample is left: then none is made.
    pub block: Option<Merged>,
    /// How many series the source has.
    pub series: u64,
    /// How many of them were left out, by selectors or by rules.
    pub dropped: u64,
    /// How many found another one with the same labels.
    pub united: u64,
}

/// Writes a block anew. The given one stays as it is.
pub fn rewrite(
    block: &Block,
    target: &Target,
    rules: &Rules,
    options: &RewriteOptions,
) -> Result<Rewritten, MergeError> {
    let meta = meta_of(block)?;
    let range = Interval { min_time: meta.min_time, max_time: meta.max_time.saturating_sub(1) };
    let chosen = Chosen::new(block, rules)?;
    let (table, series) = chosen.table(block, rules)?;
    let kept = table.len();
    let series_table = table.into_sorted();
    let united = kept - series_table.groups().count() as u64;
    let (ulid, memory) = (options.ulid, options.memory);
    let (deletions, check) = (&chosen, &|_: &_| Ok(()));
    let series_of = &series_table;
    let plan = PartPlan { ulid, memory, series: series_of, chosen: None, range, deletions, check };
    let block = part::write(block, target, &plan)?.map(|(block, _)| block);
    Ok(Rewritten { block, series, dropped: series - kept, united })
}

/// What the selectors have selected.
struct Chosen<'b> {
    keep: Option<Selection<'b>>,
    drop: Option<Selection<'b>>,
    delete: Vec<(Selection<'b>, Interval)>,
}

impl Deletions for Chosen<'_> {
    fn of(&self, series: SeriesRef, add: &mut dyn FnMut(Interval)) {
        for (selection, times) in &self.delete {
            if selection.contains(series) {
                add(*times);
            }
        }
    }
}

impl<'b> Chosen<'b> {
    fn new(block: &'b Block, rules: &Rules) -> Result<Self, MergeError> {
        let mut work = Work::default();
        let mut one = |selector: &Selector| {
            let selection = select(block.index(), selector.matchers(), &mut work);
            selection.map_err(in_index(block))
        };
        let delete = rules.delete.iter().map(|rule| Ok((one(&rule.selector)?, rule.times)));
        let delete = delete.collect::<Result<_, MergeError>>()?;
        let mut any = |selectors: &[Selector]| {
            let mut united: Option<Selection<'b>> = None;
            for selector in selectors {
                let selection = one(selector)?;
                united = Some(match united {
                    None => selection,
                    Some(before) => before.unite(selection),
                });
            }
            Ok::<_, MergeError>(united)
        };
        Ok(Chosen { keep: any(&rules.keep)?, drop: any(&rules.drop)?, delete })
    }

    fn keeps(&self, series: SeriesRef) -> bool {
        let is_kept = self.keep.as_ref().is_none_or(|keep| keep.contains(series));
        is_kept && self.drop.as_ref().is_none_or(|drop| !drop.contains(series))
    }

    /// The series that stay with the labels that they get, and how many there were.
    fn table(&self, block: &Block, rules: &Rules) -> Result<(Table, u64), MergeError> {
        let mut table = Table::default();
        let mut symbols = Symbols::new(block);
        let mut labels = Vec::new();
        let all = block.index().all_postings().map_err(in_index(block))?;
        let changes = !(rules.relabel.is_empty() && rules.redact.is_empty());
        for series in all.iter().filter(|series| self.keeps(*series)) {
            read(block, series, &mut labels).map_err(in_index(block))?;
            if !changes {
                symbols.push(&mut table, series, &labels);
                continue;
            }
            let named = labels.iter().map(|label| (symbols.get(label.0), symbols.get(label.1)));
            let mut changed: Labels = named.collect();
            if !rules.relabel.iter().all(|rule| rule.apply(&mut changed)) {
                continue;
            }
            redact(&mut changed, rules);
            if !changed.is_empty() {
                let numbers: Vec<_> = changed
                    .iter()
                    .map(|(name, value)| (table.intern(name), table.intern(value)))
                    .collect();
                table.push(series, numbers);
            }
        }
        Ok((table, all.len() as u64))
    }
}

/// Puts a hash in the place of each value that is to be hidden. The same value of a label has the same hash, so series
/// stay apart and can still be joined.
fn redact(labels: &mut Labels, rules: &Rules) {
    for name in &rules.redact {
        let value = labels.get(name);
        if value.is_empty() {
            continue;
        }
        let mut hash = Sha256::new();
        for part in [&rules.salt[..], name, value] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash: String =
            hash.finalize().iter().take(REDACTED_BYTES).map(|byte| format!("{byte:02x}")).collect();
        labels.set(name.clone(), format!("redacted_{hash}"));
    }
}

/// Bytes of a hash that are shown: among a million values two share it once in 37 million blocks.
const REDACTED_BYTES: usize = 8;

/// The symbols of a block, with their numbers in a table as they are met.
pub(crate) struct Symbols<'b> {
    block: &'b Block,
    numbers: Vec<Option<u32>>,
}

impl<'b> Symbols<'b> {
    pub(crate) fn new(block: &'b Block) -> Self {
        Symbols { block, numbers: vec![None; block.index().symbol_count() as usize] }
    }

    fn get(&self, symbol: u32) -> &'b [u8] {
        self.block.index().symbol(SymbolIndex(symbol)).unwrap_or_default()
    }

    /// Adds a series with the labels that it has.
    pub(crate) fn push(&mut self, table: &mut Table, series: SeriesRef, labels: &[(u32, u32)]) {
        let index = self.block.index();
        let mut number = |symbol: u32| {
            let string = index.symbol(SymbolIndex(symbol)).unwrap_or_default();
            *self.numbers[symbol as usize].get_or_insert_with(|| table.intern(string))
        };
        let labels: Vec<_> =
            labels.iter().map(|label| (number(label.0), number(label.1))).collect();
        table.push(series, labels);
    }
}

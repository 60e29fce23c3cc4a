//! A block written again: some series left out, labels changed, values hidden, times deleted.
//!
//! Everything is decided by the labels that the source has; then the labels change: first by the
//! rules, then values are hidden. Series that come out of it with the same labels become one, their
//! samples merged by time as the compactor merges them. Tombstones are applied. Symbols that
//! nothing uses any more are gone.
//!
//! | file | decides |
//! |---|---|
//! | config.rs | the rules of a file, in Prometheus's words |
//! | relabel.rs | what a rule does to labels |
//! | labels.rs | in which order series stand then, and which have become one |
//! | part.rs | which samples stay, and what the new block says of itself |

mod config;
mod labels;
pub(crate) mod part;
mod relabel;

use std::cell::Cell;

use manicule_core::hex;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_prometheus::{Interval, Meta, SeriesRef, SymbolIndex, Ulid};
use sha2::{Digest, Sha256};

pub use config::ConfigError;
pub use labels::Labels;
pub(crate) use labels::{SortedTable, Table, read};
pub use relabel::{Action, Applied, Relabel, RelabelError, RelabelRule};

use self::part::{Deletions, PartPlan, in_index, meta_of};
use crate::ask::query::{Selection, Work, select_sound};
use crate::ask::selector::Selector;
use crate::block::Block;
use crate::block::salvage::Salvage;
use crate::make::merge::{Ledger, LeftOut, MergeError, Merged};
use crate::make::publish::Target;

/// Rules of a rewrite.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Only the series that one of these selects stay, if there is any.
    pub keep: Vec<Selector>,
    /// The series that one of these selects go.
    pub drop: Vec<Selector>,
    /// Samples that go.
    pub delete: Vec<Deletion>,
    /// Relabelling rules, applied one after the other.
    pub relabel: Vec<Relabel>,
    /// The labels whose values are hidden.
    pub redact: Vec<Vec<u8>>,
    /// Salt that hidden values are hashed with, so that nobody finds them by trying.
    pub salt: Vec<u8>,
}

/// Times of some series.
#[derive(Clone, Debug)]
pub struct Deletion {
    /// Of which.
    pub selector: Selector,
    /// Times, both ends included.
    pub times: Interval,
}

/// Options of a rewrite.
#[derive(Clone, Copy, Debug)]
pub struct RewriteOptions<'s> {
    /// Its name.
    pub ulid: Ulid,
    /// Memory limit of the index writer for posting lists, in bytes; more lists take more passes.
    pub memory: u64,
    /// Series and chunks that are damaged are left out and added to it; else the first one is an
    /// error.
    pub skip_damaged: Option<&'s Salvage>,
}

/// A selector, a rule or a label of [`Rules`], by its number in its list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleRef {
    /// Of [`Rules::keep`].
    Keep(usize),
    /// Of [`Rules::drop`].
    Drop(usize),
    /// Of [`Rules::delete`].
    Delete(usize),
    /// Of [`Rules::relabel`].
    Relabel(usize),
    /// Of [`Rules::redact`].
    Redact(usize),
}

/// Effect of one selector, rule or label. Of a series or sample that several take each says that it
/// took it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effect {
    /// The selector, rule or label.
    pub rule: RuleRef,
    /// Series of the source that a selector of keep or drop selects; that stay and a selector of
    /// delete selects; that a relabelling rule changed or left out; whose value is hidden.
    pub series: u64,
    /// Number of those left out because of it.
    pub dropped: u64,
    /// Number of samples that went with them, or were deleted.
    pub samples: u64,
    /// Number of labels to which `labelmap` would have given an empty name.
    pub nameless: u64,
}

impl Effect {
    fn new(rule: RuleRef) -> Self {
        Effect { rule, series: 0, dropped: 0, samples: 0, nameless: 0 }
    }

    /// Whether nothing would be different without it: it has a mistake, or the block is another one
    /// than was thought.
    pub fn is_idle(&self) -> bool {
        match self.rule {
            RuleRef::Delete(_) => self.samples == 0,
            _ => self.series == 0,
        }
    }
}

/// Result of a rewrite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewritten {
    /// The new block; `None` if no sample is left, or if nothing was to be written.
    pub block: Option<Merged>,
    /// Contents of its meta file, as written or as it would be.
    pub meta: Meta,
    /// Number of series of the source.
    pub series: u64,
    /// Number of those left out, by selectors or by rules, or because no label was left.
    pub dropped: u64,
    /// Number of series left out because they are damaged.
    pub unread: u64,
    /// Number of series that found another one with the same labels.
    pub united: u64,
    /// Number of the remaining series that had no sample left.
    pub emptied: u64,
    /// The samples that the new block doesn't have: with those that it has they are the samples of
    /// the source.
    pub left_out: LeftOut,
    /// Effects of the rules, in the order of [`Rules`].
    pub effects: Vec<Effect>,
}

/// Writes a block again, and counts what each rule took. The given one stays as it is. Without a
/// target nothing is written, and the report is the same.
pub fn rewrite(
    block: &Block,
    target: Option<&Target>,
    rules: &Rules,
    options: &RewriteOptions<'_>,
    watch: &Watch<'_>,
) -> Result<Rewritten, MergeError> {
    let meta = meta_of(block)?;
    let range = Interval { min_time: meta.min_time, max_time: meta.max_time.saturating_sub(1) };
    let ledger = &Ledger::new(rules.delete.len(), options.skip_damaged);
    let chosen = Chosen::new(block, rules, options.skip_damaged)?;
    let Changed { table, series, unread, mut effects } =
        chosen.table(block, rules, ledger, watch)?;
    let kept = table.len();
    let sorted = &table.into_sorted();
    let groups = sorted.groups().count() as u64;
    let (ulid, memory) = (options.ulid, options.memory);
    let (deletions, check) = (&chosen, &|_: &_| Ok(()));
    let plan =
        PartPlan { ulid, memory, series: sorted, chosen: None, range, deletions, ledger, check };
    let merging = watch.phase(Phase::Merging, Unit::Series, groups);
    let collected = part::collect(block, target, &plan, &merging)?;
    merging.end();
    let meta = collected.meta.clone();
    ledger.check_samples(&[block], meta.stats.num_samples)?;
    let writing = watch.endless(Phase::Writing, Unit::Bytes);
    let made = part::finish(collected, &plan, &writing)?;
    writing.end();
    for effect in &mut effects {
        if let RuleRef::Delete(number) = effect.rule {
            effect.samples = ledger.deleted_by(number);
            effect.series = chosen.delete[number].series.get();
        }
    }
    Ok(Rewritten {
        block: made.map(|(block, _)| block),
        series,
        dropped: series - kept - unread,
        unread,
        united: kept - groups,
        emptied: groups - meta.stats.num_series,
        left_out: ledger.left_out(),
        effects,
        meta,
    })
}

/// Series chosen by the selectors.
struct Chosen<'b> {
    keep: Vec<Selection<'b>>,
    drop: Vec<Selection<'b>>,
    delete: Vec<ChosenTimes<'b>>,
}

/// Times of some series.
struct ChosenTimes<'b> {
    selection: Selection<'b>,
    times: Interval,
    /// Number of series among them that stay.
    series: Cell<u64>,
}

impl Deletions for Chosen<'_> {
    fn of(&self, series: SeriesRef, add: &mut dyn FnMut(usize, Interval)) {
        for (number, deletion) in self.delete.iter().enumerate() {
            if deletion.selection.contains(series) {
                deletion.series.set(deletion.series.get() + 1);
                add(number, deletion.times);
            }
        }
    }
}

impl<'b> Chosen<'b> {
    fn new(block: &'b Block, rules: &Rules, salvage: Option<&Salvage>) -> Result<Self, MergeError> {
        let mut work = Work::default();
        let mut one = |selector: &Selector| {
            let selection = select_sound(block, selector.matchers(), &mut work, salvage);
            selection.map_err(|error| MergeError::from(in_index(block)(error)))
        };
        let keep = rules.keep.iter().map(&mut one).collect::<Result<_, _>>()?;
        let drop = rules.drop.iter().map(&mut one).collect::<Result<_, _>>()?;
        let delete = rules.delete.iter().map(|rule| {
            let (selection, series) = (one(&rule.selector)?, Cell::new(0));
            Ok::<_, MergeError>(ChosenTimes { selection, times: rule.times, series })
        });
        let delete = delete.collect::<Result<_, _>>()?;
        Ok(Chosen { keep, drop, delete })
    }

    fn keeps(&self, series: SeriesRef) -> bool {
        let is_kept = self.keep.is_empty() || self.keep.iter().any(|keep| keep.contains(series));
        is_kept && !self.drop.iter().any(|drop| drop.contains(series))
    }

    /// The effects of all rules, in their order, as far as the selections say them.
    fn effects(&self, rules: &Rules) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut add = |rule, series: usize| {
            effects.push(Effect { series: series as u64, ..Effect::new(rule) });
        };
        for (number, selection) in self.keep.iter().enumerate() {
            add(RuleRef::Keep(number), selection.len());
        }
        for (number, selection) in self.drop.iter().enumerate() {
            add(RuleRef::Drop(number), selection.len());
        }
        (0..rules.delete.len()).for_each(|number| add(RuleRef::Delete(number), 0));
        (0..rules.relabel.len()).for_each(|number| add(RuleRef::Relabel(number), 0));
        (0..rules.redact.len()).for_each(|number| add(RuleRef::Redact(number), 0));
        effects
    }

    /// Decides of each series whether it stays, and which labels it gets.
    fn table(
        &self,
        block: &Block,
        rules: &Rules,
        ledger: &Ledger<'_>,
        watch: &Watch<'_>,
    ) -> Result<Changed, MergeError> {
        let (mut table, mut unread) = (Table::default(), 0);
        let mut symbols = Symbols::new(block);
        let (mut labels, mut walk) = (Vec::new(), block.index().walk());
        let mut effects = self.effects(rules);
        let (of_selectors, of_rules) = effects.split_at_mut(self.keep.len() + self.drop.len());
        let of_rules = &mut of_rules[self.delete.len()..];
        let all = block.all_series(ledger.salvage).map_err(in_index(block))?;
        let reading = watch.phase(Phase::Reading, Unit::Series, all.len() as u64);
        let mut steps = reading.steps();
        let changes = !(rules.relabel.is_empty() && rules.redact.is_empty());
        for &series in &all {
            steps.add(1)?;
            if !self.keeps(series) {
                let samples = ledger.drop_series(block, &mut walk, series);
                for (effect, drop) in of_selectors[self.keep.len()..].iter_mut().zip(&self.drop) {
                    if drop.contains(series) {
                        effect.dropped += 1;
                        effect.samples += samples;
                    }
                }
                continue;
            }
            let mut done = read(&mut walk, series, &mut labels);
            if ledger.salvage.is_some() {
                done = done.and_then(|()| block.check_chunk_list(series));
            }
            match (done, ledger.salvage) {
                (Err(error), Some(salvage)) if !error.is_unread() => {
                    salvage.series(block, series, &error);
                    unread += 1;
                    continue;
                }
                (done, _) => done.map_err(in_index(block))?,
            }
            if !changes {
                symbols.push(&mut table, series, &labels);
                continue;
            }
            let named = labels.iter().map(|label| (symbols.get(label.0), symbols.get(label.1)));
            let mut changed: Labels = named.collect();
            let dropped_by = change(&mut changed, rules, of_rules);
            if dropped_by.is_some() || changed.is_empty() {
                let samples = ledger.drop_series(block, &mut walk, series);
                if let Some(rule) = dropped_by {
                    of_rules[rule].samples += samples;
                }
                continue;
            }
            let numbers: Vec<_> = changed
                .iter()
                .map(|(name, value)| (table.intern(name), table.intern(value)))
                .collect();
            table.push(series, numbers);
        }
        drop(steps);
        reading.end();
        Ok(Changed { table, series: all.len() as u64, unread, effects })
    }
}

/// The series that stay with the labels that they get.
struct Changed {
    table: Table,
    /// Number of series of the source.
    series: u64,
    /// Number of those that can't be read.
    unread: u64,
    /// Effects of the rules, but for deletions.
    effects: Vec<Effect>,
}

/// Applies relabelling rules, then hides values; `effects` are theirs, in this order. The number of
/// the rule by which the series goes, if it goes.
fn change(labels: &mut Labels, rules: &Rules, effects: &mut [Effect]) -> Option<usize> {
    let (relabel, redact) = effects.split_at_mut(rules.relabel.len());
    for (number, (rule, effect)) in rules.relabel.iter().zip(relabel).enumerate() {
        let applied = rule.apply(labels);
        effect.series += u64::from(applied.changed || applied.dropped);
        effect.nameless += applied.nameless;
        if applied.dropped {
            effect.dropped += 1;
            return Some(number);
        }
    }
    for (name, effect) in rules.redact.iter().zip(redact) {
        effect.series += u64::from(hide(labels, name, &rules.salt));
    }
    None
}

/// Puts a hash in the place of a label's value; whether it had one. The same value of a label has
/// the same hash, so series stay apart and can still be joined.
fn hide(labels: &mut Labels, name: &[u8], salt: &[u8]) -> bool {
    let value = labels.get(name);
    if value.is_empty() {
        return false;
    }
    let mut hash = Sha256::new();
    for part in [salt, name, value] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let hash = hash.finalize();
    labels.set(name, format!("redacted_{}", hex::encode(&hash[..REDACTED_BYTES])))
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

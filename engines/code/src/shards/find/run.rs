//! One call over shards: what may match is selected, dealt out in ranges of bytes to all threads,
//! also within one shard, and handed to visitors.

use std::ops::Range;
use std::sync::Mutex;

use manicule_core::watch::Watch;
use manicule_format_zoekt::{Branch, Repository};
use manicule_store::threads::{self, Chunks, lock, unshared};

use super::super::open::ShardError;
use super::admit::Admit;
use super::bring;
use super::census::{live, text, text_len, text_len_of};
use super::files::{OpenShard, Reason, reason_of};
use super::receipt::Receipt;
use super::select::{Candidates, Plan, plan};
use crate::tree::{Flow, Look};

/// Number of bytes of documents dealt out together.
const RANGE_LEN: u64 = 512 << 10;

/// Number of bytes below which another thread costs more than it saves: 0.1 ms to start it.
const ALONE_LEN: u64 = 2 << 20;

/// Lists that take less, in picoseconds, are looked up on one thread.
const ALONE_PS: u64 = 1_000_000_000;

/// A request to search shards.
pub struct Request<'r> {
    /// Use that visitors make of a document.
    pub look: &'r Look,
    /// Filter of documents by their names.
    pub admit: &'r Admit,
    /// In which order visitors see them.
    pub order: Order,
    /// Treatment of documents whose content was not indexed.
    pub skipped: Skipped,
    /// Number of visitors that work in parallel; 1 keeps everything on the caller's thread.
    pub threads: usize,
    /// Asked before each document whether to go on. A document has a few megabytes at most, and no
    /// search takes more than linear time. A visitor that quits cancels it.
    pub watch: &'r Watch<'r>,
}

/// The order of the documents within a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Range by range, as threads get to them; within a range as in the shard.
    Any,
    /// By name, ascending, compared folder by folder; on one thread.
    Name,
    /// The same, falling.
    NameFalling,
}

/// Treatment of documents whose content was not indexed: a shard holds the reason in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// They are left out: the text that is stored is not theirs.
    LeftOut,
    /// The reason is searched as if it were the content, as the peer does.
    Kept,
}

/// Who compares the content of a document with its checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sums {
    /// Each document is compared before it is handed over.
    Compared,
    /// Visitors do that, by [`Document::check`], of documents whose content they read.
    Left,
}

/// A document that may hold a match.
#[derive(Clone, Copy, Debug)]
pub struct Document<'d> {
    /// Its shard.
    pub shard: &'d OpenShard<'d>,
    /// Index of the shard among those of the call.
    pub shard_number: usize,
    /// Its number there.
    pub number: usize,
    /// Its path in the repository.
    pub name: &'d [u8],
    /// Content of the document; empty in calls that look at names only.
    pub content: &'d [u8],
    /// Byte offsets, increasing: each match overlaps one of them, and shares its line where matches
    /// lie in one line.
    /// Empty if nothing is known.
    pub places: &'d [u32],
}

impl<'d> Document<'d> {
    /// Its repository.
    pub fn repository(&self) -> Option<&'d Repository> {
        self.shard.repository(self.number)
    }

    /// Its language; empty if it has none.
    pub fn language(&self) -> &'d str {
        self.shard.language(self.number)
    }

    /// Reason for which its content was not indexed, and which lies in its place; `None` where it
    /// was, and in calls that look at names only.
    pub fn skip_reason(&self) -> Option<&'static str> {
        reason_of(self.content).map(Reason::text)
    }

    /// Compares its content with its checksum; not in calls that look at names only.
    pub fn check(&self) -> Result<(), ShardError> {
        self.shard.check_content(self.number, self.content)
    }

    /// The names of its branches.
    pub fn branches(&self) -> impl Iterator<Item = &'d str> + use<'d> {
        let mask = self.shard.shard().branch_mask(self.number);
        self.branches_of(mask).map(|branch| branch.name.as_str())
    }

    /// The branches of its repository that a mask has.
    pub(super) fn branches_of(&self, mask: u64) -> impl Iterator<Item = &'d Branch> + use<'d> {
        let branches = self.repository().and_then(|repository| repository.branches.as_deref());
        let numbered = branches.unwrap_or_default().iter().take(64).enumerate();
        numbered.filter(move |(bit, _)| mask >> bit & 1 == 1).map(|(_, branch)| branch)
    }
}

/// Visitor of documents, implemented by a face. One value works on one thread.
pub trait Visit: Send {
    /// Looks into a document, or lists it.
    fn document(&mut self, document: &Document<'_>) -> Flow;

    /// Whether it wants no more documents of a shard: asked before each range, which is skipped
    /// then.
    fn is_done_with(&self, shard: usize) -> bool {
        let _ = shard;
        false
    }

    /// All documents of a range were handed over. Ranges are numbered from 0 in the order of shards
    /// and documents.
    fn range_end(&mut self, number: usize) {
        let _ = number;
    }
}

/// Makes a visitor for one more thread.
pub type Visitors<'f, 'v> = dyn Fn() -> Box<dyn Visit + 'v> + Sync + 'f;

/// Hands every document that the request needs to a visitor: one visitor a thread, made by
/// `visitors`.
pub fn visit(
    shards: &[OpenShard<'_>],
    request: &Request<'_>,
    visitors: &Visitors<'_, '_>,
) -> Result<Receipt, ShardError> {
    let mut receipt = Receipt::default();
    let candidates = match request.look {
        Look::Matches(narrow) => {
            let plans = shards.iter().map(|open| {
                plan(open.shard(), &narrow.need, open.content_len())
                    .map_err(|error| open.damaged(error))
            });
            let plans = plans.collect::<Result<Vec<_>, _>>()?;
            bring::looked_up(shards, plans.iter().map(Some))?;
            carry_out(shards, &plans, request.threads, &mut receipt)?
        }
        Look::Names | Look::Contents => shards.iter().map(|_| Candidates::All).collect(),
    };
    run(shards, &candidates, request, Sums::Compared, &mut receipt, visitors)?;
    Ok(receipt)
}

/// Carries out a plan for each shard, side by side where that pays.
pub(super) fn carry_out(
    shards: &[OpenShard<'_>],
    plans: &[Plan<'_>],
    threads: usize,
    receipt: &mut Receipt,
) -> Result<Vec<Candidates>, ShardError> {
    let work = Mutex::new(Receipt::default());
    let carry_out = |(open, plan): (&OpenShard<'_>, &Plan<'_>)| {
        let mut own = Receipt::default();
        let candidates = plan.run(open, &mut own);
        lock(&work).add(&own);
        candidates
    };
    let pairs: Vec<_> = shards.iter().zip(plans).collect();
    let heavy = pairs.iter().filter(|(_, plan)| plan.look_up_ps() > ALONE_PS).count();
    let candidates = if heavy < 2 || threads < 2 {
        pairs.into_iter().map(carry_out).collect()
    } else {
        threads::map(threads, pairs.len(), |number| carry_out(pairs[number])).into_iter().collect()
    };
    receipt.add(&unshared(work));
    candidates
}

/// Some documents of a shard: numbers of documents, or of hits.
#[derive(Clone, Debug)]
struct Stretch {
    shard: usize,
    range: Range<usize>,
    /// Bytes of their contents.
    len: u64,
}

/// Hands the candidates that count to visitors.
pub(super) fn run(
    shards: &[OpenShard<'_>],
    candidates: &[Candidates],
    request: &Request<'_>,
    sums: Sums,
    receipt: &mut Receipt,
    visitors: &Visitors<'_, '_>,
) -> Result<(), ShardError> {
    let (stretches, len) = stretches(shards, candidates)?;
    receipt.shards += shards.len() as u64;
    receipt.documents +=
        shards.iter().map(|open| open.shard().document_count() as u64).sum::<u64>();
    let candidate_count = |stretch: &Stretch| stretch.range.len() as u64;
    receipt.candidates += stretches.iter().map(candidate_count).sum::<u64>();
    let call = Call { shards, candidates, request, sums };
    let visited = if request.order != Order::Any {
        let mut visitor = visitors();
        call.in_order(&stretches, visitor.as_mut())?
    } else {
        let threads = if len < ALONE_LEN { 1 } else { request.threads.min(stretches.len()) };
        call.all(&stretches, threads, visitors)?
    };
    receipt.visited += visited.count;
    receipt.read_len += visited.len;
    Ok(())
}

/// Cuts the candidates of all shards into ranges of about as many bytes; and how many bytes that
/// is.
fn stretches(
    shards: &[OpenShard<'_>],
    candidates: &[Candidates],
) -> Result<(Vec<Stretch>, u64), ShardError> {
    let (mut stretches, mut total) = (Vec::new(), 0);
    for (shard, (open, candidates)) in shards.iter().zip(candidates).enumerate() {
        let texts = open.shard().contents().texts();
        let count = match candidates {
            Candidates::All => texts.len(),
            Candidates::Some(hits) => hits.len(),
        };
        let (mut start, mut len) = (0, 0);
        for index in 0..count {
            let range =
                texts.range(candidates.get(index).0).map_err(|error| open.damaged(error))?;
            len += u64::from(range.end - range.start);
            if len >= RANGE_LEN || index + 1 == count {
                stretches.push(Stretch { shard, range: start..index + 1, len });
                total += len;
                (start, len) = (index + 1, 0);
            }
        }
    }
    Ok((stretches, total))
}

/// State shared by all threads of a call.
struct Call<'c> {
    shards: &'c [OpenShard<'c>],
    candidates: &'c [Candidates],
    request: &'c Request<'c>,
    sums: Sums,
}

/// Documents handed over, and their bytes.
#[derive(Clone, Copy, Default)]
struct Visited {
    count: u64,
    len: u64,
}

impl Visited {
    fn and(self, other: Visited) -> Visited {
        Visited { count: self.count + other.count, len: self.len + other.len }
    }
}

impl<'c> Call<'c> {
    fn all(
        &self,
        stretches: &[Stretch],
        threads: usize,
        visitors: &Visitors<'_, '_>,
    ) -> Result<Visited, ShardError> {
        let mut visited = Visited::default();
        for batch in self.batches(stretches) {
            self.bring(&stretches[batch.clone()])?;
            visited = visited.and(self.some(stretches, batch, threads, visitors)?);
            if self.request.watch.is_over() {
                break;
            }
        }
        Ok(visited)
    }

    /// Numbers of stretches that are brought at once, where any is elsewhere and contents are read.
    fn batches(&self, stretches: &[Stretch]) -> Vec<Range<usize>> {
        if bring::is_far(self.shards) && !self.is_names() {
            bring::batches(stretches.iter().map(|stretch| stretch.len))
        } else {
            std::iter::once(0..stretches.len()).collect()
        }
    }

    /// Brings the documents of stretches.
    fn bring(&self, stretches: &[Stretch]) -> Result<(), ShardError> {
        if !bring::is_far(self.shards) || self.is_names() {
            return Ok(());
        }
        let documents = stretches.iter().map(|Stretch { shard, range, .. }| {
            let candidates = &self.candidates[*shard];
            let numbers = range.clone().map(|index| candidates.get(index).0);
            (&self.shards[*shard], numbers.collect())
        });
        bring::documents(documents.collect())
    }

    /// Whether nobody looks at contents.
    fn is_names(&self) -> bool {
        matches!(self.request.look, Look::Names)
    }

    fn some(
        &self,
        stretches: &[Stretch],
        batch: Range<usize>,
        threads: usize,
        visitors: &Visitors<'_, '_>,
    ) -> Result<Visited, ShardError> {
        let turns = Chunks::new(batch, 1);
        let work = || -> Result<Visited, ShardError> {
            let mut visitor = visitors();
            let mut visited = Visited::default();
            for number in (&turns).flatten() {
                let result = self.stretch(&stretches[number], visitor.as_mut(), &mut visited);
                visitor.range_end(number);
                if result.is_err() || self.request.watch.is_over() {
                    self.request.watch.cancel();
                    result?;
                    break;
                }
            }
            Ok(visited)
        };
        threads::fold(threads, work, |left, right| Ok(left?.and(right?)))
    }

    fn stretch(
        &self,
        stretch: &Stretch,
        visitor: &mut dyn Visit,
        visited: &mut Visited,
    ) -> Result<(), ShardError> {
        if visitor.is_done_with(stretch.shard) {
            return Ok(());
        }
        for index in stretch.range.clone() {
            let Some(document) = self.document(stretch.shard, index)? else { continue };
            if self.hand(&document, visitor, visited) == Flow::Quit {
                self.request.watch.cancel();
                break;
            }
        }
        Ok(())
    }

    fn hand(
        &self,
        document: &Document<'_>,
        visitor: &mut dyn Visit,
        visited: &mut Visited,
    ) -> Flow {
        if self.request.watch.is_over() {
            return Flow::Quit;
        }
        visited.count += 1;
        visited.len += text_len(document.content);
        visitor.document(document)
    }

    /// The document of an index of a stretch, if it counts.
    fn document(&self, shard: usize, index: usize) -> Result<Option<Document<'c>>, ShardError> {
        let open = &self.shards[shard];
        let (number, places) = self.candidates[shard].get(index);
        let is_names = self.is_names();
        let content = if is_names { &[] } else { text(open, number)? };
        let len = if is_names { text_len_of(open, number)? } else { content.len() };
        let Some(name) = live(open, number, len, self.request.admit)? else { return Ok(None) };
        if self.request.skipped == Skipped::LeftOut && reason_of(content).is_some() {
            return Ok(None);
        }
        let document = Document { shard: open, shard_number: shard, number, name, content, places };
        if !is_names && self.sums == Sums::Compared {
            document.check()?;
        }
        Ok(Some(document))
    }

    fn in_order(
        &self,
        stretches: &[Stretch],
        visitor: &mut dyn Visit,
    ) -> Result<Visited, ShardError> {
        for batch in self.batches(stretches) {
            self.bring(&stretches[batch])?;
        }
        let mut documents = Vec::new();
        for stretch in stretches {
            for index in stretch.range.clone() {
                documents.extend(self.document(stretch.shard, index)?);
            }
        }
        documents.sort_by(|left, right| {
            let folders = |name: &'c [u8]| name.split(|byte| *byte == b'/');
            let order = folders(left.name).cmp(folders(right.name));
            if self.request.order == Order::NameFalling { order.reverse() } else { order }
        });
        let mut visited = Visited::default();
        for document in &documents {
            if self.hand(document, visitor, &mut visited) == Flow::Quit {
                self.request.watch.cancel();
                break;
            }
        }
        Ok(visited)
    }
}

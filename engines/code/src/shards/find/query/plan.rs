//! Query plans: the documents of a shard that may match a query.
//!
//! Of the things that must all hold, the one that is cheapest to look up gives the documents; the
//! others are asked of those. Languages and repositories cost next to nothing and come first. Names
//! that narrow are looked through one by one, 1 ms for 20,000 of them, where nothing else does. Of
//! a word that may be in content or name the names' trigrams say which names may hold it: of a rare
//! word none, most often.

use manicule_core::pattern::Need;

use super::super::super::mix::MixMap;
use super::super::super::open::ShardError;
use super::super::files::OpenShard;
use super::super::hits::Hits;
use super::super::receipt::Receipt;
use super::super::select::{self, Candidates, Plan, names_cost_ps, plan, scan_cost_ps};
use super::expr::{Expr, Query, branch_mask};

/// Where the documents of a shard that may match are looked up.
pub(super) struct Chosen {
    /// The documents that languages, repositories and names leave, increasing; `None` if all.
    allowed: Option<Vec<u32>>,
    /// `None` where the documents are looked through.
    source: Option<Source>,
}

/// Chooses the cheapest way; `None` where no document can match.
pub(super) fn choose(open: &OpenShard<'_>, query: &Query) -> Result<Option<Chosen>, ShardError> {
    let parts = match &query.expr {
        Expr::All(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let search = Planner { open, query };
    let Some(mut allowed) = search.allowed(parts) else { return Ok(None) };
    let mut sources: Vec<Source> = parts.iter().filter_map(|part| search.source(part)).collect();
    let mut best = search.cheapest(&sources, search.len_of(&allowed)?)?;
    // Names narrow what would be looked through.
    let names: Vec<usize> = parts.iter().filter_map(name_atom).collect();
    if !names.is_empty() && best.0 > 2 * search.names_ps() {
        let named = search.named(&names, allowed.as_deref())?;
        allowed = Some(named);
        best = search.cheapest(&sources, search.len_of(&allowed)?)?;
    }
    let source = best.1.map(|number| sources.swap_remove(number));
    Ok(Some(Chosen { allowed, source }))
}

impl Chosen {
    /// The look-up of posting lists that it makes.
    pub(super) fn look_up(&self, open: &OpenShard<'_>) -> Result<Option<Plan<'_>>, ShardError> {
        let need = self.source.as_ref().and_then(|source| source.need.as_ref());
        let look_up = |need| {
            // It was found to be cheaper than looking through all.
            plan(open.shard(), need, u64::MAX).map_err(|error| open.damaged(error))
        };
        need.map(look_up).transpose()
    }

    /// The documents that may match, and the content atom whose matches all overlap their places,
    /// if there is one.
    pub(super) fn candidates(
        &self,
        open: &OpenShard<'_>,
        query: &Query,
        look_up: Option<&Plan<'_>>,
        receipt: &mut Receipt,
    ) -> Result<(Candidates, Option<usize>), ShardError> {
        let candidates = match &self.source {
            None => Candidates::All,
            Some(source) => (Planner { open, query }).look_up(source, look_up, receipt)?,
        };
        let atom = self.source.as_ref().and_then(|source| source.atom);
        Ok(match (candidates, &self.allowed) {
            (Candidates::All, Some(allowed)) => {
                (Candidates::Some(Hits::of_documents(allowed)), None)
            }
            (Candidates::Some(hits), Some(allowed)) => (Candidates::Some(hits.kept(allowed)), atom),
            (candidates, None) => (candidates, atom),
        })
    }
}

fn name_atom(part: &Expr) -> Option<usize> {
    match part {
        Expr::Name(number) => Some(*number),
        _ => None,
    }
}

/// Documents that a part of a query can be true for: those that hold a need, or whose names match
/// an atom.
struct Source {
    need: Option<Need>,
    names: Vec<usize>,
    /// The one atom that the need is of.
    atom: Option<usize>,
}

/// What decides about a document without a look at its name or content.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Class {
    repository: usize,
    language: u64,
    branches: u64,
}

struct Planner<'q, 's> {
    open: &'q OpenShard<'s>,
    query: &'q Query,
}

impl Planner<'_, '_> {
    /// The documents that languages and repositories leave, increasing; the inner `None` if they
    /// leave all, the outer one if none.
    #[expect(clippy::option_option, reason = "all, some and none are three things")]
    fn allowed(&self, parts: &[Expr]) -> Option<Option<Vec<u32>>> {
        let cheap: Vec<&Expr> = parts.iter().filter(|part| is_cheap(part)).collect();
        if cheap.is_empty() {
            return Some(None);
        }
        let shard = self.open.shard();
        let count = shard.document_count();
        // Documents that are alike in these are alike in all that is asked here.
        let mut known = MixMap::default();
        let mut last = None;
        let holds = |number: &usize| {
            let class = Class {
                repository: shard.repository_of(*number),
                language: shard.language(*number).into(),
                branches: shard.branch_mask(*number),
            };
            if let Some((known, holds)) = last
                && known == class
            {
                return holds;
            }
            let own = || cheap.iter().all(|part| self.holds(part, *number));
            let holds = *known.entry(class).or_insert_with(own);
            last = Some((class, holds));
            holds
        };
        let allowed: Vec<u32> = (0..count).filter(holds).map(|number| number as u32).collect();
        match allowed.len() {
            0 => None,
            len if len == count => Some(None),
            _ => Some(Some(allowed)),
        }
    }

    /// Whether something that needs neither name nor content is true for a document.
    fn holds(&self, part: &Expr, number: usize) -> bool {
        match part {
            Expr::Const(value) => *value,
            Expr::All(parts) => parts.iter().all(|part| self.holds(part, number)),
            Expr::Any(parts) => parts.iter().any(|part| self.holds(part, number)),
            Expr::Not(inner) => !self.holds(inner, number),
            Expr::Unshown(inner) => self.holds(inner, number),
            Expr::Language(language) => language.is(self.open.language(number)),
            Expr::Repository(property) => {
                self.open.repository(number).is_some_and(|own| property.holds(own))
            }
            Expr::Branch(text) => {
                let asked = self.open.repository(number).map_or(0, |own| branch_mask(own, text));
                asked & self.open.shard().branch_mask(number) != 0
            }
            Expr::Content(_) | Expr::Name(_) | Expr::Symbol(_) | Expr::InRepository(_) => true,
        }
    }

    fn len_of(&self, allowed: &Option<Vec<u32>>) -> Result<u64, ShardError> {
        let Some(allowed) = allowed else { return Ok(self.open.content_len()) };
        let texts = self.open.shard().contents().texts();
        let mut len = 0;
        for number in allowed {
            let range = texts.range(*number as usize).map_err(|error| self.open.damaged(error))?;
            len += u64::from(range.end - range.start);
        }
        Ok(len)
    }

    /// Source of the documents for a part; `None` where they could be any.
    fn source(&self, part: &Expr) -> Option<Source> {
        match part {
            Expr::Content(number) => match &self.query.atoms[*number].need {
                Need::Anything => None,
                need => Some(Source {
                    need: Some(need.clone()),
                    names: Vec::new(),
                    atom: Some(*number),
                }),
            },
            // A symbol is a part of the content. A pattern's places are no better known than that.
            Expr::Symbol(number) => {
                let need = match &self.query.atoms[*number].need {
                    _ if !self.open.shard().has_symbols() => Need::Any(Vec::new()),
                    Need::Anything => return None,
                    need => need.clone(),
                };
                Some(Source { need: Some(need), names: Vec::new(), atom: None })
            }
            Expr::Unshown(inner) => Some(Source { atom: None, ..self.source(inner)? }),
            Expr::Name(number) => Some(Source { need: None, names: vec![*number], atom: None }),
            Expr::Any(parts) => {
                let mut all = Source { need: None, names: Vec::new(), atom: None };
                let mut needs = Vec::new();
                for part in parts {
                    let source = self.source(part)?;
                    needs.extend(source.need);
                    all.names.extend(source.names);
                    all.atom = source.atom;
                }
                match needs.len() {
                    0 => {}
                    1 => all.need = needs.pop(),
                    _ => (all.need, all.atom) = (Some(Need::Any(needs)), None),
                }
                Some(all)
            }
            // The first that can say anything; choosing well pays at the top only.
            Expr::All(parts) => {
                let source = parts.iter().find_map(|part| self.source(part))?;
                Some(Source { atom: None, ..source })
            }
            Expr::Not(_)
            | Expr::Const(_)
            | Expr::Language(_)
            | Expr::Repository(_)
            | Expr::Branch(_)
            | Expr::InRepository(_) => None,
        }
    }

    /// Number of the cheapest source, and its cost; `None` if looking through the `scan_len` bytes
    /// is cheaper.
    fn cheapest(
        &self,
        sources: &[Source],
        scan_len: u64,
    ) -> Result<(u64, Option<usize>), ShardError> {
        let mut best = (scan_cost_ps(self.open.shard(), scan_len), None);
        for (number, source) in sources.iter().enumerate() {
            let names = if source.names.is_empty() { 0 } else { self.names_ps() };
            let lists = match &source.need {
                None => 0,
                Some(need) => {
                    let plan = plan(self.open.shard(), need, scan_len)
                        .map_err(|error| self.open.damaged(error))?;
                    plan.cost_ps
                }
            };
            if names + lists < best.0 {
                best = (names + lists, Some(number));
            }
        }
        Ok(best)
    }

    fn names_ps(&self) -> u64 {
        names_cost_ps(self.open.shard())
    }

    fn look_up(
        &self,
        source: &Source,
        plan: Option<&Plan<'_>>,
        receipt: &mut Receipt,
    ) -> Result<Candidates, ShardError> {
        let mut found = Hits::default();
        if let Some(plan) = plan {
            match plan.run(self.open, receipt)? {
                Candidates::All => return Ok(Candidates::All),
                Candidates::Some(hits) => found = hits,
            }
        }
        if source.names.is_empty() {
            return Ok(Candidates::Some(found));
        }
        let mut named = Vec::new();
        for atom in &source.names {
            self.add_named(*atom, &mut named)?;
        }
        named.sort_unstable();
        named.dedup();
        Ok(Candidates::Some(found.with_documents(&named)))
    }

    /// Adds the documents whose names match an atom: of those that the names' trigrams leave, which
    /// for a rare word are none.
    fn add_named(&self, atom: usize, named: &mut Vec<u32>) -> Result<(), ShardError> {
        let (shard, atom) = (self.open.shard(), &self.query.atoms[atom]);
        let damaged = |error| self.open.damaged(error);
        let all = || (0..shard.document_count() as u32).collect();
        for number in select::named(shard, &atom.need).map_err(damaged)?.unwrap_or_else(all) {
            let name = shard.names().text(number as usize).map_err(damaged)?;
            if atom.matches(name) {
                named.push(number);
            }
        }
        Ok(())
    }

    /// The documents of `allowed` whose names match all of these atoms.
    fn named(&self, atoms: &[usize], allowed: Option<&[u32]>) -> Result<Vec<u32>, ShardError> {
        let names = self.open.shard().names();
        let all: Vec<u32>;
        let numbers = match allowed {
            Some(allowed) => allowed,
            None => {
                all = (0..self.open.shard().document_count() as u32).collect();
                &all
            }
        };
        let mut named = Vec::new();
        for number in numbers {
            let name = names.text(*number as usize).map_err(|error| self.open.damaged(error))?;
            if atoms.iter().all(|atom| self.query.atoms[*atom].matches(name)) {
                named.push(*number);
            }
        }
        Ok(named)
    }
}

/// Whether it can be decided without a look at name or content.
fn is_cheap(part: &Expr) -> bool {
    match part {
        Expr::Const(_) | Expr::Language(_) | Expr::Repository(_) | Expr::Branch(_) => true,
        Expr::All(parts) | Expr::Any(parts) => parts.iter().all(is_cheap),
        Expr::Not(inner) | Expr::Unshown(inner) => is_cheap(inner),
        Expr::Content(_) | Expr::Name(_) | Expr::Symbol(_) | Expr::InRepository(_) => false,
    }
}

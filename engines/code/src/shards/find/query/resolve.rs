//! Questions about repositories that their documents answer (`type:repo`): each is a search of its
//! own, whose answer takes its place in the query.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Mutex;

use manicule_format_zoekt::Repository;
use manicule_store::threads::{lock, unshared};

use super::super::super::open::ShardError;
use super::super::bring;
use super::super::files::OpenShard;
use super::super::hits::Hits;
use super::super::receipt::Receipt;
use super::super::run::{self, Request, Sums};
use super::super::select::Candidates;
use super::answer::{Answer, Hear, Hearers};
use super::eval::{Judge, Shared};
use super::expr::{Expr, OfRepository, Query};
use super::plan;
use crate::tree::{Flow, Look};

/// The query without questions that a search of its own answers.
pub(super) fn resolved<'q>(
    shards: &[OpenShard<'_>],
    query: &'q Query,
    request: &Request<'_>,
    receipt: &mut Receipt,
) -> Result<Cow<'q, Query>, ShardError> {
    if !asks_repositories(&query.expr) {
        return Ok(Cow::Borrowed(query));
    }
    let mut call = Call { shards, query, request, receipt };
    let expr = call.resolved(&query.expr)?;
    Ok(Cow::Owned(Query { expr, atoms: query.atoms.clone() }))
}

pub(super) fn asks_repositories(expr: &Expr) -> bool {
    match expr {
        Expr::InRepository(_) => true,
        Expr::All(parts) | Expr::Any(parts) => parts.iter().any(asks_repositories),
        Expr::Not(inner) | Expr::Unshown(inner) => asks_repositories(inner),
        _ => false,
    }
}

struct Call<'c, 's> {
    shards: &'c [OpenShard<'s>],
    query: &'c Query,
    request: &'c Request<'c>,
    receipt: &'c mut Receipt,
}

impl Call<'_, '_> {
    fn resolved(&mut self, expr: &Expr) -> Result<Expr, ShardError> {
        Ok(match expr {
            Expr::InRepository(inner) => {
                let expr = self.resolved(inner)?;
                let query = Query { expr, atoms: self.query.atoms.clone() };
                let names = repositories(self.shards, &query, self.request, self.receipt)?;
                Expr::Repository(OfRepository::Named(names.into_iter().collect()))
            }
            Expr::All(parts) => Expr::All(self.all(parts)?),
            Expr::Any(parts) => Expr::Any(self.all(parts)?),
            Expr::Not(inner) => Expr::Not(Box::new(self.resolved(inner)?)),
            Expr::Unshown(inner) => Expr::Unshown(Box::new(self.resolved(inner)?)),
            other => other.clone(),
        })
    }

    fn all(&mut self, parts: &[Expr]) -> Result<Vec<Expr>, ShardError> {
        parts.iter().map(|part| self.resolved(part)).collect()
    }
}

/// The names of the repositories for which a query holds: by themselves, or by a document. What
/// only a search of its own answers was answered before.
pub(super) fn repositories(
    shards: &[OpenShard<'_>],
    query: &Query,
    request: &Request<'_>,
    receipt: &mut Receipt,
) -> Result<BTreeSet<Vec<u8>>, ShardError> {
    let own = shards.iter().flat_map(|open| open.shard().repositories());
    let live: Vec<&Repository> = own.filter(|repository| !repository.tombstone).collect();
    if live.iter().all(|repository| of_repository(&query.expr, repository).is_some()) {
        let holds =
            |repository: &&&Repository| of_repository(&query.expr, repository) == Some(true);
        return Ok(live.iter().filter(holds).map(|repository| repository.name.0.clone()).collect());
    }
    let names = Mutex::default();
    let look = if needs_content(&query.expr) { Look::Contents } else { Look::Names };
    let request = Request { look: &look, ..*request };
    answer(shards, query, &request, &|| Box::new(Names(&names)), receipt)?;
    Ok(unshared(names))
}

/// What a query says of a repository, if it needs no document for that.
fn of_repository(expr: &Expr, repository: &Repository) -> Option<bool> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Repository(property) => Some(property.holds(repository)),
        Expr::Not(inner) => of_repository(inner, repository).map(|holds| !holds),
        Expr::Unshown(inner) => of_repository(inner, repository),
        Expr::All(parts) => fold(parts, false, |part| of_repository(part, repository)),
        Expr::Any(parts) => fold(parts, true, |part| of_repository(part, repository)),
        _ => None,
    }
}

/// What a query says of all documents of a shard, if their repositories and the languages of the
/// shard say that.
pub(super) fn of_shard(expr: &Expr, open: &OpenShard<'_>) -> Option<bool> {
    match expr {
        Expr::Const(value) => Some(*value),
        Expr::Repository(property) => {
            let repositories = open.shard().repositories().iter();
            let live = repositories.filter(|repository| !repository.tombstone);
            let holds: Vec<bool> = live.map(|repository| property.holds(repository)).collect();
            let is_all = holds.iter().all(|holds| *holds);
            (is_all || !holds.contains(&true)).then_some(is_all)
        }
        Expr::Language(language) => {
            (!open.languages().any(|own| language.is(own))).then_some(false)
        }
        Expr::Not(inner) => of_shard(inner, open).map(|holds| !holds),
        Expr::Unshown(inner) => of_shard(inner, open),
        Expr::All(parts) => fold(parts, false, |part| of_shard(part, open)),
        Expr::Any(parts) => fold(parts, true, |part| of_shard(part, open)),
        Expr::Content(_)
        | Expr::Name(_)
        | Expr::Symbol(_)
        | Expr::Branch(_)
        | Expr::InRepository(_) => None,
    }
}

/// `decides` if any part is that, unless another needs documents.
fn fold(parts: &[Expr], decides: bool, of_part: impl Fn(&Expr) -> Option<bool>) -> Option<bool> {
    let parts: Vec<Option<bool>> = parts.iter().map(of_part).collect();
    if parts.contains(&Some(decides)) {
        return Some(decides);
    }
    (!parts.contains(&None)).then_some(!decides)
}

pub(super) fn needs_content(expr: &Expr) -> bool {
    match expr {
        Expr::Content(_) | Expr::Symbol(_) => true,
        Expr::All(parts) | Expr::Any(parts) => parts.iter().any(needs_content),
        Expr::Not(inner) | Expr::Unshown(inner) | Expr::InRepository(inner) => needs_content(inner),
        _ => false,
    }
}

/// The names of repositories whose documents answer.
struct Names<'n>(&'n Mutex<BTreeSet<Vec<u8>>>);

impl Hear for Names<'_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        if let Some(repository) = answer.document.repository() {
            let mut names = lock(self.0);
            if !names.contains(&repository.name.0) {
                names.insert(repository.name.0.clone());
            }
        }
        Flow::Continue
    }

    fn range_end(&mut self, _: usize) {}
}

/// Answers a query that was resolved.
pub(super) fn answer(
    shards: &[OpenShard<'_>],
    query: &Query,
    request: &Request<'_>,
    hearers: &Hearers<'_, '_>,
    receipt: &mut Receipt,
) -> Result<(), ShardError> {
    let mut candidates = Vec::with_capacity(shards.len());
    let mut sources = Vec::with_capacity(shards.len());
    let chosen = shards.iter().map(|open| plan::choose(open, query));
    let chosen = chosen.collect::<Result<Vec<_>, _>>()?;
    let plans = shards.iter().zip(&chosen).map(|(open, chosen)| match chosen {
        None => Ok(None),
        Some(chosen) => chosen.look_up(open),
    });
    let plans = plans.collect::<Result<Vec<_>, _>>()?;
    bring::looked_up(shards, plans.iter().map(Option::as_ref))?;
    for ((open, chosen), plan) in shards.iter().zip(&chosen).zip(&plans) {
        let (found, source) = match chosen {
            None => (Candidates::Some(Hits::default()), None),
            Some(chosen) => chosen.candidates(open, query, plan.as_ref(), receipt)?,
        };
        candidates.push(found);
        sources.push(source);
    }
    let failure = Mutex::default();
    let has_content = !matches!(request.look, Look::Names);
    let shared = Shared { query, sources: &sources, has_content, failure: &failure };
    let visitors = || -> Box<dyn run::Visit + '_> { Box::new(Judge::new(&shared, hearers())) };
    run::run(shards, &candidates, request, Sums::Left, receipt, &visitors)?;
    unshared(failure).map_or(Ok(()), Err)
}

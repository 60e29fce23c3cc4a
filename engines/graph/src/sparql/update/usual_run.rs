//! Requests of the usual shapes, done as they are cut: no quad of them is held as terms.

use manicule_core::watch::Watch;

use super::super::error::SparqlError;
use super::run::Run;
use super::usual::{Step, cut};
use super::writable::Writable;
use crate::load::{RawQuad, RawTerm};
use crate::quad::{GraphChoice, Pattern, Quad};
use crate::view::View;
use crate::{GraphError, Id};

/// Quads between two looks at the watch.
const WATCHED_QUADS: u64 = 256;

/// The terms that came last in their places, which mostly come again, and their ids; none for one
/// that the store doesn't hold.
#[derive(Debug, Default)]
struct Last {
    subject: (Vec<u8>, Option<Id>),
    predicate: (Vec<u8>, Option<Id>),
    tag: String,
}

impl<W: Writable> Run<'_, W> {
    /// Does a request that [`super::usual::is_usual`] has taken.
    pub(super) fn usual(&mut self, text: &str, watch: &Watch<'_>) -> Result<(), SparqlError> {
        let (mut last, mut done, mut count) = (Last::default(), Ok(()), 0);
        let cut = cut(text, &mut |step| {
            count += 1;
            let watched = if count % WATCHED_QUADS == 0 { watch.check() } else { Ok(()) };
            done =
                watched.map_err(SparqlError::from).and_then(|()| self.step(step, &mut last, watch));
            done.is_ok()
        });
        done?;
        cut.expect("it was cut before");
        Ok(())
    }

    fn step(
        &mut self,
        step: Step<'_>,
        last: &mut Last,
        watch: &Watch<'_>,
    ) -> Result<(), SparqlError> {
        match step {
            Step::Insert(quad) => {
                let quad =
                    self.quad(&quad, last, |run, term, tag| run.enter(term, tag).map(Some))?;
                self.insert(quad.expect("each term was entered"));
            }
            Step::Delete(quad) => {
                if let Some(quad) = self.quad(&quad, last, Self::look_up)? {
                    self.remove(quad);
                }
            }
            Step::DeleteWhere(terms) => self.delete_where(terms, &mut last.tag, watch)?,
            Step::End => {
                // What isn't held now an INSERT may enter.
                *last = Last::default();
                self.work.operations += 1;
                watch.check()?;
            }
        }
        Ok(())
    }

    fn enter(&mut self, term: RawTerm<'_>, tag: &mut String) -> Result<Id, GraphError> {
        self.store.intern(term.term_ref(tag).expect("no blank node and no triple term is usual"))
    }

    fn look_up(&mut self, term: RawTerm<'_>, tag: &mut String) -> Result<Option<Id>, GraphError> {
        self.store.find(term.term_ref(tag).expect("no blank node and no triple term is usual"))
    }

    /// The ids of a quad; none if one of its terms has none.
    fn quad(
        &mut self,
        quad: &RawQuad<'_>,
        last: &mut Last,
        mut id: impl FnMut(&mut Self, RawTerm<'_>, &mut String) -> Result<Option<Id>, GraphError>,
    ) -> Result<Option<Quad>, GraphError> {
        let Last { subject, predicate, tag } = last;
        for (term, (text, known)) in [(quad.subject, subject), (quad.predicate, predicate)] {
            let RawTerm::Iri(iri) = term else { unreachable!("no other term is usual there") };
            if known.is_none() || text != iri {
                *known = id(self, term, tag)?;
                text.clear();
                text.extend_from_slice(iri);
            }
        }
        let (subject, predicate) = (last.subject.1, last.predicate.1);
        let object = id(self, quad.object, &mut last.tag)?;
        let graph = match quad.graph {
            None => Some(Id::DEFAULT_GRAPH),
            Some(graph) => id(self, graph, &mut last.tag)?,
        };
        Ok((|| {
            let (subject, predicate) = (subject?, predicate?);
            Some(Quad { subject, predicate, object: object?, graph: graph? })
        })())
    }

    fn delete_where(
        &mut self,
        terms: [Option<RawTerm<'_>>; 3],
        tag: &mut String,
        watch: &Watch<'_>,
    ) -> Result<(), SparqlError> {
        let mut ids = [None; 3];
        for (id, term) in ids.iter_mut().zip(terms) {
            let Some(term) = term else { continue };
            *id = self.look_up(term, tag)?;
            if id.is_none() {
                return Ok(());
            }
        }
        let [subject, predicate, object] = ids;
        let pattern = Pattern { subject, predicate, object, graph: GraphChoice::Default };
        let removed = self.store.with_view(|view| -> Result<Vec<Quad>, SparqlError> {
            let mut removed = Vec::new();
            for (count, quad) in (0..).zip(view.quads(&pattern)) {
                if count % WATCHED_QUADS == 0 {
                    watch.check()?;
                }
                removed.push(quad?);
            }
            Ok(removed)
        })?;
        removed.into_iter().for_each(|quad| self.remove(quad));
        Ok(())
    }
}

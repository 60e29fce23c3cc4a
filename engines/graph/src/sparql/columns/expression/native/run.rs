//! What an expression gives for each distinct term of a column.

use std::collections::HashMap;

use oxrdf::{Literal, NamedNode, Term};
use spargebra::algebra::Expression;

use super::super::super::filter::marks::Truth;
use super::super::super::state::Columns;
use super::super::super::stop::{Outcome, Stop};
use super::super::super::table::ids::LookUp;
use super::super::super::table::ids::is_local;
use super::super::super::table::rows::UNBOUND;
use super::compile::compile;
use super::node::{Given, Node, Slot};
use super::value::{Open, Value};
use crate::Id;
use crate::term::TermRef;
use crate::term::inline::is_inlined;
use crate::view::{View, WantedTerm};

/// Number of terms between two looks at the time and the memory.
const TERMS_PER_LOOK: usize = 1 << 10;

/// An expression of one variable that is computed here.
pub(in crate::sparql) struct Native(Node);

impl Native {
    /// An expression; none if a function isn't known here.
    pub(in crate::sparql) fn new(expression: &Expression, variable: &str) -> Option<Self> {
        let node = compile(expression, variable)?;
        // A variable or a constant alone is no computation.
        (!matches!(node, Node::Variable | Node::Constant(..) | Node::Error)).then_some(Native(node))
    }

    /// Whether it may give terms of the view: computed ones are looked up then, to be equal to
    /// them.
    pub(in crate::sparql) fn gives_term(&self) -> bool {
        self.0.gives_term()
    }

    /// Whether texts of terms are read for it.
    pub(in crate::sparql) fn needs_text(&self) -> bool {
        self.0.needs_text()
    }
}

/// Values of distinct terms, and those among them that the evaluator has to compute.
pub(in crate::sparql) struct Of<T> {
    pub(in crate::sparql) values: Vec<T>,
    /// Numbers of the terms.
    pub(in crate::sparql) open: Vec<u32>,
}

impl<V: View> Columns<'_, '_, V> {
    /// The truth of an expression for some terms.
    pub(in crate::sparql) fn native_truths(
        &self,
        native: &Native,
        ids: &[u64],
    ) -> Outcome<Of<Truth>> {
        let mut of = Of { values: vec![Truth::Error; ids.len()], open: Vec::new() };
        self.each_term(ids, native.needs_text(), &mut |at, slot| {
            match native.0.truth(slot) {
                Ok(truth) => of.values[at] = truth.into(),
                Err(Open::Error) => {}
                Err(Open::Unknown) => of.open.push(at as u32),
            }
            Ok(())
        })?;
        Ok(of)
    }

    /// The values of an expression for some terms, as ids.
    pub(in crate::sparql) fn native_values(
        &self,
        native: &Native,
        ids: &[u64],
        look_up: LookUp,
    ) -> Outcome<Of<u64>> {
        let mut of = Of { values: vec![UNBOUND; ids.len()], open: Vec::new() };
        let mut texts = HashMap::new();
        let is_inlining = self.is_inlining()?;
        self.each_term(ids, native.needs_text(), &mut |at, slot| {
            match native.0.term(slot) {
                Ok(Given::Own) => of.values[at] = slot.id,
                Ok(Given::Term(term)) => of.values[at] = self.ids.id(&term)?,
                Ok(Given::Value(value)) => {
                    match self.id_of(value, is_inlining, look_up, &mut texts)? {
                        Some(id) => of.values[at] = id,
                        None => of.open.push(at as u32),
                    }
                }
                Err(Open::Error) => {}
                Err(Open::Unknown) => of.open.push(at as u32),
            }
            Ok(())
        })?;
        Ok(of)
    }

    /// The id of a value; none if the evaluator has to make a term of it.
    fn id_of(
        &self,
        value: Value<'_>,
        is_inlining: bool,
        look_up: LookUp,
        texts: &mut HashMap<String, u64>,
    ) -> Outcome<Option<u64>> {
        if let Some(id) = value.inlined().filter(|_| is_inlining) {
            return Ok(Some(id.0));
        }
        let term = match value {
            Value::Text(text) => {
                if let Some(id) = texts.get(&*text) {
                    return Ok(Some(*id));
                }
                let id = self.id_of_term(Literal::new_simple_literal(&*text).into(), look_up)?;
                texts.insert(text.into_owned(), id);
                return Ok(Some(id));
            }
            Value::Tagged(text, tag) => {
                Literal::new_language_tagged_literal_unchecked(text, tag).into()
            }
            Value::Directional(text, tag, direction) => {
                let new = Literal::new_directional_language_tagged_literal_unchecked;
                new(text, tag, direction).into()
            }
            Value::Triple(triple) => Term::Triple(triple),
            Value::Iri(text) => NamedNode::new_unchecked(text).into(),
            Value::Integer(value) => Literal::from(value).into(),
            Value::Boolean(value) => Literal::from(value).into(),
            Value::Blank(_) | Value::Typed(..) | Value::Inlined(_) => return Ok(None),
        };
        self.id_of_term(term, look_up).map(Some)
    }

    /// Whether the view has ids for all small numbers.
    fn is_inlining(&self) -> Outcome<bool> {
        let zero = self.ids.id(&Literal::from(0).into())?;
        Ok(!is_local(zero) && is_inlined(Id(zero).tag()))
    }

    fn id_of_term(&self, term: Term, look_up: LookUp) -> Outcome<u64> {
        if look_up == LookUp::Yes
            && let Some(id) = self.ids.find(&term)?
        {
            return Ok(id.0);
        }
        self.meter.computed(&term)?;
        Ok(self.ids.of_computed(&term))
    }

    /// Calls `each` with the number of each of some terms, and the term: in the order of their ids,
    /// so that each of the dictionary's blocks is decoded one time.
    fn each_term(
        &self,
        ids: &[u64],
        needs_text: bool,
        each: &mut dyn FnMut(usize, &Slot<'_>) -> Outcome<()>,
    ) -> Outcome<()> {
        let (mut read, mut count) = (Vec::new(), 0);
        for (at, id) in ids.iter().enumerate() {
            let is_known = *id == UNBOUND || !needs_text || is_inlined(Id(*id).tag());
            if is_local(*id) {
                let term = self.ids.term(*id)?;
                let value = Some(Value::of_term(*id, &term));
                each(at, &Slot { id: *id, value })?;
            } else if is_known {
                let value = (*id != UNBOUND).then(|| Value::of_tag(*id));
                each(at, &Slot { id: *id, value })?;
            } else {
                read.push(WantedTerm { id: Id(*id), number: at as u32 });
            }
            count += 1;
            if count % TERMS_PER_LOOK == 0 {
                self.meter.check(2 * read.len())?;
            }
        }
        read.sort_unstable();
        for part in read.chunks(TERMS_PER_LOOK) {
            self.meter.check(2 * read.len())?;
            self.session.count(|work| work.terms_read += part.len() as u64);
            let mut outcome = Ok(());
            let mut take = |WantedTerm { id, number }: WantedTerm, term: TermRef<'_>| {
                if outcome.is_ok() {
                    let value = Some(Value::of_stored(id.0, term));
                    outcome = each(number as usize, &Slot { id: id.0, value });
                }
            };
            let all = self.view.read_terms(part, &mut take);
            all.map_err(|error| Stop::Failed(error.into()))?;
            outcome?;
        }
        Ok(())
    }
}

//! Triple patterns: scanned whole, or looked up for each row of a table.

use std::borrow::Cow;
use std::collections::BTreeSet;

use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::super::super::rewrite::constant;
use super::super::state::{Columns, GraphOf};
use super::super::stop::{Outcome, Stop};
use super::super::table::ids::is_local;
use super::super::table::pool;
use super::super::table::rows::{Table, UNBOUND, gathered};
use super::quads::{At, QuadPattern};
use crate::Id;
use crate::quad::{Pattern, Quad};
use crate::view::{Blocks as _, View};

/// Quads of a look-up from which on they are read in blocks.
const BLOCK_PAYS: f64 = 16.0;

impl<V: View> Columns<'_, '_, V> {
    /// A triple pattern as ids, with its count; none if a constant is not in the store. Whoever
    /// weighs a way to answer asks, and who then goes it: it is made once.
    pub(in crate::sparql) fn quad_pattern(
        &self,
        triple: &TriplePattern,
        graph: &GraphOf,
    ) -> Outcome<Option<QuadPattern>> {
        // Of each of many graphs it is asked by turns, and not again.
        if let GraphOf::Id(_) = graph {
            return self.made_pattern(triple, graph);
        }
        let of_graph = |(own, _): &&(GraphOf, _)| own == graph;
        if let Some(made) = self.patterns.borrow().get(triple)
            && let Some((_, pattern)) = made.iter().find(of_graph)
        {
            return Ok(pattern.clone());
        }
        let pattern = self.made_pattern(triple, graph)?;
        let mut patterns = self.patterns.borrow_mut();
        patterns.entry(triple.clone()).or_default().push((graph.clone(), pattern.clone()));
        Ok(pattern)
    }

    fn made_pattern(
        &self,
        triple: &TriplePattern,
        graph: &GraphOf,
    ) -> Outcome<Option<QuadPattern>> {
        let predicate = match triple.predicate.clone() {
            NamedNodePattern::NamedNode(node) => TermPattern::NamedNode(node),
            NamedNodePattern::Variable(variable) => TermPattern::Variable(variable),
        };
        let mut places = [const { At::Default }; 4];
        for (place, term) in places.iter_mut().zip([&triple.subject, &predicate, &triple.object]) {
            if let TermPattern::Variable(variable) = term {
                *place = At::Variable(variable.as_str().to_owned());
                continue;
            }
            let constant = constant(term).expect("all unknowns became variables");
            match self.ids.find(&constant)? {
                Some(id) => *place = At::Id(id),
                None => return Ok(None),
            }
        }
        places[3] = match graph {
            GraphOf::Default => At::Default,
            GraphOf::Variable(name) => At::Variable(name.clone()),
            GraphOf::Parameter(name) => At::Parameter(name.clone()),
            GraphOf::Id(name) => At::Id(*name),
            GraphOf::Name(name) => match self.ids.find(&name.clone().into())? {
                Some(id) => At::Id(id),
                None => return Ok(None),
            },
        };
        let mut pattern = QuadPattern { number: 0, places, count: 0, text: triple.to_string() };
        pattern.count = self.estimate(&pattern.ids())?;
        Ok(Some(pattern))
    }

    /// A pattern with the values of its parameters; none where the store doesn't have one of them.
    /// Of a parameter without a value its variable takes the place.
    pub(in crate::sparql) fn resolved<'q>(
        &self,
        pattern: &'q QuadPattern,
    ) -> Outcome<Option<Cow<'q, QuadPattern>>> {
        if !pattern.places.iter().any(|place| matches!(place, At::Parameter(_))) {
            return Ok(Some(Cow::Borrowed(pattern)));
        }
        let mut own = pattern.clone();
        for place in &mut own.places {
            let At::Parameter(name) = place else { continue };
            *place = match self.parameter(name) {
                Some(id) if is_local(id) => return Ok(None),
                Some(id) if id != UNBOUND => At::Id(Id(id)),
                _ => At::Variable(std::mem::take(name)),
            };
        }
        own.count = self.estimate(&own.ids())?;
        Ok(Some(Cow::Owned(own)))
    }

    fn estimate(&self, pattern: &Pattern) -> Outcome<u64> {
        self.meter.session().count(|work| work.estimates += 1);
        self.graphs.estimate(pattern).map_err(|error| Stop::Failed(error.into()))
    }

    /// All quads of a pattern, without the variables that nobody needs.
    pub(in crate::sparql) fn scan(
        &self,
        pattern: &QuadPattern,
        needed: Option<&BTreeSet<String>>,
    ) -> Outcome<Table> {
        let is_twice =
            |place: &At| pattern.places.iter().filter(|other| *other == place).count() > 1;
        let wanted = pattern.places.each_ref().map(|place| match place {
            At::Variable(name) => {
                needed.is_none_or(|needed| needed.contains(name)) || is_twice(place)
            }
            At::Id(_) | At::Parameter(_) | At::Default => false,
        });
        let wanted_count = wanted.iter().filter(|is| **is).count();
        let ids = pattern.count as usize * wanted_count;
        self.meter
            .admit(pattern.count as usize, ids + self.graphs.held(pattern.count, &pattern.ids()))?;
        let room = |wanted: bool| if wanted { pattern.count as usize } else { 0 };
        let mut columns = wanted.map(|wanted| pool::ids(room(wanted)));
        let row_count = self
            .graphs
            .columns(&pattern.ids(), wanted, &mut columns)
            .map_err(|error| Stop::Failed(error.into()))?;
        self.meter.scanned(row_count)?;
        let mut table = Table { row_count: row_count as usize, ..Table::default() };
        let mut marks: Option<Vec<bool>> = None;
        for ((place, column), wanted) in pattern.places.iter().zip(columns).zip(wanted) {
            let (At::Variable(name), true) = (place, wanted) else { continue };
            let Some(first) = table.column(name) else {
                table.push(name.clone(), column);
                continue;
            };
            let marks = marks.get_or_insert_with(|| vec![true; row_count as usize]);
            let equal = first.iter().zip(&column).map(|(one, other)| one == other);
            marks.iter_mut().zip(equal).for_each(|(mark, equal)| *mark &= equal);
        }
        let table = match marks {
            Some(marks) => table.marked(&marks),
            None => table,
        };
        self.meter.charge(&table)?;
        Ok(table)
    }

    /// The mean number of quads of a pattern for a row of a table, of some rows.
    pub(in crate::sparql) fn fan_out(&self, table: &Table, pattern: &QuadPattern) -> Outcome<f64> {
        const SAMPLES: usize = 4;
        let step = table.row_count.div_ceil(SAMPLES).max(1);
        let (mut sum, mut count) = (0.0, 0.0_f64);
        for row in (step / 2..table.row_count).step_by(step) {
            sum += self.estimate(&pattern.bound(table, row))? as f64;
            count += 1.0;
        }
        Ok(sum / count.max(1.0))
    }

    /// A few rows of a few rows of a table with the quads of a pattern.
    pub(in crate::sparql) fn sample(&self, table: &Table, pattern: &QuadPattern) -> Outcome<Table> {
        const ROWS_MAX: usize = 3;
        const QUADS_EACH: usize = 2;
        let new = pattern.names().into_iter().filter(|name| table.place(name).is_none());
        let mut names = table.names.clone();
        names.extend(new);
        let mut found = Table::empty(names);
        for row in 0..table.row_count.min(ROWS_MAX) {
            self.meter.session().count(|work| work.estimates += 1);
            let quads = self.graphs.quads(&pattern.bound(table, row));
            for quad in quads.take(QUADS_EACH.min(ROWS_MAX - found.row_count)) {
                let quad = quad.map_err(|error| Stop::Failed(error.into()))?;
                let ids = [quad.subject, quad.predicate, quad.object, quad.graph];
                for (name, column) in found.names.iter().zip(found.columns.iter_mut()) {
                    let own = table.column(name).map(|column| Id(column[row]));
                    let place = pattern.place_of(name).map(|role| ids[role as usize]);
                    column.push(own.or(place).map_or(UNBOUND, |id| id.0));
                }
                found.row_count += 1;
            }
        }
        Ok(found)
    }

    /// The rows of a table with the quads of a pattern, which is looked up for each: some of them
    /// for a row.
    pub(in crate::sparql) fn look_up(
        &self,
        table: &Table,
        pattern: &QuadPattern,
        fan_out: f64,
    ) -> Outcome<Table> {
        let names: Vec<String> =
            pattern.names().into_iter().filter(|name| table.place(name).is_none()).collect();
        let places_of = |name: &String| {
            let is_it =
                |at: &usize| matches!(&pattern.places[*at], At::Variable(own) if own == name);
            (0..4).filter(is_it).collect()
        };
        let places: Vec<Vec<usize>> = names.iter().map(places_of).collect();
        let mut columns = vec![Vec::new(); names.len()];
        let mut rows = Vec::new();
        let failed = |error: crate::GraphError| Stop::Failed(error.into());
        let by_block = fan_out >= BLOCK_PAYS && !pattern.has_repeated();
        let wanted = std::array::from_fn(|place| places.iter().any(|own| own[0] == place));
        for row in 0..table.row_count {
            if by_block {
                let before = rows.len();
                let bound = pattern.bound(table, row);
                let mut blocks = self.graphs.blocks(&bound, wanted).map_err(failed)?;
                while let Some(count) = blocks.next().map_err(failed)? {
                    rows.resize(rows.len() + count, row as u32);
                    for (column, own) in columns.iter_mut().zip(&places) {
                        column.extend_from_slice(blocks.ids()[own[0]]);
                    }
                }
                self.meter.scanned((rows.len() - before) as u64)?;
                continue;
            }
            let mut quads = 0;
            for quad in self.graphs.quads(&pattern.bound(table, row)) {
                let Quad { subject, predicate, object, graph } = quad.map_err(failed)?;
                quads += 1;
                let ids = [subject, predicate, object, graph];
                // A variable that stands twice has one id.
                let is_one = |own: &Vec<usize>| own.iter().all(|at| ids[*at] == ids[own[0]]);
                if !places.iter().all(is_one) {
                    continue;
                }
                rows.push(row as u32);
                for (column, own) in columns.iter_mut().zip(&places) {
                    column.push(ids[own[0]].0);
                }
            }
            self.meter.scanned(quads)?;
        }
        let mut found = Table { row_count: rows.len(), ..Table::default() };
        for (name, column) in table.names.iter().zip(table.columns.iter()) {
            found.push(name.clone(), gathered(column, &rows));
        }
        for (name, column) in names.into_iter().zip(columns) {
            found.push(name, column);
        }
        self.meter.charge(&found)?;
        Ok(found)
    }
}

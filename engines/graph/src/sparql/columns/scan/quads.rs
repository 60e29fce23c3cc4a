//! A pattern of quads by ids, and what is known of it.

use manicule_format_leaf::Role;

use super::super::table::rows::Table;
use crate::Id;
use crate::quad::{GraphChoice, Pattern};

/// What stands at a place of a pattern of quads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::sparql) enum At {
    Variable(String),
    Id(Id),
    /// What a parameter of the plan has.
    Parameter(String),
    /// The default graph.
    Default,
}

/// A pattern of quads: subject, predicate, object, graph.
#[derive(Clone, Debug)]
pub(in crate::sparql) struct QuadPattern {
    /// Its number among the operators of the plan.
    pub(in crate::sparql) number: usize,
    pub(in crate::sparql) places: [At; 4],
    /// How many quads it has.
    pub(in crate::sparql) count: u64,
    /// As SPARQL writes it.
    pub(in crate::sparql) text: String,
}

impl QuadPattern {
    /// The variables, each once.
    pub(in crate::sparql) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for place in &self.places {
            if let At::Variable(name) = place
                && !names.contains(name)
            {
                names.push(name.clone());
            }
        }
        names
    }

    /// The place of a variable; of one that occurs twice, the first.
    pub(in crate::sparql) fn place_of(&self, name: &str) -> Option<Role> {
        let roles = [Role::Subject, Role::Predicate, Role::Object, Role::Graph];
        let is_it = |place: &At| matches!(place, At::Variable(own) if own == name);
        roles.into_iter().zip(&self.places).find_map(|(role, place)| is_it(place).then_some(role))
    }

    /// The variable at a place.
    pub(super) fn name_at(&self, place: usize) -> Option<&String> {
        match &self.places[place] {
            At::Variable(name) => Some(name),
            At::Id(_) | At::Parameter(_) | At::Default => None,
        }
    }

    /// Whether a variable occurs at two places.
    pub(in crate::sparql) fn has_repeated(&self) -> bool {
        let is_variable = |place: &&At| matches!(place, At::Variable(_));
        self.places.iter().filter(is_variable).count() != self.names().len()
    }

    /// Pairs of places at which one variable stands.
    pub(in crate::sparql) fn repeated(&self) -> Vec<(usize, usize)> {
        let is_variable = |at: &usize| matches!(self.places[*at], At::Variable(_));
        let pairs = (0..4).flat_map(|one| (one + 1..4).map(move |other| (one, other)));
        let pairs = pairs.filter(|(one, _)| is_variable(one));
        pairs.filter(|(one, other)| self.places[*one] == self.places[*other]).collect()
    }

    /// The pattern without variables bound.
    pub(in crate::sparql) fn ids(&self) -> Pattern {
        self.bound(&Table::unit(), 0)
    }

    /// The pattern with variables bound as in a row of a table.
    pub(super) fn bound(&self, table: &Table, row: usize) -> Pattern {
        let id = |place: &At| match place {
            At::Variable(name) => table.column(name).map(|column| Id(column[row])),
            At::Id(id) => Some(*id),
            At::Parameter(_) | At::Default => None,
        };
        let [subject, predicate, object, graph] = self.places.each_ref();
        let graph_choice = match (graph, id(graph)) {
            (At::Default, _) => GraphChoice::Default,
            (_, Some(name)) => GraphChoice::Named(name),
            (_, None) => GraphChoice::AnyNamed,
        };
        Pattern {
            subject: id(subject),
            predicate: id(predicate),
            object: id(object),
            graph: graph_choice,
        }
    }
}

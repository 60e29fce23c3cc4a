//! The orders that quads are kept in.
//!
//! Bytes:   docs/formats/leaf.md, section *orders*

use crate::id::Id;

/// A place in a quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Role {
    /// Subject.
    Subject,
    /// Predicate.
    Predicate,
    /// Object.
    Object,
    /// Graph.
    Graph,
}

use Role::{Graph, Object, Predicate, Subject};

/// The order of a sequence of rows: which term is the first column, which the second, and so on.
/// The sequences of three columns hold the default graph, those of four the named ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Order {
    /// Subject, predicate, object of the default graph.
    Spo,
    /// Predicate, object, subject of the default graph.
    Pos,
    /// Object, subject, predicate of the default graph.
    Osp,
    /// Subject, predicate, object, graph.
    Spog,
    /// Predicate, object, subject, graph.
    Posg,
    /// Object, subject, predicate, graph.
    Ospg,
    /// Graph, subject, predicate, object.
    Gspo,
}

impl Order {
    /// All of them, by their numbers.
    pub const ALL: [Order; 7] =
        [Order::Spo, Order::Pos, Order::Osp, Order::Spog, Order::Posg, Order::Ospg, Order::Gspo];
    /// Those of the default graph.
    pub const DEFAULT: [Order; 3] = [Order::Spo, Order::Pos, Order::Osp];
    /// Those of the named graphs.
    pub const NAMED: [Order; 4] = [Order::Spog, Order::Posg, Order::Ospg, Order::Gspo];

    /// The columns, first to last.
    pub fn columns(self) -> &'static [Role] {
        match self {
            Order::Spo => &[Subject, Predicate, Object],
            Order::Pos => &[Predicate, Object, Subject],
            Order::Osp => &[Object, Subject, Predicate],
            Order::Spog => &[Subject, Predicate, Object, Graph],
            Order::Posg => &[Predicate, Object, Subject, Graph],
            Order::Ospg => &[Object, Subject, Predicate, Graph],
            Order::Gspo => &[Graph, Subject, Predicate, Object],
        }
    }

    /// Number of columns.
    pub fn width(self) -> usize {
        self.columns().len()
    }

    /// Its name, as inspection shows it.
    pub fn name(self) -> &'static str {
        ["SPO", "POS", "OSP", "SPOG", "POSG", "OSPG", "GSPO"][self as usize]
    }

    /// The order of a number.
    pub fn of(number: u8) -> Option<Order> {
        Order::ALL.get(usize::from(number)).copied()
    }

    /// The row of a quad that is given as subject, predicate, object, graph. A row of three columns
    /// ends with [`Id::DEFAULT_GRAPH`].
    pub fn row(self, quad: [Id; 4]) -> [Id; 4] {
        let mut row = [Id::DEFAULT_GRAPH; 4];
        for (column, role) in self.columns().iter().enumerate() {
            row[column] = quad[*role as usize];
        }
        row
    }

    /// Subject, predicate, object, graph of a row.
    pub fn quad(self, row: [Id; 4]) -> [Id; 4] {
        let mut quad = [Id::DEFAULT_GRAPH; 4];
        for (column, role) in self.columns().iter().enumerate() {
            quad[*role as usize] = row[column];
        }
        quad
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quad_comes_back_from_its_row() {
        for order in Order::ALL {
            let graph = if order.width() == 4 { Id(4) } else { Id::DEFAULT_GRAPH };
            let quad = [Id(1), Id(2), Id(3), graph];
            assert_eq!(order.quad(order.row(quad)), quad, "{order:?}");
            assert_eq!(Order::of(order as u8), Some(order));
        }
        let row = Order::Posg.row([Id(1), Id(2), Id(3), Id(4)]);
        assert_eq!(row, [Id(2), Id(3), Id(1), Id(4)]);
        assert_eq!(Order::of(7), None);
    }
}

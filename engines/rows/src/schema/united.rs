//! One header of several SSTables: every column that one of them has, by its newest type.

use std::fmt;

use manicule_format_sstable::{Column, Component, Header, Type, UserType, quoted_name};

use crate::RowsError;
use crate::table::Listed;

/// The headers of a table's SSTables as one.
#[derive(Debug)]
pub struct United {
    header: Header,
    sstable_count: usize,
    /// Static and regular columns: the number of SSTables that have each, in the order of the
    /// header.
    counts: [Vec<usize>; 2],
    conflicts: Vec<Difference>,
}

/// What is not the same in all SSTables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A column that some don't have.
    Partial {
        /// Its name in bytes of UTF-8.
        name: Vec<u8>,
        /// Number of those that have it.
        count: usize,
        /// Number of all.
        of: usize,
    },
    /// A column whose type is another in an older one.
    Type {
        /// Its name in bytes of UTF-8.
        name: Vec<u8>,
        /// The type that is kept, as CQL names it.
        kept: String,
        /// The other one.
        other: String,
        /// The SSTable from which on it is the one that is kept.
        since: String,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Partial { name, count, of } => {
                write!(f, "column {} is in {count} of {of} SSTables", quoted_name(name))
            }
            Difference::Type { name, kept, other, since } => {
                let name = quoted_name(name);
                write!(f, "column {name} is {kept} from {since} on, and {other} before it")
            }
        }
    }
}

impl United {
    /// The header of the oldest SSTable.
    pub fn new(header: Header) -> Self {
        let counts = [true, false].map(|is_static| vec![1; header.columns(is_static).len()]);
        United { header, sstable_count: 1, counts, conflicts: Vec::new() }
    }

    /// Adds the header of a newer one.
    ///
    /// # Errors
    /// A key of other types: the SSTables aren't of one table.
    pub fn add(&mut self, listed: &Listed, header: Header) -> Result<(), RowsError> {
        let parts = [
            ("partition key is", self.header.key == header.key),
            ("clustering columns are", self.header.clustering == header.clustering),
        ];
        if let Some((part, _)) = parts.iter().find(|(_, is_same)| !is_same) {
            let what = format!("its {part} not of the types of the other SSTables");
            let file = listed.path(&Component::Statistics);
            return Err(RowsError::Unsupported { file, what });
        }
        self.sstable_count += 1;
        let [statics, regulars] = &mut self.counts;
        let name = listed.descriptor.to_string();
        let conflicts = &mut self.conflicts;
        unite(&mut self.header.statics, header.statics, statics, &name, conflicts);
        unite(&mut self.header.regulars, header.regulars, regulars, &name, conflicts);
        Ok(())
    }

    /// The header of all.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of SSTables.
    pub fn sstable_count(&self) -> usize {
        self.sstable_count
    }

    /// What is not the same in all.
    pub fn differences(&self) -> Vec<Difference> {
        let columns = self.header.statics.iter().chain(&self.header.regulars);
        let of = self.sstable_count;
        let partial = columns.zip(self.counts.iter().flatten()).filter(|(_, count)| **count < of);
        let partial = partial.map(|(column, count)| {
            let name = column.name.clone();
            Difference::Partial { name, count: *count, of }
        });
        partial.chain(self.conflicts.iter().cloned()).collect()
    }
}

fn unite(
    columns: &mut Vec<Column>,
    newer: Vec<Column>,
    counts: &mut Vec<usize>,
    since: &str,
    conflicts: &mut Vec<Difference>,
) {
    for column in newer {
        let Some(at) = columns.iter().position(|other| other.name == column.name) else {
            columns.push(column);
            counts.push(1);
            continue;
        };
        counts[at] += 1;
        let there = &mut columns[at].kind;
        match united(there, &column.kind) {
            Some(kind) => *there = kind,
            None => {
                let (kept, other) = (column.kind.cql(), there.cql());
                let (name, since) = (column.name, since.to_owned());
                conflicts.push(Difference::Type { name, kept, other, since });
                *there = column.kind;
            }
        }
    }
}

/// The type that values of both have: user types grow by fields at their end. `None` where there is
/// none.
fn united(older: &Type, newer: &Type) -> Option<Type> {
    if older == newer {
        return Some(newer.clone());
    }
    let boxed = |left: &Type, right: &Type| united(left, right).map(Box::new);
    Some(match (older, newer) {
        (
            Type::List { element: left, is_frozen: was },
            Type::List { element: right, is_frozen },
        ) if was == is_frozen => Type::List { element: boxed(left, right)?, is_frozen: *was },
        (Type::Set { element: left, is_frozen: was }, Type::Set { element: right, is_frozen })
            if was == is_frozen =>
        {
            Type::Set { element: boxed(left, right)?, is_frozen: *was }
        }
        (
            Type::Map { key: left, value: of_left, is_frozen: was },
            Type::Map { key: right, value: of_right, is_frozen },
        ) if was == is_frozen => {
            let (key, value) = (boxed(left, right)?, boxed(of_left, of_right)?);
            Type::Map { key, value, is_frozen: *was }
        }
        (
            Type::Tuple { fields: left, is_frozen: was },
            Type::Tuple { fields: right, is_frozen },
        ) if was == is_frozen && left.len() == right.len() => {
            let fields = left.iter().zip(right).map(|(left, right)| united(left, right));
            Type::Tuple { fields: fields.collect::<Option<_>>()?, is_frozen: *was }
        }
        (Type::User(left), Type::User(right)) => Type::User(Box::new(united_user(left, right)?)),
        _ => return None,
    })
}

fn united_user(older: &UserType, newer: &UserType) -> Option<UserType> {
    let is_same = |user: &UserType| (user.keyspace.clone(), user.name.clone(), user.is_frozen);
    if is_same(older) != is_same(newer) {
        return None;
    }
    let both = older.fields.iter().zip(&newer.fields).map(|((name, left), (other, right))| {
        let kind = united(left, right)?;
        (name == other).then(|| (name.clone(), kind))
    });
    let mut fields: Vec<_> = both.collect::<Option<_>>()?;
    let longer = if older.fields.len() > newer.fields.len() { older } else { newer };
    fields.extend(longer.fields[fields.len()..].iter().cloned());
    Some(UserType { fields, ..newer.clone() })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use super::*;
    use manicule_format_sstable::{Descriptor, Version};
    use manicule_store::store::LocalStore;

    use crate::table::SchemaBeside;

    fn header(columns: &[(&str, &str)]) -> Header {
        let column = |(name, class): &(&str, &str)| Column {
            name: name.as_bytes().to_vec(),
            kind: Type::parse(class).expect(class),
        };
        Header {
            version: Version::Me,
            base_timestamp: 0,
            base_deletion_time: 0,
            base_ttl: 0,
            key: Type::Int,
            clustering: Vec::new(),
            statics: Vec::new(),
            regulars: columns.iter().map(column).collect(),
        }
    }

    fn listed(generation: u32) -> Listed {
        let name = format!("me-{generation}-big-Data.db");
        let descriptor = Descriptor::parse(&name).expect("a name").0;
        Listed {
            folder: "t".into(),
            store: Arc::new(LocalStore::at(Path::new("t"))),
            descriptor,
            components: Vec::new(),
            versions: Vec::new(),
            schema: SchemaBeside::Unknown,
        }
    }

    #[test]
    fn columns_of_all_are_kept_and_differences_named() {
        let user = |fields: &str| format!("FrozenType(UserType(ks,75{fields}))");
        let (short, long) = (user(",61:Int32Type"), user(",61:Int32Type,62:UTF8Type"));
        let mut all = United::new(header(&[("a", "Int32Type"), ("u", &short)]));
        let newer = header(&[("a", "UTF8Type"), ("b", "ListType(Int32Type)"), ("u", &long)]);
        all.add(&listed(2), newer).expect("one table");
        all.add(&listed(3), header(&[("a", "UTF8Type"), ("u", &short)])).expect("one table");
        let columns: Vec<_> = all.header().regulars.iter().map(|column| &column.kind).collect();
        let kinds = ["UTF8Type", &long, "ListType(Int32Type)"].map(Type::parse);
        assert_eq!(columns, kinds.iter().flatten().collect::<Vec<_>>());
        let shown: Vec<_> = all.differences().iter().map(ToString::to_string).collect();
        let want = [
            "column b is in 1 of 3 SSTables",
            "column a is text from me-2-big on, and int before it",
        ];
        assert_eq!(shown, want);
        let other = Header { key: Type::Text, ..header(&[]) };
        assert!(matches!(all.add(&listed(4), other), Err(RowsError::Unsupported { .. })));
    }
}

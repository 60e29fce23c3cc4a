//! Facts made of fields: what `rows export --raw` writes, read again.

use manicule_rows::merge::{element_type, path_type};
use manicule_rows::write::{NewFact, TakeFact};
use manicule_rows::{FactKind, Header, NO_LOCAL_TIME, RowsError, SchemaTable, Type, Value};

use super::call::WriteCall;
use super::slots::{Field, Slots, of_key};
use crate::rows::facts::{FIELDS, SSTABLE, kind_of};

/// The fields of a fact: the key, the clustering, and what it says.
pub(super) struct FactPlan<'p> {
    header: &'p Header,
    slots: Slots,
    /// Numbers of the first field of the clustering, and of what the fact says.
    starts: [usize; 2],
    /// Whether clustering values may be null.
    is_compact: bool,
}

impl<'p> FactPlan<'p> {
    pub(super) fn new(table: &SchemaTable, header: &'p Header, call: &WriteCall) -> Self {
        let [mut list, clustering] = of_key(table, header);
        let clustering_at = list.len();
        list.extend(clustering);
        let said_at = list.len();
        list.extend(FIELDS.iter().map(|(name, kind)| ((*name).to_owned(), kind.clone())));
        // Which SSTable said it is read, and not asked.
        list.push((SSTABLE.to_owned(), Type::Text));
        let slots = Slots::new(list, call.ignores_others);
        FactPlan { header, slots, starts: [clustering_at, said_at], is_compact: table.is_compact }
    }

    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Hands a fact on.
    pub(super) fn fact(&self, fields: &[Field<'_>], take: TakeFact<'_>) -> Result<(), RowsError> {
        let [clustering_at, said_at] = self.starts;
        let said = &fields[said_at..];
        let [
            word,
            is_static,
            column,
            path,
            value,
            is_inclusive,
            written,
            ttl,
            expires,
            deleted,
            ..,
        ] = said
        else {
            return Ok(());
        };
        let is = |field: &Field<'_>| field.value() == Some(&[1]);
        let (word, slot) = (word.text().unwrap_or_default(), |number| said_at + number);
        let kind = kind_of(word, is(is_inclusive));
        let kind = kind.ok_or_else(|| {
            self.slots.wrong(slot(0), format!("wanted a kind of fact, got {word:?}"))
        })?;
        let is_static = is(is_static);
        let (column, path) = self.column(kind, is_static, [column, path], said_at + 2)?;
        let kind_of_value = column.map(|column| &self.header.columns(is_static)[column].kind);
        let value = match kind_of_value.and_then(|kind| element_type(kind, path.as_deref())) {
            Some(kind) if value.text().is_some() => {
                let read = read(kind, value.text().unwrap_or_default());
                read.map_err(|why| self.slots.wrong(slot(4), why))?
            }
            _ if value.value().is_some() => {
                return Err(self.slots.wrong(slot(4), "this fact has no value"));
            }
            _ => Vec::new(),
        };
        let timestamp = written.number();
        let timestamp = timestamp
            .ok_or_else(|| self.slots.wrong(slot(6), "wanted microseconds since 1970, got none"))?;
        let is_dead = !matches!(kind, FactKind::Row | FactKind::Cell);
        let (time, other) = if is_dead { (deleted, expires) } else { (expires, deleted) };
        if other.value().is_some() {
            return Err(self
                .slots
                .wrong(slot(8), "what is deleted doesn't expire, and the reverse"));
        }
        let ttl = ttl.number().unwrap_or(0);
        let ttl = i32::try_from(ttl).map_err(|_| self.slots.wrong(slot(7), "it is too long"))?;
        let values: Vec<Value<'_>> =
            fields[clustering_at..said_at].iter().map(Field::value).collect();
        let clustering = of_kind(kind, is_static, &values);
        let none = clustering.iter().position(|value| value.is_none());
        if let Some(none) = none.filter(|_| !self.is_compact) {
            return Err(self.slots.wrong(clustering_at + none, "the primary key wants a value"));
        }
        take(&NewFact {
            kind,
            key: &self.slots.key(&self.header.key, &fields[..clustering_at])?,
            is_static,
            clustering,
            column,
            path: path.as_deref(),
            value: &value,
            timestamp,
            ttl,
            local_time: time.number().map_or(NO_LOCAL_TIME, |millis| millis.div_euclid(1000)),
        })
    }

    /// The column of a fact, and the bytes of its path.
    fn column(
        &self,
        kind: FactKind,
        is_static: bool,
        [name, path]: [&Field<'_>; 2],
        slot: usize,
    ) -> Result<(Option<usize>, Option<Vec<u8>>), RowsError> {
        let Some(name) = name.text() else { return Ok((None, None)) };
        let columns = self.header.columns(is_static);
        let found = columns.iter().position(|column| column.name == name.as_bytes());
        let wrong = || {
            let static_or = if is_static { "static" } else { "regular" };
            self.slots.wrong(slot, format!("the table has no {static_or} column {name}"))
        };
        let number = found.ok_or_else(wrong)?;
        let Some(path) = path.text().filter(|_| kind != FactKind::CollectionDeletion) else {
            return Ok((Some(number), None));
        };
        let kind = &columns[number].kind;
        let path = match (kind, path_type(kind)) {
            (_, Some(kind)) => read(kind, path),
            (Type::User(user), None) => {
                let field = user.fields.iter().position(|(name, _)| name == path.as_bytes());
                let number = field.and_then(|field| u16::try_from(field).ok());
                let number = number.map(|number| number.to_be_bytes().to_vec());
                number.ok_or_else(|| format!("{} has no field {path}", kind.cql()))
            }
            _ => Err(format!("{} has no elements", kind.cql())),
        };
        Ok((Some(number), Some(path.map_err(|why| self.slots.wrong(slot + 1, why))?)))
    }
}

/// The bytes of a text; of a counter those of its shards.
fn read(kind: &Type, text: &str) -> Result<Vec<u8>, String> {
    let kind = if *kind == Type::Counter { &Type::Blob } else { kind };
    kind.read_field(text).map_err(|error| error.to_string())
}

/// The clustering that a kind of fact has: bounds may be shorter than rows.
fn of_kind<'v>(kind: FactKind, is_static: bool, values: &'v [Value<'v>]) -> &'v [Value<'v>] {
    let given = values.len() - values.iter().rev().take_while(|value| value.is_none()).count();
    match kind {
        FactKind::RangeStart { .. } | FactKind::RangeEnd { .. } => &values[..given],
        // A clustering that isn't wanted is refused.
        FactKind::PartitionDeletion => &values[..given],
        _ if is_static => &values[..given],
        _ => values,
    }
}

//! Rows made of fields.

use manicule_rows::write::{NewRow, NewValue, Stamp, TakeRow};
use manicule_rows::{Deletion, NO_LOCAL_TIME, RowsError, SchemaTable, Type, Value};

use super::call::WriteCall;
use super::settings::Settings;
use super::slots::{Field, Slots, of_key};
use crate::rows::error::Error;

/// The fields of a row: key, clustering, static and regular columns, timestamp, seconds to live.
pub(super) struct Plan<'p> {
    settings: &'p Settings,
    call: &'p WriteCall,
    slots: Slots,
    /// Numbers of the first field of each part: clustering, statics, regulars, times.
    starts: [usize; 4],
}

/// Seconds since 1970 that are later than any version has.
const NEVER: i64 = 1 << 40;

impl<'p> Plan<'p> {
    pub(super) fn new(
        table: &SchemaTable,
        settings: &'p Settings,
        call: &'p WriteCall,
    ) -> Result<Self, Error> {
        let header = &settings.header;
        let [mut slots, clustering] = of_key(table, header);
        let mut starts = [slots.len(); 4];
        slots.extend(clustering);
        for (part, is_static) in [(1, true), (2, false)] {
            starts[part] = slots.len();
            let columns = header.columns(is_static).iter();
            slots.extend(columns.map(|column| {
                (String::from_utf8_lossy(&column.name).into_owned(), column.kind.clone())
            }));
        }
        starts[3] = slots.len();
        let times = &call.times;
        for field in [&times.timestamp_field, &times.ttl_field].into_iter().flatten() {
            if slots.iter().any(|(name, _)| name == field) {
                let why = format!("{field} is a column of the table, and no field of its own");
                return Err(RowsError::Unwritable { why }.into());
            }
        }
        // A field that isn't said has a name that no field has.
        let name = |field: &Option<String>| field.clone().unwrap_or_else(|| "\0".to_owned());
        slots.push((name(&times.timestamp_field), Type::Bigint));
        slots.push((name(&times.ttl_field), Type::Int));
        let slots = Slots::new(slots, call.ignores_others);
        Ok(Plan { settings, call, slots, starts })
    }

    pub(super) fn slots(&self) -> &Slots {
        &self.slots
    }

    /// Hands a row on.
    pub(super) fn row(&self, fields: &[Field<'_>], take: TakeRow<'_>) -> Result<(), RowsError> {
        let [clustering_at, statics_at, regulars_at, times_at] = self.starts;
        let key = self.slots.key(&self.settings.header.key, &fields[..clustering_at])?;
        let statics = self.values(&fields[statics_at..regulars_at]);
        let regulars = self.values(&fields[regulars_at..times_at]);
        let mut clustering: Vec<Value<'_>> = Vec::new();
        let of_row = &fields[clustering_at..statics_at];
        let is_given = |field: &Field<'_>| matches!(field, Field::Value(_));
        // Without clustering values and regular ones it is a row of static values alone.
        let is_static = !of_row.is_empty()
            && !of_row.iter().any(is_given)
            && !statics.is_empty()
            && regulars.iter().all(|(_, value)| *value == NewValue::Deleted);
        for (slot, field) in of_row.iter().enumerate() {
            match field {
                Field::Value(value) => clustering.push(Some(value)),
                _ if is_static => {}
                _ => {
                    return Err(self
                        .slots
                        .wrong(clustering_at + slot, "the primary key wants a value"));
                }
            }
        }
        take(&NewRow {
            key: &key,
            clustering: (!is_static).then_some(&clustering),
            stamp: self.stamp(&fields[times_at..])?,
            has_liveness: self.settings.has_liveness,
            deletion: Deletion::LIVE,
            statics: &statics,
            regulars: if is_static { &[] } else { &regulars },
        })
    }

    /// Values of columns, by their numbers.
    fn values<'f>(&self, fields: &'f [Field<'_>]) -> Vec<(usize, NewValue<'f>)> {
        let value = |(column, field): (usize, &'f Field<'_>)| match field {
            Field::Value(value) => Some((column, NewValue::Set(value))),
            Field::Null if self.call.deletes_nulls => Some((column, NewValue::Deleted)),
            _ => None,
        };
        fields.iter().enumerate().filter_map(value).collect()
    }

    fn stamp(&self, fields: &[Field<'_>]) -> Result<Stamp, RowsError> {
        let times = &self.call.times;
        let timestamp = fields[0].number().unwrap_or(times.timestamp);
        let ttl = fields[1].number().unwrap_or(self.settings.ttl.into());
        let ttl = i32::try_from(ttl).ok().filter(|ttl| (0..=TTL_MAX).contains(ttl));
        let ttl = ttl.ok_or_else(|| RowsError::Unwritable {
            why: format!("seconds to live are 0 to {TTL_MAX}, which is 20 years"),
        })?;
        let expires = match ttl {
            0 => NO_LOCAL_TIME,
            ttl => times.now.saturating_add(ttl.into()).min(NEVER),
        };
        Ok(Stamp { timestamp, ttl, expires, now: times.now })
    }
}

/// Most seconds that Cassandra lets anything live.
const TTL_MAX: i32 = 20 * 365 * 24 * 3600;

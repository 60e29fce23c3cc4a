//! An answer in types that every reader of Arrow knows: words and UUIDs as texts, all times in
//! microseconds, lists of any length, values that may lack. Sources of PySpark have to be so.

use super::column::{Batch, Column, Values};
use super::field::{Field, Held, Kind};
use super::literals::uuid_text;
use super::texts::Texts;
use crate::failure::Failure;

/// Columns in the plain types of [`Answer::into_plain`](super::Answer::into_plain).
pub fn plain_fields(fields: &[Field]) -> Vec<Field> {
    fields.iter().map(plain_field).collect()
}

/// The plain form of a column: of its values one may lack.
fn plain_field(field: &Field) -> Field {
    Field { kind: plain_kind(&field.kind), ..field.clone() }.or_null()
}

fn plain_kind(kind: &Kind) -> Kind {
    match kind {
        Kind::Word | Kind::Uuid => Kind::Text,
        Kind::Millis => Kind::Micros,
        Kind::List(item) | Kind::FixedList(item, _) => {
            Kind::List(Held::Shared(plain_field(item).into()))
        }
        Kind::Map(pair) => {
            let key = Field { may_be_null: false, ..plain_field(&pair[0]) };
            Kind::Map(Held::Shared([key, plain_field(&pair[1])].into()))
        }
        Kind::Struct(parts) => Kind::Struct(Held::Shared(parts.iter().map(plain_field).collect())),
        kind => kind.clone(),
    }
}

/// A batch with its columns in their plain forms.
///
/// # Errors
/// A time so far away that its microseconds are no number of 64 bits.
pub(super) fn plain_batch(batch: Batch, fields: &[Field]) -> Result<Batch, Failure> {
    let Batch { columns, row_count } = batch;
    let columns = columns.into_iter().zip(fields).map(|(column, field)| plain(column, &field.name));
    Ok(Batch { columns: columns.collect::<Result<_, _>>()?, row_count })
}

fn plain(column: Column, name: &str) -> Result<Column, Failure> {
    let kind = plain_kind(&column.kind);
    let inner = |column| plain(column, name);
    let values = match column.values {
        Values::Words(words) => {
            let mut texts = Texts::default();
            let numbers = words.numbers.iter();
            numbers.for_each(|number| texts.push(words.words.get(*number as usize)));
            Values::Texts(texts)
        }
        Values::Uuids(uuids) => {
            let mut texts = Texts::default();
            uuids.iter().for_each(|uuid| texts.push(uuid_text(uuid).as_bytes()));
            Values::Texts(texts)
        }
        Values::Ints(millis) if column.kind == Kind::Millis => {
            let far = |millis: i64| {
                Failure::asked(format!(
                    "column {name}: {millis} milliseconds since 1970 are no microseconds of 64 \
                     bits; as_text has it as a text"
                ))
            };
            let micros = |millis: i64| millis.checked_mul(1000).ok_or_else(|| far(millis));
            Values::Ints(millis.into_iter().map(micros).collect::<Result<_, _>>()?)
        }
        Values::Lists(ends, items) => Values::Lists(ends, Box::new(inner(*items)?)),
        Values::FixedLists(items, count) => {
            let ends = (1..=column.len).map(|number| (number * count) as i32).collect();
            Values::Lists(ends, Box::new(inner(*items)?))
        }
        Values::Maps(ends, pair) => {
            let [keys, values] = *pair;
            Values::Maps(ends, Box::new([inner(keys)?, inner(values)?]))
        }
        Values::Parts(parts) => {
            Values::Parts(parts.into_iter().map(inner).collect::<Result<_, _>>()?)
        }
        values => values,
    };
    Ok(Column { kind, values, ..column })
}

#[cfg(test)]
mod tests {
    use super::*;

    static ITEM: Field = Field::new("item", Kind::Float32, "");

    #[test]
    fn every_type_has_a_plain_form() {
        let kinds = [
            Kind::Word,
            Kind::Uuid,
            Kind::Millis,
            Kind::FixedList(Held::Static(&ITEM), 2),
            Kind::Int,
        ];
        let mut columns: Vec<Column> = kinds.iter().cloned().map(Column::new).collect();
        columns.iter_mut().for_each(Column::null);
        columns[0].text("up");
        columns[1].uuid([0x12; 16]);
        columns[2].int(-7);
        columns[3].list(|items| [1.0, 2.0].into_iter().for_each(|item| items.single(item)));
        columns[4].int(3);
        let fields: Vec<Field> = kinds.into_iter().map(|kind| Field::new("x", kind, "")).collect();
        let plain = plain_batch(Batch { columns, row_count: 2 }, &fields).unwrap();
        let [word, uuid, millis, list, int] = &plain.columns[..] else { panic!("{plain:?}") };
        assert_eq!((word.own_text(1), word.is_present(0)), (Some("up"), false));
        assert_eq!(uuid.own_text(1), Some("12121212-1212-1212-1212-121212121212"));
        let Values::Ints(micros) = &millis.values else { panic!("{millis:?}") };
        assert_eq!((micros[1], &millis.kind), (-7000, &Kind::Micros));
        let Values::Lists(ends, items) = &list.values else { panic!("{list:?}") };
        assert_eq!((&ends[..], items.len()), (&[2, 4][..], 4));
        assert_eq!(int.kind, Kind::Int);
        for (field, column) in fields.iter().map(plain_field).zip(&plain.columns) {
            assert!(field.may_be_null && field.kind == column.kind, "{field:?} {column:?}");
        }
    }

    #[test]
    fn a_time_that_microseconds_have_no_place_for_is_an_error_with_a_way_out() {
        let mut column = Column::new(Kind::Millis);
        column.int(i64::MAX / 999);
        let error = plain(column, "at").unwrap_err().to_string();
        assert!(error.starts_with("column at: ") && error.contains("as_text"), "{error}");
    }
}

//! Filters of a query as conditions of a table: only those that the table tests exactly as SQL
//! means them, so that nothing is tested twice.
//!
//! Doubles are compared alike: NaN is equal to itself and comes after all other numbers. Only 0 is
//! left to DataFusion, to which -0 is less, and what has no digits.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::InList;
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Like, Operator};
use manicule::answer::{Condition, Field, Kind, Test, Value};

/// Conditions that say the same as a filter; `None`: a table's conditions can't say it.
pub(crate) fn conditions(filter: &Expr, fields: &[Field]) -> Option<Vec<Condition>> {
    match filter {
        Expr::Between(Between { expr, negated: false, low, high }) => {
            let low = compared(expr, Operator::GtEq, low, fields)?;
            Some(vec![low, compared(expr, Operator::LtEq, high, fields)?])
        }
        _ => condition(filter, fields).map(|condition| vec![condition]),
    }
}

fn condition(filter: &Expr, fields: &[Field]) -> Option<Condition> {
    let of = |expr: &Expr, test: &dyn Fn(&Field) -> Option<Test>| {
        let field = column(expr, fields)?;
        Some(Condition { column: field.name.clone().into_owned(), test: test(field)? })
    };
    let is_true =
        |field: &Field| (field.kind == Kind::Boolean).then(|| Test::In(vec![Value::Boolean(true)]));
    match filter {
        Expr::Column(_) => of(filter, &is_true),
        Expr::IsNull(expr) => of(expr, &|_| Some(Test::IsNull)),
        Expr::IsNotNull(expr) => of(expr, &|_| Some(negated(Test::IsNull))),
        Expr::Not(expr) => {
            condition(expr, fields).map(|own| Condition { test: negated(own.test), ..own })
        }
        Expr::Like(like) => of(&like.expr, &|field| like_test(like, field)),
        Expr::InList(InList { expr, list, negated: is_not }) => of(expr, &|field| {
            let values = list.iter().map(|literal| value(literal, field));
            let test = Test::In(values.collect::<Option<_>>()?);
            Some(if *is_not { negated(test) } else { test })
        }),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            either(condition(left, fields)?, condition(right, fields)?)
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            compared(left, *op, right, fields).or_else(|| compared(right, op.swap()?, left, fields))
        }
        _ => None,
    }
}

/// One of two conditions, where both name values of one column.
fn either(mut one: Condition, other: Condition) -> Option<Condition> {
    match (&mut one.test, other.test) {
        (Test::In(values), Test::In(more)) if one.column == other.column => values.extend(more),
        _ => return None,
    }
    Some(one)
}

fn negated(test: Test) -> Test {
    match test {
        Test::Not(test) => *test,
        Test::Below(limit, or_equal) => Test::Above(limit, !or_equal),
        Test::Above(limit, or_equal) => Test::Below(limit, !or_equal),
        test => Test::Not(Box::new(test)),
    }
}

/// The field of a column, if the expression is one.
fn column<'f>(expr: &Expr, fields: &'f [Field]) -> Option<&'f Field> {
    let Expr::Column(Column { name, .. }) = expr else { return None };
    fields.iter().find(|field| field.name == *name)
}

/// LIKE; without the backslash, which has no meaning in a condition.
fn like_test(like: &Like, field: &Field) -> Option<Test> {
    let Expr::Literal(pattern, _) = &*like.pattern else { return None };
    let pattern = text(pattern)?;
    let is_plain = !like.case_insensitive && like.escape_char.is_none() && !pattern.contains('\\');
    if !is_plain || !matches!(field.kind, Kind::Text | Kind::Word) {
        return None;
    }
    let test = Test::Like(pattern.to_owned());
    Some(if like.negated { negated(test) } else { test })
}

/// A column, or a time of one in a finer unit, compared with a literal.
fn compared(left: &Expr, op: Operator, right: &Expr, fields: &[Field]) -> Option<Condition> {
    let (field, test) = match left {
        Expr::Cast(cast) => {
            let field = column(&cast.expr, fields)?;
            (field, finer(op, right, field, cast.field.data_type())?)
        }
        _ => {
            let field = column(left, fields)?;
            (field, comparison(op, value(right, field)?)?)
        }
    };
    Some(Condition { column: field.name.clone().into_owned(), test })
}

fn comparison(op: Operator, value: Value) -> Option<Test> {
    Some(match op {
        Operator::Eq => Test::In(vec![value]),
        Operator::NotEq => negated(Test::In(vec![value])),
        Operator::Lt => Test::Below(value, false),
        Operator::LtEq => Test::Below(value, true),
        Operator::Gt => Test::Above(value, false),
        Operator::GtEq => Test::Above(value, true),
        _ => return None,
    })
}

/// A time of a column that was cast to a finer unit: in the column's unit the literal lies between
/// two values, of which the nearer one is the limit.
fn finer(op: Operator, right: &Expr, field: &Field, cast: &DataType) -> Option<Test> {
    let own = match field.kind {
        Kind::Millis => 1_000_000,
        Kind::Micros => 1000,
        _ => return None,
    };
    let DataType::Timestamp(_, Some(_)) = cast else { return None };
    let Expr::Literal(literal, _) = right else { return None };
    let (time, unit) = match literal {
        ScalarValue::TimestampMicrosecond(Some(time), Some(_)) => (*time, 1000),
        ScalarValue::TimestampNanosecond(Some(time), Some(_)) => (*time, 1),
        _ => return None,
    };
    let factor = (own % unit == 0).then(|| own / unit)?;
    let (floor, is_exact) = (time.div_euclid(factor), time.rem_euclid(factor) == 0);
    match op {
        // What lies between two values is above the lower one, and not below it.
        Operator::Gt | Operator::GtEq if !is_exact => Some(Test::Above(Value::Int(floor), false)),
        Operator::Lt | Operator::LtEq if !is_exact => Some(Test::Below(Value::Int(floor), true)),
        _ if is_exact => comparison(op, Value::Int(floor)),
        _ => None,
    }
}

fn text(scalar: &ScalarValue) -> Option<&str> {
    match scalar {
        ScalarValue::Utf8(text) | ScalarValue::LargeUtf8(text) | ScalarValue::Utf8View(text) => {
            text.as_deref()
        }
        ScalarValue::Dictionary(_, word) => text(word),
        _ => None,
    }
}

/// A literal as a value of a column's conditions.
fn value(literal: &Expr, field: &Field) -> Option<Value> {
    let Expr::Literal(scalar, _) = literal else { return None };
    let int = |int: i64| Some(Value::Int(int));
    let float = |number: f64| (number.is_finite() && number != 0.0).then_some(Value::Float(number));
    match (&field.kind, scalar) {
        (Kind::Text | Kind::Word, scalar) => text(scalar).map(|text| Value::Text(text.to_owned())),
        (Kind::Uuid, scalar) => {
            let text = text(scalar).filter(|text| is_uuid(text))?;
            Some(Value::Text(text.to_owned()))
        }
        (Kind::Boolean, ScalarValue::Boolean(Some(value))) => Some(Value::Boolean(*value)),
        (Kind::Int8 | Kind::Int16 | Kind::Int32 | Kind::Int, scalar) => match scalar {
            ScalarValue::Int8(Some(number)) => int((*number).into()),
            ScalarValue::Int16(Some(number)) => int((*number).into()),
            ScalarValue::Int32(Some(number)) => int((*number).into()),
            ScalarValue::Int64(Some(number)) => int(*number),
            _ => None,
        },
        (Kind::Float, ScalarValue::Float64(Some(number))) => float(*number),
        (Kind::Float32, ScalarValue::Float32(Some(number))) => float((*number).into()),
        (Kind::Decimal(_), ScalarValue::Decimal128(Some(digits), _, scale)) => {
            let one = 10_i128.checked_pow(u32::try_from(*scale).ok()?)?;
            let whole = (digits % one == 0).then(|| digits / one)?;
            int(whole.try_into().ok()?)
        }
        (Kind::Date, ScalarValue::Date32(Some(day))) => int((*day).into()),
        (Kind::Time, ScalarValue::Time64Nanosecond(Some(time))) => int(*time),
        (Kind::Millis, ScalarValue::TimestampMillisecond(Some(time), Some(_)))
        | (Kind::Micros, ScalarValue::TimestampMicrosecond(Some(time), Some(_)))
        | (Kind::LocalMicros, ScalarValue::TimestampMicrosecond(Some(time), None)) => int(*time),
        _ => None,
    }
}

/// Whether a text is a UUID as columns of them have it: 36 characters, none of them upper-case.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::TimeUnit;
    use datafusion::logical_expr::{col, in_list, lit, not};

    use super::*;

    fn fields() -> Vec<Field> {
        vec![
            Field::new("path", Kind::Text, ""),
            Field::new("kind", Kind::Word, ""),
            Field::new("size", Kind::Int, ""),
            Field::new("value", Kind::Float, ""),
            Field::new("id", Kind::Uuid, ""),
            Field::new("at", Kind::Millis, ""),
            Field::new("price", Kind::Decimal(2), ""),
            Field::new("is_whole", Kind::Boolean, ""),
        ]
    }

    /// The conditions of a filter as text; empty: none says the same.
    #[track_caller]
    fn check(filter: &Expr, want: &str) {
        let shown = conditions(filter, &fields()).unwrap_or_default();
        let shown: Vec<String> = shown.iter().map(ToString::to_string).collect();
        assert_eq!(shown.join(" AND "), want, "{filter}");
    }

    fn time(ns: i64) -> Expr {
        lit(ScalarValue::TimestampNanosecond(Some(ns), Some("+00:00".into())))
    }

    #[test]
    fn comparisons_with_literals_are_conditions() {
        let word = ScalarValue::Dictionary(
            Box::new(DataType::Int32),
            Box::new(ScalarValue::Utf8(Some("a".to_owned()))),
        );
        check(&col("path").eq(lit("a'b")), "\"path\" = 'a''b'");
        check(&col("kind").eq(lit(word)), "\"kind\" = 'a'");
        check(&lit(3_i64).lt(col("size")), "\"size\" > 3");
        check(&col("value").gt(lit(1.5)), "\"value\" > 1.5");
        check(&not(col("value").lt(lit(-2.0))), "\"value\" >= -2.0");
        check(&col("size").not_eq(lit(3_i64)), "\"size\" <> 3");
        check(&not(col("size").lt(lit(3_i64))), "\"size\" >= 3");
        check(&col("size").between(lit(1_i64), lit(2_i64)), "\"size\" >= 1 AND \"size\" <= 2");
        check(&in_list(col("kind"), vec![lit("a"), lit("b")], true), "\"kind\" NOT IN ('a', 'b')");
        check(&col("path").like(lit("a%")), "\"path\" LIKE 'a%'");
        check(&col("path").not_like(lit("a%")), "\"path\" NOT LIKE 'a%'");
        check(&col("path").is_null(), "\"path\" IS NULL");
        check(&not(col("path").is_null()), "\"path\" IS NOT NULL");
        check(&col("is_whole"), "\"is_whole\" = true");
        check(&not(col("is_whole")), "\"is_whole\" <> true");
        check(&col("size").eq(lit(1_i64)).or(col("size").eq(lit(2_i64))), "\"size\" IN (1, 2)");
        let decimal = |digits| lit(ScalarValue::Decimal128(Some(digits), 38, 2));
        check(&col("price").gt(decimal(300)), "\"price\" > 3");
        check(
            &col("id").eq(lit("123e4567-e89b-12d3-a456-426614174000")),
            "\"id\" = '123e4567-e89b-12d3-a456-426614174000'",
        );
    }

    #[test]
    fn what_conditions_mean_otherwise_or_can_not_say_is_left() {
        let decimal = |digits| lit(ScalarValue::Decimal128(Some(digits), 38, 2));
        for filter in [
            col("value").gt(lit(0.0)),
            col("value").lt(lit(f64::INFINITY)),
            col("value").eq(lit(f64::NAN)),
            col("path").like(lit("a\\%")),
            col("path").ilike(lit("a%")),
            col("size").eq(col("at")),
            col("size").eq(lit(1_i64)).or(col("path").eq(lit("a"))),
            col("size").lt(lit(1_i64)).or(col("size").eq(lit(2_i64))),
            col("price").gt(decimal(350)),
            col("id").eq(lit("123E4567-E89B-12D3-A456-426614174000")),
            col("id").eq(lit("a")),
            col("id").like(lit("1%")),
            col("size").eq(lit(ScalarValue::Int64(None))),
            in_list(col("size"), vec![lit(1_i64), lit(ScalarValue::Int64(None))], false),
            (col("size") + lit(1_i64)).eq(lit(3_i64)),
            col("nowhere").eq(lit(3_i64)),
        ] {
            check(&filter, "");
        }
    }

    #[test]
    fn times_of_a_finer_unit_are_limits_in_the_unit_of_the_column() {
        let finer = DataType::Timestamp(TimeUnit::Nanosecond, Some("+00:00".into()));
        let at = || datafusion::logical_expr::cast(col("at"), finer.clone());
        // 2 ms and 2.5 ms.
        let (exact, between) = (2_000_000, 2_500_000);
        check(&at().eq(time(exact)), "\"at\" = 2");
        check(&at().lt(time(exact)), "\"at\" < 2");
        check(&at().gt_eq(time(exact)), "\"at\" >= 2");
        check(&at().gt(time(between)), "\"at\" > 2");
        check(&at().gt_eq(time(between)), "\"at\" > 2");
        check(&at().lt(time(between)), "\"at\" <= 2");
        check(&at().lt_eq(time(between)), "\"at\" <= 2");
        check(&at().gt(time(-between)), "\"at\" > -3");
        check(&at().eq(time(between)), "");
        check(&datafusion::logical_expr::cast(col("at"), DataType::Int64).eq(lit(1_i64)), "");
    }
}

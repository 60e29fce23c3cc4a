//! The greatest rows of an answer by a column, and sums of the others: for faces that draw what may
//! have millions of rows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::column::{Batch, Column};
use super::condition::Cell;
use super::field::{Field, Kind};
use super::json::JsonRows;
use crate::failure::Failure;

/// Takes all rows of an answer, batch by batch, and keeps those that are greatest by a column.
///
/// Memory: the rows that are kept, as JSON, whatever the answer's length; about as many bytes as it
/// is given, or one row.
#[derive(Debug)]
pub struct Top {
    by: usize,
    limit: usize,
    len_max: usize,
    json: JsonRows,
    /// Bytes of the kept rows.
    len: usize,
    kept: BTreeMap<Rank, Kept>,
    taken: u64,
    /// Places of the columns that have sums, and the sums of all rows.
    sums: Vec<(usize, i128)>,
    names: Vec<String>,
}

/// The order of rows: the least first, and of one number the last that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    number: i128,
    place: Reverse<u64>,
}

#[derive(Debug)]
struct Kept {
    row: String,
    numbers: Vec<i128>,
}

/// The greatest rows, and what of the others is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Rows as JSON objects, the greatest first; of equal ones that which came first.
    pub rows: Vec<String>,
    /// Number of the other rows.
    pub other_count: u64,
    /// Of each column of numbers without a fraction its sum over the other rows.
    pub other_sums: Vec<(String, i128)>,
}

impl Top {
    /// Keeps at most `limit` rows by the column of this name, and fewer where they have more than
    /// `len_max` bytes as JSON.
    ///
    /// # Errors
    /// A column that isn't there, or has no numbers without a fraction and no times.
    pub fn new(fields: &[Field], by: &str, limit: usize, len_max: usize) -> Result<Top, Failure> {
        let at = fields.iter().position(|field| field.name == by);
        let at = at.filter(|at| has_sum(&fields[*at].kind) || is_time(&fields[*at].kind));
        let by = at.ok_or_else(|| {
            Failure::asked(format!("rows can't be ranked by {by}: it is no column of numbers"))
        })?;
        let summed = fields.iter().enumerate().filter(|(_, field)| has_sum(&field.kind));
        Ok(Top {
            by,
            limit,
            len_max,
            json: JsonRows::new(fields),
            len: 0,
            kept: BTreeMap::new(),
            taken: 0,
            sums: summed.clone().map(|(place, _)| (place, 0)).collect(),
            names: summed.map(|(_, field)| field.name.to_string()).collect(),
        })
    }

    /// Takes the rows of a batch.
    pub fn take(&mut self, batch: &Batch) {
        for row in 0..batch.row_count() {
            let numbers: Vec<i128> =
                self.sums.iter().map(|(place, _)| number(&batch.columns[*place], row)).collect();
            for ((_, sum), number) in self.sums.iter_mut().zip(&numbers) {
                *sum += number;
            }
            // What lacks comes last.
            let column = &batch.columns[self.by];
            let rank = if column.is_present(row) { number(column, row) } else { i128::MIN };
            let rank = Rank { number: rank, place: Reverse(self.taken) };
            self.keep(rank, batch, row, numbers);
            self.taken += 1;
        }
    }

    fn keep(&mut self, rank: Rank, batch: &Batch, row: usize, numbers: Vec<i128>) {
        let is_full = self.kept.len() >= self.limit;
        if is_full && self.kept.first_key_value().is_none_or(|(least, _)| *least > rank) {
            return;
        }
        let mut text = String::new();
        self.json.put(batch, row, &mut text);
        self.len += text.len();
        self.kept.insert(rank, Kept { row: text, numbers });
        while self.kept.len() > self.limit || self.len > self.len_max && self.kept.len() > 1 {
            let least = self.kept.pop_first();
            self.len -= least.map_or(0, |(_, least)| least.row.len());
        }
    }

    /// The rows, after all batches.
    pub fn end(self) -> Ranked {
        let Top { kept, taken, sums, names, .. } = self;
        let mut others: Vec<i128> = sums.into_iter().map(|(_, sum)| sum).collect();
        for one in kept.values() {
            others.iter_mut().zip(&one.numbers).for_each(|(sum, number)| *sum -= number);
        }
        Ranked {
            other_count: taken - kept.len() as u64,
            rows: kept.into_values().rev().map(|one| one.row).collect(),
            other_sums: names.into_iter().zip(others).collect(),
        }
    }
}

/// A number; what lacks counts as 0 in sums.
fn number(column: &Column, row: usize) -> i128 {
    match column.cell(row) {
        Cell::Int(number) => number.into(),
        _ => 0,
    }
}

fn has_sum(kind: &Kind) -> bool {
    matches!(kind, Kind::Int8 | Kind::Int16 | Kind::Int32 | Kind::Int)
}

fn is_time(kind: &Kind) -> bool {
    matches!(kind, Kind::Millis | Kind::Micros | Kind::LocalMicros | Kind::Date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(rows: &[(Option<i64>, &str)]) -> Batch {
        let mut columns = [Column::new(Kind::Int), Column::new(Kind::Text)];
        for (number, text) in rows {
            match number {
                Some(number) => columns[0].int(*number),
                None => columns[0].null(),
            }
            columns[1].text(text);
        }
        Batch { columns: columns.into(), row_count: rows.len() }
    }

    fn fields() -> [Field; 2] {
        [Field::new("n", Kind::Int, "").or_null(), Field::new("t", Kind::Text, "")]
    }

    #[test]
    fn the_greatest_are_kept_and_the_others_summed() {
        let mut top = Top::new(&fields(), "n", 2, usize::MAX).unwrap();
        top.take(&batch(&[(Some(3), "a"), (Some(9), "b"), (None, "c")]));
        top.take(&batch(&[(Some(9), "d"), (Some(-1), "e")]));
        let ranked = top.end();
        let want = ["{\"n\":9,\"t\":\"b\"}\n", "{\"n\":9,\"t\":\"d\"}\n"];
        assert_eq!(ranked.rows, want);
        assert_eq!((ranked.other_count, ranked.other_sums), (3, vec![("n".to_owned(), 2)]));
    }

    #[test]
    fn fewer_rows_than_the_limit_leave_no_others_and_none_leaves_all() {
        for (limit, rows, others) in [(9, 2, 0), (2, 2, 0), (0, 0, 2)] {
            let mut top = Top::new(&fields(), "n", limit, usize::MAX).unwrap();
            top.take(&batch(&[(None, "a"), (Some(1), "b")]));
            let ranked = top.end();
            assert_eq!((ranked.rows.len(), ranked.other_count), (rows, others), "{limit}");
        }
    }

    #[test]
    fn rows_that_are_too_long_together_are_others() {
        let row_len = "{\"n\":1,\"t\":\"a\"}\n".len();
        for (len_max, kept) in [(3 * row_len, 3), (3 * row_len - 1, 2), (0, 1)] {
            let mut top = Top::new(&fields(), "n", 9, len_max).unwrap();
            top.take(&batch(&[(Some(1), "a"), (Some(3), "c"), (Some(2), "b")]));
            let ranked = top.end();
            assert_eq!((ranked.rows.len(), ranked.other_count), (kept, 3 - kept as u64));
            assert!(ranked.rows[0].starts_with("{\"n\":3"), "{ranked:?}");
        }
    }

    #[test]
    fn a_column_without_numbers_is_refused() {
        for by in ["t", "x"] {
            let error = Top::new(&fields(), by, 1, 1).unwrap_err().to_string();
            let want = format!("rows can't be ranked by {by}: it is no column of numbers");
            assert_eq!(error, want);
        }
    }
}

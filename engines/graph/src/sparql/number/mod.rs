//! Numbers of any length, for what the evaluator's datatypes don't hold: integers of more than
//! 64 bits, and decimals of more than 18 digits after the point.
//!
//! | file | what |
//! |---|---|
//! | decimal.rs | decimals, exact |
//! | value.rs | numbers of all kinds, from terms and as terms |
//! | arithmetic.rs | what is computed of them |
//! | functions.rs | the same as functions of terms, by name |
//! | sum.rs | AVG |

mod arithmetic;
mod decimal;
mod functions;
mod sum;
mod value;

pub(super) use functions::FUNCTIONS;
pub(super) use sum::mean;
pub(crate) use value::is_without_value;
pub(super) use value::{Number, spelled};

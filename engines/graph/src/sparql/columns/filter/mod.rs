//! Filters, by ids where they decide.
//!
//! | file | what |
//! |---|---|
//! | marks.rs | which rows of a table pass an expression |
//! | stream.rs | filters of rows that pass by |
//! | compare.rs, constant.rs | comparisons of two expressions, and with a constant |
//! | exists.rs, partners.rs | EXISTS: for all rows at once, or for each of their values |

pub(in crate::sparql) mod compare;
pub(in crate::sparql) mod constant;
pub(in crate::sparql) mod exists;
pub(in crate::sparql) mod marks;
pub(in crate::sparql) mod partners;
pub(in crate::sparql) mod stream;

//! Found numbers, made ready to be compared with many lists.

use std::borrow::Cow;

use super::increasing::{self, Increasing, ends};
use super::{Bits, Found};

/// Numbers both as a list, in which long lists skip, and as bits, in which short ones are looked
/// up.
#[derive(Clone, Debug)]
pub struct Probe<'f> {
    list: Cow<'f, Increasing>,
    ends: (u32, u32),
    /// Only of many: for few it costs more to clear the bits than they save.
    bits: Option<Bits>,
}

/// Minimum count of numbers from which on bits are made.
const BITS_FROM: usize = 1024;

/// Lists up to this length are looked up in the bits, one number after the other.
const LOOKED_UP_MAX: usize = 64;

impl<'f> Probe<'f> {
    /// Makes both shapes; `None` of nothing.
    pub fn new(found: &'f Found<'_>) -> Option<Self> {
        let ends = found.ends()?;
        let list: Cow<'f, Increasing> = match found {
            Found::List(list) => Cow::Borrowed(list),
            Found::Bits(bits) => bits.iter().map(u32::to_be_bytes).collect(),
        };
        let bits = match found {
            Found::Bits(bits) => Some(bits.clone()),
            Found::List(list) if list.len() >= BITS_FROM => {
                let mut bits = Bits::empty(ends.0, ends.1);
                bits.insert_all(list);
                Some(bits)
            }
            Found::List(_) => None,
        };
        Some(Probe { list, ends, bits })
    }

    /// Whether a list has one of the numbers.
    #[inline]
    pub fn meets(&self, list: &Increasing) -> bool {
        let Some((first, last)) = ends(list) else { return false };
        if last < self.ends.0 || self.ends.1 < first {
            return false;
        }
        match &self.bits {
            Some(bits) if list.len() <= LOOKED_UP_MAX => {
                list.iter().any(|at| bits.contains(increasing::number(*at)))
            }
            _ => increasing::meet(list, &self.list),
        }
    }
}

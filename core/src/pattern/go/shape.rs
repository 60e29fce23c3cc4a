//! What a tree says about the values it accepts without running it: that they are these few, that
//! they begin so, that they hold these texts in this order.
//!
//! The tree is that of a whole value. A byte that is not valid UTF-8 counts as U+FFFD for a dot;
//! literals are compared byte by byte, and so prefixes end before U+FFFD.

use memchr::memmem::Finder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

/// Values that an expression is spelled out in; more of them are left to the automaton.
const VALUES_MAX: usize = 1 << 16;
/// Values that a product such as `[ab][cd]` or a class is spelled out in.
const PRODUCT_MAX: usize = 1 << 10;
/// Bytes of all these values.
const VALUE_BYTES_MAX: usize = 1 << 22;

/// The values that a tree accepts, increasing, if they are few.
pub(super) fn values(hir: &Hir) -> Option<Vec<Vec<u8>>> {
    let mut values = spell(hir, true, true)?;
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// The texts of a part of the tree, which may stand at the start or at the end of the value or at
/// both.
fn spell(hir: &Hir, at_start: bool, at_end: bool) -> Option<Vec<Vec<u8>>> {
    let texts = match hir.kind() {
        HirKind::Empty => vec![Vec::new()],
        HirKind::Literal(literal) => vec![literal.0.to_vec()],
        HirKind::Look(Look::Start) if at_start => vec![Vec::new()],
        HirKind::Look(Look::End) if at_end => vec![Vec::new()],
        HirKind::Class(class) => spell_class(class)?,
        HirKind::Alternation(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.append(&mut spell(part, at_start, at_end)?);
                within_limits(&all, VALUES_MAX)?;
            }
            all
        }
        HirKind::Concat(parts) => {
            // What stands before or after an anchor is nothing at all.
            let first = parts.iter().position(|part| !is_look(part)).unwrap_or(parts.len());
            let last = parts.iter().rposition(|part| !is_look(part)).unwrap_or(0);
            let mut all = vec![Vec::new()];
            for (at, part) in parts.iter().enumerate() {
                let texts = spell(part, at_start && at <= first, at_end && at >= last)?;
                all = product(&all, &texts)?;
            }
            all
        }
        HirKind::Repetition(rep) => {
            let once = spell(&rep.sub, false, false)?;
            let mut all = Vec::new();
            let mut power = vec![Vec::new()];
            for count in 0..=rep.max.filter(|max| *max <= PRODUCT_MAX as u32)? {
                if count >= rep.min {
                    all.extend_from_slice(&power);
                    within_limits(&all, PRODUCT_MAX)?;
                }
                power = product(&power, &once)?;
            }
            all
        }
        HirKind::Look(_) | HirKind::Capture(_) => return None,
    };
    Some(texts)
}

fn is_look(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Look(_))
}

fn spell_class(class: &Class) -> Option<Vec<Vec<u8>>> {
    let class = match class {
        Class::Unicode(class) => class,
        // Without a member it's what never matches; otherwise it only stands in repeats without
        // end.
        Class::Bytes(class) => return class.ranges().is_empty().then(Vec::new),
    };
    if class.ranges().iter().map(|range| range.len()).sum::<usize>() > PRODUCT_MAX {
        return None;
    }
    let chars = class.ranges().iter().flat_map(|range| range.start()..=range.end());
    Some(chars.map(|char| char.to_string().into_bytes()).collect())
}

fn product(heads: &[Vec<u8>], tails: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
    let both = |head: &Vec<u8>| tails.iter().map(|tail| [&head[..], tail].concat()).collect();
    if heads.len().min(tails.len()) > 1 && heads.len() * tails.len() > PRODUCT_MAX {
        return None;
    }
    let bytes = |texts: &[Vec<u8>]| texts.iter().map(|text| text.len() + 1).sum::<usize>();
    if bytes(heads).saturating_mul(tails.len()) + bytes(tails).saturating_mul(heads.len())
        > VALUE_BYTES_MAX
    {
        return None;
    }
    let texts: Vec<Vec<Vec<u8>>> = heads.iter().map(both).collect();
    Some(texts.into_iter().flatten().collect())
}

fn within_limits(texts: &[Vec<u8>], count_max: usize) -> Option<()> {
    (texts.len() <= count_max).then_some(())
}

/// Texts in order with anything between them: `foo.*bar.+`.
#[derive(Clone)]
pub(super) struct Glob {
    /// Prefix of the value.
    prefix: Vec<u8>,
    /// Texts in the middle, each with the bytes that must stand before it at least.
    middle: Vec<(usize, Finder<'static>)>,
    /// The bytes that must stand before the suffix at least: 0 or 1.
    gap: usize,
    /// Suffix of the value.
    suffix: Vec<u8>,
}

impl Glob {
    /// The tree as such a row of texts, if it is one.
    pub(super) fn of(hir: &Hir) -> Option<Glob> {
        let parts = match hir.kind() {
            HirKind::Concat(parts) => parts.as_slice(),
            HirKind::Repetition(_) => std::slice::from_ref(hir),
            _ => return None,
        };
        let is_start = |part: &&Hir| matches!(part.kind(), HirKind::Look(Look::Start));
        let is_end = |part: &&Hir| matches!(part.kind(), HirKind::Look(Look::End));
        let starts = parts.iter().take_while(is_start).count();
        let ends = parts[starts..].iter().rev().take_while(is_end).count();
        Glob::of_parts(&parts[starts..parts.len() - ends])
    }

    fn of_parts(parts: &[Hir]) -> Option<Glob> {
        let mut texts: Vec<(usize, Vec<u8>)> = vec![(0, Vec::new())];
        // Whether a gap is open, how many characters it must have, and whether it may have more.
        let mut gap: Option<(usize, bool)> = None;
        for part in parts {
            match part.kind() {
                HirKind::Literal(literal) if !holds_replaced(&literal.0) => match gap.take() {
                    None => texts.last_mut()?.1.extend_from_slice(&literal.0),
                    Some((min @ 0..=1, true)) => texts.push((min, literal.0.to_vec())),
                    Some(_) => return None,
                },
                HirKind::Class(class) if is_all(class) => {
                    let (min, is_open) = gap.unwrap_or((0, false));
                    gap = Some((min + 1, is_open));
                }
                HirKind::Repetition(rep) if rep.min == 0 && rep.max.is_none() => {
                    let HirKind::Class(class) = rep.sub.kind() else { return None };
                    let (min, _) = is_all(class).then(|| gap.unwrap_or((0, false)))?;
                    gap = Some((min, true));
                }
                _ => return None,
            }
        }
        if gap.is_some() {
            let Some((min @ 0..=1, true)) = gap else { return None };
            texts.push((min, Vec::new()));
        }
        if texts.len() < 2 {
            return None;
        }
        let (gap, suffix) = texts.pop()?;
        let (_, prefix) = texts.remove(0);
        let finder = |(gap, text): (usize, Vec<u8>)| (gap, Finder::new(&text).into_owned());
        Some(Glob { prefix, middle: texts.into_iter().map(finder).collect(), gap, suffix })
    }

    /// Prefix of the value.
    pub(super) fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// The longest text after the prefix.
    pub(super) fn longest(&self) -> &[u8] {
        let texts = self.middle.iter().map(|(_, finder)| finder.needle()).chain([&self.suffix[..]]);
        texts.max_by_key(|text| text.len()).unwrap_or_default()
    }

    /// Whether nothing is asked after the prefix but that many bytes.
    pub(super) fn only_gap(&self) -> Option<usize> {
        (self.middle.is_empty() && self.suffix.is_empty()).then_some(self.gap)
    }

    /// Whether the value has the texts in this order.
    #[inline]
    pub(super) fn is_match(&self, value: &[u8]) -> bool {
        let Some(rest) = value.strip_prefix(&self.prefix[..]) else { return false };
        let Some(mut rest) = rest.strip_suffix(&self.suffix[..]) else { return false };
        for (gap, finder) in &self.middle {
            let Some(from) = rest.get(*gap..) else { return false };
            let Some(at) = finder.find(from) else { return false };
            rest = &from[at + finder.needle().len()..];
        }
        rest.len() >= self.gap
    }
}

/// Whether the class holds every character, or as bytes every byte.
fn is_all(class: &Class) -> bool {
    match class {
        Class::Unicode(class) => {
            class.ranges().len() == 1
                && (class.ranges()[0].start(), class.ranges()[0].end()) == ('\0', char::MAX)
        }
        Class::Bytes(class) => {
            class.ranges().len() == 1
                && (class.ranges()[0].start(), class.ranges()[0].end()) == (0, 0xff)
        }
    }
}

/// Whether a literal holds U+FFFD, for which bytes that are not valid UTF-8 may stand.
fn holds_replaced(literal: &[u8]) -> bool {
    memchr::memmem::find(literal, "\u{fffd}".as_bytes()).is_some()
}

/// Prefix of every accepted value.
pub(super) fn prefix(hir: &Hir) -> Vec<u8> {
    let (mut prefix, _) = leading(hir);
    // U+FFFD begins with this byte, and what stands for it in a value need not.
    prefix.truncate(memchr::memchr(0xef, &prefix).unwrap_or(prefix.len()));
    prefix
}

/// Prefix of every match, and whether it is nothing but that.
fn leading(hir: &Hir) -> (Vec<u8>, bool) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => (Vec::new(), true),
        HirKind::Literal(literal) => (literal.0.to_vec(), true),
        HirKind::Class(_) => (Vec::new(), false),
        HirKind::Repetition(rep) if rep.min > 0 => (leading(&rep.sub).0, false),
        HirKind::Repetition(_) => (Vec::new(), false),
        HirKind::Capture(capture) => leading(&capture.sub),
        HirKind::Concat(parts) => {
            let mut all = Vec::new();
            for part in parts {
                let (mut next, is_whole) = leading(part);
                all.append(&mut next);
                if !is_whole {
                    return (all, false);
                }
            }
            (all, true)
        }
        HirKind::Alternation(parts) => {
            let mut parts = parts.iter().map(leading);
            let (mut all, mut is_whole) = parts.next().unwrap_or_default();
            for (next, next_is_whole) in parts {
                let common = all.iter().zip(&next).take_while(|(left, right)| left == right);
                let common = common.count();
                is_whole &= next_is_whole && common == all.len() && common == next.len();
                all.truncate(common);
            }
            (all, is_whole)
        }
    }
}

//! A selector is read or refused, never more; what was read is shown so that it reads back the same, and its matchers
//! answer for any value, in keeping with what they tell of themselves.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_series::{Accepts, Selector};

fuzz_target!(|input: (&str, &[u8])| {
    let (text, value) = input;
    let Ok(selector) = Selector::parse(text) else { return };
    let shown = selector.to_string();
    assert_eq!(Selector::parse(&shown).as_ref(), Ok(&selector), "{text:?} shown as {shown:?}");
    for matcher in selector.matchers() {
        let is_described = matcher.describes(value);
        let (must, may) = match matcher.described() {
            Accepts::Everything => (true, true),
            Accepts::NonEmpty => (!value.is_empty(), !value.is_empty()),
            Accepts::Values(values) => {
                let is_in = values.iter().any(|known| known == value);
                (is_in, is_in)
            }
            Accepts::Prefix(prefix) => (value.starts_with(prefix), value.starts_with(prefix)),
            Accepts::Some { prefix } => (false, value.starts_with(prefix)),
        };
        assert!((is_described || !must) && (may || !is_described), "{matcher:?} on {value:?}");
    }
});

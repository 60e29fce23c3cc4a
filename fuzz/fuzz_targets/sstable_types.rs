//! Reading any text as the name of a type gives a type or an error, and the name of a type that was
//! read is that type again. Any bytes as its values can be ordered and shown; a literal that was
//! read of a value is written and read the same again. Any text as a literal, a key, a bound or a
//! schema gives a value or an error.
//!
//! Seeds: names of types as in docs/formats/sstable.md

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use manicule_format_sstable::{PlainForm, Prefix, PrefixBuf, PrefixKind, Type, read_schema, read_values};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    name: &'a str,
    values: [&'a [u8]; 2],
    literal: &'a str,
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = read_schema(text);
        kind(text);
    }
    let Ok(input) = Input::arbitrary(&mut arbitrary::Unstructured::new(bytes)) else { return };
    let Some(kind) = kind(input.name) else { return };
    let [left, right] = input.values;
    assert_eq!(kind.compare(left, right), kind.compare(right, left).reverse());
    assert!(kind.compare(left, left).is_eq());
    show(&kind, left);
    let _ = kind.read_key(input.literal);
    if let Ok(Some(value)) = kind.read_literal(input.literal) {
        show(&kind, &value);
    }
    let types = [kind, Type::Int];
    if let Ok(values) = read_values(&types, input.literal) {
        let values: Vec<_> = values.iter().map(Option::as_deref).collect();
        // What is read has the widths that a prefix wants.
        let prefix = PrefixBuf::new(PrefixKind::InclusiveStart, &types, &values);
        let prefix = prefix.as_prefix();
        assert!(prefix.values(&types).eq(values.iter().copied()));
        assert!(Prefix::compare(&types, &prefix, &prefix).is_eq());
    }
});

fn kind(text: &str) -> Option<Type> {
    let kind = Type::parse(text).ok()?;
    assert_eq!(Type::parse(&kind.to_string()).as_ref(), Ok(&kind));
    let _ = (kind.cql(), kind.fixed_width(), kind.is_complex(), kind.key_parts().len());
    Some(kind)
}

fn show(kind: &Type, value: &[u8]) {
    let mut out = String::new();
    kind.put_json(Some(value), &mut out);
    kind.put_plain(value, PlainForm::New, &mut out);
    let Ok(Some(read)) = kind.read_literal(&literal(kind, value)) else { return };
    // Sets and maps are put in order when they are read.
    let once = literal(kind, &read);
    let again = kind.read_literal(&once).expect("what was read can be written and read");
    assert_eq!(again.map(|again| literal(kind, &again)), Some(once));
}

fn literal(kind: &Type, value: &[u8]) -> String {
    let mut out = String::new();
    kind.put_literal(Some(value), &mut out);
    out
}

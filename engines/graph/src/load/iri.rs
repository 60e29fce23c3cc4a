//! The plain shape of IRIs, recognised without a parser.

/// Whether the bytes are an IRI of the plain shape: `http` or `https`, a host of letters, digits,
/// dots and hyphens, then a path, a query and a fragment without anything that would need a closer
/// look. `false` says nothing.
pub(super) fn is_plain_iri(iri: &[u8]) -> bool {
    let rest = iri.strip_prefix(b"http").unwrap_or_default();
    let rest = rest.strip_prefix(b"s").unwrap_or(rest);
    let Some(rest) = rest.strip_prefix(b"://") else { return false };
    let host_len = rest.iter().take_while(|byte| is_host(**byte)).count();
    let rest = &rest[host_len..];
    match rest.first() {
        None => host_len > 0,
        Some(b'/') => {
            // A fragment begins at the first `#`, and holds none.
            let mut hashes = 0;
            let all = rest.iter().fold(true, |all, byte| {
                hashes += usize::from(*byte == b'#');
                all & PLAIN[usize::from(*byte)]
            });
            host_len > 0 && all && hashes <= 1
        }
        Some(_) => false,
    }
}

fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}

/// Bytes that may lie anywhere after the host.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let others = b"-._~!$&'()*+,;=:@/?#";
    let mut at = 0;
    while at < others.len() {
        plain[others[at] as usize] = true;
        at += 1;
    }
    plain
};

#[cfg(test)]
mod tests {
    use manicule_testkit::Rng;
    use oxrdf::NamedNodeRef;

    use super::*;

    #[test]
    fn what_is_plain_is_an_iri() {
        let mut rng = Rng::new(11);
        let parts = [
            "http://", "https://", "a", "-", ".", "/", "?", "#", ":", "@", "%", "[", "é", "\\", "1",
        ];
        let mut plain_count = 0;
        for _ in 0..200_000 {
            let count = rng.below(9);
            let mut iri = rng.pick(&["http://", "https://", "http://a.b/", "x:"]).to_owned();
            iri.extend((0..count).map(|_| rng.pick(&parts)));
            if is_plain_iri(iri.as_bytes()) {
                plain_count += 1;
                assert!(NamedNodeRef::new(&iri).is_ok(), "{iri}");
            }
        }
        assert!(plain_count > 10_000, "{plain_count}");
    }
}

//! Names and values of a query string or of a form: `application/x-www-form-urlencoded`.

use super::refused::Refused;

/// The pairs of a text, decoded once, in their order. A percent sign that begins no byte stays as
/// it is, as in browsers.
pub(super) fn pairs(text: &[u8]) -> Result<Vec<(String, String)>, Refused> {
    let parts = text.split(|byte| *byte == b'&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let at = part.iter().position(|byte| *byte == b'=');
            let (name, value) = match at {
                Some(at) => (&part[..at], &part[at + 1..]),
                None => (part, &[][..]),
            };
            Ok((decoded(name)?, decoded(value)?))
        })
        .collect()
}

fn decoded(text: &[u8]) -> Result<String, Refused> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        bytes.push(match (byte, after) {
            (b'+', _) => b' ',
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    rest = after;
                    high << 4 | low
                }
                _ => b'%',
            },
            (byte, _) => *byte,
        });
    }
    let wrong = |_| Refused::bad("a parameter is not UTF-8 after its percent signs are decoded");
    String::from_utf8(bytes).map_err(wrong)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &[(&str, &str)]) {
        let got = pairs(text.as_bytes()).unwrap();
        let got: Vec<_> = got.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(got, want, "{text}");
    }

    #[test]
    fn pairs_are_decoded_once() {
        check("", &[]);
        check("default", &[("default", "")]);
        check("a=b=c&&d=", &[("a", "b=c"), ("d", "")]);
        check("graph=http://a/%31", &[("graph", "http://a/1")]);
        check("graph=http://a/%2531", &[("graph", "http://a/%31")]);
        check("query=SELECT+%2A%20%7B%7D", &[("query", "SELECT * {}")]);
        check("q=%C3%bc+%zz%&r=%4", &[("q", "ü %zz%"), ("r", "%4")]);
        assert_eq!(pairs(b"a=%ff").unwrap_err().status, 400);
    }
}

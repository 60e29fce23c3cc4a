//! JSON with a line for each value, as `restic cat` prints it.

/// Lays out JSON by two blanks a level. Texts stay as they are written; empty lists and objects
/// stay on their line.
pub fn indent(json: &[u8]) -> Vec<u8> {
    let (mut out, mut depth) = (Vec::with_capacity(json.len() * 2), 0usize);
    let (mut in_text, mut is_escaped) = (false, false);
    let mut bytes = json.iter().copied().filter(|byte| *byte != b'\n').peekable();
    let line = |depth: usize, out: &mut Vec<u8>| {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth, b' ');
    };
    while let Some(byte) = bytes.next() {
        if in_text {
            out.push(byte);
            in_text = is_escaped || byte != b'"';
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'{' | b'[' => {
                out.push(byte);
                if bytes.peek().is_some_and(|next| !b"]}".contains(next)) {
                    depth += 1;
                    line(depth, &mut out);
                }
            }
            b'}' | b']' => {
                if !out.last().is_some_and(|last| b"[{".contains(last)) {
                    depth = depth.saturating_sub(1);
                    line(depth, &mut out);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                line(depth, &mut out);
            }
            b':' => out.extend_from_slice(b": "),
            b' ' | b'\t' | b'\r' => {}
            _ => {
                in_text = byte == b'"';
                out.push(byte);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::indent;

    #[test]
    fn each_value_has_a_line() {
        for (json, want) in [
            ("{}", "{}"),
            ("[1,2]", "[\n  1,\n  2\n]"),
            (
                "{\"a\":[],\"b\":{\"c\":\"x,:{\\\"\"}}",
                "{\n  \"a\": [],\n  \"b\": {\n    \"c\": \"x,:{\\\"\"\n  }\n}",
            ),
        ] {
            assert_eq!(String::from_utf8(indent(json.as_bytes())).unwrap(), want);
        }
    }
}
